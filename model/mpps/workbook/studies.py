"""A code path with one of its joint fits, as a notebook looks at it: rates in the unit that people read."""

from dataclasses import dataclass, field, replace

import numpy as np

from mpps import compare, explain
from mpps.compare import Fit
from mpps.errors import unknown_name
from mpps.path import CodePath, Variant
from mpps.paths import load_path
from mpps.predict import Forecast, predict, scatter_of
from mpps.units import from_rate_pps
from mpps.whatif import WhatIf, whatif

#: Units of tables that are better read in another one; all others stay as printed.
_SHOWN = {"packets/s": "Mpps", "kpps": "Mpps", "ns/element": "Mpps"}


@dataclass(frozen=True)
class Study:
    """A code path, one joint fit of it, the unit in which its rates are shown, and the seed of all draws.

    kept: forecasts made so far; a page asks for the same ones several times.
    """

    path: CodePath
    fitted: Fit
    unit: str
    seed: int
    kept: dict = field(default_factory=dict, repr=False, compare=False)

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the fit's variants that somebody measured, in the order of the path."""
        points = self.fitted.points
        return tuple(v.name for k, v in enumerate(points.variants) if (points.variant == k).any())

    @property
    def senders(self) -> str:
        """What n counts, in the plural: senders, CPUs, streams."""
        return f"{self.path.sender}s"

    @property
    def axes(self) -> dict:
        """What every chart of rates of this study shares: unit, what n counts, all series in order."""
        return {"unit": self.unit, "x_title": self.senders, "series": self.variants}

    @property
    def datasets(self) -> tuple[str, ...]:
        """The tables behind the fit."""
        return tuple(dict.fromkeys(source[0] for source in self.fitted.points.source))

    def variant(self, name: str) -> Variant:
        """The variant of that name."""
        return self.path.variant(name)

    def counts(self, variant: str | None = None) -> list[int]:
        """Core counts at which somebody measured the variant, or any."""
        points = self.fitted.points
        mask = np.ones(len(points.n), bool) if variant is None else compare.rows_of(points, [(variant, None)])
        return [int(n) for n in np.unique(points.n[mask])]

    def observed(self, variant: str, n: int) -> float:
        """The measured rate, in `unit`."""
        points = self.fitted.points
        found = np.flatnonzero(compare.rows_of(points, [(variant, n)]) & ~points.busy)
        if not found.size:
            raise KeyError(f"nobody measured {variant!r} at {n}")
        return self.shown(float(np.exp(points.value[found[0]])))

    def shown(self, rate_pps):
        """Packets per second as `unit`."""
        return from_rate_pps(rate_pps, self.unit, self.path.packet_bytes)

    def forecast(self, variant: str, cores, *, machine: str | None = None, settings: dict | None = None) -> Forecast:
        """`predict` from this fit."""
        asked = (variant, tuple(map(int, cores)), machine, repr(settings))
        if asked not in self.kept:
            self.kept[asked] = predict(
                self.path,
                cores,
                variant=variant,
                machine=machine,
                settings=settings,
                seed=self.seed,
                fitted=self.fitted,
            )
        return self.kept[asked]

    def rate(self, variant: str, n: int, **options) -> tuple[float, float, float]:
        """Median and ends of the 90 % interval of the predicted rate, in `unit`."""
        row = rate_rows(self, self.forecast(variant, [n], **options))[0]
        return row["median"], row["lower"], row["upper"]

    def whatif(self, cores, *, start: str, **options) -> WhatIf:
        """`whatif` with this seed; options: without, settings, machine."""
        return whatif(self.path, cores, start=start, seed=self.seed, **options)

    def stage_ns(self, variant: str, stage: str, n: int) -> tuple[float, float, float]:
        """Cost of a stage for one packet with n senders: median and 90 % ends, ns."""
        rows = explain.packet_cost(self.fitted, self.variant(variant), n)
        return next((row["ns"], row["lower"], row["upper"]) for row in rows if row["stage"] == stage)

    def scatter(self, variant: str) -> float:
        """Relative scatter of a measurement of the variant's table, as the answers take it."""
        return scatter_of(self.fitted, self.variant(variant))


def study(slug: str, scope: str | None = None, *, seed: int = 1, held_out: tuple = ()) -> Study:
    """A code path fitted jointly over `scope` (its first when None), without the rows of `held_out`."""
    path = load_path(slug)
    return study_of(path, scope, seed=seed, held_out=held_out)


def study_of(path: CodePath, scope: str | None = None, *, seed: int = 1, held_out: tuple = ()) -> Study:
    """As `study`, for a path at hand, such as one with pinned parameters."""
    fitted = compare.fit(path, scope or path.scopes[0].name, held_out=held_out, seed=seed)
    printed = next(unit for unit, busy in zip(fitted.points.unit, fitted.points.busy, strict=True) if not busy)
    return Study(path, fitted, _SHOWN.get(printed, printed), seed)


def believing(study: Study, mechanism: str) -> Study:
    """The study as it would be if one explanation were known to be the right one."""
    chosen = tuple(one for one in study.path.mechanisms if one.name == mechanism)
    if not chosen:
        raise unknown_name("mechanism", mechanism, [one.name for one in study.path.mechanisms])
    return study_of(replace(study.path, mechanisms=chosen), study.fitted.scope, seed=study.seed)


def rate_rows(study: Study, forecast: Forecast) -> list[dict]:
    """The rows of a forecast in the unit of the study."""
    # A table in ns per element is answered in packets/s (mpps.predict).
    factor = (
        study.shown(1.0)
        if forecast.unit == "ns/element"
        else study.shown(1.0) / from_rate_pps(1.0, forecast.unit, study.path.packet_bytes)
    )
    scaled = ("lower", "lower50", "median", "upper50", "upper", "observed")
    return [
        {**row, "unit": study.unit} | {key: None if row[key] is None else row[key] * factor for key in scaled}
        for row in forecast.rows()
    ]
