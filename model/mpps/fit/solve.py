"""Solve a fit: many starts, many folds or many replicates at once, with the correction by simulation brought up to date.

Mechanisms with low-variance work are fitted by space mapping (Bandler and others 1994): the product form fits, event
simulation at the optimum says by how much the product form is off at each point, and the fit is repeated with that
correction until it stands.
"""

from dataclasses import dataclass

import numpy as np

from mpps.fit.closure import closure_offsets
from mpps.fit.problem import Problem
from mpps.leastsquares import minimise

#: A correction that moves less than this (log rate) between two rounds has settled: about the error of the simulation.
SETTLED = 0.006
#: Share of the change of the correction that one round takes over.
STEP_SHARE = 0.7


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
    problem: Problem,
    *,
    keep=None,
    target=None,
    start=None,
    starts: int = 15,
    offset=None,
    rounds: int = 6,
    seed: int = 1,
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
    x, converged, reached = _best_of_starts(
        problem, _starts(problem, starts, seed, start), _shifted(target, offset), weight
    )
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
        kept = [
            np.where(better[:, None] if new.ndim > 1 else better, new, old) for new, old in zip(now, kept, strict=True)
        ]
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
