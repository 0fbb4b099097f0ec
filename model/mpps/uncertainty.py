"""How sure a fit is: members (parameter sets that explain the table), profiles, and what the data cannot identify."""

from dataclasses import dataclass

import numpy as np

from mpps.fit import Problem, Solved
from mpps.leastsquares import minimise

#: Levels reported everywhere: 90 % and 50 % intervals.
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
#: Rise of the chi-square at the ends of a 90 % interval: the 0.9 quantile of chi-square with one degree of freedom.
RISE = 2.706


@dataclass(frozen=True)
class Interval:
    """A parameter: estimate and the 90 % interval of its profile; None where the profile does not close.

    identified: "yes", "one-sided" (bounded by the data on one side), "prior" (its prior says more than the
    data do), or "no".
    """

    name: str
    unit: str
    median: float
    lower: float | None
    upper: float | None
    identified: str


def sensitivity(problem: Problem, x) -> np.ndarray:
    """Slope of the log model in the log parameters at x (p,): (R + priors, p), central differences."""
    step = 1e-4 * np.eye(len(x))
    return ((problem.model(x + step) - problem.model(x - step)) / 2e-4).T


def effective_parameters(problem: Problem, x) -> float:
    """Parameters that the data decide: the trace of the hat matrix, where a prior takes its share (Hodges and Sargent 2001)."""
    slope = sensitivity(problem, x) * np.sqrt(problem.weight)[:, None]
    rows = len(problem.points.n)
    gram = slope.T @ slope + 1e-9 * np.eye(len(x))
    return float(np.trace(slope[:rows] @ np.linalg.solve(gram, slope[:rows].T)))


def scatter_scale(problem: Problem, solved: Solved) -> float:
    """Factor on the assumed scatter: what the residuals say, at least 1 (no table is trusted beyond its floor)."""
    rows = len(problem.points.n)
    freedom = rows - effective_parameters(problem, solved.x[0])
    if freedom < 1:
        return 1.0
    residual = (solved.fitted[0] - problem.points.value) / problem.points.scatter
    return float(max(1.0, np.sqrt((residual**2).sum() / freedom)))


def members(problem: Problem, solved: Solved, scale: float, count: int, seed: int) -> np.ndarray:
    """Parameter sets (count, p) by randomised maximum likelihood: every row and every prior is drawn anew and refitted.

    For a linear model this samples the posterior exactly (Oliver, He and Reynolds 1996); a parameter that only a
    prior knows gets the spread of its prior, whatever the data's scatter.
    """
    rng = np.random.default_rng(seed)
    rows = len(problem.points.n)
    spread = np.concatenate([problem.points.scatter * scale, problem.priors[2]])
    # Both from the estimate: a prior's own median would pull at it a second time.
    center = np.concatenate([solved.fitted[0], solved.x[0, problem.priors[0]]])
    target = center + spread * rng.standard_normal((count, len(spread)))
    target[:, :rows] -= solved.offset[0]
    weight = spread**-2.0
    start = np.repeat(solved.x[:1], count, axis=0)
    return minimise(
        problem.model, target, start, problem.lower, problem.upper, weight=weight, max_steps=40, tolerance=1e-6
    ).parameters


def profile(
    problem: Problem, solved: Solved, scale: float, name: str, points: int = 25, grid=None, believe: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Profile of one parameter: log values, over its bounds or around the estimate where no `grid` is given, and the
    rise of the chi-square there, in which the scatter of the rows counts `scale` times, that of the priors once
    (a rise of 2.71 is the 90 % interval of one parameter). believe False: without the parameter's own prior."""
    column = problem.names.index(name)
    center, low, high = solved.x[0, column], problem.lower[column], problem.upper[column]
    if grid is None:
        grid = center + np.concatenate(
            [-np.geomspace(2.5, 0.01, points // 2), [0.0], np.geomspace(0.01, 2.5, points // 2)]
        )
    grid = np.unique(np.clip(grid, low, high))
    start = np.repeat(solved.x[:1], len(grid), axis=0)
    start[:, column] = grid
    fixed = np.zeros(start.shape, bool)
    fixed[:, column] = True
    rows = len(problem.points.n)
    target, weight = np.array(problem.target), np.array(problem.weight)
    target[:rows] -= solved.offset[0]
    weight[:rows] /= scale**2
    if not believe:
        weight[rows:] = np.where(problem.priors[0] == column, 0.0, weight[rows:])
    found = minimise(
        problem.model,
        target,
        start,
        problem.lower,
        problem.upper,
        weight=weight,
        fixed=fixed,
        max_steps=40,
        tolerance=1e-7,
    )
    return grid, found.cost - found.cost.min()


def interval(problem: Problem, solved: Solved, scale: float, name: str) -> Interval:
    """Estimate and 90 % profile interval of one parameter, with what the data can say of it.

    The interval knows the prior; `identified` says how many of its ends close without it.
    """
    parameter = problem.parameters[problem.names.index(name)]
    scale = scale * _few_rows(problem, solved, scale)
    lower, upper = _ends(problem, solved, scale, name, True)
    alone = _ends(problem, solved, scale, name, False) if parameter.prior else (lower, upper)
    closed = sum(end is not None for end in alone)
    identified = ("prior" if parameter.prior else "no", "one-sided", "yes")[closed]
    power = lambda value: None if value is None else float(np.exp(value))
    return Interval(
        name,
        parameter.unit,
        float(np.exp(solved.x[0, problem.names.index(name)])),
        power(lower),
        power(upper),
        identified,
    )


def _few_rows(problem: Problem, solved: Solved, scale: float) -> float:
    """By how much an estimated scatter widens intervals: Student's t over the normal quantile; 1 for an assumed one."""
    from scipy.special import stdtrit

    freedom = len(problem.points.n) - effective_parameters(problem, solved.x[0])
    return float(stdtrit(freedom, 0.95) / np.sqrt(RISE)) if scale > 1 and freedom >= 1 else 1.0


def _ends(problem, solved, scale, name, believe):
    grid, rise = profile(problem, solved, scale, name, believe=believe)
    if any(pair is not None for pair in _sides(grid, rise, RISE)):
        # The first grid is coarse where the profile is steep: a second one lies between the points around each end.
        finer = np.concatenate([grid, *_brackets(grid, rise, RISE)])
        grid, rise = profile(problem, solved, scale, name, grid=finer, believe=believe)
    return _crossing(grid, rise, RISE)


def _sides(grid, rise, level):
    """Indices (outer, inner) of the two points around the crossing of `level` on either side of the minimum, or None."""
    best = int(rise.argmin())
    for side in (np.arange(best, -1, -1), np.arange(best, len(grid))):
        above = np.flatnonzero(rise[side] > level)
        yield (side[above[0]], side[above[0] - 1]) if above.size else None


def _brackets(grid, rise, level):
    return [np.linspace(grid[pair[0]], grid[pair[1]], 12)[1:-1] for pair in _sides(grid, rise, level) if pair]


def _crossing(grid, rise, level):
    """Where the profile rises through `level` on either side of its minimum; None where it does not inside the grid."""
    ends = []
    root = np.sqrt(np.maximum(rise, 0.0))  # near the minimum the rise is a square, and its root a line
    for pair in _sides(grid, rise, level):
        if pair is None:
            ends.append(None)
            continue
        outer, inner = pair
        share = (np.sqrt(level) - root[inner]) / (root[outer] - root[inner])
        ends.append(grid[inner] + share * (grid[outer] - grid[inner]))
    return ends[0], ends[1]
