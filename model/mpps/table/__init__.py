"""The code path `table`: competing mechanisms for any table of throughput against a count.

    fitted = fit([1, 2, 4, 8], [1.5, 2.8, 4.1, 4.4])      # counts, and rates in any unit
    forecast(n, rate, [16, 32]).quantiles                  # 5, 25, 50, 75 and 95 %, in the unit of the rates

`mechanisms.py` lists what competes, `posterior.py` weighs each against the table, `fitting.py` mixes them, `prior.py`
holds what published tables taught (`calibrate.py`), `mpps.discrepancy` what no mechanism knows.
"""

from mpps.table.fitting import TableFit, TableForecast, fit_points, forecast_points
from mpps.table.mechanisms import MECHANISMS
from mpps.table.nouns import Mechanism, Quantity
from mpps.table.points import Points, points
from mpps.table.prior import Prior, broad_prior, learnt_prior

__all__ = [
    "MECHANISMS",
    "Mechanism",
    "Points",
    "Prior",
    "Quantity",
    "TableFit",
    "TableForecast",
    "broad_prior",
    "fit",
    "fit_points",
    "forecast",
    "forecast_points",
    "learnt_prior",
    "points",
]


def fit(n, rate, *, spread=None, source: str | None = None, prior: Prior | None = None, seed: int = 1) -> TableFit:
    """Weigh every mechanism against counts n (r,) and rates (r,), in any unit and order; equal counts are repeats.

    spread: relative standard deviations that the table states, (r,); source: laboratory or host of `data/corpus` from
    which the prior must not have learnt; prior: another one. Raises `DataError` as `points` does.
    """
    return fit_points(points(n, rate, spread), prior or learnt_prior(source), seed=seed)


def forecast(n, rate, at, *, spread=None, source: str | None = None, prior: Prior | None = None, seed: int = 1):
    """Rates at counts `at`, as `TableForecast`; arguments as those of `fit`."""
    return forecast_points(fit(n, rate, spread=spread, source=source, prior=prior, seed=seed), at)
