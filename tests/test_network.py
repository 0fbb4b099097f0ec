"""Closed networks: published values, stationary chains solved numerically, many-digit sums, and laws that all keep."""

import pathlib

import mpmath
import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mpps import laws, network
from mpps.locks import FORMS, handoff_ns

REFERENCE = yaml.safe_load((pathlib.Path(__file__).parent / "reference" / "networks.yaml").read_text())
REPAIRMAN = REFERENCE["machine_repairman"]
SOLVERS = ("throughput", "curve", "solve", "solve_stations")

examples = settings(max_examples=60)


def printed(text):
    """A published number: to 1e-9, or to one of its last digit where fewer were printed."""
    decimals = len(text.partition(".")[2])
    return pytest.approx(float(text), rel=1e-9, abs=10.0**-decimals)


def rates(solver, n, think, service):
    """Throughput at the populations n (P,) of one network with one station, by any of the solvers."""
    n, service = np.asarray(n), np.asarray(service, float)
    if solver == "throughput":
        return network.throughput(n, np.full(len(n), think), service)
    if solver == "curve":
        return network.curve(think, service[: n.max()], int(n.max()))[n - 1]
    if solver == "solve":
        return network.solve(n, np.full(len(n), think), service).throughput
    return network.solve_stations(n, np.full(len(n), think), [np.tile(service, (len(n), 1))]).throughput


def several_servers(service, servers, senders):
    return service / np.minimum(np.arange(1.0, senders + 1), servers)


@pytest.mark.parametrize("solver", SOLVERS)
def test_machine_repairman(solver):
    n = np.array(list(REPAIRMAN["throughput"]))

    found = rates(solver, n, REPAIRMAN["think"], np.full(64, REPAIRMAN["service"]))

    assert list(found) == [printed(text) for text in REPAIRMAN["throughput"].values()]


def test_machine_repairman_by_mean_values():
    n = np.array(list(REPAIRMAN["throughput"]))

    found = network.mean_value_analysis(64, REPAIRMAN["think"], [REPAIRMAN["service"]])[n - 1]
    mean_field = [network.low_variance_mean_value(k, REPAIRMAN["think"], REPAIRMAN["service"], 1.0)[0] for k in n]

    assert list(found) == [printed(text) for text in REPAIRMAN["throughput"].values()]
    assert mean_field == [printed(text) for text in REPAIRMAN["throughput"].values()]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("servers", REFERENCE["several_servers"]["throughput"])
def test_several_servers_are_one_station_that_speeds_up(solver, servers):
    case = REFERENCE["several_servers"]
    n = np.array(list(case["throughput"][servers]))

    found = rates(solver, n, case["think"], several_servers(case["service"], servers, 64))

    assert list(found) == [printed(text) for text in case["throughput"][servers].values()]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("case", REFERENCE["collapsing_lock"]["cases"], ids=lambda case: f"growth {case['growth']}")
def test_collapsing_lock(solver, case):
    lock = REFERENCE["collapsing_lock"]
    n = np.arange(1, 65)

    found = rates(solver, n, lock["think"], lock["service"] + case["growth"] * np.arange(64))

    assert 1 + found.argmax() == case["peak"]
    assert {k: found[k - 1] for k in case["throughput"]} == {k: printed(text) for k, text in case["throughput"].items()}


@pytest.mark.parametrize("stations", [False, True])
def test_tutorial_with_two_repairmen(stations):
    case = REFERENCE["line_tutorial_3"]
    n, think, service = np.array([case["senders"]]), np.array([case["think"]]), several_servers(case["service"], case["servers"], 3)

    found = network.solve_stations(n, think, [service[None]]) if stations else network.solve(n, think, service)
    rate, queue = found.throughput[0], found.queue[0, 0]

    assert rate == printed(case["throughput"])
    assert queue == printed(case["queue"])
    assert queue / rate == printed(case["response"])
    assert rate * case["service"] / case["servers"] == printed(case["utilisation_per_server"])


@pytest.mark.parametrize("solver", SOLVERS)
def test_three_hundred_servers_without_think_time(solver):
    case = REFERENCE["pdq_readme"]

    rate = rates(solver, [case["senders"]], case["think"], several_servers(case["service"], case["servers"], case["senders"]))[0]
    response = case["senders"] / rate

    assert rate == printed(case["throughput"])
    assert response == printed(case["response"])
    assert response - case["service"] == printed(case["waiting"])
    assert response / case["service"] == printed(case["stretch"])


