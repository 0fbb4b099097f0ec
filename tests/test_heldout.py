"""Rows left out: against other ways to leave them out, and against what cannot be known without them."""

import itertools
import json
import types

import numpy as np
import pytest

import synthetic
from mpps import compare, fit, heldout, paths
from mpps.baseline import fit_usl
from mpps.heldout.folds import predictable
from mpps.heldout.words import leverage
from mpps.predict import predict

TRANSMIT = paths.load_path("packet_transmit")
TAP = "qdisc with packet_rcv"


@pytest.fixture(scope="module")
def fitted():
    return compare.fit(TRANSMIT, "all")


@pytest.fixture(scope="module")
def rows():
    return heldout.path_rows(TRANSMIT)


def of(rows, kind, **where):
    return [row for row in rows if row["kind"] == kind and all(row[key] == value for key, value in where.items())]


def test_only_tables_with_a_curve_are_left_out():
    assert heldout.curves(TRANSMIT) == ("packet_transmit",)
    assert heldout.curves(paths.load_path("pppoe_receive")) == ("pppoe_receive_sync", "pppoe_receive_napi")
    for slug in ("tun_receive", "fraglist_gro", "page_pool_recycle"):
        assert heldout.curves(paths.load_path(slug)) == ()
        assert heldout.path_rows(paths.load_path(slug)) == []


def test_a_table_is_judged_by_the_smallest_joint_fit_that_holds_it():
    path = paths.load_path("pppoe_receive")

    assert heldout.scope_of(path, "pppoe_receive_sync") == "synchronous"
    assert heldout.scope_of(path, "pppoe_receive_napi") == "all"


def test_one_point_is_predicted_as_by_a_hold_out_of_it_alone(fitted, rows):
    """The averaged prediction is that of `compare.hold_out`, which shares no line with it but the solver."""
    folds = compare.hold_out(fitted, compare.leave_one_out(fitted.points))
    expected = [float((fold.predicted - fold.observed)[0]) for fold in folds.values()]

    assert [row["averaged"] for row in of(rows, heldout.ONE)] == pytest.approx(expected, abs=1e-6)
    assert len(of(rows, heldout.ONE)) == len(fitted.points.n)


def test_the_prediction_does_not_depend_on_the_value_left_out(fitted):
    """Another value in the row, the same prediction of it."""
    mask = compare.rows_of(fitted.points, [("bypass", 5)])
    (one, _, _) = heldout.refits(fitted, {"a": mask})["a"]
    moved = np.array(fitted.points.value)
    moved[mask] += 0.3
    changed = types.SimpleNamespace(**{**vars(fitted), "mechanisms": tuple(_moved(m, moved) for m in fitted.mechanisms), "points": _points(fitted.points, moved)})
    (other, _, _) = heldout.refits(changed, {"a": mask})["a"]
    medians = [predict(TRANSMIT, [5], variant="bypass", fitted=each).median[0] for each in (one, other)]

    assert not mask.all() and mask.sum() == 1
    assert medians[1] == pytest.approx(medians[0], rel=1e-4)


def _points(points, value):
    from dataclasses import replace

    return replace(points, value=value)


def _moved(one, value):
    from dataclasses import replace

    return replace(one, problem=replace(one.problem, points=_points(one.problem.points, value)))


def test_the_largest_counts_are_those_of_a_fit_that_never_saw_them(rows):
    hidden = tuple((variant.name, 20) for variant in TRANSMIT.variants)
    forecast = predict(TRANSMIT, [20], variant=TAP, fitted=compare.fit(TRANSMIT, "all", held_out=hidden))
    (row,) = of(rows, heldout.LARGEST, variant=TAP)

    assert (row["lower"], row["median"], row["upper"]) == pytest.approx(forecast.quantiles[[0, 2, 4], 0])
    assert [row["n"] for row in of(rows, heldout.LARGEST)] == [20, 20, 20]
    assert row["rows_left_out"] == 3 and row["nearest"] == [11, None]


def test_the_baseline_is_fitted_to_what_remains_of_the_variant(rows):
    (row,) = of(rows, heldout.ONE, variant="qdisc", n=4)
    points = compare.points_of(TRANSMIT, "all")
    keep = compare.rows_of(points, [("qdisc", None)]) & (points.n != 4)
    law = fit_usl(points.n[keep], np.exp(points.value[keep]), scale="log")

    assert row["usl"] == pytest.approx(law.predict([4.0])[0])
    assert [row["usl_lower"], row["usl_upper"]] == pytest.approx([end[0] for end in law.interval([4.0])])
    assert all(row["usl"] is None for row in of(rows, heldout.VARIANT))


def test_what_only_a_variant_knows_is_not_predicted_without_it(fitted, rows):
    """Deliveries happen in one variant only, and not with a single sender; without the bypass only a sum is known."""
    assert [row["n"] for row in of(rows, heldout.VARIANT, variant=TAP)] == [1]
    assert len(of(rows, heldout.VARIANT, variant="qdisc")) == 12
    assert not of(rows, heldout.VARIANT, variant="bypass", n=1)


