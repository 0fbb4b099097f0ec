"""A code path under the sliders: its fit as it was made, and the same draws with parameters held at other values.

Per move only the closed networks are solved. What the fit says beyond them, the correction by event simulation and the
drift that no mechanism knows, stays that of the fitted values (as in `mpps.lever`): it is found once for each variant and
machine, as the factor between prediction and network, and multiplies the network of every position.
"""

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from mpps.compare import Fit, fit
from mpps.errors import MppsError
from mpps.explain import limits
from mpps.explore.levers import controls_of
from mpps.explore.model import Curves, counts_for, with_count
from mpps.explore.position import Choice, Position
from mpps.machine import load_machine, machines
from mpps.path import CEILING, CodePath, lap, laps_per_ns, under_ceiling
from mpps.path.compile import CEILING_SHARPNESS
from mpps.predict import curves_of, inputs_of, predict, scatter_of, scope_for, unit_of
from mpps.structure import measured_counts, structural_spread
from mpps.units import from_rate_pps, to_rate_pps

AS_FITTED = "as fitted"
#: Units of tables that are better read in another one.
_SHOWN = {"packets/s": "Mpps", "kpps": "Mpps", "ns/element": "Mpps"}
#: Variants and machines whose fitted curves are kept.
_KEPT = 24
#: A rate this close to its ceiling says nothing of what lies above it.
_CAPPED = 1e-10


@dataclass(frozen=True, eq=False)
class Base:
    """A variant on a machine as fitted, at n (P,): inputs of each kept mechanism, log rates and log factor between
    prediction and network below any ceiling, (K, P) each, and the scatter of one new measurement."""

    n: np.ndarray
    inputs: tuple
    curves: np.ndarray
    factor: np.ndarray
    noise: np.ndarray


