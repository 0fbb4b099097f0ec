"""Which mechanism: all fitted to the same table, weighted by what they predict, checked on rows they did not see."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from mpps import stored
from mpps.fit import Points, Problem, Solved, closure_offset, points_of, problem_of, solve
from mpps.path import CodePath, Mechanism
from mpps.root import cache_folder
from mpps.uncertainty import effective_parameters, members, scatter_scale

#: Mechanisms this much worse (AICc) in the product form are not refined by simulation: their weight is below 6e-4.
SCREEN = 30.0
#: The rows of a table share boots and machine, so their evidence counts half: weights go with exp(-AICc/4).
TEMPER = 0.5
#: Populations at which the correction by simulation is kept; between them it is interpolated in log n.
ANCHORS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 48)
#: Members of a fit, shared among the mechanisms by weight.
MEMBERS = 400
_SOLVED = ("x", "offset", "fitted", "chi_square", "converged")


@dataclass(frozen=True)
class MechanismFit:
    """One mechanism fitted: weight among the competing ones, error (relative RMS of the rows), AICc, members (K, p).

    anchors (2, variants, ANCHORS): correction by simulation at the estimate, between and beyond the measured counts,
    and its standard error.
    """

    mechanism: Mechanism
    problem: Problem
    solved: Solved
    scale: float
    aicc: float
    weight: float
    error: float
    members: np.ndarray
    anchors: np.ndarray

    @property
    def refined(self) -> bool:
        """Whether its error is that of a fit corrected by simulation, or the mechanism needs no correction."""
        return self.mechanism.reading not in ("start", "current") or self.solved.rounds > 0

    @property
    def values(self) -> dict:
        """The estimate: name -> (1, 1) array."""
        return self.problem.values(self.solved.x)

    @property
    def member_values(self) -> dict:
        """The members: name -> (K, 1) array."""
        return self.problem.values(self.members)


@dataclass(frozen=True)
class Fit:
    """All mechanisms of a joint fit, best first. `basis`: what the weights rest on."""

    path: CodePath
    scope: str
    points: Points
    mechanisms: tuple[MechanismFit, ...]
    basis: str
    seed: int

    @property
    def best(self) -> MechanismFit:
        """The mechanism with the largest weight."""
        return self.mechanisms[0]

    @property
    def kept(self) -> tuple[MechanismFit, ...]:
        """The mechanisms that have members."""
        return tuple(one for one in self.mechanisms if len(one.members))

    @property
    def fitted(self) -> np.ndarray:
        """Weighted mean of the fitted log values, (R,)."""
        return sum(one.weight * one.solved.fitted[0] for one in self.mechanisms)


def relative_rms(log_error) -> float:
    """Relative root mean square of predicted/observed - 1, from log errors."""
    return float(np.sqrt(np.mean(np.expm1(np.asarray(log_error)) ** 2)))


def aicc(problem: Problem, solved: Solved, rows: int | None = None, chi_square: float | None = None) -> float:
    """Corrected information criterion n ln(chi2/n) + 2k + 2k(k+1)/(n-k-1), k with the scatter (Burnham and Anderson 2002).

    Parameters held by a prior count for the share that the data decide. Infinite when there are too few rows.
    """
    rows = len(problem.points.n) if rows is None else rows
    chi_square = float(solved.chi_square[0]) if chi_square is None else chi_square
    free = sum(parameter.prior is None for parameter in problem.parameters)
    count = max(free, effective_parameters(problem, solved.x[0])) + 1
    if rows - count - 1 <= 0:
        return np.inf
    return float(rows * np.log(max(chi_square, 1e-9) / rows) + 2 * count + 2 * count * (count + 1) / (rows - count - 1))


@functools.lru_cache(maxsize=16)
def fit(path: CodePath, scope: str, *, held_out: tuple = (), seed: int = 1) -> Fit:
    """Fit all mechanisms of a path to the variants of a scope. The result is kept on disk under the hash of its inputs.

    held_out: pairs (variant name, core count or None for all) whose rows the fit does not see.
    """
    points = points_of(path, scope)
    if held_out:
        points = points.keep(~rows_of(points, held_out))
    file = cache_folder() / f"{path.slug}-{stored.key(path, scope, points, seed)}.npz"
    with stored.alone(file):
        found = stored.read(file)
        if found:
            return _restored(*found, path, scope, points, seed)
        result = _compete(path, scope, points, seed)
        stored.write(file, result.basis, [_columns(one) for one in result.mechanisms])
    return result


def _columns(one: "MechanismFit") -> tuple[list, dict]:
    """What is stored of a mechanism's fit: plain values, and arrays by name."""
    solved = one.solved
    plain = [one.mechanism.name, one.scale, one.aicc, one.weight, one.error, solved.reached, solved.rounds]
    arrays = {name: getattr(solved, name) for name in _SOLVED}
    return plain, arrays | {"members": one.members, "anchors": one.anchors}


