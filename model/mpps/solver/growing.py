"""Curves where private work depends on n: each n is a network of its own, all evaluated together.

As in `curves`, X(n) = G(n-1)/G(n) with F_k = product of S_j t/Z; Z is now that of n, so F is the product for the Z of
all N senders times powers of Z_N/Z_n. Both constants of one n are then a product with two rows of the same matrix.
"""

import numpy as np

from mpps.solver import curves
from mpps.solver.curves import LARGEST_MATRIX, constants_of, levels, one_by_one

#: Parameter sets at a time: the products and powers of a chunk stay in the second-level cache.
CHUNK = 1024
#: Range of either factor of F.
_RANGE = 1e70


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
    senders, count = service.shape
    result, good = np.empty_like(service), np.zeros(count, bool)
    if senders <= LARGEST_MATRIX:
        with np.errstate(all="ignore"):
            level = levels(think[-1], service)
            for one in np.unique(level):
                here = np.flatnonzero(level == one)
                part = slice(None) if len(here) == count else here
                result[:, part], good[part] = _products(think[:, part], service[:, part], int(one))
    for bad in np.flatnonzero(~good):
        result[:, bad] = one_by_one(think[:, bad], service[:, bad])
    return result


def _products(think, service, level):
    """Rates (N, b), and which sets (b,) stayed within the range."""
    senders, count = service.shape
    matrix, factor = constants_of(senders, level)
    products = np.empty((senders + 1, count))
    products[0] = 1.0
    np.multiply(service, senders * 0.5**level / think[-1], out=products[1:])
    for k in range(2, senders + 1):
        products[k] *= products[k - 1]
    good = (products.max(axis=0) < _RANGE) & (products.min(axis=0) > 1 / _RANGE)
    powers, terms = np.empty_like(products), np.empty_like(products)
    rates = np.empty_like(service)
    powers[0] = 1.0
    for n in range(1, senders + 1):
        _raise(think[-1] / think[n - 1], powers[: n + 1])
        good &= (powers[n] < _RANGE) & (powers[n] > 1 / _RANGE)
        np.multiply(products[: n + 1], powers[: n + 1], out=terms[: n + 1])
        fewer, all_of_them = _two_rows(matrix[n - 1 : n + 1, : n + 1], terms[: n + 1])
        np.divide(fewer, all_of_them, out=rates[n - 1])
        rates[n - 1] *= factor[n - 1] / think[n - 1]
    return rates, good & np.isfinite(rates).all(axis=0)


def _raise(base, powers):
    """Powers 1, 2, ... of base (b,) into rows from 1 on; row 0 is 1. Each step doubles the rows."""
    powers[1] = base
    filled = 2
    while filled < len(powers):
        more = min(filled, len(powers) - filled)
        np.multiply(powers[:more], powers[filled - 1] * base, out=powers[filled : filled + more])
        filled += more


def _two_rows(rows, terms):
    """(2, K) times (K, b), in parts that OpenBLAS multiplies in the calling thread (see `curves`)."""
    wide = max(1, curves.BLOCK**3 // (2 * len(terms)))
    if terms.shape[1] <= wide:
        return rows @ terms
    return np.concatenate([rows @ terms[:, left : left + wide] for left in range(0, terms.shape[1], wide)], axis=1)
