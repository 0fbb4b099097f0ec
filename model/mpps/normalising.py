"""Normalising constants of closed networks with one station, scaled so that they fit the range of numbers.

With demands S_j at depth j and think time Z, G(n) = sum over k of P_k Z^(n-k)/(n-k)! with P_k = S_1 ... S_k, and
X(n) = G(n-1)/G(n) (Buzen 1973). Scaling G(n) by (t/Z)^n leaves F_k, the product of S_j t/Z, and t^m/m!, which is the same
for all parameter sets that share t. Every term is positive, so no digit is lost. t is n over a power of 2 such that
F stays near 1; sets for which none does it are told, and their owner computes them otherwise.
"""

import functools

import numpy as np

#: Beyond this n the constants would leave the range whatever the scaling.
LARGEST = 512
#: Numbers below 1/this are lost.
RANGE = 1e290
#: Rows, columns and depth of a product that OpenBLAS computes in the calling thread: it would start its own threads
#: for larger ones, which wait for each other by spinning and multiply the time on a busy machine.
BLOCK = 64
#: Numbers in a chunk: three arrays of this size stay in the second-level cache.
_CHUNK = 1 << 16
#: Fewer sets than this are multiplied up by one call.
_FEW = 256
#: Sets that are looked at for the level of all.
_SAMPLED = 64
#: Up to so many populations take their rows of the matrix without the others.
_FEW_ROWS = 8


