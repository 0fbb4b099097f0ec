"""Changed variants against arithmetic that needs no change: demands, bounds, line rates, other variants of the path."""

import itertools

import numpy as np
import pytest

from mpps import paths
from mpps.alter import altered, fit_for_changes
from mpps.alter.flows import busiest_share
from mpps.errors import MppsError
from mpps.path import demands, lap, rate_pps
from mpps.paths.page_pool_recycle import mix_ns, recycle_times_ns
from mpps.predict import predict
from mpps.units import from_rate_pps, line_rate_pps
from mpps.whatif import whatif

TRANSMIT, TUN, POOL, FRAGLIST = (
    paths.load_path(name) for name in ("packet_transmit", "tun_receive", "page_pool_recycle", "fraglist_gro")
)
PPPOE = paths.load_path("pppoe_receive")
N = np.array([1, 2, 4, 8])


def changed(path, variant, *changes):
    return altered(fit_for_changes(path, variant, changes), variant, changes)


def rates(new, index=0, n=N):
    """Packets/s of the network alone, by member, of a kept mechanism: no drift, no correction."""
    one = new.fitted.kept[index]
    values = one.member_values | {name: np.full((1, 1), value) for name, value in new.settings.items()}
    return rate_pps(new.path, new.variant, one.mechanism, values, n)


def as_it_was(path, variant):
    return altered(fit_for_changes(path, variant, ()), variant, ())


def amounts(new, index=0):
    one = new.fitted.kept[index]
    found, packets = demands(new.path, new.variant, one.mechanism, one.member_values, N)
    return {item.stage.name: (item.resource, item.amount / packets) for item in found}


def test_a_stage_that_goes_leaves_the_variant_that_the_path_lists():
    new = changed(TRANSMIT, "qdisc", "remove=qdisc layer")

    assert new.variant == TRANSMIT.variant("bypass")
    assert new.words == ("without qdisc layer",) and "A bypass buffers nothing" in new.tradeoffs[0]


def test_added_again_it_is_the_variant_it_was():
    assert changed(TRANSMIT, "bypass", "add=qdisc layer").variant == TRANSMIT.variant("qdisc")


@pytest.mark.parametrize("factor", [0.5, 3.0])
def test_a_scaled_stage_asks_that_multiple_and_the_others_what_they_did(factor):
    before, after = (
        amounts(as_it_was(PPPOE, "both locks")),
        amounts(changed(PPPOE, "both locks", f"scale:receive body={factor}")),
    )
    name = f"receive body, {factor:g} times"

    assert after[name][0] == before["receive body"][0]  # under the lock still
    np.testing.assert_allclose(after[name][1], factor * before["receive body"][1])
    for stage in set(before) - {"receive body"}:
        np.testing.assert_allclose(after[stage][1], before[stage][1])


def test_a_scaled_lock_still_holds_what_is_done_under_it():
    after = amounts(changed(PPPOE, "ppp lock only", "scale:ppp receive lock=0.25"))

    assert after["receive body"][0] == "station"


def test_a_scaled_ceiling_is_as_much_higher():
    new = changed(TRANSMIT, "bypass", "scale:device ceiling=2")

    one = new.fitted.best
    high = lap(new.path, new.variant, one.mechanism, one.values, N).ceiling_pps
    np.testing.assert_allclose(high, np.broadcast_to(2 * one.values["device_pps"], high.shape))
    assert new.words == ("device ceiling 2 times as high",)


def test_a_new_stage_adds_its_time_to_every_packet():
    before, after = (
        1e9 / rates(one, n=np.array([1]))
        for one in (as_it_was(TUN, "netif_rx"), changed(TUN, "netif_rx", "add:filter=50"))
    )

    np.testing.assert_allclose(after - before, 50.0, rtol=1e-6)


def test_a_new_stage_at_the_station_bounds_the_rate():
    new = changed(PPPOE, "no lock", {"add": {"table lock": {"ns": 400, "on": "station"}}})

    # The hand-off of the path's own lock comes on top.
    assert (rates(new, n=np.array([16])) <= 1e9 / 400).all()
    assert (rates(new, n=np.array([16])) > 0.75e9 / 400).all()


def test_a_mix_of_ways_takes_the_mean_time():
    shares = (0.7, 0.1, 0.2)
    new = changed(POOL, "fast path", {"mix": dict(zip(("fast", "NAPI", "ptr"), shares, strict=True))})

    one = new.fitted.best
    np.testing.assert_allclose(
        1e9 / rates(new, n=np.array([1])), mix_ns(shares, recycle_times_ns(one.member_values)), rtol=1e-6
    )


def test_a_mix_of_one_way_is_that_way():
    new = changed(PPPOE, "both locks", "mix:ppp lock only=1")

    np.testing.assert_allclose(rates(new), rates(as_it_was(PPPOE, "ppp lock only")))


