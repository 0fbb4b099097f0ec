"""What the fit of a table found, as JSON: mechanisms and parameters, limits, costs, predictions, what they rest on."""

import dataclasses

import numpy as np

from mpps.answers.own.costs import lap_cost, rests_on
from mpps.answers.own.fitting import prior_words
from mpps.answers.own.known import known
from mpps.answers.own.misfit import misfit
from mpps.answers.own.series import Rates
from mpps.remembered import remembered_plain
from mpps.table import TableFit, forecast_points
from mpps.table.limits import DRAWS, Limits, between, limit_name, limiting, limits_of
from mpps.table.parameters import Estimate, drawn, enough, error, profiled

#: Parameters are told of mechanisms with at least this weight.
_TOLD = 0.01
#: Counts that one forecast holds in memory.
_TOGETHER = 64
#: Measured counts that predictions are given for, up to a largest count and beyond it, where each costs more; a longer
#: table is thinned evenly in log n.
_MOST_ROWS, _CHEAP, _MOST_DEAR_ROWS = 256, 1024, 48
#: The code behind a profile of a table's mechanism.
_PROFILED_BY = ("table/*.py", "profiles/*.py", "discrepancy.py", "locks.py", "network.py", "normalising.py", "laws*.py")
_ENDS = ("lower", "lower50", "median", "upper50", "upper")


def explained(series: list[Rates], fits: list[TableFit], at=()) -> list[dict]:
    """One entry of `series` of `mpps.fit/1` for each."""
    limits = [limits_of(fit) for fit in fits]
    profiles = _profiles(fits)
    return [_one(*each, profiles[place], at) for place, each in enumerate(zip(series, fits, limits, strict=True))]


def _one(series: Rates, fit: TableFit, limits: Limits, profiles: dict, at) -> dict:
    last = int(fit.points.n[-1])
    lap = None if series.per_second is None else 1e9 / (limits.lone * series.per_second)
    mechanisms = _mechanisms(fit, limits, profiles, series, lap)
    beyond = [] if at else [2 * last, 4 * last]
    return {
        "dataset": series.dataset,
        "variant": series.variant,
        "metric": series.metric,
        "unit": series.unit,
        "counts": len(fit.points.n),
        # The values of the file are then rates of one of the n; limits, peak and parameters are those of all together.
        "rate_of": f"one {series.each} of the n" if series.each else "all together",
        "mechanisms": mechanisms,
        # None, or how badly the table is explained: what limits is then doubtful.
        "misfit": misfit(fit),
        **limit_rows(fit, limits, [*at, *beyond]),
        "peak_cores": between(limits.peaks),
        "peak_rate": between(limits.peak_rates),
        "searched_to": limits.reach,
        "lone_rate": between(limits.lone),
        "lap_cost": lap_cost(fit, series, last),
        "known": known(fit, mechanisms[0]),
        "predictions": predictions(fit, series, [*_measured(series), *at]),
        # Without counts that were asked for: twice and four times the largest measured one.
        "beyond": predictions(fit, series, beyond),
        "rests_on": rests_on(fit, max([last, *at]) if at else beyond[-1]),
        "prior": prior_words(fit, series),
    }


def limit_rows(fit: TableFit, limits: Limits, at) -> dict:
    """What limits at the largest measured count, with its probability, at the other counts, and from which count on."""
    last = int(fit.points.n[-1])
    rows = limiting(limits.knees, limits.names, sorted({*map(int, fit.points.n), *map(int, at)}))
    first = next(row for row in rows if row["n"] == last)
    return {
        "largest": last,
        "bottleneck": first["resource"],
        "bottleneck_probability": first["probability"],
        "limits": rows,
        "knee_cores": between(limits.knees),
    }


def _measured(series: Rates) -> list[int]:
    n = np.unique(series.n)
    most = _MOST_ROWS if n[-1] <= _CHEAP else _MOST_DEAR_ROWS
    if len(n) > most:
        n = n[np.unique(np.searchsorted(n, np.geomspace(n[0], n[-1], most)).clip(0, len(n) - 1))]
    return [int(count) for count in n]


def predictions(fit: TableFit, series: Rates, n) -> list[dict]:
    """Rows of n, median, ends at 90 and 50 %, observed (mean of repeats) and extrapolated, in the unit of the file."""
    n = np.unique(np.asarray(list(n), float))
    counts, place = np.unique(series.n, return_inverse=True)
    mean = dict(
        zip(
            counts,
            np.bincount(place, series.rate / series.rate.max()) / np.bincount(place) * series.rate.max(),
            strict=True,
        )
    )
    rows = []
    for first in range(0, len(n), _TOGETHER):
        found = forecast_points(fit, n[first : first + _TOGETHER])
        for column, count in enumerate(found.n):
            each = count if series.each else 1.0
            seen = mean.get(count)
            rows.append(
                {"n": int(count)}
                | {key: float(end) / each for key, end in zip(_ENDS, found.quantiles[:, column], strict=True)}
                | {
                    # Twelve digits give back what was printed, without the tail of the mean.
                    "observed": None if seen is None else float(f"{seen / each:.12g}"),
                    "extrapolated": bool(count > counts[-1] or count < counts[0]),
                }
            )
    return rows


