"""One machine relative to another: core speed, line transfers, siblings; what is the same on both cancels exactly."""

import dataclasses

import numpy as np

from mpps.machine import priors
from mpps.machine.cards import Machine
from mpps.machine.clocks import clock_ghz
from mpps.machine.counts import by_shape, draw_shape, stated, unique
from mpps.machine.draws import Assumption, draw_assumption, draw_chance, draw_share, for_machine, keep
from mpps.machine.lines import line_transfer_ns
from mpps.machine.topology import core_counts

_THUNKS_OFF = (
    "no return thunk",
    "without return thunk",
    "no safe ret",
    "=ibpb",
    "rstack_overflow: mitigation: ibpb",
    "=off",
    "srso off",
)
_THUNKS_ON = ("safe ret", "safe-ret", "return thunk", "srso")


def relative_core_speed(
    source: Machine, target: Machine, draws: int, rng, active_source=1, active_target=1, placement: str = "packed"
) -> tuple[np.ndarray, list[Assumption]]:
    """Speed of core-bound work on `target` relative to `source`, shape (draws, len of the broadcast core counts).

    Clock ratio x relative work per cycle / what return thunks cost. The same machine has the same clock in every draw,
    so that its ratio at equal core counts is exactly 1. placement: of the target's senders; the source's are packed.
    """
    counts = np.broadcast_arrays(np.atleast_1d(active_source), np.atleast_1d(active_target))
    here, there, notes = _pair(clock_ghz, source, target, *counts, draws, rng, placement)
    design, more = work_per_cycle(source, target, draws, rng)
    calls, thunks = call_work(source, target, draws, rng)
    return there / here * (design / calls)[:, None], unique(notes + more + thunks)


def relative_line_transfer(
    source: Machine,
    target: Machine,
    draws: int,
    rng,
    n_source=2,
    n_target=2,
    placement: str = "packed",
    one_socket: bool = False,
) -> tuple[np.ndarray, list[Assumption]]:
    """Line transfer on `target` relative to `source`, shape (draws, len of the broadcast sender counts).

    One sender counts as two: the ratio of the nearest transfers. placement as for `relative_core_speed`. one_socket: the
    source's is that inside one socket.
    """
    counts = (np.maximum(each, 2) for each in np.broadcast_arrays(np.atleast_1d(n_source), np.atleast_1d(n_target)))

    def transfer(machine, n, draws, rng, placement):
        return line_transfer_ns(machine, n, placement, draws, rng)

    here, there, notes = _pair(transfer, source, target, *counts, draws, rng, placement)
    if one_socket:
        here, _ = line_transfer_ns(source, np.maximum(n_source, 2), "packed", draws, rng, one_socket=True)
    return there / here, notes