def test_work_locked_for_some_packets_is_at_the_station_for_those():
    new = changed(PPPOE, "both locks", "mix:both locks=0.25", "mix:no lock=0.75")
    one = new.fitted.best
    numbers = lap(new.path, new.variant, one.mechanism, one.values, N)
    locked, free = (lap(PPPOE, PPPOE.variant(name), one.mechanism, one.values, N) for name in ("both locks", "no lock"))

    np.testing.assert_allclose(numbers.section_ns, 0.25 * locked.section_ns, rtol=1e-9)
    np.testing.assert_allclose(numbers.think_ns, 0.25 * locked.think_ns + 0.75 * free.think_ns, rtol=1e-9)


def test_a_bypass_is_what_the_path_bypasses():
    new = changed(TRANSMIT, "qdisc with packet_rcv", "bypass")

    assert new.variant == TRANSMIT.variant("bypass")
    with pytest.raises(MppsError, match="lists no bypass.*one of its stages private work"):
        changed(PPPOE, "both locks", "bypass")


def test_packets_of_an_skb_share_what_runs_once():
    """The station's time of a packet is a G-th; what merging costs comes on top of the core."""
    new, before = changed(PPPOE, "both locks", "coalescing=8"), as_it_was(PPPOE, "both locks")
    one = new.fitted.best
    numbers, old = (lap(each.path, each.variant, one.mechanism, each.fitted.best.values, N) for each in (new, before))

    np.testing.assert_allclose(numbers.section_ns / numbers.packets, old.section_ns / 8)
    np.testing.assert_allclose(numbers.think_ns / 8, old.think_ns + 30.0, rtol=1e-6)
    assert [item.name for item in new.assumptions] == ["GRO lookup and merge of one packet"]


def test_a_path_that_coalesces_takes_its_own_parameter():
    new = changed(PPPOE, "no lock, GRO on", "coalescing=8")

    assert new.settings == {"coalescing": 8.0} and new.variant == PPPOE.variant("no lock, GRO on")
    with pytest.raises(MppsError, match="nothing to coalesce"):
        changed(TRANSMIT, "qdisc", "coalescing=8")


@pytest.mark.parametrize("gbit", [1, 40])
def test_a_link_carries_its_line_rate(gbit):
    new = changed(POOL, "fast path on a link", f"link_gbit={gbit}")
    rate = line_rate_pps(gbit * 1e9, 64)

    assert (rates(new, n=np.array([64])) <= rate).all() and (rates(new, n=np.array([64])) > 0.95 * rate).all()


def test_a_link_where_the_path_has_none_is_a_ceiling():
    new = changed(PPPOE, "no lock", "link_gbit=10")
    gbit = from_rate_pps(rates(new, n=np.array([16])), "Gbit/s", 1492)

    np.testing.assert_allclose(gbit, 10 * 1492 / 1512, rtol=1e-3)


def test_packets_of_another_size_change_unit_and_wire():
    new = changed(FRAGLIST, "rx-gro-list on", "packet_bytes=500")
    frame = 500 + 26
    one = new.fitted.best
    found, _ = demands(new.path, new.variant, one.mechanism, one.values, N)
    ceilings = {item.stage.name: float(np.ravel(item.amount)[0]) for item in found if item.resource == "ceiling"}

    assert (new.path.packet_bytes, new.path.frame_bytes) == (500, frame)
    assert ceilings["link"] == pytest.approx(line_rate_pps(1e9, frame), rel=1e-3)
    before = one.values["shaper_gbit"].item() * 1e9 / 8 / 500
    assert ceilings["shaper at 500 bytes"] == pytest.approx(before)


def test_bytes_cost_what_is_stated():
    new = changed(PPPOE, "no lock", {"packet_bytes": 1000, "per_byte_ns": 0.1})
    one = np.array([1])

    np.testing.assert_allclose(
        1e9 / rates(as_it_was(PPPOE, "no lock"), n=one) - 1e9 / rates(new, n=one), 49.2, rtol=1e-6
    )
    with pytest.raises(MppsError, match="does not say how large its packets are"):
        changed(TUN, "netif_rx", "packet_bytes=64")


def test_elements_do_not_cost_bytes():
    new = changed(POOL, "fast path", "packet_bytes=1500")

    assert not new.assumptions and "cost does not depend" in new.notes[0]


def test_a_saving_leaves_part_of_the_work_and_how_much_is_open():
    """A rule of thumb must not make 7 ns of recycling vanish, nor say exactly how much of it stays."""
    new, before = changed(POOL, "fast path", "batch=64"), as_it_was(POOL, "fast path")

    ratio = rates(new, n=np.array([1])) / rates(before, n=np.array([1]))
    low, middle, high = np.quantile(ratio, (0.05, 0.5, 0.95))
    assert (ratio <= 20 + 1e-9).all() and (ratio > 1).all()
    np.testing.assert_allclose((low, middle, high), (1 / 0.75, 2.0, 1 / 0.25), rtol=0.1)
    assert "saves at most" in " ".join(item.name for item in new.assumptions)


def test_more_cores_than_queues_carry_what_the_queues_do():
    new = changed(PPPOE, "both locks", "queues=8")
    n = np.array([4, 8, 16, 64])
    after, before = rates(new, n=n), rates(as_it_was(PPPOE, "both locks"), n=n)

    np.testing.assert_allclose(after[:, :2], before[:, :2])
    np.testing.assert_allclose(after[:, 2:], before[:, [1, 1]])


