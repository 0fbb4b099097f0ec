"""What removing or halving each lock of a profiled run would bring: the same drawn networks, with one station changed.

Removed: nobody waits for the lock, and what was done under it is done at the same time by all, as private work. Halved:
sections half as long, that work gone. Both sides share their draws, so that what they have in common cancels.
"""

from dataclasses import dataclass, replace

import numpy as np

from mpps.discrepancy import cells
from mpps.lock_forecast import Network, busiest, network_of, solved
from mpps.lock_profiles import LockRun
from mpps.table.points import asked
from mpps.table.prior import Prior, learnt_prior
from mpps.uncertainty import LEVELS

REMOVED, HALVED = "removed", "halved"
CHANGES = (REMOVED, HALVED)
#: A gain is one of more than this factor.
GAIN = 1.01
#: A section that is gone keeps this share of itself: a length of zero has no inverse.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class LockLever:
    """One lock, changed, at counts n (P,): quantiles (5, P) of the rate after over that before at `mpps.uncertainty.LEVELS`;
    probability (P,) of a gain of more than `GAIN`; limits (L + 1, P): probabilities that each lock, or private work (last),
    is then the busiest."""

    lock: str
    change: str
    n: np.ndarray
    quantiles: np.ndarray
    probability: np.ndarray
    limits: np.ndarray


def lock_levers(
    run: LockRun, cores, *, source: str | None = None, prior: Prior | None = None, seed: int = 1
) -> tuple[LockLever, ...]:
    """Every change of every lock that `forecast_run` tells apart, at counts `cores` (P,), locks by wait; arguments as there."""
    n = asked(cores)
    prior, rng = prior or learnt_prior(source), np.random.default_rng([seed, 21])
    chosen, network = network_of(run, prior, rng)
    before, _ = solved(network, n, run.cores)
    drift, normal = _unseen(prior, len(before), seed)
    found = []
    for place, lock in enumerate(chosen):
        for change in CHANGES:
            other = changed(network, place, change)
            rate, busy = solved(other, n, run.cores)
            ratio = np.log(rate / before)
            # A faster path runs where nobody has measured: as uncertain as counts that are so much larger.
            ratio = ratio + np.sqrt(np.abs(ratio)) * drift * normal
            limits = busiest(other, rate, busy, n, run.cores)
            found.append(
                LockLever(
                    lock.name,
                    change,
                    n,
                    np.exp(np.quantile(ratio, LEVELS, axis=0)),
                    (ratio > np.log(GAIN)).mean(0),
                    np.stack([(limits == row).mean(0) for row in range(len(chosen) + 1)]),
                )
            )
    return tuple(found)


def changed(network: Network, place: int, change: str) -> Network:
    """The networks with the lock at `place` removed or its sections halved."""
    factor = np.ones(network.hold.shape[1])
    factor[place] = _NOTHING if change == REMOVED else 0.5
    # What a lone sender does under the lock stays; what hand-offs add to it goes with them.
    more = network.hold[:, place] if change == REMOVED else 0.0
    return replace(network, think=network.think + more, section=network.section * factor, hold=network.hold * factor)


def _unseen(prior: Prior, count: int, seed: int):
    """Drift for each doubling or so of the rate, (K, 1), as tables show it with their counts, and its draws."""
    rng = np.random.default_rng([seed, 22])
    weight = np.exp(prior.discrepancy.log_weights.ravel())
    drift = cells()[rng.choice(len(weight), count, p=weight / weight.sum()), 1]
    return drift[:, None], rng.standard_normal((count, 1))
