"""Which series of a user's own table can be fitted: what is a rate, in one unit, with counts; the others in words."""

import re
from dataclasses import dataclass, replace

import numpy as np

from mpps.corpus.cards import ELAPSED, PER_INSTANCE, SPREAD, THROUGHPUT
from mpps.corpus.kinds import guessed
from mpps.errors import DataError
from mpps.readers import Reading, ReadSeries
from mpps.readers.core.units import Unit, unit_of
from mpps.table.points import MOST_COUNT

#: Repeats of one count that differ by more than this factor contradict one another.
_CONTRADICTS = 2.0
#: From one count to the next a rate that grows so many times faster than the count, or falls by so much, looks like another unit.
_GROWS, _DROPS = 8.0, 50.0
#: Units that count without saying in which time, and words of a metric that say that it is a rate all the same.
_COUNTED = frozenset(
    "requests req events transactions transaction txn queries ops operations calls messages connections lookups iterations "
    "loops items sessions switches samples interrupts syscalls faults wakeups".split()
)
_RATE_WORDS = re.compile(r"throughput|goodput|bandwidth|rate|pps|qps|tps|rps|iops|/s|per[ _]s", re.IGNORECASE)
#: Rates beyond cannot be fitted: narrower than the range of `mpps.table.points`, so that n times such a rate is within it.
_RATES = (1e-140, 1e140)
#: Formats whose values stand in columns.
_WITH_COLUMNS = frozenset(("tidy", "wide", "parquet", "posted"))
_TIME_WORDS = re.compile(r"\b(?:time|elapsed|duration|latency|delay|wait)\b", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Rates:
    """A series to fit: counts n (r,) with rates (r,) of all senders together, repeats apart; spread (r,): relative standard
    deviations that the source prints, nan without. each: what every one of n has such a rate of ("thread"), "" when the
    rate is of all together; the values of the file are then rate / n."""

    dataset: str
    variant: str
    metric: str
    unit: str
    n: np.ndarray
    rate: np.ndarray
    spread: np.ndarray
    each: str = ""

    @property
    def name(self) -> str:
        return f"{self.dataset}, {self.variant}, {self.metric}"

    @property
    def per_second(self) -> float | None:
        """Operations a second that one of `unit` is; None for bits, bytes and units that are not known."""
        unit = _spelt(self.unit)
        counted = unit is not None and (unit.family == "packets" or unit.family.startswith("rate of "))
        return unit.factor if counted else None

    @property
    def thing(self) -> str:
        """What the rate counts: packet, request, or operation."""
        unit = _spelt(self.unit)
        if unit is None or unit.family in ("packets", "bits"):
            return "packet"
        noun = unit.family.removeprefix("rate of ").removesuffix("/s")
        return "operation" if noun in ("1", "ops", unit.family) or not noun.endswith("s") else noun.removesuffix("s")


def _spelt(unit: str) -> Unit | None:
    """A unit as `unit_of` knows it, also one that a tidy table spells without a slash: ops_per_s."""
    return unit_of(unit) or unit_of(unit.replace("_per_", "/").replace("_", " "))


def rates(reading: Reading) -> tuple[list[Rates], list[str]]:
    """The series of a reading that are rates, and warnings: what is left out and why, what looks wrong.

    Raises `DataError` when nothing can be fitted.
    """
    same, spelt = _one_spelling(reading.series())
    found, warnings = _one_unit_each(same)
    warnings = spelt + warnings
    kinds = [_kind(series) for series in found]
    sure = any(kind in (THROUGHPUT, PER_INSTANCE) for kind, _ in kinds)
    whole = {
        (series.dataset, series.variant) for series, (kind, _) in zip(found, kinds, strict=True) if kind == THROUGHPUT
    }
    stated = _stated(found, kinds)
    taken, left_out, broken = [], [], []
    formats = {file: name for file, name, _ in reading.formats}
    for series, (kind, words) in zip(found, kinds, strict=True):
        name = f"{series.dataset}, {series.variant}, {series.metric}"
        if kind not in (THROUGHPUT, PER_INSTANCE) and (sure or kind):
            left_out.append((name, words))
            continue
        if kind == PER_INSTANCE and (series.dataset, series.variant) in whole:
            left_out.append((name, "a rate of one of the n; the table has the rate of all together"))
            continue
        if not kind:
            warnings.append(f"{name}: {words}; it is taken as a rate of all senders together")
        wrong = _wrong(series, formats)
        if wrong:
            broken.append((name, wrong))
            continue
        taken.append(_rates(series, kind, stated.get((series.dataset, series.variant, series.metric), {})))
        warnings += [f"{name}: {text}" for text in _doubts(series)]
    warnings += _grouped([*left_out, *broken]) + _uncounted(reading)
    if not taken:
        raise _nothing(reading, left_out, broken)
    return taken, warnings


def _kind(series: ReadSeries) -> tuple[str, str]:
    """Kind of a metric, "" when nothing tells; and why it is no rate, in words."""
    unit: Unit | None = unit_of(series.unit) if series.unit else None
    known = guessed(series.metric.replace(" ", "_"), series.unit)
    if known.kind == ELAPSED or (not series.unit and _TIME_WORDS.search(series.metric)):
        rate = known.convert or "1/value"
        return ELAPSED, (
            f"an elapsed time, no rate; for a fixed amount of work the rate is 1/value, for work of each of the n it is "
            f"n/value (here most likely {rate}): write that as a column of its own and fit it"
        )
    if unit is not None and not unit.is_rate:
        return known.kind if known.kind not in (THROUGHPUT, PER_INSTANCE) else "other", _no_rate(known, series)
    if series.unit.lower() in _COUNTED and not _RATE_WORDS.search(series.metric):
        return "other", (
            f"a total of the whole run, no rate ({series.unit}): divide it by the seconds of the run, or write the unit as "
            f"{series.unit}/s where it is a rate"
        )
    if known.kind in (THROUGHPUT, PER_INSTANCE):
        return (PER_INSTANCE if unit is not None and unit.per_instance else known.kind), ""
    if known.kind == SPREAD:
        return SPREAD, f"a standard deviation of {known.of}, no rate"
    if unit is not None and "loss" not in known.left_out:
        return (PER_INSTANCE if unit.per_instance else THROUGHPUT), ""
    if known.left_out.startswith("neither"):
        return "", "neither its name nor its unit says that it is a rate"
    return known.kind, _no_rate(known, series)


def _no_rate(known, series) -> str:
    words = known.left_out if known.left_out and not known.left_out.startswith("neither") else "no rate"
    return f"{words}{f' ({series.unit})' if series.unit else ''}"


def _one_spelling(series) -> tuple[list[ReadSeries], list[str]]:
    """Series whose metrics differ by capitals alone under one name, that of the most values."""
    values: dict[str, dict[str, int]] = {}
    for each in series:
        spelt = values.setdefault(each.metric.casefold(), {})
        spelt[each.metric] = spelt.get(each.metric, 0) + len(each.n)
    chosen = {folded: max(spelt, key=spelt.get) for folded, spelt in values.items()}
    said = [
        f"the metrics {' and '.join(map(repr, spelt))} are taken as one, {chosen[folded]!r}"
        for folded, spelt in values.items()
        if len(spelt) > 1
    ]
    return [replace(each, metric=chosen[each.metric.casefold()]) for each in series], said


def _one_unit_each(series) -> tuple[list[ReadSeries], list[str]]:
    """Series of one data set, variant and metric in units that convert, joined in that of the most values."""
    groups: dict[tuple, list[ReadSeries]] = {}
    for each in series:
        unit = unit_of(each.unit) if each.unit else None
        family = (unit.family, unit.per_instance) if unit is not None else each.unit
        groups.setdefault((each.dataset, each.variant, each.metric, family), []).append(each)
    found, warnings = [], []
    for (dataset, variant, metric, _), parts in groups.items():
        if len(parts) == 1:
            found += parts
            continue
        target = max(parts, key=lambda part: len(part.n)).unit
        found.append(_joined(parts, target))
        if len({part.unit for part in parts}) == 1:
            continue
        units = " and in ".join(part.unit for part in parts)
        warnings.append(
            f"{dataset}, {variant}, {metric}: the values stand in {units}; they are taken together, in {target}. "
            "If the change of unit is a mistake, correct it in the file"
        )
    names: dict[tuple, list[ReadSeries]] = {}
    for each in found:
        names.setdefault((each.dataset, each.variant, each.metric), []).append(each)
    for (dataset, variant, metric), parts in names.items():
        if len(parts) > 1:
            units = ", ".join(f"{part.unit or 'no unit'} at n = {_counts(part.n)}" for part in parts)
            warnings.append(
                f"{dataset}, {variant}, {metric}: the unit changes ({units}); each unit is a series of its own"
            )
    return found, warnings


def _counts(n) -> str:
    counts = [f"{count:g}" for count in np.unique(n)]
    return ", ".join(counts if len(counts) <= 6 else [*counts[:4], "...", counts[-1]])


def _joined(parts, target: str) -> ReadSeries:
    factors = [
        1.0 if part.unit == target else unit_of(part.unit).factor / unit_of(target).factor for part in parts
    ]
    scaled = [
        {
            name: getattr(part, name) * (1.0 if name == "n" else factor)
            for name in ("n", "value", "lower", "upper", "stdev")
        }
        for part, factor in zip(parts, factors, strict=True)
    ]
    order = np.argsort(np.concatenate([each["n"] for each in scaled]), kind="stable")
    arrays = {name: np.concatenate([each[name] for each in scaled])[order] for name in scaled[0]}
    texts = {
        name: tuple(np.array([text for part in parts for text in getattr(part, name)], dtype=object)[order])
        for name in ("lines", "files", "printed")
    }
    return replace(parts[0], unit=target, **arrays, **texts)


def _wrong(series: ReadSeries, formats: dict[str, str]) -> str:
    """Why a series cannot be fitted: the first count or rate that is none, with its line and column."""
    for count, value, line, file in zip(series.n, series.value, series.lines, series.files, strict=True):
        column = "column of {}, " if formats.get(file) in _WITH_COLUMNS else ""
        where = f"{file}, line {line}, {column}".removesuffix(", ")
        if not (np.isfinite(count) and 1 <= count <= MOST_COUNT and count == np.round(count)):
            return (
                f"{where.format('counts')}: found n = {count:.12g}: expected a whole number from 1 to {MOST_COUNT:,}; correct "
                "the count or leave the row out"
            )
        if not (np.isfinite(value) and value > 0):
            return (
                f"{where.format('values')}: found the value {value:g}: expected a rate above zero; correct it or leave the row out"
            )
        if not _RATES[0] <= value <= _RATES[1]:
            return (
                f"{where.format('values')}: found the value {value:g}: expected a rate of usual size; correct it or write it in "
                "another unit"
            )
    return ""


def _doubts(series: ReadSeries) -> list[str]:
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


def _stated(found, kinds) -> dict[tuple, dict[float, float]]:
    """Standard deviations that stand as series of their own: (data set, variant, metric) -> n -> value."""
    stated: dict[tuple, dict[float, float]] = {}
    for series, (kind, _) in zip(found, kinds, strict=True):
        if kind == SPREAD:
            of = guessed(series.metric.replace(" ", "_"), series.unit).of
            stated[series.dataset, series.variant, of] = dict(zip(series.n.tolist(), np.abs(series.value).tolist()))
    return stated


def _rates(series: ReadSeries, kind: str, stated: dict[float, float]) -> Rates:
    unit = unit_of(series.unit) if series.unit else None
    times = series.n if kind == PER_INSTANCE else 1.0
    with np.errstate(invalid="ignore"):
        # Ends that a source prints beside a value are taken as about two standard deviations away.
        spread = np.where(np.isfinite(series.stdev), series.stdev, (series.upper - series.lower) / 4) / series.value
    apart = np.array([stated.get(count, np.nan) for count in series.n.tolist()]) / series.value
    spread = np.where(np.isfinite(spread), spread, apart)
    spread = np.where(np.isfinite(spread) & (spread > 0), spread, np.nan)
    each = ((unit.per_instance if unit else "") or series.metric.rpartition(" per ")[2]) if kind == PER_INSTANCE else ""
    return Rates(
        series.dataset, series.variant, series.metric, series.unit, series.n, series.value * times, spread, each
    )


def _grouped(left_out) -> list[str]:
    """One warning for each reason: the series and why they are left out."""
    reasons: dict[str, list[str]] = {}
    for name, why in left_out:
        reasons.setdefault(why, []).append(name)
    return [f"left out: {listed(names)}: {why}" for why, names in reasons.items()]


def _uncounted(reading: Reading) -> list[str]:
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


def listed(names, most: int = 4) -> str:
    """Names of series, the first few when they are many."""
    return "; ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _nothing(reading: Reading, left_out, broken) -> DataError:
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
