"""The three sources with one or two points each: what they say, and that they are not made to say more.

Expected figures are computed here from the printed numbers by hand, or stand in the source.
"""

import functools

import numpy as np
import pytest

from mpps.compare import fit
from mpps.errors import MppsError
from mpps.explain import limits, packet_cost
from mpps.fit import problem_of
from mpps.measurements import load
from mpps.path import lap, rate_pps
from mpps.paths import fraglist_gro, load_path, names, page_pool_recycle, tun_receive
from mpps.predict import predict
from mpps.rounding import interval_over, rounding_interval
from mpps.uncertainty import interval
from mpps.whatif import whatif

SLUGS = ("fraglist_gro", "page_pool_recycle", "tun_receive")
each_path = pytest.mark.parametrize("slug", SLUGS)

TUN = (700.0, 867.0)  # kpps
OFF, ON = (630.0, 35.0), (770.0, 40.0)  # Mbit/s, percent idle
TIMES = (7.537, 10.490, 15.395)  # ns per element


@functools.cache
def fitted(slug):
    return fit(load_path(slug), "all")


def of(slug, words):
    """The fit of the mechanism whose name holds `words`."""
    return next(one for one in fitted(slug).mechanisms if words in one.mechanism.name)


def known(slug, words, name):
    one = of(slug, words)
    return interval(one.problem, one.solved, one.scale, name)


def value(slug, words, name):
    return float(of(slug, words).values[name][0, 0])


def rates(slug, words, variant, n, **settings):
    """Packets per second of one mechanism's estimate."""
    one = of(slug, words)
    values = one.values | {name: np.full((1, 1), number) for name, number in settings.items()}
    return rate_pps(load_path(slug), load_path(slug).variant(variant), one.mechanism, values, np.atleast_1d(n))[0]


# All three.


@each_path
def test_every_printed_point_is_met(slug):
    """With as many parameters as rows every explanation meets every row."""
    assert slug in names()
    for one in fitted(slug).mechanisms:
        assert one.solved.converged.all()
        assert np.abs(one.solved.fitted[0] - fitted(slug).points.value).max() < 1e-3


@each_path
def test_only_prior_odds_weigh_the_explanations(slug):
    """No table of this size can choose: all explanations stay, with the weights that their odds give."""
    path, odds = load_path(slug), {m.name: m.odds for m in load_path(slug).mechanisms}

    assert fitted(slug).basis == "prior odds"
    assert len(odds) == len(path.mechanisms) == 2
    assert {one.mechanism.name: one.weight for one in fitted(slug).mechanisms} == pytest.approx(
        {name: share / sum(odds.values()) for name, share in odds.items()}
    )
    assert all(len(one.members) > 50 for one in fitted(slug).mechanisms)


@each_path
def test_a_path_says_what_it_rests_on(slug):
    """Title, question and assumptions; the assumed scatter and the odds are said; every variant and stage is explained."""
    path = load_path(slug)
    said = " ".join(path.assumptions)

    assert path.title and path.question.endswith("?")
    assert f"{dict(path.scatter)[slug]:.0%}".replace("%", " % from run to run") in said
    assert "odds of" in said
    assert path.machine == load(slug).card.hardware
    assert all(stage.words for stage in path.stages) and all(variant.words for variant in path.variants)
    assert {stage for stage, _ in path.tradeoffs} <= {stage.name for stage in path.stages}
    assert {v.series for v in path.variants if v.dataset} == set(load(slug).variants)


@each_path
def test_a_measured_variant_is_predicted_as_printed(slug):
    """Median and interval of a measured point hold the print, and the interval holds its rounding."""
    path = load_path(slug)
    for variant in (v for v in path.variants if v.dataset):
        series = load(slug).one(variant.observe[0][0], variant=variant.series)
        low, high = series.rate_interval_pps(path.packet_bytes)
        forecast = np.exp(predict(path, [series.n[0]], variant=variant.name).curves)[:, 0]

        assert np.median(forecast) == pytest.approx(series.rate_pps(path.packet_bytes)[0], rel=0.01)
        assert np.quantile(forecast, 0.05) < low[0] and high[0] < np.quantile(forecast, 0.95)


