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
    """period_ns (C,): time between completions, mean over replications; error_ns (C,): its standard error;
    half_width_ns (C,): of its 99 % interval; depth (C,): mean depth, holder included, at the start of a section."""

    period_ns: np.ndarray
    error_ns: np.ndarray
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
    replications: int = 16,
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
    n, think_ns, section_ns = np.asarray(n, int), np.asarray(think_ns, float), np.asarray(section_ns, float)
    variations = (think_variation, section_variation)
    crowded = n > _NARROW
    period, depth = np.empty((2, len(n), replications))
    for part in (~crowded, crowded):
        # Cells with few senders would carry the columns of those with many.
        if part.any():
            period[part], depth[part] = _advance(
                n[part], think_ns[part], section_ns[part], variations, reading, sections, replications, seed
            )
    from scipy.special import stdtrit

    # The 99 % interval of the mean of a few independent replications: Student's t, not the normal.
    error = period.std(axis=1, ddof=1) / np.sqrt(replications)
    return Simulated(period.mean(axis=1), error, stdtrit(replications - 1, 0.995) * error, depth.mean(axis=1))


def _advance(n, think_ns, section_ns, variations, reading, sections, replications, seed):
    """Period and mean depth of each replication of each cell, both (C, replications).

    All cells meet the same random numbers, so a cell does not depend on what else is asked, and differences between
    cells are differences of their parameters.
    """
    arrivals, thinking, working = (np.random.default_rng([seed, stream]) for stream in range(3))
    cells, most = len(n), int(n.max())
    think = np.repeat(think_ns, replications)
    section = np.repeat(section_ns[:, :most], replications, axis=0)
    arrival = np.tile(_gamma(arrivals, variations[0], (most, replications)).T, (cells, 1)) * think[:, None]
    arrival[np.arange(most) >= np.repeat(n, replications)[:, None]] = np.inf
    row = np.arange(len(think))
    free_at, started_at, depth_sum = np.zeros((3, len(think)))
    skip = sections // 5
    for step in range(sections):
        if step % _BLOCK == 0:
            works = np.tile(_gamma(working, variations[1], (_BLOCK, replications)), cells)
            thinks = np.tile(_gamma(thinking, variations[0], (_BLOCK, replications)), cells) * think
        who = arrival.argmin(axis=1)
        start = np.maximum(arrival[row, who], free_at)
        depth = (arrival <= start[:, None]).sum(axis=1)
        if reading == "start":
            free_at = start + works[step % _BLOCK] * section[row, depth - 1]
        else:
            free_at = _end_at_current_depth(arrival, start, works[step % _BLOCK], section)
        arrival[row, who] = free_at + thinks[step % _BLOCK]
        if step >= skip:
            depth_sum += depth
        else:
            started_at = free_at
    kept = sections - skip
    return ((free_at - started_at) / kept).reshape(cells, -1), (depth_sum / kept).reshape(cells, -1)


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
