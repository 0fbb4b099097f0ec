"""Joint fit, bootstrap and profile intervals against scipy, lmfit and iminuit, all with the same model function."""

import numpy as np
from series import alternate, row

import mpps
from mpps.fit import problem_of, solve
from mpps.leastsquares import minimise
from mpps.uncertainty import interval, members, scatter_scale

_STARTS, _REPLICATES = 15, 1000
#: What lmfit does of the replicates: a thousand would take minutes.
_SHARE = 20


def rows(report):
    """Rows of the fits; `report(row)` takes each as soon as it is there."""
    path = mpps.load_path("pppoe_receive")
    mechanism = next(one for one in path.mechanisms if one.name == "hump, start 0.2")
    problem = problem_of(path, "synchronous", mechanism)
    model = f"{path.slug}, synchronous, {mechanism.name} (product form, {len(problem.names)} parameters, 20 rows)"
    solved = solve(problem, rounds=0)
    report(_joint(problem, model, solved))
    report(_bootstrap(problem, model, solved))
    report(_intervals(problem, model, solved))


def starts_of(problem, count: int = _STARTS, seed: int = 1) -> np.ndarray:
    """The starts of `mpps.fit.solve`, (count, p)."""
    from mpps.fit.solve import _starts

    return _starts(problem, count, seed, None)


def _joint(problem, model, solved):
    from scipy.optimize import least_squares

    weight = np.sqrt(problem.weight)
    residual = lambda x: weight * (problem.model(x[None])[0] - problem.target)
    first = np.clip(starts_of(problem), problem.lower, problem.upper)

    def scipy_starts():
        found = [least_squares(residual, x, bounds=(problem.lower, problem.upper)) for x in first]
        return min(2 * one.cost for one in found)

    best = scipy_starts()
    ours = float(solved.chi_square[0])
    if ours > best * (1 + 1e-6):
        raise SystemExit(f"joint fit: scipy's best cost is {best:.9g}, ours {ours:.9g}: nothing was timed")
    series = alternate(lambda: solve(problem, rounds=0), scipy_starts, turns=5)
    return row(
        f"joint fit from {_STARTS} starts", model, series, goal=0.3, goal_ratio=10,
        peer_name="scipy least_squares, start by start", agreement=abs(ours / best - 1), reached_optimum=solved.reached,
    )  # fmt: skip


def _bootstrap(problem, model, solved):
    scale = scatter_scale(problem, solved)
    targets, weight = replicate_targets(problem, solved, scale, _REPLICATES)
    lmfit_one = _lmfit(problem, weight, solved.x[0])
    start = np.repeat(solved.x[:1], _REPLICATES, axis=0)
    together = minimise(
        problem.model, targets, start, problem.lower, problem.upper, weight=weight, max_steps=40, tolerance=1e-6
    )
    few = range(_SHARE)
    worst = max(together.cost[k] / lmfit_one(targets[k]) - 1 for k in few)
    if worst > 1e-3:
        raise SystemExit(f"bootstrap: a replicate costs {worst:.1e} more than lmfit's: nothing was timed")
    series = alternate(
        lambda: members(problem, solved, scale, _REPLICATES, 1),
        lambda: [lmfit_one(targets[k]) for k in few],
        turns=3,
        share=_SHARE / _REPLICATES,
    )
    return row(
        f"bootstrap of {_REPLICATES:,} replicates", model, series, goal=3.0, goal_ratio=50,
        peer_name=f"lmfit in a loop ({_SHARE} replicates, scaled)", agreement=worst,
    )  # fmt: skip


def replicate_targets(problem, solved, scale, count, seed: int = 1):
    """The targets that `members` draws, (count, R + priors), and their weights."""
    rng = np.random.default_rng(seed)
    spread = np.concatenate([problem.points.scatter * scale, problem.priors[2]])
    center = np.concatenate([solved.fitted[0], solved.x[0, problem.priors[0]]])
    return center + spread * rng.standard_normal((count, len(spread))), spread**-2.0


def _lmfit(problem, weight, start):
    import lmfit

    root = np.sqrt(weight)
    parameters = lmfit.Parameters()
    for name, value, low, high in zip(problem.names, start, problem.lower, problem.upper, strict=True):
        parameters.add(name, value=min(max(value, low + 1e-6), high - 1e-6), min=low, max=high)

    def cost(target):
        def residual(given):
            x = np.array([given[name].value for name in problem.names])
            return root * (problem.model(x[None])[0] - target)

        return lmfit.minimize(residual, parameters, method="leastsq", calc_covar=False).chisqr

    return cost


def _intervals(problem, model, solved):
    from iminuit import Minuit

    weight, name = problem.weight, "private_ns"

    def minos():
        cost = lambda x: float((weight * (problem.model(np.asarray(x)[None])[0] - problem.target) ** 2).sum())
        fitted = Minuit(cost, solved.x[0], name=problem.names)
        fitted.limits = list(zip(problem.lower, problem.upper, strict=True))
        fitted.errordef = 2.706
        fitted.migrad()
        fitted.minos(name, cl=1)
        ends = fitted.merrors[name]
        return np.exp(fitted.values[name] + np.array([ends.lower, ends.upper]))

    def ours():
        found = interval(problem, solved, 1.0, name)
        return np.array([found.lower, found.upper])

    difference = float(np.abs(ours() / minos() - 1).max())
    if difference > 0.005:
        raise SystemExit(f"profile interval: ends differ from MINOS by {difference:.1e}: nothing was timed")
    return row(
        f"90 % profile interval of {name}", model, alternate(ours, minos, turns=3),
        peer_name="iminuit MINOS", agreement=difference,
    )  # fmt: skip


if __name__ == "__main__":
    rows(print)