@each_path
def test_unseen_cores_widen_the_answer(slug):
    """Nobody measured more cores: the interval at 64 is wider than at the measured count, in log rate."""
    path = load_path(slug)
    variant = path.variants[0]
    n = int(load(slug).one(variant.observe[0][0], variant=variant.series).n[0])
    forecast = predict(path, [n, 64], variant=variant.name)
    width = np.log(forecast.upper / forecast.lower)

    assert width[1] > 1.5 * width[0]
    assert list(forecast.extrapolated) == [False, True]


@pytest.mark.parametrize("slug", ["page_pool_recycle", "tun_receive"])
def test_slowdown_is_only_believed(slug):
    """One core was measured: how further ones slow each other comes from a prior, and is shown as that."""
    for one in fitted(slug).mechanisms:
        found = interval(one.problem, one.solved, one.scale, "slowdown")

        assert found.identified == "prior"
        assert (found.median, found.lower, found.upper) == pytest.approx((0.015, 0.004, 0.05), rel=0.1)


# TUN receive.


def test_backlog_costs_275_ns_when_one_packet_is_in_flight():
    """1e6/700 - 1e6/867 ns; the interval is wider than the 265 to 285 that rounding of 700k alone leaves."""
    found = known("tun_receive", "one packet", "backlog_ns")

    assert found.median == pytest.approx(275.17, abs=1.0)
    assert value("tun_receive", "one packet", "deliver_ns") == pytest.approx(1e6 / 867, rel=1e-3)
    assert found.identified == "yes"
    assert found.lower < 264.4 and found.upper > 286.1
    # Two rates with 2 % scatter each and the rounding of 700k (uniform, +-5): what the difference of times allows.
    spread = 1.645 * np.hypot(1e6 / 700 * np.hypot(0.02, 5 / 700 / 3**0.5), 1e6 / 867 * 0.02)
    assert (found.lower, found.upper) == pytest.approx((275.2 - spread, 275.2 + spread), rel=0.03)


def test_rounding_alone_leaves_265_to_285():
    """The figure that the source's prints allow, of 700k alone and of both."""
    ends = [rounding_interval(text) for text in ("700", "867")]

    assert tun_receive.saved_ns(*TUN) == pytest.approx(275.17, abs=0.01)
    assert interval_over(tun_receive.saved_ns, ends[0], (867, 867)) == pytest.approx((265.0, 285.4), abs=0.06)
    assert interval_over(tun_receive.saved_ns, *ends) == pytest.approx((264.4, 286.1), abs=0.05)
    assert tun_receive.saved_ns(7.0e5, 8.67e5, "packets/s") == pytest.approx(tun_receive.saved_ns(*TUN))


def test_in_a_pipeline_the_backlog_costs_at_least_the_fall():
    """The rest of the loop kept up with 867k, so it was no limit at 700k: the writer fell by 275 ns or more."""
    one = of("tun_receive", "pipeline")
    values = {name: column[:, 0] for name, column in one.member_values.items()}
    slowest = np.maximum(values["deliver_ns"], values["rest_ns"])
    before = values["deliver_ns"] + values["backlog_ns"]

    # The passage between two limits is rounded, by 2 % at most.
    assert np.median(slowest) == pytest.approx(1e6 / 867, rel=0.03)
    assert np.median(before) == pytest.approx(1e6 / 700, rel=0.01)
    fall = before - slowest
    assert (values["backlog_ns"] >= fall - 1e-9).all()
    assert np.quantile(values["backlog_ns"], 0.95) > 2 * np.median(fall)


def test_rest_of_a_pipeline_is_bounded_on_one_side():
    """It cannot be slower than the loop; how much faster it is nobody can tell."""
    found = known("tun_receive", "pipeline", "rest_ns")

    assert found.identified == "one-sided"
    assert found.lower is None and found.upper == pytest.approx(1e6 / 867 * (1 + 1.645 * 0.02), rel=0.01)


