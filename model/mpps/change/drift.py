"""The drift of curves after a change: draws of it, and draws that agree with points that are known."""

import numpy as np


def by_count(n, draws: int, seed: int, stream: int) -> np.ndarray:
    """Normal draws (K, P) that belong to a count, whatever other counts are asked with it."""
    return np.stack([np.random.default_rng([seed, stream, int(each)]).standard_normal(draws) for each in n], axis=1)


def brownian(n, draws: int, seed: int) -> np.ndarray:
    """Brownian motions in log2(n), (K, P), zero at the smallest of ascending counts n (P,)."""
    steps = np.sqrt(np.diff(np.log2(n), prepend=np.log2(n[0])))
    return np.cumsum(steps * by_count(n, draws, seed, 13), axis=1)


def conditioned(curves, motion, n, known: dict[float, float], scatter, drift, count: int, rng):
    """`count` draws that agree with rates known at some of the counts: places among the K draws, and log rates (count, P).

    Each draw is a curve of log rates (K, P) plus drift (K,) times its Brownian motion (K, P); scatter (K,): standard
    deviations of a measurement. Draws are resampled by the density of the known points under curve, drift and scatter
    together; the drift of each is then moved to where the points want it (Matheron's rule).
    """
    places = np.flatnonzero(np.isin(n, list(known)))
    if not len(places):
        return np.arange(count), (curves + drift[:, None] * motion)[:count]
    value = np.log([known[each] for each in n[places]])
    time = np.log2(n / n[0])
    shared = np.minimum(time[:, None], time[places])
    # One covariance for each pair of scatter and drift: there are few.
    cells, cell = np.unique(np.stack([scatter, drift], 1), axis=0, return_inverse=True)
    covariance = cells[:, 1, None, None] ** 2 * shared[places] + cells[:, 0, None, None] ** 2 * np.eye(len(places))
    inverse, (_, size) = np.linalg.inv(covariance), np.linalg.slogdet(covariance)
    residual = value - curves[:, places]
    cell = cell.ravel()
    weight = -0.5 * (np.einsum("ki,kij,kj->k", residual, inverse[cell], residual) + size[cell])
    edges = np.cumsum(np.exp(weight - weight.max()))
    chosen = np.searchsorted(edges, (np.arange(count) + rng.random()) / count * edges[-1], "right")
    chosen = np.minimum(chosen, len(edges) - 1)
    # Draws that were taken several times get a drift of their own each.
    order = rng.permutation(count)
    chosen, moved = chosen[order], motion[rng.permutation(len(motion))[:count]]
    mine, wide = drift[chosen, None], scatter[chosen, None]
    open_ = residual[chosen] - mine * moved[:, places] - wide * rng.standard_normal((count, len(places)))
    pulled = np.einsum("pi,kij,kj->kp", shared, inverse[cell[chosen]], open_)
    return chosen, curves[chosen] + mine * moved + mine**2 * pulled
