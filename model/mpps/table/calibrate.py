"""What published tables teach: odds of mechanisms, where their quantities lie, scatter, drift, and how often a new
bottleneck sets in. Learnt once per source left out, so that a forecast never rests on the source it is scored on.

    python -m mpps.table.calibrate      # writes data/calibration.json from data/corpus

Empirical Bayes: every curve is explained with the broad prior; what the explanations have in common becomes the prior.
A data set counts once, however many curves it has, and the broad prior counts as a few data sets more.
"""

import concurrent.futures
import datetime
import multiprocessing
import sys
from dataclasses import dataclass

import numpy as np

from mpps.corpus import NEEDED, Curve, load
from mpps.discrepancy import Discrepancy, broad, cells, contended_share, continued
from mpps.root import data_folder
from mpps.table.fitting import TableFit, explained, fit_points
from mpps.table.mechanisms import MECHANISMS
from mpps.table.points import Points, points
from mpps.table.prior import Prior, broad_prior, write_priors

#: How many data sets the broad prior stands for: of quantities, of odds (each mechanism), of scatter and drift.
_QUANTITIES, _ODDS, _CELLS = 2.0, 1.0, 8.0
#: Steps of the expectation maximisation.
_STEPS = 30
#: A quantity is never believed to be known better than this standard deviation of its coordinate.
_NARROWEST = 0.4
#: What competes for the drift outside the data and for falls beyond it: evenly spread logarithms.
_PERSISTENCES = np.geomspace(0.25, 1.0, 5)
_HAZARDS = np.geomspace(0.025, 0.25, 6)
_FALLS = np.geomspace(0.4, 2.0, 6)


@dataclass(frozen=True, eq=False)
class Lesson:
    """What one curve says: weights (M,) of the mechanisms, mean and mean square of their coordinates (each (p,)),
    weights (G,) of the discrepancy cells, and the log density of its held-out points (persistences, hazards, falls)."""

    dataset: str
    source: str
    weights: np.ndarray
    mean: tuple[np.ndarray, ...]
    square: tuple[np.ndarray, ...]
    cells: np.ndarray
    density: np.ndarray | None


def curve_points(curve: Curve, rows: slice = slice(None)) -> Points:
    """The points of a curve of the corpus."""
    stated = np.where(np.isfinite(curve.stated), curve.stated, curve.scatter)[rows]
    found = points(curve.n[rows], curve.rate[rows], stated, of=curve.dataset)
    return Points(found.n, found.log_rate, curve.repeats[rows].astype(float), found.spread, found.freedom)


def lesson(curve: Curve, seed: int = 1) -> Lesson:
    """What a curve of the corpus says: of its mechanism from all of its points, of surprises from the held-out ones."""
    whole = fit_points(curve_points(curve), broad_prior(), seed=seed, count=1)
    mean, square, cell = [], [], np.zeros(len(cells()))
    for draws, weight in zip(whole.draws, whole.weights, strict=True):
        share = np.exp(draws.log_weight - draws.log_evidence)
        each = share.sum(1)
        mean.append(each @ draws.coordinates / each.sum())
        square.append(each @ draws.coordinates**2 / each.sum())
        cell += weight * share.sum(0)
    density = None
    if len(curve.n) >= NEEDED:
        part = fit_points(curve_points(curve, slice(None, curve.cut)), broad_prior(), seed=seed)
        density = held_out_density(part, curve.held_n, np.log(curve.held_rate))
    return Lesson(curve.dataset, curve.source, whole.weights, tuple(mean), tuple(square), cell, density)


def held_out_density(fit: TableFit, n, log_rate) -> np.ndarray:
    """Mean log density of new log rates (P,) at counts n beyond the data: (persistences, hazards, falls).

    A fall is exponential and scatter normal, so each draw gives a mixture of a normal density and an exponentially
    modified one (Grushka 1972).
    """
    from scipy.special import log_ndtr

    doublings = np.log2(n / fit.points.n[-1])
    found = np.empty((len(_PERSISTENCES), len(_HAZARDS), len(_FALLS)))
    for first, persistence in enumerate(_PERSISTENCES):
        middle, spread, contended = _believed(fit, n, persistence)
        away = (log_rate - middle) / spread
        normal = np.exp(-0.5 * away**2) / (spread * np.sqrt(2 * np.pi))
        stays = [np.exp(-hazard * contended * doublings) for hazard in _HAZARDS]
        for last, fall in enumerate(_FALLS):
            ratio = spread / fall
            fallen = np.exp(np.minimum(away * ratio + ratio**2 / 2 + log_ndtr(-away - ratio), 50.0)) / fall
            for second, stay in enumerate(stays):
                density = (stay * normal + (1 - stay) * fallen).mean(0)
                found[first, second, last] = np.log(np.maximum(density, 1e-30)).mean()
    return found


