"""What n cores carry when each is busy with some probability, and how busy they are at a given load.

A busy core is a sender of the closed network, so K busy cores carry X(K), the predicted curve. Each of the n cores is
busy with probability r on its own account, so K is binomial and the rate is C(r), the mean of X(K). A load is carried
where n r packets a second over C(r), the time of a packet on its core, keep the cores as busy as that: load = C(r) for an
even load. Where X falls, C does too: a load may have a second answer, with all cores busy, that a burst can reach.
"""

import numpy as np

#: Busy shares that are looked at: dense near 0 and 1, where roots lie close.
GRID = np.unique(np.concatenate([np.geomspace(1e-6, 0.02, 30), np.linspace(0.02, 0.98, 97), 1 - np.geomspace(1e-4, 0.02, 12), [1.0]]))
#: A fall of C(r) by less than this is taken as noise.
FALL = 0.01


def mean_rate(curve_pps, busy=GRID) -> np.ndarray:
    """C(r): mean of X(K) for K binomial with n cores and busy share r; curve_pps (..., n) for 1..n, busy (G,): (..., G)."""
    curve = np.asarray(curve_pps, float)
    return curve @ _binomial(curve.shape[-1], np.asarray(busy, float))[1:]


def mean_over_busy(values, busy) -> np.ndarray:
    """Mean over K of values (K, n) for 1..n busy cores, 0 for none, at busy shares (K, L): (K, L)."""
    values, busy = np.asarray(values, float), np.asarray(busy, float)
    weights = _binomial(values.shape[-1], busy.ravel())[1:].reshape(values.shape[-1], *busy.shape)
    return np.einsum("kn,nkl->kl", values, weights)


def _binomial(n: int, busy) -> np.ndarray:
    """Probabilities of 0..n busy cores, (n + 1, G)."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    k = np.arange(n + 1)[:, None]
    inside = np.clip(busy, 1e-300, 1 - 1e-16)
    choose = (logs[n] - logs - logs[::-1])[:, None]
    found = np.exp(choose + k * np.log(inside) + (n - k) * np.log1p(-inside))
    # At the ends the logarithms lose what is certain.
    return np.where(busy >= 1.0, k == n, np.where(busy <= 0.0, k == 0, found))


def solve_busy(rate, load_pps, shares, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Smallest busy share (K, L) that keeps itself up, and whether a busier state keeps itself up as well.

    rate: C on GRID, (K, G); load_pps (K, L) or (L,); shares (K, n): part of the load on each core, or None for even.
    """
    load = np.broadcast_to(load_pps, (len(rate), np.shape(load_pps)[-1]))
    time = n * GRID / rate
    busy, second = np.empty(load.shape), np.zeros(load.shape, bool)
    for index in range(load.shape[1]):
        offered = load[:, index, None] / n * time
        if shares is None:
            needed = np.minimum(offered, 1.0)
        else:
            # Cores above 1 are full; sorted shares and their sums spare a loop over cores.
            needed = _clipped_mean(shares * n, offered)
        enough = needed <= GRID
        enough[:, -1] = True
        first = enough.argmax(axis=1)
        row = np.arange(len(rate))
        before = np.maximum(first - 1, 0)
        high, low = needed[row, before] - GRID[before], GRID[first] - needed[row, first]
        share = np.where(first > 0, high / np.maximum(high + low, 1e-300), 1.0)
        busy[:, index] = np.where(first > 0, GRID[before] + share * (GRID[first] - GRID[before]), needed[:, 0])
        after = np.arange(len(GRID)) > first[:, None]
        above = needed > np.minimum(GRID * (1 + FALL), 1.0)
        # All cores busy holds itself up when the load is above what they then carry.
        above[:, -1] = offered[:, -1] > 1 + FALL
        second[:, index] = (above & after).any(axis=1)
    return busy, second


def _clipped_mean(relative, offered) -> np.ndarray:
    """Mean over cores of min(1, relative offered): relative (K, n), offered (K, G) -> (K, G)."""
    order = np.sort(relative, axis=1)[:, ::-1]
    n = order.shape[1]
    sums = np.concatenate([np.zeros((len(order), 1)), np.cumsum(order, axis=1)], axis=1)
    found = np.empty(offered.shape)
    for k in range(len(order)):
        full = np.searchsorted(-order[k], -1.0 / offered[k], side="left")
        found[k] = (full + (sums[k, n] - sums[k, full]) * offered[k]) / n
    return found


def sustained(rate) -> np.ndarray:
    """Largest load up to which no burst can leave the cores behind, (K,): the lowest C beyond the first fall, else C(1)."""
    later = np.minimum.accumulate(rate[:, ::-1], axis=1)[:, ::-1]
    falls = later < rate * (1 - FALL)
    first = np.where(falls.any(axis=1), falls.argmax(axis=1), rate.shape[1] - 1)
    return later[np.arange(len(rate)), first]
