"""What limits, from which core count on, and where the rate peaks."""

from dataclasses import dataclass

import numpy as np

from mpps.compare import Fit
from mpps.explain.cost import ceilings
from mpps.machine import Machine, load_machine
from mpps.path import CORE, Variant, demands, lap, sections
from mpps.predict import curves_of, inputs_of
from mpps.structure import measured_counts, structural_spread

#: A knee and a peak are looked for up to this many times the largest measured core count, and to 64 at least.
REACH = 4


@dataclass(frozen=True)
class Range:
    """Median and 90 % ends over the members; None where unbounded (no knee, no peak below 256 cores)."""

    median: float | None
    lower: float | None
    upper: float | None

    def as_dict(self) -> dict:
        """For JSON."""
        return {"median": self.median, "lower": self.lower, "upper": self.upper}


def bounds_pps(
    fitted: Fit,
    variant: Variant,
    n,
    *,
    machine: Machine | None = None,
    settings: dict | None = None,
    placement: str = "packed",
    seed: int = 1,
) -> dict[str, np.ndarray]:
    """Asymptotic bounds by resource, packets/s at n (P,): private work n/(Z+S), station 1/S(n), ceilings by stage; (K, P) each.

    The lowest bound is what limits (Lazowska and others 1984, chapter 5). Growing private work is named by its stage.
    On the source's machine unless another one is given.
    """
    n = np.asarray(n, int)
    source = load_machine(fitted.path.machine)
    parts = []
    for index, one in enumerate(fitted.kept):
        where = {"placement": placement, "variant": variant}
        values, mechanism, _ = inputs_of(fitted, index, n, source, machine or source, settings or {}, seed, **where)
        numbers = lap(fitted.path, variant, mechanism, values, n)
        shape, running = (len(one.members), len(n)), variant.running(n)
        section = numbers.section_ns if numbers.section_ns is not None else 0.0
        here = {"private work": np.broadcast_to(running * numbers.packets * 1e9 / (numbers.think_ns + section), shape)}
        if numbers.section_ns is not None:
            here[fitted.path.station] = np.broadcast_to(
                numbers.packets * 1e9 / _section_at(mechanism, numbers, values, running, shape), shape
            )
        parts.append(here | ceilings(demands(fitted.path, variant, mechanism, values, n)[0], shape))
    names = dict.fromkeys(name for here in parts for name in here)
    # A mechanism without a resource is not bounded by it.
    unbounded = [np.full((len(one.members), len(n)), np.inf) for one in fitted.kept]
    return {
        name: np.concatenate([here.get(name, free) for here, free in zip(parts, unbounded, strict=True)])
        for name in names
    }


def _section_at(mechanism, numbers, values, n, shape) -> np.ndarray:
    """Section in ns with all n senders at the station, (K, P)."""
    if mechanism.reading == "bound":
        return numbers.section_ns
    service = np.broadcast_to(sections(mechanism, numbers, values, np.arange(1.0, n.max() + 1)), (*shape, n.max()))
    return np.take_along_axis(service, np.broadcast_to(n[:, None] - 1, (*shape, 1)), -1)[..., 0]


def limits(fitted: Fit, variant: Variant, n, **where) -> list[dict]:
    """Which resource limits at each core count: rows of n, resource, probability (share of members), largest first.

    where: machine, settings, placement and seed of `bounds_pps`.
    """
    n = np.asarray(n, int)
    bounds = bounds_pps(fitted, variant, n, **where)
    names = list(bounds)
    lowest = np.argmin(np.stack([bounds[name] for name in names]), axis=0)
    rows = []
    for k, count in enumerate(n):
        share = [(float((lowest[:, k] == index).mean()), name) for index, name in enumerate(names)]
        rows += [
            {"variant": variant.name, "n": int(count), "resource": name, "probability": p}
            for p, name in sorted(share, reverse=True)
            if p > 0
        ]
    return rows


def bottleneck(fitted: Fit, variant: Variant, n: int) -> str:
    """The most probable limit with n senders; private work that grows with n is named by the stage that grows most."""
    return with_stage(fitted, variant, n, limits(fitted, variant, [n])[0]["resource"])


def with_stage(fitted: Fit, variant: Variant, n: int, resource: str) -> str:
    """The name of what limits with n senders, private work with the stage whose growth makes more than a tenth of it."""
    if resource != "private work" or n == 1:
        return resource
    one = fitted.best
    alone = dict(_stage_ns(fitted, variant, one, 2))
    growth = {stage: ns - alone.get(stage, 0.0) for stage, ns in _stage_ns(fitted, variant, one, n)}
    stage = max(growth, key=growth.get)
    total = sum(ns for _, ns in _stage_ns(fitted, variant, one, n))
    return f"{resource}: {stage}" if growth[stage] > 0.1 * total and stage != resource else resource


def _stage_ns(fitted, variant, one, n):
    found, packets = demands(fitted.path, variant, one.mechanism, one.values, np.array([n]))
    return [(item.stage.name, float(np.mean(item.amount / packets))) for item in found if item.resource == CORE]


def search_counts(fitted: Fit, variant: Variant) -> np.ndarray:
    """Core counts at which a knee and a peak are looked for."""
    last = max(64, REACH * int(measured_counts(fitted, variant).max()))
    return np.unique(np.round(np.geomspace(1, last, 60)).astype(int))


def knee_cores(fitted: Fit, variant: Variant) -> Range:
    """Core count from which something other than private work limits: where the private-work line meets the next bound."""
    n = search_counts(fitted, variant)
    bounds = bounds_pps(fitted, variant, n)
    private = bounds.pop("private work")
    if not bounds:
        return Range(None, None, None)
    gap = np.log(np.min(np.stack(list(bounds.values())), axis=0)) - np.log(private)
    return range_of(first_crossing(gap, n))


def first_crossing(gap, n) -> np.ndarray:
    """Core count where gap (K, P) over n first falls to 0, interpolated in log n; inf where it never does."""
    below = gap <= 0
    first = below.argmax(axis=1)
    row = np.arange(len(gap))
    before = np.maximum(first - 1, 0)
    log_n = np.log(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(first > 0, gap[row, before] / (gap[row, before] - gap[row, first]), 0.0)
    found = np.exp(log_n[before] + share * (log_n[first] - log_n[before]))
    return np.where(below.any(axis=1), found, np.inf)


def peak(fitted: Fit, variant: Variant, seed: int = 1) -> tuple[Range, Range]:
    """Core count and rate (packets/s) of the highest throughput; the count is None where the rate still rises at the
    end of the search."""
    n = search_counts(fitted, variant)
    machine = load_machine(fitted.path.machine)
    spread, _ = structural_spread(fitted, variant, n)
    curves, _ = curves_of(fitted, variant, n, machine, machine, {}, seed, spread)
    best = curves.argmax(axis=1)
    cores = np.where(best < len(n) - 1, n[best].astype(float), np.inf)
    return range_of(cores), range_of(np.exp(curves.max(axis=1)))


def range_of(values) -> Range:
    """Median and 90 % ends of a count or a rate over the members; infinite ones are unbounded."""
    # "lower" keeps a value that exists, so that -inf/inf never mix in an interpolated quantile.
    ends = np.quantile(values, (0.5, 0.05, 0.95), method="lower")
    return Range(*(float(end) if np.isfinite(end) else None for end in ends))
