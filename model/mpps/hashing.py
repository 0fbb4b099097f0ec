"""Flows that hash onto queues: how many queues count in full, for any number of flows.

A hash places flows by chance, so some queues get more than their share and some none. How much that costs depends on the
flows: with equal load each, the busiest queue is full first and the others wait for nobody; greedy flows fill every queue
that has one.
"""

import numpy as np

from mpps.errors import MppsError

LOADS = ("equal", "greedy")


def full_queues(flows: int, queues: int, load: str, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Queues that count in full when `flows` hash onto `queues`, (draws,), from 1 to `queues`.

    equal: flows over the load of the busiest queue, which is full first; greedy: queues that have a flow at all.
    Raises `MppsError` for counts that are no whole numbers from 1, and for another kind of load.
    """
    for name, count in (("flows", flows), ("queues", queues)):
        if count != int(count) or count < 1:
            raise MppsError(f"{name} = {count:g}: expected a whole number from 1")
    if load not in LOADS:
        raise MppsError(f"load {load!r}: expected one of {', '.join(LOADS)}")
    placed = rng.multinomial(int(flows), np.full(int(queues), 1 / int(queues)), size=draws)
    return flows / placed.max(axis=1) if load == "equal" else (placed > 0).sum(axis=1).astype(float)


def busiest_at_most(flows: int, queues: int, most: int) -> float:
    """Exact probability that no queue gets more than `most` of the flows (multinomial distribution).

    Flows that come to each queue as Poisson counts are multinomial given their sum: the chance that all counts are at most
    `most` and sum to `flows`, over that of the sum (Levin 1981). Terms stay in range for thousands of flows.
    """
    count = np.arange(max(most, flows) + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(count[1:]))])
    mean = flows / queues
    term = np.exp(count[: most + 1] * np.log(mean) - mean - logs[: most + 1])
    total = np.ones(1)
    for _ in range(queues):
        total = np.convolve(total, term)[: flows + 1]
    if len(total) <= flows:
        return 0.0
    return float(total[flows] / np.exp(flows * np.log(flows) - flows - logs[flows]))


def empty_share(flows: int, queues: int) -> float:
    """Expected share of queues without a flow, (1 - 1/queues)^flows."""
    return float((1 - 1 / queues) ** flows)