def test_backlog_removed_is_the_other_row():
    """Taking the backlog out of netif_rx is netif_receive_skb: +23.9 % by the prints, under either explanation."""
    answer = whatif(load_path("tun_receive"), [1, 8], start="netif_rx", without="backlog queue")

    assert answer.after.variant == "netif_receive_skb"
    assert answer.gain[2, 0] == pytest.approx(867 / 700, rel=0.01)
    # 862.4/705 and 871.5/695 are the ends by rounding alone.
    assert answer.gain[0, 0] < 866.5 / 705 and answer.gain[4, 0] > 867.5 / 695
    assert "4K stacks" in answer.tradeoffs[0]


def test_streams_on_cores_of_their_own_scale_but_for_the_slowdown():
    """n streams: n times the rate of one over 1 + 0.015 (n - 1), whether or not each is a pipeline."""
    for words in ("one packet", "pipeline"):
        for variant in load_path("tun_receive").variants:
            one, eight = rates("tun_receive", words, variant.name, [1, 8])

            assert eight / one == pytest.approx(8 / (1 + 0.015 * 7), rel=1e-6)


# Forwarding with fragment lists.


def test_cpu_time_of_a_packet():
    """2 cores x busy share x bits / rate: 24.8 and 18.7 us for 1500 bytes, -24.5 %, and less for 1492."""
    before, after = (float(fraglist_gro.cpu_ns_per_packet(*point, packet_bytes=1500)) for point in (OFF, ON))

    assert before == pytest.approx(2 * 0.65 * 12000 / 630e6 * 1e9)
    assert (round(before / 1e3, 1), round(after / 1e3, 1)) == (24.8, 18.7)
    assert after / before - 1 == pytest.approx(-0.245, abs=5e-4)
    assert fraglist_gro.cpu_ns_per_packet(*OFF) == pytest.approx(before * 1492 / 1500)


def test_cpu_time_belongs_to_every_explanation():
    """Total work of a packet of 1492 bytes: the same from both, with an interval wider than rounding."""
    off = load("fraglist_gro")
    ends = {
        name: [(s.lower[0], s.upper[0]) for s in (off.one(metric, variant=name) for metric in ("throughput", "idle"))]
        for name in off.variants
    }
    low, high = interval_over(fraglist_gro.cpu_ns_per_packet, *ends["rx-gro-list on"])
    for words in ("bottleneck", "outside"):
        found = known("fraglist_gro", words, "forwarding_ns")

        assert found.median == pytest.approx(float(fraglist_gro.cpu_ns_per_packet(*ON)), rel=1e-3)
        assert found.lower < low and found.upper > high
        total = found.median + value("fraglist_gro", words, "segmentation_ns")
        assert total == pytest.approx(float(fraglist_gro.cpu_ns_per_packet(*OFF)), rel=1e-3)


def test_two_core_reading():
    """Busy core 1/630 and 1/770 us per Mbit; the other has what remains of 1.3 and 1.2 busy cores."""
    busy, other = zip(*(fraglist_gro.core_ns_per_bit(*point) for point in (OFF, ON)), strict=True)

    assert np.round(busy, 3) == pytest.approx([1.587, 1.299])
    assert np.round(other, 3) == pytest.approx([0.476, 0.260])


def test_bottleneck_explanation_splits_the_work_as_the_two_core_reading():
    """Demand of the fitted network on the busiest core and on the other one, per bit of 1492-byte packets."""
    one, path = of("fraglist_gro", "bottleneck"), load_path("fraglist_gro")
    for variant, busy, other in (("rx-gro-list off", 1.587, 0.476), ("rx-gro-list on", 1.299, 0.260)):
        numbers = lap(path, path.variant(variant), one.mechanism, one.values, np.array([2]))

        assert numbers.section_ns[0, 0] / 11936 == pytest.approx(busy, abs=0.001)
        assert numbers.think_ns[0, 0] / 11936 == pytest.approx(other, abs=0.001)
    assert limits(fitted("fraglist_gro"), path.variant("rx-gro-list off"), [2])[0]["resource"] == path.station


