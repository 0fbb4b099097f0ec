"""Event simulation of one lock against Ciw: the same closed network, checked against its exact rate."""

import numpy as np
from series import alternate, row

from mpps.simulation import simulate
from mpps.solver import curve

_SENDERS, _THINK, _SERVICE = 8, 400.0, 100.0
_SECTIONS, _REPLICATIONS = 1500, 16
#: Laps of one run of Ciw; its time is scaled to the sections of ours.
_PEER_LAPS = 3000


def rows(report):
    """The row of the simulator; `report(row)` takes it."""
    exact = curve(_THINK, np.full(_SENDERS, _SERVICE))[-1]
    ours, peer = 1 / _ours(), _ciw(1)
    for name, rate in (("ours", ours), ("Ciw", peer)):
        if abs(rate / exact - 1) > 0.05:
            raise SystemExit(f"simulation: {name} is {rate / exact - 1:+.1%} off the exact rate: nothing was timed")
    series = alternate(_ours, lambda: _ciw(2), turns=3, share=_PEER_LAPS / (_SECTIONS * _REPLICATIONS))
    report(
        row(
            f"simulate {_SECTIONS * _REPLICATIONS:,} sections",
            f"{_SENDERS} senders, one lock, exponential",
            series,
            peer_name=f"Ciw ({_PEER_LAPS:,} laps, scaled)",
            agreement=abs(ours / peer - 1),
        )
    )


def _ours():
    found = simulate(
        [_SENDERS],
        [_THINK],
        np.full((1, _SENDERS), _SERVICE),
        think_variation=1.0,
        section_variation=1.0,
        reading="start",
        sections=_SECTIONS,
        replications=_REPLICATIONS,
    )
    return found.period_ns[0]


def _ciw(seed):
    """Rate at the lock: the senders go round between a station for each of them and the lock."""
    import ciw

    ciw.seed(seed)
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([1e-6] * _SENDERS + [float("inf")]), None],
        service_distributions=[ciw.dists.Exponential(1 / _THINK), ciw.dists.Exponential(1 / _SERVICE)],
        routing=[[0.0, 1.0], [1.0, 0.0]],
        number_of_servers=[float("inf"), 1],
    )
    run = ciw.Simulation(network)
    span = _PEER_LAPS / curve(_THINK, np.full(_SENDERS, _SERVICE))[-1]
    run.simulate_until_max_time(span)
    ends = np.array([one.service_end_date for one in run.get_all_records() if one.node == 2])
    return (ends > span / 5).sum() / (span * 4 / 5)


if __name__ == "__main__":
    rows(print)
