"""Cores under load against the event simulator, closed forms and what must be conserved."""

import hypothesis
import numpy as np
import pytest
from events import simulate
from hypothesis import strategies

from mpps.errors import MppsError
from mpps.load import loaded
from mpps.load.carried import carried, states_at
from mpps.network import curve
from mpps.queues import finite_room, single_server_general


def locked(n, think=700.0, section=150.0, deeper=0.0):
    """Rates of 1..n senders at one lock, (1, n), and the section by depth: it grows by `deeper` up to depth 4."""
    sections = section * (1 + deeper * np.clip((np.arange(1, n + 1) - 2) / 2, 0, 1))
    return curve(think, sections[None], n) * 1e9, lambda depth: sections[depth - 1]


def one(found, name):
    return float(found[name][0, 0])


@pytest.mark.parametrize("variation", [0.3, 1.0])
def test_cores_that_share_nothing_are_queues_of_their_own(variation):
    rates, loads = np.arange(1, 9)[None] * 1e6, np.array([0.8e6, 4e6, 7.2e6])
    found = loaded(rates, loads, variation=variation)
    exact = single_server_general(loads / 8, 1000.0, variation)

    np.testing.assert_allclose(found["serving"][0], loads / 8e6, rtol=2e-3)
    np.testing.assert_allclose(found["delay_ns"][0], exact.response_ns, rtol=0.02)


def test_busy_cores_that_share_nothing_are_binomial():
    from scipy.stats import binom

    found = carried(np.arange(1, 13)[None] * 1e6)
    states = states_at(found, np.array([[0.2, 0.7]]))[0]

    np.testing.assert_allclose(states, [binom.pmf(np.arange(13), 12, share) for share in (0.2, 0.7)], atol=2e-3)


def test_one_core_is_a_finite_queue():
    loads = np.array([0.3e6, 0.9e6, 1e6, 1.3e6])
    found, exact = loaded([[1e6]], loads, room=32, variation=1.0), finite_room(loads, 1000.0, 32)

    np.testing.assert_allclose(found["dropped"][0], exact.loss_probability, atol=2e-3)
    np.testing.assert_allclose(found["delay_ns"][0], exact.response_ns, rtol=0.02)


@pytest.mark.parametrize(
    ("n", "share", "deeper"),
    [(4, 0.3, 0.0), (4, 0.8, 0.0), (8, 0.6, 0.0), (16, 0.4, 0.0), (16, 0.8, 0.0), (16, 0.8, 1.0)],
)
def test_a_shared_lock_against_the_simulator(n, share, deeper):
    """Utilisation within 3 points, mean delay within 10 %, 99 % within 25 %, up to 0.8 of what all cores carry."""
    rates, section = locked(n, deeper=deeper)
    load = share * rates[0, -1]
    seen = simulate(n, load, 700.0, section)
    found = loaded(rates, load, variation=0.85, station_busy=None)

    assert one(found, "busy") == pytest.approx(seen.busy, abs=0.03)
    assert one(found, "delay_ns") == pytest.approx(seen.delay, rel=0.1)
    assert one(found, "delay_99_ns") == pytest.approx(seen.late, rel=0.25)
    assert one(found, "dropped") == seen.dropped == 0


def test_a_woken_core_against_the_simulator():
    rates, section = locked(6)
    load = 0.4 * rates[0, -1]
    seen = simulate(6, load, 700.0, section, wake_ns=2000.0, moderation_ns=4000.0)
    alone = 1e9 / rates[0, 0]
    found = loaded(rates, load, variation=0.85, wake=2000.0 / alone, moderation=4000.0 / alone)

    assert seen.busy > seen.serving + 0.1
    assert one(found, "busy") == pytest.approx(seen.busy, abs=0.02)
    assert one(found, "serving") == pytest.approx(seen.serving, abs=0.02)
    assert one(found, "delay_ns") == pytest.approx(seen.delay, rel=0.05)
    assert one(found, "delay_99_ns") == pytest.approx(seen.late, rel=0.1)


def test_a_small_room_against_the_simulator():
    rates, section = locked(4)
    load = 1.15 * rates[0, -1]
    seen = simulate(4, load, 700.0, section, room=16)
    found = loaded(rates, load, room=16, variation=0.85)

    assert one(found, "dropped") == pytest.approx(seen.dropped, abs=0.015)
    assert one(found, "busy") == pytest.approx(seen.busy, abs=0.01)
    assert one(found, "delay_ns") == pytest.approx(seen.delay, rel=0.1)


