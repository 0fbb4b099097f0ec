"""Flows that hash onto queues, and cores that serve them: n cores serve min(n, queues), some with more than their share."""

from dataclasses import replace

import numpy as np

from mpps.alter.drafts import Altered, lap_work, with_prior, with_stage
from mpps.alter.parsing import Change
from mpps.hashing import busiest_at_most, empty_share, full_queues
from mpps.machine import Assumption
from mpps.path import Stage

#: Placements drawn for the mean and spread at each number of queues.
_DRAWS = 400
#: Up to this many flows the expected maximum is exact.
_EXACT = 256
PLACEMENT = Assumption(
    "luck of the hash: busy queues against the usual number of them",
    1.0,
    float(np.exp(-1.645)),
    float(np.exp(1.645)),
    "spreads",
    "flows fall on queues by chance; the spread is that of drawn placements (multinomial)",
)


def queues(draft: Altered, change: Change) -> Altered:
    """Q queues, and F flows that hash onto them when given.

    hashing "equal" (when not said): up to the load at which the first queue overflows; "greedy": until every queue that
    has a flow is full. Cores without a full queue wait for packets, as a stage of private work.
    """
    given = change.pairs
    count, flows = int(given["queues"]), given.get("flows")
    kind = str(given.get("hashing", "equal"))
    draft = replace(draft, variant=replace(draft.variant, most_running=count))
    if flows is None:
        return draft.said(counted(count, "queue"))
    flows = int(flows)
    draft = with_prior(draft, "placement", PLACEMENT)
    # n is the number of cores that have a queue.
    full = f"minimum(n, {_full_text(count, flows, kind, draft.fitted.seed)})"
    until = "until the first queue is full" if kind == "equal" else "until every queue that has a flow is full"
    words, notes = f"{counted(count, 'queue')} for {counted(flows, 'flow')}, {until}", (hashing_words(count, flows),)
    work = lap_work(draft)
    stage = Stage(
        "waiting for packets", f"{work}*(maximum(n/({full}), 1.0) - 1.0)", "a core whose queue is not full", per="skb"
    )
    return with_stage(draft, stage).said(words, notes=notes)


def busiest_share(flows: int, queues: int, seed: int = 1) -> float:
    """Expected load of the busiest queue over an even share, from 1 to `queues`: exact up to 256 flows, else drawn."""
    if queues == 1:
        return 1.0
    if flows > _EXACT or queues > _EXACT:
        drawn = full_queues(flows, queues, "equal", 4 * _DRAWS, np.random.default_rng([seed, 8]))
        return float(np.mean(queues / drawn))
    # The mean is the sum of P(more than m); below an even share that is 1.
    expected = most = -(-flows // queues)
    while most <= flows:
        beyond = 1.0 - busiest_at_most(flows, queues, most)
        if beyond < 1e-9:
            break
        expected, most = expected + beyond, most + 1
    return expected * queues / flows


def hashing_words(count: int, flows: int) -> str:
    """What uneven hashing leaves, both ways to count it."""
    busiest = busiest_share(flows, count)
    return (
        f"{counted(flows, 'flow')} of equal load on {counted(count, 'queue')}: the busiest queue has {busiest:.2f} times an even share in the mean, so "
        f"the first one overflows at {100 / busiest:.0f} % of what an even spread would carry; with flows that fill their queues, "
        f"{100 * (1 - empty_share(flows, count)):.0f} % of the queues have one and count in full."
    )


def counted(count: int, noun: str) -> str:
    """`1 queue`, `8 queues`."""
    return f"{count} {noun}" + ("s" if count != 1 else "")


def _full_text(count: int, flows: int, kind: str, seed: int) -> str:
    """Full queues of n, up to `count`, as a formula: log-normal in the luck of the placement, mean and spread from draws."""
    middle, spread = [], []
    rng = np.random.default_rng([seed, 7])
    for size in range(1, count + 1):
        drawn = np.log(full_queues(flows, size, kind, _DRAWS if size <= 64 else 100, rng))
        middle.append(float(drawn.mean()))
        spread.append(float(drawn.std()))
    pick = lambda values: (
        "+".join(f"at(n, {k})*{value:.6g}" for k, value in enumerate(values, 1) if abs(value) > 1e-9) or "0.0*n"
    )
    return f"exp({pick(middle)} + ({pick(spread)})*log(placement))"
