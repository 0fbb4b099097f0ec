"""Least squares in log rate of many tables of the same n at once, from many starts, with the scatter they show."""

from dataclasses import dataclass, replace

import numpy as np

from mpps.profiles.descent import descend, slopes
from mpps.profiles.family import Family
from mpps.profiles.starts import pool, starts_of

#: Scatter of the log rate below which no table is believed to be: rounding alone is more.
_FLOOR = 1e-9
#: Scatter against which priors are first weighed, until the residuals tell.
_GUESS = 0.02


#: What a `Fitted` holds of every table.
_EACH = ("log_rate", "weight", "x", "others", "squares", "scatter", "freedom", "step")


@dataclass(frozen=True)
class Fitted:
    """B tables with their best curves.

    n (k,) ascending; log_rate and weight (B, k), weight = measurements behind a row, 0 for a row left out;
    x (B, p) at the optimum; others (B, m, p): where the other starts ended; squares (B,): weighted squared residuals;
    scatter (B,): standard deviation of one measurement's log rate, nan where nothing tells;
    freedom (B,): its degrees of freedom, inf for a known scatter, 0 where nothing tells;
    known: scatter and freedom that were given; step (B, p): difference steps.
    """

    family: Family
    n: np.ndarray
    log_rate: np.ndarray
    weight: np.ndarray
    x: np.ndarray
    others: np.ndarray
    squares: np.ndarray
    scatter: np.ndarray
    freedom: np.ndarray
    known: tuple[float, float]
    step: np.ndarray

    def __len__(self) -> int:
        return len(self.x)

    def take(self, tables) -> "Fitted":
        """The fits of some tables only."""
        return replace(self, **{name: getattr(self, name)[tables] for name in _EACH})

    def put(self, tables, other: "Fitted") -> "Fitted":
        """With the fits of some tables replaced by those of another set."""
        parts = {name: getattr(self, name).copy() for name in _EACH}
        for name, part in parts.items():
            part[tables] = getattr(other, name)
        return replace(self, **parts)

    @property
    def spread(self) -> np.ndarray:
        """Scatter to count residuals in, (B,): a guess where nothing tells."""
        return np.where(self.freedom > 0, self.scatter, _GUESS)

    def curve(self, n) -> np.ndarray:
        """Fitted log rates at n (k,), (B, k)."""
        return self.family.log_rate(self.x, np.asarray(n, float))

    def box(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds of the coordinates, (count, p) each."""
        shape = (count, self.family.size)
        return np.broadcast_to(self.family.lower, shape), np.broadcast_to(self.family.upper, shape)

    def residual(self, table, x, spread) -> np.ndarray:
        """Rows and priors of the tables named by `table` (A,) at x (A, p), in units of spread (A,): (A, k + priors)."""
        rows = self.family.log_rate(x, self.n) - self.log_rate[table]
        rows *= np.sqrt(self.weight[table]) / spread[:, None]
        beliefs = [(x[:, self.family.index(name)] - mean) / sd for name, (mean, sd) in self.family.priors.items()]
        return np.column_stack([rows, *beliefs]) if beliefs else rows

    def slope(self) -> np.ndarray:
        """Slopes of `residual` at the optimum in units of `spread`, (B, k + priors, p)."""
        everyone, spread = np.arange(len(self)), self.spread
        call = lambda index, x: self.residual(index, x, spread[index])
        lower, upper = self.box(len(self))
        return slopes(call, everyone, self.x, call(everyone, self.x), lower, upper, self.step)


def fit(family: Family, n, rate, *, repeats=1.0, scatter: float = 0.0, freedom: float = 0.0, starts: int = 5) -> Fitted:
    """Fit `family` to rate (k,) or (B, k), positive, at n (k,) by least squares in log rate.

    repeats: measurements behind a row, broadcast to rate; 0 leaves a row out. scatter, freedom: what is known of the
    standard deviation of one measurement's log rate beside the residuals, and with how many degrees of freedom
    (repeats of one n: their pooled deviation and sum(repeats - 1); inf for a known one).
    The answer depends neither on the order of rows nor on the unit. Raises ValueError for rates that are not positive.
    """
    n, target, weight = _ordered(n, rate, repeats)
    begin = starts_of(family, pool(family, n, target, weight), starts)
    unknown = np.full(len(target), np.nan)
    first = max(scatter, _FLOOR) if freedom > 0 else _GUESS
    fitted = Fitted(
        family,
        n,
        target,
        weight,
        begin[:, 0],
        begin,
        unknown,
        unknown,
        unknown,
        (scatter, freedom),
        np.full(begin[:, 0].shape, 1e-6),
    )
    fitted = _search(fitted, begin, np.full(len(target), first))
    for _ in range(4 if family.priors else 0):
        # The weight of a prior against the rows follows the scatter that the rows show.
        fitted = replace(_search(fitted, fitted.x[:, None], fitted.spread), others=fitted.others)
    return fitted


def restarted(fitted: Fitted, x) -> Fitted:
    """The same tables fitted once more from x (B, p) too: the better of the old and the new optimum of each."""
    again = _search(fitted, np.stack([fitted.x, x], axis=1), fitted.spread)
    # As many others as before: the old optimum takes the place of the least promising.
    return replace(again, others=np.concatenate([fitted.x[:, None], fitted.others[:, :-1]], axis=1))


def _ordered(n, rate, repeats):
    """n, log rates and weights in one order, whatever the order of the rows."""
    n = np.asarray(n, float)
    rate = np.atleast_2d(np.asarray(rate, float))
    weight = np.broadcast_to(np.asarray(repeats, float), rate.shape)
    if rate.shape[1] != len(n):
        raise ValueError(f"{rate.shape[1]} rates for {len(n)} values of n")
    if not (np.isfinite(rate) & (rate > 0))[weight > 0].all():
        raise ValueError("every rate that counts must be positive and finite")
    target = np.log(np.where(weight > 0, rate, 1.0))
    order = np.lexsort((weight, target, np.broadcast_to(n, rate.shape)), axis=1)
    return np.sort(n), np.take_along_axis(target, order, 1), np.take_along_axis(weight, order, 1)


def _search(fitted: Fitted, begin, spread) -> Fitted:
    """Follow the starts begin (B, m, p), with residuals counted in spread (B,), and keep the best end of each table."""
    tables, each, size = begin.shape
    table = np.repeat(np.arange(tables), each)
    lower, upper = fitted.box(len(table))
    step = np.full((len(table), size), 1e-6)
    unit = 1 / spread[table]

    def descent(chosen, x, steps):
        call = lambda index, here: fitted.residual(table[chosen[index]], here, spread[table[chosen[index]]])
        return descend(
            call,
            x,
            lower[chosen],
            upper[chosen],
            step[chosen],
            unit=unit[chosen],
            tolerance=1e-13,
            floor=1e-9,
            max_steps=steps,
        )

    # All of them: a second valley that the data allow is part of the answer. The two most promising to the last digit.
    rough = descent(np.arange(len(table)), begin.reshape(-1, size), 60)
    x, cost = rough.x.reshape(begin.shape).copy(), rough.cost.reshape(tables, each).copy()
    leading = cost.argsort(axis=1, kind="stable")[:, :2]
    rows = np.arange(tables)[:, None]
    fine = descent((rows * each + leading).ravel(), x[rows, leading].reshape(-1, size), 200)
    x[rows, leading], cost[rows, leading] = fine.x.reshape(*leading.shape, size), fine.cost.reshape(leading.shape)
    best = cost.argmin(axis=1)
    return _with_scatter(fitted, x[np.arange(tables), best], x, spread)


def _with_scatter(fitted: Fitted, x, others, spread) -> Fitted:
    everyone = np.arange(len(x))
    rows = fitted.residual(everyone, x, spread)[:, : len(fitted.n)] * spread[:, None]
    squares = np.einsum("br,br->b", rows, rows)
    step = np.full(x.shape, 1e-6)
    scatter, freedom = fitted.known
    known = replace(fitted, x=x, others=others, squares=squares, step=step, scatter=spread, freedom=np.ones(len(x)))
    rows_that_count = (fitted.weight > 0).sum(axis=1)
    left = np.maximum(rows_that_count - _decided(known), 0.0)
    if np.isinf(freedom):
        return replace(known, scatter=np.full(len(x), max(scatter, _FLOOR)), freedom=np.full(len(x), np.inf))
    total = left + freedom
    pooled = np.sqrt((np.where(left > 0, squares, 0.0) + freedom * scatter**2) / np.where(total > 0, total, 1.0))
    return replace(known, scatter=np.where(total > 0, np.maximum(pooled, _FLOOR), np.nan), freedom=total)


def _decided(fitted: Fitted):
    """How many parameters the rows decide, (B,): all of them, but for the share that a prior takes."""
    size = float(fitted.family.size)
    if not fitted.family.priors:
        return np.full(len(fitted), size)
    slope = fitted.slope()
    prior = slope[:, len(fitted.n) :]
    normal = np.einsum("brp,brq->bpq", slope, slope)
    scale = 1 / np.sqrt(np.maximum(np.einsum("bpp->bp", normal), 1e-300))
    normal = normal * scale[:, :, None] * scale[:, None, :] + 1e-10 * np.eye(fitted.family.size)
    own = np.einsum("brp,brq->bpq", prior, prior) * scale[:, :, None] * scale[:, None, :]
    return size - np.einsum("bpp->b", np.linalg.solve(normal, own))
