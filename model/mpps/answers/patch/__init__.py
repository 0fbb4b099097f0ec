"""The answer of a what-if for a user's own table: the curve after a change, from the curve before it.

Document `mpps.whatif/1`, as that of code paths in `mpps.answers`. Rates stand in the unit of the file; intervals are
90 %; probabilities are fractions.
"""

import numpy as np

from mpps.answers.own.fitting import source_of
from mpps.answers.own.series import Rates, rates
from mpps.answers.patch.known import checked_known
from mpps.answers.patch.rests import assumptions, rests_on, warnings_of
from mpps.answers.patch.rows import before_rows, gain_rows, limit_rows, prediction_rows
from mpps.answers.patch.verdict import verdict
from mpps.change import GAIN, ChangeForecast, Profile, forecast_change, learnt_population
from mpps.change.population import check_kind
from mpps.errors import DataError, MppsError, unknown_name
from mpps.lock_profiles import LockRun
from mpps.readers import Reading, read
from mpps.record import library_versions, plain
from mpps.table import Points, points

__all__ = ["whatif_table"]


def whatif_table(
    files,
    cores=(),
    *,
    start: str,
    change: str,
    known: dict[float, float] | None = None,
    compare: str | None = None,
    profile: LockRun | None = None,
    lock: str | None = None,
    seed: int = 1,
    **options,
) -> dict:
    """`mpps.whatif/1` for a user's own table: the curve of variant `start` after a `change` (removal, replacement, cost).

    files: a path, several, or a `Reading`; cores: counts, the measured ones when empty; known: count -> rate after the
    change, in the unit of the file, at counts of the table; compare: the variant that was measured after the change, shown
    beside the prediction and not used for it; profile: a run of `start` with its locks (`mpps.lock_profiles.lock_run`),
    lock: the one that the change is about, the one that is waited for longest when None; options: of `mpps.read`.
    Raises `MppsError` for what cannot follow from the table.
    """
    check_kind(change)
    reading = files if isinstance(files, Reading) else read(files, **options)
    found, warnings = rates(reading)
    start = _variant("variant", start, found)
    chosen = [each for each in found if each.variant == start]
    if len(chosen) > 1 and (known or profile or compare):
        metrics = ", ".join(f"{each.dataset} {each.metric}" for each in chosen)
        raise MppsError(
            f"{start!r} has {len(chosen)} series ({metrics}): a known point is of one of them; choose it with --value"
        )
    after = _after(found, chosen, compare)
    # What is wrong with a series that nobody asked for is no warning of this answer.
    others = tuple(f"{each.name}: " for each in found if each not in chosen)
    said = [*reading.warnings, *(text for text in warnings if not others or not text.startswith(others))]
    series, given = [], []
    for each in chosen:
        one, words, warned = _one(each, cores, change, known or {}, after, profile, lock, seed)
        series.append(one)
        given += words
        said += warned
    document = {
        "schema": "mpps.whatif/1",
        "versions": library_versions(),
        "data_sha256": dict(reading.sha256) | ({} if profile is None else {profile.file: profile.sha256}),
        "seed": seed,
        "series": series,
        "assumptions": [{"says": text} for text in dict.fromkeys(given)],
        "warnings": said,
    }
    return plain(document)


