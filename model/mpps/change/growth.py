"""How laps grow through shared work in general: what may limit once a lock is gone."""

import numpy as np

from mpps.table.mechanisms import MECHANISMS
from mpps.table.prior import Prior


def draw_growth(prior: Prior, n, count: int, rng) -> np.ndarray:
    """By what factor a lap grows from the smallest of n on, for tables of any kind: draws of the prior, (count, P)."""
    odds = np.exp([prior.of(mechanism)[2] for mechanism in MECHANISMS])
    found = []
    for mechanism, draws in zip(MECHANISMS, rng.multinomial(count, odds / odds.sum()), strict=True):
        center, width, _ = prior.of(mechanism)
        coordinates = center + width * rng.standard_normal((draws, len(center)))
        found.append(np.log(n) - mechanism.log_rate(coordinates, n))
    growth = np.concatenate(found)
    return np.exp(growth - growth[:, :1])[rng.permutation(count)]
