"""Delay and drops of one core's queue: Poisson arrivals, gamma distributed service, finite room, wake-up.

The queue's tail is exponential with the decay d that solves a (M(d) - 1) = d, M the transform of the service time:
P(wait > t) is about A exp(-d t), P(queue >= k) about B z^-k with z = 1 + d/a (Cramer and Lundberg; Tijms, A First
Course in Stochastic Models, 2003, chapter 9); exact for exponential service. A finite room cuts it off: the loss is
(1 - load) Q / (1 - load Q) with Q the chance that an endless queue is at least full, which is exact for M/G/1
(Tijms 2003, section 9.6), and more where a core wakes up first. Wake-up adds, independently, T for the first packet of a busy period and the rest of T for
those that come during it (Fuhrmann and Cooper 1985; Welch 1964).
"""

import numpy as np

from mpps.queues import finite_room, geometric_mean

#: Nodes of the quadratures over a packet's own service and over the time of a wake-up.
_NODES = 12
#: Steps to the 99 % point.
_STEPS = 20
#: 99 % point of the standard normal distribution.
_Z99 = 2.326
#: Halvings that find a root to about 1e-17 of the interval.
_HALVINGS = 56
#: A load this near 1 is moved off it, where both sides of the formulas vanish.
_NEAR = 1e-6


def decay(load, variation):
    """Decay d of the wait's tail in units of 1/service, above 0 below load 1 and below 0 above it; and load M'(d).

    load > 0, variation > 0, broadcast. M(d) = (1 - c2 d)^(-1/c2), gamma, so the root lies between 0 and the pole 1/c2
    below load 1, and between -load and 0 above it, where a core serves as fast as it can.
    """
    load, squared = np.broadcast_arrays(_off_one(load), np.asarray(variation, float) ** 2)
    below = load < 1
    lower, upper = np.where(below, 0.0, -load), np.where(below, 1.0 / squared, 0.0)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for _ in range(_HALVINGS):
            d = (lower + upper) / 2
            excess = load * np.expm1(-np.log1p(-squared * d) / squared) - d
            above = (excess > 0) == below
            upper, lower = np.where(above, d, upper), np.where(above, lower, d)
        d = (lower + upper) / 2
        slope = load * (1 - squared * d) ** (-1 / squared - 1)
    return d, slope


def shared_queue(curve_pps, load_pps, room=np.inf) -> np.ndarray:
    """Mean time in ns of a packet if all cores fed from one queue of n times `room`, a bound from below: curves (K, n), loads
    (K, L), answers (K, L).

    Births at the load, deaths X(min(N, n)), N the packets in the system (Little 1961), where X does not fall: that more busy
    cores are slower is left out. 0 where no count carries the load. It is what a queue for each core cannot beat: with many cores and one lock, the lock's own queue.
    """
    curve, load = np.maximum.accumulate(np.asarray(curve_pps, float), axis=1), np.asarray(load_pps, float)
    n, ratio = curve.shape[1], load / curve[:, -1:]
    below = ratio < 1
    ratio = np.where(below, ratio, 0.0)
    steps = np.log(np.maximum(load, 1e-300))[..., None] - np.log(curve)[:, None, :]
    logs = np.concatenate([np.zeros((*load.shape, 1)), np.cumsum(steps, axis=-1)], axis=-1)
    weight = np.exp(logs - logs.max(axis=-1, keepdims=True))
    # Beyond n the states are geometric, as far as there is room.
    last, states = weight[..., -1], n * (room - 1.0)
    end = np.where(ratio > 0, np.exp(states * np.log(np.maximum(ratio, 1e-300))), 0.0) if np.isfinite(states) else 0.0
    kept = 0.0 if np.isscalar(end) else states * end * ratio
    more = ratio * (1 - end) / (1 - ratio)
    further = (ratio * (1 - end) / (1 - ratio) - kept) / (1 - ratio)
    total = weight.sum(-1) + last * more
    packets = weight @ np.arange(n + 1.0) + last * (n * more + further)
    accepted = np.maximum(load, 1e-300) * (1 - last * end / total)
    return np.where(below, packets / total / accepted * 1e9, 0.0)


def _off_one(load):
    load = np.asarray(load, float)
    return np.where(np.abs(load - 1) < _NEAR, 1 - _NEAR, load)


