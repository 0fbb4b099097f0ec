"""What the draws of a table's mixture say of its limits: knee, peak, what limits at a count, where a lap goes.

Functions on arrays: K draws, P counts. A knee or a peak beyond the last count that is looked at is infinite; `between`
turns draws, infinite ones among them, into a median with ends.
"""

from dataclasses import dataclass

import numpy as np

from mpps.discrepancy import cells, continued, falls
from mpps.table.fitting import TableFit

#: Draws of the mixture that limits are made of; the draws are shuffled, so the first ones are a fair part.
DRAWS = 1500
#: A knee and a peak are looked for up to this many times the largest measured count, and to 64 at least.
REACH = 4
#: A curve falls behind its peak when it loses more than this, in log rate.
_FALLS = 1e-3
#: What a rate levels off at is looked for at counts so many times the last one.
_FAR = (4, 16)
PRIVATE = "private work"
UNEQUAL = "unequal cores"
#: Parts of a lap, in this order.
PARTS = (PRIVATE, "slowdown by shared lines", "serial section", "hand-off and waiting")


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves of K mixture draws at counts n (P,): `relative` (K, P), log rate relative to a lone sender, by the mechanism
    alone; `middle` (K, P), log rate in the unit of the table, with what the table shows of the drift; `spread` (K, P),
    standard deviation of the drift beyond that; `mechanism` (K,), place in `TableFit.draws`."""

    n: np.ndarray
    relative: np.ndarray
    middle: np.ndarray
    spread: np.ndarray
    mechanism: np.ndarray


def reach_of(points) -> int:
    """Last count at which a knee and a peak are looked for."""
    return max(64, REACH * int(points.n[-1]))


def grid(reach: int) -> np.ndarray:
    """Counts at which curves are looked at: all small ones, then by a ratio of about 1.15, up to `reach`."""
    wide = np.round(np.geomspace(16, reach, max(2, int(np.log(reach / 16) / np.log(1.15)) + 2)))
    return np.unique(np.concatenate([np.arange(1, 17), wide, [reach]])).astype(float)


def curves(fit: TableFit, n, count: int = DRAWS) -> Curves:
    """Curves of the first `count` mixture draws at counts n (P,)."""
    n = np.asarray(n, float)
    points, chosen = fit.points, slice(count)
    mechanism, cell = fit.mechanism[chosen], fit.cell[chosen]
    relative, measured = np.empty((len(mechanism), len(n))), np.empty((len(mechanism), len(points.n)))
    for place, draws in enumerate(fit.draws):
        mine = mechanism == place
        if mine.any():
            # Many draws of the mixture are the same explanation with another scatter.
            rows, again = np.unique(fit.draw[chosen][mine], return_inverse=True)
            both = draws.mechanism.log_rate(draws.coordinates[rows], np.concatenate([n, points.n]))[again]
            relative[mine], measured[mine] = both[:, : len(n)], both[:, len(n) :]
    middle, spread = relative.copy(), np.empty_like(relative)
    for each in np.unique(cell):
        mine = cell == each
        residual = points.log_rate - measured[mine]
        mean, deviation, _ = continued(
            points.n, residual, points.weight, cells()[each], fit.prior.discrepancy.persistence, n
        )
        middle[mine] += mean
        spread[mine] = deviation
    return Curves(n, relative, middle, spread, mechanism)


def knee(relative, far, reach: float, private) -> np.ndarray:
    """Count from which something other than private work limits, (K,): where the line through a lone sender's rate meets
    the highest rate of the curve.

    relative (K, P) and far (K, Q): log rate relative to a lone sender at counts up to `reach`, and beyond for the level
    that the curve approaches; private (K,) bool: curves that private work limits, which have no knee.
    For a station of section S this is (Z + S)/S (Lazowska and others 1984, chapter 5).
    """
    highest = np.exp(np.maximum(relative.max(1), far.max(1)))
    return np.where(private | (highest > reach), np.inf, np.maximum(highest, 1.0))


def peak_cores(relative, n) -> np.ndarray:
    """Count of the highest rate, (K,): infinite where the curve does not fall behind it up to the last of n (P,)."""
    best = relative.argmax(1)
    row, last = np.arange(len(relative)), len(n) - 1
    falls_after = relative[:, -1] < relative[row, best] - _FALLS
    middle = np.clip(best, 1, max(last - 1, 1))
    at = np.log(n)
    a, b, c = at[middle - 1], at[middle], at[np.minimum(middle + 1, last)]
    left, here, right = relative[row, middle - 1], relative[row, middle], relative[row, np.minimum(middle + 1, last)]
    with np.errstate(all="ignore"):
        # Vertex of the parabola through the highest count and its neighbours.
        first, second = (here - left) / (b - a), (right - here) / (c - b)
        vertex = (a + b) / 2 - first * (c - a) / 2 / (second - first)
    inside = (best > 0) & (best < last) & (vertex >= a) & (vertex <= c)
    place = np.exp(np.where(inside, vertex, at[best]))
    return np.where(falls_after, place, np.inf)


def limiting(knees, limits, n) -> list[dict]:
    """What limits at each count n (P,): rows of n, resource, probability, the most probable first.

    knees (K,); limits (K,): name of what limits beyond the knee.
    """
    limits, rows = np.asarray(limits, dtype=object), []
    for count in n:
        names = np.where(count >= knees, limits, PRIVATE)
        found = sorted(
            ((float((names == name).mean()), name) for name in set(names)), key=lambda each: (-each[0], each[1])
        )
        rows += [{"n": int(count), "resource": name, "probability": share} for share, name in found]
    return rows


def lap_parts(serial, sharing, relative, n) -> np.ndarray:
    """Parts of a lap at counts n (P,) in laps of a lone sender, (K, P, 4), in the order of `PARTS`.

    serial (K,): share of a lone lap that only one sender at a time can do; sharing (K,): slowdown of a lap by lines that
    other cores write. The lap lasts n/X (Little's law); what the first three do not explain is waiting and hand-off.
    """
    n = np.asarray(n, float)
    total = n * np.exp(-relative)
    section = np.minimum(np.broadcast_to(serial[:, None], total.shape), total)
    private = np.minimum(np.broadcast_to(1 - serial[:, None], total.shape), total - section)
    slowed = np.clip(sharing[:, None] * (1 - 1 / n), 0.0, total - section - private)
    return np.stack([private, slowed, section, total - private - slowed - section], -1)


def between(values, level: float = 0.9) -> dict:
    """Median and ends of draws (K,) for JSON; what is infinite is None."""
    # "lower" keeps a value that exists, so that two infinite ones never mix in an interpolated quantile.
    tail = (1 - level) / 2
    ends = np.quantile(values, (0.5, tail, 1 - tail), method="lower")
    return {
        key: float(end) if np.isfinite(end) else None
        for key, end in zip(("median", "lower", "upper"), ends, strict=True)
    }


def quantity_of(fit: TableFit, name: str, count: int = DRAWS) -> np.ndarray:
    """Value of a quantity in each of the first `count` mixture draws, (K,); nan where its mechanism has none."""
    mechanism, draw = fit.mechanism[:count], fit.draw[:count]
    found = np.full(len(mechanism), np.nan)
    for place, draws in enumerate(fit.draws):
        mine = mechanism == place
        column = [quantity.name for quantity in draws.mechanism.quantities]
        if mine.any() and name in column:
            quantity = draws.mechanism.quantities[column.index(name)]
            found[mine] = quantity.value(draws.coordinates[draw[mine], column.index(name)])
    return found


def limit_name(mechanism) -> str:
    """What limits beyond the knee of a mechanism."""
    return UNEQUAL if any(quantity.name == "cores" for quantity in mechanism.quantities) else mechanism.limit


def serial_shares(fit: TableFit, count: int = DRAWS) -> np.ndarray:
    """Share of a lone lap that only one sender at a time can do, (K,): sections, or the serial share of a law."""
    value = lambda name: np.nan_to_num(quantity_of(fit, name, count))
    return np.clip(value("section") * (1 + value("second")) + value("contention"), 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of K draws: knees and peaks (K,) in counts, infinite where there is none up to `reach`; peak_rates (K,) in
    the unit of the table, infinite where the rate rises as far as looked; names (K,) of what limits beyond the knee;
    lone (K,): rate of a lone sender."""

    reach: int
    knees: np.ndarray
    peaks: np.ndarray
    peak_rates: np.ndarray
    names: np.ndarray
    lone: np.ndarray


def limits_of(fit: TableFit, count: int = DRAWS) -> Limits:
    """Knee, peak and lone rate of the first `count` draws of the mixture."""
    reach = reach_of(fit.points)
    n = grid(reach)
    found = curves(fit, np.concatenate([n, [reach * times for times in _FAR]]), count)
    near = slice(len(n))
    names = np.array([limit_name(draws.mechanism) for draws in fit.draws], dtype=object)[found.mechanism]
    knees = knee(found.relative[:, near], found.relative[:, len(n) :], reach, names == PRIVATE)
    # Cores beyond a number yield less, but do yield: what limits from there on is that they are not all equal.
    full, unequal = quantity_of(fit, "cores", count), names == UNEQUAL
    knees = np.where(unequal, np.where(full > reach, np.inf, full), knees)
    normal = np.random.default_rng([fit.seed, 5]).standard_normal((len(found.relative), 1))
    # The drift of a curve moves all counts beyond the data the same way: otherwise a highest rate would be picked from noise.
    log_rate = found.middle[:, near] + found.spread[:, near] * normal
    contended = 1 - np.exp(np.minimum(found.relative[:, near] - np.log(n), 0.0))
    uniform = np.random.default_rng([fit.seed, 3]).random((len(fit.mechanism), 2))[:count]
    discrepancy = fit.prior.discrepancy
    fallen = log_rate + falls(n, fit.points.n[-1], contended, discrepancy.hazard, discrepancy.fall, uniform)
    peaks = peak_cores(found.relative[:, near], n)
    rates = np.where(np.isfinite(knees) & ~unequal, np.exp(fallen.max(1)), np.inf)
    return Limits(reach, knees, peaks, rates, names, np.exp(log_rate[:, 0]))
