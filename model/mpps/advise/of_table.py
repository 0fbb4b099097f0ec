"""What to measure next of a table: beliefs are the draws of its mixture, with drift and falls."""

import numpy as np

from mpps.advise.weighing import DRAWS, Advice, Believed, candidates_for, weighed
from mpps.discrepancy import cells, contended_share, continued, falls, left_open
from mpps.errors import MppsError
from mpps.table.fitting import TableFit, explained, forecast_points

#: What limits is in question while its leading explanation has less weight than this; otherwise the mechanisms are.
_SETTLED = 0.95
#: Weight of a value that says nothing.
_NO_WEIGHT = 1e-9


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
    """A `Believed` for each count (C,), as a fit to the table with that count would see it: mechanisms and drift of the
    first draws, the drift integrated, and falls beyond the largest count alone."""
    points, prior, size = fit.points, fit.prior.discrepancy, len(label)
    outcomes = forecast_points(fit, counts).noisy
    said, residual = (each[:size] for each in explained(fit, np.append(counts, target)))
    contended = contended_share(said[:, -1:], [target])
    uniform = np.random.default_rng([fit.seed, 3]).random((len(fit.mechanism), 2))[:size]
    scatter = cells()[fit.cell[:size], 0]
    found = []
    for place, count in enumerate(counts):
        # A value of no weight at the count moves the end of the table there, and with it the clock of the drift.
        n, weight = np.append(points.n, count), np.append(points.weight, _NO_WEIGHT)
        left = np.hstack([residual, np.zeros((size, 1))])
        order = np.argsort(n, kind="stable")
        mean, covariance = said[:, [place, -1]].copy(), np.empty((size, 3))
        for cell in np.unique(fit.cell[:size]):
            mine = fit.cell[:size] == cell
            known = weight[order], cells()[cell], prior.persistence, [count, target]
            mean[mine] += continued(n[order], left[mine][:, order], *known)[0]
            covariance[mine] = left_open(n[order], *known)[[0, 0, 1], [0, 1, 1]]
        fallen = falls([target], max(points.n[-1], count), contended, prior.hazard, prior.fall, uniform)[:, 0]
        here, shared, there = covariance.T
        total = here + scatter**2
        rest = np.maximum(there - shared**2 / total, 0.0) + scatter**2
        found.append(
            Believed(
                label,
                outcomes[:, place],
                mean[:, 0],
                np.sqrt(total),
                mean[:, 1] + fallen,
                shared / total,
                np.sqrt(rest),
            )
        )
    return found