def test_outside_explanation_has_no_busiest_core():
    """Its network has no station; both cores idle for 35 % while a limit of 630 Mbit/s holds."""
    one, path = of("fraglist_gro", "outside"), load_path("fraglist_gro")
    numbers = lap(path, path.variant("rx-gro-list off"), one.mechanism, one.values, np.array([2]))

    assert numbers.section_ns is None
    assert value("fraglist_gro", "outside", "limit_off_pps") * 11936 / 1e6 == pytest.approx(630, rel=1e-3)
    assert 1 - numbers.ceiling_pps[0, 0] * 1e-9 * numbers.think_ns[0, 0] / 2 == pytest.approx(0.35, abs=1e-3)
    assert {"busy_share", "segmentation_share"}.isdisjoint(one.problem.names)


def test_even_split_meets_the_wire():
    """969 and 1283 Mbit/s if both cores worked evenly; 1492-byte packets on 1538 bytes of gigabit wire carry 970."""
    wire = 1e9 * 1492 / (1492 + 8 + 14 + 4 + 20) / 1e6

    assert np.round(fraglist_gro.even_split_mbit(*zip(OFF, ON, strict=True))) == pytest.approx([969, 1283])
    assert fraglist_gro.link_mbit() == pytest.approx(wire) == pytest.approx(970.09, abs=0.01)
    assert fraglist_gro.link_mbit(payload_bytes=1440) == pytest.approx(936, abs=0.5)
    assert fraglist_gro.even_split_mbit(*ON, clamp_mbit=wire) == pytest.approx(970.09, abs=0.01)
    assert load("fraglist_gro").card.facts["shaper"].value == 1.0 > wire / 1e3


def test_network_with_even_shares_meets_the_wire_too():
    """The same through the model: shares of one half, two cores; the smooth passage loses 2 % at most."""
    halves = {"busy_share": 0.5, "segmentation_share": 0.5}
    for variant, free in (("rx-gro-list off", 969.2), ("rx-gro-list on", 1283.3)):
        rate = rates("fraglist_gro", "bottleneck", variant, 2, **halves)[0] * 11936 / 1e6
        wide = rates("fraglist_gro", "bottleneck", variant, 2, **halves, link_pps=1e9, shaper_gbit=100.0)[0] * 11936 / 1e6

        assert wide == pytest.approx(free, rel=1e-3)
        assert 0.978 * min(free, 970.1) <= rate <= min(free, 970.1) * (1 + 1e-9)


def test_two_streams_use_two_cores_at_most():
    """One core does all the work of a packet; from two on nothing changes, under either explanation."""
    for words in ("bottleneck", "outside"):
        one, two, many = rates("fraglist_gro", words, "rx-gro-list off", [1, 2, 16]) * 11936 / 1e6

        assert one == pytest.approx(630 / 1.3, rel=1e-3)
        assert two == pytest.approx(630, rel=1e-3)
        assert many == pytest.approx(two, rel=1e-6)


def test_split_of_segmentation_is_hardly_known():
    """40 % idle is 35 to 45 %: the busier core's share of the saving spans more than a third of its range."""
    found = known("fraglist_gro", "bottleneck", "segmentation_share")
    # (1/630 - 1/770) over (1.3/630 - 1.2/770), in the middle and at both ends of the printed idle time.
    shares = [(1 / 630 - 1 / 770) / (1.3 / 630 - busy / 770) for busy in (1.1, 1.2, 1.3)]

    assert found.median == pytest.approx(shares[1], rel=1e-3)
    assert found.lower < shares[0] and found.upper > shares[2] - 0.1
    # The row of 770 Mbit/s shows that the shaper lets that much pass; nothing shows where it stops.
    assert known("fraglist_gro", "bottleneck", "shaper_gbit").identified == "one-sided"
    assert known("fraglist_gro", "bottleneck", "link_pps").identified in ("one-sided", "prior")


