"""Moving a fit to another machine: each parameter by its role, each uncertain factor a prior (docs/modelling.md).

Core-bound work follows clock and work per cycle, its memory part does not; line transfers follow the topology of
the target; a hand-off effect whose cause is unknown is present in half of the draws and absent in the other half;
a ceiling belongs to the device.
"""

from dataclasses import replace

import numpy as np

from mpps.machine import (
    Assumption,
    Machine,
    memory_share,
    relative_core_speed,
    relative_line_transfer,
    sender_speed,
)
from mpps.machine.draws import draw_assumption
from mpps.path import CodePath, Mechanism
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


def moved(path: CodePath, values: dict, mechanism: Mechanism, source: Machine, target: Machine, n, rng):
    """Values on the target: name -> (K, P), the mechanism with the target's domains, the assumptions, and the speed-up
    by roles name -> (K, P).

    values: name -> (K, 1) on the source; n (P,). On the source machine itself nothing changes and nothing is assumed.
    """
    draws = len(next(iter(values.values())))
    here = np.minimum(n, max(source.threads, 1))
    speed, notes = relative_core_speed(source, target, draws, rng, here, n)
    siblings, more = sender_speed(target, n, draws, rng)
    share, share_notes = memory_share(draws, rng)
    core = (1 - share)[:, None] / (speed * siblings) + share[:, None]
    line, line_notes = relative_line_transfer(source, target, draws, rng, here, n)
    lines = draw_assumption(LINE_SHARE, draws, rng)[:, None].clip(0, 1)
    present = rng.random((draws, 1)) < HANDOFF_PRESENT.median
    handoff = np.where(present, draw_assumption(HANDOFF_HEIGHT, draws, rng)[:, None], 1e-6)
    factor = {
        "core": core,
        "line": line,
        "section": lines * line + (1 - lines) * core,
        "handoff": handoff,
        "none": np.ones((1, 1)),
        "device": np.ones((1, 1)),
    }
    roles = {name: path.parameter(name).role for name in values}
    result = {name: value * factor[roles[name]] for name, value in values.items()}
    used = set(roles.values())
    listed = [*notes, *more, *share_notes]
    if used & {"line", "section"}:
        listed += line_notes
    if "section" in used:
        listed.append(LINE_SHARE)
    if "handoff" in used:
        listed += [HANDOFF_PRESENT, HANDOFF_HEIGHT]
    ceiling, device_notes = _device(path, target)
    for name in (name for name, role in roles.items() if role == "device"):
        if ceiling is not None:
            result[name] = np.full((draws, 1), ceiling)
        listed += device_notes
    return result, _domain(mechanism, target), listed


def _device(path: CodePath, target: Machine):
    """Packets per second of the target's device: its stated ceiling, else the wire's; None when neither is stated."""
    fact = target["device.packet_ceiling"]
    if fact.value is not None:
        value = fact.value * 1e6
        notes = (
            [
                Assumption(
                    f"{target.slug}: packet ceiling of the device",
                    value,
                    (fact.lower or fact.value) * 1e6,
                    (fact.upper or fact.value) * 1e6,
                    "packets/s",
                    fact.why,
                )
            ]
            if fact.assumed
            else []
        )
        return value, notes
    link = target["device.link"]
    frame_bytes = path.frame_bytes or path.packet_bytes
    if link.value is not None and frame_bytes:
        return float(line_rate_pps(link.value * 1e9, frame_bytes)), []
    return None, [
        Assumption(
            f"{target.slug}: the device's ceiling is not stated, the source's is kept",
            1.0,
            1.0,
            1.0,
            "ratio",
            "no device of the target is known",
        )
    ]


def _domain(mechanism: Mechanism, target: Machine) -> Mechanism:
    if not mechanism.domain:
        return mechanism
    size = target["topology.cores_per_socket" if mechanism.domain_is == "socket" else "topology.cluster_cores"].value
    return replace(mechanism, domain=float(size)) if size else mechanism
