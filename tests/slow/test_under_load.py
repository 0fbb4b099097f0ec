"""Longer runs of the event simulator: near saturation, many cores at one lock, and what a burst does to a metastable load."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "load"))

from events import simulate

from mpps.load import loaded
from mpps.network import curve

pytestmark = pytest.mark.slow


def locked(n, deeper=0.0):
    sections = 150.0 * (1 + deeper * np.clip((np.arange(1, n + 1) - 2) / 2, 0, 1))
    return curve(700.0, sections[None], n) * 1e9, lambda depth: sections[depth - 1]


def one(found, name):
    return float(found[name][0, 0])


@pytest.mark.parametrize("n", [4, 16, 32])
@pytest.mark.parametrize("share", [0.5, 0.7, 0.85, 0.9])
@pytest.mark.parametrize("deeper", [0.0, 1.0])
def test_up_to_nine_tenths_of_what_is_carried(n, share, deeper):
    """Utilisation within 6 points, mean delay within 40 %, 99 % within 45 %: worst with many cores and a lock nearly full."""
    rates, section = locked(n, deeper)
    load = share * rates[0, -1]
    seen, found = simulate(n, load, 700.0, section, packets=400_000), loaded(rates, load, variation=0.85)

    assert one(found, "busy") == pytest.approx(seen.busy, abs=0.06)
    assert one(found, "delay_ns") == pytest.approx(seen.delay, rel=0.4)
    assert one(found, "delay_99_ns") == pytest.approx(seen.late, rel=0.45)


@pytest.mark.parametrize("share", [1.2, 2.0])
def test_a_load_that_is_too_large(share):
    rates, section = locked(8)
    load = share * rates[0, -1]
    seen = simulate(8, load, 700.0, section, room=64, packets=400_000)
    found = loaded(rates, load, room=64, variation=0.85)

    assert one(found, "dropped") == pytest.approx(seen.dropped, abs=0.01)
    assert one(found, "delay_ns") == pytest.approx(seen.delay, rel=0.05)
    assert one(found, "delay_99_ns") == pytest.approx(seen.late, rel=0.15)


def test_a_metastable_load_does_not_last():
    """What the answer calls metastable collapses on its own in the simulator; what it calls carried does not."""
    rates, section = locked(16, deeper=1.0)
    for share, metastable in ((0.85, False), (1.05, True)):
        load = share * rates[0, -1]
        seen, found = simulate(16, load, 700.0, section, packets=400_000), loaded(rates, load)

        assert bool(found["metastable"][0, 0]) is metastable
        assert bool(seen.busy > 0.9) is metastable and one(found, "busy") < 0.5
