"""BPF selftest benchmarks: `name nr_prod 4  2.472 ± 0.003M/s (drops 0.000 ± 0.000M/s)`, raw `Summary: hits ...` lines.

Source of the format: tools/testing/selftests/bpf/benchs/run_common.sh and the run_bench_*.sh scripts beside it,
hits_drops_report_final() and ops_report_final() in bench.c.
"""

import re

from mpps.readers.core.counts import counted
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import digits, finished, number_row

_VALUE = re.compile(
    r"([\d.]{1,20})\s{0,4}(?:±|\+-|\+/-)\s{0,6}([\d.]{1,20})\s{0,2}([kMG]?)\s{0,2}(ops/s|/s|ns/op)(?:/(cpu|prod))?"
)
_PER = re.compile(r"([\d.]{1,20})\s{0,2}([kMG]?)(?:/s)?/(cpu|prod|thread)")
_COUNT = re.compile(
    r"\(?\s{0,3}\b(?:(nr_prod|nr_threads|nr_cons|num_prod|producers?|threads?|cpus?)\s{0,2}[:=]?\s{0,3}(\d{1,5})"
    r"|(\d{1,5})\s(cpus?|threads?|prods?|producers?))\b\s{0,3}\)?",
    re.IGNORECASE,
)
_LATENCY = re.compile(r"latency[: ]{1,3}([\d.]{1,20})\s{0,2}(ns/op|us/op)")
_ITER = re.compile(r"Iter\s{1,4}\d+\s{0,2}\(")


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:4000], 1):
        match = _VALUE.search(text[:400])
        if match and (match[4] == "/s" or "Summary" in text or "throughput" in text):
            return Claim(
                84 if "nr_prod" in text or "drops" in text or "Summary" in text or match[3] == "M" else 60,
                f"line {line} is a result of the BPF benchmarks: {match[0]!r}",
            )
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, told = [], []
    section, title, pending = "", "", ""
    for line, text in enumerate(source.lines, 1):
        text = text[:600]
        bare = text.strip()
        if len(bare) >= 3 and set(bare) <= set("=-"):
            section = pending or section
            continue
        values = [] if _ITER.search(text) else list(_VALUE.finditer(text))
        if not values:
            pending = bare if bare and not _ITER.search(text) else pending if bare else ""
            title = bare.rstrip(":") if bare.endswith(":") else title
            continue
        head = text[: values[0].start()]
        count = _COUNT.search(head)
        n = int(count[2] or count[3]) if count else None
        name = (head[: count.start()] + head[count.end() :]) if count else head
        name = " ".join(
            name.replace("Summary:", " ").replace("hits throughput", " ").replace("throughput", " ").split()
        ).strip(" :,")
        name = "" if name in ("hits", "loops") else name
        if n is None and (found := counted(name)) and found[1]:
            n, name = found[0], ""
        variant = name or title or section or "measured"
        for place, match in enumerate(values):
            before = text[values[place - 1].end() : match.start()] if place else ""
            word = re.search(r"(drops|total operations|important_hits|hits|loops|duration)\b[^±]{0,24}$", before)
            metric = word[1] if word else "throughput"
            unit = f"{match[3]}{match[4]}" if match[4] != "/s" or match[3] else "1/s"
            spread = digits(match[2])
            rows.append(
                number_row(
                    source,
                    line,
                    metric,
                    match[1],
                    unit,
                    variant=variant,
                    n=n,
                    dataset=section or None,
                    stdev=float(spread) if spread else None,
                )
            )
        for match in _PER.finditer(text, values[0].end()):
            rows.append(
                number_row(
                    source,
                    line,
                    f"throughput per {match[3]}",
                    match[1],
                    f"{match[2]}/s" if match[2] else "1/s",
                    variant=variant,
                    n=n,
                    dataset=section or None,
                )
            )
        if match := _LATENCY.search(text):
            rows.append(
                number_row(source, line, "time", match[1], match[2], variant=variant, n=n, dataset=section or None)
            )
    if any(row.n is not None for row in rows):
        told.append("n from nr_prod, threads or cpus in the name of each line")
    told.append("numbers behind ± are standard deviations")
    return finished(
        source,
        rows,
        told,
        "a result of the BPF benchmarks",
        "rb-libbpf nr_prod 1  11.440 ± 0.019M/s (drops 0.000 ± 0.000M/s)",
    )


READER = Reader("bpf-bench", "BPF selftest benchmarks: name nr_prod 4  2.472 ± 0.003M/s", claim, read)