def _profiles(fits: list[TableFit]) -> list[dict[int, tuple[Estimate, ...]]]:
    """Profile intervals by place of the mechanism, for each table; tables of the same counts are profiled together."""
    asked: dict[tuple, list[int]] = {}
    for number, fit in enumerate(fits):
        order = [int(place) for place in np.argsort(-fit.weights, kind="stable")]
        for rank, place in enumerate(order):
            if (rank == 0 or fit.weights[place] >= _TOLD) and enough(fit, fit.draws[place].mechanism):
                # Ends near a bound cost as much again to find exactly: only for the mechanism that the text shows.
                asked.setdefault((place, rank == 0, tuple(fit.points.n)), []).append(number)
    found: list[dict] = [{} for _ in fits]
    for (place, exact, _), numbers in asked.items():
        mechanism = fits[numbers[0]].draws[place].mechanism
        parts = _profiled([fits[number] for number in numbers], mechanism, exact)
        for number, estimates in zip(numbers, parts, strict=True):
            found[number][place] = estimates
    return found


def _profiled(fits: list[TableFit], mechanism, exact: bool) -> list[tuple[Estimate, ...]]:
    """`profiled`, kept between runs: it rests on the points and the mechanism alone."""
    points = [fit.points for fit in fits]
    found = remembered_plain(
        (mechanism.name, mechanism.quantities, exact, [(each.spread, each.freedom) for each in points]),
        [(name, getattr(each, name)) for each in points for name in ("n", "log_rate", "weight")],
        _PROFILED_BY,
        lambda: [[dataclasses.astuple(one) for one in each] for each in profiled(fits, mechanism, exact)],
    )
    return [tuple(Estimate(*one) for one in each) for each in found]


def _mechanisms(fit: TableFit, limits: Limits, profiles: dict, series: Rates, lap) -> list[dict]:
    rows = []
    for place in np.argsort(-fit.weights, kind="stable"):
        mechanism = fit.draws[place].mechanism
        told = fit.weights[place] >= _TOLD or not rows
        rows.append(
            {
                "name": mechanism.name,
                "words": mechanism.words,
                "weight": float(fit.weights[place]),
                "error": error(fit, place),
                "stations": [{"name": name, "hand_off": handoff} for name, handoff in mechanism.stations],
                "ceiling": mechanism.ceiling or None,
                "limit": limit_name(mechanism),
                "parameters": _parameters(fit, int(place), limits, profiles, series, lap) if told else [],
            }
        )
    return rows


def _parameters(fit: TableFit, place: int, limits: Limits, profiles: dict, series: Rates, lap) -> list[dict]:
    mechanism = fit.draws[place].mechanism
    mine = limits.lone[fit.mechanism[:DRAWS] == place]
    estimates = profiles.get(place) or drawn(fit, place, mine if len(mine) > 20 else limits.lone)
    quantities = {quantity.name: quantity for quantity in mechanism.quantities}
    rows = []
    for one in estimates:
        quantity = quantities.get(one.name)
        by = one.by
        if quantity is not None and one.basis == "draws" and not enough(fit, mechanism):
            by = "prior"
        rows.append(
            {
                "name": one.name,
                "median": one.median,
                "lower": one.lower,
                "upper": one.upper,
                "unit": series.unit if quantity is None else quantity.unit,
                "identified": by == "yes",
                "by": by,
                "basis": one.basis,
                "meaning": "rate of one sender alone" if quantity is None else quantity.meaning,
                "ns": None
                if lap is None
                else _in_ns(one, quantity, estimates, float(np.median(lap)), series.per_second),
            }
        )
    return rows


def _in_ns(one: Estimate, quantity, estimates, lap: float, per_second: float) -> dict | None:
    """A parameter as a time in ns: the lap of a lone sender, a share of it, or a cost in laps or sections; None for what
    is no time. lap: ns of a lone lap; per_second: operations a second that one of the unit is."""
    ends = (one.median, one.lower, one.upper)
    if quantity is None:
        # The fast end of a rate is the short end of a time.
        times = [None if end is None else 1e9 / (end * per_second) for end in (one.median, one.upper, one.lower)]
        return dict(zip(("median", "lower", "upper"), times, strict=True))
    if quantity.meaning.endswith("sections"):
        factor = lap * next((each.median for each in estimates if each.name == "section"), np.nan)
    elif quantity.meaning.endswith("in laps") or quantity.name in ("section", "contention", "coherence", "sharing"):
        factor = lap
    else:
        return None
    return {
        key: None if end is None else end * factor for key, end in zip(("median", "lower", "upper"), ends, strict=True)
    }
