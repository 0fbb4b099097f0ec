"""Clock of the cores that are active."""

import numpy as np

from mpps.machine import priors
from mpps.machine.cards import Machine
from mpps.machine.counts import by_shape, draw_shape, stated, unique
from mpps.machine.draws import Assumption, draw_assumption, draw_quantity, for_machine, label
from mpps.machine.topology import socket_counts


def clock_ghz(
    machine: Machine, active_cores, draws: int, rng, placement: str = "packed"
) -> tuple[np.ndarray, list[Assumption]]:
    """Mean clock of the active cores in GHz, shape (draws, len(active_cores)), and what it assumes.

    By the card's list of clocks by active cores in a socket, between its counts on straight lines. Without one the clock
    falls as f1 - (f1 - fN) ((m - 1) / (N - 1))^bend with m of N cores active in a socket. Sockets fill one after the
    other, or by turns with senders `spread`. SMT siblings do not add active cores.
    """
    active = np.atleast_1d(np.asarray(active_cores, dtype=int))
    if np.any(active < 1):
        raise ValueError("at least one active core is needed")
    shapes, counted = draw_shape(machine, draws, rng)
    one, every, bend, notes, notes_all_cores = _ends(machine, shapes[:, 1], draws, rng)
    listed = stated(machine, "clock.by_active_cores")
    if listed is not None:
        notes, notes_all_cores = [_listed(machine, listed)] if listed.assumed else [], []
    if active.max() > 1:
        notes = [*notes, *counted, *notes_all_cores]
    clock = np.empty((draws, len(active)))
    for (sockets, cores), rows in by_shape(shapes[:, :2]):
        # More senders than cores: SMT siblings, or a hypothetical larger part with the same all-core clock.
        busy = socket_counts(active, sockets, cores, placement)
        step = np.maximum(busy - 1, 0) / max(cores - 1, 1)
        if listed is not None:
            known, ghz = (np.array(column, float) for column in zip(*listed.value, strict=True))
            each = np.interp(np.maximum(busy, 1), known, ghz)[None]
        else:
            each = one[rows, None, None] - (one - every)[rows, None, None] * step ** bend[rows, None, None]
        clock[rows] = (each * busy).sum(axis=-1) / busy.sum(axis=-1)
    return clock, unique(notes)


def _ends(machine: Machine, cores, draws: int, rng):
    """Clock with one and with all `cores` (draws,) active, the bend between them, each (draws,), and the assumptions
    behind the clock of one core, and behind the rest."""
    one, notes, every, more = _one_and_all(machine, draws, rng)
    every = np.where(cores == 1, one, np.minimum(every, one))
    bend = for_machine(machine, priors.CLOCK_BEND)
    if np.any(every < one):
        more = [*more, bend]
    return one, every, draw_assumption(bend, draws, rng), notes, more


def _one_and_all(machine: Machine, draws: int, rng):
    base = machine["clock.base"]
    if machine["clock.one_core"].not_stated and not base.not_stated:
        boost = for_machine(machine, priors.BOOST_RATIO)
        one, notes = draw_quantity(machine, "clock.base", priors.BOOST_RATIO, draws, rng)
        one, notes = one * draw_assumption(boost, draws, rng), [*notes, boost]
    else:
        one, notes = draw_quantity(machine, "clock.one_core", priors.ONE_CORE_CLOCK, draws, rng)
    if not machine["clock.all_cores"].not_stated:
        return one, notes, *draw_quantity(machine, "clock.all_cores", priors.ALL_CORE_RATIO, draws, rng)
    ratio = for_machine(machine, priors.ALL_CORE_RATIO)
    every = one * np.minimum(draw_assumption(ratio, draws, rng), 1.0)
    if base.value is not None:
        every = np.maximum(every, base.value)  # the vendor guarantees the base clock
    return one, notes, every, [ratio]


def _listed(machine: Machine, fact) -> Assumption:
    ends = [ghz for _, ghz in fact.value]
    name = f"{machine.slug}: {label('clock.by_active_cores')}"
    return Assumption(name, ends[-1], min(ends), max(ends), fact.unit, fact.why)