def drops(load, variation, room, wake=0.0):
    """Share of packets lost when `room` packets fit, the one in service included; wake: wake-up over service time."""
    load = _off_one(np.maximum(load, 1e-12))
    d, slope = decay(load, variation)
    ratio = 1 + d / load
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        full = (1 - load) * ratio / (slope - 1) * np.exp(-room * np.log(ratio))
        full = np.where(load < 1, np.clip(full, 0.0, 1.0), full)
        lost = (1 - load) * full / (1 - load * full)
    # Far above load 1 the chance of a full queue overflows; there a full core serves all the time.
    lost = np.where(np.isfinite(lost), lost, 1 - 1 / load)
    # The tail says little of a small room: there exponential service bounds what varies less, or more.
    with np.errstate(over="ignore"):
        exponential = finite_room(load, 1e9, room).loss_probability
    lost = np.where(np.asarray(variation) <= 1, np.minimum(lost, exponential), np.maximum(lost, exponential))
    lost = exponential if room == 1 else lost
    lost = np.clip(lost, np.maximum(1 - 1 / load, 0.0), 1.0)
    wake = np.asarray(wake, float)
    return np.clip(_with_wake(lost, load, ratio, float(room), wake), lost, 1.0) if wake.any() else lost


def _with_wake(lost, load, ratio, room, wake):
    """Share lost when a core sleeps for `wake` service times before each busy period, from that of one that does not.

    A cycle: a packet wakes the core, J = min(room, 1 + Poisson(load wake)) are there when it is up and S were lost; then the
    queue falls from J to J - 1, ..., to 0. Falling from i takes (1 - l_i) / (1 - load) services, as what comes in and is not
    lost goes out, and loses l_i, which grows by the ratio of the tail with each i up to the load, at a full queue; l_1
    follows from `lost`. Exact for exponential service.
    """
    from scipy.special import gammainc

    load, lost, ratio, wake = np.broadcast_arrays(load, lost, ratio, wake)
    came, last = load * wake, room - 1
    some = gammainc(last, came) if last else 1.0
    over = np.maximum(came * some - last * gammainc(room, came), 0.0)
    there = 1 + came - over
    # One over l_1; a queue that never falls from 1 to 0 has 0.
    one = np.maximum((1 - load) / np.maximum(lost, 1e-290) + load, 0.0)
    most = float((np.minimum(load, 1.0) * wake).max())
    steps = int(min(room, np.ceil(most + 8 * most**0.5 + 10)))
    mean = np.minimum(came, 700.0)
    here, beyond, weight, total = np.exp(-mean), np.ones(mean.shape), np.ones(mean.shape), np.zeros(mean.shape)
    with np.errstate(over="ignore"):
        for step in range(steps):
            total += beyond * np.minimum(weight, np.maximum(load * one, 1.0))
            beyond, here, weight = np.maximum(beyond - here, 0.0), here * mean / (step + 1), weight * ratio
    idle = (1 - load) * over * one
    return (idle + (1 - load) * total) / (idle + there * one - load * total)


def mean_wait(load, variation, room, wake=0.0):
    """Mean wait of an accepted packet in service times: Pollaczek and Khinchine's, cut off by the room, and the wake-up's."""
    load = _off_one(np.maximum(load, 1e-12))
    d, _ = decay(load, variation)
    squared = np.asarray(variation, float) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        # Far above load 1 the decay is the load itself: the queue is full all the time.
        ratio = load / (load + d)
        # What a geometric queue of that ratio would say, corrected to the exact mean of the endless queue.
        seen = geometric_mean(np.log(ratio), np.asarray(room, float) - 1)
        exact = load * (1 + squared) / (2 * (1 - load)) / (ratio / (1 - ratio))
    wait = seen * np.where(load < 1, exact, 1.0)
    return np.minimum(wait + _wake_mean(np.minimum(load, 1.0), wake), room - 1 + wake)


def _wake_mean(load, wake):
    """Mean of what a wake-up adds; it matters as much as the core is not busy anyway."""
    return (2 * wake + load * wake**2) / (2 * (1 + load * wake))


