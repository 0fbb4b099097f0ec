"""A whole curve from one profiled run: private work from rate and cores, a station for each lock from its hold and wait.

At the profiled count everything is measured: the rate, and how long a packet stays at each lock, so that the length of a
section follows by the mean value of a closed network (Reiser and Lavenberg 1980, with Schweitzer's estimate of what an
arrival finds, 1979, and less waiting for sections that vary little). What one run cannot tell is drawn: how a section
grows with the queue, how private work grows with cores, errors of a profile, and, from what published tables taught
(`mpps.table.prior`), drift and bottlenecks not yet seen.
"""

from dataclasses import dataclass

import numpy as np

from mpps.discrepancy import cells, clock, falls
from mpps.lock_profiles import LockRun, LockTimes
from mpps.table.mechanisms import MECHANISMS
from mpps.table.points import asked
from mpps.table.prior import Prior, learnt_prior
from mpps.uncertainty import LEVELS
from mpps.units import NS_PER_SECOND

_DRAWS = 2000
#: Locks that are told apart; a lock below this share of a lap, wait and hold, counts as private work.
MOST_LOCKS, SMALLEST = 4, 0.01
#: Errors of a profile's waits and holds, relative.
_WAIT_ERROR, _HOLD_ERROR = 0.1, 0.05
#: Private work is at least this share of a lap.
_LEAST_PRIVATE = 0.01
_ROUNDS, _DAMPING, _SETTLED = 400, 0.5, 1e-4
PRIVATE = "private work"


@dataclass(frozen=True, eq=False)
class LockForecast:
    """n (P,); quantiles (5, P) of packets/s at `mpps.uncertainty.LEVELS`; limits (L + 1, P): probabilities that each lock of
    `locks`, or private work (last), is the busiest; private_ns, section_ns (L,): medians and 90 % ends, each (3,) or (L, 3),
    at the profiled count; words: where the prior comes from."""

    n: np.ndarray
    quantiles: np.ndarray
    locks: tuple[str, ...]
    limits: np.ndarray
    private_ns: np.ndarray
    section_ns: np.ndarray
    words: str


@dataclass(frozen=True, eq=False)
class Network:
    """Draws of a closed network: think (K,) and sections (K, L) at the profiled count; hold (K, L): section of a lone
    sender; depth (K, L): queue in the section's length at that count; linear (K, 1): sections grow with every waiter, not
    with the first alone; variation (K, 1): squared coefficient of variation of a section; sharing (K,)."""

    think: np.ndarray
    section: np.ndarray
    hold: np.ndarray
    depth: np.ndarray
    linear: np.ndarray
    variation: np.ndarray
    sharing: np.ndarray


def forecast_run(
    run: LockRun, cores, *, source: str | None = None, prior: Prior | None = None, seed: int = 1
) -> LockForecast:
    """Rates at counts `cores` (P,) from a profiled run alone; `DataError` for counts that are no whole numbers from 1.

    source: laboratory or host that the prior must not have learnt from.
    """
    n = asked(cores)
    prior, rng = prior or learnt_prior(source), np.random.default_rng([seed, 21])
    chosen, network = network_of(run, prior, rng)
    everywhere = np.unique(np.append(n, run.cores))
    rate, busy = solved(network, everywhere, run.cores)
    log_rate = np.log(rate * NS_PER_SECOND)
    # The profiled run was measured: the curve goes through it.
    log_rate += np.log(run.rate_pps) - log_rate[:, everywhere == run.cores]
    log_rate += _surprises(prior, log_rate, network, everywhere, run.cores, rng)
    wanted = np.isin(everywhere, n)
    place = busiest(network, rate, busy, everywhere, run.cores)[:, wanted]
    ends = lambda values: np.quantile(values, (0.5, 0.05, 0.95), axis=0).T
    return LockForecast(
        n,
        np.exp(np.quantile(log_rate[:, wanted], LEVELS, axis=0)),
        tuple(lock.name for lock in chosen),
        np.stack([(place == row).mean(0) for row in range(len(chosen) + 1)]),
        ends(network.think),
        ends(network.section),
        prior.words,
    )