def _restored(basis, rows, path, scope, points, seed) -> "Fit":
    mechanisms = {mechanism.name: mechanism for mechanism in path.mechanisms}
    found = []
    for (name, scale, score, weight, error, reached, rounds), arrays in rows:
        problem = problem_of(path, scope, mechanisms[name], points)
        solved = Solved(*(arrays[part] for part in _SOLVED), reached, rounds)
        fitted = (scale, score, weight, error, arrays["members"], arrays["anchors"])
        found.append(MechanismFit(mechanisms[name], problem, solved, *fitted))
    return Fit(path, scope, points, tuple(found), basis, seed)


def _compete(path, scope, points, seed) -> Fit:
    problems = [problem_of(path, scope, mechanism, points) for mechanism in path.mechanisms]
    found: dict = {}
    for problem in problems:
        if _shape(problem.mechanism) not in found:
            found[_shape(problem.mechanism)] = solve(problem, rounds=0, seed=seed)
    rough = [found[_shape(problem.mechanism)] for problem in problems]
    rough_score = np.array([aicc(problem, solved) for problem, solved in zip(problems, rough, strict=True)])
    close = ~(rough_score > rough_score.min() + SCREEN)
    refined = [
        solve(problem, start=solved.x[0], starts=0, seed=seed) if good else solved
        for problem, solved, good in zip(problems, rough, close, strict=True)
    ]
    return _weigh(path, scope, points, problems, refined, [one.reached for one in rough], seed)


def rows_of(points: Points, chosen) -> np.ndarray:
    """Mask (R,) of the rows of pairs (variant name, core count or None for all counts)."""
    mask = np.zeros(len(points.n), bool)
    for name, count in chosen:
        index = [variant.name for variant in points.variants].index(name)
        mask |= (points.variant == index) & (True if count is None else points.n == count)
    return mask


def _shape(mechanism: Mechanism) -> Mechanism:
    """What the product form sees of a mechanism: readings and variations that it cannot tell apart are one."""
    corrected = mechanism.reading in ("start", "current")
    reading, variation = ("start", mechanism.parts**-0.5) if corrected else (mechanism.reading, mechanism.variation)
    return replace(mechanism, name="", words="", odds=1.0, reading=reading, variation=variation)


def _weigh(path, scope, points, problems, solved, reached, seed) -> Fit:
    scores = np.array([aicc(problem, one) for problem, one in zip(problems, solved, strict=True)])
    odds = np.array([problem.mechanism.odds for problem in problems])
    basis = "AICc"
    if not np.isfinite(scores).all():
        # With as many parameters as rows nothing but the prior odds can tell the mechanisms apart.
        basis, relative = "prior odds", odds
    else:
        relative = odds * np.exp(-TEMPER * (scores - scores.min()) / 2)
    weights = relative / relative.sum()
    counts = np.where(weights >= 0.01, np.round(MEMBERS * weights), 0).astype(int)
    found = []
    for index, (problem, one) in enumerate(zip(problems, solved, strict=True)):
        scale = scatter_scale(problem, one)
        drawn = (
            members(problem, one, scale, counts[index], seed + index)
            if counts[index]
            else np.zeros((0, len(problem.parameters)))
        )
        anchors = anchor_offsets(path, points.variants, problem.mechanism, problem.values(one.x), counts[index])
        error = relative_rms(one.fitted[0] - points.value)
        solution = Solved(one.x, one.offset, one.fitted, one.chi_square, one.converged, reached[index], one.rounds)
        found.append(
            MechanismFit(
                problem.mechanism,
                problem,
                solution,
                scale,
                float(scores[index]),
                float(weights[index]),
                error,
                drawn,
                anchors,
            )
        )
    found.sort(key=lambda one: (-one.weight, one.aicc))
    return Fit(path, scope, points, tuple(found), basis, seed)


