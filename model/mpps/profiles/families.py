"""Families with a closed form or an exact network, for studies with known truth."""

import numpy as np

from mpps import network
from mpps.profiles.family import Family, Function, Start


def usl() -> Family:
    """Universal scalability law n/(1 + contention (n - 1) + coherence n (n - 1)), Gunther arXiv:0808.1431.

    Coordinates: log rate of one sender, contention in [0, 1], coherence at least 0, both as they are.
    """

    def log_rate(x, n):
        slowdown = 1.0 + x[:, 1:2] * (n - 1.0) + x[:, 2:3] * (n * (n - 1.0))
        with np.errstate(invalid="ignore", divide="ignore"):
            return x[:, :1] + np.log(n) - np.log(slowdown)

    return Family(
        "usl",
        ("rate_one", "contention", "coherence"),
        ("rate", "1", "1"),
        (-np.inf, 0.0, 0.0),
        (np.inf, 1.0, 10.0),
        log_rate,
        (None, Start(1e-4, 1.0, "log"), Start(1e-7, 1.0, "log")),
        values=(np.exp, None, None),
    )


def usl_peak() -> Function:
    """Peak of the universal scalability law, sqrt((1 - contention)/coherence), at least 1; infinite without coherence."""

    def value(coordinate):
        with np.errstate(divide="ignore"):
            return np.maximum(np.maximum(coordinate, 0.0) ** -0.5, 1.0)

    return Function(
        "peak", "senders", lambda x: x[:, 2] / np.maximum(1.0 - x[:, 1], 1e-12), value, lowest=0.0, highest=1.0
    )


def station(handoff: str = "constant") -> Family:
    """Private work and one serial station, exact closed network; service is a share of the lap of one sender.

    handoff "constant": every visit costs the share; "ticket": each further waiter adds `growth` laps.
    Coordinates: log rate of one sender, share in [0, 1], growth at least 0, both as they are.
    """
    ticket = handoff == "ticket"

    def log_rate(x, n):
        n = np.asarray(n)
        result = np.empty((len(x), len(n)))
        share = np.clip(x[:, 1:2], 0.0, 1.0)
        growth = np.maximum(x[:, 2:3], 0.0) if ticket else 0.0
        # Populations of like size together: the work of one call grows with its largest.
        octave = np.floor(np.log2(n) + 1e-9)
        for one in np.unique(octave):
            here = np.flatnonzero(octave == one)
            waiters = np.arange(int(n[here].max()))
            service = share + growth * waiters
            think = np.broadcast_to(1.0 - share, (len(x), len(here)))
            result[:, here] = network.throughput(n[here].astype(int), think, service[:, None, :])
        with np.errstate(divide="ignore"):
            return x[:, :1] + np.log(result)

    names, units, lower, upper, starts, values = (
        ("rate_one", "share"),
        ("rate", "1"),
        (-np.inf, 0.0),
        (np.inf, 1.0),
        (None, Start(1e-3, 1.0, "log")),
        (np.exp, None),
    )
    if ticket:
        names, units, values = (*names, "growth"), (*units, "1"), (*values, None)
        lower, upper, starts = (*lower, 0.0), (*upper, 10.0), (*starts, Start(1e-6, 1.0, "log"))
    return Family(f"station, {handoff} hand-off", names, units, lower, upper, log_rate, starts, values=values)