def test_segmentation_removed_is_the_other_row():
    """+22.2 % by the prints under either explanation; what the change gives up is said."""
    answer = whatif(load_path("fraglist_gro"), [2], start="rx-gro-list off", without="software segmentation")

    assert answer.after.variant == "rx-gro-list on"
    assert answer.gain[2, 0] == pytest.approx(770 / 630, rel=0.01)
    assert answer.gain[0, 0] < 765 / 635 and answer.gain[4, 0] > 775 / 625
    assert answer.tradeoffs


def test_stage_that_two_cores_share_is_one_row_of_the_cost():
    """Segmentation costs 6.03 us a packet in all, forwarding 18.6 us, on whatever core."""
    path = load_path("fraglist_gro")
    rows = packet_cost(fitted("fraglist_gro"), path.variant("rx-gro-list off"), 2)
    stages = [row["stage"] for row in rows]
    cost = {row["stage"]: row["ns"] for row in rows}

    assert len(set(stages)) == len(stages)
    assert cost["software segmentation"] == pytest.approx(6028, rel=0.05)
    assert cost["forwarding"] == pytest.approx(18602, rel=0.05)


# page_pool.


def test_recycle_paths_cost_what_was_printed():
    """NAPI-aware +2.95 ns, ptr_ring +7.86 ns and 2.04 times the fast path, with the assumed scatter in the interval."""
    for words in ("each core", "one ring"):
        times = page_pool_recycle.recycle_times_ns(of("page_pool_recycle", words).values)[0, 0]
        check = known("page_pool_recycle", words, "check_ns")

        assert times == pytest.approx(TIMES, abs=1e-3)
        assert check.median == pytest.approx(2.953, abs=1e-3)
        spread = 1.645 * 0.02 * np.hypot(TIMES[0], TIMES[1])
        assert (check.lower, check.upper) == pytest.approx((2.953 - spread, 2.953 + spread), rel=0.02)
    assert page_pool_recycle.fallback(TIMES) == pytest.approx((7.858, 2.0426), abs=1e-3)


def test_fast_path_alone_exceeds_the_budget_of_100_gbit():
    """84 bytes on the wire: 6.72 ns at 100 Gbit/s, of which the fast path takes 1.12; two cores."""
    rows = page_pool_recycle.budget_rows({"fast": (1, 0, 0), "half": (0.5, 0, 0.5)}, TIMES)
    found = {(row["mix"], row["gbit"]): row for row in rows}

    assert [row["budget_ns"] for row in rows[:6]] == pytest.approx([67.2, 26.88, 16.8, 6.72, 3.36, 1.68])
    assert found["fast", 100]["budgets"] == pytest.approx(1.12, abs=0.005)
    assert found["half", 100]["time_ns"] == pytest.approx((7.537 + 15.395) / 2)
    # By hand: ceil(7.537 / budget) and ceil(11.466 / budget).
    assert [found["fast", gbit]["cores"] for gbit in (10, 25, 40, 100, 200, 400)] == [1, 1, 1, 2, 3, 5]
    assert [found["half", gbit]["cores"] for gbit in (10, 25, 40, 100, 200, 400)] == [1, 1, 1, 2, 4, 7]


def test_mixes_broadcast_and_refuse_wrong_shares():
    """Many mixes and many members at once; shares that are none are refused with the ways they stand for."""
    times = page_pool_recycle.recycle_times_ns(of("page_pool_recycle", "each core").member_values)
    mixes = page_pool_recycle.mix_ns([[1, 0, 0], [0.2, 0.3, 0.5]], times)

    assert mixes.shape == (len(times), 2)
    assert mixes[:, 1] == pytest.approx(0.2 * times[:, 0, 0] + 0.3 * times[:, 0, 1] + 0.5 * times[:, 0, 2])
    for wrong in ([0.5, 0.4, 0.2], [1.5, -0.5, 0.0], [1.0], [0.5, 0.5]):
        with pytest.raises(MppsError, match="fast path, NAPI-aware, ptr_ring"):
            page_pool_recycle.mix_ns(wrong, TIMES)


