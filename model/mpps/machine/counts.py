"""Draws of what a machine is: sockets, cores, threads, clusters; and facts that a card may leave out."""

import numpy as np

from mpps.machine import priors
from mpps.machine.cards import Machine
from mpps.machine.draws import Assumption, as_assumption, draw_count

_WHOLE_SOCKET = 1_000_000  # cores in a cluster: more than any socket has


def draw_shape(machine: Machine, draws: int, rng) -> tuple[np.ndarray, list[Assumption]]:
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


def by_shape(shapes: np.ndarray):
    """Each distinct row of (draws, k) as whole numbers, with the draws that have it."""
    distinct, index = np.unique(shapes, axis=0, return_inverse=True)
    for row, shape in enumerate(distinct):
        yield tuple(int(each) for each in shape), np.flatnonzero(index.ravel() == row)


def stated(machine: Machine, name: str):
    """A fact that the card gives, stated or assumed; None for one that it leaves out or calls missing."""
    fact = machine.facts.get(name)
    return None if fact is None or fact.not_stated else fact


def unique(notes) -> list[Assumption]:
    """Each assumption once, in order."""
    return list(dict.fromkeys(notes))
