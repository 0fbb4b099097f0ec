"""All populations of a network in one matrix product, for any number of parameter sets.

Where private work does not depend on n, the constants of `mpps.normalising` for all n are one matrix times F.
"""

import functools
import threading

import numpy as np

from mpps import network
from mpps.normalising import BLOCK, LARGEST, RANGE, common_level, constants_of, levels, products_of

#: Parameter sets in one product: demands, products and constants of a chunk stay in the second-level cache.
CHUNK = 1024
#: Rows and columns of one product of the matrix: OpenBLAS computes it in the calling thread, see `normalising.BLOCK`.
_HIGH, _WIDE = 32, 120
_OWN = threading.local()


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
        result[rows] = curves_of_chunk(think[rows], np.ascontiguousarray(service[rows].T), lent=True).T
    return result.reshape(*shape, senders)


def curves_of_chunk(think, service, *, lent: bool = False) -> np.ndarray:
    """`curve` for think (b,) and service (N, b) as they lie in the cache: (N, b).

    lent: the result lies where that of the next call of this thread will, which is half as quick again.
    """
    senders, count = service.shape
    if senders > LARGEST:
        return _by_recursion(think, service)
    with np.errstate(all="ignore"):
        common = common_level(think, service)
        result, good = _product(think, service, common, _room(senders, count) if lent else None)
        if not good.all():
            _again(think, service, common, result, good)
    return result


def _again(think, service, common, result, good) -> None:
    """Sets that leave the range of numbers at the `common` level, at their own; and those that do there one by one."""
    bad = np.flatnonzero(~good)
    level = levels(think[bad], service[:, bad])
    for one in np.unique(level[level != common]):
        here = bad[level == one]
        result[:, here], good[here] = _product(think[here], service[:, here], int(one))
    for set_ in np.flatnonzero(~good):
        result[:, set_] = one_by_one(np.full(len(service), think[set_]), service[:, set_])


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


def _product(think, service, level, room=None):
    """Rates (N, b), and which sets (b,) stayed within the range; room: two arrays (N + 1, b) to work in, one of which then
    holds the rates."""
    matrix, factor = _parts(len(service), level)
    products, constants = room or np.empty((2, len(service) + 1, len(think)))
    products, largest, good = products_of(think, service, level, products)
    constants[0] = 1.0
    _multiply(matrix, products, constants[1:])
    good &= constants.min(axis=0) > largest / RANGE
    rates = np.divide(constants[:-1], constants[1:], out=products[1:])
    rates *= factor[:, None]
    rates *= 1.0 / think
    return rates, good & np.isfinite(rates[-1])


def _multiply(matrix, columns, out):
    """Lower-triangular matrix (N, N + 1) times columns (N + 1, b) in blocks.

    Half of the blocks are zero, and each is multiplied in the calling thread.
    """
    size, count = out.shape
    if count == 1:
        np.einsum("nk,k->n", matrix, columns[:, 0], out=out[:, 0])
        return
    for left in range(0, count, _WIDE):
        wide = slice(left, left + _WIDE)
        for top in range(0, size, _HIGH):
            high, deep = slice(top, top + _HIGH), min(top + _HIGH, size) + 1
            target = out[high, wide]
            first = min(deep, BLOCK + 1)
            np.matmul(matrix[high, :first], columns[:first, wide], out=target)
            for inner in range(first, deep, BLOCK):
                part = slice(inner, min(inner + BLOCK, deep))
                target += matrix[high, part] @ columns[part, wide]


def _room(senders: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Arrays of this thread to work in: those of the last chunk, whose pages the system need not find again."""
    if getattr(_OWN, "shape", None) != (senders, count):
        _OWN.shape, _OWN.arrays = (senders, count), tuple(np.empty((2, senders + 1, count)))
    return _OWN.arrays


@functools.lru_cache(maxsize=64)
def _parts(senders: int, level: int):
    """`constants_of` from n = 1 on."""
    matrix, factor = constants_of(senders, level)
    return np.ascontiguousarray(matrix[1:]), factor
