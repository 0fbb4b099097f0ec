"""Nouns of the engine: a family of curves, and what one may ask of it.

The engine knows no mechanism: a family is a function from coordinates to log rates, with bounds.
Coordinates should be such that a bound lies at a finite distance and the curve is smooth up to it: a share that may be
zero is a coordinate as it is, not its logarithm (near minus infinity a logarithm moves nothing, and no profile closes).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Start:
    """Where the search for one coordinate begins: from low to high, spread evenly or by ratio ("log", low > 0)."""

    low: float
    high: float
    spread: str = "linear"

    def at(self, share) -> np.ndarray:
        """Coordinates at shares 0 to 1 of the range."""
        if self.spread == "log":
            return self.low * (self.high / self.low) ** share
        return self.low + (self.high - self.low) * share


@dataclass(frozen=True)
class Family:
    """Curves log rate(n) with p coordinates.

    names, units, lower, upper (p,): of the coordinates; log_rate: (x (A, p), n (k,)) -> (A, k), for any A, independent
    of the order of n; starts (p,): `Start`, None for the scale; scale: which coordinate is a plain addend of the log
    rate (log capacity), or None; values (p,): coordinate -> reported value (np.exp for a logarithm), None for itself;
    priors: {name: (mean, standard deviation)} of coordinates, Gaussian, usually none.
    """

    name: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    log_rate: Callable
    starts: tuple[Start | None, ...]
    scale: int | None = 0
    values: tuple[Callable | None, ...] = ()
    priors: dict = field(default_factory=dict)

    def index(self, name: str) -> int:
        """Column of a coordinate; raises ValueError for a name that the family does not have."""
        return self.names.index(name)

    @property
    def size(self) -> int:
        """Number of coordinates, p."""
        return len(self.names)


@dataclass(frozen=True)
class Function:
    """A quantity whose interval is asked for.

    coordinate: x (A, p) -> (A,), finite, and smooth through the place where the value becomes infinite;
    value: coordinate -> reported value, rising or falling; lowest, highest: what the coordinate can be at most, where
    an end is open; measured: also the scatter of one new measurement counts (`coordinate` is then a log rate).
    """

    name: str
    unit: str
    coordinate: Callable
    value: Callable = lambda coordinate: coordinate
    lowest: float = -np.inf
    highest: float = np.inf
    measured: bool = False


def parameter(family: Family, name: str) -> Function:
    """One coordinate of the family, in its reported unit."""
    column = family.index(name)
    value = family.values[column] if family.values else None
    return Function(
        name,
        family.units[column],
        lambda x: x[:, column],
        value or _itself,
        family.lower[column],
        family.upper[column],
    )


def rate_at(family: Family, n: float, *, measured: bool = False, unit: str = "") -> Function:
    """Rate of the curve at n; measured: of one new measurement there."""
    points = np.array([n])
    name = f"{'measurement' if measured else 'rate'} at {n:g}"
    return Function(name, unit, lambda x: family.log_rate(x, points)[:, 0], np.exp, measured=measured)


def peak_position(family: Family, reach: int, *, grid=None) -> Function:
    """Senders at the highest rate of the curve, infinite where the rate still rises at `reach`.

    The highest of the integers of `grid` (all small ones, then by ratio) with the vertex of the parabola through it
    and its neighbours in log n: continuous in the parameters. The coordinate is 1/peak**2, which goes on smoothly below
    the edge with the slope at `reach`, so that a fit without a peak still knows in which direction one would appear.
    """
    n = peak_grid(reach) if grid is None else np.asarray(grid, float)
    # Where the last two points are equally high the vertex lies between them.
    edge = 1.0 / float(n[-1] * n[-2])

    def coordinate(x):
        curve = family.log_rate(x, n)
        vertex, rising, _ = _vertex(np.log(n), curve)
        slope = (curve[:, -1] - curve[:, -2]) / np.log(n[-1] / n[-2])
        # For a curve n/(1 + a (n-1) + b n (n-1)) this factor makes both sides meet with the same slope.
        beyond = edge * (1.0 - np.maximum(slope, 0.0) * np.exp(curve[:, 0] - curve[:, -1]) * n[-1] / n[0])
        return np.where(rising, beyond, np.exp(-2.0 * vertex))

    def value(coordinate):
        c = np.asarray(coordinate, float)
        return np.where(c > edge, np.maximum(c, 1e-300) ** -0.5, np.inf)

    return Function("peak", "senders", coordinate, value, lowest=edge, highest=float(n[0]) ** -2.0)


def peak_rate(family: Family, reach: int, *, grid=None, unit: str = "") -> Function:
    """Highest rate of the curve from n = 1 to `reach`."""
    n = peak_grid(reach) if grid is None else np.asarray(grid, float)
    return Function("peak rate", unit, lambda x: _vertex(np.log(n), family.log_rate(x, n))[2], np.exp)


def knee(family: Family, reach: int, *, grid=None) -> Function:
    """Senders at which the line through one sender's rate meets the highest rate up to `reach`: at most `reach`."""
    n = peak_grid(reach) if grid is None else np.asarray(grid, float)

    def coordinate(x):
        curve = family.log_rate(x, n)
        return _vertex(np.log(n), curve)[2] - curve[:, 0]

    return Function("knee", "senders", coordinate, np.exp, 0.0, float(np.log(n[-1] / n[0])))


def peak_grid(reach: int) -> np.ndarray:
    """Integers among which a peak is looked for: all up to 32, then by a ratio of 1.1, and `reach`."""
    small = np.arange(1, min(32, reach) + 1)
    wide = np.round(np.geomspace(32, reach, max(2, int(np.log(max(reach, 32) / 32) / np.log(1.1)) + 2)))
    return np.unique(np.concatenate([small, wide[wide <= reach], [reach]])).astype(float)


def _vertex(at, curve):
    """Highest of each curve (A, k) over `at` (k,): position (A,), whether it is the last point, and height."""
    last = len(at) - 1
    best = curve.argmax(axis=1)
    rising = best == last
    middle = np.clip(best, 1, max(last - 1, 1))
    row = np.arange(len(curve))
    left, here, right = (curve[row, np.clip(middle + shift, 0, last)] for shift in (-1, 0, 1))
    a, b, c = (at[np.clip(middle + shift, 0, last)] for shift in (-1, 0, 1))
    with np.errstate(all="ignore"):
        first, second = (here - left) / (b - a), (right - here) / (c - b)
        bend = (second - first) / ((c - a) / 2)
        place = (a + b) / 2 - first / bend
        height = left + first * (place - a) + bend / 2 * (place - a) * (place - b)
    # A straight line has no vertex, and one outside the three points is not of this curve.
    inside = ~rising & (bend < 0) & (place >= a) & (place <= c)
    return np.where(inside, place, at[best]), rising, np.where(inside, height, curve[row, best])


def _itself(coordinate):
    return coordinate
