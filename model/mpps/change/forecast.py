"""The curve after a change, from the curve before it."""

import itertools
from dataclasses import dataclass

import numpy as np

from mpps.change.drift import brownian, by_count, conditioned
from mpps.change.growth import draw_growth
from mpps.change.laps import Laps, after, laps, room_for_second
from mpps.change.population import Population, check_kind, draw_kept, draw_ratios, learnt_population
from mpps.change.profile import Profile, check_profile, profiled, reach_of
from mpps.discrepancy import cells
from mpps.errors import DataError
from mpps.table.fitting import fit_points, forecast_points
from mpps.table.points import Points, asked
from mpps.table.prior import Prior, learnt_prior
from mpps.uncertainty import LEVELS

_DRAWS = 20_000
_COUNT = 4_000
#: Smallest ratio that counts as a gain, as in `mpps.whatif`.
GAIN = 1.01
#: Largest factor between rates before and after a change at one count, and by which a lone sender gets faster.
_MOST_CHANGE, _MOST_LONE = 1e3, 30.0
#: How much more than in proportion to n a known rate may rise between two counts, beyond what the table itself does.
_IN_PROPORTION = 1.25
#: Scatter of a known point that no table shows: rounding of what is printed.
_PRINTED = 0.01


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
    known, start = checked_known(before, known or {}), before.n[0]
    n = np.unique(np.concatenate([before.n, asked(list(at))]))
    if n[0] < start:
        raise DataError(
            f"at: found {n[0]:g}: expected counts from {start:g} on, the smallest before the change; measure before the "
            f"change at n = {n[0]:g}"
        )
    if profile is not None:
        check_profile(profile, before)
    rng = np.random.default_rng([seed, 11])
    log_before, measured = _before(before, prior, n, seed)
    parts = laps(n, log_before)
    weight = np.exp(prior.discrepancy.log_weights.ravel())
    cell = cells()[rng.choice(len(weight), _DRAWS, p=weight / weight.sum())]
    if start in known:
        # Both rates that the ratio is made of were measured once.
        noise = np.sqrt(2) * cell[:, 0] * rng.standard_normal(_DRAWS)
        ratio = np.log(known[start]) - before.log_rate[0] + noise
    else:
        ratio = draw_ratios(population, kind, _DRAWS, rng)
    # A lock that a lap hardly touches cannot change it: not the lone lap, and not how the curve goes on.
    reach = 1.0 if profile is None else reach_of(profile)
    if start not in known:
        ratio = reach * ratio
    kept = draw_kept(population, kind, ratio, rng)
    # The longest section that was seen: counts that are only asked for change nothing at the others.
    longest = float(laps(before.n, before.log_rate).longest[0, 0])
    growth, most, same = None, 1.0, np.zeros(_DRAWS, bool)
    if kind == "removal":
        growth = draw_growth(prior, n, _DRAWS, rng)
        if profile is None:
            same = rng.random(_DRAWS) < population.nothing[kind]
    shares = kept * [room_for_second(longest) if kind == "removal" else 1.0, 1.0]
    if profile is not None:
        shares, most = profiled(shares, kind, profile, before, longest, rng)
    shares[same] = kept[same] = 1.0
    lone = np.exp(-ratio)[:, None]
    found = after(parts, lone, shares[:, :1], shares[:, 1:], growth, most)
    curves = log_before[:, :1] + np.log(n / n[0]) - np.log(found)
    # Where nothing changes, the curve is the one before, with its own drift.
    drift = np.where(same, 0.0, reach * cell[:, 1])
    beyond = {count: rate for count, rate in known.items() if count != start}
    scatter = np.hypot(cell[:, 0], _PRINTED)
    motion = brownian(n, _DRAWS, seed)
    chosen, log_after = conditioned(curves, motion, n, beyond, scatter, drift, _COUNT, rng)
    noise = cell[chosen, :1] * by_count(n, _COUNT, seed, 12)
    rate = np.exp(np.quantile(log_after + noise, LEVELS, axis=0))
    base = log_before[chosen] if len(log_before) > 1 else log_before
    return ChangeForecast(
        n,
        rate,
        log_after - base,
        np.exp(np.median(log_before, axis=0)),
        measured,
        kept[chosen] if profile is None else shares[chosen],
        _limits(parts, lone[chosen], shares[chosen], None if growth is None else growth[chosen], most, chosen),
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


def checked_known(before: Points, known: dict) -> dict[float, float]:
    """Known rates after the change by count. Raises `DataError` for one that the table cannot have."""
    found = {float(count): float(rate) for count, rate in known.items()}
    counts = ", ".join(f"{count:g}" for count in before.n)
    own = dict(zip(before.n.tolist(), np.exp(before.log_rate).tolist(), strict=True))
    start = before.n[0]
    for count, rate in found.items():
        if count not in own:
            raise DataError(
                f"known {count:g}={rate:g}: the table has no n = {count:g}: expected one of {counts}; leave the point out, "
                "or measure before the change at that count too"
            )
        if not (np.isfinite(rate) and rate > 0):
            raise DataError(
                f"known {count:g}={rate:g}: expected a rate above zero, in the unit of the table; correct it"
            )
        if not 1 / _MOST_CHANGE < rate / own[count] < _MOST_CHANGE:
            raise DataError(
                f"known {count:g}={rate:g}: the table says {own[count]:g} there before the change, and "
                f"{max(own.values()):g} at most: expected a rate in the same unit; correct the rate or its unit"
            )
        lone = rate / (count / start)
        if lone > _MOST_LONE * own[start]:
            raise DataError(
                f"known {count:g}={rate:g}: {lone:g} for each {_senders(start)}, and the table has {own[start]:g} before the "
                f"change: expected at most {_MOST_LONE:g} times as much; correct the rate or its unit"
            )
    order = sorted(found)
    for few, many in itertools.pairwise(order):
        rise, most = found[many] / found[few], many / few * max(1.0, own[many] / own[few] / (many / few))
        if rise > _IN_PROPORTION * most:
            raise DataError(
                f"known {few:g}={found[few]:g} and {many:g}={found[many]:g}: the rate rises by a factor of {rise:.3g} with "
                f"{many / few:.3g} times as many: expected {most:.3g} at most, what one core can do times their number; "
                "correct one of the two, or leave it out"
            )
    return found


def _senders(start: float) -> str:
    return "sender" if start == 1 else f"{start:g} senders"


def _limits(parts: Laps, lone, shares, growth, most, chosen):
    """Which part of the lap after the change is longest, as probabilities over the draws, (4, P)."""
    plateau, collapse = (each[chosen] if len(each) > 1 else each for each in (parts.plateau, parts.collapse))
    lap = parts.lap[chosen] if len(parts.lap) > 1 else parts.lap
    showed = 1 + (most if np.isscalar(most) else most[chosen]) * (lap - 1)
    stays = [np.broadcast_to(lone, (len(lone), len(parts.n))), shares[:, :1] * plateau, shares[:, 1:] * collapse]
    other = np.zeros(stays[0].shape)
    if growth is not None:
        other = np.where(np.minimum(lone * growth, np.maximum(showed, lone)) > sum(stays), lap * 10, 0.0)
        other = np.where(growth > 2.0, other, 0.0)
    place = np.stack([*np.broadcast_arrays(*stays), other]).argmax(0)
    return np.stack([(place == row).mean(0) for row in range(len(LIMITS))])
