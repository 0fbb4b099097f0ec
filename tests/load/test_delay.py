"""One core's queue against closed forms: M/M/1/K, M/G/1, M/D/1, and a queue that is woken."""

import collections

import numpy as np
import pytest
from scipy.stats import gamma

from mpps.load import delay
from mpps.queues import finite_room, single_server, single_server_general

LOADS = np.array([0.05, 0.3, 0.6, 0.9, 0.99, 1.0, 1.01, 1.5, 4.0, 30.0])
BELOW = LOADS[LOADS < 1]


@pytest.mark.parametrize("room", [1, 2, 5, 64, 1024])
def test_drops_and_waits_of_exponential_service_are_those_of_a_finite_queue(room):
    exact = finite_room(LOADS * 1e6, 1000.0, room)

    np.testing.assert_allclose(delay.drops(LOADS, 1.0, room), exact.loss_probability, atol=5e-5)
    np.testing.assert_allclose(
        delay.mean_wait(LOADS, 1.0, room) * 1000 + 1e-3, exact.wait_ns + 1e-3, rtol=1e-3, atol=1e-2
    )


@pytest.mark.parametrize("variation", [0.1, 0.5, 1.0, 1.4])
def test_waits_of_an_endless_queue_are_those_of_pollaczek_and_khinchine(variation):
    exact = single_server_general(BELOW * 1e6, 1000.0, variation).wait_ns

    np.testing.assert_allclose(delay.mean_wait(BELOW, variation, 10**7) * 1000, exact, rtol=1e-6)


def test_late_packets_of_an_endless_exponential_queue():
    """The response of M/M/1 is exponential."""
    exact = -np.log(0.01) * single_server(BELOW * 1e6, 1000.0).response_ns / 1000

    np.testing.assert_allclose(delay.quantile(BELOW, 1.0, 10**6), exact, rtol=0.01)


@pytest.mark.parametrize("variation", [0.3, 1.0])
def test_without_a_queue_late_packets_are_those_that_take_long(variation):
    shape = variation**-2

    assert delay.quantile(np.array([1e-6]), variation, 1024)[0] == pytest.approx(
        gamma.ppf(0.99, shape) / shape, rel=0.005
    )


@pytest.mark.parametrize("load", [0.5, 0.8, 0.95])
def test_late_packets_of_nearly_constant_service(load):
    """M/D/1: P(wait <= t) = (1 - load) sum_k (load (k - t))^k exp(-load (k - t)) / k!, k <= t (Erlang 1909)."""
    from math import factorial

    def below(t):
        return (1 - load) * sum(
            (load * (k - t)) ** k * np.exp(-load * (k - t)) / factorial(k) for k in range(int(t) + 1)
        )

    t = delay.quantile(np.array([load]), 0.02, 10**6)[0] - 1
    # The alternating sum holds for short waits only.
    if t < 15:
        assert below(t) == pytest.approx(0.99, abs=0.002)
    else:
        decay, _ = delay.decay(np.array([load]), 0.02)
        assert load * np.expm1(decay[0]) == pytest.approx(decay[0], rel=1e-3)


def test_the_decay_of_exponential_service_is_the_free_rate():
    found, slope = delay.decay(LOADS[LOADS != 1], 1.0)

    np.testing.assert_allclose(found, 1 - LOADS[LOADS != 1], rtol=1e-9)
    np.testing.assert_allclose(slope, 1 / LOADS[LOADS != 1], rtol=1e-9)


def test_drops_never_leave_more_than_the_core_serves_and_grow_with_the_load():
    for variation in (0.1, 0.6, 1.3):
        for room in (1, 16, 1024):
            fine = np.geomspace(0.01, 50, 400)
            lost = delay.drops(fine, variation, room)
            assert (fine * (1 - lost) <= 1 + 1e-9).all() and (np.diff(lost) >= -1e-4).all()
            assert np.isfinite(lost).all() and (lost >= 0).all()


def test_a_wake_up_is_what_the_first_packet_and_those_behind_it_wait():
    """Alone a packet waits all of it; with many packets during it, half of it."""
    lone, many = delay.mean_wait(np.array([1e-9, 0.5]), 1.0, 10**6, np.array([7.0, 1e4]))

    assert lone == pytest.approx(7.0)
    assert many == pytest.approx(1e4 / 2 + 1e4 / 2 / 5001 + 1, rel=1e-3)


def _lost_by_events(load, variation, room, wake, packets=60_000):
    """Share lost by a queue of `room` places whose core sleeps until a first packet wakes it: one event after the other."""
    rng = np.random.default_rng(3)
    arrivals = np.cumsum(rng.exponential(1 / load, packets))
    services = rng.gamma(1 / variation**2, variation**2, packets)
    ends, free, lost = collections.deque(), 0.0, 0
    for arrival, service in zip(arrivals, services, strict=True):
        while ends and ends[0] <= arrival:
            ends.popleft()
        if len(ends) == room:
            lost += 1
            continue
        free = (free if ends else arrival + wake) + service
        ends.append(free)
    return lost / packets


@pytest.mark.parametrize("variation", [0.6, 1.0])
@pytest.mark.parametrize(("room", "wake"), [(1, 16.0), (5, 16.0), (10, 16.0), (20, 16.0), (20, 60.0), (64, 60.0)])
def test_what_comes_while_a_core_wakes_up_is_lost_beyond_its_room(room, wake, variation):
    loads = np.array([0.3, 0.7, 1.2])

    found = delay.drops(loads, variation, room, wake)

    events = [_lost_by_events(load, variation, room, wake) for load in loads]
    np.testing.assert_allclose(found, events, atol=0.01)


def test_a_wake_up_never_spares_a_packet_and_overload_is_finite():
    loads = np.geomspace(1e-12, 1e12, 80)
    for variation in (0.01, 0.25, 1.2, 5.0):
        for room in (1, 2, 10, 1024, 10**6):
            calm, woken = (delay.drops(loads, variation, room, wake) for wake in (0.0, 37.0))
            assert ((woken >= calm) & (woken <= 1)).all()
            assert np.isfinite(delay.mean_wait(loads, variation, room, 37.0)).all()


def test_one_queue_for_all_cores_is_erlangs():
    """With cores that do not slow each other it is M/M/n."""
    from mpps.queues import many_servers

    curve = np.arange(1, 9)[None] * 1e6
    exact = many_servers(np.array([1e6, 4e6, 7.5e6]), 1000.0, 8).response_ns

    np.testing.assert_allclose(
        delay.shared_queue(curve, np.array([[1e6, 4e6, 7.5e6, 9e6]]))[0], [*exact, 0.0], rtol=1e-9
    )
