"""A code path under the sliders: its variants, machines and parameters, and what its joint fits say of each position."""

from collections import OrderedDict

import numpy as np

from mpps.compare import Fit, fit
from mpps.errors import MppsError
from mpps.explore.bases import Base, base_of, moved_curves
from mpps.explore.levers import controls_of
from mpps.explore.limiting import limits_at
from mpps.explore.model import Curves, counts_for, with_count
from mpps.explore.position import Choice, Position
from mpps.machine import PLACEMENTS, load_machine, machines
from mpps.path import CodePath, Variant, lap
from mpps.predict import predict, scope_for, unit_of
from mpps.structure import measured_counts
from mpps.units import from_rate_pps, to_rate_pps

AS_FITTED, PACKED = "as fitted", "packed"
#: Units of tables that are better read in another one.
_SHOWN = {"packets/s": "Mpps", "kpps": "Mpps", "ns/element": "Mpps"}
_PLACEMENTS = tuple((name, {PACKED: "packed, as measured"}.get(name, f"{name} over all")) for name in PLACEMENTS)
#: Variants and machines whose fitted curves are kept.
_KEPT = 24


class PathModel:
    """A code path, its joint fits, and what was asked of them so far."""

    kind = "path"
    choice_names = ("variant", "machine", "placement", "against")

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
        choices = {"variant": first, "machine": self.path.machine, "placement": PACKED, "against": AS_FITTED}
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
            Choice("placement", "Senders are", position.choices["placement"], _PLACEMENTS),
            Choice("against", "Compare with", position.choices["against"], ((AS_FITTED, "itself, as fitted"), *beside)),
        )

    def controls(self, position: Position) -> tuple:
        """The parameters that the variant uses on the machine, the most influential first."""
        key = tuple(position.choices[name] for name in ("variant", "machine", "placement"))
        if key not in self._controls:
            base = self._base(position, self.counts(position))
            variant = self._variant(position)
            self._controls[key] = controls_of(self.fitted(variant), variant, base.n, base.inputs)
        return self._controls[key]

    # What the sliders answer

    def fitted(self, variant) -> Fit:
        """The joint fit that answers for a variant."""
        return self._given or fit(self.path, scope_for(self.path, variant).name, seed=self.seed)

    def counts(self, position: Position) -> np.ndarray:
        """Counts of the curve."""
        variant = self._variant(position)
        return counts_for(self.cores_max, measured_counts(self.fitted(variant), variant))

    def curves(self, position: Position) -> Curves:
        """The draws at a position."""
        n = with_count(self.counts(position), position.cores)
        base = self._base(position, n)
        against = position.choices["against"]
        other = base if against == AS_FITTED else self._base(position, n, against)
        moved, work = moved_curves(self.path, self._variant(position), base, position.settings)
        at = int(np.searchsorted(n, position.cores))
        work = {name: ns[:, at] for name, ns in work.items()}
        return Curves(n, moved, other.curves, base.noise, other.noise, work)

    def limits(self, position: Position) -> list[tuple[str, float]]:
        """What limits at the asked count: resource and probability, the most probable first."""
        variant = self._variant(position)
        base = self._base(position, with_count(self.counts(position), position.cores))
        return limits_at(self.path, variant, base, position.cores, position.settings)

    def exact(self, position: Position):
        """`mpps.predict` at the position, its correction simulated anew: counts, and quantiles (5, P) in `unit`."""
        variant = self._variant(position)
        machine = position.choices["machine"]
        found = predict(
            self.path,
            with_count(self.counts(position), position.cores),
            variant=variant,
            machine=None if machine == self.path.machine else machine,
            settings=position.settings,
            placement=position.choices["placement"],
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
        variant = self._variant(position)
        printed = unit_of(self.fitted(variant), variant)
        return _SHOWN.get(printed, printed)

    def shown(self, rate, position: Position):
        """Rates of the draws, packets/s, in the unit that is shown."""
        return from_rate_pps(rate, self.unit(position), self.path.packet_bytes)

    def observed(self, position: Position) -> list[dict]:
        """Measured rates of the variant, on the machine that was measured: n, rate, source."""
        variant = self._variant(position)
        if not self._at_home(position):
            return []
        points, rows = self.fitted(variant).points, []
        for row in range(len(points.n)):
            if points.variants[points.variant[row]].name == variant.name and not points.busy[row]:
                dataset, _, _, line = points.source[row]
                rate = float(self.shown(np.exp(points.value[row]), position))
                rows.append({"n": int(points.n[row]), "rate": rate, "source": f"{dataset}.csv, line {line}"})
        return rows

    def measured(self, position: Position) -> tuple[int, int]:
        """Smallest and largest measured count; (0, 0) where nobody measured."""
        if not self._at_home(position):
            return 0, 0
        variant = self._variant(position)
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
        variant = self._variant(position)
        corrected = [one for one in self.fitted(variant).kept if one.mechanism.reading in ("start", "current")]
        locked = (lap(self.path, variant, one.mechanism, one.values, np.array([2])).section_ns for one in corrected)
        return any(section is not None for section in locked)

    # The fitted curves

    def _base(self, position: Position, n, name: str | None = None) -> Base:
        name = name or position.choices["variant"]
        where = (position.choices["machine"], position.choices["placement"])
        # Both sides of a gain come from one joint fit, that of the variant, so that they share their draws.
        fitted = self.fitted(self._variant(position))
        key = (fitted.scope, name, *where, tuple(n))
        if key not in self._bases:
            variant, target = self.variants[name], load_machine(where[0])
            self._bases[key] = base_of(fitted, variant, np.asarray(n), self.source, target, where[1], self.seed)
            while len(self._bases) > _KEPT:
                self._bases.popitem(last=False)
        self._bases.move_to_end(key)
        return self._bases[key]

    def _variant(self, position: Position) -> Variant:
        return self.variants[position.choices["variant"]]

    def _at_home(self, position: Position) -> bool:
        """Whether the position is on the machine, and in the placement, that was measured."""
        return (position.choices["machine"], position.choices["placement"]) == (self.path.machine, PACKED)


def given_only(fitted: Fit, name: str | None) -> None:
    """`MppsError` for a variant that a given fit does not have."""
    names = [variant.name for variant in fitted.points.variants]
    if name is not None and name not in names:
        raise MppsError(f"the fit {fitted.scope!r} has no variant {name!r}; it has {', '.join(names)}")
