"""Curves where private work depends on n: each n is a network of its own, all evaluated together.

The weights of k senders at the station are w_k = n ... (n-k+1) S_1 ... S_k / Z_n^k. With c_n their sum,
X(n) = n/Z_n * c_(n-1)(Z_n)/c_n(Z_n). Both sums are nested (Horner): from the deep end where the station is the
smaller part, from the shallow end where it saturates, so that neither overflows.
"""

import numpy as np

from mpps.solver.curves import one_by_one

#: Parameter sets at a time: the three arrays that each step touches stay in the first-level cache.
CHUNK = 2048
#: Senders beyond which the sum from the deep end may overflow: Z < N S / this is nested from the shallow end.
_SATURATED = 8.0


def growing_curve(think_ns, service_ns) -> np.ndarray:
    """Throughput for n = 1..N, laps per ns, (..., N); think_ns and service_ns (..., N), at n and at depth 1..N.

    Leading axes broadcast. Agrees with `network.throughput` to 1e-11.
    """
    think, service = np.asarray(think_ns, float), np.asarray(service_ns, float)
    senders = max(think.shape[-1], service.shape[-1])
    shape = np.broadcast_shapes(think.shape[:-1], service.shape[:-1])
    think, service = (np.broadcast_to(part, (*shape, senders)).reshape(-1, senders) for part in (think, service))
    result = np.empty((len(think), senders))
    for first in range(0, len(think), CHUNK):
        rows = slice(first, first + CHUNK)
        result[rows] = growing_curves_of_chunk(*(np.ascontiguousarray(part[rows].T) for part in (think, service))).T
    return result.reshape(*shape, senders)


def growing_curves_of_chunk(think, service) -> np.ndarray:
    """`growing_curve` for think (N, b) and service (N, b) as they lie in the cache: (N, b). Overwrites nothing."""
    senders = len(service)
    with np.errstate(all="ignore"):
        crowded = senders * service.mean(axis=0) > _SATURATED * think[-1]
        if crowded.all() or not crowded.any():
            result = (_from_shallow if crowded.all() else _from_deep)(think, service)
        else:
            result = np.empty_like(service)
            for nest, mask in ((_from_shallow, crowded), (_from_deep, ~crowded)):
                here = np.flatnonzero(mask)
                result[:, here] = nest(think[:, here], service[:, here])
        good = (np.isfinite(result) & (result > 0)).all(axis=0)
    for bad in np.flatnonzero(~good):
        result[:, bad] = one_by_one(think[:, bad], service[:, bad])
    return result


def _from_deep(think, service):
    """c_n = 1 + n S_1/Z (1 + (n-1) S_2/Z (...)): nested from depth n up to depth 1."""
    senders, count = service.shape
    result = np.empty_like(service)
    demand, step, sums, fewer = (np.empty(count) for _ in range(4))
    for n in range(1, senders + 1):
        inverse = 1.0 / think[n - 1]
        sums.fill(1.0)
        fewer.fill(1.0)
        for depth in range(n, 0, -1):
            np.multiply(service[depth - 1], inverse, out=demand)
            np.multiply(demand, n - depth + 1.0, out=step)
            sums *= step
            sums += 1.0
            step -= demand
            fewer *= step
            fewer += 1.0
        np.divide(fewer, sums, out=result[n - 1])
        result[n - 1] *= n * inverse
        result[n - 1, ~np.isfinite(sums)] = np.nan
    return result


def _from_shallow(think, service):
    """c_n/w_n = 1 + Z/(1 S_n) (1 + Z/(2 S_(n-1)) (...)): nested from depth 1 down to depth n.

    c_(n-1) over the weight of n - 1 senders needs the same nest one step shorter: X(n) = (that)/(c_n/w_n)/S_n.
    """
    senders, count = service.shape
    result = np.empty_like(service)
    inverse = 1.0 / service
    ratio, step, sums, fewer = (np.empty(count) for _ in range(4))
    for n in range(1, senders + 1):
        sums.fill(1.0)
        fewer.fill(1.0)
        for depth in range(1, n + 1):
            np.multiply(think[n - 1], inverse[depth - 1], out=ratio)
            np.multiply(ratio, 1.0 / (n - depth + 1), out=step)
            sums *= step
            sums += 1.0
            if depth < n:
                np.multiply(ratio, 1.0 / (n - depth), out=step)
                fewer *= step
                fewer += 1.0
        np.divide(fewer, sums, out=result[n - 1])
        result[n - 1] *= inverse[n - 1]
        result[n - 1, ~np.isfinite(sums)] = np.nan
    return result
