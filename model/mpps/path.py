"""What a code path is: named parameters, stages, variants, and the mechanisms that compete to explain it.

A stage is one piece of work with a demand, a formula in the parameters, placed on the sender's own core,
on the serial station, or as a ceiling. A variant says which stages a build of the kernel has. Together
with parameter values they compile to the numbers of one closed network (`network`).

The names that a demand may use: the parameters, `n` (senders), `shared` (0 for a sender alone, else 1),
`cross` (probability that two of the senders sit in different domains), `at(n, k)` (1 where n = k, else 0),
and the functions exp, log, sqrt, minimum, maximum.
"""

import functools
from dataclasses import dataclass, replace

import numpy as np

from mpps.errors import MppsError, unknown_name
from mpps.locks import FORMS, cross_share, handoff_ns
from mpps.network import depths, throughput

CORE, STATION, CEILING = "core", "station", "ceiling"

#: How a parameter moves to another machine (models.md 2.7): by clock and instructions per cycle, by cache-line
#: transfer, as a section that is both, as a hand-off effect of unknown cause, as a property of the device, or not at all.
ROLES = ("core", "line", "section", "handoff", "device", "none")


@dataclass(frozen=True)
class Prior:
    """What is believed of a parameter before the table: median and 90 % range, log-normal, and why."""

    median: float
    lower: float
    upper: float
    why: str

    @property
    def log_sd(self) -> float:
        """Standard deviation of the logarithm: 90 % of a normal lies within 1.645 of it."""
        return float(np.log(self.upper / self.lower) / (2 * 1.645))


@dataclass(frozen=True)
class Parameter:
    """A positive number of the model, fitted as a logarithm between `lower` and `upper`."""

    name: str
    unit: str
    lower: float
    upper: float
    meaning: str
    role: str = "core"
    prior: Prior | None = None


@dataclass(frozen=True)
class Stage:
    """One piece of work. `demand` in ns (packets/s for a ceiling); `per` packet or skb;
    `on` the core, the station or the ceiling. `inside`: with any of these stages present the work of a core
    is done under their lock, so it moves to the station; work of a station, or a ceiling, exists only with one of them.
    `share`: part of a station's demand that falls on the station; the rest is work of another core."""

    name: str
    demand: str
    words: str
    on: str = CORE
    per: str = "packet"
    inside: tuple[str, ...] = ()
    share: str = "1"


@dataclass(frozen=True)
class Variant:
    """One build or setting of the kernel: the stages it has, and the series that measured it.

    `observe` pairs a metric of the series with what the network says of it: "rate", or "idle" (percent of all cores).
    """

    name: str
    stages: tuple[str, ...]
    dataset: str = ""
    series: str = ""
    where: tuple[tuple[str, str], ...] = ()
    observe: tuple[tuple[str, str], ...] = (("throughput", "rate"),)
    packets_per_lap: str = "1"
    words: str = ""


@dataclass(frozen=True)
class Mechanism:
    """One competing explanation: hand-off form, when the depth is read, how variable the work is, which domain size.

    reading: "exponential" (exact product form), "start" or "current" (section set at its start, or following
    the depth; product form corrected by event simulation), "bound" (no variance at all: asymptotic bounds),
    "spread" (nothing is serial: the work of stations spreads over the cores).
    `without`: stages that this explanation does not have. `odds`: prior odds against the others.
    """

    name: str
    words: str
    handoff: str = "constant"
    relative: bool = False
    reading: str = "exponential"
    variation: float = 1.0
    domain: float = 0.0
    domain_is: str = "cluster"
    clamp_depth: float = 0.0
    without: tuple[str, ...] = ()
    odds: float = 1.0

    @property
    def parts(self) -> int:
        """How far the product form splits a sender: the squared coefficient of variation is about 1/parts."""
        return 1 if self.reading == "exponential" else int(np.clip(round(self.variation**-2), 1, 4))


@dataclass(frozen=True)
class Scope:
    """A joint fit: these variants share parameters. `scatter`: relative scatter assumed of each dataset, at least."""

    name: str
    variants: tuple[str, ...]
    words: str = ""


