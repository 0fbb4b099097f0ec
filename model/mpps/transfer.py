"""Moving a fit to another machine: each parameter by its role, each uncertain factor a prior (docs/modelling.md).

Core-bound work follows clock and work per cycle, its memory part does not; line transfers follow the topology of
the target; a hand-off effect whose cause is unknown is present in half of the draws and absent in the other half;
a ceiling belongs to the device.
"""

from dataclasses import dataclass, replace

import numpy as np

from mpps.errors import MppsError
from mpps.machine import (
    PLACEMENTS,
    Assumption,
    Machine,
    Streams,
    relative_line_transfer,
    relative_work_time,
    sender_speed,
)
from mpps.machine.counts import unique
from mpps.machine.draws import as_assumption, draw_assumption, draw_chance, draw_quantity, draw_share
from mpps.machine.relative import departure
from mpps.path import ROLES, CodePath, Mechanism, Variant, active_parameters, lap, laps_per_ns
from mpps.units import line_rate_pps

LINE_SHARE = Assumption(
    "share of a section that is line transfers",
    0.65,
    0.35,
    0.95,
    "ratio",
    "the body under the lock is tens of ns of instructions, the rest moves lines (docs/modelling.md)",
)
HANDOFF_HEIGHT = Assumption(
    "height of the hand-off effect on another machine",
    1.0,
    0.5,
    2.0,
    "ratio",
    "its cause is not known, so ping-pong latency does not scale it (docs/modelling.md)",
)
HANDOFF_PRESENT = Assumption(
    "the hand-off effect exists on another machine",
    0.5,
    0.0,
    1.0,
    "probability",
    "its cause may be the guest's pause-loop exits: present in half of the draws, absent in the others",
)
#: The parameter of a path that is the line transfer between sockets, relative to that inside one.
CROSS = "cross_ratio"
_ABSENT = 1e-6


@dataclass(frozen=True)
class Move:
    """What is the same for all parameters of one move: machines, counts n (P,), placement of the target's senders.

    measured: largest count that was measured on the source. away: another machine, not only another placement on the same
    one; counted: the source's counts, those of the target on the same machine, else at most its CPUs or what was measured.
    """

    source: Machine
    target: Machine
    n: np.ndarray
    draws: int
    rng: Streams | np.random.Generator
    placement: str = "packed"
    measured: int = 1

    @property
    def away(self) -> bool:
        return self.source != self.target

    @property
    def counted(self) -> np.ndarray:
        return np.minimum(self.n, max(self.source.threads, self.measured)) if self.away else self.n


def moved(
    path: CodePath,
    values: dict,
    mechanism: Mechanism,
    source: Machine,
    target: Machine,
    n,
    rng,
    placement: str = "packed",
    variant: Variant | None = None,
):
    """Values on the target: name -> (K, P), the mechanism with the target's domains, and the assumptions.

    values: name -> (K, 1) on the source; n (P,); rng: `Streams` or a generator; placement of the senders: `packed` or
    `spread`; variant: whose share of spinning decides how much SMT siblings yield. On the source machine itself, packed
    as it was measured, nothing changes and nothing is assumed.
    """
    check_placement(placement)
    if source == target and placement == "packed":
        return values, mechanism, []
    move = Move(source, target, np.asarray(n), len(next(iter(values.values()))), rng, placement)
    roles = {name: path.parameter(name).role for name in values}
    used = set(roles)
    # What a variant does not use need not be moved.
    if variant is not None:
        used &= {parameter.name for parameter in active_parameters(path, (variant,), mechanism)}
    factors, listed = factors_of(move, {roles[name] for name in used}, one_socket=CROSS in values)
    result, part = {}, {}
    for name, value in values.items():
        apart, more = _departure(path, name, value, move)
        factor, part[name] = time_factor(factors, roles[name], apart)
        result[name] = value * factor
        listed += more if name in used else []
    mechanism = _domain(mechanism, target, placement)
    if CROSS in values:
        # The line transfers of the target are those of all its pairs, so nothing is left to add for those that cross.
        result[CROSS] = np.ones((move.draws, 1))
    if "device" in roles.values() and move.away:
        ceiling, more = device_ceiling(path, target, move.draws, move.rng)
        listed += more if any(roles[name] == "device" for name in used) else []
        if ceiling is not None:
            result |= {name: ceiling for name, role in roles.items() if role == "device"}
    waiting = lambda: _waiting(path, variant, mechanism, result, move.n)
    slower, more = _siblings(move, waiting, spins=mechanism.reading != "bound")
    if more:
        result = {name: value * (1 + part[name] * (1 / slower - 1)) for name, value in result.items()}
    return result, mechanism, unique([*listed, *more])


def check_placement(placement: str) -> None:
    """Raises `MppsError` for a placement that nobody knows."""
    if placement not in PLACEMENTS:
        raise MppsError(f"placement {placement!r}: expected {' or '.join(PLACEMENTS)}")