def _one(series: Rates, cores, change, known, after, run, lock, seed):
    table = points(series.n, series.rate, series.spread, of=series.name)
    if len(table.n) < 2:
        raise DataError(
            f"{series.name}: found one count (n = {table.n[0]:g}): how a change acts follows from two counts at least; "
            "measure another one before the change"
        )
    _inside(cores, table, series)
    source = source_of(series.dataset) or _source_of_pairs(series.dataset)
    rate_of = {count: rate * (count if series.each else 1.0) for count, rate in known.items()}
    checked_known(table, rate_of, learnt_population(source), series)
    named = None if run is None else _named(run, lock, table, series)
    how = {"known": rate_of, "at": tuple(cores), "source": source, "seed": seed}
    forecast = forecast_change(table, change, profile=named and named[0], **how)
    shown = [int(np.flatnonzero(forecast.n == n)[0]) for n in sorted({int(n) for n in (cores or table.n)})]
    limits = limit_rows(forecast, shown)
    at_last = [row for row in limits if row["n"] == forecast.n[shown[-1]]]
    profiled = None
    if named is not None:
        profiled = named[1] | {"shrinks": _shrinks(forecast_change(table, change, **how), forecast, shown)}
    one = {
        "dataset": series.dataset,
        "from": series.variant,
        "change": change,
        "metric": series.metric,
        "unit": series.unit,
        "gain_above": round(GAIN - 1, 9),
        "gain_probability": [{"n": int(forecast.n[k]), "p": float(_chance(forecast)[k])} for k in shown],
        "gain": gain_rows(forecast, shown),
        "next_bottleneck": at_last[0]["resource"],
        "next_bottleneck_probability": at_last[0]["probability"],
        "limits": limits,
        "known": [{"n": int(n), "rate": float(rate)} for n, rate in sorted(known.items())],
        "profile": profiled,
        "compared_with": None if after is None else after.variant,
        "before": before_rows(forecast, shown, series),
        "predictions": prediction_rows(forecast, shown, series, after),
        "verdict": verdict(forecast, shown, change, table, known),
        "rests_on": rests_on(forecast, shown[-1]),
    }
    words = assumptions(forecast, change, source, rate_of, named)
    return one, words, warnings_of(forecast, change, table, rate_of, series, named)


def _chance(forecast: ChangeForecast) -> np.ndarray:
    return (forecast.gain > np.log(GAIN)).mean(axis=0)


def _after(found, chosen, compare) -> Rates | None:
    """The series that was measured after the change."""
    if compare is None:
        return None
    same = [
        each
        for each in found
        if (each.dataset, each.metric, each.unit) == (chosen[0].dataset, chosen[0].metric, chosen[0].unit)
    ]
    name = _variant("variant to compare with", compare, same)
    return next(each for each in same if each.variant == name)


def _variant(kind: str, name: str, found) -> str:
    """The variant of that name, or the only one that has it as a part beside labels: "old" of "old, gro on"."""
    known = list(dict.fromkeys(each.variant for each in found))
    parts = [each for each in known if name in each.split(", ")]
    if name not in known and len(parts) != 1:
        raise unknown_name(kind, name, known)
    return name if name in known else parts[0]


def _inside(cores, table: Points, series: Rates) -> None:
    for count in cores:
        if count < table.n[0]:
            raise DataError(
                f"{series.name}: n = {count:g} lies below the smallest count of the table, {table.n[0]:g}: what a change does to a "
                "lone sender is not told there; ask for larger counts or measure that one"
            )


def _named(run: LockRun, lock, table: Points, series: Rates) -> tuple[Profile, dict]:
    """The lock of the change as the forecast takes it, and in words for the document."""
    found = run.lock(lock)
    if not table.n[0] < run.cores <= table.n[-1]:
        raise DataError(
            f"{run.file}: the run used {run.cores} cores: expected a count above the smallest and up to the largest of the table, "
            f"{table.n[0]:g} to {table.n[-1]:g}, so that the waits can be held against its curve"
        )
    told = {
        "file": run.file,
        "lock": found.name,
        "wait_ns": found.wait_ns,
        "hold_ns": found.hold_ns,
        "lap_ns": run.lap_ns,
        "share_of_waits": found.wait_ns / sum(each.wait_ns for each in run.locks),
        "cores_used": run.cores,
    }
    if series.per_second is not None:
        told["rate_of_table"] = (
            float(np.exp(np.interp(np.log(run.cores), np.log(table.n), table.log_rate))) * series.per_second
        )
        told["rate_of_run"] = run.rate_pps
    return Profile(found.wait_ns, found.hold_ns or 0.0, run.cores, run.rate_pps), told


def _shrinks(without: ChangeForecast, forecast: ChangeForecast, shown) -> list[dict]:
    """Upper over lower end of the 90 % interval, without the profile and with it."""
    factor = lambda each, k: float(each.quantiles[4, k] / each.quantiles[0, k])
    return [{"n": int(forecast.n[k]), "without": factor(without, k), "with": factor(forecast, k)} for k in shown]


def _source_of_pairs(dataset: str) -> str | None:
    """Source of a published pair, so that nothing was learnt from the table that is asked about."""
    from mpps.corpus import pairs

    return next((pair.source for pair in pairs() if pair.dataset == dataset), None)
