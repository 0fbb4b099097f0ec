"""All populations of a network in one matrix product, for any number of parameter sets.

With demands S_j at depth j and think time Z the normalising constants are a convolution, G(n) = sum over k of
P_k Z^(n-k)/(n-k)! with P_k = S_1 ... S_k (Buzen 1973), and X(n) = G(n-1)/G(n). Scaling G(n) by (t/Z)^n leaves
F_k = product of S_j t/Z on one side and t^m/m! on the other, which is one matrix for all parameter sets that share t:
a product of that matrix with F gives all n of all sets. Every term is positive, so no digit is lost. t is chosen
such that F neither overflows nor vanishes; sets for which none does it are computed through logarithms.
"""

import functools

import numpy as np

from mpps import network

#: Beyond this n the matrix would overflow whatever the scaling, and the recursion of `network.curve` is used.
LARGEST_MATRIX = 512
#: Parameter sets in one product: demands, products and constants of a chunk stay in the second-level cache.
CHUNK = 1024
#: Range of F within which lost terms are below the last digit of what they are added to.
_RANGE = 1e140
#: Rows, columns and depth of one block of the product.
BLOCK = 64


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
    if senders > LARGEST_MATRIX:
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


def levels(think, service) -> np.ndarray:
    """How often t = N is halved for each set (b,): until F_N is about 1, in steps that keep the number of matrices small."""
    senders = len(service)
    sample = service[:: max(1, senders // 8)]
    excess = np.log2(sample / think).mean(axis=0) + np.log2(senders)
    step = max(1, min(8, 400 // senders))
    # Without think time, or a demand of none, there is no scale: such sets fail the test of their range.
    excess = np.where(np.isfinite(excess), excess, 0.0)
    return (np.clip(np.rint(excess / step), 0, 60 // step) * step).astype(int)


def _product(think, service, level):
    """Rates (N, b), and which sets (b,) stayed within the range."""
    senders, count = service.shape
    matrix, alone, factor = _parts(senders, level)
    inverse = 1.0 / think
    products = service * (senders * 0.5**level * inverse)
    if count < BLOCK:
        np.multiply.accumulate(products, axis=0, out=products)
    else:
        for k in range(1, senders):
            products[k] *= products[k - 1]
    constants = np.empty((senders + 1, count))
    constants[0] = 1.0
    _multiply(matrix, products, constants[1:])
    constants[1:] += alone[:, None]
    rates = constants[:-1] / constants[1:]
    rates *= factor[:, None]
    rates *= inverse
    lowest = products.min(axis=0)
    good = (products.max(axis=0) < _RANGE) & np.isfinite(rates[-1])
    if level:
        good &= lowest > 1 / _RANGE
    else:
        # The constants are at least F_0 = 1 here: only terms that vanish and come back could be missed.
        vanished = lowest < 1e-290
        if vanished.any():
            good &= ~vanished | (service.max(axis=0) * senders <= think)
    return rates, good


def _multiply(matrix, columns, out):
    """Lower-triangular matrix (N, N) times columns (N, b) in blocks.

    Half of the blocks are zero. A block is also what OpenBLAS multiplies in the calling thread: it would start its own
    threads for larger ones, which wait for each other by spinning and multiply the time on a busy machine.
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
def constants_of(senders: int, level: int) -> tuple[np.ndarray, np.ndarray]:
    """Row n, column k: t^(n-k)/(n-k)! over the largest t^m/m! with m up to n, for t = N/2^level, (N + 1, N + 1); and
    X(n) Z over the ratio of constants, (N,)."""
    t = senders * 0.5**level
    peak = min(int(t), senders)
    up = np.cumprod(t / np.arange(peak + 1, senders + 1)) if peak < senders else np.empty(0)
    down = np.cumprod(np.arange(peak, 0, -1) / t)[::-1]
    term = np.concatenate([down, [1.0], up])
    n = np.arange(senders + 1)
    gap = n[:, None] - n
    matrix = np.where(gap >= 0, term[np.maximum(gap, 0)], 0.0) / term[np.minimum(n, peak)][:, None]
    matrix.setflags(write=False)
    return matrix, np.where(n[1:] <= peak, n[1:], t).astype(float)


@functools.lru_cache(maxsize=64)
def _parts(senders: int, level: int):
    """`constants_of` from n = 1 on, the column of k = 0 apart."""
    matrix, factor = constants_of(senders, level)
    return np.ascontiguousarray(matrix[1:, 1:]), matrix[1:, 0].copy(), factor
