"""Open queues: published values, identities, and stationary chains solved numerically."""

import pathlib

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mpps.errors import MppsError
from mpps.queues import erlang_b, erlang_c, finite_room, many_servers, single_server, single_server_general

REFERENCE = yaml.safe_load((pathlib.Path(__file__).parent / "reference" / "queues.yaml").read_text())

repeatable = settings(derandomize=True, deadline=None, max_examples=100)
service = st.floats(1, 1e5)
below = st.floats(0, 0.999)


def arrival(load, service_ns, servers=1):
    return load * servers * 1e9 / service_ns


def chain(arrival_rates, service_rates):
    """Stationary probabilities of a birth-death chain from its generator, by linear algebra."""
    size = len(arrival_rates) + 1
    generator = np.zeros((size, size))
    for state in range(size - 1):
        generator[state, state + 1] = arrival_rates[state]
        generator[state + 1, state] = service_rates[state]
    np.fill_diagonal(generator, -generator.sum(axis=1))
    system = np.vstack([generator.T, np.ones(size)])
    return np.linalg.lstsq(system, np.append(np.zeros(size), 1), rcond=None)[0]


def test_spam_farm():
    case = REFERENCE["spam_farm"]

    queue = many_servers(case["arrival"] * 1e9, case["service"], case["servers"])

    assert queue.utilisation == pytest.approx(case["utilisation"])
    assert queue.waiting_probability == pytest.approx(case["waiting_probability"], rel=1e-9)
    assert queue.mean_in_system == pytest.approx(case["mean_in_system"], rel=1e-8)


@pytest.mark.parametrize("case", REFERENCE["single_server"]["cases"])
def test_published_single_servers(case):
    queue = single_server(case["arrival"] * 1e9, case["service"])

    assert queue.mean_in_system == pytest.approx(case["mean_in_system"], rel=1e-12)
    assert queue.response_ns == pytest.approx(case["response"], rel=1e-12)
    assert queue.utilisation == pytest.approx(case["utilisation"], rel=1e-12)


def any_queue(kind, load, service_ns, servers, variation, room):
    if kind == "single":
        return single_server(arrival(load, service_ns), service_ns), 1
    if kind == "general":
        return single_server_general(arrival(load, service_ns), service_ns, variation), 1
    if kind == "many":
        return many_servers(arrival(load, service_ns, servers), service_ns, servers), servers
    return finite_room(arrival(load, service_ns), service_ns, room), 1


@repeatable
@given(
    st.sampled_from(["single", "general", "many", "room"]),
    st.floats(0, 3),
    service,
    st.integers(1, 200),
    st.floats(0, 4),
    st.integers(1, 2000),
)
def test_every_queue_keeps_the_laws_that_all_queues_keep(kind, load, service_ns, servers, variation, room):
    queue, used = any_queue(kind, load, service_ns, servers, variation, room)

    for value in vars(queue).values():
        assert not np.isnan(value) and value >= 0
    for probability in (queue.utilisation, queue.waiting_probability, queue.loss_probability):
        assert probability <= 1 + 1e-12
    assert queue.stable == (kind == "room" or load < 1)
    # Utilisation law; Little's law for the system, for the queue, and for the servers.
    assert queue.utilisation * used == pytest.approx(queue.throughput_pps * service_ns / 1e9, rel=1e-9, abs=1e-12)
    if queue.stable:
        assert queue.mean_in_system == pytest.approx(
            queue.throughput_pps * queue.response_ns / 1e9, rel=1e-9, abs=1e-12
        )
        assert queue.mean_waiting == pytest.approx(queue.throughput_pps * queue.wait_ns / 1e9, rel=1e-6, abs=1e-9)
        offered = arrival(load, service_ns, used)
        assert queue.throughput_pps == pytest.approx(offered * (1 - queue.loss_probability), rel=1e-9, abs=1e-3)
    else:
        assert queue.utilisation == 1
        assert queue.response_ns == np.inf
    assert queue.response_ns >= service_ns


@repeatable
@given(below, service, st.floats(0, 4))
def test_variation_of_service_costs_wait_in_proportion(load, service_ns, variation):
    rate = arrival(load, service_ns)
    exponential = single_server(rate, service_ns).wait_ns

    assert single_server_general(rate, service_ns, 0).wait_ns == pytest.approx(exponential / 2)
    got = single_server_general(rate, service_ns, variation).wait_ns
    assert got == pytest.approx(exponential * (1 + variation**2) / 2)


@repeatable
@given(below, service)
def test_one_of_many_servers_is_the_single_server(load, service_ns):
    one, many = (
        single_server(arrival(load, service_ns), service_ns),
        many_servers(arrival(load, service_ns), service_ns, 1),
    )

    for name in vars(one):
        assert getattr(many, name) == pytest.approx(getattr(one, name), rel=1e-9, abs=1e-12)


@repeatable
@given(below, service, st.integers(1, 100))
def test_sharing_one_queue_waits_less_than_a_queue_each(load, service_ns, servers):
    shared = many_servers(arrival(load, service_ns, servers), service_ns, servers)

    assert shared.wait_ns <= single_server(arrival(load, service_ns), service_ns).wait_ns * (1 + 1e-9)