class PathModel:
    """A code path, its joint fits, and what was asked of them so far."""

    kind = "path"
    choice_names = ("variant", "machine", "against")

    def __init__(self, path: CodePath, *, fitted: Fit | None = None, cores_max: int, seed: int, also: tuple = ()):
        self.path, self.seed, self.cores_max = path, seed, cores_max
        self._given, self._also = fitted, tuple(slug for slug in also if slug not in machines())
        self._bases: OrderedDict = OrderedDict()
        self._controls: dict = {}
        known = path.variants if fitted is None else fitted.points.variants
        self.variants = {variant.name: variant for variant in known}
        self.source = load_machine(path.machine)

    # What can be chosen

    def start(self, changes: dict) -> Position:
        """The position that nobody moved, for the choices of `changes`."""
        first = changes.get("variant") or next(iter(self.variants))
        choices = {"variant": first, "machine": self.path.machine, "against": AS_FITTED}
        base = Position(choices, 1).moved({k: v for k, v in changes.items() if v is not None}, self.choice_names)
        variant = self.variants.get(base.choices["variant"])
        if "cores" in changes and changes["cores"] is not None or variant is None:
            return base
        most = int(measured_counts(self.fitted(variant), variant).max())
        return base.moved({"cores": min(most, self.cores_max)}, self.choice_names)

    def choices(self, position: Position) -> tuple[Choice, ...]:
        """Variant, machine, and what the gain is against: a variant of the same joint fit, so that draws are shared."""
        name = position.choices["variant"]
        titles = {slug: load_machine(slug).title.partition(" (")[0] for slug in (*machines(), *self._also)}
        home = self.path.machine
        where = [(home, f"{titles.pop(home)} (measured)"), *titles.items()]
        scope = self.fitted(self.variants[name]).points.variants if name in self.variants else ()
        beside = [(other.name, other.name) for other in scope if other.name != name]
        return (
            Choice("variant", "Variant", name, tuple((known, known) for known in self.variants)),
            Choice("machine", "Machine", position.choices["machine"], tuple(where)),
            Choice("against", "Compare with", position.choices["against"], ((AS_FITTED, "itself, as fitted"), *beside)),
        )

    def controls(self, position: Position) -> tuple:
        """The parameters that the variant uses on the machine, the most influential first."""
        key = (position.choices["variant"], position.choices["machine"])
        if key not in self._controls:
            base = self._base(position, self.counts(position))
            variant = self.variants[position.choices["variant"]]
            self._controls[key] = controls_of(self.fitted(variant), variant, base.n, base.inputs)
        return self._controls[key]

    # What the sliders answer

    def fitted(self, variant) -> Fit:
        """The joint fit that answers for a variant."""
        return self._given or fit(self.path, scope_for(self.path, variant).name, seed=self.seed)

    def counts(self, position: Position) -> np.ndarray:
        """Counts of the curve."""
        variant = self.variants[position.choices["variant"]]
        return counts_for(self.cores_max, measured_counts(self.fitted(variant), variant))

    def curves(self, position: Position) -> Curves:
        """The draws at a position."""
        n = with_count(self.counts(position), position.cores)
        base = self._base(position, n)
        against = position.choices["against"]
        other = base if against == AS_FITTED else self._base(position, n, against)
        free, ceiling, parts = self._network(position, base, position.settings)
        moved = base.curves
        if position.settings:
            moved = np.log(under_ceiling(np.exp(free + base.factor), ceiling))
        at = int(np.searchsorted(n, position.cores))
        work = {name: np.broadcast_to(ns, moved.shape)[:, at] for name, ns in parts.items()}
        return Curves(n, moved, other.curves, base.noise, other.noise, work)

    def limits(self, position: Position) -> list[tuple[str, float]]:
        """What limits at the asked count: resource and probability, the most probable first."""
        variant = self.variants[position.choices["variant"]]
        machine = load_machine(position.choices["machine"])
        asked = {"machine": machine, "settings": position.settings, "seed": self.seed}
        rows = limits(self.fitted(variant), variant, [position.cores], **asked)
        return [(row["resource"], row["probability"]) for row in rows]

    def exact(self, position: Position):
        """`mpps.predict` at the position, its correction simulated anew: counts, and quantiles (5, P) in `unit`."""
        variant = self.variants[position.choices["variant"]]
        machine = position.choices["machine"]
        found = predict(
            self.path,
            with_count(self.counts(position), position.cores),
            variant=variant,
            machine=None if machine == self.path.machine else machine,
            settings=position.settings,
            seed=self.seed,
            fitted=self.fitted(variant),
        )
        rate = found.quantiles
        if found.unit != "ns/element":  # which is answered in packets/s
            rate = to_rate_pps(rate, found.unit, self.path.packet_bytes)
        return found.n, self.shown(rate, position)

    # What is said of it

    def unit(self, position: Position) -> str:
        """Unit in which rates are shown."""
        variant = self.variants[position.choices["variant"]]
        printed = unit_of(self.fitted(variant), variant)
        return _SHOWN.get(printed, printed)

    def shown(self, rate, position: Position):
        """Rates of the draws, packets/s, in the unit that is shown."""
        return from_rate_pps(rate, self.unit(position), self.path.packet_bytes)

    def period_ns(self, rate):
        """Time from packet to packet at rates of the draws."""
        return 1e9 / rate

    def observed(self, position: Position) -> list[dict]:
        """Measured rates of the variant, on the machine that was measured: n, rate, source."""
        variant = self.variants[position.choices["variant"]]
        if position.choices["machine"] != self.path.machine:
            return []
        points, rows = self.fitted(variant).points, []
        for row in range(len(points.n)):
            if points.variants[points.variant[row]].name == variant.name and not points.busy[row]:
                dataset, _, _, line = points.source[row]
                rate = float(self.shown(np.exp(points.value[row]), position))
                rows.append({"n": int(points.n[row]), "rate": rate, "source": f"{dataset}.csv, line {line}"})
        return rows

    def measured(self, position: Position) -> tuple[int, int]:
        """Smallest and largest measured count; (0, 0) on a machine that nobody measured."""
        if position.choices["machine"] != self.path.machine:
            return 0, 0
        variant = self.variants[position.choices["variant"]]
        counts = measured_counts(self.fitted(variant), variant)
        return int(counts.min()), int(counts.max())

    def title(self, position: Position) -> str:
        return self.path.title

    @property
    def senders(self) -> str:
        """What n counts."""
        return f"{self.path.sender}s"

    thing = "packet"

    def simulates(self, position: Position) -> bool:
        """Whether an event simulation corrects the curve of the variant."""
        variant = self.variants[position.choices["variant"]]
        corrected = [one for one in self.fitted(variant).kept if one.mechanism.reading in ("start", "current")]
        locked = (lap(self.path, variant, one.mechanism, one.values, np.array([2])).section_ns for one in corrected)
        return any(section is not None for section in locked)

    # The fitted curves

    def _base(self, position: Position, n, name: str | None = None) -> Base:
        name, slug = name or position.choices["variant"], position.choices["machine"]
        key = (name, slug, tuple(n))
        if key not in self._bases:
            self._bases[key] = self._made(self.variants[name], load_machine(slug), np.asarray(n))
            while len(self._bases) > _KEPT:
                self._bases.popitem(last=False)
        self._bases.move_to_end(key)
        return self._bases[key]

    def _made(self, variant, target, n) -> Base:
        fitted, source = self.fitted(variant), self.source
        spread, _ = structural_spread(fitted, variant, n)
        curves, _ = curves_of(fitted, variant, n, source, target, {}, self.seed, spread)
        inputs = tuple(
            inputs_of(fitted, index, n, source, target, {}, self.seed)[:2] for index in range(len(fitted.kept))
        )
        free, ceiling, _ = _solved(self.path, variant, inputs, n, {})
        factor = _above(curves, ceiling) - free
        drawn = [np.random.default_rng([self.seed, 2, int(count)]).standard_normal(len(curves)) for count in n]
        noise = scatter_of(fitted, variant) * np.stack(drawn, axis=1)
        return Base(n, inputs, curves, _filled(factor, free, ceiling), noise)

    def _network(self, position: Position, base: Base, settings: dict):
        return _solved(self.path, self.variants[position.choices["variant"]], base.inputs, base.n, settings)


