"""From a variant and parameter values to the numbers of one closed network, and its rate."""

from dataclasses import dataclass

import numpy as np

from mpps.locks import cross_share, handoff_ns
from mpps.network import depths, throughput
from mpps.path.formula import FUNCTIONS, compiled, evaluate_with
from mpps.path.nouns import CEILING, CORE, STATION, CodePath, Mechanism, Parameter, Stage, Variant, handoff_parameters


def active_parameters(path: CodePath, variants, mechanism: Mechanism) -> tuple[Parameter, ...]:
    """The parameters that the stages of `variants` and the hand-off of `mechanism` use, in the order of the path."""
    used: set[str] = set()
    locked = False
    for variant in variants:
        stages = path.stages_of(variant, mechanism)
        serial = [stage for stage in stages if stage.on == STATION and mechanism.reading != "spread"]
        locked |= bool(serial)
        for text in (*(stage.demand for stage in stages), *(stage.share for stage in serial), variant.packets_per_lap):
            used |= set(compiled(text).co_names)
    forms = handoff_parameters([mechanism]) if locked else ()
    return (*(parameter for parameter in path.parameters if parameter.name in used), *forms)


@dataclass(frozen=True)
class Lap:
    """The numbers of one variant at populations n (P,), those that run at once: think (B, P), section (B, P) without hand-off,
    packets per lap (B, P), ceiling in packets/s (B, P; inf without), all broadcastable."""

    n: np.ndarray
    think_ns: np.ndarray
    section_ns: np.ndarray | None
    packets: np.ndarray
    ceiling_pps: np.ndarray
    cross: np.ndarray


@dataclass(frozen=True)
class Demand:
    """What one stage asks of one resource: ns per lap (B, P), or packets/s for a ceiling."""

    stage: Stage
    resource: str
    amount: np.ndarray


def demands(path: CodePath, variant: Variant, mechanism: Mechanism, values: dict, n) -> tuple[list[Demand], np.ndarray]:
    """Demands of a variant's stages per lap, and packets per lap, for n (P,) and values name -> (B, 1) or (B, P)."""
    n = np.asarray(variant.running(n), float)
    names = _names(values, n, mechanism)
    packets = evaluate_with(variant.packets_per_lap, names)
    stages = path.stages_of(variant, mechanism)
    present = {stage.name for stage in stages}
    found = []
    for stage in stages:
        locked = bool(present & set(stage.inside))
        if stage.on != CORE and stage.inside and not locked:
            continue
        amount = evaluate_with(stage.demand, names)
        if stage.on == CEILING:
            found.append(Demand(stage, CEILING, amount))
        else:
            per_lap = amount * (packets if stage.per == "packet" else 1.0)
            serial = (stage.on == STATION or locked) and mechanism.reading != "spread"
            if serial and stage.share != "1":
                share = evaluate_with(stage.share, names)
                found.append(Demand(stage, CORE, per_lap * (1.0 - share)))
                per_lap = per_lap * share
            found.append(Demand(stage, STATION if serial else CORE, per_lap))
    return found, packets


def lap(path: CodePath, variant: Variant, mechanism: Mechanism, values: dict, n) -> Lap:
    """Compile a variant: demands summed by resource, for populations n (P,) and values name -> (B, 1) or (B, P)."""
    found, packets = demands(path, variant, mechanism, values, n)
    n = np.asarray(variant.running(n), float)
    think = sum((one.amount for one in found if one.resource == CORE), 0.0)
    section = sum((one.amount for one in found if one.resource == STATION), 0.0)
    locked = any(one.resource == STATION for one in found)
    ceiling = np.inf
    for one in found:
        if one.resource == CEILING:
            ceiling = np.minimum(ceiling, one.amount)
    shape = np.broadcast_shapes(*(np.shape(part) for part in (think, section, packets, ceiling)), n.shape)
    think = np.maximum(np.broadcast_to(think, shape), 1e-3)
    section = np.maximum(np.broadcast_to(section, shape), 1e-3) if locked else None
    cross = _names(values, n, mechanism)["cross"]
    return Lap(n, think, section, np.broadcast_to(packets, shape), np.broadcast_to(ceiling, shape), cross)


