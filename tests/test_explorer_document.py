"""The explorer's document against the model that it stands for, and what a page makes of it."""

import dataclasses
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpps import workbook
from mpps.charts import style
from mpps.errors import MppsError
from mpps.explorer import MIME, minify
from mpps.explorer.document import counts_to, leading
from mpps.explorer.error import random_moves
from mpps.explorer.knots import TOLERANCE, knots, unfolded
from mpps.explorer.own import known_mechanism, own_model, own_rounding
from mpps.explorer.page import OUTLINES, has, html, once
from mpps.explorer.replay import rates_pps
from mpps.explorer.sliders import FACTORS, HANDOFF_FACTORS, Moves, coalescing_of, moved
from mpps.path import lap, rate_pps
from mpps.predict import correction
from mpps.table.mechanisms import MECHANISMS

STUDIES = {
    "pppoe_receive": ("synchronous", "all"),
    "packet_transmit": ("all",),
    "tun_receive": ("all",),
    "fraglist_gro": ("all",),
    "page_pool_recycle": ("all",),
}


@pytest.fixture(scope="module")
def explored():
    """Path -> its studies and the document of an explorer over them."""
    found = {}
    for slug, scopes in STUDIES.items():
        studies = [workbook.study(slug, scope) for scope in scopes]
        found[slug] = studies, workbook.explorer(*studies).document
    return found


def cases(explored, slug):
    """(document, entry, its model, fit, mechanism's fit, variant) of every variant under every leading explanation."""
    studies, document = explored[slug]
    for entry in document["variants"]:
        study = next(one for one in studies if entry["name"] in one.variants)
        for one, model in zip(leading(study.fitted), entry["models"], strict=True):
            yield document, entry, model, study, one, study.variant(entry["name"])


def as_predicted(model, path, variant, one, values, n, offset):
    """Rates of the path: beyond the measured counts with the hand-off held at the depth that the document names."""
    rate = rate_pps(path, variant, one.mechanism, values, n, offset)[0]
    if not model["stays"]:
        return rate
    held = dataclasses.replace(one.mechanism, clamp_depth=model["stays"][1])
    return np.where(n > model["stays"][0], rate_pps(path, variant, held, values, n, offset)[0], rate)


def test_beyond_the_measured_counts_the_hand_off_stays_as_in_most_draws_of_a_prediction(explored):
    """With both locks the curve stays where the predicted median is; going on it would be half as high again."""
    studies, document = explored["pppoe_receive"]
    entry = next(one for one in document["variants"] if one["name"] == "both locks")
    model = entry["models"][0]
    count, depth, stays = model["stays"]
    assert (
        count == 16
        and 12 < depth < 16
        and 0 < stays < max(unfolded(document["mechanisms"][0]["handoff"], np.arange(1, 65)))
    )
    far = document["per_pps"] * rates_pps(document, model, np.array([64]))[0]
    going_on = document["per_pps"] * rates_pps(document, model | {"stays": None}, np.array([64]))[0]
    predicted = studies[0].rate("both locks", 64)
    assert abs(far / predicted[0] - 1) < 0.1 < going_on / far - 1


@pytest.mark.parametrize("slug", STUDIES)
def test_as_fitted_the_document_says_what_the_model_says(explored, slug):
    for document, _, model, study, one, variant in cases(explored, slug):
        n = np.arange(1, document["last"] + 1)
        offset = correction(study.fitted, one, variant, one.mechanism, one.values, n)[0]
        exact = as_predicted(model, study.path, variant, one, one.values, n, offset)
        assert np.abs(rates_pps(document, model, n) / exact - 1).max() <= 3e-5


@pytest.mark.parametrize("slug", STUDIES)
def test_wherever_the_sliders_stand_the_document_follows_the_model(explored, slug):
    rng = np.random.default_rng(8)
    for document, _, model, study, one, variant in cases(explored, slug):
        moves = random_moves(rng, coalescing_of(study.path, variant) is not None)
        n = np.array(document["counts"])
        path, changed, values = moved(study.path, variant, one.mechanism, one.values, moves)
        offset = correction(study.fitted, one, variant, one.mechanism, one.values, n)[0]
        exact = as_predicted(model, path, changed, one, values, n, offset)
        assert np.abs(rates_pps(document, model, n, moves) / exact - 1).max() <= 3e-5
    assert 0 < document["rounding"] <= 3e-5


