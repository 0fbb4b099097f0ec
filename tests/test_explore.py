"""The explorer's answers, against `mpps.predict`, `mpps.lever` and `mpps.fit_table`."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import mpps
from mpps.compare import fit
from mpps.errors import DataError, MppsError, UnknownNameError
from mpps.explain import limits
from mpps.explore import explore, respond
from mpps.lever import lever
from mpps.machine import load_machine
from mpps.paths import load_path, names
from mpps.predict import predict
from mpps.units import from_rate_pps
from samples import ROOT

TABLE = ROOT / "data" / "corpus" / "uprobe_treelock_three_locks.csv"
ENDS = ("lower", "median", "upper")


@pytest.fixture(scope="module")
def locks():
    return explore("pppoe_receive", variant="both locks")


@pytest.fixture(scope="module")
def own():
    return explore(TABLE)


def predicted(path, n, variant, **options):
    """Lower, median and upper rates of `mpps.predict`, packets/s for a table in ns per element, else in its unit."""
    found = predict(path, n, variant=variant, **options)
    return found.unit, np.stack([found.lower, found.median, found.upper])


@pytest.mark.parametrize("slug", names())
def test_at_rest_it_is_the_prediction_for_every_variant(slug):
    explorer, path = explore(slug), load_path(slug)
    first = [scope.variants[0] for scope in path.scopes][:1]
    for variant in first or explorer.model.variants:
        answer = explorer.respond({"variant": variant})
        unit, expected = predicted(path, answer["n"], variant)
        if unit == "ns/element":
            expected = expected / 1e6
        elif unit != answer["frame"]["unit"]:
            expected = expected * {"packets/s": 1e-6, "kpps": 1e-3}[unit]

        assert np.allclose([answer[end] for end in ENDS], expected, rtol=1e-5)
        assert answer["gain"]["median"] == 1 and not answer["gain"]["moved"]


def test_on_another_machine_it_is_the_prediction_there(locks):
    answer = locks.respond({"machine": "epyc_9654", "placement": "spread", "cores": 8})
    expected = predicted(
        load_path("pppoe_receive"), answer["n"], "both locks", machine="epyc_9654", placement="spread"
    )[1]

    assert np.allclose([answer[end] for end in ENDS], expected, rtol=1e-5)
    assert all(answer["extrapolated"]) and not answer["frame"]["observed"]


def test_a_moved_parameter_is_a_lever(locks):
    """Up to the measured counts both keep the correction of the fit and solve the network anew."""
    path = load_path("pppoe_receive")
    rng = np.random.default_rng(1)
    for n in (1, 3, 8, 16):
        values = np.sort(rng.uniform(30, 300, 3))
        found = lever(path, "section_ns", values, n, variant="both locks", against="ppp lock only")
        for k, value in enumerate(values):
            where = {"cores": n, "against": "ppp lock only", "settings": {"section_ns": float(value)}}
            gain = locks.respond(where)["gain"]

            assert np.allclose([gain[end] for end in ENDS], found.gain[[0, 2, 4], k], rtol=1e-9)
            assert gain["probability"] == pytest.approx(found.p[k])


def test_without_a_correction_any_position_is_the_prediction():
    """No station, so nothing is simulated: what moves is solved exactly, under ceilings too."""
    path, explorer = load_path("packet_transmit"), explore("packet_transmit", variant="bypass")
    rng = np.random.default_rng(2)
    for _ in range(4):
        settings = {"driver_ns": rng.uniform(150, 900), "device_pps": rng.uniform(4e6, 4e7)}
        answer = explorer.respond({"settings": settings, "cores": int(rng.integers(1, 64))})
        expected = predicted(path, answer["n"], "bypass", settings=settings)[1] / 1e6

        # Beyond the data the chance of an unseen bottleneck stays that of the fit.
        assert np.allclose([answer[end] for end in ENDS], expected, rtol=0.02)
        measured = np.array(answer["n"]) <= answer["frame"]["measured"][1]
        within = np.array([answer[end] for end in ENDS])[:, measured]
        assert np.allclose(within, expected[:, measured], rtol=1e-5)


def test_simulated_is_the_prediction_of_that_position(locks):
    settings = {"handoff_peak_ns": 60.0}
    found = locks.simulate({"settings": settings, "cores": 8})
    expected = predicted(load_path("pppoe_receive"), found["n"], "both locks", settings=settings)[1]

    assert np.allclose([found[end] for end in ENDS], expected, rtol=1e-5)
    # Away from the knee the fitted correction does as well.
    moved = locks.respond({"settings": settings, "cores": 8})
    far = np.array(found["n"]) >= 8
    assert np.allclose(np.array(moved["median"])[far], np.array(found["median"])[far], rtol=0.05)


def test_what_limits_and_what_a_packet_costs(locks):
    full = locks.respond({"cores": 16})
    free = locks.respond({"cores": 16, "settings": {"section_ns": 10.0, "lock_line_ns": 4.0, "handoff_peak_ns": 19.0}})
    rate_pps = from_rate_pps(1.0, full["frame"]["unit"], 1492)

    assert full["limits"][0] == {"resource": "receive lock", "probability": 1.0}
    assert free["limits"][0]["resource"] == "private work"
    for answer in (full, free):
        cost = answer["cost"]
        assert sum(part["ns"] for part in cost["stages"]) == pytest.approx(cost["ns"], rel=2e-3)
        assert cost["ns"] == pytest.approx(16e9 / (answer["here"]["median"] / rate_pps), rel=0.01)
    waits = [
        next(p["share"] for p in a["cost"]["stages"] if p["stage"] == "hand-off and waiting") for a in (full, free)
    ]
    assert waits[0] > 0.5 > waits[1]


def test_limits_are_those_of_the_model():
    settings = {"section_ns": 60.0}
    for where in ({}, {"machine": "epyc_9654"}):
        explorer = explore("pppoe_receive", cores_max=16, **where)
        machine = load_machine(where["machine"]) if where else None
        for n in (1, 3, 16):
            found = explorer.respond({"cores": n, "settings": settings})["limits"]
            fitted = explorer.model.fitted(explorer.model.variants["both locks"])
            rows = limits(fitted, fitted.path.variant("both locks"), [n], machine=machine, settings=settings)

            assert found == [{"resource": row["resource"], "probability": row["probability"]} for row in rows]


def test_ranges_hold_the_interval_and_more(locks, own):
    for explorer in (locks, own):
        for control in explorer.answer["frame"]["controls"]:
            assert (
                0
                < control["low"]
                <= control["lower"]
                <= control["median"]
                <= control["upper"]
                <= control["high"] * 1.0001
            )
            ends = [explorer.respond({"settings": {control["name"]: control[end]}}) for end in ("low", "high")]
            for answer in ends:
                assert np.isfinite([answer[end] for end in ENDS]).all() and min(answer["lower"]) > 0
                json.dumps(answer, allow_nan=False)


def test_only_what_the_variant_uses_has_a_slider():
    locked = {control["name"] for control in explore("pppoe_receive", variant="both locks").answer["frame"]["controls"]}
    free = {control["name"] for control in explore("pppoe_receive", variant="no lock").answer["frame"]["controls"]}

    assert {"section_ns", "handoff_peak_ns", "private_ns"} <= locked
    assert free == {"private_ns", "shared_line_ns", "slowdown_ns"}


@pytest.mark.parametrize(
    ("position", "complaint"),
    [
        ({"settings": {"sectoin_ns": 40}}, "section_ns"),
        ({"settings": {"coalescing": 4}}, "unknown parameter 'coalescing'"),
        ({"settings": {"section_ns": 0}}, "expected a positive number"),
        ({"settings": {"section_ns": float("inf")}}, "expected a positive number"),
        ({"settings": {"section_ns": "40"}}, "expected a positive number"),
        ({"settings": [1]}, "mapping"),
        ({"cores": 0}, "whole number from 1"),
        ({"cores": 2.5}, "whole number from 1"),
        ({"cores": True}, "whole number from 1"),
        ({"variant": "both lock"}, "both locks"),
        ({"machine": "epyc"}, "unknown machine"),
        ({"placement": "scattered"}, "spread"),
        ({"against": "no lock, GRO on"}, "as fitted"),
        ({"core": 3}, "cores"),
        ("8", "mapping"),
    ],
)
def test_positions_that_are_none(locks, position, complaint):
    before = locks.position
    with pytest.raises(MppsError, match=complaint):
        respond(locks, position)
    assert locks.position == before


def test_moving_and_going_back(locks):
    moved = locks.move(cores=8, section_ns=40)
    assert locks.position.settings == {"section_ns": 40.0} and moved["here"]["n"] == 8
    with pytest.raises(UnknownNameError):
        locks.move(nothing_ns=3)
    assert locks.answer is moved
    assert locks.move(section_ns=None)["gain"]["moved"] is False
    locks.move(lock_line_ns=9)
    assert locks.move(reset=True, cores=16)["position"]["settings"] == {}


def test_a_new_choice_drops_what_it_does_not_have(locks):
    locks.move(against="no lock", section_ns=40)
    answer = locks.follow({**locks.position.as_dict(), "variant": "both locks, GRO on"})

    assert answer["position"]["settings"] == {} and answer["position"]["against"] == "no lock"
    answer = locks.follow({**answer["position"], "variant": "no lock"})
    assert answer["position"]["against"] == "as fitted"
    locks.move(reset=True, variant="both locks", cores=16)


def test_a_fit_of_its_own():
    path = load_path("tun_receive")
    explorer = explore(fit(path, "all"), variant="netif_receive_skb", cores_max=16)

    assert explorer.answer["n"][-1] == 16 and explorer.answer["position"]["variant"] == "netif_receive_skb"
    assert explore(path).answer["here"]["median"] > 0
    with pytest.raises(MppsError, match="netif_rx"):
        explore(fit(path, "all"), variant="nothing")


# A table of one's own


def test_a_table_at_rest_is_its_prediction(own):
    answer = own.respond({"cores": 7})
    rows = mpps.predict_table(TABLE, answer["n"], variants=["spinlock"])["series"][0]["predictions"]

    assert np.allclose([answer[end] for end in ENDS], [[row[end] for row in rows] for end in ENDS], rtol=1e-5)
    found = mpps.fit_table(TABLE, variants=["spinlock"])["series"][0]
    last = own.respond({"cores": found["largest"]})
    assert last["limits"][0] == {"resource": found["bottleneck"], "probability": found["bottleneck_probability"]}
    assert last["cost"]["ns"] == pytest.approx(found["lap_cost"]["ns"], rel=0.02)


def test_a_chosen_explanation_is_its_formula(own):
    """One station without hand-off at n = 2: X/x = 2 (1 - s^2/(1 + s^2)), by hand from two senders and one server."""
    rest = own.respond({"explanation": "station", "cores": 2})
    before = {
        share: own.respond({"explanation": "station", "cores": 2, "settings": {"section": share}})
        for share in (0.2, 0.6)
    }
    # Section s and private work 1 - s of a lone lap, exponential: mean value analysis of two senders.
    by_hand = lambda s: 2 / (1 - s + s * (1 + s))
    ratio = before[0.2]["here"]["median"] / before[0.6]["here"]["median"]

    assert len(rest["frame"]["controls"]) == 2
    assert ratio == pytest.approx(by_hand(0.2) / by_hand(0.6), rel=0.01)


def test_a_lone_lap_of_half_the_time_doubles_all_rates(own):
    lap = next(control for control in own.answer["frame"]["controls"] if control["name"] == "lone_lap")
    slow, fast = (own.respond({"settings": {"lone_lap": lap["median"] / part}}) for part in (1, 2))

    assert np.allclose(np.array(fast["median"]) / slow["median"], 2, rtol=1e-4)


def test_one_series_against_another(own):
    answer = own.respond({"against": "percpu_rwsem", "cores": 10})
    other = own.respond({"variant": "percpu_rwsem", "cores": 10})

    assert answer["gain"]["median"] == pytest.approx(answer["here"]["median"] / other["here"]["median"], rel=0.05)
    assert answer["reference"] == other["median"]


def test_an_answer_of_fit_table_is_taken_as_its_table(own, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("cores,Mpps\n1,1.0\n2,1.9\n4,3.1\n8,3.6\n", encoding="utf-8")
    document = mpps.fit_table(file)
    explorer = explore(document)

    assert explorer.answer["frame"]["unit"] == "Mpps"
    assert [row["rate"] for row in explorer.answer["frame"]["observed"]] == [1.0, 1.9, 3.1, 3.6]
    file.write_text("cores,Mpps\n1,1.0\n2,1.9\n4,3.1\n8,3.7\n", encoding="utf-8")
    with pytest.raises(DataError, match="has changed"):
        explore(document)


@pytest.mark.parametrize(
    ("what", "options", "complaint"),
    [
        ("pppoe_recieve", {}, "pppoe_receive"),
        ("no/such/file.csv", {}, "no/such/file.csv"),
        ({"schema": "mpps.fit/1"}, {}, "names no file"),
        (TABLE, {"variant": "spinlok"}, "spinlock"),
        (TABLE, {"machine": "epyc_9654"}, "code path"),
        ("tun_receive", {"unit": "Mpps"}, "no use for"),
        ("tun_receive", {"cores_max": 1}, "from 2 to"),
        ("tun_receive", {"machine": "nothing"}, "unknown machine"),
        ("tun_receive", {"settings": {"nothing": 1}}, "unknown parameter"),
    ],
)
def test_what_cannot_be_explored(what, options, complaint):
    with pytest.raises(MppsError, match=complaint):
        explore(what, **options)


# What shows it, and what loads it


def test_without_a_front_end_it_shows_a_picture_and_a_sentence(locks):
    bundle = locks._repr_mimebundle_()

    assert set(bundle) == {"image/svg+xml", "text/plain"}
    assert bundle["image/svg+xml"].startswith("<svg") and "With 16 senders" in bundle["text/plain"]
    assert bundle["text/plain"] in repr(locks)


def test_in_a_batch_it_is_a_chart_and_loads_no_widget():
    """The kernels of a batch draw no picture either: the exporter does."""
    code = (
        "import os, sys; os.environ['MPPS_CHARTS'] = 'json'; import mpps\n"
        "e = mpps.explore('tun_receive', cores=2, settings={'deliver_ns': 100})\n"
        "bundle = e._repr_mimebundle_()\n"
        "assert set(bundle) == {'application/vnd.vegalite.v6+json', 'text/plain'}, set(bundle)\n"
        "text = str(bundle); assert 'moved' in text and 'as fitted' in text\n"
        "assert not {'mpps.explore.live', 'vl_convert'} & set(sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT / "model")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert run.stderr == ""


def test_the_widget_answers_and_stays_alive(own):
    """What the screen sends and gets, without a screen."""
    widget = own.widget
    section = next(control for control in own.answer["frame"]["controls"] if control["name"] == "section")
    position = {**own.position.as_dict(), "cores": 4, "settings": {"section": section["lower"]}}
    widget.asked = {"number": 1, "position": position}
    assert widget.answer["number"] == 1 and widget.answer["here"] == own.respond(position)["here"]
    widget.asked = {"number": 2, "position": {**position, "settings": {"section": -1}}}
    assert widget.answer["number"] == 2 and "positive number" in widget.answer["trouble"]
    assert widget.answer["position"] == own.position.as_dict() == position
    widget.asked = {"number": 3, "simulate": True}
    assert "exact" in widget.answer["trouble"]
    own.move(reset=True, cores=20)
    assert widget.answer["here"]["n"] == 20 and widget.answer["trouble"] == ""


def test_the_screen_needs_no_network():
    """One module and one style, nothing fetched."""
    for name in ("front.js", "front.css"):
        text = (ROOT / "model" / "mpps" / "explore" / name).read_text(encoding="utf-8")
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|\bimport\b.*\bfrom\b|import\(|@import|url\(", text)


def test_the_page_of_the_docs_runs():
    page = (ROOT / "docs" / "explore.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        env=os.environ | {"PYTHONPATH": str(ROOT / "model")},
        capture_output=True,
        text=True,
        check=True,
    )

    assert re.match(r"With 8 senders: .*Gbit/s\. .*times the rate of the fit.*What limits", run.stdout)


def test_answers_of_a_notebook_name_what_they_are_about(locks, own):
    from mpps import charts, workbook

    moved = locks.respond({"settings": {"section_ns": 60.0}})
    first, second, third = workbook.explored_words(locks.answer, moved, own.answer, "Section")
    assert first.startswith("PPPoE receive, both locks: with ") and third.startswith(f"{TABLE.name}, ")
    assert (
        second.startswith("The same with section at two thirds of its median: with ")
        and "times the rate of the fit" in second
    )
    chart = charts.spec(workbook.moved_chart(locks.answer, moved, "section"))
    assert chart["title"]["text"][0].startswith("Section at two thirds") and "as fitted" in " ".join(
        chart["title"]["text"]
    )
    assert "both locks, moved" in json.dumps(chart) and "both locks, as fitted" in json.dumps(chart)
