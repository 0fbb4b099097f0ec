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
    return profiles(problem, solved, scale, [(name, believe, grid)], points)[0]


def profiles(problem: Problem, solved: Solved, scale: float, asked, points: int = 25) -> list[tuple]:
    """`profile` for each (name, believe, grid) of `asked`: the points of all of them advance together."""
    low, high, rows = problem.lower, problem.upper, len(problem.points.n)
    target, weight = np.array(problem.target), np.array(problem.weight)
    target[:rows] -= solved.offset[0]
    weight[:rows] /= scale**2
    grids, starts, fixed, weights = [], [], [], []
    for name, believe, grid in asked:
        column = problem.names.index(name)
        if grid is None:
            away = np.geomspace(2.5, 0.01, points // 2)
            grid = solved.x[0, column] + np.concatenate([-away, [0.0], away[::-1]])
        grids.append(np.unique(np.clip(grid, low[column], high[column])))
        start = np.repeat(solved.x[:1], len(grids[-1]), axis=0)
        start[:, column] = grids[-1]
        starts.append(start)
        fixed.append(np.repeat((np.arange(len(low)) == column)[None], len(start), axis=0))
        own = np.array(weight)
        if not believe:
            own[rows:] = np.where(problem.priors[0] == column, 0.0, own[rows:])
        weights.append(np.repeat(own[None], len(start), axis=0))
    if not grids:
        return []
    found = minimise(
        problem.model,
        target,
        np.concatenate(starts),
        low,
        high,
        weight=np.concatenate(weights),
        fixed=np.concatenate(fixed),
        max_steps=40,
        tolerance=1e-7,
    )
    cost = np.split(found.cost, np.cumsum([len(grid) for grid in grids])[:-1])
    return [(grid, own - own.min()) for grid, own in zip(grids, cost, strict=True)]


def interval(problem: Problem, solved: Solved, scale: float, name: str) -> Interval:
    """Estimate and 90 % profile interval of one parameter, with what the data can say of it.

    The interval knows the prior; `identified` says how many of its ends close without it.
    """
    return intervals(problem, solved, scale, [name])[0]


def intervals(problem: Problem, solved: Solved, scale: float, names) -> list[Interval]:
    """`interval` of each of `names`: the points of all profiles advance together."""
    scale = scale * _few_rows(problem, solved, scale)
    parameters = [problem.parameters[problem.names.index(name)] for name in names]
    asked = [(one.name, True) for one in parameters] + [(one.name, False) for one in parameters if one.prior]
    ends = _ends(problem, solved, scale, asked)
    power = lambda value: None if value is None else float(np.exp(value))
    rows = []
    for one in parameters:
        lower, upper = ends[one.name, True]
        closed = sum(end is not None for end in ends[one.name, not one.prior])
        identified = ("prior" if one.prior else "no", "one-sided", "yes")[closed]
        median = float(np.exp(solved.x[0, problem.names.index(one.name)]))
        rows.append(Interval(one.name, one.unit, median, power(lower), power(upper), identified))
    return rows


def _few_rows(problem: Problem, solved: Solved, scale: float) -> float:
    """By how much an estimated scatter widens intervals: Student's t over the normal quantile; 1 for an assumed one."""
    from scipy.special import stdtrit

    freedom = len(problem.points.n) - effective_parameters(problem, solved.x[0])
    return float(stdtrit(freedom, 0.95) / np.sqrt(RISE)) if scale > 1 and freedom >= 1 else 1.0


def _ends(problem, solved, scale, asked) -> dict:
    """(name, believe) -> the ends of its profile, for each of `asked`."""
    first = profiles(problem, solved, scale, [(*one, None) for one in asked])
    found = dict(zip(asked, first, strict=True))
    # The first grid is coarse where the profile is steep: a second one lies between the points around each end.
    finer = {one: _brackets(*pair, RISE) for one, pair in found.items()}
    again = [(*one, np.concatenate([found[one][0], *between])) for one, between in finer.items() if between]
    found |= {one[:2]: pair for one, pair in zip(again, profiles(problem, solved, scale, again), strict=True)}
    return {one: _crossing(*pair, RISE) for one, pair in found.items()}


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