@pytest.mark.parametrize("slug", STUDIES)
def test_a_slider_moves_its_own_demand_and_no_other(explored, slug):
    """What one lap asks, before and after: against the numbers of the path as it is."""
    n = np.array([1, 2, 7])
    for *_, study, one, variant in cases(explored, slug):
        before = lap(study.path, variant, one.mechanism, one.values, n)
        path, changed, values = moved(study.path, variant, one.mechanism, one.values, Moves(0.5, 1.0, 2.0, 3.0))
        after = lap(path, changed, one.mechanism, values, n)
        np.testing.assert_allclose(after.think_ns, 2.0 * before.think_ns, rtol=1e-12)
        np.testing.assert_allclose(after.ceiling_pps, 3.0 * before.ceiling_pps, rtol=1e-12)
        assert (after.section_ns is None) == (before.section_ns is None)
        if before.section_ns is not None:
            np.testing.assert_allclose(after.section_ns, 0.5 * before.section_ns, rtol=1e-12)


def test_coalescing_divides_what_an_skb_costs(explored):
    """With c packets in an skb a lap is c times the work of a packet and once that of an skb, on core and lock."""
    _, document = explored["pppoe_receive"]
    entry = next(one for one in document["variants"] if one["name"] == "both locks, GRO on")
    fitted, alone, many = (
        rates_pps(document, entry["models"][0], [1], Moves(coalescing=c))[0] for c in (None, 1.0, 64.0)
    )
    assert alone < fitted < many
    model = entry["models"][0]
    per_packet, per_skb = (float(unfolded(flat, [1])[0]) for flat in model["private"])
    section = float(unfolded(model["section"][1], [1])[0])
    assert 1e9 / many == pytest.approx(per_packet + (per_skb + section) / 64, rel=1e-5)


def test_a_slider_is_there_for_what_a_path_has(explored):
    def sliders(slug):
        text = html(explored[slug][1], 1)
        return re.findall(r'<input type="range" id="explore-(\w+)"', text)

    assert sliders("pppoe_receive") == ["cores", "private", "section", "handoff", "coalescing"]
    assert sliders("packet_transmit") == ["cores", "private", "ceiling"]
    assert sliders("tun_receive") == ["cores", "private"]
    bare = next(one for one in explored["pppoe_receive"][1]["variants"] if one["name"] == "no lock")
    assert [has(bare["models"][0], name) for name in ("private", "section", "handoff", "coalescing")] == [
        True,
        False,
        False,
        False,
    ]


def test_the_document_holds_what_was_measured(explored):
    _, document = explored["packet_transmit"]
    entry = document["variants"][0]
    study = explored["packet_transmit"][0][0]
    assert [point[0] for point in entry["points"]] == study.counts(entry["name"])
    assert all(
        point[1] == pytest.approx(study.observed(entry["name"], point[0]), rel=1e-4) for point in entry["points"]
    )
    assert all(point[2].startswith("packet_transmit.csv line ") for point in entry["points"])
    assert all(low < high for low, high in zip(entry["band"]["lower"], entry["band"]["upper"], strict=True))


def test_the_document_is_small_json(explored):
    for _, document in explored.values():
        text = json.dumps(document, allow_nan=False)
        assert len(text) < 80_000


def test_settings_begin_and_end_where_people_expect_and_hold_the_fitted_one():
    assert FACTORS[0] == 0.25 and FACTORS[-1] == 4.0 and 1.0 in FACTORS and 0.5 in FACTORS
    assert HANDOFF_FACTORS[0] == 0.0 and HANDOFF_FACTORS[5:] == FACTORS
    assert list(FACTORS) == sorted(set(FACTORS))
    assert counts_to(128, (41,))[-1] == 128 and 41 in counts_to(128, (41,)) and counts_to(16) == list(range(1, 17))


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=200), st.sampled_from([1, 2, 4]))
def test_knots_are_near_every_point(values, parts):
    x = 1 + np.arange(len(values)) / parts
    flat = knots(x, values)
    assert len(flat) <= 2 * len(values)
    off = np.abs(unfolded(flat, x) - values).max()
    assert off <= (TOLERANCE + 2e-6) * max(np.abs(values).max(), 1e-300)


def test_a_straight_line_needs_two_knots():
    assert knots(np.arange(1, 129), 600 + 13.7 * np.arange(1, 129)) == [1, 613.7, 128, 2353.6]


def test_what_a_notebook_shows_is_the_document_a_drawing_and_a_sentence():
    study = workbook.study("packet_transmit")
    shown = workbook.explorer(study, variant="qdisc", n=4)._repr_mimebundle_()
    assert set(shown) == {MIME, "text/plain", "image/svg+xml"}
    assert shown[MIME]["start"] == {"variant": "qdisc", "cores": 4}
    assert shown["text/plain"].startswith("qdisc with 4 CPUs: ") and shown["text/plain"].count("Mpps") == 1
    drawn = ElementTree.fromstring(shown["image/svg+xml"])
    assert len(drawn.findall("{*}circle")) == len(study.counts("qdisc"))


