"""What notebooks say and draw: numbers as printed, sentences, formulas, rows that add up."""

import csv
import re
import types

import numpy as np
import pytest

from mpps import paths, workbook
from mpps.errors import MppsError
from mpps.pages import mathml
from mpps.path import Check
from mpps.scorecard import Figure
from mpps.workbook.sides import summary_table
from mpps.workbook.source import grouped
from mpps.workbook.words import literal, readable
from samples import ROOT

GREEK = re.compile(r"[\u0370-\u03ff]")


@pytest.fixture(scope="module")
def transmit():
    return workbook.study("packet_transmit")


@pytest.fixture(scope="module")
def pppoe():
    return workbook.study("pppoe_receive", "synchronous")


def printed(dataset):
    """(variant, n, metric) -> the text of the table."""
    with open(ROOT / "data" / "measurements" / f"{dataset}.csv", encoding="utf-8", newline="") as file:
        return {(row["variant"], float(row["n"]), row["metric"]): row["value"] for row in csv.DictReader(file)}


# sentences


@pytest.mark.parametrize(
    ("template", "values", "said"),
    [
        ("{x} ns", {"x": 275.43}, "275 ns"),
        ("{x:2} times", {"x": 4.512}, "4.5 times"),
        ("{x} of {y}", {"x": 20, "y": np.int64(36)}, "20 of 36"),
        ("{x:%}", {"x": 0.0141}, "1.4\u00a0%"),
        ("{x:+%}, {y:+%}", {"x": 0.25, "y": -0.25}, "+25\u00a0%, \u221225\u00a0%"),
        ("{x} ns", {"x": (275.4, 265.0, 285.4)}, "275 (265 to 285) ns"),
        ("{x:%}", {"x": (0.246, 0.195, 0.296)}, "25 (20 to 30)\u00a0%"),
        ("{x:ends} ns", {"x": (275.4, 265.0, 285.4)}, "265 to 285 ns"),
        ("{x}", {"x": (None, None, 161.0)}, "at most 161"),
        ("{x}", {"x": types.SimpleNamespace(median=2.85, lower=2.74, upper=3.06)}, "2.85 (2.74 to 3.06)"),
        ("{x:list}", {"x": ["a", "b", "c"]}, "a, b and c"),
        ("two\n   lines {x}", {"x": "joined"}, "two lines joined"),
    ],
)
def test_a_sentence_writes_its_values_as_people_read_them(template, values, said):
    assert workbook.sentence(template, **values) == said


def test_a_sentence_without_its_value_is_an_error():
    with pytest.raises(KeyError):
        workbook.sentence("{x} and {y}", x=1)


def test_say_keeps_paragraphs_and_items_apart():
    text = workbook.say("First {a}\nline.\n\n- one {a}\n- two\n  goes on", a=1).data
    assert text.split("\n\n") == ["First 1 line.", "- one 1", "- two goes on"]


def test_items_are_listed():
    assert workbook.listed([1, 2, 16]) == "1, 2 and 16"
    assert workbook.listed(["one"]) == "one"
    assert workbook.listed([]) == "none"


def test_large_rates_are_read_in_millions_and_nothing_else_changes():
    assert readable("packets/s", 11.5e6, None, 11.8e6) == ("Mpps", (11.5, None, 11.8))
    assert readable("packets/s", 81274.0, 81266.0, 81283.0)[0] == "packets/s"
    assert readable("ns", 5e6, 4e6, 6e6) == ("ns", (5e6, 4e6, 6e6))


# sources


@pytest.mark.parametrize(
    ("text", "shown"), [("11040732", "11,040,732"), ("49.40", "49.40"), ("1492", "1492"), ("0.5", "0.5")]
)
def test_printed_digits_stay(text, shown):
    assert grouped(text) == shown


@pytest.mark.parametrize(
    "dataset", ["pppoe_receive_sync", "packet_transmit", "fraglist_gro", "tun_receive", "page_pool_recycle"]
)
def test_the_table_of_measurements_holds_every_printed_value(dataset):
    shown = [cell.replace(",", "") for line in workbook.measured(dataset).cells() for cell in line]
    for text in printed(dataset).values():
        assert text in shown


def test_a_card_says_what_the_source_leaves_open():
    card, silence = workbook.card("tun_receive").data, workbook.silence("tun_receive").data
    assert "message 20161201150437" in card and "not stated: commit" in card and "SHA-256" in card
    assert "packets in flight" in silence and "What the source does not say" in silence and "misleads" in silence


