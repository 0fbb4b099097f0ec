"""The baselines for many series, replicates or hold-outs at once: least squares in log rate, inside the bounds."""

import numpy as np

from mpps.baseline.solve import COHERENCE
from mpps.errors import MppsError
from mpps.leastsquares import minimise

# (contention, coherence) at which the largest n has lost these shares of its linear rate to each.
_STARTS = ((0.0, 0.0), (0.05, 0.05), (1.0, 0.0), (0.0, 1.0), (5.0, 5.0), (0.5, 30.0), (1e9, 1.0), (0.0, 1e4))

# Slowdown at the largest n beyond which coherence is not followed: no table spans nine decades.
_MOST = 1e9

# A bound on the logarithm of the rate of one sender that no finite rate reaches.
_LOG = 1e3


def fit_usl_batch(n, log_rate, weight=1.0) -> np.ndarray:
    """Parameters (B, 3) of the universal scalability law for B series: rate_one, contention, coherence.

    n (k,): senders, at least 1, shared by all; log_rate (B, k): natural logarithms;
    weight broadcasts to (B, k): 0 leaves a point out, whose value may then be anything.
    Contention lies in [0, 1], coherence is at least 0. Needs points at 3 different n in each series.
    Raises `MppsError` when a series has fewer, or a value that counts is not finite.
    """
    return _fit(n, log_rate, weight, needed=3, amdahl=False)


def fit_amdahl_batch(n, log_rate, weight=1.0) -> np.ndarray:
    """Parameters (B, 3) of Amdahl's law, coherence 0; needs points at 2 different n in each series."""
    return _fit(n, log_rate, weight, needed=2, amdahl=True)


def _fit(n, log_rate, weight, needed, amdahl):
    n, log_rate, weight = _series(n, log_rate, weight, needed)
    count = len(log_rate)
    # Costs relative to the largest n are of the order of 1, whatever the range of n.
    top = max(n.max(), 2.0)
    by_contention, by_coherence, log_n = (n - 1) / (top - 1), n * (n - 1) / (top * (top - 1)), np.log(n)

    def model(x):
        return x[:, :1] + log_n - np.log1p(x[:, 1:2] * by_contention + x[:, 2:] * by_coherence)

    center = np.average(log_rate - log_n, axis=1, weights=weight)
    costs = np.array([start for start in _STARTS if not (amdahl and start[1])])
    starts = np.empty((len(costs), count, 3))
    starts[:, :, 1:] = costs[:, None, :]
    slow = np.log1p(costs[:, :1] * by_contention + costs[:, 1:] * by_coherence)
    starts[:, :, 0] = center + np.einsum("sk,bk->sb", slow, weight) / weight.sum(axis=1)
    tiled = np.broadcast_to(log_rate, (len(costs), *log_rate.shape)).reshape(-1, len(n))
    found = minimise(
        model,
        tiled,
        starts.reshape(-1, 3),
        np.array([-_LOG, 0.0, 0.0]),
        np.array([_LOG, top - 1, _MOST]),
        weight=np.broadcast_to(weight, (len(costs), *weight.shape)).reshape(-1, len(n)),
        fixed=np.array([False, False, amdahl]),
        tolerance=1e-12,
    )
    best = found.cost.reshape(len(costs), count).argmin(axis=0)
    x = found.parameters.reshape(len(costs), count, 3)[best, np.arange(count)]
    parameters = np.column_stack([np.exp(x[:, 0]), x[:, 1] / (top - 1), x[:, 2] / (top * (top - 1))])
    if amdahl:
        parameters[:, COHERENCE] = 0.0
    return parameters


def _series(n, log_rate, weight, needed):
    n = np.asarray(n, dtype=float)
    log_rate = np.atleast_2d(np.asarray(log_rate, dtype=float))
    if n.ndim != 1 or log_rate.shape[1:] != n.shape or not (np.isfinite(n) & (n >= 1)).all():
        raise MppsError(f"n has shape {n.shape}, log_rate {log_rate.shape}: expected (k,) of at least 1, and (B, k)")
    weight = np.broadcast_to(np.asarray(weight, dtype=float), log_rate.shape)
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise MppsError("a weight is negative or not a number: expected numbers of at least 0")
    counts = weight > 0
    bad = np.argwhere(counts & ~np.isfinite(log_rate))
    if bad.size:
        raise MppsError(f"series {bad[0, 0] + 1}, point {bad[0, 1] + 1}: log_rate is not finite")
    kinds = sum((counts[:, n == value].any(axis=1)).astype(int) for value in np.unique(n))
    few = np.flatnonzero(kinds < needed)
    if few.size:
        raise MppsError(f"series {few[0] + 1} has points at {kinds[few[0]]} different n: the fit needs {needed}")
    return n, np.where(counts, log_rate, 0.0), weight
