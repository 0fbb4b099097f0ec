"""The curve after a change, from the curve before it."""

from dataclasses import dataclass

import numpy as np

from mpps.change.growth import draw_growth
from mpps.change.laps import Laps, after, laps, room_for_second
from mpps.change.population import Population, check_kind, draw_kept, draw_ratios, learnt_population
from mpps.discrepancy import cells
from mpps.errors import DataError
from mpps.table.fitting import fit_points, forecast_points
from mpps.table.points import Points
from mpps.table.prior import Prior, learnt_prior
from mpps.uncertainty import LEVELS

_DRAWS = 20_000
_COUNT = 4_000
#: Smallest ratio that counts as a gain, as in `mpps.whatif`.
GAIN = 1.01


@dataclass(frozen=True, eq=False)
class Profile:
    """A lock profile of the before run: wait and hold of the named lock per packet in ns, senders n, packets/s."""

    wait_ns: float
    hold_ns: float
    n: float
    rate_pps: float


@dataclass(frozen=True, eq=False)
class ChangeForecast:
    """n (P,); quantiles (5, P) of the rate after the change, in the unit of the table; gain (K, P): log of after over
    before; before (P,): measured, or the median where nobody measured; kept (K, 2); limits (4, P): probabilities of what
    limits after the change, in the order of `LIMITS`."""

    n: np.ndarray
    quantiles: np.ndarray
    gain: np.ndarray
    before: np.ndarray
    measured: np.ndarray
    kept: np.ndarray
    limits: np.ndarray
    population: Population


LIMITS = ("private work", "what was contended before", "its hand-off", "another shared resource")


def forecast_change(
    before: Points,
    kind: str,
    *,
    known: dict[float, float] | None = None,
    at=(),
    profile: Profile | None = None,
    source: str | None = None,
    prior: Prior | None = None,
    population: Population | None = None,
    seed: int = 1,
) -> ChangeForecast:
    """Predict the curve after a change of a `kind` from the curve before it.

    known: count -> rate measured after the change, in the unit of the table; counts of the table; at: further counts;
    source: laboratory or host that nothing may have been learnt from. Raises `DataError` for a table of fewer than two
    counts and for a known point that the table cannot have, `UnknownNameError` for another kind.
    """
    check_kind(kind)
    prior, population = prior or learnt_prior(source), population or learnt_population(source)
    if len(before.n) < 2:
        raise DataError(f"found {len(before.n)} count before the change: expected two at least; measure another one")
    known = _checked(before, known or {})
    rng = np.random.default_rng([seed, 11])
    n = np.unique(np.concatenate([before.n, np.asarray(list(at), float)]))
    log_before, measured = _before(before, prior, n, seed)
    parts = laps(n, log_before)
    start = before.n[0]
    weight = np.exp(prior.discrepancy.log_weights.ravel())
    cell = cells()[rng.choice(len(weight), _DRAWS, p=weight / weight.sum())]
    if start in known:
        ratio = np.log(known[start]) - before.log_rate[0] + np.zeros(_DRAWS)
    else:
        ratio = draw_ratios(population, kind, _DRAWS, rng)
    kept = draw_kept(population, kind, ratio, rng)
    if profile is not None:
        kept = _profiled(kept, before, profile)
    shares = kept.copy()
    growth, same = None, np.zeros(_DRAWS, bool)
    if kind == "removal":
        growth = draw_growth(prior, n, _DRAWS, rng)
        shares[:, :1] *= room_for_second(parts.longest)
        if profile is None:
            same = rng.random(_DRAWS) < population.nothing[kind]
            shares[same] = 1.0
    lone = np.exp(-ratio)[:, None]
    found = after(parts, lone, shares[:, :1], shares[:, 1:], growth)
    doublings = np.log2(n / n[0])
    steps = np.sqrt(np.diff(doublings, prepend=0.0)) * rng.standard_normal((_DRAWS, len(n)))
    # Where nothing changes, the curve is the one before, with its own drift.
    drift = np.where(same[:, None], 0.0, cell[:, 1:] * np.cumsum(steps, 1))
    log_after = log_before[:, :1] + np.log(n / n[0]) - np.log(found) + drift
    chosen = _chosen(log_after, n, known, start, cell, rng)
    scatter = cell[chosen, :1] * rng.standard_normal((_COUNT, len(n)))
    rate = np.exp(np.quantile(log_after[chosen] + scatter, LEVELS, axis=0))
    base = log_before[chosen] if len(log_before) > 1 else log_before
    return ChangeForecast(
        n,
        rate,
        log_after[chosen] - base,
        np.exp(np.median(log_before, axis=0)),
        measured,
        kept[chosen],
        _limits(parts, lone[chosen], shares[chosen], None if growth is None else growth[chosen], chosen),
        population,
    )


