"""Curves by the million: many-digit sums, the readable solvers, and independence of chunks, threads and company."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpps import network
from mpps.locks import handoff_ns
from mpps.normalising import LARGEST
from mpps.solver import curve, curves, growing, growing_curve, sweep


def exact(think, service, senders):
    """Throughput for n = 1..senders by sums of many digits: G(n) = sum of P_k Z^(n-k)/(n-k)!."""
    with mpmath.workdps(60):
        demand = [mpmath.mpf(float(one)) for one in service]
        product, thinking = [mpmath.mpf(1)], [mpmath.mpf(1)]
        for k in range(senders):
            product.append(product[-1] * demand[k])
            thinking.append(thinking[-1] * mpmath.mpf(float(think)) / (k + 1))
        constant = [mpmath.fdot(product[: n + 1], thinking[n::-1]) for n in range(senders + 1)]
        return np.array([float(constant[n - 1] / constant[n]) for n in range(1, senders + 1)])


REGIMES = {
    "idle": (1e7, 1.0, 0.0),
    "knee": (1e3, 10.0, 0.0),
    "saturated": (1e2, 50.0, 0.0),
    "collapsing": (500.0, 20.0, 3.0),
    "hardly any private work": (1e-3, 100.0, 0.1),
    "utilisation 1 - 1e-12 and beyond": (30.0, 1.0, 0.0),
}


@pytest.mark.parametrize("regime", REGIMES)
@pytest.mark.parametrize("senders", [1, 2, 63, 65, 130])
def test_curve_to_the_last_digits(regime, senders):
    think, section, growth = REGIMES[regime]
    service = section + growth * np.arange(senders)

    truth = exact(think, service, senders)

    np.testing.assert_allclose(curve(think, service), truth, rtol=1e-13)
    np.testing.assert_allclose(growing_curve(np.full(senders, think), service), truth, rtol=3e-12)


@pytest.mark.slow
@pytest.mark.parametrize("think, section", [(4095.0, 1.0), (1.0, 0.1), (1e6, 1.0), (3500.0, 1.0)])
def test_curve_of_four_thousand_senders(think, section):
    service = np.full(4096, section)
    few = [1, 2, 511, 513, 4096]

    with mpmath.workdps(80):
        load = [mpmath.mpf(1)]
        for n in range(1, 4097):  # the machine repairman's recursion of its normalising constants, upside down
            load.append(1 + load[-1] * n * mpmath.mpf(section) / mpmath.mpf(think))
        truth = [float(n / mpmath.mpf(think) * load[n - 1] / load[n]) for n in few]

    np.testing.assert_allclose(curve(think, service)[np.array(few) - 1], truth, rtol=1e-12)


def test_states_that_vanish_and_come_back_for_more_senders():
    """A station that is quick below a depth of 400 and stands still beyond: the recursion forgets the deep states."""
    service = np.where(np.arange(LARGEST + 88) < 400, 1e-3, 1e6)

    found = curve(100.0, service)

    np.testing.assert_allclose(found, exact(100.0, service, len(service)), rtol=1e-10)


networks = st.tuples(
    st.floats(-3, 7), st.floats(-1, 4), st.floats(-3, 3), st.sampled_from(["constant", "ticket", "hump", "saturating"])
)


@settings(max_examples=60)
@given(st.lists(networks, min_size=1, max_size=5), st.sampled_from([1, 3, 64, 100]))
def test_any_company_of_networks_gives_what_each_gives_alone(cases, senders):
    """Sets of a chunk are grouped by their scale: nobody may notice."""
    depth = np.arange(1.0, senders + 1)
    think = np.array([10.0 ** case[0] for case in cases])
    service = []
    for _, section, extra, form in cases:
        values = {"handoff_peak_ns": 10.0**extra, "handoff_depth": 3.0, "handoff_per_waiter_ns": 10.0**extra}
        service.append(10.0**section + handoff_ns(form, depth, values))
    service = np.array(service)
    private = think[:, None] * (1 + 0.02 * (depth - 1))

    together, grown = curve(think, service), growing_curve(private, service)

    np.testing.assert_allclose(together, network.curve(think, service, senders), rtol=1e-12)
    for k in range(len(cases)):
        alone = network.throughput(depth.astype(int), private[k], service[k])
        np.testing.assert_allclose(grown[k], alone, rtol=1e-11)
    assert (
        together
        <= np.minimum(depth / (think[:, None] + service.min(1)[:, None]), 1 / service.min(1)[:, None]) * (1 + 1e-12)
    ).all()


@pytest.mark.parametrize(
    "service",
    [
        np.geomspace(1e-6, 1e6, 100),  # the products vanish and come back
        np.geomspace(1e6, 1e-6, 100),
        np.where(np.arange(100) < 50, 1e-8, 1e8),
    ],
)
def test_demands_of_any_range(service):
    truth = exact(10.0, service, 100)

    np.testing.assert_allclose(curve(10.0, service), truth, rtol=1e-11)
    np.testing.assert_allclose(growing_curve(np.full(100, 10.0), service), truth, rtol=1e-10)


def test_without_private_work_the_station_sets_the_rate():
    service = np.array([1.0, 2.0, 4.0])

    np.testing.assert_allclose(curve(0.0, service), 1 / service)
    np.testing.assert_allclose(growing_curve(np.zeros(3), service), 1 / service)


def test_more_senders_than_the_matrix_holds():
    service = np.full(LARGEST + 3, 2.0)

    np.testing.assert_allclose(curve(300.0, service)[:9], curve(300.0, service[:9]), rtol=1e-13)
    np.testing.assert_allclose(growing_curve(np.full(LARGEST + 3, 300.0), service), curve(300.0, service), rtol=1e-11)


def test_leading_axes_are_loops():
    think = np.array([[100.0], [2000.0]])
    service = np.array([50.0, 80.0])[:, None] + np.arange(9.0)

    found = curve(think, service)

    assert found.shape == (2, 2, 9)
    for i in range(2):
        for j in range(2):
            np.testing.assert_allclose(found[i, j], network.curve(think[i, 0], service[j], 9), rtol=1e-13)


@pytest.fixture
def sets():
    rng = np.random.default_rng(5)
    count = 700
    values = {"handoff_peak_ns": rng.uniform(1, 300, count), "handoff_depth": rng.uniform(1, 9, count)}
    return 10 ** rng.uniform(1, 4, count), rng.uniform(10, 300, count), values, rng.uniform(0, 30, count)


@pytest.mark.parametrize("grows", [False, True])
def test_a_sweep_is_its_curves_whatever_the_chunk_and_the_threads(sets, grows, monkeypatch):
    think, section, values, growth = sets
    depth = np.arange(1.0, 17)
    service = section[:, None] + handoff_ns("hump", depth, {name: value[:, None] for name, value in values.items()})
    private = think[:, None] + growth[:, None] * (depth - 1)
    truth = growing_curve(private, service) if grows else curve(think, service)
    for part in (curves, growing):
        monkeypatch.setattr(part, "CHUNK", 100)

    for threads in (1, 3):
        options = {"handoff": "hump", "values": values, "growth_ns": growth if grows else None, "threads": threads}
        found = sweep(think, section, 16, **options)
        peak = sweep(think, section, 16, reduce=lambda rates: rates.max(axis=0), **options)

        np.testing.assert_allclose(found, truth, rtol=1e-12)
        np.testing.assert_array_equal(peak, found.max(axis=1))
        np.testing.assert_array_equal(sweep(think, section, 16, reduce=lambda rates: rates[-1], **options), found[:, -1])


def test_a_sweep_takes_scalars_and_refuses_lengths_that_differ():
    assert sweep(100.0, np.array([1.0, 2.0]), 4).shape == (2, 4)
    assert sweep(100.0, 5.0, 4).shape == (1, 4)
    assert sweep(np.empty(0), 5.0, 4).shape == (0, 4)
    with pytest.raises(ValueError, match="one length.*think_ns.*2.*section_ns.*3"):
        sweep(np.ones(2), np.ones(3), 4)
