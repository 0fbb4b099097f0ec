"""Answers as JSON: their shape, their units, and that they say what the tables and the model say."""

import csv
import hashlib
import itertools
import json

import numpy as np
import pytest

from mpps import answers, compare, paths
from mpps.answers import rows as answer_rows
from mpps.errors import MppsError
from mpps.fit import points_of
from mpps.machine import load_machine
from samples import ROOT

SMALL = ("fraglist_gro", "packet_transmit", "page_pool_recycle", "tun_receive")
ENDS = ("lower", "lower50", "median", "upper50", "upper")
each_small = pytest.mark.parametrize("slug", SMALL)


@pytest.fixture(scope="module")
def fits():
    """The fit's answer of each small path, with one count that nobody measured."""
    return {slug: strict(answers.fit_answer(paths.load_path(slug), at=(64,))) for slug in SMALL}


def strict(document):
    """A document as a program reads it: plain JSON, no NaN, no infinity."""
    return json.loads(json.dumps(document, allow_nan=False))


def printed(dataset):
    """Rows of a CSV: (variant, metric, n) -> value, and the unit of each (variant, metric)."""
    with open(ROOT / "data" / "measurements" / f"{dataset}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    values = {(row["variant"], row["metric"], float(row["n"])): float(row["value"]) for row in rows}
    return values, {(row["variant"], row["metric"]): row["unit"] for row in rows}


def in_order(row):
    return all(0 < row[a] <= row[b] for a, b in itertools.pairwise(ENDS))


# mpps.fit/1


@each_small
def test_a_document_says_what_it_came_from(fits, slug):
    document = fits[slug]
    dataset = document["series"][0]["dataset"]
    file = ROOT / "data" / "measurements" / f"{dataset}.csv"

    assert document["schema"] == "mpps.fit/1" and document["seed"] == 1
    assert {"python", "mpps", "numpy"} <= set(document["versions"])
    assert document["data_sha256"] == {file.name: hashlib.sha256(file.read_bytes()).hexdigest()}
    assert isinstance(document["warnings"], list)


@each_small
def test_there_is_a_series_for_each_variant_and_metric(fits, slug):
    path = paths.load_path(slug)
    expected = [(v.dataset, v.name, metric) for v in path.variants if v.dataset for metric, _ in v.observe]

    assert [(s["dataset"], s["variant"], s["metric"]) for s in fits[slug]["series"]] == expected


@each_small
def test_observed_values_and_units_are_the_printed_ones(fits, slug):
    for series in fits[slug]["series"]:
        values, units = printed(series["dataset"])
        own = {
            n: value
            for (variant, metric, n), value in values.items()
            if (variant, metric) == (series["variant"], series["metric"])
        }

        assert series["unit"] == units[series["variant"], series["metric"]]
        assert {row["n"]: row["observed"] for row in series["predictions"] if row["observed"] is not None} == own
        assert {row["n"] for row in series["predictions"]} == {*own, 64}


@each_small
def test_intervals_are_in_order_and_hold_what_was_measured(fits, slug):
    for series in fits[slug]["series"]:
        for row in series["predictions"]:
            assert in_order(row), row
            assert row["extrapolated"] == (row["n"] == 64)
            assert row["observed"] is None or row["median"] == pytest.approx(row["observed"], rel=0.1)


@each_small
def test_mechanisms_carry_weights_errors_and_parameters(fits, slug):
    for series in fits[slug]["series"]:
        mechanisms = series["mechanisms"]
        weights = [each["weight"] for each in mechanisms]

        assert sum(weights) == pytest.approx(1) and weights == sorted(weights, reverse=True)
        assert all(0 <= each["error"] < 0.5 for each in mechanisms)
        for each in mechanisms:
            assert bool(each["parameters"]) == (each["weight"] >= 0.01)
            for row in each["parameters"]:
                assert {"name", "median", "lower", "upper", "unit", "identified"} <= set(row)
                assert row["identified"] == (row["by"] == "yes")
                assert row["lower"] is None or 0 < row["lower"] <= row["median"] * (1 + 1e-9)
                assert row["upper"] is None or row["upper"] >= row["median"] * (1 - 1e-9)
                if row["identified"]:
                    assert row["lower"] is not None and row["upper"] is not None


@each_small
def test_the_packet_cost_is_the_lap_of_a_sender(fits, slug):
    """n senders and the time of a packet give the rate, within what averaging medians leaves."""
    path = paths.load_path(slug)
    factors = {"kpps": 1e-6, "packets/s": 1e-9, "Mbit/s": 1e-3 / ((path.packet_bytes or 1) * 8)}
    for series in fits[slug]["series"]:
        if series["metric"] == "idle":
            continue
        cost = series["packet_cost"]
        (row,) = (row for row in series["predictions"] if row["n"] == cost["n"])
        per_ns = 1 / row["median"] if series["unit"] == "ns/element" else row["median"] * factors[series["unit"]]

        assert cost["ns"] == pytest.approx(sum(stage["ns"] for stage in cost["stages"]))
        assert cost["n"] / cost["ns"] == pytest.approx(per_ns, rel=0.05)


def test_two_points_are_weighed_by_prior_odds_and_say_so(fits):
    document = fits["tun_receive"]

    assert {series["basis"] for series in document["series"]} == {"prior odds"}
    assert any("2 rows cannot choose among 2 mechanisms" in text for text in document["warnings"])
    assert any("priors only: slowdown" in text for text in document["warnings"])
    assert fits["packet_transmit"]["series"][0]["basis"] == "AICc"


def test_what_has_no_end_is_null(fits):
    """The writer alone limits at any number of streams: there is neither knee nor peak to be found."""
    (series, _) = fits["tun_receive"]["series"]

    assert series["bottleneck"] == "private work"
    assert series["knee_cores"] == {"median": None, "lower": None, "upper": None}
    assert series["peak_cores"]["median"] is None


def test_a_table_of_times_is_answered_in_times(fits):
    """7.537, 10.490 and 15.395 ns; with more cores the time between elements falls."""
    for series, value in zip(fits["page_pool_recycle"]["series"], (7.537, 10.49, 15.395), strict=True):
        first, last = series["predictions"]

        assert first["median"] == pytest.approx(value, rel=0.01)
        assert last["median"] < value / 2
        assert 0 < series["peak_rate"]["lower"] <= series["peak_rate"]["median"] <= series["peak_rate"]["upper"] < value


def test_idle_time_is_what_rate_and_work_leave(fits):
    """35 and 40 % were printed for two cores; more cores than the two streams keep busy idle more."""
    for series in (s for s in fits["fraglist_gro"]["series"] if s["metric"] == "idle"):
        measured, many = series["predictions"]

        assert series["unit"] == "percent" and series["peak_rate"]["median"] is None
        assert measured["median"] == pytest.approx(
            {"rx-gro-list off": 35, "rx-gro-list on": 40}[series["variant"]], abs=1
        )
        assert many["median"] > 90 and many["upper"] < 100


def test_idle_time_never_leaves_its_range(monkeypatch):
    """A busy share that scatters beyond the cores is full use, and an end of an interval stays positive."""
    path = paths.load_path("fraglist_gro")
    fitted = compare.fit(path, "all")
    monkeypatch.setattr(answer_rows, "_busy", lambda fitted, one, variant, n: np.full((50, len(n)), 1.2))
    (row,) = answer_rows.idle_predictions(fitted, path.variants[0], [2], "idle")

    assert 0 < row["lower"] <= row["upper"] < 0.1


# mpps.predict/1


@each_small
def test_all_variants_answer_when_none_is_named(slug):
    path = paths.load_path(slug)
    document = strict(answers.predict_answer(path, [1, 2, 4]))

    assert document["schema"] == "mpps.predict/1"
    assert [series["variant"] for series in document["series"]] == [variant.name for variant in path.variants]
    assert all(series["machine"] == path.machine for series in document["series"])
    assert all([row["n"] for row in series["predictions"]] == [1, 2, 4] for series in document["series"])
    assert all(in_order(row) for series in document["series"] for row in series["predictions"])


def test_both_tables_of_a_path_answer():
    """One path, two data sets, three joint fits: twelve series."""
    path = paths.load_path("pppoe_receive")
    document = strict(answers.predict_answer(path, [1, 8, 16]))
    tables = [series["dataset"] for series in document["series"]]

    assert [tables.count(name) for name in ("pppoe_receive_sync", "pppoe_receive_napi")] == [4, 8]
    assert set(document["data_sha256"]) == {"pppoe_receive_sync.csv", "pppoe_receive_napi.csv"}
    for series in document["series"]:
        assert series["unit"] == "Gbit/s"
        assert all(row["lower"] < row["observed"] < row["upper"] for row in series["predictions"] if row["observed"])


def test_another_machine_is_extrapolated_and_has_an_end():
    document = strict(
        answers.predict_answer(
            paths.load_path("packet_transmit"), [1, 192, 193], machine="epyc_9654", variants=["bypass"]
        )
    )
    rows = document["series"][0]["predictions"]

    assert load_machine("epyc_9654").threads == 192
    assert [row["hypothetical"] for row in rows] == [False, False, True]
    assert all(row["extrapolated"] and row["observed"] is None for row in rows)


def test_assumptions_come_by_their_influence():
    path = paths.load_path("tun_receive")
    document = strict(answers.predict_answer(path, [1, 64], machine="epyc_9654"))
    numbers = [item for item in document["assumptions"] if "name" in item]
    shares = [item["influence"] for item in numbers]

    assert shares == sorted(shares, reverse=True) and len(shares) > 3 and 0.2 < sum(shares) and shares[0] < 1
    assert [item["says"] for item in document["assumptions"] if "name" not in item] == list(path.assumptions)
    assert all(item["name"] in item["says"] and item["why"] in item["says"] for item in numbers)
    assert not any("name" in item for item in strict(answers.predict_answer(path, [1]))["assumptions"])


def test_a_setting_replaces_a_parameter():
    """Without the cost of the backlog both variants are one, and the one without a backlog is not touched."""
    path = paths.load_path("tun_receive")
    plain = strict(answers.predict_answer(path, [1]))["series"]
    document = strict(answers.predict_answer(path, [1], settings={"backlog_ns": 0.001}))["series"]

    assert [series["settings"] for series in document] == [{"backlog_ns": 0.001}, {}]
    assert document[0]["predictions"][0]["median"] == pytest.approx(plain[1]["predictions"][0]["median"], rel=0.01)
    assert document[0]["predictions"][0]["observed"] is None
    assert document[1]["predictions"] == plain[1]["predictions"]


@pytest.mark.parametrize(
    ("slug", "variant", "name", "expected"),
    [
        ("tun_receive", "netif_rx", "backlog_ns", True),
        ("tun_receive", "netif_receive_skb", "backlog_ns", False),
        ("fraglist_gro", "rx-gro-list on", "segmentation_ns", False),
        ("fraglist_gro", "rx-gro-list on", "limit_on_pps", True),
        ("packet_transmit", "qdisc", "cross_ratio", False),
        ("packet_transmit", "qdisc with packet_rcv", "cross_ratio", True),
        ("page_pool_recycle", "fast path", "link_pps", False),
        ("page_pool_recycle", "fast path on a link", "link_pps", True),
        ("pppoe_receive", "no lock", "handoff_peak_ns", False),
        ("pppoe_receive", "no lock", "lock_line_ns", False),
        ("pppoe_receive", "ppp lock only", "lock_line_ns", True),
        ("pppoe_receive", "ppp lock only", "handoff_peak_ns", True),
    ],
)
def test_a_setting_acts_where_the_network_uses_it(slug, variant, name, expected):
    """By what each stage says, and with a hand-off only where there is a lock."""
    path = paths.load_path(slug)
    found = path.variant(variant)

    assert answers.acts(answers.fit_for(path, found), found, name) == expected


def test_a_setting_that_acts_elsewhere_only_is_an_error():
    path = paths.load_path("tun_receive")

    with pytest.raises(MppsError, match="backlog_ns does not act in 'netif_receive_skb': it acts in 'netif_rx'"):
        answers.predict_answer(path, [1], variants=["netif_receive_skb"], settings={"backlog_ns": 3.0})
    with pytest.raises(MppsError, match="does not act in 'netif_receive_skb'"):
        answers.whatif_answer(path, [1], start="netif_receive_skb", settings={"backlog_ns": 3.0})
    with pytest.raises(MppsError, match="backlog_ns = -1: expected a positive number in ns"):
        answers.predict_answer(path, [1], settings={"backlog_ns": -1.0})


def test_the_seed_draws_and_the_same_seed_draws_the_same():
    path = paths.load_path("tun_receive")
    first, again, other = (strict(answers.predict_answer(path, [1, 8], seed=seed)) for seed in (1, 1, 2))

    assert first == again
    assert first["series"] != other["series"] and other["seed"] == 2
    for one, two in zip(first["series"], other["series"], strict=True):
        assert one["predictions"][0]["median"] == pytest.approx(two["predictions"][0]["median"], rel=0.02)


@pytest.mark.parametrize("cores", [range(1, 129), range(1, 257), [1024], [1000, 3, 3, 1]])
def test_core_counts_are_answered_in_parts_that_fit(cores):
    parts = answers._parts(cores)

    assert [n for part in parts for n in part] == sorted(set(cores))
    assert all(len(part) * max(part) <= answers._TOGETHER or len(part) == 1 for part in parts)
    assert len(answers._parts(range(1, 129))) == 1


def test_parts_are_answered_like_one(monkeypatch):
    """The same rates up to the draws of the scatter, whether or not the counts are asked for together."""
    path = paths.load_path("packet_transmit")
    whole = answers.predict_answer(path, range(1, 21), variants=["qdisc"])["series"][0]["predictions"]
    monkeypatch.setattr(answers, "_TOGETHER", 100)
    parts = answers.predict_answer(path, range(1, 21), variants=["qdisc"])["series"][0]["predictions"]

    assert [row["n"] for row in parts] == [row["n"] for row in whole]
    assert [row["median"] for row in parts] == pytest.approx([row["median"] for row in whole], rel=0.02)


# mpps.whatif/1


def test_a_what_if_is_before_after_and_gain():
    """Taking the backlog away is the other row of the table: 867/700."""
    document = strict(
        answers.whatif_answer(paths.load_path("tun_receive"), start="netif_rx", without=["backlog queue"])
    )
    (series,) = document["series"]

    assert document["schema"] == "mpps.whatif/1"
    assert (series["from"], series["change"], series["variant"]) == (
        "netif_rx",
        "without backlog queue",
        "netif_receive_skb",
    )
    assert [row["n"] for row in series["predictions"]] == [row["n"] for row in series["before"]] == [1]
    assert series["gain"][0]["median"] == pytest.approx(867 / 700, rel=0.01)
    assert series["gain"][0]["lower"] < 867 / 700 < series["gain"][0]["upper"]
    assert series["gain_probability"] == [{"n": 1, "p": pytest.approx(1.0, abs=0.01)}]
    assert series["next_bottleneck"] in {row["resource"] for row in series["limits"]}
    assert sum(row["probability"] for row in series["limits"]) == pytest.approx(1)
    assert any("4K stacks" in text for text in series["gives_up"])


def test_a_what_if_that_changes_nothing_is_refused():
    with pytest.raises(MppsError, match="nothing changes"):
        answers.whatif_answer(paths.load_path("tun_receive"), [1], start="netif_rx")


def test_a_ceiling_taken_away_leaves_the_cores():
    """Without the ceiling of the device the bypass is as fast as its private work: n / Z(n), far above at 20 CPUs."""
    (series,) = answers.whatif_answer(
        paths.load_path("packet_transmit"), [2, 20], start="bypass", without=["device ceiling"]
    )["series"]
    two, twenty = series["gain"]

    assert two["median"] == pytest.approx(1, abs=0.03)
    assert twenty["median"] > 1.8
    assert series["next_bottleneck"] == "private work"


def test_points_are_those_that_the_answers_use():
    """The rows that the fits see are as many as the tables print for these variants."""
    for slug in SMALL:
        path = paths.load_path(slug)
        values, _ = printed(path.variants[0].dataset)
        metrics = {metric for variant in path.variants for metric, _ in variant.observe}

        assert len(points_of(path, "all").n) == sum(metric in metrics for _, metric, _ in values)
