"""From machine cards to draws of clock, line transfer, and speed relative to another machine."""

import dataclasses

import numpy as np

from mpps.machine import priors
from mpps.machine.cards import LINE_CLASSES, Machine
from mpps.machine.draws import Assumption, as_assumption, draw_assumption, draw_count, draw_quantity, for_machine
from mpps.machine.topology import class_shares, core_counts

_WHOLE_SOCKET = 1_000_000  # cores in a cluster: more than any socket has


def clock_ghz(machine: Machine, active_cores, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """Mean clock of the active cores in GHz, shape (draws, len(active_cores)), and what it assumes.

    Between one active core and a full socket the clock falls as f1 - (f1 - fN) ((m - 1) / (N - 1))^bend with m active
    cores in the socket; sockets fill one after the other. SMT siblings do not add active cores.
    """
    active = np.atleast_1d(np.asarray(active_cores, dtype=int))
    if np.any(active < 1):
        raise ValueError("at least one active core is needed")
    one, every, notes, notes_all_cores = _clock_ends(machine, draws, rng)
    counts_of, more = _counts(machine, draws, rng)
    cores, capacity = counts_of[:, 1], counts_of[:, 0] * counts_of[:, 1]
    every = np.where(cores == 1, one, np.minimum(every, one))
    bend = draw_assumption(priors.CLOCK_BEND, draws, rng)
    if active.max() > 1:
        notes = [*notes, *more, *notes_all_cores]
        if np.any(every < one):
            notes.append(dataclasses.replace(priors.CLOCK_BEND, name=f"{machine.slug}: {priors.CLOCK_BEND.name}"))
    # More senders than cores: SMT siblings, or a hypothetical larger part with the same all-core clock.
    running = np.minimum(active, capacity[:, None])
    full, rest = running // cores[:, None], running % cores[:, None]
    step = (np.maximum(rest, 1) - 1) / np.maximum(cores - 1, 1)[:, None]
    partial = one[:, None] - (one - every)[:, None] * step ** bend[:, None]
    return (full * cores[:, None] * every[:, None] + rest * partial) / running, _unique(notes)


def line_transfer_ns(machine: Machine, n, placement: str, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """Mean time to move a cache line between two random senders of `n`, in ns, shape (draws, len(n)).

    The classes of `LINE_CLASSES` are mixed by the share of sender pairs in each (`class_shares`). One sender moves no
    line: 0. Also returns what it assumes; a class that no pair is in is not asked for.
    """
    n = np.atleast_1d(np.asarray(n, dtype=int))
    shares, notes = _shares(machine, n, placement, draws, rng)
    total = np.zeros((draws, len(n)))
    for index, name in enumerate(LINE_CLASSES):
        # drawn even when unused, so that the other classes do not depend on n
        time, more = draw_quantity(machine, f"line_transfer.{name}", priors.LINE_TRANSFER[name], draws, rng)
        if shares[:, :, index].any():
            total += shares[:, :, index] * time[:, None]
            notes += more
    return total, _unique(notes)


def relative_core_speed(
    source: Machine, target: Machine, draws: int, rng, active_source=1, active_target=1
) -> tuple[np.ndarray, list[Assumption]]:
    """Speed of private work on `target` relative to `source`, shape (draws, len of the broadcast core counts).

    Clock ratio x relative work per cycle. The same machine has the same clock in every draw, so that its ratio at
    equal core counts is exactly 1.
    """
    counts = np.broadcast_arrays(np.atleast_1d(active_source), np.atleast_1d(active_target))
    here, there, notes = _pair(clock_ghz, source, target, *counts, draws, rng)
    design, more = _work_per_cycle(source, target, draws, rng)
    return there / here * design[:, None], _unique(notes + more)


def relative_line_transfer(
    source: Machine, target: Machine, draws: int, rng, n_source=2, n_target=2, placement: str = "packed"
) -> tuple[np.ndarray, list[Assumption]]:
    """Line transfer on `target` relative to `source`, shape (draws, len of the broadcast sender counts).

    One sender counts as two: the ratio of the nearest transfers.
    """
    counts = (np.maximum(each, 2) for each in np.broadcast_arrays(np.atleast_1d(n_source), np.atleast_1d(n_target)))

    def transfer(machine, n, draws, rng):
        return line_transfer_ns(machine, n, placement, draws, rng)

    here, there, notes = _pair(transfer, source, target, *counts, draws, rng)
    return there / here, notes


def sender_speed(machine: Machine, n, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """Mean speed of a sender relative to one with a core of its own, shape (draws, len(n)): 1 until SMT siblings fill.

    A core with k busy threads does yield^log2(k) of the work of one.
    """
    n = np.atleast_1d(np.asarray(n, dtype=int))
    counts_of, notes = _counts(machine, draws, rng)
    gain = draw_assumption(priors.SMT_YIELD, draws, rng)
    speed = np.zeros((draws, len(n)))
    shared = False
    for shape, rows in _groups(counts_of):
        counts = core_counts(n, *shape)
        for busy in range(1, counts.max() + 1):
            cores_so_busy = (counts == busy).sum(axis=1)
            speed[rows] += cores_so_busy / n * gain[rows, None] ** np.log2(busy)
        shared = shared or bool((counts > 1).any())
    return speed, [*notes, priors.SMT_YIELD] if shared else []


def memory_share(draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """Share of private work that does not follow the core clock, shape (draws,), in (0, 1): models of leading loads."""
    logit = np.log([priors.MEMORY_SHARE.median, priors.MEMORY_SHARE.lower, priors.MEMORY_SHARE.upper])
    logit = logit - np.log1p(-np.exp(logit))
    odds = draw_assumption(Assumption("odds", *np.exp(logit), "ratio", ""), draws, rng)
    return odds / (1 + odds), [priors.MEMORY_SHARE]


def _clock_ends(machine: Machine, draws: int, rng) -> tuple[np.ndarray, np.ndarray, list, list]:
    """Clock with one and with all cores active, each of shape (draws,), and the assumptions behind either."""
    base = machine["clock.base"]
    if machine["clock.one_core"].not_stated and not base.not_stated:
        one, notes = draw_quantity(machine, "clock.base", priors.BOOST_RATIO, draws, rng)
        one = one * draw_assumption(priors.BOOST_RATIO, draws, rng)
        notes = [*notes, for_machine(machine, priors.BOOST_RATIO)]
    else:
        one, notes = draw_quantity(machine, "clock.one_core", priors.ONE_CORE_CLOCK, draws, rng)
    if not machine["clock.all_cores"].not_stated:
        every, more = draw_quantity(machine, "clock.all_cores", priors.ALL_CORE_RATIO, draws, rng)
        return one, every, notes, more
    every = one * np.minimum(draw_assumption(priors.ALL_CORE_RATIO, draws, rng), 1.0)
    if base.value is not None:
        every = np.maximum(every, base.value)  # the vendor guarantees the base clock
    return one, every, notes, [for_machine(machine, priors.ALL_CORE_RATIO)]


def _pair(draw, source: Machine, target: Machine, at_source, at_target, draws: int, rng):
    """Both machines' values; one machine is drawn once for both, since it is the same machine."""
    if source.slug == target.slug:
        both, notes = draw(source, np.concatenate([at_source, at_target]), draws, rng)
        return both[:, : len(at_source)], both[:, len(at_source) :], notes
    here, notes = draw(source, at_source, draws, rng)
    there, more = draw(target, at_target, draws, rng)
    return here, there, _unique(notes + more)


def _work_per_cycle(source: Machine, target: Machine, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    if source.slug == target.slug:
        return np.ones(draws), []
    designs = source["microarchitecture"], target["microarchitecture"]
    stated = not any(design.not_stated or design.assumed for design in designs)
    if stated and designs[0].value == designs[1].value:
        return np.ones(draws), []
    clocks = all(
        machine["clock.one_core"].source and not machine["clock.one_core"].assumed for machine in (source, target)
    )
    prior = priors.OTHER_DESIGN if stated and clocks else priors.UNKNOWN_DESIGN
    ratio, notes = draw_assumption(prior, draws, rng), [prior]
    classes = [machine["core_class"].value == "in-order" for machine in (source, target)]
    if classes[0] != classes[1]:
        ratio, notes = draw_assumption(priors.IN_ORDER, draws, rng), [priors.IN_ORDER]
        if classes[0]:
            ratio = 1 / ratio
    return ratio, notes


def _counts(machine: Machine, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    """Sockets, cores per socket, threads per core and cores per cluster, shape (draws, 4)."""
    columns, notes = [], []
    for name, prior in (
        ("sockets", priors.SOCKETS),
        ("cores_per_socket", priors.CORES),
        ("threads_per_core", priors.THREADS),
    ):
        column, more = draw_count(machine, f"topology.{name}", prior, draws, rng)
        columns.append(column)
        notes += more
    cluster = machine["topology.cluster_cores"]
    if cluster.not_stated:
        columns.append(np.full(draws, _WHOLE_SOCKET))
    else:
        columns.append(draw_count(machine, "topology.cluster_cores", priors.CORES, draws, rng)[0])
        notes += [as_assumption(machine, "topology.cluster_cores", cluster)] if cluster.assumed else []
    return np.stack(columns, axis=1), notes


def _groups(counts_of: np.ndarray):
    """Each distinct machine shape with the draws that have it."""
    shapes, index = np.unique(counts_of, axis=0, return_inverse=True)
    for row, shape in enumerate(shapes):
        yield tuple(int(each) for each in shape), np.flatnonzero(index.ravel() == row)


def _shares(machine: Machine, n: np.ndarray, placement: str, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
    counts_of, notes = _counts(machine, draws, rng)
    shares = np.empty((draws, len(n), len(LINE_CLASSES)))
    for shape, rows in _groups(counts_of):
        shares[rows] = class_shares(n, *shape, placement)
    return shares, notes


def _unique(notes: list[Assumption]) -> list[Assumption]:
    return list(dict.fromkeys(notes))
