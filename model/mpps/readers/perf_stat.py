"""perf stat in any locale: `3.803.541.867  cycles  ( +- 0,00% )`; also -x CSV and -j JSON lines.

Source of the format: tools/perf/util/stat-display.c and `man perf-stat` ("CSV FORMAT", "JSON FORMAT"): CSV has value,
unit, event, [+- %,] run time, share of time that it was counted, further metric and its unit.
"""

import re

from mpps.readers.core.jsontext import Fields, Scalar, documents, get, looks_like_json
from mpps.readers.core.nouns import Claim, Ignored, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import decimal_of, digits, finished, number_row

_HEAD = re.compile(r"\s{0,8}Performance counter stats for\s{1,3}(.{1,300}?)(?:\s{1,3}\((\d{1,6}) runs\))?:\s{0,4}$")
_NUM = r"\d[\d.,'\u00a0\u202f_]{0,40}"
_LINE = re.compile(
    rf"\s{{0,40}}(?:(CPU\d{{1,5}}|S\d{{1,4}}(?:-D\d+)?(?:-C\d+)?|N\d{{1,4}})\s{{1,8}}"
    rf"(?:\d{{1,4}}\s{{1,8}})?)?({_NUM})\s{{1,20}}(?:(msec|Joules|ns|MiB|%"
    rf"|ms)\s{{1,8}})?([A-Za-z_][\w./:\-,=\[\]@]{{1,80}})(?=\s|$)(.{{0,240}})"
)
_SPREAD = re.compile(rf"\(\s{{0,4}}\+-\s{{0,8}}({_NUM})\s{{0,2}}%\s{{0,2}}\)")
_ELAPSED = re.compile(rf"\s{{0,40}}({_NUM})\s{{1,4}}(?:\+-\s{{0,4}}({_NUM})\s{{1,4}})?seconds (time elapsed|user|sys)")
_NOT = re.compile(r"\s{0,40}(<not (?:counted|supported)>)\s{1,20}(\S{1,80})")
_CSV = re.compile(
    r"(?:\s{0,4}[\d.,]{1,20};)?\s{0,4}([^,;]{0,24})([,;])([^,;]{0,12})\2([A-Za-z_][\w./:\-]{1,80})\2.{0,200}"
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    if looks_like_json(source):
        return (
            Claim(93, 'JSON with "counter-value" is of perf stat') if '"counter-value"' in source.text[:1000] else None
        )
    for line, text in enumerate(source.lines[:20000], 1):
        if _HEAD.match(text[:400]):
            return Claim(95, f"line {line} heads the counters of perf stat: {text.strip()[:70]!r}")
    csv = [line for line, text in enumerate(source.lines[:200], 1) if _csv_cells(text)]
    return Claim(80, f"line {csv[0]} is of perf stat -x") if len(csv) >= 2 else None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    if looks_like_json(source):
        return finished(
            source, _json(source), [], "JSON of perf stat", '{"counter-value" : "3803541867", "event" : "cycles"}'
        )
    rows, ignored = _text(source)
    if not rows:
        rows = _csv(source)
    told = (
        ["( +- ) is the spread of the mean over runs, in percent; kept as stdev in the unit of the counter"]
        if any(row.stdev is not None for row in rows)
        else []
    )
    return finished(source, rows, told, "counters of perf stat", "3,803,541,867  cycles", ignored=tuple(ignored))


def _text(source: Source):
    found, ignored = [], []
    variant, seen = "perf stat", {}
    started = False
    for line, text in enumerate(source.lines, 1):
        text = text[:600]
        if match := _HEAD.match(text):
            variant, started = match[1].strip("'`"), True
            seen[variant] = seen.get(variant, 0) + 1
        elif not started:
            continue
        elif match := _ELAPSED.match(text):
            found.append(
                (
                    line,
                    variant,
                    {"time elapsed": "time elapsed", "user": "user time", "sys": "system time"}[match[3]],
                    match[1],
                    "s",
                    _SPREAD.search(text),
                    (),
                    match[2],
                )
            )
        elif match := _NOT.match(text):
            ignored.append(Ignored(source.file, line, text.strip(), match[1].strip("<>")))
        elif match := _LINE.match(text):
            labels = (("cpu", match[1]),) if match[1] else ()
            unit = {"msec": "ms", None: "count", "%": "percent"}.get(match[3], match[3])
            found.append((line, variant, match[4], match[2], unit, _SPREAD.search(match[5]), labels, None))
    texts = [item[3] for item in found] + [item[5][1] for item in found if item[5]]
    decimal = decimal_of(texts)
    rows = []
    for line, name, metric, text, unit, spread, labels, error in found:
        printed = digits(text, decimal)
        if printed is None:
            ignored.append(
                Ignored(
                    source.file,
                    line,
                    source.lines[line - 1].strip(),
                    f"{text!r} is no number where decimals are parted by {decimal!r}",
                )
            )
            continue
        percent = digits(spread[1], decimal) if spread else None
        stdev = (
            float(printed) * float(percent) / 100
            if percent
            else float(digits(error, decimal))
            if error and digits(error, decimal)
            else None
        )
        repeat = seen[name] if seen.get(name, 0) > 1 else None
        rows.append(
            number_row(source, line, metric, printed, unit, variant=name, stdev=stdev, labels=labels, repeat=repeat)
        )
    return rows, ignored


def _csv_cells(text: str):
    match = _CSV.fullmatch(text[:400])
    return match if match and (digits(match[1], ".") or match[1].startswith("<not")) else None


def _csv(source: Source):
    rows = []
    for line, text in enumerate(source.lines, 1):
        match = _csv_cells(text)
        if match is None or digits(match[1]) is None:
            continue
        unit = {"msec": "ms", "": "count"}.get(match[3], match[3])
        rows.append(number_row(source, line, match[4], match[1], unit, variant="perf stat"))
    return rows


def _json(source: Source):
    rows = []
    for document in documents(source):
        for item in document if isinstance(document, list) else [document]:
            value, event, unit = (get(item, name) for name in ("counter-value", "event", "unit"))
            if (
                isinstance(item, Fields)
                and isinstance(value, Scalar)
                and isinstance(event, Scalar)
                and digits(value.text) is not None
            ):
                cpu = get(item, "cpu")
                labels = (("cpu", cpu.text),) if isinstance(cpu, Scalar) else ()
                name = unit.text if isinstance(unit, Scalar) else ""
                rows.append(
                    number_row(
                        source,
                        value.line,
                        event.text,
                        value.text,
                        {"msec": "ms", "": "count"}.get(name, name),
                        variant="perf stat",
                        labels=labels,
                    )
                )
    return rows


READER = Reader("perf-stat", "perf stat: text in any locale, -x CSV, -j JSON", claim, read)
