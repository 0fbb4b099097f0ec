"""What is wrong, or looks wrong, with the values of a user's own table, in words that name file, line and column."""

import numpy as np

from mpps.errors import DataError
from mpps.readers import Reading, ReadSeries
from mpps.table.points import MOST_COUNT

#: Repeats of one count that differ by more than this factor contradict one another.
_CONTRADICTS = 2.0
#: From one count to the next a rate that grows so many times faster than the count, or falls by so much, looks like another unit.
_GROWS, _DROPS = 8.0, 50.0
#: Rates beyond cannot be fitted: narrower than the range of `mpps.table.points`, so that n times such a rate is within it.
_RATES = (1e-140, 1e140)
#: Formats whose values stand in columns.
_WITH_COLUMNS = frozenset(("tidy", "wide", "parquet", "posted"))


def wrong(series: ReadSeries, formats: dict[str, str]) -> str:
    """Why a series cannot be fitted: the first count or rate that is none, with its line and column."""
    for count, value, line, file in zip(series.n, series.value, series.lines, series.files, strict=True):
        column = ", column of {}" if formats.get(file) in _WITH_COLUMNS else ""
        where = f"{file}, line {line}"
        if not (np.isfinite(count) and 1 <= count <= MOST_COUNT and count == np.round(count)):
            return (
                f"{where}{column.format('counts')}: found n = {count:.12g}: expected a whole number from 1 to {MOST_COUNT:,}; "
                "correct the count or leave the row out"
            )
        where += column.format("values")
        if not (np.isfinite(value) and value > 0):
            return f"{where}: found the value {value:g}: expected a rate above zero; correct it or leave the row out"
        if not _RATES[0] <= value <= _RATES[1]:
            return (
                f"{where}: found the value {value:g}: expected a rate of usual size; correct it or write it in another unit"
            )
    return ""


def doubts(series: ReadSeries) -> list[str]:
    """What looks wrong in a series that can be fitted."""
    said = []
    n, first, place = np.unique(series.n, return_index=True, return_inverse=True)
    mean = np.exp(np.bincount(place, np.log(series.value)) / np.bincount(place))
    for k, count in enumerate(n):
        mine = place == k
        low, high = series.value[mine].min(), series.value[mine].max()
        if high > _CONTRADICTS * low:
            lines = ", ".join(str(line) for line, here in zip(series.lines, mine, strict=True) if here)
            said.append(
                f"the {mine.sum()} values at n = {count:g} contradict one another ({low:.6g} to {high:.6g}, lines {lines}): "
                "they count as repeats and widen every interval; if they are different settings, say which with --variant"
            )
    for k in range(1, len(n)):
        ratio, grown = mean[k] / mean[k - 1], n[k] / n[k - 1]
        if ratio > _GROWS * grown or ratio < 1 / _DROPS:
            said.append(
                f"from n = {n[k - 1]:g} to {n[k]:g} the values change by a factor of {ratio:.3g} (lines "
                f"{series.lines[first[k - 1]]} and {series.lines[first[k]]}): check that both stand in {series.unit or 'one unit'}"
            )
    if len(n) > 1 and np.ptp(series.value) == 0:
        said.append(
            f"all values are equal ({series.value[0]:.6g}): a ceiling, a value that does not depend on n, or no measurement of it"
        )
    return said


def uncounted(reading: Reading) -> list[str]:
    """One warning for each file with values that have no count beside others that have one."""
    lines: dict[str, list[int]] = {}
    for row in reading.uncounted():
        lines.setdefault(row.file, []).append(row.line)
    said = []
    for file, found in lines.items():
        # A line of several values is named once.
        named, more = list(dict.fromkeys(found)), ""
        if len(named) > 6:
            named, more = named[:6], f" and {len(named) - 6} more"
        where = f"line{'s' if len(named) > 1 else ''} {', '.join(map(str, named))}{more}"
        values = "a value" if len(found) == 1 else f"{len(found)} values"
        said.append(f"{file}, {where}: {values} without a count, left out: write the count of each, or remove the row")
    return said


def grouped(left_out) -> list[str]:
    """One warning for each reason: the series and why they are left out."""
    reasons: dict[str, list[str]] = {}
    for name, why in left_out:
        reasons.setdefault(why, []).append(name)
    return [f"left out: {listed(names)}: {why}" for why, names in reasons.items()]


def listed(names, most: int = 4) -> str:
    """Names of series, the first few when they are many."""
    return "; ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def nothing(reading: Reading, left_out, broken) -> DataError:
    """The error for files without anything to fit; left_out: series (name, why) that are no rates, broken: with a bad cell."""
    if broken:
        (name, why), more = broken[0], ""
        if len(broken) > 1:
            more = f"; {len(broken) - 1} more series cannot be fitted for a like reason"
        return DataError(f"{why} (series {name}){more}")
    file = reading.formats[0][0] if reading.formats else "table"
    if reading.locks:
        return DataError(
            f"{file}: found a profile of {len(reading.locks)} locks: expected a table of rates against a count; predict from the "
            f"profile with: mpps predict --lock-profile {file} --rate R --seconds S --cores-used N --cores 1-64 (packets/s, "
            "length and cores of the run that was profiled)"
        )
    if left_out:
        name, why = left_out[0]
        more = f"; and {len(left_out) - 1} more series that cannot be fitted" if len(left_out) > 1 else ""
        return DataError(f"{file}: found no rate to fit: {name}: {why}{more}")
    bare = reading.uncounted()
    if bare:
        return DataError(
            f"{file}, line {bare[0].line}: found {len(bare)} values without a count of cores, threads or queues: expected one "
            "for each; name its column with --n, or take it from the files' names or text with --n-from name|content"
        )
    return DataError(
        f"{file}: found no values to fit: expected counts and rates; see what was read with: mpps read {file}"
    )
