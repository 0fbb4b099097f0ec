"""Joint fits: one set of parameters for all variants of a source, for every competing mechanism.

Errors are multiplicative, so log rates are fitted. A prior counts as one more observation of the
logarithm of its parameter. Mechanisms with low-variance work are fitted by space mapping (Bandler and
others 1994): the product form fits, event simulation at the optimum says by how much the product form is
off at each point, and the fit is repeated with that correction until it stands.
"""

from dataclasses import dataclass

import numpy as np

from mpps.leastsquares import minimise
from mpps.measurements import load
from mpps.path import (
    CodePath,
    Mechanism,
    Parameter,
    Variant,
    active_parameters,
    lap,
    laps_per_ns,
    rate_pps,
    sections,
)
from mpps.simulation import simulate
from mpps.units import to_rate_pps

#: Relative scatter assumed where a path states none: two published repeats of one kernel benchmark differ by
#: about this much (models.md section 7, sigma floor).
DEFAULT_SCATTER = 0.02
#: Beyond this population the correction by simulation is that of this population: the queue is deep and even.
SIMULATED_SENDERS = 48
#: A correction that moves less than this (log rate) between two rounds has settled: about the error of the simulation.
SETTLED = 0.006
#: Share of the change of the correction that one round takes over.
STEP_SHARE = 0.7


@dataclass(frozen=True)
class Points:
    """The observations of a joint fit, R rows sorted by variant and n.

    variant (R,) index into variants; n (R,); value (R,) log rate (packets/s) or log busy share;
    scatter (R,) relative standard deviation assumed; busy (R,) bool; printed value and unit per row;
    source: (dataset, variant, metric, CSV line).
    """

    variants: tuple[Variant, ...]
    variant: np.ndarray
    n: np.ndarray
    value: np.ndarray
    scatter: np.ndarray
    rounding: np.ndarray
    busy: np.ndarray
    printed: tuple[str, ...]
    unit: tuple[str, ...]
    source: tuple[tuple[str, str, str, int], ...]

    def keep(self, rows) -> "Points":
        """The rows where the mask (R,) is True."""
        index = np.flatnonzero(rows)
        arrays = (getattr(self, name)[index] for name in ("variant", "n", "value", "scatter", "rounding", "busy"))
        labels = (tuple(getattr(self, name)[k] for k in index) for name in ("printed", "unit", "source"))
        return Points(self.variants, *arrays, *labels)

    def rows_of(self, variant: int) -> slice:
        """The rows of one variant."""
        found = np.flatnonzero(self.variant == variant)
        return slice(found[0], found[-1] + 1) if found.size else slice(0, 0)


def points_of(path: CodePath, scope: str) -> Points:
    """Read the measurements of a scope's variants as rows of log rate and log busy share."""
    variants = tuple(path.variant(name) for name in path.scope(scope).variants)
    rows = []
    for index, variant in enumerate(variants):
        if not variant.dataset:
            continue
        table = load(variant.dataset)
        for metric, kind in variant.observe:
            for series in table.series(metric, variant=variant.series, **dict(variant.where)):
                rows += _rows(path, index, series, kind)
    rows.sort(key=lambda row: (row[0], row[5], row[1]))
    columns = list(zip(*rows, strict=True))
    numeric = [np.array(column) for column in columns[:6]]
    return Points(variants, numeric[0].astype(int), numeric[1], numeric[2], numeric[3], numeric[4], numeric[5].astype(bool), *columns[6:])


def _rows(path, index, series, kind):
    scatter = dict(path.scatter).get(series.dataset, DEFAULT_SCATTER)
    low, high, value = (np.asarray(part, float) for part in (series.lower, series.upper, series.value))
    if kind == "idle":
        low, value, high = (1 - part / 100 for part in (high, value, low))
    else:
        low, value, high = (to_rate_pps(part, series.unit, path.packet_bytes) for part in (low, value, high))
    half_width = np.abs(np.log(high / low)) / 2
    # A rounded value is uniform within its interval: standard deviation is half the width over sqrt(3).
    spread = np.hypot(scatter, half_width / np.sqrt(3.0))
    return [
        (index, n, np.log(value[k]), spread[k], half_width[k], kind == "idle", series.printed[k], series.unit,
         (series.dataset, series.variant, series.metric, int(series.rows[k])))
        for k, n in enumerate(series.n)
    ]


