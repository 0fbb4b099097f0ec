"""What a packet costs, by stage, and how busy each resource is."""

import numpy as np

from mpps.compare import Fit
from mpps.machine import clock_ghz, load_machine
from mpps.network import depths, solve
from mpps.path import CEILING, CORE, Mechanism, Variant, demands, lap, laps_per_ns, sections, under_ceiling
from mpps.predict import correction

HANDOFF, WAITING = "hand-off", "waiting for the {resource}"


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
        laps = laps_per_ns(mechanism, numbers, values, count) * np.exp(
            correction(fitted, one, variant, mechanism, values, count)[0]
        )
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
        rows.append(
            {
                "variant": variant.name,
                "n": n,
                "stage": stage,
                "resource": resource[stage],
                "ns": float(middle),
                "lower": float(lower),
                "upper": float(upper),
                "cycles": cycles,
                "clock_ghz": clock,
                "clock_assumed": assumed,
            }
        )
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
        laps = laps_per_ns(mechanism, numbers, values, n) * np.exp(
            correction(fitted, one, variant, mechanism, values, n)[0]
        )
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
        rows += [
            {"variant": variant.name, "resource": resource, "n": int(count), "utilisation": float(share)}
            for count, share in zip(n, middle, strict=True)
        ]
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