def network_of(run: LockRun, prior: Prior, rng) -> tuple[list[LockTimes], Network]:
    """The locks that are told apart, by wait, and networks with a station for each that agree with the run."""
    chosen = [lock for lock in run.locks if (lock.wait_ns + (lock.hold_ns or 0.0)) >= SMALLEST * run.lap_ns]
    chosen = chosen[:MOST_LOCKS] or [run.locks[0]]
    return chosen, _drawn(run, chosen, prior, rng)


def busiest(network: Network, rate, busy, n, cores: int) -> np.ndarray:
    """Place of the busiest lock, or of private work behind the last lock, (K, P); arguments as `solved` has and gives them."""
    private = 1 - _idle(network, rate, n, cores)
    return np.where(busy.max(-1) > private, busy.argmax(-1), busy.shape[-1])


def _drawn(run: LockRun, locks, prior: Prior, rng) -> Network:
    """Networks that agree with the run: sections from the time that a packet stays at each lock."""
    lap, n = run.lap_ns, run.cores
    normal = lambda: rng.standard_normal((_DRAWS, len(locks)))
    wait = np.array([lock.wait_ns for lock in locks]) * np.exp(_WAIT_ERROR * normal())
    printed = np.array([np.nan if lock.hold_ns is None else lock.hold_ns for lock in locks]) * np.exp(
        _HOLD_ERROR * normal()
    )
    handoff, linear, each_waiter = _handoffs(prior, rng)
    variation = rng.random((_DRAWS, 1))
    # Where no hold is printed, a section is what explains the wait; how much shorter it is for a lone sender is drawn.
    hold = np.where(np.isfinite(printed), printed, wait / n)
    for _ in range(60):
        stay = wait + hold
        scale = np.minimum(1.0, (1 - _LEAST_PRIVATE) * lap / stay.sum(1, keepdims=True))
        section, depth = _section(stay * scale, lap, n, variation)
        grown = np.where(linear, each_waiter * depth, handoff * np.minimum(depth, 1.0))
        hold = np.where(np.isfinite(printed), printed, section / (1 + grown))
    think = np.maximum(lap - stay.sum(1), _LEAST_PRIVATE * lap)
    # Sections that wait less than their hold explains vary less than any that was drawn: they are as long as the hold.
    section = np.maximum(section, hold)
    # What grows with every waiter grows no faster than such locks do: the rest is error of the profile.
    section = np.where(linear, np.minimum(section, hold * (1 + each_waiter * depth)), section)
    sharing = _quantity(prior, "shared slowdown", "sharing", rng)
    return Network(think, section, hold, depth, linear, variation, sharing * (rng.random(_DRAWS) < 0.5))


def _section(stay, lap, n, variation):
    """Length of a section from the time that a packet stays there, hold included, and how many it finds there.

    stay = S (1 + found - busy (1 - variation)/2), with found = (n - 1)/n stay/lap n senders and busy = (n - 1)/n S n/lap.
    """
    found = (n - 1) * stay / lap
    bend = (n - 1) / lap * (1 - variation) / 2
    root = np.sqrt(np.maximum((1 + found) ** 2 - 4 * bend * stay, 0.0))
    # The smaller root; without bend it is stay/(1 + found). A station cannot be busier than all the time.
    return np.minimum(2 * stay / (1 + found + root), lap / n), found


def _handoffs(prior: Prior, rng):
    """Extra cost of a hand-off to the first waiter, whether each waiter adds instead, and how much: by the learnt odds, in
    sections, (K, 1) each."""
    names = ("station", "contended station", "ticket station")
    chosen = [mechanism for mechanism in MECHANISMS if mechanism.name in names]
    odds = np.exp([prior.of(mechanism)[2] for mechanism in chosen])
    which = rng.choice(len(chosen), _DRAWS, p=odds / odds.sum())
    contended = _quantity(prior, "contended station", "handoff", rng)
    handoff = np.where(np.array([each.name == "station" for each in chosen])[which], 0.0, contended)
    linear = np.array([each.name == "ticket station" for each in chosen])[which]
    return handoff[:, None], linear[:, None], _quantity(prior, "ticket station", "per_waiter", rng)[:, None]


