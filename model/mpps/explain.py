"""Why the rate is what it is: the cost of a packet by stage, how busy each resource is, what limits and from where on."""

from dataclasses import dataclass

import numpy as np

from mpps.compare import Fit
from mpps.machine import clock_ghz, load_machine
from mpps.network import depths, solve
from mpps.path import CEILING, CORE, STATION, Mechanism, Variant, demands, lap, laps_per_ns, sections, under_ceiling
from mpps.predict import correction, curves_of, measured_counts
from mpps.uncertainty import interval

HANDOFF, WAITING = "hand-off", "waiting for the {resource}"
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


def packet_cost(fitted: Fit, variant: Variant, n: int) -> list[dict]:
    """Nanoseconds and cycles of one packet by stage with n senders, hand-off and waiting included.

    Rows: variant, n, stage, resource (private, serial, wait, ceiling), ns, lower, upper (90 % over the members),
    cycles (at the source's clock; None when no clock is known or assumed), clock_assumed. They add up to n/rate.
    """
    parts: list[dict[str, np.ndarray]] = []
    resource = {}
    count = np.array([n])
    for one in fitted.kept:
        values, mechanism = one.member_values, one.mechanism
        size = len(one.members)
        found, packets = demands(fitted.path, variant, mechanism, values, count)
        total = np.zeros(size)
        here: dict[str, np.ndarray] = {}
        for demand in (item for item in found if item.resource != CEILING):
            ns = np.broadcast_to(demand.amount / packets, (size, 1))[:, 0]
            # A stage that two resources share is one row, serial.
            here[demand.stage.name] = here.get(demand.stage.name, 0.0) + ns
            resource[demand.stage.name] = "private" if demand.resource == CORE else "serial"
            total = total + ns
        numbers = lap(fitted.path, variant, mechanism, values, count)
        laps = laps_per_ns(mechanism, numbers, values, count) * np.exp(correction(fitted, one, variant, mechanism, values, count))
        packets_in_lap = np.broadcast_to(numbers.packets, laps.shape)[:, 0]
        free = n / laps[:, 0] / packets_in_lap
        handoff = np.zeros(size)
        if numbers.section_ns is not None and n > 1 and mechanism.reading != "bound":
            handoff = (_mean_section(mechanism, numbers, values, count) - numbers.section_ns[..., 0]) / packets_in_lap
            here[HANDOFF], resource[HANDOFF] = handoff, "serial"
        if numbers.section_ns is not None:
            name = WAITING.format(resource=fitted.path.station)
            here[name], resource[name] = np.maximum(free - total - handoff, 0.0), "wait"
        limits_here = ceilings(found, (size, 1))
        if limits_here:
            rate = under_ceiling(laps * numbers.packets * 1e9, numbers.ceiling_pps)[:, 0]
            lowest = min(limits_here, key=lambda stage: np.median(limits_here[stage]))
            name = WAITING.format(resource=lowest)
            here[name], resource[name] = np.maximum(n * 1e9 / rate - free, 0.0), "ceiling"
        parts.append(here)
    clock, assumed = source_clock(fitted, n)
    rows = []
    for stage in dict.fromkeys(name for here in parts for name in here):
        # A mechanism without the stage has none of its cost.
        costs = [here.get(stage, np.zeros(len(one.members))) for here, one in zip(parts, fitted.kept, strict=True)]
        lower, middle, upper = np.quantile(np.concatenate(costs), (0.05, 0.5, 0.95))
        cycles = None if clock is None else float(middle * clock)
        rows.append({"variant": variant.name, "n": n, "stage": stage, "resource": resource[stage], "ns": float(middle), "lower": float(lower), "upper": float(upper), "cycles": cycles, "clock_ghz": clock, "clock_assumed": assumed})
    return rows


def source_clock(fitted: Fit, n: int) -> tuple[float | None, bool]:
    """Median clock in GHz of the source's machine with n active cores, and whether it rests on an assumption."""
    machine = load_machine(fitted.path.machine)
    if all(machine[f"clock.{name}"].not_stated for name in ("base", "one_core", "all_cores")):
        return None, True
    clock, listed = clock_ghz(machine, [n], 400, np.random.default_rng(1))
    return float(np.median(clock)), bool(listed)


