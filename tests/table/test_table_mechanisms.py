"""Every mechanism of a table at values where a closed form says what it must give."""

import numpy as np
import pytest

from mpps import laws, network
from mpps.locks import cross_share, handoff_ns
from mpps.table import MECHANISMS
from mpps.table.nouns import REACH, Quantity

BY_NAME = {mechanism.name: mechanism for mechanism in MECHANISMS}
N = np.array([1.0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64])
ALL = np.arange(1, 65)


def rate(name, n=N, **values):
    """Rate relative to a lone sender at values, whatever the prior thinks of them."""
    columns = {key: np.array([[value]], float) for key, value in values.items()}
    mechanism = BY_NAME[name]
    assert {quantity.name for quantity in mechanism.quantities} == set(values)
    return np.exp(np.broadcast_to(mechanism.curve(columns, np.asarray(n, float)), (1, len(n))))[0]


def test_names_are_different_and_every_mechanism_says_what_limits():
    assert len(BY_NAME) == len(MECHANISMS)
    for mechanism in MECHANISMS:
        assert mechanism.words and mechanism.limit
        assert bool(mechanism.ceiling) == ("ceiling" in mechanism.limit)
        assert bool(mechanism.stations) == (mechanism.limit == "serial station")


def test_the_laws():
    assert rate("private work") == pytest.approx(N)
    assert rate("Amdahl", contention=0.07) == pytest.approx(laws.amdahl(N, 0.07))
    assert rate("USL", contention=0.07, coherence=0.002) == pytest.approx(laws.usl(N, 1.0, 0.07, 0.002))
    assert rate("USL", contention=0.07, coherence=1e-12) == pytest.approx(laws.amdahl(N, 0.07))


@pytest.mark.parametrize("section", [0.004, 0.05, 0.3, 0.99])
def test_a_station_lies_between_all_at_once_and_its_bound(section):
    """Amdahl's law is the same station when all senders queue at once, its worst case (Gunther, arXiv:0808.1431)."""
    found = rate("station", section=section)

    assert (found >= laws.amdahl(N, section) * (1 - 1e-5)).all()
    assert (found <= np.minimum(N, 1 / section) * (1 + 1e-9)).all()
    assert found == pytest.approx(network.mean_value_analysis(64, 1 - section, np.array([section]))[N.astype(int) - 1], rel=1e-5)


WAITERS = N - 1
ALONE = {  # what a station costs with all senders at it, relative to its section alone
    "station": ({}, 0 * N),
    "ticket station": ({"per_waiter": 0.2}, 0.2 * WAITERS),
    "contended station": ({"handoff": 3.0}, 3.0 * (N > 1)),
    "contended ticket station": ({"handoff": 3.0, "per_waiter": 0.2}, 3.0 * (N > 1) + 0.2 * WAITERS),
    "saturating station": ({"handoff": 5.0, "depth": 4.0}, 5 * (1 - np.exp(-WAITERS / 4))),
    "step station": ({"handoff": 5.0, "depth": 6.5}, handoff_ns("step", N, {"handoff_peak_ns": 5.0, "handoff_depth": 6.5})),
    "hump station": ({"handoff": 5.0, "depth": 7.0}, 5 * WAITERS / 7 * np.exp(1 - WAITERS / 7)),
    "topology station": ({"handoff": 2.0, "domain": 4.0}, 2 * cross_share(N, 4.0)),
    "station, shared slowdown": ({"sharing": 1e-9}, 0 * N),
    "ticket station, shared slowdown": ({"sharing": 1e-9, "per_waiter": 0.2}, 0.2 * WAITERS),
}


@pytest.mark.parametrize("name", ALONE)
def test_without_private_work_a_station_is_its_section_at_full_depth(name):
    values, extra = ALONE[name]
    assert rate(name, section=1.0 - 1e-9, **values) == pytest.approx(1 / (1 + extra), rel=1e-5)


@pytest.mark.parametrize("name", [name for name in ALONE if name not in ("station", "step station")])
def test_without_a_hand_off_every_station_is_the_constant_one(name):
    values = {key: value if key in ("depth", "domain") else 1e-10 for key, value in ALONE[name][0].items()}

    assert rate(name, section=0.08, **values) == pytest.approx(rate("station", section=0.08), rel=1e-6)


def test_stations_with_hand_off_are_load_dependent_networks():
    depth = np.arange(1.0, 65)
    for name, values, extra in (
        ("ticket station", {"per_waiter": 0.2}, 0.2 * (depth - 1)),
        ("saturating station", {"handoff": 5.0, "depth": 4.0}, 5 * (1 - np.exp(-(depth - 1) / 4))),
        ("hump station", {"handoff": 5.0, "depth": 7.0}, 5 * (depth - 1) / 7 * np.exp(1 - (depth - 1) / 7)),
    ):
        exact = network.curve(0.9, 0.1 * (1 + extra), 64)
        assert rate(name, ALL, section=0.1, **values) == pytest.approx(exact, rel=1e-5)