def work_per_cycle(source: Machine, target: Machine, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """Work of a core in one cycle on `target` relative to `source`, shape (draws,): stated, the same, or a prior."""
    stated_ratio = _stated_work(source, target)
    if stated_ratio is not None:
        item, assumed = stated_ratio
        return draw_assumption(item, draws, rng), [item] if assumed else []
    if source == target:
        return np.ones(draws), []
    designs = source["microarchitecture"], target["microarchitecture"]
    known = not any(design.not_stated or design.assumed for design in designs)
    if known and designs[0].value == designs[1].value:
        return np.ones(draws), []
    if _in_order(source) != _in_order(target):
        prior = priors.IN_ORDER
        ratio = draw_assumption(prior, draws, rng)
        return 1 / ratio if _in_order(source) else ratio, [prior]
    clocks = all(
        machine["clock.one_core"].source and not machine["clock.one_core"].assumed for machine in (source, target)
    )
    prior = priors.OTHER_DESIGN if known and clocks else priors.UNKNOWN_DESIGN
    prior = dataclasses.replace(prior, name=f"{prior.name}, {target.slug} relative to {source.slug}")
    return draw_assumption(prior, draws, rng), [prior]


def call_work(source: Machine, target: Machine, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """What return thunks multiply core work by, on `target` relative to `source`, shape (draws,).

    Two parts that may have them and state nothing are taken to be alike.
    """
    alike = all(_may_have_thunks(machine) and machine["mitigations"].not_stated for machine in (source, target))
    if source == target or alike:
        return np.ones(draws), []
    (here, notes), (there, more) = (_thunks(machine, draws, rng) for machine in (source, target))
    return there / here, [*notes, *more]


def sender_speed(
    machine: Machine, n, draws: int, rng, spinning=0.0, placement: str = "packed"
) -> tuple[np.ndarray, list[Assumption]]:
    """Mean speed of a sender relative to one with a core of its own, shape (draws, len(n)): 1 until SMT siblings fill.

    A core with k busy threads does yield^log2(k) of the work of one. The more of their time senders spend spinning on a
    lock (`spinning`, share of a lap, (draws, len(n))), the nearer the yield is to 1: a sibling that spins takes issue
    slots and does no work.
    """
    n = np.atleast_1d(np.asarray(n, dtype=int))
    shapes, notes = draw_shape(machine, draws, rng)
    item = dataclasses.replace(priors.SMT_YIELD, name=f"{machine.slug}: {priors.SMT_YIELD.name}")
    gain = 1 + (draw_assumption(item, draws, rng)[:, None] - 1) * (1 - np.broadcast_to(spinning, (draws, len(n))))
    speed = np.zeros((draws, len(n)))
    shared = False
    for shape, rows in by_shape(shapes):
        counts = core_counts(n, *shape, placement)
        for busy in range(1, counts.max() + 1):
            cores_so_busy = (counts == busy).sum(axis=1)
            speed[rows] += cores_so_busy / n * gain[rows] ** np.log2(busy)
        shared = shared or bool((counts > 1).any())
    return speed, [*notes, item] if shared else []


def memory_share(draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """Share of private work that does not follow the core clock, shape (draws,), in (0, 1): models of leading loads."""
    return draw_share(priors.MEMORY_SHARE, draws, rng), [priors.MEMORY_SHARE]


def relative_work_time(
    source: Machine, target: Machine, draws: int, rng, active_source=1, active_target=1, placement: str = "packed"
) -> tuple[np.ndarray, list[Assumption]]:
    """Time of the same work on `target` relative to `source`, (draws, counts): its core-bound part by `relative_core_speed`,
    its memory part by the ratio of memory times. The ratio between an in-order core and another is that of whole paths.
    """
    speed, notes = relative_core_speed(source, target, draws, rng, active_source, active_target, placement)
    share, more = memory_share(draws, rng)
    memory = draw_assumption(priors.MEMORY_TIME, draws, rng)
    if source == target or _in_order(source) != _in_order(target):
        return 1 / speed, notes
    return (1 - share)[:, None] / speed + (share * memory)[:, None], [*notes, *more, priors.MEMORY_TIME]


def departure(name: str, time_ns: float, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """How far the work called `name`, of `time_ns`, departs from the average work of a core on another machine, (draws,)."""
    root = min(np.sqrt(priors.OPERATION_NS / max(time_ns, 1e-9)), 1.0)
    item = dataclasses.replace(
        priors.OPERATION,
        name=f"{name}: {priors.OPERATION.name}",
        lower=float(priors.OPERATION.lower**root),
        upper=float(priors.OPERATION.upper**root),
    )
    return draw_assumption(item, draws, rng), [item]


def _pair(draw, source: Machine, target: Machine, at_source, at_target, draws: int, rng, placement: str):
    """Both machines' values; one machine is drawn once for both, since it is the same machine."""
    if source == target and placement == "packed":
        both, notes = draw(source, np.concatenate([at_source, at_target]), draws, rng, placement)
        return both[:, : len(at_source)], both[:, len(at_source) :], notes
    if source == target and isinstance(rng, np.random.Generator):
        # The same numbers for both placements, whatever the generator did before.
        seed = int(rng.integers(1 << 62))
        here, there = np.random.default_rng(seed), np.random.default_rng(seed)
    else:
        here = there = rng
    first, notes = draw(source, at_source, draws, here, "packed")
    second, more = draw(target, at_target, draws, there, placement)
    return first, second, unique(notes + more)


def _stated_work(source: Machine, target: Machine):
    """The ratio of work per cycle that the cards state between the two, as an `Assumption`, and whether one assumes it."""
    found = [stated(machine, "relative_work_per_cycle") for machine in (source, target)]
    here, there = found
    known = []
    if there is not None and there.against == source.slug:
        known = [(there, 1)]
    elif here is not None and here.against == target.slug:
        known = [(here, -1)]
    elif here is not None and there is not None and here.against == there.against and source != target:
        known = [(there, 1), (here, -1)]
    if not known or source == target:
        return None
    logs = np.array([[np.log(each.value), *np.log(_ends(each))] for each, _ in known])
    signs = np.array([sign for _, sign in known])
    middle = float(signs @ logs[:, 0])
    # Independent ranges add in squares, each on its own side.
    up = np.sqrt(sum((row[2] - row[0] if sign > 0 else row[0] - row[1]) ** 2 for row, sign in zip(logs, signs)))
    down = np.sqrt(sum((row[0] - row[1] if sign > 0 else row[2] - row[0]) ** 2 for row, sign in zip(logs, signs)))
    name = f"{priors.OTHER_DESIGN.name}, {target.slug} relative to {source.slug}"
    ends = (float(np.exp(middle + step)) for step in (0.0, -down, up))
    words = " ".join(each.why for each, _ in known) or "as the cards state"
    return Assumption(name, *ends, "ratio", words), any(each.assumed for each, _ in known)


def _ends(fact):
    return (fact.value, fact.value) if fact.lower is None else (fact.lower, fact.upper)


def _thunks(machine: Machine, draws: int, rng):
    """What return thunks multiply core work of a machine by, shape (draws,): 1 where they are off."""
    if not _may_have_thunks(machine):
        return np.ones(draws), []
    factor = dataclasses.replace(priors.RETURN_THUNKS, name=f"{machine.slug}: {priors.RETURN_THUNKS.name}")
    chance = for_machine(machine, priors.RETURN_THUNKS_ON)
    size, on = draw_assumption(factor, draws, rng), draw_chance(chance, draws, rng)
    known = return_thunks_on(machine["mitigations"].value or "")
    if known is not None:
        on, chance = np.full(draws, known), None
    result = np.where(on, size, 1.0)
    keep(rng, factor.name, result)
    notes = ([chance] if chance else []) + ([factor] if on.any() else [])
    return result, notes


def return_thunks_on(mitigations: str) -> bool | None:
    """Whether words on the mitigations say that return thunks are on; None where they say nothing of them.

    Words of a card, or what the kernel prints as `spec_rstack_overflow` (Documentation/admin-guide/hw-vuln/srso.rst: safe RET
    goes through a return thunk, IBPB and microcode alone do not) and as `retbleed`.
    """
    words = mitigations.lower()
    if any(each in words for each in _THUNKS_OFF):
        return False
    if any(each in words for each in _THUNKS_ON):
        return True
    return False if "spec_rstack_overflow" in words else None


def _in_order(machine: Machine) -> bool:
    return machine["core_class"].value == "in-order"


def _may_have_thunks(machine: Machine) -> bool:
    """SRSO concerns Zen 1 to 4 (AMD-SB-7005)."""
    return (machine["microarchitecture"].value or "").rstrip("+") in ("Zen", "Zen 1", "Zen 2", "Zen 3", "Zen 4")
