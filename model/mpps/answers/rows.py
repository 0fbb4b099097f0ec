"""Rows of an answer: predictions in the unit of the table, idle time, assumptions as sentences."""

import dataclasses

import numpy as np

from mpps.compare import Fit, MechanismFit
from mpps.influence import NO_INFLUENCE, by_influence
from mpps.machine import Assumption, load_machine
from mpps.measurements import load
from mpps.path import CodePath, Variant, lap, rate_pps
from mpps.predict import Forecast, correction, scatter_of
from mpps.structure import measured_counts
from mpps.text import interval, percent
from mpps.uncertainty import LEVELS

_ENDS = ("lower", "lower50", "median", "upper50", "upper")
#: Share of time below which idleness is not told apart from none.
_NO_IDLE = 1e-4


def predictions(forecast: Forecast) -> list[dict]:
    """Rows of n, median, ends at 90 and 50 %, observed, extrapolated and hypothetical, in the unit of the table."""
    rows = []
    for row in forecast.rows():
        ends, seen = {key: row[key] for key in _ENDS}, row["observed"]
        if forecast.unit == "ns/element":
            # A forecast of times is in elements a second: as a time the fast end comes first.
            ends = dict(zip(_ENDS, (1e9 / ends[key] for key in reversed(_ENDS)), strict=True))
            seen = None if seen is None else 1e9 / seen
        # Twelve digits give back what was printed, without the tail of the conversion.
        seen = None if seen is None else float(f"{seen:.12g}")
        rows.append(
            {
                "n": row["n"],
                "median": ends["median"],
                "lower": ends["lower"],
                "upper": ends["upper"],
                "lower50": ends["lower50"],
                "upper50": ends["upper50"],
                "observed": seen,
                "extrapolated": row["extrapolated"],
                "hypothetical": row["hypothetical"],
            }
        )
    return rows


def idle_predictions(fitted: Fit, variant: Variant, n, metric: str) -> list[dict]:
    """As `predictions`, for the idle share of all cores in percent: what work and rate leave (utilisation law)."""
    n = np.asarray(n, int)
    busy = np.concatenate([_busy(fitted, one, variant, n) for one in fitted.kept])
    rng = np.random.default_rng([fitted.seed, 4])
    noisy = busy * np.exp(scatter_of(fitted, variant) * rng.standard_normal(busy.shape))
    idle = 100 * np.quantile(1 - np.clip(noisy, _NO_IDLE, 1 - _NO_IDLE), LEVELS, axis=0)
    counts = measured_counts(fitted, variant)
    here = [series for series in load(variant.dataset).series(metric, variant=variant.series, **dict(variant.where))]
    seen = {int(count): float(value) for series in here for count, value in zip(series.n, series.value, strict=True)}
    hypothetical = n > load_machine(fitted.path.machine).threads
    return [
        {
            "n": int(count),
            "median": idle[2, k],
            "lower": idle[0, k],
            "upper": idle[4, k],
            "lower50": idle[1, k],
            "upper50": idle[3, k],
            "observed": seen.get(int(count)),
            "extrapolated": bool(count > counts.max() or count < counts.min()),
            "hypothetical": bool(hypothetical[k]),
        }
        for k, count in enumerate(n)
    ]


def _busy(fitted, one: MechanismFit, variant, n) -> np.ndarray:
    """Busy share of n cores, (K, P)."""
    values, mechanism = one.member_values, one.mechanism
    rate = rate_pps(
        fitted.path, variant, mechanism, values, n, correction(fitted, one, variant, mechanism, values, n)[0]
    )
    numbers = lap(fitted.path, variant, mechanism, values, n)
    work = numbers.think_ns + (0.0 if numbers.section_ns is None else numbers.section_ns)
    return np.broadcast_to(rate * 1e-9 * work / numbers.packets / n, (len(one.members), len(n)))


def assumptions(path: CodePath, forecasts) -> list[dict]:
    """What forecasts rest on: numbers that no source fixes, largest influence first, then what the path takes as given.

    Each has `says` (a sentence); numbers also name, median, lower, upper, unit, why, influence: share of the variance of
    the predicted log rate at the largest core count, that of the forecast in which it is largest.
    """
    found: dict[str, Assumption] = {}
    for item in (item for forecast in forecasts for item in forecast.assumptions):
        known = found.get(item.name)
        if known is None or (item.influence or 0.0) > (known.influence or 0.0):
            found[item.name] = item
    numbers = by_influence(found.values())
    return [{"says": _said(item)} | dataclasses.asdict(item) for item in numbers] + [
        {"says": text} for text in path.assumptions
    ]


def _said(item: Assumption) -> str:
    unit = "" if item.unit in ("ratio", "relative", "fraction", "probability") else f" {item.unit}"
    value = f"{item.median:g}" if item.lower == item.upper else interval(item.median, item.lower, item.upper)
    return f"{_influence(item)}{item.name}: {value}{unit}; {item.why}"


def _influence(item: Assumption) -> str:
    """Its share of the variance in words, before what it is; empty for one that the draws do not tell from none."""
    if item.influence is None or item.influence < NO_INFLUENCE:
        return ""
    return f"{percent(item.influence)} of the variance: "
