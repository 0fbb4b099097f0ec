"""How many cores a rate needs: against the curves it comes from, and against closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mpps
from mpps.capacity import cheapest, counts_of, first_count, needed
from mpps.compare import fit
from mpps.errors import MppsError
from mpps.explain import limits
from mpps.machine import load_machine
from mpps.predict import predict

PATH = mpps.load_path("packet_transmit")
HOME = PATH.machine


@given(st.integers(1, 4096))
def test_counts_ascend_from_one_to_the_last_and_leave_no_large_gap(cpus):
    counts = counts_of(cpus)
    assert counts[0] == 1 and counts[-1] == cpus and (np.diff(counts) > 0).all()
    assert (counts[1:] / counts[:-1] <= 1.15).all() or cpus <= 32 or counts[1:][counts[1:] > 32].min() / 32 <= 1.15
    assert set(range(1, min(cpus, 32) + 1)) <= set(counts.tolist())


@settings(max_examples=50)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=8))
def test_the_first_count_is_that_of_a_plain_search(rows):
    counts = [1, 2, 8, 16]
    expected = [next((n for n, good in zip(counts, row) if good), np.inf) for row in rows]
    assert first_count(np.array(rows), counts).tolist() == expected


def test_where_it_was_measured_the_answer_is_that_of_the_curve():
    """Each draw of the prediction is searched by hand at all counts."""
    rate = 3e6
    (found,) = needed(PATH, rate, [HOME], variants=["bypass"])
    cpus = load_machine(HOME).threads
    curves = np.exp(predict(PATH, range(1, cpus + 1), variant="bypass").curves)
    first = np.array([next((n for n in range(1, cpus + 1) if row[n - 1] >= rate), np.inf) for row in curves])
    assert found.cores.median == np.quantile(first, 0.5, method="lower")
    assert found.p == np.isfinite(first).mean()
    assert found.enough == next(n for n in range(1, cpus + 1) if (curves[:, n - 1] >= rate).mean() >= 0.9)
    assert found.at == found.enough and 0 <= found.headroom.median < 0.6
    # A lone CPU sends its packets one after the other: private work alone says how many are needed, or nearly.
    alone = np.median(curves[:, 0])
    assert found.cores.median >= rate / (1.15 * alone)


def test_a_rate_above_the_ceiling_is_carried_by_no_count():
    (found,) = needed(PATH, 60e6, [HOME], variants=["bypass"])
    assert found.cores.median is None and found.enough is None and found.p == 0
    assert found.limit == "device ceiling" and found.headroom.median < 0
    assert found.row()["cores"] == {"median": None, "lower": None, "upper": None}


def test_a_higher_rate_never_needs_fewer_cores_nor_is_likelier():
    rates = (1e6, 3e6, 6e6, 9e6, 12e6)
    found = [needed(PATH, rate, [HOME], variants=["qdisc"])[0] for rate in rates]
    assert [one.p for one in found] == sorted((one.p for one in found), reverse=True)
    cores = [one.cores.median or np.inf for one in found]
    assert cores == sorted(cores) and cores[0] < cores[3]


def test_machines_by_variants_in_the_order_given():
    found = needed(PATH, 2e6, ["intel_n100", HOME], variants=["qdisc", "bypass"])
    assert [(one.machine.slug, one.variant) for one in found] == [
        ("intel_n100", "qdisc"), ("intel_n100", "bypass"), (HOME, "qdisc"), (HOME, "bypass"),
    ]  # fmt: skip
    assert found[0].cpus == 4
    assert abs(sum(p for _, p in found[0].every) - 1) < 1e-9 and found[0].assumptions


def test_the_limit_is_that_of_the_placement_asked_for():
    """On two sockets of many clusters the lock binds spread senders more probably than as many packed ones."""
    path = mpps.load_path("pppoe_receive")
    fitted = fit(path, path.scopes[0].name)
    (found,) = needed(path, 2e6, ["epyc_7763_2s"], variants=["both locks"], placement="spread", fitted=fitted)
    where = {"machine": load_machine("epyc_7763_2s"), "placement": "spread"}
    spread, packed = (
        tuple(
            (row["resource"], row["probability"])
            for row in limits(fitted, path.variant("both locks"), [found.at], **where | how)
        )
        for how in ({}, {"placement": "packed"})
    )
    assert found.every == spread != packed


def test_the_device_of_a_card_is_told_apart_from_its_cores():
    """The card of Graviton3 says 1 to 5 million packets a second, that of the LX2160A nothing."""
    path = mpps.load_path("tun_receive")  # a path without a device of its own
    (found,) = needed(path, 2e6, ["graviton3"], variants=["netif_rx"])
    assert found.enough and found.device_p < 0.5 and not found.device_carries
    assert cheapest([found], {"graviton3": 1}) is None
    assert cheapest([found], {"graviton3": 1}, any_device=True) is found
    (silent,) = needed(path, 2e6, ["lx2160a"], variants=["netif_rx"])
    assert silent.device is None and silent.device_carries and silent.row()["device_pps"] is None


def test_the_cheapest_sufficient_machine_wins_whatever_the_order():
    found = needed(PATH, 1e6, ["xeon_8375c_2s", HOME], variants=["bypass"])
    assert all(one.enough for one in found)
    assert cheapest(found, {"xeon_8375c_2s": 10, HOME: 20}).machine.slug == "xeon_8375c_2s"
    assert cheapest(found[::-1], {"xeon_8375c_2s": 30, HOME: 20}).machine.slug == HOME
    assert cheapest(found, {HOME: 20}).machine.slug == HOME
    tied = {"xeon_8375c_2s": 5, HOME: 5}
    assert cheapest(found, tied).enough == min(one.enough for one in found)
    assert cheapest(needed(PATH, 60e6, [HOME], variants=["bypass"]), {HOME: 1}) is None


def test_what_cannot_be_asked_is_told():
    for rate in (0, -1, float("nan"), float("inf")):
        with pytest.raises(MppsError, match="expected a positive number of packets"):
            needed(PATH, rate, [HOME], variants=["bypass"])
    with pytest.raises(MppsError, match="between 0 and 1"):
        needed(PATH, 1e6, [HOME], variants=["bypass"], sure=1.0)
    with pytest.raises(MppsError, match="at least one machine"):
        needed(PATH, 1e6, [], variants=["bypass"])
    with pytest.raises(MppsError, match="unknown machine"):
        needed(PATH, 1e6, ["epyc"], variants=["bypass"])
    found = needed(PATH, 1e6, [HOME], variants=["bypass"])
    with pytest.raises(MppsError, match="not among the machines"):
        cheapest(found, {"xeon": 3})
    with pytest.raises(MppsError, match="expected a positive number"):
        cheapest(found, {HOME: -3})


def test_growing_work_that_limits_is_named_by_its_stage():
    """What sends with taps is limited by the deliveries to all other sockets, a stage of private work."""
    (taps,) = needed(PATH, 6e6, [HOME], variants=["qdisc with packet_rcv"])
    (bypass,) = needed(PATH, 1e6, [HOME], variants=["bypass"])
    assert taps.limit == "private work: delivery to other sockets" and bypass.limit == "private work"