def factors_of(move: Move, roles, one_socket: bool = False) -> tuple[dict[str, np.ndarray], list[Assumption]]:
    """What times of each of `roles` are multiplied by, role -> (K, P), siblings apart, and the assumptions behind it.

    one_socket: line transfers are relative to those inside one socket of the source. For sections see `time_factor`.
    """
    machines, draws, rng = (move.source, move.target), move.draws, move.rng
    where = (move.counted, move.n, move.placement)
    factors, listed = {role: np.ones((1, 1)) for role in ROLES}, []
    if {"core", "section"} & roles:
        factors["core"], more = relative_work_time(*machines, draws, rng, *where)
        listed += more
    if {"line", "section"} & roles:
        factors["line"], more = relative_line_transfer(*machines, draws, rng, *where, one_socket)
        listed += more
    if "section" in roles:
        factors["lines of a section"] = draw_share(LINE_SHARE, draws, rng)[:, None]
        listed.append(LINE_SHARE)
    if "handoff" in roles and move.away:
        present = draw_chance(HANDOFF_PRESENT, draws, rng)[:, None]
        factors["handoff"] = np.where(present, draw_assumption(HANDOFF_HEIGHT, draws, rng)[:, None], _ABSENT)
        listed += [HANDOFF_PRESENT, HANDOFF_HEIGHT]
    return factors, listed


def time_factor(factors, role: str, apart=1.0):
    """What a time of that role is multiplied by, (K, P), and the share of the moved time that a busy sibling slows down.

    factors: of `factors_of`; apart: departure of its work from the average work of a core, (K, 1).
    """
    if role == "core":
        return factors["core"] * apart, 1.0
    if role != "section" or "lines of a section" not in factors:
        return factors[role], 0.0
    part = factors["lines of a section"]
    lines, work = part * factors["line"], (1 - part) * factors["core"] * apart
    return lines + work, work / (lines + work)


def _departure(path: CodePath, name: str, value, move: Move):
    """Departure of a parameter's work from the average work of a core, (K, 1); none on the same machine."""
    parameter = path.parameter(name)
    if not move.away or parameter.role not in ("core", "section") or parameter.unit != "ns":
        return 1.0, []
    drawn, notes = departure(name, float(np.median(value)), move.draws, move.rng)
    return drawn[:, None], notes


def _siblings(move: Move, waiting, spins: bool):
    """Speed of a sender beside SMT siblings on the target, relative to the source at its counts, (K, P).

    waiting(): share of a lap that a sender waits; it spins meanwhile, or leaves the core to its sibling.
    """
    speeds = lambda spinning: (
        sender_speed(move.target, move.n, move.draws, move.rng, spinning, move.placement),
        sender_speed(move.source, move.counted, move.draws, move.rng, spinning),
    )
    (there, notes), (here, more) = speeds(0.0)
    if not (notes or more):
        return 1.0, []
    share = waiting()
    if spins:
        (there, _), (here, _) = speeds(share)
    else:
        there, here = (1 - (1 - share) * (1 - each) for each in (there, here))
    return there / here, [*notes, *more]


def _waiting(path, variant, mechanism, values, n):
    """Share of a lap that a sender spends waiting for the station, (K, P), siblings left out; 0 without a station."""
    if variant is None:
        return 0.0
    numbers = lap(path, variant, mechanism, values, n)
    if numbers.section_ns is None:
        return 0.0
    laps = laps_per_ns(mechanism, numbers, values, n)
    return np.clip(1 - laps * (numbers.think_ns + numbers.section_ns) / n, 0.0, 1.0)


def device_ceiling(path: CodePath, target: Machine, draws: int, rng):
    """Packets per second of the target's device, (draws, 1), and what that assumes: its stated ceiling, and what its wire
    carries at most; None when neither is stated. A path whose packets have no size asks for no wire."""
    fact, link = target["device.packet_ceiling"], target["device.link"]
    frame_bytes = path.frame_bytes or path.packet_bytes
    wire = float(line_rate_pps(link.value * 1e9, frame_bytes)) if link.value is not None and frame_bytes else np.inf
    notes = [as_assumption(target, "device.link", link)] if link.assumed and np.isfinite(wire) else []
    if fact.value is not None:
        ceiling, more = draw_quantity(target, "device.packet_ceiling", HANDOFF_HEIGHT, draws, rng)
        if (ceiling * 1e6 > wire).all():
            return np.full((draws, 1), wire), notes
        return np.minimum(ceiling * 1e6, wire)[:, None], [*more, *notes]
    if np.isfinite(wire):
        return np.full((draws, 1), wire), notes
    name = f"{target.slug}: the device's ceiling is not stated, the source's is kept"
    return None, [Assumption(name, 1.0, 1.0, 1.0, "ratio", "no device of the target is known")]


def _domain(mechanism: Mechanism, target: Machine, placement: str) -> Mechanism:
    """The mechanism with the target's domains; of several domains every spread sender has its own."""
    size = target["topology.cores_per_socket" if mechanism.domain_is == "socket" else "topology.cluster_cores"].value
    if not (mechanism.domain and size):
        return mechanism
    several = size < target.threads / (target["topology.threads_per_core"].value or 1)
    return replace(mechanism, domain=1.0 if placement == "spread" and several else float(size))
