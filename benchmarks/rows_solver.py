"""Curves and sweeps against LINE's normalising-constant solver through its model API."""

import time

import numpy as np
from series import alternate, row

from mpps import network
from mpps.locks import handoff_ns
from mpps.solver import curve, growing_curve, sweep

_SENDERS = 256
_THINK, _SERVICE = 700.0, 80.0 + 2.0 * np.arange(_SENDERS)
#: LINE's constants leave the range of numbers at 256 senders when times are ns: it is given units of 100 ns.
_UNIT = 100.0
_SETS = 1_000_000


def rows(report):
    """Rows of the solver; `report(row)` takes each as soon as it is there."""
    line = _line()
    exact = curve(_THINK, _SERVICE)
    agreed = _agreement(exact, line(), 1e-9, "curve")
    series = alternate(lambda: curve(_THINK, _SERVICE), line, turns=3, warm=False, often=300)
    one = row(
        "exact curve n = 1..256", "one station, hand-off grows with depth", series,
        goal=1e-3, goal_ratio=1000, peer_name="LINE 3, SolverNC, a model for each n", agreement=agreed,
    )  # fmt: skip
    report(one)
    line_points = _SENDERS / one["peer"]
    for grows, goal in ((False, 30e6), (True, 5e6)):
        report(_sweep(grows, goal, line_points))


def _sweep(grows, goal, line_points):
    sets = _SETS
    think, section, values, growth = parameter_sets(sets)
    options = {"handoff": "hump", "values": values, "growth_ns": growth if grows else None}
    few = 50
    depth = np.arange(1.0, 65)
    service = section[:few, None] + handoff_ns("hump", depth, {k: v[:few, None] for k, v in values.items()})
    private = think[:few, None] + (growth[:few, None] * (depth - 1) if grows else 0.0)
    readable = np.array(
        [network.throughput(depth.astype(int), np.broadcast_to(private[i], 64) * 1.0, service[i]) for i in range(few)]
    )
    agreed = _agreement(
        (growing_curve if grows else lambda z, s: curve(z[:, 0], s))(np.broadcast_to(private, service.shape), service),
        readable,
        1e-10,
        "sweep",
    )
    series = alternate(lambda: sweep(think, section, 64, reduce=_largest, **options), turns=3, warm=False)
    return row(
        "1,000,000 parameter sets x n = 1..64, largest rate of each",
        "hump hand-off, private work " + ("grows with n" if grows else "constant"),
        series, points=sets * 64, goal=goal, peer=line_points, ratio=sets * 64 / np.median(series.ours) / line_points,
        peer_name="LINE 3, points of the row above", agreement=agreed,
    )  # fmt: skip


def parameter_sets(count):
    """Think, section, hand-off parameters and growth, ns: around those of a packet path, from idle to saturated."""
    rng = np.random.default_rng(7)
    values = {"handoff_peak_ns": rng.uniform(1, 200, count), "handoff_depth": rng.uniform(2, 10, count)}
    return rng.uniform(300, 900, count), rng.uniform(50, 200, count), values, rng.uniform(0, 15, count)


def _largest(rates):
    return rates.max(axis=0)


def _line():
    """All n through LINE, one model each as its API wants it: call -> rates (256,) in laps per ns."""
    from line_solver import ClosedClass, Delay, Exp, Network, Queue, SchedStrategy, SolverNC

    def solve():
        found = np.empty(_SENDERS)
        for n in range(1, _SENDERS + 1):
            model = Network("lock")
            private, station = Delay(model, "private work"), Queue(model, "station", SchedStrategy.FCFS)
            senders = ClosedClass(model, "senders", n, private, 0)
            private.setService(senders, Exp(_UNIT / _THINK))
            station.setService(senders, Exp(_UNIT / _SERVICE[0]))
            station.setLoadDependence(_SERVICE[0] / _SERVICE[:n])
            model.link(Network.serialRouting(private, station))
            table = SolverNC(model, method="exact", verbose=False).avg_table()
            found[n - 1] = table["Tput"].iloc[0] / _UNIT
        return found

    return solve


def _agreement(ours, peer, within, what):
    """Largest relative difference; a benchmark of different results would mean nothing."""
    difference = float(np.abs(ours / peer - 1).max())
    if not difference <= within:
        raise SystemExit(f"{what}: results differ by {difference:.1e}, more than {within:g}: nothing was timed")
    return difference


if __name__ == "__main__":
    start = time.perf_counter()
    rows(print)
    print(time.perf_counter() - start)
