"""Closed networks of one or two stations as laps per lap time of a lone sender, for many parameter sets and few counts.

The same product forms as `mpps.network`, arranged for tables: counts may be sparse and large, so depths far from both
ends are summed in cells, whose midpoint rule is exact to far below the scatter of any measurement.
"""

import functools

import numpy as np

#: Depths summed one by one at either end; between them cells grow by a share of the depth.
_SINGLE = 128
_GROWTH = 0.04
#: Senders outside the station are at most about its think time, below which their number is spread by its square root:
#: up to so many, cells are narrower than that.
_THINKING = 2048


@functools.lru_cache(maxsize=4096)
def depth_cells(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Middle and width of cells that cover the depths 1..n, (C,) each: single depths at both ends."""
    if n <= 2 * _SINGLE:
        return np.arange(1.0, n + 1), np.ones(n)
    edges = [float(_SINGLE)]
    while edges[-1] < n - _SINGLE:
        width, left = _GROWTH * edges[-1], n - edges[-1]
        width = min(width, 0.8 * np.sqrt(left)) if left <= _THINKING else min(width, left - _THINKING)
        edges.append(min(edges[-1] + max(np.floor(width), 1.0), n - _SINGLE))
    edges = np.array(edges)
    low, high = np.arange(1.0, _SINGLE + 1), np.arange(n - _SINGLE + 1.0, n + 1)
    middle = (edges[:-1] + 1 + edges[1:]) / 2
    return np.concatenate([low, middle, high]), np.concatenate([low * 0 + 1, np.diff(edges), high * 0 + 1])


def log_rate_one_station(think, log_section, n) -> np.ndarray:
    """Log of the throughput of private work and one serial station whose section depends on the depth.

    think (D, 1) or (D, k): private work of each set (at each count), in units of the section at depth 1;
    log_section(depth (C,), count) -> (D, C): log of the section in the same unit, 0 at depth 1; n (k,) whole numbers.
    Returns (D, k), relative to a lone sender, whose lap is think + 1 at count 1. Exact product form of the machine
    repairman with a load-dependent server (Gordon and Newell 1967), X = sum over depths of P(depth)/section(depth).
    """
    from scipy.special import gammaln

    n = np.asarray(n, float)
    think = np.broadcast_to(think, (len(think), len(n)))
    result = np.empty(think.shape)
    for place, count in enumerate(n):
        depth, width = depth_cells(int(count))
        section = log_section(depth, count)
        # Sum of log sections of all depths up to a cell's middle: whole cells below, and half of its own.
        served = np.cumsum(section * width, axis=1) - section * (width - 1) / 2
        weight = served - np.log(think[:, place, None]) * depth
        weight += gammaln(count + 1) - gammaln(count - depth + 1) + np.log(width)
        top = np.maximum(weight.max(1), 0.0)
        weight -= top[:, None]
        share = np.exp(weight, out=weight)
        all_states = share.sum(1) + np.exp(-top)
        result[:, place] = np.log((share * np.exp(-section)).sum(1) / all_states)
    return result


def log_rate_two_stations(think, first, second, n) -> np.ndarray:
    """Log of the throughput of private work and two constant stations; times (D, 1) in any common unit, n (k,).

    Exact mean value analysis (Reiser and Lavenberg 1980) up to 2,048 senders; beyond, Schweitzer's equation, whose error
    falls with n, solved for its single root by halving.
    """
    n = np.asarray(n, float)
    think, first, second = (np.asarray(time, float)[:, 0] for time in (think, first, second))
    result = np.empty((len(think), len(n)))
    exact = n <= 2048
    if exact.any():
        waiting_first = waiting_second = np.zeros(len(think))
        for count in range(1, int(n[exact].max()) + 1):
            residence_first, residence_second = first * (1 + waiting_first), second * (1 + waiting_second)
            rate = count / (think + residence_first + residence_second)
            waiting_first, waiting_second = rate * residence_first, rate * residence_second
            result[:, n == count] = np.log(rate)[:, None]
    for place in np.flatnonzero(~exact):
        others = 1 - 1 / n[place]
        low, high = np.zeros(len(think)), 1 / np.maximum(first, second) / others
        for _ in range(60):
            rate = (low + high) / 2
            senders = rate * (think + first / (1 - others * rate * first) + second / (1 - others * rate * second))
            low, high = np.where(senders < n[place], rate, low), np.where(senders < n[place], high, rate)
        result[:, place] = np.log(np.minimum(low, 1 / np.maximum(first, second)))
    return result