def anchor_offsets(path: CodePath, variants, mechanism: Mechanism, values: dict, members: int) -> np.ndarray:
    """Correction by simulation at ANCHORS for each variant and its standard error, (2, variants, ANCHORS); zero for a
    mechanism without members."""
    if not members:
        return np.zeros((2, len(variants), len(ANCHORS)))
    asked = [(variant, np.array(ANCHORS)) for variant in variants]
    return np.stack(
        [np.concatenate(part) for part in zip(*closure_offset(path, mechanism, values, asked), strict=True)]
    )


@dataclass(frozen=True)
class HeldOut:
    """What the fit says of rows that it did not see. label per fold; rows: indices; predicted, observed: log values;
    by_mechanism: name -> predicted log values; weights: name -> weight from the rows that remained."""

    label: str
    rows: np.ndarray
    observed: np.ndarray
    predicted: np.ndarray
    by_mechanism: dict
    weights: dict

    @property
    def error(self) -> float:
        """Relative RMS of the averaged prediction."""
        return relative_rms(self.predicted - self.observed)


def hold_out(full: Fit, folds: dict, *, threshold: float = 0.02, refine: int = 5) -> dict[str, HeldOut]:
    """Predict folds of rows from the other rows: label -> HeldOut. folds: label -> (R,) bool, True = held out.

    The mechanisms that carry weight in the full fit are refitted without each fold and weighted anew by the AICc
    of the rows that remain; nothing of the held-out rows enters but the choice of which mechanisms compete.
    """
    masks = np.stack([np.asarray(mask, bool) for mask in folds.values()])
    rows = len(full.points.n)
    scores, predictions, names = [], [], []
    for one in full.mechanisms:
        if one.weight < threshold:
            continue
        solved = solve(
            one.problem, keep=~masks, start=one.solved.x[0], starts=0, offset=one.solved.offset, rounds=refine
        )
        free = sum(parameter.prior is None for parameter in one.problem.parameters) + 1
        left = rows - masks.sum(axis=1)
        penalty = np.where(left > free + 1, 2 * free + 2 * free * (free + 1) / np.maximum(left - free - 1, 1), 0.0)
        scores.append(left * np.log(np.maximum(solved.chi_square, 1e-9) / left) + penalty)
        predictions.append(solved.fitted)
        names.append(one.mechanism.name)
    scores = np.array(scores)
    odds = np.array([one.mechanism.odds for one in full.mechanisms if one.weight >= threshold])
    weights = odds[:, None] * np.exp(-TEMPER * (scores - scores.min(axis=0)) / 2)
    weights /= weights.sum(axis=0)
    averaged = np.einsum("mb,mbr->br", weights, np.array(predictions))
    return {
        label: HeldOut(
            label,
            np.flatnonzero(mask),
            full.points.value[mask],
            averaged[fold, mask],
            {name: predictions[m][fold, mask] for m, name in enumerate(names)},
            {name: float(weights[m, fold]) for m, name in enumerate(names)},
        )
        for fold, (label, mask) in enumerate(zip(folds, masks, strict=True))
    }


def leave_one_out(points: Points) -> dict[str, np.ndarray]:
    """One fold per row."""
    return {f"row {k}": np.arange(len(points.n)) == k for k in range(len(points.n))}


def leave_variant_out(points: Points) -> dict[str, np.ndarray]:
    """One fold per variant."""
    return {variant.name: points.variant == k for k, variant in enumerate(points.variants)}