@dataclass(frozen=True)
class CodePath:
    """A code path of the kernel, ready to be fitted, predicted and asked what-ifs.

    packet_bytes: at the layer that the rates count. frame_bytes: the Ethernet frame with FCS that carries such a
    packet, where it is not the same; what a link carries depends on it.
    """

    slug: str
    title: str
    question: str
    machine: str
    parameters: tuple[Parameter, ...]
    stages: tuple[Stage, ...]
    variants: tuple[Variant, ...]
    mechanisms: tuple[Mechanism, ...]
    scopes: tuple[Scope, ...]
    station: str = "lock"
    sender: str = "sender"
    scatter: tuple[tuple[str, float], ...] = ()
    packet_bytes: float | None = None
    frame_bytes: float | None = None
    assumptions: tuple[str, ...] = ()
    tradeoffs: tuple[tuple[str, str], ...] = ()

    def variant(self, name: str) -> Variant:
        """The variant called `name`, or an error that lists the known ones."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise unknown_name("variant", name, [variant.name for variant in self.variants])

    def stage(self, name: str) -> Stage:
        """The stage called `name`, or an error that lists the known ones."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise unknown_name("stage", name, [stage.name for stage in self.stages])

    def parameter(self, name: str) -> Parameter:
        """The parameter called `name`, of the path or of a hand-off form."""
        for parameter in (*self.parameters, *handoff_parameters(self.mechanisms)):
            if parameter.name == name:
                return parameter
        raise unknown_name("parameter", name, [p.name for p in (*self.parameters, *handoff_parameters(self.mechanisms))])

    def scope_of(self, variant: str) -> Scope:
        """The joint fit that answers for a variant: the first that contains it."""
        self.variant(variant)
        for scope in self.scopes:
            if variant in scope.variants:
                return scope
        raise MppsError(f"no joint fit of {self.slug} contains variant {variant!r}")

    def scope(self, name: str) -> Scope:
        """The joint fit called `name`."""
        for scope in self.scopes:
            if scope.name == name:
                return scope
        raise unknown_name("joint fit", name, [scope.name for scope in self.scopes])

    def stages_of(self, variant: Variant, mechanism: Mechanism) -> tuple[Stage, ...]:
        """The stages that `variant` has under `mechanism`, in the order of the path."""
        return tuple(stage for stage in self.stages if stage.name in variant.stages and stage.name not in mechanism.without)


def without_stage(path: CodePath, variant: Variant, stage: str) -> Variant:
    """`variant` after a patch that removes `stage`; an error when it does not have that stage."""
    path.stage(stage)
    if stage not in variant.stages:
        raise MppsError(f"variant {variant.name!r} of {path.slug} has no stage {stage!r}; its stages: {', '.join(variant.stages)}")
    return replace(
        variant,
        name=f"{variant.name} without {stage}",
        stages=tuple(name for name in variant.stages if name != stage),
        series="",
    )


def pinned(path: CodePath, **values: float) -> CodePath:
    """The path with parameters held at values: to ask whether the data reject a value."""
    for name in values:
        path.parameter(name)
    parameters = tuple(
        replace(p, lower=values[p.name] * (1 - 1e-9), upper=values[p.name] * (1 + 1e-9), prior=Prior(values[p.name], values[p.name] / 1.001, values[p.name] * 1.001, "held at this value"))
        if p.name in values else p
        for p in path.parameters
    )
    return replace(path, parameters=parameters)


def handoff_parameters(mechanisms) -> tuple[Parameter, ...]:
    """The parameters of the hand-off forms that `mechanisms` use, each once."""
    found: dict[str, Parameter] = {}
    for mechanism in mechanisms:
        for name, unit, lower, upper, meaning in FORMS[mechanism.handoff].parameters:
            role = "none" if unit == "waiters" else "handoff"
            found.setdefault(name, Parameter(name, unit, lower, upper, meaning, role))
    return tuple(found.values())


def active_parameters(path: CodePath, variants, mechanism: Mechanism) -> tuple[Parameter, ...]:
    """The parameters that the stages of `variants` and the hand-off of `mechanism` use, in the order of the path."""
    used: set[str] = set()
    locked = False
    for variant in variants:
        stages = path.stages_of(variant, mechanism)
        serial = [stage for stage in stages if stage.on == STATION and mechanism.reading != "spread"]
        locked |= bool(serial)
        for text in (*(stage.demand for stage in stages), *(stage.share for stage in serial), variant.packets_per_lap):
            used |= set(_compiled(text).co_names)
    forms = handoff_parameters([mechanism]) if locked else ()
    return (*(parameter for parameter in path.parameters if parameter.name in used), *forms)


