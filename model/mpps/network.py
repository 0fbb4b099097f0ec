"""Closed queueing networks: n senders circulate through private work and serial stations.

Private work is a delay (think time) of each sender; a station serves one at a time, with a service
demand that may depend on the depth, the number of senders at the station, holder included.
The stationary distribution is a product form (Gordon and Newell 1967; Baskett, Chandy, Muntz and
Palacios 1975), so throughput is a ratio of sums of positive terms: nothing is subtracted, and no digit
is lost near saturation.

Low variance: each sender is split into `parts` customers that carry 1/parts of a lap.
That keeps the product form, needs no fixed point, and has a squared coefficient of variation of about
1/parts; `parts` = 1 is the exponential network.
"""

from dataclasses import dataclass

import numpy as np

from mpps.normalising import rates_of

#: Weights computed together where logarithms are needed: they stay in the cache.
_AT_ONCE = 1 << 17
#: For fewer weights than this logarithms are as quick.
_FEW = 1 << 14


@dataclass(frozen=True)
class Solution:
    """A solved network, leading axes as given.

    throughput: laps per ns, (..., P); queue: mean senders at each station, (..., P, stations);
    utilisation: share of time that each station is busy, (..., P, stations), at most 1.
    """

    throughput: np.ndarray
    queue: np.ndarray
    utilisation: np.ndarray


def depths(senders: int, parts: int = 1) -> np.ndarray:
    """Depth that k = 1..senders*parts split customers stand for: 1 alone, then 1/parts each."""
    return 1.0 + np.arange(senders * parts) / parts


