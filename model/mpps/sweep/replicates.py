"""Bootstraps of a fit, spread over the workers of `mpps.sweep.pool`."""

import numpy as np

from mpps.fit import Problem, Solved
from mpps.uncertainty import members

#: Replicates of one task. They are drawn with a seed of their own, so results do not depend on who computes them.
PIECE = 250


def bootstrap(pool, problem: Problem, solved: Solved, scale: float, count: int, *, seed: int = 1) -> np.ndarray:
    """`count` parameter sets (count, p) as `mpps.uncertainty.members` draws them, log values, 250 a task on `pool`.

    with pool(scheduler="tcp://...") as workers: bootstrap(workers, one.problem, one.solved, one.scale, 100_000)
    """
    tasks = (
        (problem, solved, scale, min(PIECE, count - first), np.random.SeedSequence(seed, spawn_key=(first // PIECE,)))
        for first in range(0, count, PIECE)
    )
    found = dict(pool.run(members, tasks))
    return np.concatenate([found[place] for place in sorted(found)])
