"""Reports of the kernel test robot: `2345678 ±  2%     +12.3%    2634567 ±  1%  will-it-scale.104.threads`.

Source of the format: the comparison that lkp-tests prints and the robot posts: base value, its %stddev, %change, value
of the commit, its %stddev, name; a name such as will-it-scale.104.threads holds the count.
"""

import re

from mpps.readers.core.nouns import Check, Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row
from mpps.rounding import change_agrees

_NUMBER = r"\d[\d.]{0,20}(?:e[+\-]\d{1,3})?"
_ROW = re.compile(
    rf"\s{{0,16}}({_NUMBER})\s{{0,3}}(?:±\s{{0,4}}(\d{{1,4}})%)?\s{{1,12}}([+\-]\d[\d.]{{0,12}})(%?)\s{{1,16}}"
    rf"({_NUMBER})\s{{0,3}}(?:±\s{{0,4}}(\d{{1,4}})%)?\s{{1,24}}([A-Za-z][\w.\-+:/()\[\]@]{{2,120}})\s{{0,4}}"
)
_MARK = re.compile(r"\s{1,16}%stddev\s{1,16}%change\s{1,24}%stddev")
_COMMITS = re.compile(r"\s{0,4}([0-9a-f]{12,40}|v\d\S{1,20})\s{1,8}([0-9a-f]{12,40}|v\d\S{1,20})\s{0,4}")
_COUNT = re.compile(r"\.(\d{1,5})\.(?:threads|processes)$")


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:20_000], 1):
        if _MARK.match(text[:200]):
            return Claim(94, f"line {line} heads a comparison of the kernel test robot: {' '.join(text.split())!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, checks = [], []
    names = ("before", "after")
    for line, text in enumerate(source.lines, 1):
        text = text[:400]
        if match := _COMMITS.fullmatch(text):
            names = (match[1][:12], match[2][:12])
        match = _ROW.fullmatch(text)
        if match is None:
            continue
        before, before_spread, change, percent, after, after_spread, metric = match.groups()
        count = _COUNT.search(metric)
        n = int(count[1]) if count else None
        metric = _COUNT.sub("", metric) if count else metric
        unit = (
            "ops/s"
            if metric in ("will-it-scale", "will-it-scale.per_thread_ops", "will-it-scale.per_process_ops")
            else ""
        )
        for variant, value, spread in ((names[0], before, before_spread), (names[1], after, after_spread)):
            stdev = float(value) * float(spread) / 100 if spread else None
            rows.append(number_row(source, line, metric, value, unit, variant=variant, n=n, stdev=stdev))
        if percent and "e" not in before + after and float(before) > 0.005:
            agrees = change_agrees(f"{change}%", before, after)
            checks.append(Check(source.file, line, f"{change}%", before, after, names, agrees))
    told = ["numbers behind ± are standard deviations in percent, kept in the unit of the value"]
    told += ["n from the name: will-it-scale.104.threads"] if any(row.n is not None for row in rows) else []
    example = "2345678 ±  2%     +12.3%    2634567        will-it-scale.104.threads"
    return finished(source, rows, told, "a comparison of the kernel test robot", example, checks=tuple(checks))


READER = Reader("kernel-robot", "comparisons of the kernel test robot: value %change value name", claim, read)
