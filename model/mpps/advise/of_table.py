"""What to measure next of a table: beliefs are the draws of its mixture, with drift and falls."""

import numpy as np

from mpps.advise.weighing import DRAWS, Advice, Believed, candidates_for, weighed
from mpps.discrepancy import cells, continued, falls, left_open
from mpps.errors import MppsError
from mpps.table.fitting import TableFit, contended_share, explained, forecast_points

#: What limits is in question while its leading explanation has less weight than this; otherwise the mechanisms are.
_SETTLED = 0.95


def advise(
    fit: TableFit, target: int | None = None, candidates=None, *, variant: str = "", seed: int | None = None
) -> Advice:
    """The next count to measure of a table, for the rate at `target` (four times the largest count when None).

    candidates: whole counts; `candidates_for` when None. Raises `MppsError` without any, and as `forecast_points` does.
    """
    seed = fit.seed if seed is None else seed
    measured = fit.points.n.astype(int)
    target = 4 * int(measured[-1]) if target is None else int(target)
    counts = candidates_for(measured, target) if candidates is None else sorted({int(each) for each in candidates})
    if not counts:
        raise MppsError("no count to measure next: name one candidate at least")
    quantiles = forecast_points(fit, [target]).quantiles[:, 0]
    names, label = _labels(fit)
    beliefs = _table_beliefs(fit, np.array(counts, float), float(target), label)
    repeats = {int(n): int(weight) for n, weight in zip(fit.points.n, fit.points.weight, strict=True)}
    pairs = [(variant, count, repeats.get(count, 0)) for count in counts]
    return weighed(variant, target, quantiles, names, pairs, beliefs, int(measured[-1]), seed)


def _labels(fit: TableFit) -> tuple[list[str], np.ndarray]:
    """Names of the explanations in question, and the number of that of each draw: what limits, as long as that is open,
    otherwise which mechanism."""
    limits = [draws.mechanism.limit for draws in fit.draws]
    names = list(dict.fromkeys(limits))
    number = np.array([names.index(limit) for limit in limits])
    if np.bincount(number, fit.weights).max() > _SETTLED:
        names, number = [draws.mechanism.name for draws in fit.draws], np.arange(len(limits))
    return names, number[fit.mechanism[:DRAWS]]


def _table_beliefs(fit: TableFit, counts, target: float, label) -> list[Believed]:
    """A `Believed` for each count (C,): mechanism, drift and falls of the first draws; the drift is integrated, not drawn."""
    points, prior = fit.points, fit.prior.discrepancy
    size, n = len(label), np.append(counts, target)
    curves, residual = (each[:size] for each in explained(fit, n))
    uniform = np.random.default_rng([fit.seed, 3]).random((len(fit.mechanism), 2))[:size]
    mean = curves + falls(n, points.n[-1], contended_share(curves, n), prior.hazard, prior.fall, uniform)
    scatter = cells()[fit.cell[:size], 0]
    variance, shared = np.empty((size, len(n))), np.empty((size, len(n)))
    for cell in np.unique(fit.cell[:size]):
        mine = fit.cell[:size] == cell
        known = points.n, points.weight, cells()[cell], prior.persistence, n
        mean[mine] += continued(known[0], residual[mine], *known[1:])[0]
        covariance = left_open(*known)
        variance[mine], shared[mine] = np.maximum(np.diag(covariance), 0.0), covariance[-1]
    total = variance + scatter[:, None] ** 2
    found = []
    for place in range(len(counts)):
        gain = shared[:, place] / total[:, place]
        left = np.maximum(total[:, -1] - gain * shared[:, place], scatter**2)
        found.append(Believed(label, mean[:, place], np.sqrt(total[:, place]), mean[:, -1], gain, np.sqrt(left)))
    return found
