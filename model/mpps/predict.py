"""What follows from a fit: the rate at any core count, variant and machine, with its interval and its assumptions.

An interval mixes the members of all mechanisms (parameters and mechanism), the scatter of the measurements, and what no
mechanism knows, as published tables taught it (`mpps.discrepancy`): a drift that grows with the distance from the data,
and bottlenecks that set in beyond it.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from mpps.compare import ANCHORS, Fit, MechanismFit, fit
from mpps.errors import MppsError
from mpps.fit import DEFAULT_SCATTER, closure_offset
from mpps.influence import by_influence, with_influence
from mpps.machine import Assumption, Machine, Streams, has_cores, load_machine
from mpps.path import CodePath, Variant, lap, laps_per_ns, rate_pps
from mpps.remembered import remembered
from mpps.structure import (
    DISCREPANCY,
    DRIFT,
    UNMEASURED_VARIANT,
    drift_tail,
    drift_weights,
    fall_assumptions,
    measured_counts,
    rows_of,
    scales,
    structural_spread,
    unseen,
)
from mpps.transfer import check_placement, moved
from mpps.uncertainty import LEVELS
from mpps.units import from_rate_pps

BEYOND_DEPTH = Assumption(
    "beyond the measured depth the hand-off goes on as its form says (else it stays as it is there)",
    0.3,
    0.0,
    1.0,
    "probability",
    "no table reaches that deep, and about one collapsing published series in six recovers (docs/modelling.md)",
)
#: The code behind a correction by simulation, for `remembered`.
CLOSURE = ("fit/closure.py", "locks.py", "network.py", "normalising.py", "path/*.py", "simulation.py")
BY_DEPTH = ("hump", "early hump", "ticket", "saturating", "step")


@dataclass(frozen=True)
class Forecast:
    """Rates of one variant on one machine at n (P,), in `unit`, elements a second where that is ns/element; `curves` (K, P):
    log packets/s of the members, structural error included, without scatter.

    median, lower, upper (90 %), lower50, upper50, observed (nan where nobody measured): (P,).
    extrapolated: beyond the measured counts, or on another machine; hypothetical: the machine has not so many cores.
    """

    variant: str
    dataset: str
    metric: str
    machine: str
    unit: str
    n: np.ndarray
    curves: np.ndarray
    quantiles: np.ndarray
    observed: np.ndarray
    sources: tuple[str, ...]
    extrapolated: np.ndarray
    hypothetical: np.ndarray
    assumptions: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()
    settings: dict = field(default_factory=dict)

    @property
    def median(self) -> np.ndarray:
        """Median rate, (P,)."""
        return self.quantiles[2]

    @property
    def lower(self) -> np.ndarray:
        """Lower end of the 90 % interval, (P,)."""
        return self.quantiles[0]

    @property
    def upper(self) -> np.ndarray:
        """Upper end of the 90 % interval, (P,)."""
        return self.quantiles[4]

    def rows(self) -> list[dict]:
        """One dict per core count, as the JSON answers and the charts take them."""
        names = ("lower", "lower50", "median", "upper50", "upper")
        rows = []
        for k, n in enumerate(self.n):
            row = {
                "variant": self.variant,
                "dataset": self.dataset,
                "machine": self.machine,
                "unit": self.unit,
                "n": int(n),
            }
            row |= {name: float(self.quantiles[q, k]) for q, name in enumerate(names)}
            row |= {
                "observed": None if np.isnan(self.observed[k]) else float(self.observed[k]),
                "extrapolated": bool(self.extrapolated[k]),
                "hypothetical": bool(self.hypothetical[k]),
                "source": self.sources[k],
            }
            rows.append(row)
        return rows


def predict(
    path: CodePath,
    cores,
    *,
    variant: str | Variant,
    machine: str | Machine | None = None,
    settings: dict | None = None,
    placement: str = "packed",
    seed: int = 1,
    fitted: Fit | None = None,
) -> Forecast:
    """Predict one variant at `cores`: on the source's machine, or moved to another one.

    cores: positive integers, any order (answered ascending); variant: a name, or a changed `Variant`;
    settings: parameter name -> value that replaces the fitted one; placement: senders `packed` into one cluster and
    socket before the next, as tables were measured, or `spread` over all. Raises MppsError for unknown names, for cores
    below 1, and for a setting that the variant does not use.
    """
    check_placement(placement)
    found = path.variant(variant) if isinstance(variant, str) else variant
    n = _cores(cores)
    fitted = fitted or fit(path, scope_for(path, found).name, seed=seed)
    settings = _checked(path, found, fitted, settings or {})
    source = load_machine(path.machine)
    target = source if machine is None else load_machine(machine)
    measured = measured_counts(fitted, found)
    spread, structural = structural_spread(fitted, found, n)
    curves, assumptions, drawn = _curves(fitted, found, n, source, target, settings, seed, spread, placement)
    noisy = curves + scatter_of(fitted, found) * _by_count(seed, 2, len(curves), n)
    away = target != source or placement != "packed"
    unit, packet_bytes = unit_of(fitted, found), path.packet_bytes
    observed, rows = (
        _observed(fitted, found, n, unit, packet_bytes)
        if not (away or settings)
        else (np.full(len(n), np.nan), ("",) * len(n))
    )
    quantiles = np.quantile(np.exp(noisy), LEVELS, axis=0)
    beyond = (n > measured.max()) | (n < measured.min()) if measured.size else np.ones(len(n), bool)
    return Forecast(
        found.name,
        found.dataset or _table(fitted),
        _metric(found),
        target.slug,
        unit,
        n,
        curves,
        from_rate_pps(quantiles, unit, packet_bytes) if unit != "ns/element" else quantiles,
        observed,
        rows,
        beyond | away,
        ~has_cores(target, n),
        by_influence(with_influence((*assumptions, *structural), drawn, curves[:, -1])),
        path.assumptions,
        settings,
    )


def curves_of(
    fitted: Fit,
    variant: Variant,
    n,
    source: Machine,
    target: Machine,
    settings: dict,
    seed: int,
    spread=(0.0, 0.0),
    placement: str = "packed",
):
    """Log packets/s of all members at n: (K, P), and the assumptions of the move.

    spread: structural standard deviations of the log rate below any ceiling, one draw a member each: at each n (P,),
    and of the variant. The draws are the same for every variant and setting, so what two answers share cancels.
    """
    return _curves(fitted, variant, n, source, target, settings, seed, spread, placement)[:2]


def _curves(fitted: Fit, variant: Variant, n, source, target, settings, seed, spread, placement):
    """As `curves_of`, and what each assumption was drawn as at the largest n: name -> (K,)."""
    rows, assumptions, drawn = [], {}, []
    changed = target != source or placement != "packed" or bool(settings)
    where = {"placement": placement, "variant": variant}
    weights = drift_weights(fitted) if scales(fitted, variant) else None
    beyond = [item.name for item in fall_assumptions()]
    deepest = int(measured_counts(fitted, variant).max())
    for index, one in enumerate(fitted.kept):
        streams = _streams(fitted, index, seed)
        values, mechanism, listed = inputs_of(
            fitted, index, n, source, target, settings, seed, streams=streams, **where
        )
        assumptions |= {item.name: item for item in listed}
        there = np.array(ANCHORS)
        anchored = inputs_of(fitted, index, there, source, target, settings, seed, **where)[0] if changed else None
        offset, error = correction(fitted, one, variant, mechanism, values, n, anchored)
        common, own = np.random.default_rng([seed, 0, index]).standard_normal((2, len(one.members), 1))
        if weights is not None:
            common = common * drift_tail(weights, len(one.members), [seed, 4, index])
        simulated = error * _by_count(seed, 3 + index, len(one.members), n)
        offset = offset + simulated + spread[0] * common + spread[1] * own
        rates = rate_pps(fitted.path, variant, mechanism, values, n, offset)
        here = streams.kept | {DRIFT: common[:, 0], DISCREPANCY.name: common[:, 0], UNMEASURED_VARIANT.name: own[:, 0]}
        if n.max() > deepest and scales(fitted, variant):
            lone = inputs_of(fitted, index, np.array([1]), source, target, settings, seed, **where)[0]
            log_lone = np.log(rate_pps(fitted.path, variant, mechanism, lone, np.array([1]), 0.0))
            uniform = np.random.default_rng([seed, 5, index]).random((len(rates), 2))
            fallen = unseen(fitted, variant, n, np.log(rates), log_lone, uniform)
            here |= dict(zip(beyond, (fallen[:, -1] < 0, fallen[:, -1]), strict=True))
            offset = offset + fallen
            rates = rate_pps(fitted.path, variant, mechanism, values, n, offset)
        if mechanism.handoff in BY_DEPTH and n.max() > deepest:
            depth = mean_depth(fitted.path, variant, mechanism, values, deepest)
            clamped = rate_pps(fitted.path, variant, replace(mechanism, clamp_depth=depth), values, n, offset)
            goes_on = (np.arange(len(rates)) * BEYOND_DEPTH.median) % 1 < BEYOND_DEPTH.median
            rates = np.where(goes_on[:, None] | (n <= deepest), rates, clamped)
            assumptions[BEYOND_DEPTH.name] = BEYOND_DEPTH
            here |= {BEYOND_DEPTH.name: goes_on}
        rows.append(np.log(rates))
        drawn.append({name: np.broadcast_to(np.asarray(each, float), len(rates)) for name, each in here.items()})
    if weights is not None and n.max() > deepest:
        assumptions |= {item.name: item for item in fall_assumptions()}
    # A mechanism without an assumption is as if it were drawn at its middle.
    names = dict.fromkeys(name for each in drawn for name in each)
    middle = {name: np.median(np.concatenate([each[name] for each in drawn if name in each])) for name in names}
    together = {
        name: np.concatenate([each.get(name, np.full(len(row), middle[name])) for each, row in zip(drawn, rows)])
        for name in names
    }
    return np.concatenate(rows), tuple(assumptions.values()), together


def _streams(fitted: Fit, index: int, seed: int) -> Streams:
    """Draws of the factors of a move for the members of the kept mechanism `index`."""
    sizes = [len(one.members) for one in fitted.kept]
    start = sum(sizes[:index])
    return Streams([seed, 1], sum(sizes), slice(start, start + sizes[index]))


def inputs_of(
    fitted: Fit,
    index: int,
    n,
    source: Machine,
    target: Machine,
    settings: dict,
    seed: int,
    *,
    placement: str = "packed",
    variant: Variant | None = None,
    streams: Streams | None = None,
):
    """What the members of the kept mechanism `index` say on `target`: values name -> (K, 1) or (K, P), the mechanism
    with the target's domains, and the assumptions of the move. The draws do not depend on n.

    variant: whose waiting decides what SMT siblings yield; streams: where the draws are kept."""
    one = fitted.kept[index]
    values, mechanism, listed = one.member_values, one.mechanism, ()
    if target != source or placement != "packed":
        streams = streams or _streams(fitted, index, seed)
        values, mechanism, listed = moved(
            fitted.path, values, mechanism, source, target, n, streams, placement, variant
        )
    fixed = {name: np.full((len(one.members), 1), value) for name, value in settings.items() if name in values}
    return values | fixed, mechanism, listed


def _by_count(seed: int, stream: int, draws: int, n) -> np.ndarray:
    """Normal draws (K, P) that belong to a core count, whatever other counts are asked with it."""
    return np.stack([np.random.default_rng([seed, stream, int(count)]).standard_normal(draws) for count in n], axis=1)


def mean_depth(path: CodePath, variant: Variant, mechanism, values: dict, n: int) -> float:
    """Mean senders at the station with n senders, median over the members: those that are not in private work."""
    middle = {name: np.median(value, axis=(0, 1), keepdims=True) for name, value in values.items()}
    numbers = lap(path, variant, mechanism, middle, np.array([n]))
    if numbers.section_ns is None:
        return float(n)
    return float(max(1.0, (n - numbers.think_ns * laps_per_ns(mechanism, numbers, middle, np.array([n])))[0, 0]))


def correction(
    fitted: Fit, one: MechanismFit, variant: Variant, mechanism, values: dict, n, anchored: dict | None = None
):
    """Correction by simulation at n and its standard error, (2, P).

    Stored for a variant of the fit as it was measured; simulated anew for another one, and for `anchored` values: those
    of a changed machine or setting at ANCHORS, (K, 1) or (K, ANCHORS).
    """
    if mechanism.reading not in ("start", "current"):
        return np.zeros((2, len(n)))
    if variant in fitted.points.variants and anchored is None:
        stored = one.anchors[:, fitted.points.variants.index(variant)]
    else:
        middle = {name: np.exp(np.median(np.log(value), axis=0))[None] for name, value in (anchored or values).items()}
        stored = remembered(
            (fitted.path, mechanism, variant, ANCHORS),
            middle.items(),
            CLOSURE,
            lambda: np.concatenate(closure_offset(fitted.path, mechanism, middle, [(variant, np.array(ANCHORS))])[0]),
        )
    return np.stack([np.interp(np.log(n), np.log(ANCHORS), part) for part in stored])


def scope_for(path: CodePath, variant: Variant):
    """The joint fit that answers for a variant, measured or changed: the first with all its stages."""
    for scope in path.scopes:
        if variant.name in scope.variants:
            return scope
    for scope in path.scopes:
        stages = {stage for name in scope.variants for stage in path.variant(name).stages}
        if set(variant.stages) <= stages:
            return scope
    return path.scopes[-1]


def scatter_of(fitted: Fit, variant: Variant) -> float:
    """Relative scatter of a measurement of the variant's table: assumed, or what the residuals say if that is more."""
    assumed = dict(fitted.path.scatter).get(variant.dataset or _table(fitted), DEFAULT_SCATTER)
    return assumed * fitted.best.scale


