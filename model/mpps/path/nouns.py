"""The nouns of a code path: parameters, stages, variants, mechanisms, joint fits."""

import functools
from dataclasses import dataclass, field, replace

import numpy as np

from mpps.errors import MppsError, unknown_name
from mpps.locks import FORMS, PRIORS

CORE, STATION, CEILING = "core", "station", "ceiling"

#: How a parameter moves to another machine (docs/modelling.md): by clock and instructions per cycle, by cache-line
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
    most_running: at most so many of the senders run at once (queues that feed them); 0 for all.
    """

    name: str
    stages: tuple[str, ...]
    dataset: str = ""
    series: str = ""
    where: tuple[tuple[str, str], ...] = ()
    observe: tuple[tuple[str, str], ...] = (("throughput", "rate"),)
    packets_per_lap: str = "1"
    words: str = ""
    most_running: int = 0

    def running(self, n) -> np.ndarray:
        """Senders that run at once when there are n."""
        return np.minimum(n, self.most_running) if self.most_running else np.asarray(n)


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
class Check:
    """One figure of the scorecard: how well the fit holds, or what it found (`mpps.scorecard` has the kinds).

    rows: (variant name, core count or None for all) that the figure is about; unseen: rows that the fit does not see,
    where they are others than `rows`; goal: relative error at most this (least share for shares); pins: parameters
    held at a value; mechanisms: the only ones that compete (all when empty); about: stage or parameter in question.
    """

    name: str
    kind: str
    scope: str = "all"
    goal: float | None = None
    rows: tuple[tuple[str, int | None], ...] = ()
    unseen: tuple[tuple[str, int | None], ...] = ()
    pins: tuple[tuple[str, float], ...] = ()
    mechanisms: tuple[str, ...] = ()
    about: str = ""
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
    checks: tuple[Check, ...] = field(default=(), repr=False)  # judge a fit, so they are no part of what it depends on

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
        raise unknown_name(
            "parameter", name, [p.name for p in (*self.parameters, *handoff_parameters(self.mechanisms))]
        )

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
        return tuple(
            stage for stage in self.stages if stage.name in variant.stages and stage.name not in mechanism.without
        )


def without_stage(path: CodePath, variant: Variant, stage: str) -> Variant:
    """`variant` after a patch that removes `stage`; an error when it does not have that stage."""
    path.stage(stage)
    if stage not in variant.stages:
        raise MppsError(
            f"variant {variant.name!r} of {path.slug} has no stage {stage!r}; its stages: {', '.join(variant.stages)}"
        )
    left = [name for name in variant.stages if name != stage]
    if not any(path.stage(name).on != CEILING and not path.stage(name).inside for name in left):
        raise MppsError(
            f"variant {variant.name!r} of {path.slug} without {stage!r} has no work left for a packet: keep one of its stages"
        )
    return replace(
        variant,
        name=f"{variant.name} without {stage}",
        stages=tuple(left),
        series="",
    )


def pinned(path: CodePath, **values: float) -> CodePath:
    """The path with parameters held at values: to ask whether the data reject a value."""
    for name in values:
        path.parameter(name)
    parameters = tuple(
        replace(
            p,
            lower=values[p.name] * (1 - 1e-9),
            upper=values[p.name] * (1 + 1e-9),
            prior=Prior(values[p.name], values[p.name] / 1.001, values[p.name] * 1.001, "held at this value"),
        )
        if p.name in values
        else p
        for p in path.parameters
    )
    return replace(path, parameters=parameters)


def handoff_parameters(mechanisms) -> tuple[Parameter, ...]:
    """The parameters of the hand-off forms that `mechanisms` use, each once."""
    return _parameters_of(tuple(mechanism.handoff for mechanism in mechanisms))


@functools.cache
def _parameters_of(forms: tuple[str, ...]) -> tuple[Parameter, ...]:
    found: dict[str, Parameter] = {}
    for form in forms:
        for name, unit, lower, upper, meaning in FORMS[form].parameters:
            role = "none" if unit == "waiters" else "handoff"
            found.setdefault(name, Parameter(name, unit, lower, upper, meaning, role, Prior(*PRIORS[name])))
    return tuple(found.values())
