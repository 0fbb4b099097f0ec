"""Rates and bounds of many parameter sets of one variant at a time: arrays with populations first, (P, S).

Where private work does not depend on n all populations of a set are one matrix product (`mpps.solver.curves`); else
each is a network of its own (`mpps.path.rate_pps`).
"""

import numpy as np

from mpps.explain.cost import ceilings
from mpps.locks import handoff_ns
from mpps.path import CORE, STATION, demands, lap, laps_per_ns, sections, under_ceiling
from mpps.path.formula import compiled
from mpps.solver.curves import curves_of_chunk

#: Parameter sets in one piece: what belongs to them stays in the second-level cache.
PIECE = 960
#: Names in a demand that make private work depend on n beyond one sender.
_OF_N = {"n", "cross", "at"}


def constant(path, variant, mechanism) -> bool:
    """Whether from two senders on nothing but the depth at the station changes with n."""
    stages = [stage for stage in path.stages_of(variant, mechanism) if stage.on in (CORE, STATION)]
    texts = [stage.demand for stage in path.stages_of(variant, mechanism)] + [variant.packets_per_lap]
    texts += [stage.share for stage in stages]
    used = set().union(*(compiled(text).co_names for text in texts))
    simple = mechanism.reading not in ("bound", "spread") and mechanism.parts == 1 and not mechanism.clamp_depth
    return simple and not used & _OF_N and mechanism.handoff != "topology"


def rates(path, variant, mechanism, values: dict, n, alike: bool) -> np.ndarray:
    """Packets/s of the network alone, (P, S): n (P,), values name -> (S, 1) or (S, P); alike: as `constant` says."""
    if not alike or n[-1] < 2 or any(value.shape[1] > 1 for value in values.values()):
        return _growing(path, variant, mechanism, values, n)
    numbers = lap(path, variant, mechanism, values, np.array([1, 2]))
    if numbers.section_ns is None:
        return _growing(path, variant, mechanism, values, n)
    section = np.broadcast_to(numbers.section_ns, (*numbers.think_ns.shape[:-1], 2))
    depth = np.arange(1.0, n[-1] + 1)[:, None]
    handoff = {name: value[:, 0] for name, value in values.items() if name.startswith("handoff_")}
    extra = handoff_ns(mechanism.handoff, depth, handoff)
    if mechanism.relative:
        service = section[:, 1] * (1.0 + extra / values["section_ns"][:, 0])
    else:
        service = section[:, 1] + extra
    sets = max(len(numbers.think_ns), service.shape[1], *(len(value) for value in values.values()))
    service = np.ascontiguousarray(np.broadcast_to(service, (len(depth), sets)))
    think = np.broadcast_to(numbers.think_ns, (sets, 2))
    laps = curves_of_chunk(np.ascontiguousarray(think[:, 1]), service)
    if len(n) < len(laps):
        laps = laps[n - 1]
    if n[0] == 1:
        laps[0] = 1.0 / (think[:, 0] + section[:, 0])
    laps *= 1e9 * np.broadcast_to(numbers.packets, (sets, 2))[:, 1]
    ceiling = np.broadcast_to(numbers.ceiling_pps, (sets, 2))[:, 1]
    return under_ceiling(laps, ceiling) if np.isfinite(ceiling).any() else laps


def _growing(path, variant, mechanism, values, n):
    """As `mpps.path.rate_pps`, which limits by a ceiling also where there is none."""
    numbers = lap(path, variant, mechanism, values, n)
    laps = laps_per_ns(mechanism, numbers, values, n) * numbers.packets * 1e9
    return (under_ceiling(laps, numbers.ceiling_pps) if np.isfinite(numbers.ceiling_pps).any() else laps).T


def bounds(path, variant, mechanism, values: dict, n) -> dict[str, np.ndarray]:
    """Asymptotic bounds by resource, packets/s, each (P, S), as `mpps.explain.bounds_pps` has them of a fit."""
    sets = max(len(value) for value in values.values())
    shape = (sets, len(n))
    numbers = lap(path, variant, mechanism, values, n)
    section = numbers.section_ns if numbers.section_ns is not None else 0.0
    found = {"private work": np.broadcast_to(n * numbers.packets * 1e9 / (numbers.think_ns + section), shape)}
    if numbers.section_ns is not None:
        deep = section
        if mechanism.reading != "bound":
            depth = np.arange(1.0, n.max() + 1)
            service = np.broadcast_to(sections(mechanism, numbers, values, depth), (*shape, n.max()))
            deep = np.take_along_axis(service, np.broadcast_to(n[:, None] - 1, (*shape, 1)), -1)[..., 0]
        found[path.station] = np.broadcast_to(numbers.packets * 1e9 / deep, shape)
    found |= ceilings(demands(path, variant, mechanism, values, n)[0], shape)
    return {name: bound.T for name, bound in found.items()}
