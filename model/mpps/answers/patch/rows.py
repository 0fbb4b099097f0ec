"""Rows of a what-if for a table: predictions, before, gains and limits at the counts that are asked for."""

import numpy as np

from mpps.answers.own.series import Rates
from mpps.change import LIMITS, ChangeForecast

_ENDS = ("lower", "lower50", "median", "upper50", "upper")


def prediction_rows(forecast: ChangeForecast, shown, series: Rates, after: Rates | None) -> list[dict]:
    """Rate after the change, in the unit of the file; observed where `after`, the measured variant, has the count."""
    seen = {} if after is None else mean_rates(after)
    rows = []
    for k in shown:
        n = float(forecast.n[k])
        each = n if series.each else 1.0
        ends = {key: float(end) / each for key, end in zip(_ENDS, forecast.quantiles[:, k], strict=True)}
        rows.append(
            {"n": int(n)}
            | ends
            | {
                "observed": None if n not in seen else float(f"{seen[n] / each:.12g}"),
                "extrapolated": not bool(forecast.measured[k]),
            }
        )
    return rows


def before_rows(forecast: ChangeForecast, shown, series: Rates) -> list[dict]:
    """Rate before the change: measured, or the median of the table's mechanisms where nobody measured."""
    rows = []
    for k in shown:
        n = float(forecast.n[k])
        value = float(f"{forecast.before[k] / (n if series.each else 1.0):.12g}")
        measured = bool(forecast.measured[k])
        rows.append(
            {"n": int(n), "median": value, "observed": value if measured else None, "extrapolated": not measured}
        )
    return rows


def gain_rows(forecast: ChangeForecast, shown) -> list[dict]:
    """After over before with its 90 % interval."""
    lower, median, upper = np.exp(np.quantile(forecast.gain, (0.05, 0.5, 0.95), axis=0))
    return [
        {"n": int(forecast.n[k]), "median": float(median[k]), "lower": float(lower[k]), "upper": float(upper[k])}
        for k in shown
    ]


def limit_rows(forecast: ChangeForecast, shown) -> list[dict]:
    """What limits after the change at each count, the most probable first."""
    rows = []
    for k in shown:
        share = forecast.limits[:, k] / forecast.limits[:, k].sum()
        order = np.argsort(-share, kind="stable")
        rows += [
            {"n": int(forecast.n[k]), "resource": LIMITS[place], "probability": float(share[place])}
            for place in order
            if share[place] > 0
        ]
    return rows


def mean_rates(series: Rates) -> dict[float, float]:
    """Mean rate of all together at each count."""
    counts, place = np.unique(series.n, return_inverse=True)
    total = np.bincount(place, series.rate) / np.bincount(place)
    return dict(zip(counts.tolist(), total.tolist(), strict=True))
