"""Event simulation of senders at one first-come-first-served station: the independent check of `network`.

A product form knows neither a nearly constant section nor a section whose length is set when it starts.
The simulator knows both. Replications and cells (populations, parameter sets) advance side by side, one
section per step, so thousands of cells cost a few hundred array operations per section.
"""

from dataclasses import dataclass

import numpy as np

_BLOCK = 100  # random numbers are drawn for this many sections at a time
_NARROW = 16  # cells with more senders than this are advanced apart from the others


@dataclass(frozen=True)
class Simulated:
    """period_ns (C,): time between completions, mean over replications; half_width_ns (C,): of its 99 % interval;
    depth (C,): mean depth, holder included, at the start of a section."""

    period_ns: np.ndarray
    half_width_ns: np.ndarray
    depth: np.ndarray


def simulate(
    n,
    think_ns,
    section_ns,
    *,
    think_variation: float,
    section_variation: float,
    reading: str,
    sections: int = 1500,
    replications: int = 12,
    seed: int = 1,
) -> Simulated:
    """Simulate C cells in which n senders think and then pass one section in order of arrival.

    n (C,) integers; think_ns (C,) mean; section_ns (C, K) mean section at depth 1..K, K >= max(n).
    Think and section times are gamma distributed with these coefficients of variation
    (1 exponential, 0 constant). reading "start": the depth at its start sets a section's length;
    "current": the length follows the depth while the section lasts. The first fifth is left out.
    """
    if reading not in ("start", "current"):
        raise ValueError(f"reading is 'start' or 'current', not {reading!r}")
    from scipy.special import stdtrit

    rng = np.random.default_rng(seed)
    n = np.repeat(np.asarray(n, int), replications)
    think = np.repeat(np.asarray(think_ns, float), replications)
    section = np.repeat(np.asarray(section_ns, float)[:, : n.max()], replications, axis=0)
    cells, row = len(n), np.arange(len(n))
    arrival = _gamma(rng, think_variation, (cells, n.max())) * think[:, None]
    arrival[np.arange(n.max()) >= n[:, None]] = np.inf
    free_at, started_at, depth_sum = np.zeros(cells), np.zeros(cells), np.zeros(cells)
    skip = sections // 5
    for step in range(sections):
        if step % _BLOCK == 0:
            works = _gamma(rng, section_variation, (_BLOCK, cells))
            thinks = _gamma(rng, think_variation, (_BLOCK, cells)) * think
        work = works[step % _BLOCK]
        who = arrival.argmin(axis=1)
        start = np.maximum(arrival[row, who], free_at)
        depth = (arrival <= start[:, None]).sum(axis=1)
        if reading == "start":
            free_at = start + work * section[row, depth - 1]
        else:
            free_at = _end_at_current_depth(arrival, start, work, section)
        arrival[row, who] = free_at + thinks[step % _BLOCK]
        if step >= skip:
            depth_sum += depth
        else:
            started_at = free_at
    period = ((free_at - started_at) / (sections - skip)).reshape(-1, replications)
    # The 99 % interval of the mean of a few independent replications: Student's t, not the normal.
    half_width = stdtrit(replications - 1, 0.995) * period.std(axis=1, ddof=1) / np.sqrt(replications)
    depth = depth_sum.reshape(-1, replications).mean(axis=1) / (sections - skip)
    return Simulated(period.mean(axis=1), half_width, depth)


def _gamma(rng, variation, shape):
    if variation == 0:
        return np.ones(shape)
    square = variation * variation
    return rng.gamma(1.0 / square, square, shape)


def _end_at_current_depth(arrival, start, work, section):
    """When `work` (1 = a mean section) is done if the pace is 1/section(depth) and arrivals deepen the queue."""
    clock = np.maximum(np.sort(arrival, axis=1), start[:, None])
    # Far beyond any clock, near enough to be divided by the shortest section.
    finite = np.where(np.isfinite(clock), clock, 1e200)
    done = np.zeros_like(clock)
    np.cumsum(np.diff(finite, axis=1) / section[:, :-1], axis=1, out=done[:, 1:])
    last = (done <= work[:, None]).sum(axis=1) - 1
    row = np.arange(len(start))
    return clock[row, last] + (work - done[row, last]) * section[row, last]