def _quantity(prior: Prior, mechanism: str, name: str, rng) -> np.ndarray:
    found = next(each for each in MECHANISMS if each.name == mechanism)
    center, width, _ = prior.of(found)
    column = [quantity.name for quantity in found.quantities].index(name)
    return found.quantities[column].value(center[column] + width[column] * rng.standard_normal(_DRAWS))


def solved(network: Network, n, cores: int):
    """Laps per ns (K, P) and utilisation of each lock (K, P, L), by a damped fixed point of the mean values."""
    population = n[None, :, None]
    think = _think(network, n, cores)
    hold, section = network.hold[:, None], network.section[:, None]
    depth, linear = np.maximum(network.depth[:, None], 1e-9), network.linear[:, None]
    seen = (population - 1) / population
    queue = np.minimum(network.depth[:, None], seen) + np.zeros((1, len(n), 1))
    for _ in range(_ROUNDS):
        found = seen * queue
        # The first waiter pays the whole hand-off, or each one its part: none without a queue either way.
        grown = np.where(linear, found / depth, np.minimum(found / np.minimum(depth, 1.0), 1.0))
        length = hold + (section - hold) * grown
        most = 1 / length.max(-1)
        stay = length * (1 + found)
        rate = np.minimum(n / (think + stay.sum(-1)), most)
        busy = np.minimum(rate[..., None] * length, 1.0)
        stay = stay - length * seen * busy * (1 - network.variation[:, None]) / 2
        rate = np.minimum(n / (think + stay.sum(-1)), most)
        target = rate[..., None] * stay
        # Whoever is neither thinking nor at another lock queues at the busiest.
        rest = np.maximum(n - rate * think - target.sum(-1), 0.0)
        target += rest[..., None] * (busy == busy.max(-1, keepdims=True))
        step = _DAMPING * (target - queue)
        queue = queue + step
        if np.abs(step).max() < _SETTLED * n[-1]:
            break
    return rate, rate[..., None] * length


def _think(network: Network, n, cores: int):
    """Private work at counts n, (K, P): as profiled at `cores`, less with fewer cores where they share lines."""
    slowdown = lambda count: 1 + network.sharing[:, None] * (1 - 1 / count)
    return network.think[:, None] * slowdown(n[None, :]) / slowdown(float(cores))


def _idle(network, rate, n, cores):
    """Share of a core's time that is not private work, (K, P)."""
    return np.clip(1 - rate * _think(network, n, cores) / n, 0.0, 1.0)


def _surprises(prior: Prior, log_rate, network, n, cores: int, rng) -> np.ndarray:
    """Drift away from the profiled count, falls beyond it, and scatter, as for any table: (K, P)."""
    discrepancy = prior.discrepancy
    weight = np.exp(discrepancy.log_weights.ravel())
    scatter, drift = cells()[rng.choice(len(weight), _DRAWS, p=weight / weight.sum())].T
    time = clock(n, [cores], discrepancy.persistence)
    place = int(np.flatnonzero(n == cores)[0])
    steps = np.sqrt(np.abs(np.diff(time))) * rng.standard_normal((_DRAWS, len(n) - 1))
    away = np.zeros(log_rate.shape)
    away[:, place + 1 :] = np.cumsum(steps[:, place:], axis=1)
    away[:, :place] = np.cumsum(steps[:, :place][:, ::-1], axis=1)[:, ::-1]
    private = network.think[:, None] + network.hold.sum(1)[:, None]
    contended = np.clip(1 - np.exp(log_rate) / NS_PER_SECOND * private / n, 0.0, 1.0)
    fallen = falls(n, float(cores), contended, discrepancy.hazard, discrepancy.fall, rng.random((_DRAWS, 2)))
    return drift[:, None] * away + fallen + scatter[:, None] * rng.standard_normal(log_rate.shape)