def quantile(load, variation, room, wake=0.0, level: float = 0.99):
    """Time in the system, service included, that a share `level` of accepted packets stays below, in service times."""
    from scipy.special import gammaincc

    load, variation, wake = np.broadcast_arrays(
        _off_one(np.maximum(load, 1e-12)), np.asarray(variation, float), np.asarray(wake, float)
    )
    d, slope = decay(load, variation)
    with np.errstate(divide="ignore", invalid="ignore"):
        amplitude = np.where(load < 1, (1 - load) / (slope - 1), 1.0)
    # With room for one nobody waits; a hair of room spares a case.
    longest = max(float(room) - 1.0, 1e-9)
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    points, weights = (points + 1) / 2, weights / 2
    # A packet's own time by its quantiles, dense near 1, where the tail is.
    tail = (1 - points) ** 3
    own, own_weights = _gamma_nodes(variation, 1 - tail), 3 * weights * (1 - points) ** 2

    shape = 1.0 / variation**2

    def beyond(t):
        """P(time > t) for t (...): a packet's own time exceeds what is left, or its wait does."""
        left = t[..., None] - own
        ends = (t - wake)[..., None] + wake[..., None] * np.concatenate([[0.0], 1 - points])
        exceeds = gammaincc(shape[..., None], np.maximum(ends, 0.0) * shape[..., None])
        alone = exceeds[..., 0] + _tail(left - wake[..., None], load, d, amplitude, longest) @ own_weights
        if not wake.any():
            return alone
        inside = left[..., None] - wake[..., None, None] * points
        during = exceeds[..., 1:] @ weights + (_tail(inside, load, d, amplitude, longest) @ weights) @ own_weights
        return (alone + load * wake * during) / (1 + load * wake)

    found = _falling_root(
        lambda t: np.log(np.maximum(beyond(t), 1e-9) / (1 - level)), load.shape, longest + 40.0 + wake
    )
    # A full queue takes as long as its packets together, which vary; an endless tail has that in it.
    near = np.exp(-np.clip(np.maximum(d, 0.0) * (longest - np.minimum(found, longest)), 0.0, 700.0))
    return found + near * _Z99 * variation * np.sqrt(np.minimum(found, longest))


def _falling_root(height, shape, end):
    """Where a falling function is 0 between 0 and `end`: false position, and halving wherever that shrinks too little.

    The logarithm of a tail is nearly straight, so few steps do.
    """
    low, high = np.zeros(shape), np.broadcast_to(end, shape).copy()
    above, below = height(low), height(high)
    halve = np.zeros(shape, bool)
    for _ in range(_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(above > below, above / (above - below), 0.5)
        share = np.where(halve, 0.5, np.clip(share, 0.02, 0.98))
        middle = low + share * (high - low)
        here = height(middle)
        up = here > 0
        width = high - low
        low, above = np.where(up, middle, low), np.where(up, here, above)
        high, below = np.where(up, high, middle), np.where(up, below, here)
        halve = (high - low) > 0.5 * width
    return low + (high - low) * np.clip(np.where(above > below, above / (above - below), 0.5), 0.0, 1.0)


def _tail(t, load, d, amplitude, longest):
    """P(wait > t) without wake-up, for t from 0: the tail, cut off where the room ends; 0 before and beyond."""
    extra = (...,) + (None,) * (t.ndim - load.ndim)
    load, d, amplitude = load[extra], d[extra], amplitude[extra]
    inside = np.clip(t, 0.0, longest)
    with np.errstate(over="ignore", invalid="ignore"):
        end = np.exp(-np.maximum(d, -700 / longest) * longest)
        cut = (np.exp(-np.maximum(d, -700 / longest) * inside) - end) / np.where(np.abs(1 - end) < 1e-12, 1.0, 1 - end)
        cut = np.where(np.abs(1 - end) < 1e-12, 1 - inside / longest, cut)
    waits = np.minimum(load, 1.0)
    found = np.minimum(waits, np.minimum(amplitude, 1.0) * cut)
    return np.where((t < 0) | (t >= longest), 0.0, found)


def _gamma_nodes(variation, points):
    """Service times over their mean at the quantiles `points`, (..., nodes)."""
    from scipy.special import gammaincinv

    shape = 1.0 / variation[..., None] ** 2
    return gammaincinv(shape, points) / shape