def throughput(n, think_ns, service_ns, *, parts: int = 1) -> np.ndarray:
    """Laps per ns of closed networks with one station, each population its own network.

    n (P,) integers; think_ns (..., P); service_ns (..., P or 1, K) at `depths(max(n), parts)`, so K >= parts max(n).
    Returns (..., P). One sender is exact: 1/(think + service alone).
    """
    population, service = np.asarray(n, int) * parts, np.atleast_2d(np.asarray(service_ns, float))
    size = int(population.max())
    _reach(service, size)
    shape = np.broadcast_shapes(np.shape(think_ns), service.shape[:-1], population.shape)
    tables = np.broadcast_to(service[..., :size], (*shape[:-1], service.shape[-2], size)).reshape(
        -1, service.shape[-2], size
    )
    think = np.broadcast_to(_part_think(think_ns, service, parts), shape).reshape(-1, len(population))
    rate, good = _by_constants(population, think, tables / parts)
    step = max(1, _AT_ONCE // (len(population) * size))
    bad = np.flatnonzero(~good)
    for first in range(0, len(bad), step):
        here = bad[first : first + step]
        rate[here] = _by_logarithms(population, think[here], tables[here] / parts)
    return _alone(rate.reshape(shape) / parts, n, think_ns, service)


def solve(n, think_ns, service_ns, *, parts: int = 1) -> Solution:
    """As `throughput`, with queue and utilisation of the one station."""
    population = np.asarray(n, int) * parts
    _reach(service_ns, int(population.max()))
    weight = _station_weights(
        population, _part_think(think_ns, service_ns, parts), np.asarray(service_ns, float) / parts
    )
    share = weight / weight.sum(-1, keepdims=True)
    count = np.arange(weight.shape[-1])
    rate = throughput(n, think_ns, service_ns, parts=parts)
    alone = rate * np.asarray(service_ns, float)[..., 0]
    # The think time of a split network holds (1 - 1/parts) of a section that the sender spends at the station.
    queue = (share * count).sum(-1) / parts + alone * (1 - 1 / parts)
    single = np.asarray(n) == 1
    busy = np.where(single, alone, share[..., 1:].sum(-1))
    return Solution(rate, np.where(single, alone, queue)[..., None], np.clip(busy, 0.0, 1.0)[..., None])


def curve(think_ns, service_ns, senders: int) -> np.ndarray:
    """Throughput for n = 1..senders in one pass where private work does not depend on n.

    think_ns (...); service_ns (..., senders) at depth 1..senders. Returns (..., senders), laps per ns.
    Recursion on the marginal distribution with p_n(0) = p_{n-1}(0) X(n) Z / n, which replaces the
    unstable p(0) = 1 - sum p(k) of load-dependent mean value analysis (Reiser and Lavenberg 1980).
    """
    think_ns, service_ns = np.asarray(think_ns, float), np.asarray(service_ns, float)
    shape = np.broadcast_shapes(think_ns.shape, service_ns.shape[:-1])
    marginal = np.zeros((*shape, senders + 1))
    marginal[..., 0] = 1.0
    result = np.empty((*shape, senders))
    for n in range(1, senders + 1):
        served = service_ns[..., :n] * marginal[..., :n]
        rate = 1.0 / (think_ns / n * marginal[..., 0] + served.sum(-1))
        idle = marginal[..., 0] * rate * think_ns / n
        marginal[..., 1 : n + 1] = rate[..., None] * served
        marginal[..., 0] = idle
        result[..., n - 1] = rate
    return result


def solve_stations(n, think_ns, services_ns) -> Solution:
    """Networks with several stations, exponential, by convolution (Buzen 1973) in log space.

    n (P,) integers; think_ns (..., P); services_ns: one (..., P, K) per station, K >= max(n).
    """
    population = np.asarray(n, int)
    size = int(population.max()) + 1
    think = np.asarray(think_ns, float)
    logs = [_log_products(np.asarray(service, float)[..., : size - 1]) for service in services_ns]
    thinking = _log_thinking(think, size)
    total = thinking
    for station in logs:
        total = _log_convolve(total, station)
    here = population[:, None]
    norm = _pick(total, here)[..., 0]
    rate = np.exp(_pick(total, here - 1)[..., 0] - norm)
    queue, busy = [], []
    for index, station in enumerate(logs):
        others = thinking
        for other in logs[:index] + logs[index + 1 :]:
            others = _log_convolve(others, other)
        position = here - np.arange(size)
        rest = _pick(np.broadcast_to(others, total.shape), np.maximum(position, 0))
        share = np.where(position >= 0, np.exp(station + rest - norm[..., None]), 0.0)
        queue.append((share * np.arange(size)).sum(-1))
        busy.append(np.clip(share[..., 1:].sum(-1), 0.0, 1.0))
    return Solution(rate, np.stack(queue, -1), np.stack(busy, -1))


def mean_value_analysis(n, think_ns, demands_ns) -> np.ndarray:
    """Exact mean value analysis of constant-demand stations (Reiser and Lavenberg 1980, eq. 3.1 to 3.5).

    n integer; think_ns (...); demands_ns (..., stations). Returns throughput for 1..n, (..., n).
    """
    think_ns, demands_ns = np.asarray(think_ns, float), np.asarray(demands_ns, float)
    queue = np.zeros(np.broadcast_shapes((*think_ns.shape, 1), demands_ns.shape))
    rates = []
    for population in range(1, n + 1):
        residence = demands_ns * (1.0 + queue)
        rate = population / (think_ns + residence.sum(-1))
        queue = rate[..., None] * residence
        rates.append(rate)
    return np.stack(rates, -1)


def approximate_mean_value_analysis(n, think_ns, demands_ns, *, tolerance: float = 1e-12) -> np.ndarray:
    """Schweitzer's fixed point (Schweitzer 1979; Bard 1979): approximate, for comparison only. Returns (...)."""
    think_ns, demands_ns = np.asarray(think_ns, float), np.asarray(demands_ns, float)
    queue = np.broadcast_to(n / demands_ns.shape[-1], np.broadcast_shapes((*think_ns.shape, 1), demands_ns.shape)) * 1.0
    for _ in range(100_000):
        residence = demands_ns * (1.0 + (n - 1) / n * queue)
        rate = n / (think_ns + residence.sum(-1))
        updated = rate[..., None] * residence
        if np.abs(updated - queue).max() < tolerance * n:
            break
        queue = updated
    return rate


def low_variance_mean_value(n: int, think_ns, service_ns, squared_variation=0.0):
    """Mean-field cross-check: R(n) = S (1 + Q(n-1) - U(n-1) (1 - c2)/2), X at most 1/S (docs/modelling.md).

    think_ns and service_ns broadcast; returns (throughput, queue) for the population n.
    c2 = 1 is the exact exponential network.
    """
    think, service = np.broadcast_arrays(np.asarray(think_ns, float), np.asarray(service_ns, float))
    queue = np.zeros_like(think)
    rate = np.zeros_like(think)
    for population in range(1, n + 1):
        residence = service * (1.0 + queue - rate * service * (1.0 - squared_variation) / 2.0)
        rate = np.minimum(population / (think + residence), 1.0 / service)
        queue = population - rate * think
    return rate, queue


def fixed_points(n: int, think_ns: float, section, squared_variation: float = 0.0, *, scan: int = 4000) -> np.ndarray:
    """Every section that agrees with the depth it causes in the mean-field cross-check: S = section(Q(S)), ascending, ns.

    section: ns at depths (K,) -> (K,). Q is the queue of `low_variance_mean_value`, as a depth at least 1.
    More than one means that the mean field does not know which one holds: steep points belong to the product form
    or the simulator. Intersections are found by scanning between the shortest and the longest section, then halving;
    two that lie closer than 1/scan of that range can be missed.
    """

    def excess(candidates):
        depth = np.maximum(low_variance_mean_value(n, think_ns, candidates, squared_variation)[1], 1.0)
        return section(depth) - candidates

    reachable = section(np.linspace(1.0, max(n, 1), scan))
    low, high = reachable.min(), reachable.max()
    if high - low <= 1e-12 * high:
        return np.array([high])
    grid = np.linspace(low, high, scan)
    # A hair wider than what can be reached, so that an intersection at either end is crossed.
    grid[0], grid[-1] = low * (1 - 1e-9), high * (1 + 1e-9)
    sign = excess(grid) > 0
    cross = np.flatnonzero(sign[1:] != sign[:-1])
    left, right, rising = grid[cross], grid[cross + 1], sign[cross]
    for _ in range(60):
        middle = (left + right) / 2
        ahead = (excess(middle) > 0) == rising
        left, right = np.where(ahead, middle, left), np.where(ahead, right, middle)
    return (left + right) / 2


def _reach(service_ns, size):
    if np.shape(service_ns)[-1] < size:
        raise ValueError(f"service demands reach depth {np.shape(service_ns)[-1]}, {size} are needed")


def _by_constants(population, think, tables):
    """Throughput (B, P) of think (B, P) and tables (B, P or 1, K), and which sets (B,) it holds for."""
    if think.size * tables.shape[-1] < _FEW * min(tables.shape[1], 2):
        return np.empty(think.shape), np.zeros(len(think), bool)
    if tables.shape[1] == 1:
        return rates_of(population, think, tables[:, 0])
    rate, good = np.empty(think.shape), np.ones(len(think), bool)
    for index in range(len(population)):
        here = slice(index, index + 1)
        rate[:, here], fine = rates_of(population[here], think[:, here], tables[:, index])
        good &= fine
    return rate, good


def _by_logarithms(population, think, tables):
    """As `_by_constants`, for any range of numbers, tens of times slower."""
    weight = _station_weights(population, think, tables)
    thinking = np.maximum(population[:, None] - np.arange(weight.shape[-1]), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = (weight * thinking).sum(-1) / weight.sum(-1) / think
    return _without_think(rate, think, tables, population)


def _station_weights(population, think, tables):
    """Unnormalised probabilities of 0..K customers at the station, scaled so that the largest is 1."""
    size = int(population.max())
    count = np.arange(size + 1)
    with np.errstate(divide="ignore"):
        arriving = _from_zero(np.log(np.maximum(population[:, None] - count[:-1], 0)))
        serving = _from_zero(np.log(tables[..., :size]))
    log_weight = arriving + serving - np.log(np.maximum(think, 1e-300))[..., None] * count
    log_weight -= log_weight.max(-1, keepdims=True)
    return np.exp(log_weight, out=log_weight)


def _from_zero(steps):
    """Running sums of the last axis, with the empty sum in front."""
    return np.concatenate([np.zeros((*steps.shape[:-1], 1)), np.cumsum(steps, axis=-1)], axis=-1)


def _part_think(think_ns, service_ns, parts):
    return np.asarray(think_ns, float) + np.asarray(service_ns, float)[..., 0] * (1.0 - 1.0 / parts)


def _pick(table, index):
    return np.take_along_axis(table, np.broadcast_to(index, (*table.shape[:-1], index.shape[-1])), -1)


def _without_think(rate, think, tables, population):
    """With no private work to speak of everybody is at the station: X = 1/S(n)."""
    idle = think <= 1e-200 * tables[..., 0]
    if not idle.any():
        return rate
    last = (
        np.take_along_axis(
            tables, np.broadcast_to(population[:, None] - 1, (*tables.shape[:-2], len(population), 1)), -1
        )
        if tables.shape[-2] > 1
        else tables[..., 0, population - 1]
    )
    with np.errstate(divide="ignore"):
        return np.where(idle, 1.0 / last.reshape(rate.shape), rate)


def _alone(rate, n, think_ns, service_ns):
    alone = 1.0 / (np.asarray(think_ns, float) + np.asarray(service_ns, float)[..., 0])
    return np.where(np.asarray(n) == 1, alone, rate)


def _log_products(service):
    with np.errstate(divide="ignore"):
        return _from_zero(np.log(service))


def _log_thinking(think, size):
    count = np.arange(size)
    factorial = _from_zero(np.log(np.arange(1, size)))
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.where(count == 0, 0.0, count * np.log(think)[..., None])
    return powers - factorial


def _log_convolve(left, right):
    """Log of the convolution of exp(left) and exp(right) along the last axis."""
    left, right = np.broadcast_arrays(left, right)
    size = left.shape[-1]
    result = np.empty_like(left)
    for total in range(size):
        terms = left[..., : total + 1] + right[..., total::-1]
        peak = terms.max(-1, keepdims=True)
        safe = np.where(np.isfinite(peak), peak, 0.0)
        with np.errstate(divide="ignore"):
            result[..., total] = np.log(np.exp(terms - safe).sum(-1)) + safe[..., 0]
    return result
