"""Laps of a sender before and after a change: what is private, what waits on a plateau, what a collapse adds.

With n senders at rate X a lap takes n/X. What it takes beyond the lap at the smallest count is contended time, of two
kinds. A serial station that keeps its section holds the rate at its peak: n/peak of lap, the plateau. What the lap takes
beyond that is the collapse: hand-offs that grow dearer as the queue grows. A change keeps a share of each.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Laps:
    """Laps before a change in units of the one at the smallest count: n (P,) ascending; lap, plateau, collapse (K, P)
    with lap = faster (1 + plateau + collapse), where faster is 1 unless the rate rises faster than n; longest (K, 1):
    share of a lone lap in the longest section, the inverse of the peak speed-up."""

    n: np.ndarray
    lap: np.ndarray
    plateau: np.ndarray
    collapse: np.ndarray
    faster: np.ndarray
    longest: np.ndarray


def laps(n, log_rate) -> Laps:
    """Laps of log rates (K, P) at ascending counts n (P,)."""
    n, log_rate = np.asarray(n, float), np.atleast_2d(log_rate)
    speedup = np.exp(log_rate - log_rate[:, :1])
    senders = n / n[0]
    peak = np.maximum.accumulate(speedup, axis=1)
    lap, at_peak = senders / speedup, senders / peak
    plateau, collapse = np.maximum(at_peak - 1, 0.0), np.maximum(lap - at_peak, 0.0)
    return Laps(n, lap, plateau, collapse, lap / (1 + plateau + collapse), 1 / peak[:, -1:])


def room_for_second(longest) -> np.ndarray:
    """Largest plateau that another station can have, relative to that of the longest section.

    Sections of one lap share the lap: beside one that takes `longest` of it a second one has at most the rest.
    """
    return np.minimum(1.0, (1 - longest) / longest)


def after(before: Laps, lone, kept_plateau, kept_collapse, growth=None, most=1.0) -> np.ndarray:
    """Laps after a change (K, P), in units of the one at the smallest count before it.

    lone (K, 1): lap at the smallest count after the change; kept_* (K, 1): shares of the contended times that stay;
    growth (K, P): by what factor the lone lap grows through other shared work, which showed already before the change
    and so never makes the lap longer than that; None for a change that leaves all stations in place; most (K, 1): share
    of what a lap grew by that other shared work can account for.
    """
    kept = before.faster * (lone + kept_plateau * before.plateau + kept_collapse * before.collapse)
    if growth is None:
        return kept
    showed = 1 + most * (before.lap - 1)
    return np.maximum(kept, np.minimum(lone * growth, np.maximum(showed, before.faster * lone)))
