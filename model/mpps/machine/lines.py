"""Time to move a cache line between two senders, by where they sit and where the line's memory is."""

import numpy as np

from mpps.machine import priors
from mpps.machine.cards import LINE_CLASSES, Machine
from mpps.machine.counts import by_shape, draw_shape, stated, unique
from mpps.machine.draws import Assumption, as_assumption, draw_assumption, draw_chance, draw_quantity, for_machine
from mpps.machine.topology import class_shares, first_socket_share


def line_transfer_ns(
    machine: Machine, n, placement: str, draws: int, rng, one_socket: bool = False
) -> tuple[np.ndarray, list[Assumption]]:
    """Mean time to move a cache line between two random senders of `n`, in ns, shape (draws, len(n)).

    The classes of `LINE_CLASSES` are mixed by the share of sender pairs in each (`class_shares`), those in one socket
    alone where `one_socket`. Where there is no such pair, as with one sender, no line moves: 0. Between two clusters of a
    socket a line takes longer when its memory is another socket's. Also returns what it assumes; a class that no pair is
    in is not asked for.
    """
    n = np.atleast_1d(np.asarray(n, dtype=int))
    shares, first, notes = _shares(machine, n, placement, draws, rng)
    if one_socket:
        shares[..., LINE_CLASSES.index("other_socket")] = 0.0
        shares /= np.maximum(shares.sum(axis=2, keepdims=True), 1e-12)
    total = np.zeros((draws, len(n)))
    for index, name in enumerate(LINE_CLASSES):
        # drawn even when unused, so that the other classes do not depend on n
        time, more = draw_quantity(machine, f"line_transfer.{name}", priors.LINE_TRANSFER[name], draws, rng)
        time = time[:, None]
        if name == "other_cluster" and first is not None:
            time, homes = _with_home(machine, time, first, draws, rng)
            more = [*more, *homes]
        if shares[:, :, index].any():
            total += shares[:, :, index] * time
            notes += more
    return total, unique(notes)


def _with_home(machine: Machine, at_home, first, draws: int, rng):
    """Time between two clusters of a socket, (draws, n): longer for pairs on another socket than the line's memory.

    at_home (draws, 1); first (draws, n): share of such pairs on the first socket.
    """
    home = for_machine(machine, priors.FIRST_SOCKET_IS_HOME)
    is_first = draw_chance(home, draws, rng)[:, None]
    name = "line_transfer.other_cluster_remote_home"
    fact = stated(machine, name)
    if fact is None:
        item = for_machine(machine, priors.OTHER_HOME)
        remote, notes = draw_assumption(item, draws, rng), [item]
    else:
        remote, _ = draw_quantity(machine, name, priors.OTHER_HOME, draws, rng)
        notes = [as_assumption(machine, name, fact)] if fact.assumed else []
    remote = np.maximum(remote[:, None], at_home)
    away = np.where(is_first, 1 - first, first)
    return at_home + away * (remote - at_home), [home, *notes]


def _shares(machine: Machine, n: np.ndarray, placement: str, draws: int, rng):
    """Shares of pairs in each class, (draws, n, classes); of those in two clusters of a socket the share on the first
    socket, (draws, n), None where the memory of a line makes no difference; and the assumptions."""
    shapes, notes = draw_shape(machine, draws, rng)
    shares, first = np.empty((draws, len(n), len(LINE_CLASSES))), np.ones((draws, len(n)))
    homes = bool(shapes[:, 0].max() > 1) and _home_matters(machine)
    for shape, rows in by_shape(shapes):
        shares[rows] = class_shares(n, *shape, placement)
        if homes and shape[0] > 1:
            first[rows] = first_socket_share(n, *shape, placement)
    return shares, first if homes else None, notes


def _home_matters(machine: Machine) -> bool:
    """Whether a card says so, or the part is of a family in which every two-socket matrix shows it."""
    design = machine["microarchitecture"].value or ""
    return stated(machine, "line_transfer.other_cluster_remote_home") is not None or design.startswith("Zen")
