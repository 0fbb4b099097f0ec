"""What n cores carry while some of them are busy, and how busy they are at a given load.

A busy core is a sender of the closed network, so K busy cores carry X(K), the predicted curve. Each core has a queue of
its own: an idle one gets a packet at its share a of the load; of the X(K) packets a second one in so many leaves its core
empty, the share u of time that a core idles. So K is a birth and death process with births (n - K) a and deaths X(K) u:

    p(K) ~ q^K n! / (n - K)! / (X(1) ... X(K)),  q = a / u

For X(K) = K X(1) that is the binomial of n M/M/1 queues. Births and deaths balance, q (n - E K) = E X, so a load is carried
by exactly the q whose mean rate it is, and u = 1 - E K / n follows. Where X falls the mean rate can fall with q too: a load
then has a second answer, with all cores busy.
"""

from dataclasses import dataclass

import numpy as np

#: Odds q over X(1) that are looked at: dense where cores go from idle to busy.
_ODDS = np.unique(
    np.concatenate([np.geomspace(1e-7, 1e-2, 26), np.geomspace(1e-2, 1e2, 161), np.geomspace(1e2, 1e7, 31)])
)
#: A fall of the mean rate by less than this is taken as noise.
FALL = 0.01
#: Numbers in memory at a time.
_AT_ONCE = 1 << 23


@dataclass(frozen=True, eq=False)
class Carried:
    """Mean rate by busy share for K draws: busy (K, G) ascending from near 0 to 1, rate (K, G), packets/s; curve (K, n)."""

    curve: np.ndarray
    busy: np.ndarray
    rate: np.ndarray

    @property
    def n(self) -> int:
        """Cores."""
        return self.curve.shape[1]


def carried(curve_pps) -> Carried:
    """Mean rate by busy share of curves (K, n), packets/s with 1..n busy cores."""
    curve = np.asarray(curve_pps, float)
    draws, n = curve.shape
    busy, rate = np.ones((draws, len(_ODDS) + 1)), np.empty((draws, len(_ODDS) + 1))
    step = max(1, _AT_ONCE // (len(_ODDS) * (n + 1)))
    for first in range(0, draws, step):
        here = slice(first, first + step)
        share = _states(curve[here], _ODDS[None, :] * curve[here, :1])
        busy[here, :-1] = share @ (np.arange(n + 1) / n)
        rate[here, :-1] = np.einsum("kgm,km->kg", share[..., 1:], curve[here])
    rate[:, -1] = curve[:, -1]
    # Rounding must not let the busy share fall where all cores are busy anyway.
    return Carried(curve, np.maximum.accumulate(np.minimum(busy, 1.0), axis=1), rate)


def _states(curve, odds) -> np.ndarray:
    """Probabilities of 0..n busy cores for curves (K, n) and q (K, G): (K, G, n + 1)."""
    n = curve.shape[1]
    steps = np.log((n - np.arange(n)) / curve)
    weight = np.concatenate([np.zeros((len(curve), 1)), np.cumsum(steps, axis=1)], axis=1)
    logs = weight[:, None, :] + np.log(odds)[..., None] * np.arange(n + 1)
    logs -= logs.max(axis=-1, keepdims=True)
    share = np.exp(logs, out=logs)
    return share / share.sum(axis=-1, keepdims=True)


def solve_busy(found: Carried, load_pps, shares=None) -> tuple[np.ndarray, np.ndarray]:
    """Smallest busy share (K, L) that keeps itself up at loads (K, L), and whether a busier state keeps itself up too.

    shares (K, n): part of the load on each core, even when None; a core whose part is more than it serves is busy all the
    time, the others in proportion.
    """
    load, row = np.asarray(load_pps, float), np.arange(len(found.rate))
    busy, second = np.empty(load.shape), np.zeros(load.shape, bool)
    for index in range(load.shape[1]):
        # Load over what is carried: of a core's busy share this much is needed.
        offered = load[:, index, None] / found.rate * found.busy
        needed = np.minimum(offered, 1.0) if shares is None else _clipped_mean(shares * found.n, offered)
        enough = needed <= found.busy
        enough[:, -1] = True
        first = enough.argmax(axis=1)
        before = np.maximum(first - 1, 0)
        high = needed[row, before] - found.busy[row, before]
        low = found.busy[row, first] - needed[row, first]
        share = np.where(first > 0, high / np.maximum(high + low, 1e-300), 1.0)
        between = found.busy[row, before] + share * (found.busy[row, first] - found.busy[row, before])
        busy[:, index] = np.where(first > 0, between, needed[:, 0])
        above = needed > found.busy * (1 + FALL)
        # All cores busy holds itself up when the load is above what they then carry.
        above[:, -1] = (offered[:, -1] if shares is None else needed[:, -1]) > (
            1 + FALL if shares is None else 1 - 1e-12
        )
        second[:, index] = (above & (np.arange(above.shape[1]) > first[:, None])).any(axis=1)
    return busy, second


def states_at(found: Carried, busy) -> np.ndarray:
    """Probabilities of 0..n busy cores at busy shares (K, L): (K, L, n + 1)."""
    odds = np.stack([np.interp(each, mine, np.log(_LAST)) for each, mine in zip(busy, found.busy, strict=True)])
    share = _states(found.curve, np.exp(odds) * found.curve[:, :1])
    full = np.arange(found.n + 1) == found.n
    return np.where((busy >= 1.0)[..., None], full, share)


#: With the end of the grid, at which all cores are busy.
_LAST = np.append(_ODDS, _ODDS[-1] * 10)


def _clipped_mean(relative, offered) -> np.ndarray:
    """Mean over cores of min(1, relative offered): relative (K, n), offered (K, G) -> (K, G)."""
    order = np.sort(relative, axis=1)[:, ::-1]
    n = order.shape[1]
    sums = np.concatenate([np.zeros((len(order), 1)), np.cumsum(order, axis=1)], axis=1)
    mean = np.empty(offered.shape)
    for k in range(len(order)):
        full = np.searchsorted(-order[k], -1.0 / np.maximum(offered[k], 1e-300), side="left")
        mean[k] = (full + (sums[k, n] - sums[k, full]) * offered[k]) / n
    return mean


def sustained(found: Carried) -> np.ndarray:
    """Largest load up to which no other state holds itself up, (K,): the lowest rate beyond the first fall, else the last."""
    later = np.minimum.accumulate(found.rate[:, ::-1], axis=1)[:, ::-1]
    falls = later < found.rate * (1 - FALL)
    first = np.where(falls.any(axis=1), falls.argmax(axis=1), found.rate.shape[1] - 1)
    return later[np.arange(len(found.rate)), first]