def sections(mechanism: Mechanism, lap: Lap, values: dict, depth, *, crowd_only: bool = False) -> np.ndarray:
    """Section time in ns at `depth` (K,), hand-off included: (B, P or 1, K), 1 where all populations share one table.

    crowd_only: what it says of one sender, who never waits, may be what holds for the others.
    A relative hand-off scales the section by 1 + hand-off / `section_ns`, the path's parameter of that name.
    """
    section = lap.section_ns
    alike = section[..., lap.n > 1] if crowd_only else section
    if alike.size and np.array_equal(alike, np.broadcast_to(alike[..., -1:], alike.shape)):
        section = alike[..., -1:]
    depth = np.asarray(depth, float)
    if mechanism.clamp_depth:
        depth = np.minimum(depth, mechanism.clamp_depth)
    shaped = {name: value[..., None] for name, value in values.items() if name.startswith("handoff_")}
    cross = lap.cross[..., None] if mechanism.handoff == "topology" else 0.0
    extra = handoff_ns(mechanism.handoff, depth, shaped, cross)
    if mechanism.relative:
        return section[..., None] * (1.0 + extra / values["section_ns"][..., None])
    return section[..., None] + extra


def rate_pps(path: CodePath, variant: Variant, mechanism: Mechanism, values: dict, n, offset=0.0) -> np.ndarray:
    """Packets per second of a variant: (B, P) for values name -> (B, 1) and n (P,).

    `offset` is added to the log rate of the network, below the ceiling: the correction by event simulation.
    """
    numbers = lap(path, variant, mechanism, values, n)
    laps = laps_per_ns(mechanism, numbers, values, n)
    return under_ceiling(laps * np.exp(offset) * numbers.packets * 1e9, numbers.ceiling_pps)


def laps_per_ns(mechanism: Mechanism, numbers: Lap, values: dict, n) -> np.ndarray:
    """Laps per ns without ceiling: n/think without a station, else the closed network of the mechanism.

    n: of those only the ones that run at once count, as `lap` has them.
    """
    n = np.asarray(numbers.n, int)
    if numbers.section_ns is None:
        return n / numbers.think_ns
    alone = 1.0 / (numbers.think_ns + numbers.section_ns)
    if mechanism.reading == "bound":
        return np.minimum(n * alone, 1.0 / numbers.section_ns)
    service = sections(mechanism, numbers, values, depths(int(n.max()), mechanism.parts), crowd_only=True)
    rate = throughput(n, numbers.think_ns, service, parts=mechanism.parts)
    return np.where(n == 1, alone, rate)


#: Sharpness of the smooth minimum under a ceiling; the transmit table fits 33 to 45, a hard minimum (docs/modelling.md).
CEILING_SHARPNESS = 32.0


def under_ceiling(rate, ceiling):
    """Smooth minimum of a rate and a ceiling, (rate^-p + ceiling^-p)^(-1/p): 2 % below the corner at most."""
    lower = np.minimum(rate, ceiling)
    ratio = np.where(np.isfinite(ceiling), lower / np.maximum(np.where(np.isfinite(ceiling), ceiling, 1.0), rate), 0.0)
    return lower * (1.0 + ratio**CEILING_SHARPNESS) ** (-1.0 / CEILING_SHARPNESS)


def _names(values: dict, n, mechanism: Mechanism) -> dict:
    # No machine of the tables has more than two sockets; clusters there are as many as the cores need.
    most = 2 if mechanism.domain_is == "socket" else np.inf
    cross = cross_share(n, mechanism.domain, most) if mechanism.domain else np.zeros_like(n)
    return values | FUNCTIONS | {"n": n, "shared": (n > 1) * 1.0, "cross": cross}