def test_schweitzers_approximation_is_as_wrong_as_published():
    case, exact = REFERENCE["schweitzer"], network.mean_value_analysis(64, REPAIRMAN["think"], [REPAIRMAN["service"]])

    found = np.array([network.approximate_mean_value_analysis(n, REPAIRMAN["think"], [REPAIRMAN["service"]]) for n in range(1, 65)])
    percent = 100 * (found / exact - 1)

    assert {n: found[n - 1] for n in case["throughput"]} == {n: printed(text) for n, text in case["throughput"].items()}
    assert percent.min() == printed(case["worst_percent"])
    assert 1 + percent.argmin() == case["worst_senders"]


# Independent solutions


def stationary(generator):
    """Stationary probabilities of a Markov chain from its rates between states, by linear algebra."""
    generator = generator - np.diag(generator.sum(axis=1))
    system = np.vstack([generator.T, np.ones(len(generator))])
    return np.linalg.lstsq(system, np.append(np.zeros(len(generator)), 1.0), rcond=None)[0]


@pytest.mark.parametrize("parts", [1, 2, 4])
@pytest.mark.parametrize("form", ["constant", "ticket", "hump", "step"])
def test_one_station_is_the_stationary_chain(form, parts):
    """States: split customers at the station. A part thinks for the sender's think time and the rest of its section."""
    n, think, section = 5, 300.0, 100.0
    values = {"handoff_peak_ns": 150.0, "handoff_depth": 2.0, "handoff_per_waiter_ns": 20.0}
    service = section + handoff_ns(form, network.depths(n, parts), values)
    size = n * parts
    rate = np.zeros((size + 1, size + 1))
    for here in range(size):
        rate[here, here + 1] = (size - here) / (think + section * (1 - 1 / parts))
        rate[here + 1, here] = parts / service[here]
    probability = stationary(rate)

    found = network.solve(np.array([n]), np.array([think]), service, parts=parts)

    assert found.throughput[0] == pytest.approx(probability[1:] @ (1 / service), rel=1e-9)
    assert found.utilisation[0, 0] == pytest.approx(1 - probability[0], rel=1e-9)


def test_depths_of_split_senders():
    assert list(network.depths(3)) == [1, 2, 3]
    assert list(network.depths(2, 4)) == [1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75]