def test_many_flows_are_even_and_one_flow_is_one_core():
    before = rates(as_it_was(TUN, "netif_rx"))
    even = rates(changed(TUN, "netif_rx", "queues=8", "flows=1000000"))
    single = rates(changed(TUN, "netif_rx", "queues=8", "flows=1", "hashing=greedy"))

    np.testing.assert_allclose(even, before, rtol=0.01)
    np.testing.assert_allclose(single / rates(changed(TUN, "netif_rx", "queues=8")) * N, 1.0, rtol=0.01)


def test_the_first_full_queue_is_as_the_placements_say():
    """8 flows on 4 queues: the mean of log(flows over the busiest) of all 4^8 placements, in the median member."""
    new = changed(TUN, "netif_rx", "queues=4", "flows=8")
    ratio = rates(new, n=np.array([4])) / rates(as_it_was(TUN, "netif_rx"), n=np.array([4]))
    busiest = [max(np.bincount(each, minlength=4)) for each in itertools.product(range(4), repeat=8)]

    assert np.median(np.log(ratio)) == pytest.approx(np.mean(np.log(8 / np.array(busiest) / 4)), abs=0.06)
    assert busiest_share(8, 4) == pytest.approx(np.mean(busiest) / 2)
    assert f"the busiest queue has {np.mean(busiest) / 2:.2f} times" in new.notes[0]


def test_drawn_shares_of_many_flows_agree_with_exact_ones():
    assert busiest_share(256, 8) == pytest.approx(busiest_share(257, 8), rel=0.01)


def test_a_new_prior_is_drawn_over_its_range_and_shared_by_variants():
    first, second = (changed(TRANSMIT, name, "batch=16") for name in ("qdisc", "bypass"))
    name = "work of one packet that a batch shares"
    drawn = first.drawn()[name]

    assert np.quantile(np.log(drawn), [0.05, 0.5, 0.95]) == pytest.approx(np.log([7, 18, 45]), abs=0.15)
    np.testing.assert_array_equal(drawn, second.drawn()[name])


def test_a_stage_that_takes_once_as_long_is_the_same_variant():
    new = changed(TRANSMIT, "qdisc", {"scale": {"qdisc layer": 1}})

    assert new.variant.name == "qdisc"
    np.testing.assert_array_equal(
        whatif(TRANSMIT, [1, 8], start="qdisc", changes=[{"scale": {"qdisc layer": 1}}]).gain, 1
    )


def test_gains_of_packets_of_another_size_say_what_they_count():
    (note,) = changed(PPPOE, "both locks", {"packet_bytes": 373}).notes

    assert "Gains count packets; in bits they are 0.25 times as high" in note


def test_one_queue_and_one_flow_are_named_as_one():
    assert changed(TRANSMIT, "qdisc", {"queues": 1}).change == "1 queue"
    assert changed(TRANSMIT, "qdisc", {"queues": 2, "flows": 1}).change.startswith("2 queues for 1 flow, until")


def test_a_change_that_changes_nothing_gains_nothing():
    """Shared draws: what both sides have in common cancels, whatever its spread."""
    change = whatif(TRANSMIT, [1, 8, 20], start="qdisc", changes=["queues=1024", "scale:qdisc layer=1"])

    assert np.ptp(change.gain, axis=0) == pytest.approx(0.0, abs=0.2)
    assert change.gain[2] == pytest.approx(1.0, abs=0.01)


def test_predict_takes_a_changed_variant_as_any_other():
    new = changed(TRANSMIT, "qdisc", "scale:qdisc layer=0.5", "link_gbit=25")
    answer = predict(
        new.path, [1, 8], variant=new.variant, settings=new.settings, fitted=new.fitted, machine="epyc_9654"
    )

    assert answer.variant == "qdisc: qdisc layer 0.5 times as long, a link of 25 Gbit/s"
    assert (answer.lower > 0).all() and np.isnan(answer.observed).all()


def test_a_fit_without_the_parameters_says_so():
    fitted = fit_for_changes(PPPOE, "both locks", ())

    with pytest.raises(MppsError, match="'synchronous'.*does not have gro_ns"):
        altered(fitted, "both locks", "add=GRO")
    assert fit_for_changes(PPPOE, "both locks", "add=GRO").scope != "synchronous"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("remove=qdisc layr", "did you mean 'qdisc layer'"),
        ("remove=delivery to other sockets", "has no stage"),
        ("scale:delivery to other sockets=2", "has no such stage"),
        ("add=qdisc layer", "has it already"),
        ("add=nothing known", "give its time"),
        ("add:qdisc layer=5", "has it already"),
        ("mix:bypass=0.5", "sum to 0.5"),
        ("mix:bypasses=1", "unknown variant of a mix"),
        ("set:qdisc=5", "unknown parameter"),
        ("bypass=nothing", "unknown stage"),
    ],
)
def test_a_change_without_meaning_says_what_is_known(change, says):
    with pytest.raises(MppsError) as raised:
        changed(TRANSMIT, "qdisc", change)
    assert says in str(raised.value)
