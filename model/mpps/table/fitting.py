"""The mixture: every mechanism weighed by how well it predicts the table, and what follows at any count."""

from dataclasses import dataclass

import numpy as np

from mpps.discrepancy import cells, contended_share, continued, falls
from mpps.table.mechanisms import MECHANISMS
from mpps.table.points import Points, asked
from mpps.table.posterior import Draws, explore
from mpps.table.prior import Prior
from mpps.uncertainty import LEVELS

#: Draws of the mixture that answers are made of.
COUNT = 4000


@dataclass(frozen=True, eq=False)
class TableFit:
    """A table explained by all mechanisms. weights (M,) follow `draws`; the arrays of the K mixture draws say to which
    mechanism, draw and discrepancy cell each belongs."""

    points: Points
    prior: Prior
    draws: tuple[Draws, ...]
    weights: np.ndarray
    mechanism: np.ndarray
    draw: np.ndarray
    cell: np.ndarray
    seed: int


@dataclass(frozen=True, eq=False)
class TableForecast:
    """n (P,); quantiles (5, P) at `mpps.uncertainty.LEVELS`, in the unit of the table; curves (K, P): log rate of each
    mixture draw with drift and falls, without scatter; noisy (K, P): with the scatter of one new measurement."""

    n: np.ndarray
    quantiles: np.ndarray
    curves: np.ndarray
    noisy: np.ndarray


def fit_points(points: Points, prior: Prior, *, mechanisms=MECHANISMS, seed: int = 1, count: int = COUNT) -> TableFit:
    """Weigh the mechanisms against a table and draw `count` explanations from the mixture."""
    found, best = [], -np.inf
    for mechanism in mechanisms:
        center, width, log_odds = prior.of(mechanism)
        key = [seed, *mechanism.name.encode()]
        draws = explore(mechanism, points, center, width, prior.discrepancy, key, best - log_odds)
        found.append((draws, draws.log_evidence + log_odds))
        best = max(best, draws.log_evidence + log_odds)
    total = np.array([evidence for _, evidence in found])
    weights = np.exp(total - total.max())
    weights /= weights.sum()
    draws = tuple(draws for draws, _ in found)
    return TableFit(points, prior, draws, weights, *_picked(draws, weights, count, seed), seed)


def forecast_points(fit: TableFit, at) -> TableForecast:
    """Rates at counts `at` (P,), whole numbers from 1, answered ascending and each once; `DataError` for others."""
    n = asked(at)
    points, discrepancy = fit.points, fit.prior.discrepancy
    curves, residual = explained(fit, n)
    contended = contended_share(curves, n)
    normal, scattered = (_by_count(fit.seed, stream, len(curves), n) for stream in (1, 2))
    scatter = _scatter_of_one(fit)
    for cell in np.unique(fit.cell):
        mine = fit.cell == cell
        mean, spread, _ = continued(points.n, residual[mine], points.weight, cells()[cell], discrepancy.persistence, n)
        curves[mine] += mean + spread * normal[mine]
    uniform = np.random.default_rng([fit.seed, 3]).random((len(curves), 2))
    curves = curves + falls(n, points.n[-1], contended, discrepancy.hazard, discrepancy.fall, uniform)
    noisy = curves + scatter * scattered
    return TableForecast(n, np.exp(np.quantile(noisy, LEVELS, axis=0)), curves, noisy)


def _scatter_of_one(fit: TableFit) -> np.ndarray:
    """Relative standard deviation of one new measurement for each mixture draw, (K, 1): what the points leave, and at
    least what repeats of one count showed."""
    scatter = cells()[fit.cell, 0][:, None]
    freedom = fit.points.freedom
    if freedom < 2:
        return scatter
    drawn = np.random.default_rng([fit.seed, 5]).chisquare(freedom, scatter.shape)
    return np.maximum(scatter, fit.points.spread * np.sqrt(freedom / drawn))


def explained(fit: TableFit, n) -> tuple[np.ndarray, np.ndarray]:
    """What the mechanism of each mixture draw says: log rate at n (P,) relative to a lone sender, (K, P), and what it
    leaves of the table, log rate measured minus said, (K, k)."""
    said = np.empty((len(fit.mechanism), len(n) + len(fit.points.n)))
    for place, draws in enumerate(fit.draws):
        mine = fit.mechanism == place
        if mine.any():
            said[mine] = draws.mechanism.log_rate(draws.coordinates[fit.draw[mine]], np.concatenate([n, fit.points.n]))
    return said[:, : len(n)], fit.points.log_rate - said[:, len(n) :]


def _picked(draws, weights, count, seed):
    """Mechanism, draw and cell of `count` explanations: systematic sampling of all weights."""
    parts, shapes = [], []
    for one, weight in zip(draws, weights, strict=True):
        parts.append(weight * np.exp(one.log_weight - one.log_evidence).ravel())
        shapes.append(one.log_weight.shape)
    edges = np.cumsum(np.concatenate(parts))
    places = (np.arange(count) + np.random.default_rng([seed, 0]).random()) / count * edges[-1]
    flat = np.searchsorted(edges, places, "right")
    starts = np.concatenate([[0], np.cumsum([part.size for part in parts])])
    mechanism = np.searchsorted(starts, flat, "right") - 1
    inner = flat - starts[mechanism]
    columns = np.array([shape[1] for shape in shapes])[mechanism]
    # Shuffled, so that draws beside each other are not of one kind when other draws are laid over them.
    order = np.random.default_rng([seed, 4]).permutation(count)
    return mechanism[order], (inner // columns)[order], (inner % columns)[order]


def _by_count(seed, stream, draws, n):
    """Normal draws (K, P) that belong to a count, whatever other counts are asked with it."""
    return np.stack([np.random.default_rng([seed, stream, int(count)]).standard_normal(draws) for count in n], axis=1)
