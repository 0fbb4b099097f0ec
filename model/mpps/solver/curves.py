"""All populations of a network in one matrix product, for any number of parameter sets.

Where private work does not depend on n, the constants of `mpps.normalising` for all n are one matrix times F.
"""

import functools

import numpy as np

from mpps import network
from mpps.normalising import BLOCK, LARGEST, RANGE, constants_of, levels, products_of

#: Parameter sets in one product: demands, products and constants of a chunk stay in the second-level cache.
CHUNK = 1024


def curve(think_ns, service_ns) -> np.ndarray:
    """Throughput for n = 1..N, laps per ns, (..., N); private work does not depend on n.

    think_ns (...); service_ns (..., N) at depth 1..N; leading axes broadcast. Agrees with `network.curve` to 1e-12.
    """
    service = np.asarray(service_ns, float)
    senders = service.shape[-1]
    think = np.asarray(think_ns, float)
    shape = np.broadcast_shapes(think.shape, service.shape[:-1])
    think = np.broadcast_to(think, shape).reshape(-1)
    service = np.broadcast_to(service, (*shape, senders)).reshape(-1, senders)
    result = np.empty((len(think), senders))
    for first in range(0, len(think), CHUNK):
        rows = slice(first, first + CHUNK)
        result[rows] = curves_of_chunk(think[rows], np.ascontiguousarray(service[rows].T)).T
    return result.reshape(*shape, senders)


def curves_of_chunk(think, service) -> np.ndarray:
    """`curve` for think (b,) and service (N, b) as they lie in the cache: (N, b). Overwrites nothing."""
    senders, count = service.shape
    if senders > LARGEST:
        return _by_recursion(think, service)
    with np.errstate(all="ignore"):
        level = levels(think, service)
        first = level[0]
        if (level == first).all():
            result, good = _product(think, service, int(first))
        else:
            result, good = np.empty_like(service), np.empty(count, bool)
            for one in np.unique(level):
                here = np.flatnonzero(level == one)
                result[:, here], good[here] = _product(think[here], service[:, here], int(one))
    if not good.all():
        for bad in np.flatnonzero(~good):
            result[:, bad] = one_by_one(np.full(senders, think[bad]), service[:, bad])
    return result


def one_by_one(think, service) -> np.ndarray:
    """A set that leaves the range of numbers: each n, think (N,) and service (N,), through logarithms: (N,)."""
    senders = len(service)
    result = np.empty(senders)
    for first in range(0, senders, 64):
        n = np.arange(first + 1, min(first + 64, senders) + 1)
        result[n - 1] = network.throughput(n, think[n - 1], service[None, : n[-1]])
    return result


def _by_recursion(think, service):
    """More senders than a matrix holds. The recursion loses states whose probability vanishes for some n and comes back
    for more; the logarithms at half and at all senders tell."""
    senders = len(service)
    result = network.curve(think, service.T, senders).T
    n = np.array([senders // 2, senders])
    checked = network.throughput(n, think[:, None], service.T[:, None]).T
    lost = (np.abs(checked / result[n - 1] - 1) > 1e-9).any(axis=0)
    for bad in np.flatnonzero(lost):
        result[:, bad] = one_by_one(np.full(senders, think[bad]), service[:, bad])
    return result


def _product(think, service, level):
    """Rates (N, b), and which sets (b,) stayed within the range."""
    matrix, alone, factor = _parts(len(service), level)
    products, largest, good = products_of(think, service, level)
    constants = np.empty_like(products)
    constants[0] = 1.0
    _multiply(matrix, products[1:], constants[1:])
    constants[1:] += alone[:, None]
    good &= constants.min(axis=0) > largest / RANGE
    rates = constants[:-1] / constants[1:]
    rates *= factor[:, None]
    rates *= 1.0 / think
    return rates, good & np.isfinite(rates[-1])


def _multiply(matrix, columns, out):
    """Lower-triangular matrix (N, N) times columns (N, b) in blocks.

    Half of the blocks are zero, and each is multiplied in the calling thread.
    """
    size, count = columns.shape
    if count == 1:
        np.einsum("nk,k->n", matrix, columns[:, 0], out=out[:, 0])
        return
    for left in range(0, count, BLOCK):
        wide = slice(left, left + BLOCK)
        for top in range(0, size, BLOCK):
            high = slice(top, top + BLOCK)
            target = out[high, wide]
            np.matmul(matrix[high, :BLOCK], columns[:BLOCK, wide], out=target)
            for inner in range(BLOCK, top + 1, BLOCK):
                deep = slice(inner, inner + BLOCK)
                target += matrix[high, deep] @ columns[deep, wide]


@functools.lru_cache(maxsize=64)
def _parts(senders: int, level: int):
    """`constants_of` from n = 1 on, the column of k = 0 apart."""
    matrix, factor = constants_of(senders, level)
    return np.ascontiguousarray(matrix[1:, 1:]), matrix[1:, 0].copy(), factor