def test_printed_changes_are_counted():
    assert "prints 10 changes in percent; 10 of them follow" in workbook.printed_changes("pppoe_receive_sync").data


def test_a_printed_value_comes_with_the_ends_of_its_rounding():
    assert workbook.printed("fraglist_gro", "throughput", "rx-gro-list off") == (630.0, 625.0, 635.0)
    assert workbook.printed("page_pool_recycle", "cycles", "fast path") == (15.0, 15.0, 16.0)  # cut, not rounded
    assert workbook.fact("pppoe_receive_napi", "coalescing") == (3.33, 5.07)


# studies


@pytest.mark.parametrize(
    ("slug", "unit", "factor"),
    [("packet_transmit", "Mpps", 1e-6), ("tun_receive", "Mpps", 1e-3), ("fraglist_gro", "Mbit/s", 1.0)],
)
def test_a_study_shows_measured_rates_as_they_were_printed(slug, unit, factor):
    study = workbook.study(slug)
    assert study.unit == unit
    for (variant, n, metric), text in printed(slug).items():
        if metric == "throughput":
            assert study.observed(variant, int(n)) == pytest.approx(float(text) * factor, rel=1e-9)


def test_times_per_element_become_rates():
    assert workbook.study("page_pool_recycle").observed("fast path", 1) == pytest.approx(1e3 / 7.537)


def test_a_place_that_nobody_measured_is_an_error(transmit):
    with pytest.raises(KeyError, match="nobody measured 'bypass' at 12"):
        transmit.observed("bypass", 12)


def test_forecasts_are_made_once_and_seeded(transmit):
    assert transmit.forecast("bypass", [1, 2]) is transmit.forecast("bypass", [1, 2])
    again = workbook.study("packet_transmit")
    assert np.array_equal(again.forecast("bypass", [1, 2]).quantiles, transmit.forecast("bypass", [1, 2]).quantiles)


def test_believing_leaves_one_explanation_and_its_numbers():
    study = workbook.study("tun_receive")
    alone = workbook.believing(study, study.path.mechanisms[0].name)
    assert [one.weight for one in alone.fitted.mechanisms] == [1.0]
    cost = workbook.at(workbook.parameters(alone), name="backlog_ns")
    assert cost["median"] == pytest.approx(1e6 / 700 - 1e6 / 867, rel=0.01)
    with pytest.raises(MppsError, match="mechanism"):
        workbook.believing(study, "no such thing")


# curves


def test_core_counts_reach_the_end_and_double():
    assert workbook.doubled(1) == [1] and workbook.doubled(48) == [1, 2, 4, 8, 16, 32, 48]
    counts = workbook.counts_to(300)
    assert counts[:20] == list(range(1, 21)) and counts[-1] == 300 and counts == sorted(set(counts))


def test_the_usl_is_that_of_the_published_figures(pppoe, transmit):
    """12.7 and 8.4 % by an independent least-squares fit of each variant (docs/modelling.md)."""
    assert workbook.usl_error(pppoe) == pytest.approx(0.127, abs=0.002)
    assert workbook.usl_error(transmit) == pytest.approx(0.084, abs=0.002)
    assert workbook.usl(workbook.study("tun_receive"), [1, 2]) == []


def test_rows_on_machines_begin_with_the_measured_one(transmit):
    rows = workbook.on_machines(transmit, [1, 4], ["epyc_9654"], "bypass")
    assert [row["slug"] for row in rows] == ["packet_2013_host"] * 2 + ["epyc_9654"] * 2
    assert rows[0]["observed"] is not None and rows[2]["observed"] is None and rows[2]["extrapolated"]


def test_hypothetical_counts_are_said_for_the_machines_that_lack_them(transmit):
    rows = workbook.on_machines(transmit, [64], ["epyc_9654"], "bypass")
    assert "packet-transmit" in workbook.hypothetical(rows).data and "EPYC" not in workbook.hypothetical(rows).data
    assert workbook.hypothetical(rows[1:]).data.startswith("Every machine")


def test_beside_adds_what_was_measured(transmit):
    rows = [{"variant": "bypass", "n": n, "median": 1.0} for n in (11, 12)]
    found = workbook.beside(transmit, rows)
    assert found[0]["observed"] == pytest.approx(11.672676) and found[1]["observed"] is None


def test_exactly_one_row_is_found(transmit):
    with pytest.raises(KeyError, match="2 rows"):
        workbook.at([{"n": 1}, {"n": 1}], n=1)


# fits