@pytest.mark.parametrize(
    "mechanism", [one for one in MECHANISMS if known_mechanism(one.name)], ids=lambda one: one.name
)
def test_a_mechanism_of_a_table_is_the_same_curve_in_the_document(mechanism):
    """At quantities all over their ranges; a ceiling without a bend is rounded off by a thousandth."""
    rng, found = np.random.default_rng(2), {"name": mechanism.name, "words": mechanism.words, "weight": 1.0}
    for _ in range(4):
        places = rng.uniform(0.25, 0.75, len(mechanism.quantities))
        values = {
            q.name: q.low * (q.high / q.low) ** place for q, place in zip(mechanism.quantities, places, strict=True)
        }
        document = {"last": 64, "mechanisms": []}
        model = own_model(document["mechanisms"], found, values, 700.0, 64)
        allowed = 1.1e-3 if mechanism.ceiling == "hard" else 5e-5
        assert own_rounding(document, model, found, values, 700.0) <= allowed
        alone = rates_pps(document, model, [1])[0]
        assert alone == pytest.approx(1e9 / 700.0, rel=5e-3 if mechanism.ceiling else 1e-5)


def test_two_stations_in_a_row_have_no_explorer():
    assert known_mechanism("station pair") is None and known_mechanism("no such mechanism") is None


def test_a_table_of_ones_own_has_an_explorer():
    fit = workbook.own_fit("data/corpus/uprobe_treelock_three_locks.csv", [32, 64], variants=["spinlock"])
    document = workbook.own_explorer(fit).document
    assert document["thing"] == "operation" and document["last"] == 64
    assert [entry["name"] for entry in document["variants"]] == [each["name"] for each in fit.series]
    for entry, each in zip(document["variants"], fit.series, strict=True):
        measured = {row["n"]: row["observed"] for row in each["predictions"] if row["observed"] is not None}
        assert {point[0]: point[1] for point in entry["points"]} == pytest.approx(measured, rel=1e-4)
        n = np.array(sorted(measured))
        model = document["per_pps"] * rates_pps(document, entry["models"][0], n)
        off = np.log(model / [measured[count] for count in n])
        assert np.sqrt(np.mean(off**2)) < 0.15


def test_a_table_without_a_rate_of_operations_says_that_it_has_none(tmp_path):
    rows = "".join(f"a,{n},throughput,{rate},Gbit/s\n" for n, rate in ((1, 1.0), (2, 1.9), (4, 3.6), (8, 6.5)))
    file = tmp_path / "bits.csv"
    file.write_text(f"variant,n,metric,value,unit\n{rows}", encoding="utf-8")
    assert "No explorer" in workbook.own_explorer(workbook.own_fit(str(file))).data


def test_an_unknown_variant_is_told():
    with pytest.raises(MppsError, match="no such variant"):
        workbook.explorer(workbook.study("tun_receive"), variant="no such variant")


def test_names_are_text_wherever_they_stand(explored):
    evil = "</script><img src=x onerror=alert(1)>\"&'<!--"
    document = json.loads(json.dumps(explored["tun_receive"][1]))
    document |= {"title": evil, "unit": evil, "sender": evil, "senders": evil}
    document["variants"][0]["name"] = document["start"]["variant"] = evil
    document["mechanisms"][0] |= {"name": evil, "words": evil}
    document["variants"][0]["points"][0][2] = evil
    text = html(document, 1)
    assert "<img" not in text and "<!--" not in text and text.count("</script>") == 1
    held = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    assert held["variants"][0]["name"] == evil


def test_style_and_scripts_are_small_and_ask_for_nothing():
    text = once()
    assert len(text.encode()) < 26 * 1024
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert "innerHTML" not in text and "eval" not in text and "/*" not in text


def test_several_explorers_of_a_page_have_names_of_their_own(explored):
    document = explored["tun_receive"][1]
    assert 'id="explore"' in html(document, 1) and 'id="explore2"' in html(document, 2)


def test_shortening_leaves_strings_alone():
    assert (
        minify.script('var a = "x  /* y */ ; z"; /* gone */\n  b = a - -1 + +c;')
        == 'var a="x  /* y */ ; z";b=a- -1+ +c;'
    )
    assert minify.sheet("a { b: c; /* d */ }\n@media (x) { e f { g: h } }") == "a{b:c}@media (x){e f{g:h}}"


def test_every_shape_of_the_charts_has_an_outline():
    assert set(OUTLINES) == set(style.SHAPES)