def test_patch_costs_at_most_the_check_and_only_on_the_fast_path():
    """Case 3 gains a call for two comparisons, so 2.95 ns bound it from above; cases 1 and 2 lose comparisons only."""
    rows = page_pool_recycle.patch_cases(load("page_pool_recycle"), TIMES)

    assert [(row["case"], row["comparisons"], row["calls"]) for row in rows] == [("1", -1, 0), ("2", -2, 0), ("3", -2, 1)]
    assert [float(row["at_most_ns"]) for row in rows] == pytest.approx([0, 0, 2.953])


def test_users_of_the_call():
    """Drivers that complete XDP_TX and devmap pay, three others are to be cleaned up, dropping is not affected."""
    rows = {row["user"]: row for row in page_pool_recycle.xdp_users(load("page_pool_recycle"))}

    assert sorted(rows) == ["a", "b", "c", "d", "drop", "e"]
    assert {user for user, row in rows.items() if row["verdict"] == "slower"} == {"a", "e"}
    assert {user for user, row in rows.items() if row["verdict"] == "to be cleaned up"} == {"b", "c", "d"}
    assert rows["drop"]["verdict"] == "not affected" and "XDP_DROP" in rows["drop"]["who"]
    assert "devmap" in rows["e"]["who"] and "XDP_TX" in rows["a"]["who"]


def test_link_is_a_fact_and_clamps():
    """148.8 million 64-byte frames at 100 Gbit/s: reached from two cores on the fast path, never exceeded."""
    one, two, many = rates("page_pool_recycle", "each core", "fast path on a link", [1, 2, 64])
    wire = 100e9 / (8 * 84)

    assert known("page_pool_recycle", "each core", "link_pps").identified == "prior"
    assert value("page_pool_recycle", "each core", "link_pps") == pytest.approx(wire, rel=1e-6)
    assert one == pytest.approx(1e9 / 7.537, rel=2e-3)
    assert wire * 0.999 < two <= many <= wire * (1 + 1e-9)
    assert rates("page_pool_recycle", "each core", "fast path", 2)[0] > wire


def test_one_ring_for_all_cores_limits_them():
    """Under the rival no number of cores returns more than one page each 7.858 ns through the ring."""
    shared = rates("page_pool_recycle", "one ring", "ptr_ring", [1, 2, 64], slowdown=1e-4)
    apart = rates("page_pool_recycle", "each core", "ptr_ring", [1, 2, 64], slowdown=1e-4)

    assert shared[0] == pytest.approx(apart[0]) == pytest.approx(1e9 / 15.395, rel=1e-3)
    assert shared[2] == pytest.approx(1e9 / 7.858 / (1 + 63e-4), rel=1e-3)
    assert apart[2] == pytest.approx(64e9 / 15.395 / (1 + 63e-4), rel=1e-3)


# What the machinery does for them.


def test_work_of_a_station_is_shared_out_without_loss():
    """Station and core together carry the whole demand, whatever the share and the explanation."""
    path = load_path("fraglist_gro")
    variant = path.variant("rx-gro-list off")
    for mechanism in path.mechanisms:
        problem = problem_of(path, "all", mechanism)
        x = np.random.default_rng(3).uniform(problem.lower, problem.upper, (20, len(problem.names)))
        values = problem.values(x)
        numbers = lap(path, variant, mechanism, values, np.array([1, 2, 5]))
        work = numbers.think_ns + (0.0 if numbers.section_ns is None else numbers.section_ns)

        assert work == pytest.approx(np.broadcast_to(values["forwarding_ns"] + values["segmentation_ns"], (20, 3)), abs=2e-3)


def test_interval_over_takes_every_corner():
    """x/y over [1, 2] and [4, 5]."""
    assert interval_over(lambda x, y: x / y, (1, 2), (4, 5)) == pytest.approx((0.2, 0.5))