@dataclass(frozen=True)
class Lap:
    """The numbers of one variant at populations n (P,): think (B, P), section (B, P) without hand-off,
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
    n = np.asarray(n, float)
    names = _names(values, n, mechanism)
    packets = _evaluate(variant.packets_per_lap, names)
    stages = path.stages_of(variant, mechanism)
    present = {stage.name for stage in stages}
    found = []
    for stage in stages:
        locked = bool(present & set(stage.inside))
        if stage.on != CORE and stage.inside and not locked:
            continue
        amount = _evaluate(stage.demand, names)
        if stage.on == CEILING:
            found.append(Demand(stage, CEILING, amount))
        else:
            per_lap = amount * (packets if stage.per == "packet" else 1.0)
            serial = (stage.on == STATION or locked) and mechanism.reading != "spread"
            if serial and stage.share != "1":
                share = _evaluate(stage.share, names)
                found.append(Demand(stage, CORE, per_lap * (1.0 - share)))
                per_lap = per_lap * share
            found.append(Demand(stage, STATION if serial else CORE, per_lap))
    return found, packets


def lap(path: CodePath, variant: Variant, mechanism: Mechanism, values: dict, n) -> Lap:
    """Compile a variant: demands summed by resource, for populations n (P,) and values name -> (B, 1) or (B, P)."""
    found, packets = demands(path, variant, mechanism, values, n)
    n = np.asarray(n, float)
    think = sum((one.amount for one in found if one.resource == CORE), 0.0)
    section = sum((one.amount for one in found if one.resource == STATION), 0.0)
    locked = any(one.resource == STATION for one in found)
    ceiling = np.inf
    for one in found:
        if one.resource == CEILING:
            ceiling = np.minimum(ceiling, one.amount)
    shape = np.broadcast_shapes(np.shape(think), np.shape(section), np.shape(packets), n.shape)
    think = np.maximum(np.broadcast_to(think, shape), 1e-3)
    section = np.maximum(np.broadcast_to(section, shape), 1e-3) if locked else None
    cross = _names(values, n, mechanism)["cross"]
    return Lap(n, think, section, np.broadcast_to(packets, shape), np.broadcast_to(ceiling, shape), cross)


def sections(mechanism: Mechanism, lap: Lap, values: dict, depth) -> np.ndarray:
    """Section time in ns at `depth` (K,), hand-off included: (B, P or 1, K).

    A relative hand-off scales the section by 1 + hand-off / `section_ns`, the path's parameter of that name.
    """
    section = lap.section_ns
    crowd = section[..., lap.n > 1]
    if crowd.size and np.array_equal(crowd, np.broadcast_to(crowd[..., -1:], crowd.shape)):
        # One sender never waits, so its own section is not looked up here; all others share one table.
        section = crowd[..., -1:]
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
    n = np.asarray(n)
    laps = laps_per_ns(mechanism, numbers, values, n)
    return under_ceiling(laps * np.exp(offset) * numbers.packets * 1e9, numbers.ceiling_pps)


def laps_per_ns(mechanism: Mechanism, numbers: Lap, values: dict, n) -> np.ndarray:
    """Laps per ns without ceiling: n/think without a station, else the closed network of the mechanism."""
    n = np.asarray(n)
    if numbers.section_ns is None:
        return n / numbers.think_ns
    alone = 1.0 / (numbers.think_ns + numbers.section_ns)
    if mechanism.reading == "bound":
        return np.minimum(n * alone, 1.0 / numbers.section_ns)
    service = sections(mechanism, numbers, values, depths(int(n.max()), mechanism.parts))
    rate = throughput(n, numbers.think_ns, service, parts=mechanism.parts)
    return np.where(n == 1, alone, rate)


#: Sharpness of the smooth minimum under a ceiling; the transmit table fits 33 to 45, a hard minimum (models.md 2.6).
CEILING_SHARPNESS = 32.0


def under_ceiling(rate, ceiling):
    """Smooth minimum of a rate and a ceiling, (rate^-p + ceiling^-p)^(-1/p): 2 % below the corner at most."""
    lower = np.minimum(rate, ceiling)
    ratio = np.where(np.isfinite(ceiling), lower / np.maximum(np.where(np.isfinite(ceiling), ceiling, 1.0), rate), 0.0)
    return lower * (1.0 + ratio**CEILING_SHARPNESS) ** (-1.0 / CEILING_SHARPNESS)


def formula(text: str):
    """The demand as a SymPy expression, for notebooks and tests."""
    import sympy

    names = {name: sympy.Symbol(name, positive=True) for name in _compiled(text).co_names}
    names |= {name: sympy.Function(name) for name in ("at",)} | {"exp": sympy.exp, "log": sympy.log, "sqrt": sympy.sqrt, "minimum": sympy.Min, "maximum": sympy.Max}
    return sympy.sympify(text, locals=names)


def evaluate(text: str, values: dict) -> np.ndarray:
    """A demand's number for values of all its names; the formula's independent twin."""
    return _evaluate(text, values | _FUNCTIONS)


_FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "at": lambda n, k: (np.asarray(n) == k) * 1.0,
}


def _names(values: dict, n, mechanism: Mechanism) -> dict:
    cross = cross_share(n, mechanism.domain) if mechanism.domain else np.zeros_like(n)
    return values | _FUNCTIONS | {"n": n, "shared": (n > 1) * 1.0, "cross": cross}


@functools.lru_cache(maxsize=None)
def _compiled(text: str):
    return compile(text, "<demand>", "eval")


def _evaluate(text: str, names: dict):
    return eval(_compiled(text), {"__builtins__": {}}, names)  # noqa: S307 - formulas of the package, not of users