def _mean_section(mechanism: Mechanism, numbers, values: dict, count) -> np.ndarray:
    """Mean section in ns, hand-off included: share of time the station is busy over its rate, (K,)."""
    service = sections(mechanism, numbers, values, depths(int(count[0]), mechanism.parts))
    solved = solve(count, numbers.think_ns, service, parts=mechanism.parts)
    return (solved.utilisation[..., 0] / solved.throughput)[:, 0]


def utilisation(fitted: Fit, variant: Variant, n) -> list[dict]:
    """How busy each resource is at each core count: rows of variant, resource, n, utilisation (medians over members).

    The cores' own row is the share of their time in private work; the rest they wait or are inside the section.
    """
    n = np.asarray(n, int)
    shares: dict[str, list] = {}
    for one in fitted.kept:
        values, mechanism = one.member_values, one.mechanism
        numbers = lap(fitted.path, variant, mechanism, values, n)
        laps = laps_per_ns(mechanism, numbers, values, n) * np.exp(correction(fitted, one, variant, mechanism, values, n))
        rate = under_ceiling(laps * numbers.packets * 1e9, numbers.ceiling_pps)
        laps = rate / numbers.packets / 1e9
        shares.setdefault("private work", []).append(np.clip(laps * numbers.think_ns / n, 0, 1))
        if numbers.section_ns is not None:
            shares.setdefault(fitted.path.station, []).append(_station_busy(mechanism, numbers, values, n, laps))
        found, _ = demands(fitted.path, variant, mechanism, values, n)
        for stage, ceiling in ceilings(found, rate.shape).items():
            shares.setdefault(stage, []).append(np.clip(rate / ceiling, 0, 1))
    rows = []
    for resource, parts in shares.items():
        middle = np.median(np.concatenate(parts), axis=0)
        rows += [{"variant": variant.name, "resource": resource, "n": int(count), "utilisation": float(share)} for count, share in zip(n, middle, strict=True)]
    return rows


def ceilings(found, shape) -> dict[str, np.ndarray]:
    """Ceilings in packets/s by stage, among the demands of a variant, broadcast to `shape`."""
    return {demand.stage.name: np.broadcast_to(demand.amount, shape) for demand in found if demand.resource == CEILING}


def _station_busy(mechanism, numbers, values, n, laps):
    if mechanism.reading == "bound":
        return np.clip(laps * numbers.section_ns, 0, 1)
    service = sections(mechanism, numbers, values, depths(int(n.max()), mechanism.parts))
    solved = solve(n, numbers.think_ns, service, parts=mechanism.parts)
    return np.clip(laps * solved.utilisation[..., 0] / solved.throughput, 0, 1)


def bounds_pps(fitted: Fit, variant: Variant, n) -> dict[str, np.ndarray]:
    """Asymptotic bounds by resource, packets/s at n (P,): private work n/(Z+S), station 1/S(n), ceilings by stage; (K, P) each.

    The lowest bound is what limits (Lazowska and others 1984, chapter 5). Growing private work is named by its stage.
    """
    n = np.asarray(n, int)
    parts = []
    for one in fitted.kept:
        values, mechanism = one.member_values, one.mechanism
        numbers = lap(fitted.path, variant, mechanism, values, n)
        shape = (len(one.members), len(n))
        section = numbers.section_ns if numbers.section_ns is not None else 0.0
        here = {"private work": np.broadcast_to(n * numbers.packets * 1e9 / (numbers.think_ns + section), shape)}
        if numbers.section_ns is not None:
            here[fitted.path.station] = np.broadcast_to(numbers.packets * 1e9 / _section_at(mechanism, numbers, values, n, shape), shape)
        parts.append(here | ceilings(demands(fitted.path, variant, mechanism, values, n)[0], shape))
    names = dict.fromkeys(name for here in parts for name in here)
    # A mechanism without a resource is not bounded by it.
    unbounded = [np.full((len(one.members), len(n)), np.inf) for one in fitted.kept]
    return {name: np.concatenate([here.get(name, free) for here, free in zip(parts, unbounded, strict=True)]) for name in names}


def _section_at(mechanism, numbers, values, n, shape) -> np.ndarray:
    """Section in ns with all n senders at the station, (K, P)."""
    if mechanism.reading == "bound":
        return numbers.section_ns
    service = np.broadcast_to(sections(mechanism, numbers, values, np.arange(1.0, n.max() + 1)), (*shape, n.max()))
    return np.take_along_axis(service, np.broadcast_to(n[:, None] - 1, (*shape, 1)), -1)[..., 0]


