"""Which series of a user's own table can be fitted: what is a rate, in one unit, with counts; the others in words."""

import re
from dataclasses import dataclass, replace

import numpy as np

from mpps.answers.own.doubts import doubts, grouped, nothing, uncounted, wrong
from mpps.corpus.cards import ELAPSED, PER_INSTANCE, SPREAD, THROUGHPUT
from mpps.corpus.kinds import guessed
from mpps.readers import Reading, ReadSeries
from mpps.readers.core.units import Unit, unit_of

#: Units that count without saying in which time, and words of a metric that say that it is a rate all the same.
_COUNTED = re.compile(
    r"(?:req|request|event|transaction|txn|op|operation|call|message|connection|lookup|iteration|loop|item|session|sample"
    r"|interrupt|syscall|fault|wakeup)s?|queries|switches",
    re.IGNORECASE,
)
_RATE_WORDS = re.compile(r"throughput|goodput|bandwidth|rate|pps|qps|tps|rps|iops|/s|per[ _]s", re.IGNORECASE)
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
        bad = wrong(series, formats)
        if bad:
            broken.append((name, bad))
            continue
        taken.append(_rates(series, kind, stated.get((series.dataset, series.variant, series.metric), {})))
        warnings += [f"{name}: {text}" for text in doubts(series)]
    warnings += grouped([*left_out, *broken]) + uncounted(reading)
    if not taken:
        raise nothing(reading, left_out, broken)
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
    if _COUNTED.fullmatch(series.unit) and not _RATE_WORDS.search(series.metric):
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
