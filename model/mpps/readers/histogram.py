"""Histograms: of bpftrace (`[2, 4)  30 |@@@|`, `@name[key]:`), of bcc (`2 -> 3 : 30 |***|`) and `perf lock`/`perf ftrace`.

Source of the formats: the bpftrace reference (hist, lhist), print_log2_hist() of bcc, and `man perf-ftrace`.
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_BPFTRACE = re.compile(
    r"\s{0,8}([\[(])\s{0,3}(-?[\d.]{1,20}[KMGT]?|\.\.\.)(?:\s{0,3},\s{0,4}(-?[\d.]{1,20}[KMGT]?"
    r"|\.\.\.))?\s{0,3}[\])]\s{1,24}(\d{1,18})\s{0,8}\|[@ ]{0,80}\|"
)
_BCC = re.compile(r"\s{0,40}(-?\d{1,20})\s{0,24}-> {1,4}(-?\d{1,20})\s{0,24}:\s{1,4}(\d{1,18})\s{1,24}\|[* +]{0,80}\|")
_FTRACE = re.compile(
    r"\s{0,12}(\d[\d.]{0,12})\s{0,3}-\s{0,3}(\d[\d.]{0,12}|\.\.\.)\s{0,3}(ns|us|ms"
    r"|s)?\s{0,4}\|\s{1,16}(\d{1,16})\s{0,3}\|[# ]{0,80}\|"
)
_NAME = re.compile(
    r"\s{0,4}@(\S.{0,120}?):(?:\s|$)|\s{0,40}(\w[\w ()]{0,40}?)\s{1,24}:\s{1,4}count\s{1,24}distribution"
    r"|#\s{1,4}DURATION"
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:20000], 1):
        text = text[:300]
        for form, tool in ((_BPFTRACE, "bpftrace"), (_BCC, "bcc"), (_FTRACE, "perf ftrace")):
            if form.fullmatch(text.rstrip()):
                return Claim(89, f"line {line} is a bucket of a histogram of {tool}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, name, unit = [], "histogram", ""
    for line, text in enumerate(source.lines, 1):
        text = text[:300].rstrip()
        if match := _NAME.match(text):
            name = (match[1] or match[2] or "duration").strip()
        found = None
        if match := _BPFTRACE.fullmatch(text):
            found = (match[2], match[3] or match[2], match[4])
        elif match := _BCC.fullmatch(text):
            found = (match[1], match[2], match[3])
        elif match := _FTRACE.fullmatch(text):
            unit = match[3] or unit
            found = (match[1], match[2], match[4])
        if found is not None:
            labels = (("from", found[0]), ("to", found[1])) + ((("in", unit),) if unit else ())
            rows.append(number_row(source, line, "count", found[2], "count", variant=name, labels=labels))
    return finished(
        source, rows, ["one row a bucket; its ends are labels"], "buckets of a histogram", "[2, 4)      30 |@@@@      |"
    )


READER = Reader("histogram", "histograms of bpftrace, bcc and perf ftrace", claim, read)