def _solved(path, variant, inputs, n, settings):
    """Log rate of the networks (K, P) below any ceiling, ceilings in packets/s (K, P), and work of one packet in ns, each
    broadcastable to (K, P)."""
    free, ceiling, work = [], [], {"private work": [], path.station: []}
    capped = any(path.stage(name).on == CEILING for name in variant.stages)
    for values, mechanism in inputs:
        size = len(next(iter(values.values())))
        held = {name: np.full((size, 1), value) for name, value in settings.items() if name in values}
        numbers = lap(path, variant, mechanism, values | held, n)
        laps = laps_per_ns(mechanism, numbers, values | held, n)
        shape = (size, len(n))
        free.append(np.broadcast_to(np.log(laps * numbers.packets * 1e9), shape))
        ceiling.append(np.broadcast_to(numbers.ceiling_pps if capped else np.inf, shape))
        section = 0.0 if numbers.section_ns is None else numbers.section_ns
        work["private work"].append(np.broadcast_to(numbers.think_ns / numbers.packets, shape))
        work[path.station].append(np.broadcast_to(section / numbers.packets, shape))
    joined = {name: np.concatenate(parts) for name, parts in work.items()}
    return np.concatenate(free), np.concatenate(ceiling), {name: ns for name, ns in joined.items() if np.any(ns > 0)}


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


def given_only(fitted: Fit, name: str | None) -> None:
    """`MppsError` for a variant that a given fit does not have."""
    names = [variant.name for variant in fitted.points.variants]
    if name is not None and name not in names:
        raise MppsError(f"the fit {fitted.scope!r} has no variant {name!r}; it has {', '.join(names)}")