def test_weights_are_shares_and_the_small_ones_are_joined(pppoe):
    rows = workbook.weights(pppoe)
    assert sum(row["weight"] for row in rows) == pytest.approx(1.0)
    assert rows[-1]["mechanism"].endswith("others together") and rows[-1]["weight"] < 0.1


@pytest.mark.parametrize(
    ("hows", "said"),
    [
        (("yes", "yes"), "The table fixes all 2 parameters"),
        (("yes", "one-sided"), "The table fixes 1 of 2 parameters and bounds p1 on one side"),
        (
            ("yes", "one-sided", "prior", "no"),
            "The table fixes 1 of 4 parameters, bounds p1 on one side, leaves p2 to priors and says nothing of p3",
        ),
    ],
)
def test_what_a_table_fixes_is_said_in_one_sentence(hows, said):
    assert workbook.identified([{"name": f"p{k}", "how": how} for k, how in enumerate(hows)]) == said


def test_points_inside_their_interval_are_counted():
    rows = [{"observed": x, "lower": 1.0, "upper": 2.0, "median": 1.5} for x in (1.5, 3.0, None)]
    assert workbook.inside(rows) == (1, 2)
    assert workbook.inside_words(rows) == "1 of 2 measured points lie inside their 90\u00a0% interval"
    assert workbook.error_of(rows) == pytest.approx(np.sqrt((0.0**2 + 0.5**2) / 2))


# costs


def test_the_cost_of_a_packet_is_its_measured_time(pppoe):
    """Stages add up to senders over rate: 16 * 1492 * 8 bits / 49.40 Gbit/s = 3866 ns, within the scatter."""
    rows = workbook.cost(pppoe, 16)
    for name in pppoe.variants:
        measured_ns = 16 * 1492 * 8 / pppoe.observed(name, 16)
        assert workbook.total_ns(rows, name) == pytest.approx(measured_ns, rel=0.05)
    assert workbook.share(rows, "no lock", "private", "serial") == pytest.approx(1.0)
    assert workbook.share(rows, "both locks", "wait") > 0.6


def test_limits_cut_the_counts_into_stretches_without_a_gap(transmit):
    regions = workbook.limit_regions(transmit, "bypass", range(1, 21))
    assert [region["label"] for region in regions] == ["private work", "device ceiling"]
    covered = [n for region in regions for n in range(region["low"], region["high"] + 1)]
    assert covered == list(range(1, 21))
    assert workbook.limit(transmit, "bypass", 20) == "device ceiling"


def test_saturated_measurements_imply_the_periods_of_the_source(pppoe):
    """At eight senders one packet leaves every 300.0, 268.5 and 231.8 ns (docs/modelling.md), nearly all of it section."""
    for name, period in (("both locks", 300.0), ("socket lock only", 268.5), ("ppp lock only", 231.8)):
        found = [row for row in workbook.implied(pppoe, name) if row["source"] == "measured with 8"]
        assert found[0]["observed"] == pytest.approx(period, rel=0.05) and found[0]["observed"] <= period
    assert workbook.implied(pppoe, "no lock") == []


def test_sections_rise_to_a_medium_depth_and_fall_after_it(pppoe):
    rows = [row for row in workbook.periods(pppoe, range(1, 13), "both locks") if "section_ns" in row]
    middle = [row["section_ns"] for row in rows]
    top = int(np.argmax(middle)) + 1
    assert 4 <= top <= 7 and middle[0] < 0.7 * max(middle) and middle[-1] < 0.9 * max(middle)
    assert all(row["lower"] <= row["section_ns"] <= row["upper"] for row in rows)


# changes


def test_gains_are_fractions_with_their_probability(transmit):
    change = transmit.whatif([4, 20, 32], start="qdisc", without="qdisc layer")
    rows = workbook.gains(change)
    assert rows[0]["gain"] == pytest.approx(6173956 / 4907799 - 1, abs=0.03) and rows[0]["p"] > 0.99
    assert rows[1]["gain"] == pytest.approx(0.0, abs=0.01) and rows[1]["p"] < 0.1
    assert [row["extrapolated"] for row in rows] == [False, False, True]
    assert "italics" in workbook.gain_table(transmit, change).caption
    assert "buffers nothing" in workbook.gives_up(change).data


# formulas


