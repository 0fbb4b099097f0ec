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


#: Where the coordinates of shares and growths turn from even to logarithmic, in laps: about what 1 % scatter shows.
_TURN = 1e-3


def station(handoff: str = "constant") -> Family:
    """Private work and one serial station, exact closed network; service is a share of the lap of one sender.

    handoff "constant": every visit costs the share; "ticket": each further waiter adds `growth` laps.
    Coordinates: log rate of one sender, log(1 + share/1e-3) and log(1 + growth/1e-3), which are even near their bound 0
    and logarithmic above: what few waiters show is the product of share and growth, and its valley is then straight.
    """
    ticket = handoff == "ticket"

    def log_rate(x, n):
        n = np.asarray(n)
        result = np.empty((len(x), len(n)))
        share = np.clip(_laps(x[:, 1:2]), 0.0, 1.0)
        growth = _laps(x[:, 2:3]) if ticket else 0.0
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

    top, even = float(np.log1p(1 / _TURN)), Start(0.01, float(np.log1p(1 / _TURN)))
    count = 3 if ticket else 2
    return Family(
        f"station, {handoff} hand-off",
        ("rate_one", "share", "growth")[:count],
        ("rate", "1", "1")[:count],
        (-np.inf, 0.0, 0.0)[:count],
        (np.inf, top, top)[:count],
        log_rate,
        (None, even, even)[:count],
        values=(np.exp, _laps, _laps)[:count],
    )


def station_coordinates(rate_one: float, share: float, growth: float | None = None) -> np.ndarray:
    """Coordinates of a station with the given values, (p,)."""
    costs = [share] if growth is None else [share, growth]
    return np.array([np.log(rate_one), *np.log1p(np.array(costs) / _TURN)])


def _laps(coordinate):
    return _TURN * np.expm1(coordinate)