def unit_of(fitted: Fit, variant: Variant) -> str:
    """Unit in which the variant's table was printed."""
    rows = rows_of(fitted, variant)
    rows = rows if len(rows) else [k for k in range(len(fitted.points.n)) if not fitted.points.busy[k]]
    return fitted.points.unit[rows[0]]


def _observed(fitted, variant, n, unit, packet_bytes):
    rows = rows_of(fitted, variant)
    points = fitted.points
    value, where = np.full(len(n), np.nan), [""] * len(n)
    for k, count in enumerate(n):
        here = [row for row in rows if points.n[row] == count]
        if here:
            value[k] = (
                from_rate_pps(np.exp(points.value[here].mean()), unit, packet_bytes)
                if unit != "ns/element"
                else np.exp(points.value[here].mean())
            )
            dataset, _, _, line = points.source[here[0]]
            where[k] = f"{dataset}.csv line {line}"
    return value, tuple(where)


def _table(fitted) -> str:
    return fitted.points.variants[0].dataset


def _metric(variant: Variant) -> str:
    return variant.observe[0][0]


def _cores(cores) -> np.ndarray:
    n = np.unique(np.asarray(list(cores), int))
    if not n.size or n[0] < 1:
        raise MppsError(f"core counts are whole numbers from 1, not {list(cores)!r}")
    return n


def _checked(path, variant, fitted, settings: dict) -> dict:
    for name, value in settings.items():
        parameter = path.parameter(name)
        if not (np.isfinite(value) and value > 0):
            raise MppsError(f"{name}={value}: expected a positive number in {parameter.unit}")
        used = {p.name for one in fitted.kept for p in one.problem.parameters}
        if name not in used:
            raise MppsError(
                f"{name} does not enter variant {variant.name!r} of {path.slug}; it has {', '.join(sorted(used))}"
            )
    return {name: float(value) for name, value in settings.items()}