@pytest.mark.parametrize("slug", paths.names())
def test_every_formula_of_every_path_becomes_mathml(slug):
    path = paths.load_path(slug)
    study = types.SimpleNamespace(path=path, variant=path.variant, variants=tuple(v.name for v in path.variants))
    for text in re.findall(r"\$(.+?)\$", workbook.stages(study).data):
        assert mathml(text).startswith("<math"), text
        assert not GREEK.search(text)
    for mechanism in path.mechanisms:
        study.fitted = types.SimpleNamespace(best=types.SimpleNamespace(mechanism=mechanism))
        for variant in path.variants:
            for text in re.findall(r"\$\$ (.+?) \$\$", workbook.network(study, variant.name).data):
                assert mathml(text).startswith("<math"), text


def test_a_demand_reads_as_words():
    assert (
        workbook.latex("driver_ns*(1 + slowdown*(n - 1))")
        == r"\text{driver} \cdot \left(\text{slowdown} \cdot \left(n - 1\right) + 1\right)"
    )
    assert workbook.latex("lock_pair_ns*(1 - shared)") == r"\text{lock pair} \cdot [n = 1]"
    assert workbook.latex("gain_1**at(n, 1)*gain_16**at(n, 16)") == r"\text{gain}_n"


def test_a_shared_stage_stands_on_both_sides_and_a_ceiling_below():
    study = workbook.study("fraglist_gro")
    text = workbook.network(workbook.believing(study, "one core is the bottleneck"), "rx-gro-list on").data
    assert r"Z(n) = \left(1 - \text{busy share}\right) \cdot \text{forwarding}" in text
    assert r"S = \text{busy share} \cdot \text{forwarding}" in text
    assert r"\le \min\left(\text{link},\; \text{shaper}\right)" in text


# scorecard


def figure(name, kind, value, usl=None, goal=None, pins=()):
    return Figure("x", Check(name, kind, goal=goal, pins=pins), value, usl=usl, note="4 points, more")


def test_only_errors_on_unseen_rows_become_points():
    figures = [
        figure("a", "leave one out", 0.02, usl=0.3),
        figure("b", "fit", 0.01, usl=0.1),
        figure("c", "held out", 0.3, pins=(("p", 1.0),)),
        figure("d", "inside", 1.0),
    ]
    assert workbook.unseen_rows(figures) == [
        {"test": "a", "points": "4 points", "method": "model", "error": 0.02},
        {"test": "a", "points": "4 points", "method": "USL", "error": 0.3},
    ]
    assert workbook.errors(figures, "b", "a") == [0.01, 0.02]
    with pytest.raises(KeyError, match="no figure is called 'e'"):
        workbook.score(figures, "e")


def test_goals_are_shown_with_whether_they_are_met():
    table = workbook.score_table(
        types.SimpleNamespace(path=types.SimpleNamespace(slug="x")),
        [figure("a", "held out", 0.03, goal=0.025), figure("b", "inside", 1.0, goal=1.0)],
    )
    assert [line[1:4] for line in table.cells()] == [["3.0 %", "\u2264 2.5 %", "no"], ["100 %", "\u2265 100 %", "yes"]]


# records


def test_figures_of_a_record_keep_their_ends():
    assert workbook.percent((0.246, None, 0.296)) == {
        "value": 24.6,
        "lower": None,
        "upper": pytest.approx(29.6),
        "unit": "%",
    }
    assert workbook.figure(8.0, "ns") == {"value": 8.0, "unit": "ns"}


def test_a_record_names_every_table_of_its_path(pppoe):
    found = workbook.facts(pppoe)
    assert set(found["data_sha256"]) == {"pppoe_receive_sync.csv", "pppoe_receive_napi.csv"} and found["seed"] == 1
    assert found["question"].endswith("?")


def test_paths_stand_side_by_side(transmit):
    change = transmit.whatif([4], start="qdisc", without="qdisc layer")
    line = workbook.summary(transmit, change, 4)
    assert line["limit"] == "private work" and line["sure"].startswith("36 figures, error 2")
    assert len(summary_table([line]).cells()) == 1
    bar = workbook.work_bar(transmit, "bypass")
    assert bar["lower"] < bar["ns"] < bar["upper"] and bar["ns"] == pytest.approx(1e9 / 1509628, rel=0.05)


@pytest.mark.parametrize(
    "name",
    [
        "a_b*c*`d` $x$ [l](javascript:alert(3))",
        "<b>bold</b> & co",
        "# not a heading",
        "1. no list",
        "- none",
        "_a_ \\*b",
    ],
)
def test_names_in_markdown_are_shown_letter_by_letter(name):
    import html

    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    shown = markdown2html_mistune(f"- {literal(name)}: 1 %")
    assert html.unescape(re.sub(r"</?(ul|li)>", "", shown)).strip() == f"{name}: 1 %"