def levels(think, service) -> np.ndarray:
    """How often t = N is halved for each set (b,), for think (b,) and service (N, b): until F_N is about 1, in steps
    that keep the number of matrices small."""
    senders = len(service)
    sample = service[:: max(1, senders // 8)]
    excess = np.log2(sample / think).mean(axis=0) + np.log2(senders)
    step = max(2, min(8, 400 // senders))
    # Without think time, or a demand of none, there is no scale: such sets fail the test of their range.
    excess = np.where(np.isfinite(excess), excess, 0.0)
    return (np.clip(np.rint(excess / step), 0, 60 // step) * step).astype(int)


def common_level(think, service) -> int:
    """The middle level of sets: the range of numbers is wide, so that nearly all of them can do with it."""
    step = max(1, len(think) // _SAMPLED)
    found = np.sort(levels(think[::step], service[:, ::step]))
    return int(found[len(found) // 2])


@functools.lru_cache(maxsize=1024)
def terms_of(senders: int, level: int) -> tuple[np.ndarray, int]:
    """t^m/m! over the largest of them, for m = 0..N and t = N/2^level, (N + 1,); and the m of the largest."""
    t = senders * 0.5**level
    peak = min(int(t), senders)
    up = np.cumprod(t / np.arange(peak + 1, senders + 1)) if peak < senders else np.empty(0)
    down = np.cumprod(np.arange(peak, 0, -1) / t)[::-1]
    term = np.concatenate([down, [1.0], up])
    term.setflags(write=False)
    return term, peak


@functools.lru_cache(maxsize=64)
def constants_of(senders: int, level: int) -> tuple[np.ndarray, np.ndarray]:
    """Row n, column k: t^(n-k)/(n-k)! over the largest t^m/m! with m up to n, for t = N/2^level, (N + 1, N + 1); and
    X(n) Z over the ratio of constants, (N,)."""
    term, peak = terms_of(senders, level)
    n = np.arange(senders + 1)
    gap = n[:, None] - n
    matrix = np.where(gap >= 0, term[np.maximum(gap, 0)], 0.0) / term[np.minimum(n, peak)][:, None]
    matrix.setflags(write=False)
    return matrix, np.where(n[1:] <= peak, n[1:], senders * 0.5**level).astype(float)


def pairs_of(population, senders: int, level: int):
    """Rows n - 1 and n of `constants_of` up to column n, (2, n + 1), and X(n) Z over the ratio of constants, for each n of
    `population`; for a few of them the matrix is not made."""
    if len(population) > _FEW_ROWS:
        matrix, factor = constants_of(senders, level)
        for n in population:
            yield matrix[n - 1 : n + 1, : n + 1], factor[n - 1]
        return
    term, peak = terms_of(senders, level)
    for n in population:
        rows = np.zeros((2, n + 1))
        rows[0, :n], rows[1] = term[:n][::-1], term[: n + 1][::-1]
        rows /= term[np.minimum([n - 1, n], peak)][:, None]
        yield rows, float(n) if n <= peak else senders * 0.5**level


def products_of(think, service, level: int, out=None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """F_0 to F_N, (N + 1, b), of think (b,) and service (N, b), in `out` if given; the largest of each set, (b,); and which
    sets (b,) have all of them in the range."""
    senders, count = service.shape
    products = np.empty((senders + 1, count)) if out is None else out
    products[0] = 1.0
    np.multiply(service, senders * 0.5**level / think, out=products[1:])
    if count < _FEW:
        np.multiply.accumulate(products, axis=0, out=products)
    else:
        for k in range(2, senders + 1):
            products[k] *= products[k - 1]
    largest, vanished = products.max(axis=0), products.min(axis=0) < 1 / RANGE
    good = largest < RANGE
    if vanished.any():
        # Without halving the constants are at least F_0 = 1: terms that vanish are missed only if they come back.
        good &= ~vanished | ((level == 0) & (service.max(axis=0) * senders <= think))
    return products, largest, good


def rates_of(population, think, service) -> tuple[np.ndarray, np.ndarray]:
    """Throughput of the populations n (P,), each with think time of its own: (B, P), and which sets (B,) are right.

    think (B, P); service (B, K) at depth 1..K, K at least max(n), shared by all populations of a set.
    """
    size = int(population.max())
    count = len(think)
    result, good = np.full(think.shape, np.nan), np.zeros(count, bool)
    if size > LARGEST:
        return result, good
    chunk = max(32, _CHUNK // (size + 1))
    last = int(population.argmax())
    with np.errstate(all="ignore"):
        for first in range(0, count, chunk):
            rows = slice(first, first + chunk)
            served = np.ascontiguousarray(service[rows, :size].T)
            private = np.ascontiguousarray(think[rows].T)
            found, fine = _rates(population, private, served, last, common_level(private[last], served))
            bad = np.flatnonzero(~fine)
            if bad.size:
                # Few sets leave the range at the level of the others: each at its own.
                own = levels(private[last][bad], served[:, bad])
                for one in np.unique(own):
                    here = bad[own == one]
                    found[:, here], fine[here] = _rates(population, private[:, here], served[:, here], last, int(one))
            result[rows], good[rows] = found.T, fine
    return result, good


def _rates(population, think, service, last, level):
    """Rates (P, b), and which sets (b,) stayed within the range."""
    products, largest, good = products_of(think[last], service, level)
    powers, terms = np.empty_like(products), np.empty_like(products)
    powers[0] = 1.0
    rates = np.empty_like(think)
    for index, (rows, factor) in enumerate(pairs_of(population, len(service), level)):
        n = population[index]
        most = largest
        if np.array_equal(think[index], think[last]):
            scaled = products[: n + 1]
        else:
            raise_powers(think[last] / think[index], powers[: n + 1])
            most = largest * np.maximum(powers[n], 1.0)
            good &= (powers[n] > 1 / RANGE) & (most < RANGE)
            scaled = np.multiply(products[: n + 1], powers[: n + 1], out=terms[: n + 1])
        fewer, all_of_them = two_rows(rows, scaled)
        good &= fewer > most / RANGE  # entries of the matrix that vanish would not have mattered
        np.divide(fewer, all_of_them, out=rates[index])
        rates[index] *= factor / think[index]
    return rates, good & (np.isfinite(rates) & (rates > 0)).all(axis=0)


def raise_powers(base, powers) -> None:
    """Powers 1, 2, ... of base (b,) into rows from 1 on; row 0 is 1. Each step doubles the rows."""
    powers[1] = base
    filled = 2
    while filled < len(powers):
        more = min(filled, len(powers) - filled)
        np.multiply(powers[:more], powers[filled - 1] * base, out=powers[filled : filled + more])
        filled += more


def two_rows(rows, terms) -> np.ndarray:
    """(2, K) times (K, b), in parts that OpenBLAS multiplies in the calling thread."""
    wide = max(1, BLOCK**3 // (2 * len(terms)))
    if terms.shape[1] <= wide:
        return rows @ terms
    return np.concatenate([rows @ terms[:, left : left + wide] for left in range(0, terms.shape[1], wide)], axis=1)
