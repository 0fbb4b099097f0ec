"""The points of one series as fits take them: one log rate a count, with what repeats say of the scatter."""

from dataclasses import dataclass

import numpy as np

from mpps.errors import DataError

#: Counts that a fit keeps; more are averaged with their neighbours, evenly in log n.
MOST_POINTS = 64
#: Largest count that the sums over depths are made for.
MOST_COUNT = 10_000_000
#: Rates outside, in whatever unit, leave the range of numbers once a forecast multiplies them.
_RATES = (1e-150, 1e150)
#: Spreads below are rounding of equal repeats.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Points:
    """n (k,) ascending, distinct; log_rate (k,) of the mean rate at each; weight (k,): repeats averaged there;
    spread: pooled standard deviation of repeats, relative, with `freedom` degrees (0 when there are none)."""

    n: np.ndarray
    log_rate: np.ndarray
    weight: np.ndarray
    spread: float
    freedom: float


def points(n, rate, spread=None, *, of: str = "table") -> Points:
    """Points of counts n (r,) and rates (r,) in any unit and order; equal counts are repeats and are averaged.

    spread: relative standard deviations that the source states, (r,) or None, nan where it states none.
    Raises `DataError` that names the row (from 1) for counts that are no whole numbers from 1 to `MOST_COUNT` and for
    rates that are not positive and finite.
    """
    n, rate = np.asarray(n, float).ravel(), np.asarray(rate, float).ravel()
    if len(n) != len(rate):
        raise DataError(f"{of}: found {len(n)} counts and {len(rate)} rates: expected as many of each")
    if not len(n):
        raise DataError(f"{of}: found no rows: expected a count and a rate at least")
    for row, (count, value) in enumerate(zip(n, rate, strict=True), start=1):
        if not _whole(count):
            raise DataError(f"{of}, row {row}, n: found {count:g}: expected {_COUNT}; correct the count")
        if not (np.isfinite(value) and value > 0):
            raise DataError(
                f"{of}, row {row}, value: found {value:g}: expected a rate above zero; correct it or leave the row out"
            )
        if not _RATES[0] <= value <= _RATES[1]:
            raise DataError(
                f"{of}, row {row}, value: found {value:g}: expected a rate of usual size; take another unit"
            )
    # Sums in one order, whatever that of the rows.
    order = np.lexsort((rate, n))
    n, log_rate = n[order], np.log(rate[order])
    counts, first, place = np.unique(n, return_index=True, return_inverse=True)
    repeats = np.bincount(place).astype(float)
    away = log_rate - log_rate[first][place]
    log_mean = np.log(np.bincount(place, np.exp(away)) / repeats)
    squares = float(((away - log_mean[place])[repeats[place] > 1] ** 2).sum())
    freedom = float((repeats - 1).sum())
    if spread is not None:
        stated = np.sort(np.asarray(spread, float)[np.isfinite(spread)])
        squares, freedom = squares + float((stated**2).sum()), freedom + len(stated)
    scatter = float(np.sqrt(squares / freedom)) if freedom else 0.0
    if scatter < _ROUNDING:
        scatter = freedom = 0.0
    found = Points(counts, log_mean + log_rate[first], repeats, scatter, freedom)
    return _thinned(found) if len(counts) > MOST_POINTS else found


def asked(at) -> np.ndarray:
    """Counts `at` of a forecast, ascending and each once, (P,). Raises `DataError` unless they are whole numbers from 1."""
    n = np.unique(np.asarray(at, float))
    for count in n:
        if not _whole(count):
            raise DataError(f"at: found {count:g}: expected {_COUNT}")
    return n


_COUNT = f"a whole number from 1 to {MOST_COUNT:,}"


def _whole(count: float) -> bool:
    return bool(np.isfinite(count) and 1 <= count <= MOST_COUNT and count == np.round(count))


def _thinned(found: Points) -> Points:
    """At most MOST_POINTS: neighbours in log n are averaged, and read off at the count nearest their middle."""
    group = np.searchsorted(np.geomspace(found.n[0], found.n[-1] * (1 + 1e-9), MOST_POINTS + 1), found.n, "right")
    rows = [np.flatnonzero(group == each) for each in np.unique(group)]
    log_n = np.log(found.n)
    mean = lambda values: np.array([np.average(values[row], weights=found.weight[row]) for row in rows])
    middle = [row[np.abs(log_n[row] - at).argmin()] for row, at in zip(rows, mean(log_n), strict=True)]
    return Points(
        found.n[middle],
        np.interp(log_n[middle], mean(log_n), mean(found.log_rate)),
        np.array([found.weight[row].sum() for row in rows]),
        found.spread,
        found.freedom,
    )
