"""Event simulation of senders at one first-come-first-served station: the independent check of `network`.

A product form knows neither a nearly constant section nor a section whose length is set when it starts.
The simulator knows both. Replications and cells (populations, parameter sets) advance side by side, one
section per step. The senders of a column stand in order of arrival, so that a step looks at the few that arrive
meanwhile, and never sorts.
"""

from dataclasses import dataclass

import numpy as np

_BLOCK = 100  # random numbers are drawn for this many sections at a time
_NARROW = 16  # cells with more senders than this are advanced apart from the others
_COLUMNS = 1024  # replications of cells that advance together: their queues stay in the second-level cache


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
            found = _in_blocks(
                n[part], think_ns[part], section_ns[part], variations, reading, sections, replications, seed
            )
            period[part], depth[part] = found
    from scipy.special import stdtrit

    # The 99 % interval of the mean of a few independent replications: Student's t, not the normal.
    error = period.std(axis=1, ddof=1) / np.sqrt(replications)
    return Simulated(period.mean(axis=1), error, stdtrit(replications - 1, 0.995) * error, depth.mean(axis=1))


def _in_blocks(n, think_ns, section_ns, variations, reading, sections, replications, seed):
    most, size = int(n.max()), max(1, _COLUMNS // replications)
    blocks = [slice(first, first + size) for first in range(0, len(n), size)]
    parts = [
        _advance(n[b], think_ns[b], section_ns[b, :most], variations, reading, sections, replications, seed)
        for b in blocks
    ]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def _advance(n, think_ns, section_ns, variations, reading, sections, replications, seed):
    """Period and mean depth of each replication of each cell, both (C, replications).

    All cells meet the same random numbers, so a cell does not depend on what else is asked, and differences between
    cells are differences of their parameters. A column is one replication of one cell; a place is a sender's rank in
    order of arrival times the number of columns, plus the column.
    """
    arrivals, thinking, working = (np.random.default_rng([seed, stream]) for stream in range(3))
    cells, most = len(n), section_ns.shape[1]
    think = np.repeat(think_ns, replications)
    section = np.repeat(section_ns, replications, axis=0).T.ravel()
    columns = len(think)
    column = np.arange(columns)
    # One row more than senders: nobody follows the last.
    queue = np.full((most + 1, columns), np.inf)
    queue[:-1] = np.tile(_gamma(arrivals, variations[0], (most, replications)), cells) * think
    queue[:-1][np.arange(most)[:, None] >= np.repeat(n, replications)] = np.inf
    queue.sort(axis=0)
    other = queue.copy()
    follower = column.copy()  # the place of the first who has not arrived
    free_at, started_at, depth_sum = np.zeros((3, columns))
    skip = sections // 5
    for step in range(sections):
        if step % _BLOCK == 0:
            works = np.tile(_gamma(working, variations[1], (_BLOCK, replications)), cells)
            thinks = np.tile(_gamma(thinking, variations[0], (_BLOCK, replications)), cells) * think
        work = works[step % _BLOCK]
        start = np.maximum(queue[0], free_at)
        _count_arrivals(queue.ravel(), start, follower, columns)
        if step >= skip:
            depth_sum += follower // columns
        if reading == "start":
            free_at = start + work * section.take(follower - columns)
        else:
            free_at = _end_at_current_depth(queue.ravel(), start, work, section, follower, columns)
        # The holder leaves, and comes back in order of arrival.
        back = free_at + thinks[step % _BLOCK]
        np.maximum(queue[1:-1], back, out=other[1:-1])
        other[0] = back
        np.minimum(other[:-2], queue[1:-1], out=other[:-2])
        queue, other = other, queue
        follower = np.maximum(follower - columns, column)
        if step < skip:
            started_at = free_at
    kept = sections - skip
    return ((free_at - started_at) / kept).reshape(cells, -1), (depth_sum / kept).reshape(cells, -1)


def _count_arrivals(queue, start, follower, columns) -> None:
    """Move `follower` past everybody who has arrived by `start`."""
    late = np.flatnonzero(queue.take(follower) <= start)
    while late.size:
        follower[late] += columns
        late = late[queue.take(follower[late]) <= start[late]]


def _gamma(rng, variation, shape):
    if variation == 0:
        return np.ones(shape)
    square = variation * variation
    return rng.gamma(1.0 / square, square, shape)


def _end_at_current_depth(queue, start, work, section, follower, columns) -> np.ndarray:
    """When `work` (1 = a mean section) is done if the pace is 1/section(depth) and arrivals deepen the queue.

    Moves `follower` past those who arrive meanwhile.
    """
    length = section.take(follower - columns)
    end = start + work * length
    done = (queue.take(follower) - start) / length  # by the next arrival
    late = np.flatnonzero(done <= work)
    place, done, work = follower[late], done[late], work[late]
    while late.size:
        clock, length = queue.take(place), section.take(place)
        place = place + columns
        end[late], follower[late] = clock + (work - done) * length, place
        done = done + (queue.take(place) - clock) / length
        more = np.flatnonzero(done <= work)
        late, place, done, work = late[more], place[more], done[more], work[more]
    return end