@pytest.mark.parametrize(("demand", "known"), [("work_ns", True), ("work_ns + rest_ns*shared", False)])
def test_a_row_is_predictable_where_the_others_know_its_parameters(demand, known):
    """The cost of sharing is in no row with one sender."""
    parameters = (
        synthetic.Parameter("work_ns", "ns", 1.0, 1e6, "work"),
        synthetic.Parameter("rest_ns", "ns", 1.0, 1e6, "what sharing costs"),
    )
    path = synthetic.lock_path(parameters[: 1 + ("rest" in demand)], stages=(synthetic.Stage("work", demand, "work"),),
        variants=(synthetic.Variant("free", ("work",)),))  # fmt: skip
    one = synthetic.problem(path, {"work_ns": 500.0, "rest_ns": 300.0}, counts=np.array([1, 8]))
    full = types.SimpleNamespace(best=types.SimpleNamespace(problem=one, solved=fit.solve(one)), points=one.points)

    assert predictable(full, one.points.n == 8).tolist() == [False, known]


def test_leverage_of_equal_rows_is_shared_among_them():
    path = synthetic.lock_path(synthetic.PARAMETERS[:1], stages=(synthetic.Stage("work", "work_ns", "work"),),
        variants=(synthetic.Variant("free", ("work",)),))  # fmt: skip
    one = synthetic.problem(path, counts=np.array([1, 2, 3, 4]))
    full = types.SimpleNamespace(best=types.SimpleNamespace(problem=one, solved=fit.solve(one)), points=one.points)

    assert leverage(full) == pytest.approx([0.25] * 4)


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("tun_receive", ["one count (1)", "2 rows decide 2 parameters", "backlog_ns is decided above all by the rate of `netif_rx`"]),
        ("fraglist_gro", ["one count (2)", "4 rows decide 4 parameters", "segmentation_ns is decided above all by"]),
        ("page_pool_recycle", ["one count (1)", "3 rows decide 3 parameters", "ring_ns is decided above all by the rate of `ptr_ring`"]),
        ("packet_transmit", [f"`{TAP}` cannot be predicted from the other variants at 2 to 20", "delivery to other sockets"]),
    ],
)  # fmt: skip
def test_what_cannot_be_left_out_is_said(slug, words):
    path = paths.load_path(slug)
    said = " ".join(heldout.cannot(compare.fit(path, path.scopes[0].name)))

    assert all(word in said for word in words), said


def test_figures_are_those_of_the_rows(rows):
    line = next(each for each in heldout.summary(rows) if each["kind"] == heldout.ONE)
    part = of(rows, heldout.ONE)
    ratio = np.array([row["median"] / row["observed"] for row in part])

    assert line["points"] == 36
    assert line["error"] == pytest.approx(np.sqrt(np.mean((ratio - 1) ** 2)))
    assert line["median_error"] == pytest.approx(np.median(np.abs(ratio - 1)))
    assert line["coverage"] == sum(row["lower"] <= row["observed"] <= row["upper"] for row in part) / 36
    assert line["coverage50"] == sum(row["lower50"] <= row["observed"] <= row["upper50"] for row in part) / 36
    assert line["width"] == pytest.approx(np.median([np.log(row["upper"] / row["lower"]) for row in part]))
    assert line["usl_error"] > line["error"]


def test_intervals_of_one_point_hold_about_as_many_as_they_say(rows):
    """36 points at a nominal 90 %: fewer than 28 inside would be an accident of one in ten thousand."""
    assert sum(row["lower"] <= row["observed"] <= row["upper"] for row in of(rows, heldout.ONE)) >= 28
    assert all(row["lower"] < row["lower50"] < row["median"] < row["upper50"] < row["upper"] for row in rows)


def test_cases_are_sorted_by_what_they_cost_and_have_a_reason(rows):
    found = heldout.cases(rows, shown=3)
    inside = {name: [row["lower"] <= row["observed"] <= row["upper"] for row in found[name]] for name in found}

    assert all(inside["best"]) and not any(inside["worst"]) and found["worst"]
    for name, row in itertools.chain.from_iterable(((name, row) for row in found[name]) for name in found):
        words = heldout.reason(row, "CPU")
        assert ("inside" if name == "best" else "outside") in words and words.endswith(".")
    worst = found["worst"][0]
    off = worst["median"] / worst["observed"] - 1
    assert f"{abs(100 * off):.2g} % too {'high' if off > 0 else 'low'}" in heldout.reason(worst)


def test_the_document_is_plain_and_holds_every_row():
    document = json.loads(json.dumps(heldout.document(["packet_transmit", "tun_receive"]), allow_nan=False))

    assert document["schema"] == "mpps.heldout/1"
    assert len(document["rows"]) == sum(line["points"] for line in document["summary"])
    assert all(row["reason"] for row in document["rows"])
    assert [each["path"] for each in document["cannot"]] == ["packet_transmit", "tun_receive"]


@pytest.mark.slow
def test_all_tables_with_a_curve():
    """Better than the USL on the same rows of every table; the intervals hold at least three rows of four."""
    lines = heldout.document()["summary"]

    assert {line["dataset"] for line in lines} == {"packet_transmit", "pppoe_receive_sync", "pppoe_receive_napi"}
    assert all(line["error"] < line["usl_error"] for line in lines if line["usl_points"])
    inside = sum(line["coverage"] * line["points"] for line in lines)
    assert inside >= 0.75 * sum(line["points"] for line in lines)
