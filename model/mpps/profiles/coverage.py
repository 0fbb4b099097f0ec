"""How often intervals hold what is true: synthetic tables of known families, fitted many times.

With the true family known, 95 % intervals of every parameter, of the peak, of the curve and of a new measurement up to
four times the largest n should cover 95 % of the time; `forecast_study` asks the same of any other forecaster.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mpps.profiles.families import station, station_coordinates, usl, usl_peak
from mpps.profiles.family import Family, Function, parameter, peak_position, rate_at
from mpps.profiles.fitting import fit
from mpps.profiles.intervals import intervals

#: Measured n of the study.
GRIDS = {
    "1..32 by doubling": (1, 2, 4, 8, 16, 32),
    "1..64 in ten points": (1, 2, 3, 4, 6, 8, 16, 24, 48, 64),
    "1..8": (1, 2, 3, 4, 5, 6, 7, 8),
}
#: Predictions, in multiples of the largest n.
REACHES = (2, 4)


@dataclass(frozen=True)
class Truth:
    """A family with its true coordinates x (p,); peak: reach -> `Function`, None where the family has none."""

    name: str
    family: Family
    x: np.ndarray
    peak: Callable[[int], Function] | None = None


@dataclass(frozen=True)
class Row:
    """Coverage of one quantity: `true` value, share of repeats whose interval holds it, median width, log(upper/lower),
    inf where an end is open, and the share of intervals with an open end."""

    truth: str
    grid: str
    quantity: str
    true: float
    coverage: float
    width: float
    open: float
    repeats: int
    level: float

    def error(self) -> float:
        """Standard deviation of `coverage` were the level right."""
        return float(np.sqrt(self.level * (1 - self.level) / self.repeats))


def truths() -> tuple[Truth, ...]:
    """Truths of the study: a law with a visible peak and one without, a lock that saturates and one that collapses."""
    ticket = station("ticket")
    return (
        Truth("usl, peak at 31", usl(), np.array([np.log(1e6), 0.03, 1e-3]), lambda reach: usl_peak()),
        Truth("usl, no visible peak", usl(), np.array([np.log(1e6), 0.05, 1e-5]), lambda reach: usl_peak()),
        Truth("station, constant hand-off", station(), station_coordinates(1e6, 0.08)),
        Truth(
            "station, ticket hand-off",
            ticket,
            station_coordinates(1e6, 0.1, 0.02),
            lambda reach: peak_position(ticket, reach),
        ),
    )


def tables(truth: Truth, n, repeats: int, scatter: float, seed: int) -> np.ndarray:
    """Synthetic rates (repeats, k) at n (k,) with log-normal scatter."""
    noise = np.random.default_rng(seed).standard_normal((repeats, len(n)))
    return np.exp(truth.family.log_rate(truth.x[None], np.asarray(n, float)) + scatter * noise)


def study(which=None, grids=None, *, repeats=1000, level=0.95, scatter=0.01, seed=1) -> tuple[Row, ...]:
    """Coverage of the intervals of this package with the true family known.

    which: truths, by default all; grids: {name: n}.
    """
    rows = []
    for truth in which or truths():
        for name, n in (grids or GRIDS).items():
            rows += _one(truth, name, np.array(n, float), repeats, level, scatter, seed)
    return tuple(rows)


def forecast_study(
    forecaster, which=None, grids=None, *, repeats=1000, level=0.95, scatter=0.01, seed=1
) -> tuple[Row, ...]:
    """Coverage of forecaster(n (k,), rate (k,), at (P,), levels (L,)) -> quantiles (L, P) of a new measurement.

    The same tables as `study`, one call for each; the forecaster is not told the family.
    """
    levels = (0.5 - level / 2, 0.5 + level / 2)
    rows = []
    for truth in which or truths():
        for name, n in (grids or GRIDS).items():
            at = np.array([reach * max(n) for reach in REACHES])
            table = tables(truth, n, repeats, scatter, seed)
            ends = np.array([np.asarray(forecaster(np.array(n), one, at, levels), float) for one in table])
            curve = truth.family.log_rate(truth.x[None], at.astype(float))
            new = np.exp(curve + scatter * np.random.default_rng(seed + 1).standard_normal((repeats, len(at))))
            for place, where in enumerate(at):
                low, high = ends[:, 0, place], ends[:, 1, place]
                held = (low <= new[:, place]) & (new[:, place] <= high)
                true = float(np.exp(curve[0, place]))
                width = float(np.median(np.log(high / low)))
                rows.append(
                    Row(truth.name, name, f"measurement at {where:g}", true, held.mean(), width, 0.0, repeats, level)
                )
    return tuple(rows)


def quantities(truth: Truth, largest: float) -> tuple[Function, ...]:
    """What the study asks of a truth measured up to n = largest."""
    family = truth.family
    asked = [parameter(family, name) for name in family.names]
    if truth.peak:
        asked.append(truth.peak(int(max(REACHES) * largest)))
    for reach in REACHES:
        asked += [rate_at(family, reach * largest), rate_at(family, reach * largest, measured=True)]
    return tuple(asked)


def _one(truth, name, n, repeats, level, scatter, seed):
    asked = quantities(truth, n.max())
    found = intervals(fit(truth.family, n, tables(truth, n, repeats, scatter, seed)), asked, level)
    fresh = np.random.default_rng(seed + 1)
    for function, interval in zip(asked, found, strict=True):
        true = float(function.value(function.coordinate(truth.x[None]))[0])
        noise = scatter * fresh.standard_normal(repeats)
        held = interval.contains(true * np.exp(noise) if function.measured else true)
        closed = interval.lower_closed & interval.upper_closed
        with np.errstate(all="ignore"):
            width = np.where(closed, np.log(interval.upper / interval.lower), np.inf)
        yield Row(
            truth.name,
            name,
            interval.name,
            true,
            float(held.mean()),
            float(np.median(width)),
            float(1 - closed.mean()),
            repeats,
            level,
        )