def test_an_uneven_load_against_the_simulator():
    rates, section = locked(4)
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    load = 0.5 * rates[0, -1]
    seen = simulate(4, load, 700.0, section, shares=shares)
    found = loaded(rates, load, variation=0.85, shares=shares[None])

    assert one(found, "busy") == pytest.approx(seen.busy, abs=0.02)
    assert one(found, "busiest") == pytest.approx(seen.busiest, abs=0.03)
    assert one(found, "capacity_pps") < rates[0, -1]


def test_the_busiest_core_is_full_first():
    """Nothing shared: the core with half of the load is full when half of the load is what one core carries."""
    found = loaded(np.arange(1, 5)[None] * 1e6, 2.4e6, shares=np.array([[0.5, 0.3, 0.1, 0.1]]), variation=0.5)

    assert one(found, "capacity_pps") == pytest.approx(2e6, rel=0.01)
    assert one(found, "busiest") == 1.0
    assert one(found, "dropped") == pytest.approx(0.2 / 2.4, abs=0.003)


def test_the_simulator_keeps_littles_law_and_what_comes_in_goes_out():
    rates, section = locked(4)
    seen = simulate(4, 0.6 * rates[0, -1], 700.0, section)

    assert seen.in_system == pytest.approx(seen.rate * seen.delay * 1e-9, rel=1e-6)
    assert seen.rate == pytest.approx(seen.offered * (1 - seen.dropped), rel=0.01)


def test_a_load_above_what_all_busy_cores_carry_is_metastable():
    """The lock's section doubles with depth: 16 cores carry 1.05 of it while few of them are busy."""
    rates, _ = locked(16, deeper=1.0)
    calm, high, over = (loaded(rates, share * rates[0, -1]) for share in (0.8, 1.05, 1.4))

    assert rates[0, :-1].max() > 1.2 * rates[0, -1]
    assert not calm["metastable"][0, 0] and calm["carried"][0, 0]
    assert high["metastable"][0, 0] and not high["carried"][0, 0] and one(high, "busy") < 0.5
    assert not over["metastable"][0, 0] and one(over, "dropped") == pytest.approx(1 - 1 / 1.4, abs=0.01)


def test_a_ceiling_clips_the_load_and_leaves_the_cores_idle():
    found = loaded(np.arange(1, 9)[None] * 1e6, 6e6, ceiling_pps=2e6)

    assert one(found, "carried_pps") == pytest.approx(2e6)
    assert one(found, "dropped") == pytest.approx(2 / 3)
    assert one(found, "serving") == pytest.approx(0.25, rel=1e-3)
    assert one(found, "headroom") == pytest.approx(-2.0)


@hypothesis.given(
    strategies.integers(1, 24),
    strategies.floats(0.0, 0.9),
    strategies.floats(0.0, 4.0),
    strategies.floats(0.01, 3.0),
    strategies.integers(1, 2000),
)
@hypothesis.settings(max_examples=60)
def test_nothing_is_lost_but_what_is_said(n, serial, deeper, share, room):
    rates, _ = locked(n, think=1000 * (1 - serial), section=1000 * serial + 1, deeper=deeper)
    load = share * rates[0, -1]
    found = loaded(rates, np.array([load, 1.5 * load]), room=room)

    for name in ("serving", "busy", "busiest", "dropped"):
        assert ((found[name] >= 0) & (found[name] <= 1)).all(), name
    np.testing.assert_allclose(found["carried_pps"], np.array([[load, 1.5 * load]]) * (1 - found["dropped"]), rtol=1e-9)
    assert (found["carried_pps"] <= rates.max() * (1 + 1e-9)).all()
    assert (found["delay_99_ns"] >= found["delay_ns"] * 0.99).all() or room < 4
    assert (np.diff(found["busy"]) >= -1e-9).all()
    assert np.isfinite(found["delay_99_ns"]).all()


@pytest.mark.parametrize(
    ("loads", "options", "says"),
    [
        ([0.0], {}, "expected positive numbers"),
        ([-1e6], {}, "expected positive numbers"),
        ([np.nan], {}, "expected positive numbers"),
        ([np.inf], {}, "expected positive numbers"),
        ([1e6], {"room": 0}, "room = 0"),
        ([1e6], {"room": 2.5}, "whole number of packets"),
        ([1e6], {"n": 0}, "0 cores"),
        ([1e6], {"n": 5}, "from 1 to 4"),
    ],
)
def test_bad_values_say_what_was_expected(loads, options, says):
    with pytest.raises(MppsError, match=says):
        loaded(np.arange(1, 5)[None] * 1e6, loads, **options)


def test_a_curve_without_a_rate_says_so():
    with pytest.raises(MppsError, match="no positive numbers"):
        loaded([[1e6, np.nan]], [1e6])
