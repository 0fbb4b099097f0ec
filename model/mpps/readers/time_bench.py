"""Kernel time_bench results, as of bench_page_pool: `Type:NAME Per elem: 15 cycles(tsc) 7.537 ns (step:0)`, also folded.

Source of the format: time_bench_print_stats*() in time_bench.c (tools/testing/selftests/net/bench/page_pool): the
cycles are cut to whole ones; a concurrent run prints a line for each CPU and `Sum Type:... Average: ... CPUs:N`.
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_ONE = re.compile(
    r"Type:([^\s:]{1,80})\s{1,3}Per elem:\s{1,4}(\d{1,12})\s{1,3}cycles\(tsc\)\s{1,3}([\d.]{1,20})\s{1,3}ns"
    r"(?:\s{0,3}\(step:(\d{1,9})\))?"
)
_CPU = re.compile(
    r"(?<!Sum )Type:([^\s:]{1,80})\s{1,3}CPU\((\d{1,5})\)\s{1,3}(\d{1,12})\s{1,3}cycles\(tsc\)\s{1,3}([\d.]{1,20})"
    r"\s{1,3}ns"
)
_SUM = re.compile(
    r"Sum Type:([^\s:]{1,80})\s{1,3}Average:\s{1,3}(\d{1,12})\s{1,3}cycles\(tsc\)"
    r"(?:\s{1,3}([\d.]{1,20})\s{1,3}ns)?\s{1,3}CPUs:(\d{1,5})"
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    match = _ONE.search(source.text) or _SUM.search(source.text) or _CPU.search(source.text)
    if match is None:
        return None
    line = source.text.count("\n", 0, match.start()) + 1
    return Claim(95, f"line {line} holds a result of time_bench: {match[0]!r}")


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, seen = [], set()
    for line, text in enumerate(source.lines, 1):
        for match in _ONE.finditer(text):
            labels = (("step", match[4]),) if match[4] and match[4] != "0" else ()
            rows.append(
                number_row(source, line, "cycles", match[2], "cycles/element", variant=match[1], n=1, labels=labels)
            )
            rows.append(number_row(source, line, "time", match[3], "ns/element", variant=match[1], n=1, labels=labels))
            seen.add("one")
        for match in _CPU.finditer(text):
            labels = (("cpu", match[2]),)
            rows.append(
                number_row(source, line, "cycles per cpu", match[3], "cycles/element", variant=match[1], labels=labels)
            )
            rows.append(
                number_row(source, line, "time per cpu", match[4], "ns/element", variant=match[1], labels=labels)
            )
        for match in _SUM.finditer(text):
            rows.append(
                number_row(source, line, "cycles", match[2], "cycles/element", variant=match[1], n=int(match[4]))
            )
            if match[3]:
                rows.append(number_row(source, line, "time", match[3], "ns/element", variant=match[1], n=int(match[4])))
            seen.add("sum")
    told = ["cycles are cut to whole ones by the kernel, not rounded"]
    told += ["n = 1: time_bench measures on one CPU"] if "one" in seen else []
    told += ["n counts the CPUs of a concurrent run"] if "sum" in seen else []
    return finished(
        source, rows, told, "a result of time_bench", "Type:for_loop Per elem: 1 cycles(tsc) 0.543 ns (step:0)"
    )


READER = Reader(
    "time-bench", "kernel time_bench lines (bench_page_pool): Type:NAME Per elem: N cycles(tsc) N ns", claim, read
)