def limits(fitted: Fit, variant: Variant, n) -> list[dict]:
    """Which resource limits at each core count: rows of n, resource, probability (share of members), largest first."""
    n = np.asarray(n, int)
    bounds = bounds_pps(fitted, variant, n)
    names = list(bounds)
    lowest = np.argmin(np.stack([bounds[name] for name in names]), axis=0)
    rows = []
    for k, count in enumerate(n):
        share = [(float((lowest[:, k] == index).mean()), name) for index, name in enumerate(names)]
        rows += [{"variant": variant.name, "n": int(count), "resource": name, "probability": p} for p, name in sorted(share, reverse=True) if p > 0]
    return rows


def bottleneck(fitted: Fit, variant: Variant, n: int) -> str:
    """The most probable limit with n senders; private work that grows with n is named by the stage that grows most."""
    name = limits(fitted, variant, [n])[0]["resource"]
    if name != "private work" or n == 1:
        return name
    one = fitted.best
    alone = dict(_stage_ns(fitted, variant, one, 2))
    growth = {stage: ns - alone.get(stage, 0.0) for stage, ns in _stage_ns(fitted, variant, one, n)}
    stage = max(growth, key=growth.get)
    total = sum(ns for _, ns in _stage_ns(fitted, variant, one, n))
    return f"private work: {stage}" if growth[stage] > 0.1 * total else name


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
    return _range(_first_crossing(gap, n))


def _first_crossing(gap, n) -> np.ndarray:
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
    curves, _ = curves_of(fitted, variant, n, machine, machine, {}, seed)
    best = curves.argmax(axis=1)
    cores = np.where(best < len(n) - 1, n[best].astype(float), np.inf)
    return _range(cores), _range(np.exp(curves.max(axis=1)))


def _range(values) -> Range:
    # "lower" keeps a value that exists, so that -inf/inf never mix in an interpolated quantile.
    ends = np.quantile(values, (0.5, 0.05, 0.95), method="lower")
    return Range(*(float(end) if np.isfinite(end) else None for end in ends))


def handoff_by_depth(fitted: Fit, variant: Variant, depth) -> list[dict]:
    """Section in ns at each depth, hand-off included: what the table fixes, unlike its parts.

    Rows: mechanism, weight, depth, section_ns, lower, upper (90 % over that mechanism's members).
    """
    rows = []
    depth = np.asarray(depth, float)
    for one in fitted.kept:
        numbers = lap(fitted.path, variant, one.mechanism, one.member_values, np.array([int(depth.max())]))
        if numbers.section_ns is None:
            continue
        found = sections(one.mechanism, numbers, one.member_values, depth)[:, 0, :]
        low, middle, high = np.quantile(found, (0.05, 0.5, 0.95), axis=0)
        rows += [
            {"mechanism": one.mechanism.name, "weight": one.weight, "depth": float(d), "section_ns": float(m), "lower": float(a), "upper": float(b)}
            for d, a, m, b in zip(depth, low, middle, high, strict=True)
        ]
    return rows


def mean_depth(fitted: Fit, variant: Variant, n) -> list[dict]:
    """Mean senders at the station and mean section in ns, rows of variant, n, depth, section_ns (best mechanism)."""
    n = np.asarray(n, int)
    one = fitted.best
    numbers = lap(fitted.path, variant, one.mechanism, one.values, n)
    if numbers.section_ns is None:
        return []
    service = sections(one.mechanism, numbers, one.values, depths(int(n.max()), one.mechanism.parts))
    solved = solve(n, numbers.think_ns, service, parts=one.mechanism.parts)
    section = (solved.utilisation[..., 0] / solved.throughput)[0]
    return [{"variant": variant.name, "n": int(c), "depth": float(q), "section_ns": float(s)} for c, q, s in zip(n, solved.queue[0, :, 0], section, strict=True)]


def parameters(fitted: Fit, *, mechanism: str | None = None) -> list[dict]:
    """Parameters of the best (or the named) mechanism with their 90 % profile intervals and what identifies them."""
    one = next((item for item in fitted.mechanisms if item.mechanism.name == mechanism), fitted.best)
    rows = []
    for parameter in one.problem.parameters:
        found = interval(one.problem, one.solved, one.scale, parameter.name)
        rows.append({
            "name": parameter.name, "median": found.median, "lower": found.lower, "upper": found.upper, "unit": parameter.unit,
            "identified": found.identified, "meaning": parameter.meaning, "prior": parameter.prior.why if parameter.prior else None,
        })
    return rows
