"""How far the product form is off for low-variance work, and that the correction which fits use puts it right.

Prints the deviations and keeps them in `.cache/closures.txt`.
"""

import numpy as np
import pytest

from mpps.fit import closure_offset
from mpps.path import STATION, CodePath, Mechanism, Parameter, Stage, Variant, lap, rate_pps, sections
from mpps.root import cache_folder
from mpps.simulation import simulate
from simulated import simulated_period

pytestmark = pytest.mark.slow

SENDERS = np.array([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32])
HANDOFFS = [
    ("hump", 140.0, 5.0),
    ("hump", 158.0, 4.7),
    ("hump", 300.0, 3.0),
    ("early hump", 140.0, 5.0),
    ("step", 140.0, 3.0),
    ("step", 140.0, 6.0),
    ("saturating", 140.0, 4.0),
    ("saturating", 140.0, 1.0),
]
READINGS = [(reading, variation) for reading in ("start", "current") for variation in (0.1, 0.3, 0.5)]


def lock_path(form, reading, variation):
    """A path of private work and one lock, under one mechanism."""
    parameters = (Parameter("work_ns", "ns", 1, 1e4, "private work"), Parameter("section_ns", "ns", 1, 1e4, "section"))
    stages = (Stage("work", "work_ns", "private work"), Stage("lock", "section_ns", "section", on=STATION))
    mechanism = Mechanism("only", "the only one", form, reading=reading, variation=variation)
    return CodePath("lock", "A lock", "How far?", "none", parameters, stages, (Variant("locked", ("work", "lock")),), (mechanism,), ())


def periods(handoff, reading, variation):
    """Period in ns by product form, with the correction of the fits, and by a longer simulation with another seed."""
    form, peak, depth = handoff
    path = lock_path(form, reading, variation)
    variant, mechanism = path.variants[0], path.mechanisms[0]
    values = {"work_ns": 650.0, "section_ns": 100.0, "handoff_peak_ns": peak, "handoff_depth": depth}
    values = {name: np.array([[value]]) for name, value in values.items()}
    offset = closure_offset(path, mechanism, values, [(variant, SENDERS)])[0][0]
    numbers = lap(path, variant, mechanism, values, SENDERS)
    table = np.broadcast_to(sections(mechanism, numbers, values, np.arange(1.0, 33)), (1, len(SENDERS), 32))[0]
    simulated = simulate(
        SENDERS,
        np.broadcast_to(numbers.think_ns, (1, len(SENDERS)))[0],
        table,
        think_variation=variation,
        section_variation=variation,
        reading=reading,
        sections=6000,
        seed=77,
    )
    raw, corrected = (1e9 / rate_pps(path, variant, mechanism, values, SENDERS, shift)[0] for shift in (0.0, offset))
    return raw, corrected, simulated, table


@pytest.fixture(scope="module")
def deviations():
    return {(handoff, *reading): periods(handoff, *reading) for handoff in HANDOFFS for reading in READINGS}


def test_the_corrected_rate_is_the_simulated_one(deviations):
    """Within 3 %; where two regimes alternate for about as long as a run, within the run's own 99 % interval."""
    for case, (_, corrected, simulated, table) in deviations.items():
        _, reading, variation = case
        think = np.full(len(SENDERS), 650.0)
        short = simulate(SENDERS, think, table, think_variation=variation, section_variation=variation, reading=reading)
        error = np.abs(corrected / simulated.period_ns - 1)
        own = np.hypot(short.half_width_ns, simulated.half_width_ns) / simulated.period_ns
        allowed = np.maximum(0.03, own)

        assert (error <= allowed).all(), case
        assert np.median(error) < 0.005, case

    total = np.concatenate([np.abs(corrected / simulated.period_ns - 1) for _, corrected, simulated, _ in deviations.values()])
    assert (total <= 0.03).mean() > 0.995


def test_the_product_form_alone_is_not_enough(deviations, capsys):
    """It misses the steep points of every form by more than 3 %, up to three quarters; shown, because fits start from it."""
    lines = ["product form with parts against simulation, period, percent", "senders".rjust(40) + "".join(f"{n:7d}" for n in SENDERS)]
    worst = {}
    for ((form, peak, depth), reading, variation), (raw, _, simulated, _) in deviations.items():
        percent = 100 * (raw / simulated.period_ns - 1)
        worst[form] = max(worst.get(form, 0.0), np.abs(percent).max())
        lines.append(f"{form} {peak:g} ns at {depth:g}, {reading} {variation:g}".rjust(40) + "".join(f"{value:7.1f}" for value in percent))
    kept = cache_folder().parent / "closures.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with capsys.disabled():
        print("", *lines, sep="\n")

    assert all(value > 10 for value in worst.values())


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("handoff", [HANDOFFS[0], HANDOFFS[4], HANDOFFS[6]], ids=lambda handoff: handoff[0])
def test_simpy_agrees_with_the_corrected_rate(handoff, reading):
    _, corrected, _, table = periods(handoff, *reading)

    for n in (4, 6, 12, 32):
        at = int(np.flatnonzero(SENDERS == n)[0])
        own = np.mean([simulated_period(n, 650.0, table[at], variation=reading[1], reading=reading[0], sections=8000, seed=s)[0] for s in range(4)])
        assert corrected[at] == pytest.approx(own, rel=0.03)
