"""Tables of two known families that their counts leave ambiguous, and what measuring one more point does to them."""

from dataclasses import dataclass

import numpy as np

from mpps.advise import Advice, advise
from mpps.table import MECHANISMS, TableFit, learnt_prior, points
from mpps.table.fitting import fit_points, forecast_points

BY_NAME = {mechanism.name: mechanism for mechanism in MECHANISMS}
#: Relative scatter of every measurement.
SCATTER = 0.02
#: Weights of the true family that leave a table open.
OPEN = (0.2, 0.8)


@dataclass(frozen=True, eq=False)
class Case:
    """An ambiguous table: its family and where its quantities lie, its rows, and its fit."""

    family: int
    coordinates: np.ndarray
    n: np.ndarray
    rate: np.ndarray
    fit: TableFit


def fitted(names, n, rate, count=1000):
    chosen = tuple(BY_NAME[name] for name in names)
    return fit_points(points(n, rate, np.full(len(n), SCATTER)), learnt_prior(), mechanisms=chosen, count=count)


def cases(names, n, count, seed):
    """Ambiguous tables, the families in turn, their quantities drawn from what published tables taught."""
    rng, found, n = np.random.default_rng(seed), [], np.asarray(n, float)
    while len(found) < count:
        family = len(found) % 2
        mechanism = BY_NAME[names[family]]
        center, width, _ = learnt_prior().of(mechanism)
        coordinates = center + width * rng.standard_normal(len(center))
        rate = np.exp(mechanism.log_rate(coordinates[None], n)[0] + SCATTER * rng.standard_normal(len(n)))
        fit = fitted(names, n, rate)
        if OPEN[0] <= fit.weights[family] <= OPEN[1]:
            found.append(Case(family, coordinates, n, rate, fit))
    return found


def measured(case: Case, names, count: int, rng):
    """The fit after one more measurement of the truth at a count."""
    truth = BY_NAME[names[case.family]].log_rate(case.coordinates[None], np.array([float(count)]))[0, 0]
    rate = np.exp(truth + SCATTER * rng.standard_normal())
    return fitted(names, np.append(case.n, count), np.append(case.rate, rate))


def weights_after(case: Case, names, advice: Advice, seed) -> np.ndarray:
    """Weight of the true family after a measurement at each look, in their order: the advised one first."""
    rng = np.random.default_rng(seed)
    return np.array([measured(case, names, look.n, rng).weights[case.family] for look in advice.looks])


def width_at(fit: TableFit, target: int) -> float:
    low, high = np.quantile(forecast_points(fit, [target]).noisy[:, 0], (0.05, 0.95))
    return float(high - low)
