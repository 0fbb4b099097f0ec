"""iperf2 and iperf3 in text: `[SUM]   0.00-10.00  sec  10.9 GBytes  9.39 Gbits/sec  123  sender`.

Source of the format: report strings in iperf_locale.c (iperf3) and Locale.c (iperf2).
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row
from mpps.readers.core.units import unit_of

_LINE = re.compile(
    r"\s{0,8}\[\s{0,4}(SUM|\*?\d{1,5})(?:-\d+)?\]\s{0,3}(?:\[?(TX"
    r"|RX)[^\]]{0,12}\]?\s{0,4})?\s{0,4}(\d[\d.]{0,12})-\s{0,6}(\d[\d.]{0,12})\s{1,4}sec\s{1,6}"
    r"[\d.]{1,14} [KMGT]?Bytes\s{1,6}([\d.]{1,14}) ([KMGT]?bits/sec|[KMGT]?Bytes/sec)(.{0,80})"
)
_PARALLEL = re.compile(r"(?:-P|--parallel)[ =]?(\d{1,4})\b")


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:20000], 1):
        if len(text) < 300 and (match := _LINE.match(text)):
            return Claim(93, f"line {line} is a report of iperf: {match[0].strip()[:60]!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    found = []
    parallel = None
    for line, text in enumerate(source.lines, 1):
        if parallel is None and (match := _PARALLEL.search(text[:300])):
            parallel = int(match[1])
        if len(text) < 300 and (match := _LINE.match(text)):
            found.append((line, match))
    streams = {match[1] for _, match in found if match[1] != "SUM"}
    n = parallel or len(streams) or None
    longest = max((float(match[4]) - float(match[3]) for _, match in found), default=0.0)
    rows = []
    interval = 0
    for line, match in found:
        whole = float(match[4]) - float(match[3]) >= 0.9 * longest and (float(match[3]) < 0.5)
        total = match[1] == "SUM" or len(streams) == 1
        tail = match[7]
        role = "sent" if "sender" in tail else "received" if "receiver" in tail else "measured"
        variant = f"{match[2]} {role}" if match[2] else role
        unit = unit_of(match[6].replace("Bytes", "B")).name
        if whole:
            metric = "throughput" if total else "throughput per stream"
            labels = () if total else (("stream", match[1]),)
            rows.append(number_row(source, line, metric, match[5], unit, variant=variant, n=n, labels=labels))
            retries = re.match(r"\s{1,6}(\d{1,9})\s", tail)
            if retries and total:
                rows.append(number_row(source, line, "retransmits", retries[1], "count", variant=variant, n=n))
        elif total:
            interval += 1
            rows.append(
                number_row(
                    source, line, "throughput of an interval", match[5], unit, variant="interval", n=n, repeat=interval
                )
            )
    told = ["n counts parallel streams"] if n else []
    return finished(source, rows, told, "a report of iperf", "[SUM]   0.00-10.00  sec  10.9 GBytes  9.39 Gbits/sec")


READER = Reader("iperf-text", "iperf2 and iperf3 in text: [SUM] 0.00-10.00 sec ... Gbits/sec", claim, read)