def test_a_slowdown_lengthens_private_work_and_not_the_section():
    slow = 1 + 0.5 * (1 - 1 / ALL)
    section = np.broadcast_to(0.1, (len(ALL), 64))
    found = rate("station, shared slowdown", ALL, section=0.1, sharing=0.5)

    assert found == pytest.approx(network.throughput(ALL, slow - 0.1, section), rel=1e-5)
    assert rate("shared slowdown", sharing=0.5) == pytest.approx(N / (1 + 0.5 * (1 - 1 / N)))


def test_a_pair_of_stations():
    exact = network.mean_value_analysis(64, 0.5, np.array([0.3, 0.2]))
    assert rate("station pair", ALL, section=0.3, second=2 / 3) == pytest.approx(exact)
    assert rate("station pair", section=0.3, second=1e-9) == pytest.approx(rate("station", section=0.3), rel=1e-5)
    # More than a whole lap at stations: no private work is left.
    assert rate("station pair", section=0.9, second=1.0) == pytest.approx(2 * N / (N + 1), rel=1e-4)


def test_ceilings():
    assert rate("hard ceiling", sharing=1e-12, ceiling=10.0) == pytest.approx(np.minimum(N, 10))
    assert rate("smooth ceiling", sharing=1e-12, ceiling=10.0, sharpness=4.0) == pytest.approx(laws.smooth_minimum(N, 10.0, sharpness=4.0))
    sharp = rate("smooth ceiling", sharing=0.2, ceiling=10.0, sharpness=400.0)
    assert sharp == pytest.approx(rate("hard ceiling", sharing=0.2, ceiling=10.0), rel=5e-3)
    found = rate("Amdahl under a ceiling", contention=0.05, ceiling=9.0)
    assert found == pytest.approx(np.minimum(laws.amdahl(N, 0.05), 9.0))


def test_fan_out_is_linear_work_in_the_others():
    assert rate("fan-out", first=0.4, others=0.3) == pytest.approx(N / (1 + 0.4 * (N > 1) + 0.3 * (N - 1)))
    assert rate("fan-out", first=1e-12, others=0.3) == pytest.approx(laws.amdahl(N, 0.3))


def test_topology_and_unequal_cores():
    assert rate("topology mix", sharing=1e-12, domain=64.0, crossing=3.0) == pytest.approx(N)
    two = rate("topology mix", [64], sharing=1e-12, domain=32.0, crossing=3.0)
    assert two == pytest.approx(64 / (1 + 3 * (1 - 31 / 63)))
    found = rate("unequal cores", sharing=1e-12, cores=12.0, **{"yield": 0.25})
    assert found == pytest.approx(np.where(N <= 12, N, 12 + 0.25 * (N - 12)))


def test_flow_imbalance_is_near_the_busiest_of_random_queues():
    rng = np.random.default_rng(3)
    for flows, queues in ((2000, 8), (500, 4), (3000, 32)):
        busiest = rng.multinomial(flows, np.full(queues, 1 / queues), size=4000).max(1).mean()
        assert rate("flow imbalance", [queues], flows=flows)[0] == pytest.approx(flows / busiest, rel=0.12)
    assert rate("flow imbalance", flows=1e12) == pytest.approx(N, rel=1e-4)
    assert (rate("flow imbalance", [64, 1000, 100_000], flows=8.0) <= 8).all()


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_everywhere_within_reach_a_curve_is_sound(mechanism):
    """At the corners of all quantities and counts to 100,000: finite, relative to one sender, at most n of them."""
    size = len(mechanism.quantities)
    corners = np.array(np.meshgrid(*[[-REACH, 0.0, REACH]] * size)).reshape(size, -1).T if size else np.zeros((1, 0))
    n = np.array([1.0, 2, 7, 64, 255, 257, 2048, 2050, 100_000])
    found = mechanism.log_rate(corners, n)

    assert found.shape == (len(corners), len(n)) and np.isfinite(found).all()
    assert (found <= np.log(n) + 1e-9).all()
    # A smooth minimum bends a little even a lone sender.
    assert np.abs(found[:, 0]).max() < (np.log(2) / 1.5 if mechanism.ceiling == "smooth" else 2e-6)


def test_a_quantity_is_evenly_spread_over_the_logarithm_of_its_range():
    quantity = Quantity("section", "share", 0.01, 1.0, "")

    assert quantity.value(np.array([-40.0, 0.0, 40.0])) == pytest.approx([0.01, 0.1, 1.0])
    assert quantity.coordinate([0.01, 0.1, 1.0, 5.0]) == pytest.approx([-REACH, 0, REACH, REACH])
    z = np.linspace(-3, 3, 13)
    assert quantity.coordinate(quantity.value(z)) == pytest.approx(z)
    place = np.log(quantity.value(np.random.default_rng(1).standard_normal(20_000)) / 0.01) / np.log(100)
    assert np.histogram(place, 4, (0, 1))[0] / 5000 == pytest.approx(np.ones(4), abs=0.05)