@repeatable
@given(st.floats(0, 0.9), service)
def test_a_large_room_is_an_endless_one(load, service_ns):
    endless, roomy = (
        single_server(arrival(load, service_ns), service_ns),
        finite_room(arrival(load, service_ns), service_ns, 2000),
    )

    for name in vars(endless):
        rounding = 1e-12 * (service_ns if name.endswith("_ns") else 1)
        assert getattr(roomy, name) == pytest.approx(getattr(endless, name), rel=1e-9, abs=rounding)


@pytest.mark.parametrize("room", [1, 2, 7, 30])
@pytest.mark.parametrize("load", [0.2, 0.98, 1 - 1e-9, 1.0, 1 + 1e-9, 1.002, 1.7, 5.0])
def test_finite_room_equals_its_chain(load, room):
    states = chain([load] * room, [1.0] * room)

    queue = finite_room(load * 1e9, 1.0, room)

    assert queue.loss_probability == pytest.approx(states[-1], rel=1e-9)
    assert queue.utilisation == pytest.approx(1 - states[0], rel=1e-9)
    assert queue.mean_in_system == pytest.approx(states @ np.arange(room + 1), rel=1e-9)
    assert queue.mean_waiting == pytest.approx(states[1:] @ np.arange(room), rel=1e-8, abs=1e-9)
    assert queue.waiting_probability == pytest.approx(states[1:-1].sum() / states[:-1].sum(), rel=1e-9)


@repeatable
@given(st.floats(0.9, 1.1), st.integers(1, 5000))
def test_finite_room_is_smooth_through_saturation(load, room):
    """Direct sums of the geometric weights, where closed forms cancel."""
    powers = np.exp(np.arange(room + 1) * np.log(load) - max(0.0, room * np.log(load)))
    states = powers / powers.sum()

    queue = finite_room(load * 1e9, 1.0, room)

    assert queue.mean_in_system == pytest.approx(states @ np.arange(room + 1), rel=1e-9)
    assert queue.loss_probability == pytest.approx(states[-1], rel=1e-9)


@pytest.mark.parametrize("servers", [1, 2, 4, 16])
@pytest.mark.parametrize("load", [0.1, 0.5, 0.8])
def test_many_servers_equal_their_chain(servers, load):
    size = servers + 250
    states = chain([load * servers] * size, [float(min(k, servers)) for k in range(1, size + 1)])

    queue = many_servers(load * servers * 1e9, 1.0, servers)

    assert queue.waiting_probability == pytest.approx(states[servers:].sum(), rel=1e-7)
    assert queue.mean_in_system == pytest.approx(states @ np.arange(size + 1), rel=1e-7)


@pytest.mark.parametrize(("servers", "offered"), [(1, 0.5), (3, 2.0), (10, 12.0)])
def test_erlang_b_equals_the_sum_it_stands_for(servers, offered):
    terms = np.cumprod(np.concatenate([[1.0], offered / np.arange(1, servers + 1)]))

    assert erlang_b(offered, servers) == pytest.approx(terms[-1] / terms.sum(), rel=1e-12)


def test_erlang_is_stable_for_thousands_of_servers():
    """Near saturation the square-root rule of Halfin and Whitt 1981 holds: C is about 1 / (1 + b cdf(b) / pdf(b))."""
    servers, beta = 10_000, 1.0
    offered = servers - beta * np.sqrt(servers)

    ratio = beta * 0.8413447460685429 / 0.24197072451914337
    assert erlang_c(offered, servers) == pytest.approx(1 / (1 + ratio), rel=0.01)
    assert erlang_c([0, 10_000, 20_000], servers).tolist() == [0, 1, 1]


def test_heavily_overloaded_room_delivers_what_the_server_can():
    queue = finite_room([2e9, 1e12, 1e30], 1.0, [4, 4, 1])

    np.testing.assert_allclose(queue.throughput_pps[1:], 1e9, rtol=1e-9)
    assert queue.mean_in_system[1] == pytest.approx(4, abs=0.01)
    assert queue.waiting_probability[2] == 0, "room for one: nobody waits, they are lost"


def test_no_arrivals_find_an_empty_server():
    for queue in (single_server(0, 7), many_servers(0, 7, 3), finite_room(0, 7, 3)):
        assert queue.response_ns == 7 and queue.mean_in_system == 0 and queue.utilisation == 0


def test_queues_broadcast():
    queue = many_servers(np.array([[1e8], [2e8]]), [1.0, 2.0, 3.0], 2)

    assert all(value.shape == (2, 3) for value in vars(queue).values())
    assert finite_room(1e8, 1.0, [1, 2, 3]).loss_probability.shape == (3,)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: single_server(-1, 1), "arrival_pps is -1: expected a number of at least 0"),
        (lambda: single_server(1, 0), "service_ns is 0: expected a number above 0"),
        (lambda: single_server_general(1, 1, np.nan), "variation is nan"),
        (lambda: many_servers(1, 1, 2.5), "servers is 2.5: expected a whole number"),
        (lambda: finite_room(1, 1, [3, 0]), "room is 0: expected a whole number of at least 1"),
    ],
)
def test_impossible_queues_are_refused_in_words(call, words):
    with pytest.raises(MppsError, match=words):
        call()