def test_two_stations_are_the_stationary_chain():
    n, think = 4, 2.0
    first, second = np.array([1.0, 1.5, 0.8, 2.0]), np.array([0.7, 0.7, 0.9, 0.4])
    states = [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
    place = {state: k for k, state in enumerate(states)}
    rate = np.zeros((len(states), len(states)))
    for a, b in states:
        if a + b < n:
            rate[place[a, b], place[a + 1, b]] = (n - a - b) / think
        if a:
            rate[place[a, b], place[a - 1, b + 1]] = 1 / first[a - 1]
        if b:
            rate[place[a, b], place[a, b - 1]] = 1 / second[b - 1]
    probability = stationary(rate)
    at = np.array(states)
    left = (n - at.sum(axis=1)) @ probability / think

    found = network.solve_stations(np.array([n]), np.array([think]), [first[None], second[None]])

    assert found.throughput[0] == pytest.approx(left, rel=1e-9)
    assert found.queue[0] == pytest.approx(probability @ at, rel=1e-9)
    assert found.utilisation[0] == pytest.approx(probability @ (at > 0), rel=1e-9)


def many_digits(n, think, service):
    """Throughput and idle share by the defining sum with 60 digits."""
    with mpmath.workdps(60):
        term = total = mpmath.mpf(1)
        thinking = term * n
        for k in range(1, n + 1):
            term *= (n - k + 1) * mpmath.mpf(float(service[k - 1])) / mpmath.mpf(think)
            total += term
            thinking += term * (n - k)
        return float(thinking / total / mpmath.mpf(think)), float(1 / total)


@pytest.mark.parametrize(
    ("n", "think", "service", "growth"),
    [
        (4096, 4095.0, 1.0, 0.0),  # at the knee
        (4096, 1.0, 0.1, 0.0),  # far beyond it
        (4096, 1e6, 1.0, 0.01),
        (4096, 600.0, 1.0, 0.002),
        (1000, 1e-6, 1.0, 0.0),
    ],
)
def test_four_thousand_senders_lose_no_digits(n, think, service, growth):
    table = service + growth * np.arange(n)
    exact, _ = many_digits(n, think, table)

    assert rates("throughput", [n], think, table)[0] == pytest.approx(exact, rel=1e-11)
    assert rates("curve", [n], think, table)[0] == pytest.approx(exact, rel=1e-11)


def test_convolution_of_a_thousand_senders():
    table = 1.0 + 0.001 * np.arange(1000)
    exact, _ = many_digits(1000, 900.0, table)

    assert rates("solve_stations", [1000], 900.0, table)[0] == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
def test_digits_hold_up_to_saturation(solver):
    """Where the station idles for 1e-2 down to 1e-14 of the time, the form 1 - sum p(k) has no digit left."""
    service = np.full(44, 0.1)
    n = np.arange(14, 45)
    exact = [many_digits(int(k), 1.0, service) for k in n]
    assert exact[0][1] > 1e-2 and exact[-1][1] < 1e-14

    found = rates(solver, n, 1.0, service)

    assert found == pytest.approx([rate for rate, _ in exact], rel=1e-12)
    # Little's law on a vanishing difference: private work done, n - queue = X Z.
    assert network.solve(n, np.full(len(n), 1.0), service).queue[:, 0] == pytest.approx(n - np.array([r for r, _ in exact]), rel=1e-11)


# Laws that every network keeps


@st.composite
def networks(draw, parts=(1, 2, 4), forms=tuple(set(FORMS) - {"topology"})):
    """n (P,), think (P,), service (P, K) and parts: hand-off of any form, from idle to hopelessly congested."""
    many = draw(st.sampled_from(parts))
    n = np.array(draw(st.lists(st.integers(1, 48), min_size=1, max_size=4)))
    think = np.array(draw(st.lists(st.floats(0, 1e5), min_size=len(n), max_size=len(n))))
    section = draw(st.floats(0.1, 1e4))
    values = {
        "handoff_peak_ns": draw(st.floats(0.5, 5000)),
        "handoff_depth": draw(st.floats(0.5, 14)),
        "handoff_per_waiter_ns": draw(st.floats(0.05, 1000)),
    }
    extra = handoff_ns(draw(st.sampled_from(sorted(forms))), network.depths(48, many), values)
    return n, think, np.tile(section + extra, (len(n), 1)), many


@examples
@given(networks())
def test_no_network_breaks_a_bound(case):
    n, think, service, parts = case

    found = network.solve(n, think, service, parts=parts)
    rate, queue, busy = found.throughput, found.queue[:, 0], found.utilisation[:, 0]
    slack = 1 + 1e-9

    for values in (rate, queue, busy):
        assert np.isfinite(values).all() and (values >= 0).all()
    assert (busy <= 1).all()
    assert (rate <= n / (think + service[:, 0]) * slack).all()
    assert (rate <= 1 / service.min(axis=1) * slack).all()
    assert (queue <= n * slack).all()
    if parts == 1:  # a part of a split sender keeps a station busy without a whole sender there
        assert (queue * slack >= busy).all()
    # Private work takes the time that is not spent at the station.
    assert n - queue == pytest.approx(rate * think, rel=1e-9, abs=1e-9 * n.max())
    # Busy for a section a lap, and no section is outside the table.
    assert (busy <= rate * service.max(axis=1) * slack).all() and (busy * slack >= rate * service.min(axis=1)).all()


@examples
@given(networks(parts=(1,)))
def test_all_solvers_agree(case):
    n, think, service, _ = case

    expected = network.throughput(n, think, service)
    stations = network.solve_stations(n, think, [service])
    solved = network.solve(n, think, service)
    passes = [network.curve(z, s[:k], int(k))[-1] for k, z, s in zip(n, think, service, strict=True)]

    assert passes == pytest.approx(expected, rel=1e-9)
    assert stations.throughput == pytest.approx(expected, rel=1e-9)
    assert solved.throughput == pytest.approx(expected, rel=1e-12)
    assert stations.queue == pytest.approx(solved.queue, rel=1e-8, abs=1e-9)
    assert stations.utilisation == pytest.approx(solved.utilisation, rel=1e-8, abs=1e-9)


@examples
@given(networks(), st.floats(1e-6, 1e6))
def test_another_unit_of_time_changes_nothing(case, factor):
    n, think, service, parts = case

    expected = network.solve(n, think, service, parts=parts)
    found = network.solve(n, think * factor, service * factor, parts=parts)

    assert found.throughput * factor == pytest.approx(expected.throughput, rel=1e-9)
    assert found.queue == pytest.approx(expected.queue, rel=1e-8)
    assert found.utilisation == pytest.approx(expected.utilisation, rel=1e-8)


@examples
@given(networks())
def test_one_sender_is_the_plain_sum(case):
    _, think, service, parts = case
    alone = np.ones(len(think), int)

    found = network.solve(alone, think, service, parts=parts)

    assert found.throughput == pytest.approx(1 / (think + service[:, 0]), rel=1e-12)
    assert found.queue == pytest.approx(found.utilisation, rel=1e-12)
    assert network.throughput(alone, think, service, parts=parts) == pytest.approx(found.throughput, rel=1e-12)


@examples
@given(st.integers(1, 300), st.floats(1, 1e5), st.sampled_from([1, 2, 4, 8]))
def test_without_contention_the_rate_is_linear(n, think, parts):
    nothing = np.full(n * parts, 1e-9 * think / n)

    assert network.throughput(np.array([n]), np.array([think]), nothing, parts=parts)[0] == pytest.approx(n / think, rel=1e-8)


@examples
@given(st.floats(0, 1e4), st.floats(0.1, 1e4), st.sampled_from([1, 2, 4, 8]))
def test_more_senders_never_slow_a_constant_section(think, section, parts):
    """From two senders for split ones: a single sender is exact, and 1.5 % more than the split form makes of it at Z = 0."""
    n = np.arange(1 if parts == 1 else 2, 65)

    rate = network.throughput(n, np.full(len(n), think), np.full(64 * parts, section), parts=parts)

    assert (np.diff(rate) >= -1e-10 * rate[:-1]).all()


@examples
@given(st.integers(1, 100), st.floats(1, 1e5), st.lists(st.floats(0.1, 1e4), min_size=1, max_size=4))
def test_balanced_job_bounds(n, think, demands):
    total, largest = sum(demands), max(demands)

    by_means = network.mean_value_analysis(n, think, demands)[-1]
    by_sums = network.solve_stations(np.array([n]), np.array([think]), [np.full((1, n), demand) for demand in demands]).throughput[0]

    assert by_means == pytest.approx(by_sums, rel=1e-9)
    assert by_means * 1e9 <= laws.balanced_upper_pps(n, think, total, largest, len(demands)) * (1 + 1e-9)
    assert by_means * 1e9 >= laws.balanced_lower_pps(n, think, total, largest) * (1 - 1e-9)


@examples
@given(st.integers(1, 200), st.floats(0, 1e3), st.floats(0.1, 1e4), st.sampled_from([1, 2, 4]))
def test_amdahl_is_the_network_whose_senders_arrive_all_at_once(n, ratio, section, parts):
    """Rounds in which everybody thinks, then everybody passes: Gunther, arXiv:0808.1431. The network is never slower."""
    think = section * (ratio if parts == 1 else 1 + ratio)
    serial = section / (think + section)
    round_ends = think + np.cumsum(np.full(n, section))
    together = n / round_ends[-1]

    found = network.throughput(np.array([n]), np.array([think]), np.full(n * parts, section), parts=parts)[0]

    assert together * (think + section) == pytest.approx(laws.amdahl(n, serial), rel=1e-9)
    assert found >= together * (1 - 1e-9)


@examples
@given(st.integers(2, 48), st.floats(0.1, 1e4), st.floats(3, 1e3))
def test_low_variance_is_between_exponential_and_the_bound(n, section, ratio):
    """Where private work is at least three sections, as on every path; the split is too coarse for less."""
    think = section * ratio
    rate = [network.throughput(np.array([n]), np.array([think]), np.full(n * parts, section), parts=parts)[0] for parts in (1, 2, 4, 8)]

    assert (np.diff(rate) >= -1e-9 * rate[0]).all()
    assert rate[-1] <= min(n / (think + section), 1 / section) * (1 + 1e-9)


@pytest.mark.parametrize("parts", [1, 4])
def test_leading_axes_are_loops(parts):
    rng = np.random.default_rng(5)
    n = np.array([1, 2, 7, 16])
    think = rng.uniform(1, 1000, (3, 2, 4))
    service = rng.uniform(1, 300, (3, 2, 4, 16 * parts))

    together = network.solve(n, think, service, parts=parts)
    shared = network.throughput(n, think, service[:, :, :1], parts=parts)

    for i, j, k in np.ndindex(3, 2, 4):
        one = network.solve(n[k : k + 1], think[i, j, k : k + 1], service[i, j, k], parts=parts)
        assert together.throughput[i, j, k] == pytest.approx(one.throughput[0], rel=1e-12)
        assert together.queue[i, j, k] == pytest.approx(one.queue[0], rel=1e-12)
        assert together.utilisation[i, j, k] == pytest.approx(one.utilisation[0], rel=1e-12)
        first = network.throughput(n[k : k + 1], think[i, j, k : k + 1], service[i, j, 0], parts=parts)
        assert shared[i, j, k] == pytest.approx(first[0], rel=1e-12)


def test_leading_axes_are_loops_for_curves_stations_and_mean_values():
    rng = np.random.default_rng(6)
    n = np.array([1, 3, 8])
    think, first, second = rng.uniform(1, 1000, (4, 3)), rng.uniform(1, 300, (4, 3, 8)), rng.uniform(1, 300, (4, 3, 8))

    curves = network.curve(think, first, 8)
    stations = network.solve_stations(n, think, [first, second])
    means = network.mean_value_analysis(8, think, first[..., :2])

    for i, k in np.ndindex(4, 3):
        one = network.solve_stations(n[k : k + 1], think[i, k : k + 1], [first[i, k][None], second[i, k][None]])
        assert curves[i, k] == pytest.approx(network.curve(think[i, k], first[i, k], 8), rel=1e-12)
        assert stations.throughput[i, k] == pytest.approx(one.throughput[0], rel=1e-12)
        assert stations.queue[i, k] == pytest.approx(one.queue[0], rel=1e-12)
        assert stations.utilisation[i, k] == pytest.approx(one.utilisation[0], rel=1e-12)
        assert means[i, k] == pytest.approx(network.mean_value_analysis(8, think[i, k], first[i, k, :2]), rel=1e-12)


@pytest.mark.parametrize("think", [0.0, 1e-250])
@pytest.mark.parametrize("solver", SOLVERS)
def test_without_private_work_everybody_is_at_the_station(solver, think):
    service = np.array([3.0, 5.0, 4.0, 8.0])

    assert rates(solver, [1, 2, 3, 4], think, service) == pytest.approx(1 / service, rel=1e-9)


def test_a_table_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match="depth 7, 8 are needed"):
        network.throughput(np.array([2, 4]), np.array([1.0, 1.0]), np.ones(7), parts=2)


