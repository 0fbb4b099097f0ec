"""The networks of a code path's members, and what its fit says beyond them.

Per move only the closed networks are solved. The correction by event simulation and the drift that no mechanism knows stay
those of the fitted values (as in `mpps.lever`): they are found once for each variant and machine, as the factor between
prediction and network, and multiply the network of every position.
"""

from dataclasses import dataclass, replace

import numpy as np

from mpps.compare import Fit
from mpps.machine import Machine
from mpps.path import CEILING, CodePath, Variant, lap, laps_per_ns, under_ceiling
from mpps.path.compile import CEILING_SHARPNESS
from mpps.predict import BEYOND_DEPTH, BY_DEPTH, curves_of, inputs_of, mean_depth, scatter_of
from mpps.structure import measured_counts, structural_spread

#: A rate this close to its ceiling says nothing of what lies above it.
_CAPPED = 1e-10
PRIVATE = "private work"


@dataclass(frozen=True, eq=False)
class Base:
    """A variant on a machine as fitted, at n (P,): inputs of each kept mechanism, log rates and log factor between
    prediction and network below any ceiling, (K, P) each, and the scatter of one new measurement."""

    n: np.ndarray
    inputs: tuple
    curves: np.ndarray
    factor: np.ndarray
    noise: np.ndarray
    deepest: int


def base_of(fitted: Fit, variant: Variant, n, source: Machine, target: Machine, placement: str, seed: int) -> Base:
    """The members of a fit at n (P,) on `target`, as `mpps.predict` has them without settings."""
    spread, _ = structural_spread(fitted, variant, n)
    curves, _ = curves_of(fitted, variant, n, source, target, {}, seed, spread, placement)
    where = {"placement": placement, "variant": variant}
    kept = range(len(fitted.kept))
    inputs = tuple(inputs_of(fitted, index, n, source, target, {}, seed, **where)[:2] for index in kept)
    deepest = int(measured_counts(fitted, variant).max())
    free, ceiling, _ = networks(fitted.path, variant, inputs, n, {}, deepest)
    # The draws of `mpps.predict`, which belong to a count whatever others are asked with it.
    drawn = [np.random.default_rng([seed, 2, int(count)]).standard_normal(len(curves)) for count in n]
    noise = scatter_of(fitted, variant) * np.stack(drawn, axis=1)
    return Base(n, inputs, curves, _filled(_above(curves, ceiling) - free, free, ceiling), noise, deepest)


def moved_curves(path: CodePath, variant: Variant, base: Base, settings: dict) -> tuple[np.ndarray, dict]:
    """Log rates of the members with parameters held at `settings`, (K, P), and the work of one packet: private, and at
    the station where there is one, ns (K, P)."""
    free, ceiling, work = networks(path, variant, base.inputs, base.n, settings, base.deepest)
    if not settings:
        return base.curves, work
    return np.log(under_ceiling(np.exp(free + base.factor), ceiling)), work


def networks(path: CodePath, variant: Variant, inputs, n, settings: dict, deepest: int):
    """Log rates of the networks below any ceiling, ceilings in packets/s, and work of one packet in ns, (K, P) each.

    inputs: values and mechanism of each kept one. Beyond the measured depth the hand-off goes on in a part of the
    members and stays in the others, as in `mpps.predict`.
    """
    free, ceiling, work = [], [], {PRIVATE: [], path.station: []}
    capped = any(path.stage(name).on == CEILING for name in variant.stages)
    for values, mechanism in inputs:
        size = len(next(iter(values.values())))
        values = values | {name: np.full((size, 1), value) for name, value in settings.items() if name in values}
        numbers = lap(path, variant, mechanism, values, n)
        shape = (size, len(n))
        laps = np.broadcast_to(_laps(path, variant, mechanism, values, numbers, n, deepest), shape)
        free.append(np.log(laps * numbers.packets * 1e9))
        ceiling.append(np.broadcast_to(numbers.ceiling_pps if capped else np.inf, shape))
        section = 0.0 if numbers.section_ns is None else numbers.section_ns
        work[PRIVATE].append(np.broadcast_to(numbers.think_ns / numbers.packets, shape))
        work[path.station].append(np.broadcast_to(section / numbers.packets, shape))
    joined = {name: np.concatenate(parts) for name, parts in work.items()}
    return np.concatenate(free), np.concatenate(ceiling), {name: ns for name, ns in joined.items() if np.any(ns > 0)}


def _laps(path, variant, mechanism, values, numbers, n, deepest):
    """Laps per ns of the members, (K, P), the hand-off as it is at the measured depth in those where it stays."""
    if mechanism.handoff not in BY_DEPTH or n.max() <= deepest or numbers.section_ns is None:
        return laps_per_ns(mechanism, numbers, values, n)
    size = len(next(iter(values.values())))
    stays = (np.arange(size) * BEYOND_DEPTH.median) % 1 >= BEYOND_DEPTH.median
    far = n > deepest
    clamped = replace(mechanism, clamp_depth=mean_depth(path, variant, mechanism, values, deepest))
    laps = np.empty((size, len(n)))
    every = np.ones(len(n), bool)
    for members, counts, form in ((~stays, every, mechanism), (stays, ~far, mechanism), (stays, far, clamped)):
        if members.any() and counts.any():
            some = {name: part(value, members, counts) for name, value in values.items()}
            here = lap(path, variant, form, some, n[counts])
            laps[np.ix_(members, counts)] = laps_per_ns(form, here, some, n[counts])
    return laps


def part(value, members, counts):
    """Rows and, where there are any, columns of a parameter's values (K, 1) or (K, P)."""
    return value[members] if value.shape[1] == 1 else value[members][:, counts]


def _above(curves, ceiling):
    """Log rate (K, P) that a smooth ceiling brought down to `curves`: the inverse of `under_ceiling`, nan where capped."""
    with np.errstate(divide="ignore", invalid="ignore"):
        room = -np.expm1(CEILING_SHARPNESS * (curves - np.log(ceiling)))
        return np.where(room > _CAPPED, curves - np.log(np.maximum(room, _CAPPED)) / CEILING_SHARPNESS, np.nan)


def _filled(factor, free, ceiling):
    """The factor where a ceiling hides it: that of the last smaller count that shows one, high enough to stay hidden."""
    known = np.isfinite(factor)
    if known.all():
        return factor
    last = np.maximum.accumulate(np.where(known, np.arange(factor.shape[1]), -1), axis=1)
    before = np.where(last >= 0, np.take_along_axis(factor, np.maximum(last, 0), 1), 0.0)
    hidden = np.log(2.0 * np.where(np.isfinite(ceiling), ceiling, 1.0)) - free
    return np.where(known, factor, np.maximum(before, hidden))
