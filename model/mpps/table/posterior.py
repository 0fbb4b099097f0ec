"""What a table says of each mechanism: weighted draws of its quantities, and how well the mechanism predicts the table.

Draws are weighted by how well they explain the table, in rounds: each round looks closer where the weight of the
earlier ones lies (adaptive importance sampling with the deterministic mixture weights of Cornuet, Marin, Mira and
Robert 2012). No start and no optimum is involved, so nothing depends on one.
"""

from dataclasses import dataclass

import numpy as np

from mpps.discrepancy import SCATTERS, Discrepancy, log_likelihoods
from mpps.table.nouns import Mechanism
from mpps.table.points import Points

_FIRST = 1024
_ROUND = 512
_ROUNDS = 8
#: Effective draws at which no further round is needed.
_ENOUGH = 250.0
#: Centres and relative width of the kernels that a round draws from; tails as of Student's t with `_TAILS` degrees.
_CENTRES = 16
_WIDTH = 0.5
_TAILS = 5.0
#: Log evidence below the best at which a mechanism is not looked at more closely.
_HOPELESS = 20.0


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws of one mechanism: coordinates (D, p), log weight of each under each discrepancy cell (D, G), and the log
    evidence, the log of their sum: the log density of the table under the mechanism and its prior."""

    mechanism: Mechanism
    coordinates: np.ndarray
    log_weight: np.ndarray
    log_evidence: float


def explore(
    mechanism: Mechanism, points: Points, center, width, discrepancy: Discrepancy, seed: int, best: float = -np.inf
) -> Draws:
    """Draws of a mechanism given a table; center and width (p,): normal prior of its coordinates.

    best: largest log evidence of the mechanisms seen so far; a hopeless one ends after its first rounds.
    """
    rng = np.random.default_rng(seed)
    size = len(mechanism.quantities)
    log_cells = discrepancy.log_weights.ravel() + _repeats(points)

    def log_rows(coordinates):
        residual = points.log_rate - mechanism.log_rate(coordinates, points.n)
        return log_likelihoods(points.n, residual, points.weight) + log_cells

    if not size:
        rows = log_rows(np.zeros((1, 0)))
        return Draws(mechanism, np.zeros((1, 0)), rows, float(_log_sum(rows.ravel())))
    coordinates = center + width * _stratified(rng, _FIRST, size)
    rows = log_rows(coordinates)
    log_like, log_before = _log_sum(rows, 1), _log_normal(coordinates, center, width)
    # Log density of the mixture that all draws so far came from, but for the number of draws.
    log_mixture = np.log(_FIRST) + log_before
    kernels = []
    for step in range(_ROUNDS + 1):
        log_weight = log_like + log_before - log_mixture + np.log(len(coordinates))
        evidence = _log_sum(log_weight) - np.log(len(coordinates))
        hopeless = step > 1 and evidence < best - _HOPELESS
        if step == _ROUNDS or hopeless or _effective(log_weight) > _ENOUGH:
            break
        kernel = _kernel(rng, coordinates, log_weight, log_like, size)
        fresh = _from_kernel(rng, kernel, size)
        kernels.append(kernel)
        log_mixture = np.logaddexp(log_mixture, np.log(_ROUND) + _log_student(coordinates, *kernel))
        parts = [np.log(_FIRST) + _log_normal(fresh, center, width)]
        parts += [np.log(_ROUND) + _log_student(fresh, *each) for each in kernels]
        log_mixture = np.concatenate([log_mixture, _log_sum(np.stack(parts), 0)])
        log_before = np.concatenate([log_before, _log_normal(fresh, center, width)])
        coordinates, more = np.concatenate([coordinates, fresh]), log_rows(fresh)
        rows, log_like = np.concatenate([rows, more]), np.concatenate([log_like, _log_sum(more, 1)])
    share = log_weight - np.log(len(coordinates))
    keep = share > evidence - 25
    return Draws(mechanism, coordinates[keep], (rows + (share - log_like)[:, None])[keep], float(evidence))


def _repeats(points: Points) -> np.ndarray:
    """Log likelihood of the spread of repeats for every cell, (G,): a scaled chi-square."""
    from mpps.discrepancy import cells

    if not points.freedom:
        return np.zeros(len(cells()))
    # A spread of repeats does not hold what differs between boots, so it counts as an observation of half its freedom.
    freedom = points.freedom / 2
    scatter = cells()[:, 0]
    ratio = np.maximum(points.spread, SCATTERS[0]) / scatter
    return freedom * np.log(ratio) - freedom * ratio**2 / 2


def _stratified(rng, count, size):
    """Latin hypercube of standard normal draws, (count, size)."""
    from scipy.special import ndtri

    places = np.stack([rng.permutation(count) for _ in range(size)], 1)
    return ndtri((places + rng.random((count, size))) / count)


def _kernel(rng, coordinates, log_weight, log_like, size):
    """Centres, root of the covariance, of the draws so far; the table counts less while few draws carry all weight."""
    low, high = 0.0, 1.0
    wanted = 8.0 * (size + 1)
    for _ in range(12):
        middle = (low + high) / 2
        enough = _effective(log_weight - (1 - middle) * log_like) >= wanted
        low, high = (middle, high) if enough else (low, middle)
    power = 1.0 if _effective(log_weight) >= wanted else low
    weight = np.exp(log_weight - (1 - power) * log_like - (log_weight - (1 - power) * log_like).max())
    weight /= weight.sum()
    mean = weight @ coordinates
    spread = (coordinates - mean).T @ (weight[:, None] * (coordinates - mean)) + 1e-8 * np.eye(size)
    centres = coordinates[rng.choice(len(coordinates), _CENTRES, p=weight)]
    return centres, np.linalg.cholesky(spread) * _WIDTH


def _from_kernel(rng, kernel, size):
    centres, root = kernel
    tail = np.sqrt(_TAILS / rng.chisquare(_TAILS, (_ROUND, 1)))
    return centres[np.arange(_ROUND) % _CENTRES] + rng.standard_normal((_ROUND, size)) * tail @ root.T


def _log_normal(coordinates, center, width):
    size = coordinates.shape[1]
    square = (((coordinates - center) / width) ** 2).sum(1)
    return -0.5 * square - np.log(width).sum() - size / 2 * np.log(2 * np.pi)


def _log_student(coordinates, centres, root):
    from scipy.special import gammaln

    size = coordinates.shape[1]
    inverse = np.linalg.inv(root).T
    square = (((coordinates @ inverse)[:, None, :] - centres @ inverse) ** 2).sum(2)
    scale = gammaln((_TAILS + size) / 2) - gammaln(_TAILS / 2) - size / 2 * np.log(_TAILS * np.pi)
    each = scale - np.log(np.diag(root)).sum() - (_TAILS + size) / 2 * np.log1p(square / _TAILS)
    return _log_sum(each, 1) - np.log(len(centres))


def _effective(log_weight):
    weight = np.exp(log_weight - log_weight.max())
    return weight.sum() ** 2 / (weight**2).sum()


def _log_sum(values, axis=None):
    top = values.max(axis=axis, keepdims=True)
    return np.squeeze(np.log(np.exp(values - top).sum(axis=axis, keepdims=True)) + top, axis=axis)
