"""A fit made anew without some of its rows, for many choices of rows at once."""

import numpy as np

from mpps.compare import ANCHORS, TEMPER, Fit, MechanismFit, relative_rms
from mpps.fit import Solved, problem_of, solve
from mpps.uncertainty import members, scatter_scale, sensitivity

#: Explanations with less weight than this in the full fit are not made anew.
LEAST_WEIGHT = 0.02
#: In fits of at most this many rows the correction by simulation is brought up to date without the rows; in larger
#: ones it is that of all rows, and members come from a normal distribution (docs/modelling.md).
FEW_ROWS = 24
_ROUNDS = 2
#: Refitted members of one fold, each used with so many draws of scatter and structure.
_MEMBERS, _DRAWS = 80, 5
#: A row that the others leave open by more than this (standard deviation of the log rate) is not predicted by them.
_OPEN = 1.0


def refits(full: Fit, folds: dict, *, seed: int = 1) -> dict[str, tuple[Fit, np.ndarray, dict]]:
    """The fit without each fold: label -> (fit of the other rows, averaged log values (R,) of all rows, what each
    explanation says of all rows: name -> (R,)).

    folds: label -> (R,) bool, True = left out. Explanations start from the full fit and are weighed anew by the AICc of
    the rows that remain; nothing of the rows left out enters but the choice of which explanations compete.
    """
    masks = np.stack([np.asarray(mask, bool) for mask in folds.values()])
    chosen = [one for one in full.mechanisms if one.weight >= LEAST_WEIGHT]
    rounds = _ROUNDS if len(full.points.n) <= FEW_ROWS else 0
    solved = [
        solve(one.problem, keep=~masks, start=one.solved.x[0], starts=0, offset=one.solved.offset, rounds=rounds)
        for one in chosen
    ]
    weights, scores = _weights(chosen, solved, masks)
    fitted = np.array([one.fitted for one in solved])
    averaged = np.einsum("mf,mfr->fr", weights, fitted)
    return {
        label: (
            _fold(full, chosen, solved, mask, fold, weights[:, fold], scores[:, fold], seed),
            averaged[fold],
            {one.mechanism.name: fitted[m, fold] for m, one in enumerate(chosen)},
        )
        for fold, (label, mask) in enumerate(zip(folds, masks, strict=True))
    }


def predictable(full: Fit, mask) -> np.ndarray:
    """Which rows of a fold the other rows and the priors say something of, (R,) bool.

    A parameter without prior that only the fold knows would stay where the full fit has it, and seem to be predicted.
    """
    one = full.best
    slope = sensitivity(one.problem, one.solved.x[0])
    weight = np.array(one.problem.weight)
    weight[: len(mask)][mask] = 0.0
    known = (slope.T * weight) @ slope + 1e-9 * np.eye(slope.shape[1])
    rows = slope[: len(mask)]
    spread = np.sqrt(np.einsum("rp,rp->r", rows, np.linalg.solve(known, rows.T).T))
    return np.asarray(mask, bool) & (spread < _OPEN)


def _weights(chosen, solved, masks) -> tuple[np.ndarray, np.ndarray]:
    """Weights and AICc of the explanations without each fold, (M, F) each."""
    left = (~masks).sum(axis=1)
    scores = []
    for one, found in zip(chosen, solved, strict=True):
        free = sum(parameter.prior is None for parameter in one.problem.parameters) + 1
        penalty = np.where(left > free + 1, 2 * free + 2 * free * (free + 1) / np.maximum(left - free - 1, 1), 0.0)
        scores.append(left * np.log(np.maximum(found.chi_square, 1e-9) / left) + penalty)
    scores = np.array(scores)
    odds = np.array([one.mechanism.odds for one in chosen])
    weights = odds[:, None] * np.exp(-TEMPER * (scores - scores.min(axis=0)) / 2)
    return weights / weights.sum(axis=0), scores


def _fold(full, chosen, solved, mask, fold, weights, scores, seed) -> Fit:
    keep = ~mask
    points, made = full.points.keep(keep), []
    for index, (one, found) in enumerate(zip(chosen, solved, strict=True)):
        problem = problem_of(full.path, full.scope, one.mechanism, points)
        here = slice(fold, fold + 1)
        part = Solved(
            found.x[here],
            found.offset[here][:, keep],
            found.fitted[here][:, keep],
            found.chi_square[here],
            found.converged[here],
            found.reached,
            found.rounds,
        )
        scale = scatter_scale(problem, part)
        count = round(_MEMBERS * weights[index]) if weights[index] >= LEAST_WEIGHT / 2 else 0
        drawn = _drawn(problem, part, scale, count, seed + index, exact=len(full.points.n) <= FEW_ROWS)
        anchors = _anchors(full, one, found.offset[fold])
        error = relative_rms(part.fitted[0] - points.value)
        numbers = (scale, float(scores[index]), float(weights[index]), error)
        made.append(MechanismFit(one.mechanism, problem, part, *numbers, drawn, anchors))
    made.sort(key=lambda one: (-one.weight, one.aicc))
    return Fit(full.path, full.scope, points, tuple(made), "AICc", seed)


def _drawn(problem, solved, scale: float, count: int, seed: int, exact: bool) -> np.ndarray:
    """Members (count * _DRAWS, p): `exact` ones, refitted to redrawn rows, each used several times; else from the normal
    distribution that rows and priors leave around the estimate, within the bounds, which takes a tenth of the time."""
    if not count:
        return np.zeros((0, len(problem.parameters)))
    if exact:
        return np.tile(members(problem, solved, scale, count, seed), (_DRAWS, 1))
    slope = sensitivity(problem, solved.x[0])
    weight = np.array(problem.weight)
    weight[: len(problem.points.n)] /= scale**2
    known = (slope.T * weight) @ slope + 1e-9 * np.eye(slope.shape[1])
    rng = np.random.default_rng(seed)
    drawn = rng.multivariate_normal(solved.x[0], np.linalg.inv(known), size=count * _DRAWS, method="eigh")
    return np.clip(drawn, problem.lower, problem.upper)


def _anchors(full: Fit, one: MechanismFit, offset) -> np.ndarray:
    """The correction by simulation, that of the fold at the counts of the table."""
    anchors = np.array(one.anchors)
    for row, (variant, n) in enumerate(zip(full.points.variant, full.points.n, strict=True)):
        if n in ANCHORS and not full.points.busy[row]:
            anchors[0, variant, ANCHORS.index(int(n))] = offset[row]
    return anchors