# Fixed points of the mean field


def test_the_mean_field_has_three_answers_where_the_notes_say_so():
    case = REFERENCE["three_fixed_points"]
    n, cycle = case["senders"], case["cycle"]
    think = cycle["alone"] + cycle["shared_line"] * (1 - 1 / n) + cycle["slowdown"] * (n - 1) - (case["section"] - cycle["lock_pair"])

    def section(depth):
        return case["section"] + handoff_ns("hump", depth, {"handoff_peak_ns": case["peak"] - case["section"], "handoff_depth": case["depth"]})

    found = network.fixed_points(n, think, section)
    rate, queue = network.low_variance_mean_value(n, think, found)

    assert list((rate * case["packet_bits"])[::-1]) == [pytest.approx(float(text), abs=0.5) for text in case["gigabits"]]
    assert section(queue) == pytest.approx(found, rel=1e-9)
    # Exponential work smooths the step away, and so do fewer or more senders.
    assert len(network.fixed_points(n, think, section, 1.0)) == 1
    assert len(network.fixed_points(2, think, section)) == len(network.fixed_points(16, think, section)) == 1


@examples
@given(st.integers(1, 32), st.floats(10, 2000), st.floats(10, 400), st.floats(0, 1))
def test_a_section_that_falls_with_depth_or_stays_has_one_fixed_point(n, think, section, variation):
    """section(Q(S)) - S falls from positive to negative without a way back."""
    falling = network.fixed_points(n, think, lambda depth: section * (0.3 + 0.7 / depth), variation)
    constant = network.fixed_points(n, think, lambda depth: np.full_like(depth, section), variation)

    assert list(constant) == [section]
    assert len(falling) == 1
    _, queue = network.low_variance_mean_value(n, think, falling, variation)
    assert section * (0.3 + 0.7 / np.maximum(queue, 1)) == pytest.approx(falling, rel=1e-8)


def test_a_regime_that_feeds_itself_has_both_ends():
    """A short section keeps the queue short and a long one keeps it long: both hold, and one steep point between them."""
    found = network.fixed_points(8, 800.0, lambda depth: np.where(depth < 3, 80.0, 300.0) + 0.0 * depth)

    assert 80.0 == pytest.approx(found[0], rel=1e-6)
    assert 300.0 == pytest.approx(found[-1], rel=1e-6)
    assert len(found) == 3
