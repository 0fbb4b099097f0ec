"""wrk and wrk2: `12 threads and 400 connections`, Thread Stats, `Requests/sec:  748868.53`, `Transfer/sec:`.

Source of the format: print_stats() and friends in wrk.c and units.c (k, M, G are decimal for requests, binary for bytes).
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.numbers import scaled
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_LOAD = re.compile(r"\s{0,8}(\d{1,6}) threads? and (\d{1,8}) connections?")
_RATE = re.compile(r"\s{0,8}(Requests/sec|Transfer/sec):\s{1,12}([\d.]{1,20})([KMGT]?B?)")
_STATS = re.compile(
    r"\s{0,8}(Latency|Req/Sec)\s{1,12}([\d.]{1,14})(us|ms|s|m|k|M)?\s{1,12}([\d.]{1,14})(us|ms|s|m|k"
    r"|M)?\s{1,12}([\d.]{1,14})(us|ms|s|m|k|M)?\s{1,12}([\d.]{1,14})%"
)
_TOTAL = re.compile(r"\s{0,8}(\d{1,18}) requests in ([\d.]{1,14})(us|ms|s|m|h),")
_QUANTILE = re.compile(r"\s{0,8}(\d{2,3}(?:\.\d{1,4})?)%\s{1,12}([\d.]{1,14})(us|ms|s|m)\s{0,4}")
_TIME = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 60e6}


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:20000], 1):
        if (match := _RATE.match(text[:100])) and match[1] == "Requests/sec":
            return Claim(92, f"line {line} is of wrk: {match[0].strip()!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows = []
    n, labels = None, ()
    runs = sum(bool(_LOAD.match(text[:100])) for text in source.lines)
    run = 0
    for line, text in enumerate(source.lines, 1):
        text = text[:200]
        if match := _LOAD.match(text):
            run += 1
            n, labels = int(match[1]), (("threads", match[1]), ("connections", match[2]))
        where = {"n": n, "labels": labels, "variant": "wrk"}
        if match := _STATS.match(text):
            rows += _stats(source, line, match, where)
        elif match := _TOTAL.match(text):
            rows.append(number_row(source, line, "requests", match[1], "requests", **where))
        elif match := _QUANTILE.fullmatch(text):
            rows.append(
                number_row(
                    source, line, f"latency {match[1]}%", match[2], "min" if match[3] == "m" else match[3], **where
                )
            )
        elif match := _RATE.match(text):
            if match[1] == "Requests/sec":
                rows.append(number_row(source, line, "throughput", match[2], "requests/s", **where))
            else:
                rows.append(number_row(source, line, "transfer", match[2], f"{match[3].rstrip('B')}B/s", **where))
    told = ["n counts the threads of wrk; say --n connections to count connections"] if n else []
    told += [f"{runs} runs"] if runs > 1 else []
    told.append("numbers under Stdev are standard deviations; Req/Sec is for each thread; MB are 2^20 bytes")
    return finished(source, rows, told, "a summary of wrk", "Requests/sec: 748868.53")


def _stats(source: Source, line: int, match, where):
    if match[1] == "Latency" and not {match[place] for place in (3, 5, 7)} <= {None, *_TIME}:
        return []
    if match[1] == "Latency":
        unit = match[3] or "us"
        name = "min" if unit == "m" else unit
        factor = _TIME[unit]
        spread, top = (float(match[place]) * _TIME[match[place + 1] or "us"] / factor for place in (4, 6))
        return [number_row(source, line, "latency", match[2], name, stdev=spread, upper=top, **where)]
    if not {match[place] for place in (3, 5, 7)} <= {None, "k", "M"}:
        return []
    mean, spread, top = (scaled(float(match[place]), match[place], match[place + 1] or "") for place in (2, 4, 6))
    return [
        number_row(source, line, "throughput per thread", mean[1], "requests/s", stdev=spread[0], upper=top[0], **where)
    ]


READER = Reader("wrk", "wrk and wrk2: Requests/sec, Thread Stats, latency distribution", claim, read)