def _believed(fit: TableFit, n, persistence):
    """Middle, standard deviation and contended share of each mixture draw at n: (K, P) each."""
    middle, residual = explained(fit, n)
    spread, contended = np.empty(middle.shape), contended_share(middle, n)
    for cell in np.unique(fit.cell):
        mine = fit.cell == cell
        mean, drift, _ = continued(fit.points.n, residual[mine], fit.points.weight, cells()[cell], persistence, n)
        middle[mine] += mean
        spread[mine] = np.hypot(drift, cells()[cell, 0])
    return middle, spread, contended


def combined(lessons, left_out: str | None = None) -> Prior:
    """The prior that lessons give, without those of one source."""
    used = [each for each in lessons if each.source != left_out]
    curves = {name: sum(each.dataset == name for each in used) for name in {each.dataset for each in used}}
    share = np.array([1 / curves[each.dataset] for each in used])
    weights = np.stack([each.weights for each in used])
    odds = np.array([mechanism.odds for mechanism in MECHANISMS])
    seen = share @ weights + _ODDS * odds
    center, width = {}, {}
    for place, mechanism in enumerate(MECHANISMS):
        if mechanism.quantities:
            # A mechanism that barely explains a curve says little of where its quantities lie.
            each = share * np.minimum(1.0, 5 * weights[:, place])
            total = each.sum() + _QUANTITIES
            mean = each @ np.stack([one.mean[place] for one in used]) / total
            square = (each @ np.stack([one.square[place] for one in used]) + _QUANTITIES) / total
            center[mechanism.name] = mean
            width[mechanism.name] = np.sqrt(np.maximum(square - mean**2, _NARROWEST**2))
    start = broad()
    cell = _cells(share, np.stack([one.cells for one in used]), np.exp(start.log_weights.ravel()))
    discrepancy = Discrepancy(np.log(cell).reshape(start.log_weights.shape), *_surprises(used))
    words = f"{len(curves)} published data sets of {len({each.source for each in used})} sources"
    names = [mechanism.name for mechanism in MECHANISMS]
    return Prior(discrepancy, dict(zip(names, np.log(seen / seen.sum()), strict=True)), center, width, words)


def _cells(share, seen, before) -> np.ndarray:
    """Weights of the discrepancy cells by expectation maximisation; seen (curves, G) under the weights `before`."""
    likelihood, weight = seen / before, before
    for _ in range(_STEPS):
        each = likelihood * weight
        weight = share @ (each / each.sum(1, keepdims=True)) + _CELLS * before
        weight = weight / weight.sum()
    return weight


def _surprises(lessons) -> tuple[float, float, float]:
    """Persistence, hazard and fall: geometric means weighed by how likely they make the held-out points.

    A data set counts as one observation, since its points go wrong together.
    """
    scored = [each for each in lessons if each.density is not None]
    names = {each.dataset for each in scored}
    total = sum(np.mean([each.density for each in scored if each.dataset == name], axis=0) for name in sorted(names))
    weight = np.exp(total - total.max())
    weight /= weight.sum()
    grids = np.meshgrid(np.log(_PERSISTENCES), np.log(_HAZARDS), np.log(_FALLS), indexing="ij")
    return tuple(float(np.exp((weight * grid).sum())) for grid in grids)


def main() -> int:
    """Learn from data/corpus and write data/calibration.json."""
    corpus = load()
    curves = [curve for curve in corpus.curves if len(curve.n) >= 3]
    # Fresh processes of one thread each: the curves are many and small.
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        lessons = list(pool.map(lesson, curves))
    sources = sorted({each.source for each in lessons})
    priors = {source: combined(lessons, source) for source in sources}
    write_priors(data_folder() / "calibration.json", combined(lessons), priors, str(datetime.date.today()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
