"""How often intervals hold what is true, on synthetic tables: with the family known, and with the full mixture."""

import dataclasses
import math

import numpy as np

from mpps.profiles import coverage

#: Repeats of the study with the known family, and of the mixture, whose fits take seconds each.
REPEATS, MIXTURE_REPEATS = 200, 25
#: Another one than those with which the profile thresholds were made.
_SEED = 20_261_201


def rows(report, repeats: int = REPEATS, mixture_repeats: int = MIXTURE_REPEATS):
    """Rows (method, truth, grid, quantity, coverage, width, ...); `report(row)` takes each truth's rows together."""
    for truth in coverage.truths():
        for one in coverage.study([truth], repeats=repeats, seed=_SEED):
            report(_plain(one, "family known"))
        for one in coverage.forecast_study(_mixture, [truth], repeats=mixture_repeats, seed=_SEED):
            report(_plain(one, "mixture of mechanisms"))


def _mixture(n, rate, at, levels):
    """The product's forecast, which is not told the family."""
    from mpps.table import forecast

    return np.exp(np.quantile(forecast(n, rate, at).noisy, levels, axis=0))


def _plain(one, method):
    """The row as JSON can hold it: an open interval has no width."""
    return {"method": method} | {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in dataclasses.asdict(one).items()
    } | {"error": one.error()}  # fmt: skip


if __name__ == "__main__":
    rows(print, 20, 2)