def _before(before: Points, prior: Prior, n, seed):
    """Log rates before the change (1 or K, P): measured where they are, the table's mixture elsewhere."""
    measured = np.isin(n, before.n)
    if measured.all():
        return before.log_rate[None, :], measured
    curves = forecast_points(fit_points(before, prior, seed=seed, count=_DRAWS), n).curves
    curves[:, measured] = before.log_rate
    return curves, measured


def _checked(before: Points, known: dict) -> dict:
    found = {float(count): float(rate) for count, rate in known.items()}
    counts = ", ".join(f"{count:g}" for count in before.n)
    best = np.exp(before.log_rate).max()
    for count, rate in found.items():
        if count not in before.n:
            raise DataError(f"known {count:g}={rate:g}: the table has no n = {count:g}: expected one of {counts}")
        if not (np.isfinite(rate) and rate > 0):
            raise DataError(f"known {count:g}={rate:g}: expected a rate above zero, in the unit of the table")
        own = np.exp(before.log_rate[before.n == count][0])
        if not 1e-3 < rate / own < 1e3:
            raise DataError(
                f"known {count:g}={rate:g}: the table says {own:g} there before the change, and {best:g} at most: "
                "expected a rate in the same unit; correct the rate or its unit"
            )
    return found


def _profiled(kept, before: Points, profile: Profile):
    """Shares kept, where a profile says how much of the contended time is spent at the named lock.

    Time contended elsewhere stays whatever happens to the lock.
    """
    lap_ns = profile.n / profile.rate_pps * 1e9
    speedup = np.exp(np.interp(np.log(profile.n), np.log(before.n), before.log_rate) - before.log_rate[0])
    contended_ns = lap_ns * max(1 - speedup / (profile.n / before.n[0]), 1e-6)
    named = min(1.0, profile.wait_ns / contended_ns)
    # That the change touches nothing that is contended is ruled out as far as the lock is what is waited for.
    return 1 - named * (1 - np.minimum(kept, 1.0))


def _chosen(log_after, n, known, start, cell, rng):
    """Draws that agree with the known points beyond the first, by importance resampling."""
    weight = np.zeros(len(log_after))
    for count, rate in known.items():
        if count != start:
            place = int(np.flatnonzero(n == count)[0])
            weight -= 0.5 * ((np.log(rate) - log_after[:, place]) / np.hypot(cell[:, 0], 0.02)) ** 2
    weight = np.exp(weight - weight.max())
    edges = np.cumsum(weight) / weight.sum()
    chosen = np.searchsorted(edges, (np.arange(_COUNT) + rng.random()) / _COUNT)
    return np.minimum(chosen, len(edges) - 1)


def _limits(parts: Laps, lone, shares, growth, chosen):
    """Which part of the lap after the change is longest, as probabilities over the draws, (4, P)."""
    plateau, collapse = (each[chosen] if len(each) > 1 else each for each in (parts.plateau, parts.collapse))
    lap = parts.lap[chosen] if len(parts.lap) > 1 else parts.lap
    stays = [np.broadcast_to(lone, (len(lone), len(parts.n))), shares[:, :1] * plateau, shares[:, 1:] * collapse]
    other = np.zeros(stays[0].shape)
    if growth is not None:
        other = np.where(np.minimum(lone * growth, np.maximum(lap, lone)) > sum(stays), lap * 10, 0.0)
        other = np.where(growth > 2.0, other, 0.0)
    place = np.stack([*np.broadcast_arrays(*stays), other]).argmax(0)
    return np.stack([(place == row).mean(0) for row in range(len(LIMITS))])