@dataclass(frozen=True)
class Problem:
    """A code path under one mechanism against its points: the function that the solver sees."""

    path: CodePath
    mechanism: Mechanism
    points: Points
    parameters: tuple[Parameter, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fitted parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def lower(self) -> np.ndarray:
        """Logarithms of the lower bounds, (p,)."""
        return np.log([parameter.lower for parameter in self.parameters])

    @property
    def upper(self) -> np.ndarray:
        """Logarithms of the upper bounds, (p,)."""
        return np.log([parameter.upper for parameter in self.parameters])

    @property
    def priors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Index, log median and log standard deviation of the parameters that have a prior."""
        found = [(k, np.log(p.prior.median), p.prior.log_sd) for k, p in enumerate(self.parameters) if p.prior]
        index, median, sd = zip(*found, strict=True) if found else ((), (), ())
        return np.array(index, int), np.array(median, float), np.array(sd, float)

    @property
    def target(self) -> np.ndarray:
        """Log observations, then log medians of the priors."""
        return np.concatenate([self.points.value, self.priors[1]])

    @property
    def weight(self) -> np.ndarray:
        """One over the squared scatter of each row of `target`."""
        return np.concatenate([self.points.scatter**-2.0, self.priors[2] ** -2.0])

    def values(self, x) -> dict:
        """Parameter values by name, each (B, 1), from logarithms x (B, p)."""
        return {name: np.exp(x[:, k : k + 1]) for k, name in enumerate(self.names)}

    def model(self, x) -> np.ndarray:
        """What the network says of each row of `target`: (B, R + priors) for logarithms x (B, p)."""
        values = self.values(x)
        result = np.empty((len(x), len(self.points.n) + len(self.priors[0])))
        for index, variant in enumerate(self.points.variants):
            rows = self.points.rows_of(index)
            if rows.stop > rows.start:
                result[:, rows] = self._of_variant(variant, values, rows)
        result[:, len(self.points.n) :] = x[:, self.priors[0]]
        return result

    def _of_variant(self, variant, values, rows):
        n = self.points.n[rows]
        rate = rate_pps(self.path, variant, self.mechanism, values, n)
        if not self.points.busy[rows].any():
            return np.log(rate)
        numbers = lap(self.path, variant, self.mechanism, values, n)
        work = numbers.think_ns + (0.0 if numbers.section_ns is None else numbers.section_ns)
        busy = rate * 1e-9 * work / numbers.packets / n
        return np.log(np.where(self.points.busy[rows], busy, rate))


def problem_of(path: CodePath, scope: str, mechanism: Mechanism, points: Points | None = None) -> Problem:
    """Set up the fit of a scope under a mechanism."""
    points = points or points_of(path, scope)
    return Problem(path, mechanism, points, active_parameters(path, points.variants, mechanism))


@dataclass(frozen=True)
class Solved:
    """B fits of one problem: x (B, p) logarithms; offset (B, R); fitted (B, R) log values;
    chi_square (B,) of the rows with weight and the priors; reached: share of starts within 1 % of the best cost."""

    x: np.ndarray
    offset: np.ndarray
    fitted: np.ndarray
    chi_square: np.ndarray
    converged: np.ndarray
    reached: float
    rounds: int


def solve(
    problem: Problem, *, keep=None, target=None, start=None, starts: int = 15, offset=None, rounds: int = 6, seed: int = 1
) -> Solved:
    """Fit B versions of a problem that differ in the rows they keep, or in their target.

    keep (B, R) bool: False holds a row out; target (B, R + priors); start (p,) is tried beside `starts` random ones (a start within 2 % of the best cost has reached it);
    offset (R,) or (B, R): correction by simulation to begin with; rounds: how often it may be brought up to date.
    """
    rows = len(problem.points.n)
    weight = np.atleast_2d(problem.weight)
    if keep is not None:
        keep = np.atleast_2d(keep)
        weight = weight * np.concatenate([keep, np.ones((len(keep), weight.shape[1] - rows), bool)], axis=1)
    target = np.atleast_2d(problem.target if target is None else target)
    count = max(len(weight), len(target))
    weight, target = (np.broadcast_to(part, (count, part.shape[1])) for part in (weight, target))
    offset = np.zeros((count, rows)) if offset is None else np.broadcast_to(offset, (count, rows))
    x, converged, reached = _best_of_starts(problem, _starts(problem, starts, seed, start), _shifted(target, offset), weight)
    done = 0
    if problem.mechanism.reading in ("start", "current") and rounds:
        x, offset, converged, done = _settle(problem, x, target, weight, offset, rounds)
    fitted = problem.model(x)
    fitted[:, :rows] += offset
    chi_square = (weight * (fitted - target) ** 2).sum(axis=1)
    return Solved(x, offset, fitted[:, :rows], chi_square, converged, reached, done)


def _settle(problem, x, target, weight, offset, rounds):
    """Bring the correction by simulation and the fit to it up to date in turns: x, offset, converged, turns.

    Of all turns each problem keeps the one that fits best with the correction that belongs to it; at a steep point the
    last turn need not be that one.
    """
    best, kept, converged = np.full(len(x), np.inf), [x, offset, np.ones(len(x), bool)], np.ones(len(x), bool)
    for done in range(rounds + 1):
        updated = closure_offsets(problem, x)
        cost = (weight * (problem.model(x) - _shifted(target, updated)) ** 2).sum(axis=1)
        better = cost < best
        best = np.where(better, cost, best)
        now = (x, updated, converged)
        kept = [np.where(better[:, None] if new.ndim > 1 else better, new, old) for new, old in zip(now, kept, strict=True)]
        if done == rounds or np.abs(updated - offset).max() < SETTLED:
            break
        # A full step can swing between the two sides of a steep point; a shortened one settles.
        offset = offset + STEP_SHARE * (updated - offset)
        again = minimise(problem.model, _shifted(target, offset), x, problem.lower, problem.upper, weight=weight)
        x, converged = again.parameters, again.converged
    return *kept, done


def _shifted(target, offset):
    shifted = np.array(target)
    shifted[:, : offset.shape[1]] -= offset
    return shifted


def _starts(problem, starts, seed, start):
    """Random starts in the box, medians where a prior says; the middle of the box and `start` are among them."""
    rng = np.random.default_rng(seed)
    index, median, sd = problem.priors
    x = rng.uniform(problem.lower, problem.upper, (starts, len(problem.parameters)))
    x[:1] = (problem.lower + problem.upper) / 2
    x[:, index] = median + 0.3 * sd * rng.standard_normal((starts, len(index)))
    return x if start is None else np.concatenate([x, np.atleast_2d(start)])


def _best_of_starts(problem, first, target, weight):
    """The best of all starts of each of B problems, all advanced together: x (B, p), converged (B,), share reached.

    The starts race to a loose tolerance; the winner of each problem is then polished.
    """
    count = len(target)
    race = minimise(
        problem.model,
        np.repeat(target, len(first), axis=0),
        np.tile(first, (count, 1)),
        problem.lower,
        problem.upper,
        weight=np.repeat(weight, len(first), axis=0),
        max_steps=60,
        tolerance=1e-4,
    )
    cost = race.cost.reshape(count, -1)
    pick = np.arange(count) * len(first) + cost.argmin(axis=1)
    polished = minimise(problem.model, target, race.parameters[pick], problem.lower, problem.upper, weight=weight)
    reached = float((cost <= 1.02 * polished.cost[:, None] + 1e-9).mean())
    return polished.parameters, polished.converged, reached


def closure_offsets(problem: Problem, x) -> np.ndarray:
    """Log of (simulated rate / product-form rate) at each row, for each of B parameter sets: (B, R)."""
    points = problem.points
    slices = [points.rows_of(index) for index in range(len(points.variants))]
    asked = [(variant, points.n[rows]) for variant, rows in zip(points.variants, slices, strict=True)]
    result = np.zeros((len(x), len(points.n)))
    for rows, offset in zip(slices, closure_offset(problem.path, problem.mechanism, problem.values(x), asked), strict=True):
        result[:, rows] = offset
    return result


def closure_offset(path: CodePath, mechanism: Mechanism, values: dict, asked) -> list[np.ndarray]:
    """Log of (simulated rate / product-form rate) for each (variant, n (P,)) of `asked`: a list of (B, P).

    values name -> (B, 1), or (B, P) when all of `asked` share their n. Zero for one sender, without a station, and for
    mechanisms whose product form is exact. All cells are simulated side by side.
    """
    size = len(next(iter(values.values())))
    result = [np.zeros((size, len(n))) for _, n in asked]
    if mechanism.reading not in ("start", "current"):
        return result
    cells, places = [], []
    for index, (variant, n) in enumerate(asked):
        crowd, first, back = np.unique(np.minimum(n, SIMULATED_SENDERS).astype(int), return_index=True, return_inverse=True)
        many = crowd > 1
        if not many.any():
            continue
        here = {name: value if value.shape[1] == 1 else value[:, first[many]] for name, value in values.items()}
        numbers = lap(path, variant, mechanism, here, crowd[many])
        if numbers.section_ns is None:
            continue
        service = sections(mechanism, numbers, here, np.arange(1.0, SIMULATED_SENDERS + 1))
        shape = (size, int(many.sum()))
        cells.append((np.broadcast_to(crowd[many], shape), np.broadcast_to(numbers.think_ns, shape), np.broadcast_to(service, (*shape, SIMULATED_SENDERS))))
        places.append((index, many, back, laps_per_ns(mechanism, numbers, here, crowd[many])))
    if not cells:
        return result
    senders, think, service = (np.concatenate([cell[k].reshape(-1, *cell[k].shape[2:]) for cell in cells]) for k in range(3))
    period = simulate(
        senders,
        think,
        service,
        think_variation=mechanism.variation,
        section_variation=mechanism.variation,
        reading=mechanism.reading,
    ).period_ns
    done = 0
    for index, many, back, network in places:
        found = np.zeros((size, len(many)))
        found[:, many] = -np.log(period[done : done + network.size].reshape(network.shape) * network)
        result[index] = found[:, back]
        done += network.size
    return result
