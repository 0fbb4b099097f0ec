"""mpstat: shares of each CPU, as text in any locale and as JSON.

Source of the format: mpstat.c of sysstat: a heading `CPU %usr %nice %sys ... %idle` with a time before it, rows for `all`
and each CPU, `Average:` at the end; JSON `sysstat.hosts[].statistics[].cpu-load[]`.
"""

import re

from mpps.readers.core.jsontext import Fields, Scalar, documents, get, looks_like_json
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import decimal_of, digits, finished, number_row

_HEAD = re.compile(
    r".{0,40}\b(CPU|NODE)\s{1,12}((?:%\w{2,10}|[\w()]{1,16}/s)(?:\s{1,12}(?:%\w{2,10}|[\w()]{1,16}/s)){0,40})\s{0,8}"
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    if looks_like_json(source):
        return Claim(95, 'JSON with "cpu-load" is of mpstat') if '"cpu-load"' in source.text[:4000] else None
    for line, text in enumerate(source.lines[:20000], 1):
        if len(text) < 300 and (match := _HEAD.fullmatch(text)) and match[2].count("%") > 2:
            return Claim(93, f"line {line} is the heading of mpstat: {' '.join(text.split())!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows = _json(source) if looks_like_json(source) else _text(source)
    told = ["shares of each CPU in percent; the number of CPUs is not taken for a count of senders"]
    return finished(source, rows, told, "a report of mpstat", "12:00:02  all  2.54  0.00  1.65 ...")


def _json(source: Source):
    rows = []
    for document in documents(source):
        for host in get(document, "sysstat", "hosts") or ():
            samples = get(host, "statistics") or ()
            for number, sample in enumerate(samples, 1):
                for load in get(sample, "cpu-load") or ():
                    cpu = get(load, "cpu")
                    name = f"cpu {cpu.text}" if isinstance(cpu, Scalar) else "cpu"
                    for metric, value in load.items() if isinstance(load, Fields) else ():
                        if isinstance(value, Scalar) and value.kind == "number" and metric != "cpu":
                            repeat = number if len(samples) > 1 else None
                            rows.append(
                                number_row(
                                    source, value.line, metric, value.text, "percent", variant=name, repeat=repeat
                                )
                            )
    return rows


def _text(source: Source):
    found, names = [], []
    seen: dict[tuple[str, str], int] = {}
    for line, text in enumerate(source.lines, 1):
        text = text[:400]
        if match := _HEAD.fullmatch(text):
            names = match[2].split()
            continue
        words = text.split()
        if not names or len(words) < len(names) + 1:
            names = names if words else []
            continue
        cells, cpu = words[-len(names) :], words[-len(names) - 1]
        if not (cpu == "all" or cpu.isdigit()) or len(words) > len(names) + 3:
            continue
        average = words[0].rstrip(":").lower() in (
            "average",
            "moyenne",
            "durchschn.",
            "durchschnitt",
            "media",
            "média",
            "summary",
        )
        found.append((line, cpu, average or words[0].endswith(":"), cells, names))
    decimal = decimal_of([cell for *_, cells, _ in found for cell in cells])
    rows = []
    for line, cpu, average, cells, heads in found:
        for metric in heads if not average else ():
            seen[cpu, metric] = seen.get((cpu, metric), 0) + 1
        for metric, cell in zip(heads, cells, strict=True):
            if digits(cell, decimal) is not None:
                labels = (("of", "average"),) if average else ()
                unit = "percent" if metric.startswith("%") else "1/s"
                name = metric.lstrip("%").removesuffix("/s")
                rows.append(
                    number_row(
                        source,
                        line,
                        name,
                        cell,
                        unit,
                        variant=f"cpu {cpu}",
                        labels=labels,
                        repeat=None if average else seen[cpu, metric],
                        decimal=decimal,
                    )
                )
    return rows


READER = Reader("mpstat", "mpstat: shares of each CPU, text or JSON", claim, read)
