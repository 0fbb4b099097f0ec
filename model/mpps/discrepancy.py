"""What no mechanism knows: scatter of measurements, drift of a real curve from any model, and bottlenecks not yet seen.

Log rate = mechanism + drift + scatter. The drift is a Brownian motion in log2(n): between two counts it differs by
`drift` standard deviations times the square root of the doublings between them, so it grows with the distance from the
data, and what a table showed of it continues (Kennedy and O'Hagan 2001 for the idea of a discrepancy process). Outside
the measured counts its clock runs slower, by the square of `persistence`.
Beyond the largest measured count something else may set in: with a hazard per doubling, weighed by the share of a lap
that is contended already, the rate falls for good by an exponential amount. What is shared can turn into the next
bottleneck; private work cannot.
"""

from dataclasses import dataclass

import numpy as np

#: Standard deviations that compete, relative: of one measurement, and of the drift per doubling. The smallest are floors:
#: a few points that lie on a curve by chance, or by rounding, promise no curve that goes on as exactly.
SCATTERS = np.array([0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64])
DRIFTS = np.array([0.015, 0.03, 0.06, 0.12, 0.24, 0.48])


@dataclass(frozen=True)
class Discrepancy:
    """What published tables taught: log weights (S, T) of SCATTERS x DRIFTS; persistence, the drift outside the data
    relative to that inside; the hazard of a fall per contended doubling beyond the data, and its mean in log rate."""

    log_weights: np.ndarray
    persistence: float
    hazard: float
    fall: float


def broad(scatter: float = 0.02, drift: float = 0.03) -> Discrepancy:
    """Before any table is seen: scatter and drift log-normal around the given medians, within a factor of three."""
    log_weights = -0.5 * (np.log(SCATTERS / scatter)[:, None] ** 2 + (np.log(DRIFTS / drift)[None, :] / 1.2) ** 2)
    return Discrepancy(log_weights - np.log(np.exp(log_weights).sum()), 0.5, 0.1, 1.0)


def cells():
    """Every pair (scatter, drift) in the order of `Discrepancy.log_weights`, (S T, 2)."""
    return np.stack(np.meshgrid(SCATTERS, DRIFTS, indexing="ij"), -1).reshape(-1, 2)


def clock(n, measured, persistence: float) -> np.ndarray:
    """Time of the drift at counts n (P,), at least 1: log2(n), slower outside the measured counts. (P,), not negative."""
    first, last = np.log2(np.min(measured)), np.log2(np.max(measured))
    time = np.log2(np.asarray(n, float))
    inside = np.clip(time, first, last)
    return inside + persistence**2 * (time - inside)


def log_likelihoods(n, residual, weight) -> np.ndarray:
    """Log likelihood of residuals under every cell, the capacity (a common offset) integrated out: (D, S T).

    n (k,); residual (D, k): measured minus mechanism, log rate; weight (k,): repeats averaged in each value.
    """
    root_weight = np.sqrt(np.asarray(weight, float))
    time = np.log2(n)
    # In these coordinates the covariance of every cell is diagonal: scatter^2 + drift^2 length.
    length, turn = np.linalg.eigh(np.minimum(time[:, None], time[None, :]) * root_weight[:, None] * root_weight)
    white = ((residual - residual.mean(1, keepdims=True)) * root_weight) @ turn
    offset = root_weight @ turn
    variance = cells()[:, 0] ** 2 + cells()[:, 1] ** 2 * np.maximum(length, 0.0)[:, None]
    precision = (offset[:, None] ** 2 / variance).sum(0)
    chi_square = white**2 @ (1 / variance) - (white @ (offset[:, None] / variance)) ** 2 / precision
    constant = np.log(precision) + np.log(variance).sum(0) - np.log(weight).sum() + (len(n) - 1) * np.log(2 * np.pi)
    return -0.5 * (chi_square + constant)


def continued(n, residual, weight, cell, persistence, at) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Capacity plus drift at counts `at` (P,), given residuals (D, k): mean (D, P), standard deviation (P,), capacity (D,).

    cell: scatter and drift. The capacity is the common offset's estimate, the log rate of a lone sender by the mechanism alone.
    """
    scatter, drift = cell
    inverse = np.linalg.inv(_covariance(n, weight, scatter, drift))
    capacity = residual @ inverse.sum(1) / inverse.sum()
    reach = _reach(n, drift, persistence, at)
    mean = capacity[:, None] + (residual - capacity[:, None]) @ inverse @ reach.T
    variance = np.diag(left_open(n, weight, cell, persistence, at))
    return mean, np.sqrt(np.maximum(variance, 0.0)), capacity


def left_open(n, weight, cell, persistence, at) -> np.ndarray:
    """Covariance of capacity plus drift at counts `at` (P,), given values at n (k,): (P, P); arguments as of `continued`."""
    scatter, drift = cell
    inverse = np.linalg.inv(_covariance(n, weight, scatter, drift))
    there, reach = clock(at, n, persistence), _reach(n, drift, persistence, at)
    open_ = 1 - reach @ inverse.sum(1)
    before = drift**2 * np.minimum(there[:, None], there[None, :])
    return before - reach @ inverse @ reach.T + np.outer(open_, open_) / inverse.sum()


def _reach(n, drift, persistence, at):
    """Covariance of the drift at counts `at` with that at n, (P, k)."""
    return drift**2 * np.minimum(clock(at, n, persistence)[:, None], np.log2(n)[None, :])


def contended_share(curves, n) -> np.ndarray:
    """Share of a lap that is not private work at n (P,), from log rates relative to a lone sender (K, P)."""
    return 1 - np.exp(np.minimum(curves - np.log(n), 0.0))


def falls(n, last: float, contended, hazard: float, fall: float, uniform) -> np.ndarray:
    """Log of what unseen bottlenecks leave at counts n (P,) beyond `last`: (D, P), 0 where none set in.

    contended (D, P): share of a lap that is not private, at each count; uniform (D, 2): draws of when, and how much.
    """
    doublings = np.maximum(np.log2(np.asarray(n, float) / last), 0.0)
    waiting, depth = -np.log1p(-uniform[:, :1]), -np.log1p(-uniform[:, 1:])
    return np.where(hazard * contended * doublings > waiting, -fall * depth, 0.0)


def _covariance(n, weight, scatter, drift):
    time = np.log2(n)
    return drift**2 * np.minimum(time[:, None], time[None, :]) + np.diag(scatter**2 / weight)
