"""What the notebooks of a patch and of a user's own table show, against the documents behind it."""

import json

import numpy as np
import pytest
from closed import rates

from mpps import charts, workbook
from mpps.errors import MppsError
from mpps.root import data_folder
from mpps.workbook.patching import Patch

SEED = "pppoe_receive_sync"


@pytest.fixture(scope="module")
def two():
    return workbook.patches(
        SEED, start="both locks", change="removal", known=["1=19.63", "1=19.89"], after=["ppp lock only", "no lock"]
    )


@pytest.fixture
def own(tmp_path):
    """A file of a user's own: an exact network."""
    file = tmp_path / "own.csv"
    lines = [f"{n},{rate / 1e6:.4f}" for n, rate in zip((1, 2, 4, 8), rates(800, [200], [1, 2, 4, 8]), strict=True)]
    file.write_text("\n".join(["cores,Mpps", *lines]) + "\n", encoding="utf-8")
    return str(file)


def test_a_data_set_stands_for_its_file(tmp_path):
    assert workbook.table_file(SEED) == str(data_folder() / "measurements" / f"{SEED}.csv")
    assert workbook.table_file("data/corpus/sources.yaml").endswith("sources.yaml")
    assert workbook.table_file(str(tmp_path / "none.csv")) == str(tmp_path / "none.csv")


def test_patches_go_in_step_with_what_is_known(two):
    assert [one.name for one in two] == ["ppp lock only", "no lock"]
    assert [one.series["known"] for one in two] == [[{"n": 1, "rate": 19.63}], [{"n": 1, "rate": 19.89}]]
    assert [workbook.known_of(one) for one in two] == ["19.63 at n = 1", "19.89 at n = 1"]


def test_known_points_may_be_parted_by_spaces():
    one = workbook.patch(SEED, start="both locks", change="removal", known=" 1=19.63  2=33.77 ")

    assert [row["n"] for row in one.series["known"]] == [1, 2] and one.name == "both locks, removal"
    assert workbook.known_of(workbook.patch(SEED, start="both locks", change="removal")) == "none"


def test_patches_without_names_are_told_apart():
    found = workbook.patches(SEED, start="both locks", change="removal", known=["1=19.63", "1=19.89"])

    assert len({one.name for one in found}) == 2


def test_rows_of_the_chart_hold_measured_and_predicted(two):
    rows = workbook.patch_rows(two)
    before = [row for row in rows if row["variant"] == "before: both locks"]

    assert [row["observed"] for row in before] == [19.08, 31.52, 53.67, 39.79, 49.4]
    assert all(row["median"] is None for row in before)
    assert [row["observed"] for row in rows if row["variant"] == "after: no lock"][-1] == 220.48
    assert "after: no lock" in charts.to_svg(charts.scaling(rows, title="t", unit="Gbit/s"))


def test_the_lap_table_adds_up(two):
    for row in workbook.lap_table(two[0]).rows:
        assert row["lap"] == pytest.approx(1 + row["plateau"] + row["collapse"])


def test_shares_that_changes_kept_follow_the_kinds():
    rows = {row["name"]: row for row in workbook.kept_rows(workbook.patch_source(SEED))}

    assert workbook.patch_source(SEED) == "pppoe" and workbook.patch_source("x.csv") is None
    assert len(rows) == 6 and all(row["lower"] < row["median"] < row["upper"] for row in rows.values())
    assert (
        rows["removal: waiting on the plateau that it keeps"]["median"]
        < rows["cost: waiting on the plateau that it keeps"]["median"]
    )
    assert workbook.kept_words(list(rows.values()), "removal").endswith("%")


def test_measured_rates_inside_are_counted_without_the_known_ones(two):
    inside, of = workbook.patch_inside(two)
    by_hand = sum(
        row["lower"] <= row["observed"] <= row["upper"]
        for one in two
        for row in one.series["predictions"]
        if row["n"] > 1
    )

    assert of == 8 and inside == by_hand


def test_one_more_point_is_the_one_that_the_verdict_asks_for(two):
    more = [workbook.after_one_more(one, SEED) for one in two]

    assert [[row["n"] for row in one.series["known"]] for one in more] == [
        [1, two[0].verdict["measure_first"]["n"]]
    ] * 2
    assert more[1].row(16)["lower"] > more[0].row(16)["upper"]
    assert "the limit is gone" in workbook.moved(more).data and "is not gone" in workbook.moved(more).data


def test_nothing_more_is_known_without_an_after_curve():
    assert workbook.after_one_more(workbook.patch(SEED, start="both locks", change="removal"), SEED) is None


def test_limits_and_gains_are_those_of_the_document(two):
    table = workbook.patch_limits(two[0])
    gains = workbook.patch_gains(two[0])

    assert [row["n"] for row in table.rows] == [1, 2, 4, 8, 16] == [row["n"] for row in gains]
    assert gains[-1]["p"] == two[0].verdict["probability"]
    assert gains[-1]["lower"] < gains[-1]["gain"] < gains[-1]["upper"]


def test_the_table_sets_prediction_beside_measurement(two):
    text = str(workbook.patch_table(two))

    assert "ppp lock only, predicted" in text and "220.48" in text and "61.33" in text


def test_the_list_is_a_block_of_text(two):
    text = workbook.for_the_list(*two).data

    assert text.count("```text") == 2 and max(map(len, text.splitlines())) <= 72


def test_hashes_name_no_folder(two):
    assert list(workbook.patch_hashes(two)) == [f"{SEED}.csv"]


def test_a_wrong_known_point_is_told():
    with pytest.raises(MppsError, match="expected count=rate"):
        workbook.patch(SEED, start="both locks", change="removal", known="1:19")
    assert Patch("x", {}, {"unit": ""}).unit == "rate"


# A user's own table


def test_points_that_a_prediction_has_not_seen_are_hollow(two):
    names = [f"after: {one.name}" for one in two]
    assert workbook.patch_unseen(two) == [(name, n) for name in names for n in (2, 4, 8, 16)]
    chart = charts.spec(
        charts.scaling(workbook.patch_rows(two), title="x", unit="Gbit/s", held_out=workbook.patch_unseen(two))
    )
    assert "hollow: held out" in " ".join(chart["title"]["subtitle"])


def test_an_own_table_is_fitted_and_predicted(own):
    fit = workbook.own_fit(own, [16], seed=2)
    truth = rates(800, [200], [16])[0] / 1e6
    last = fit.first["predictions"][-1]

    assert fit.unit == "Mpps" and fit.document["seed"] == 2
    assert last["n"] == 16 and last["lower"] < truth < last["upper"]
    assert [row["observed"] for row in workbook.own_rows(fit)][:4] == [
        pytest.approx(rate / 1e6, rel=1e-3) for rate in rates(800, [200], [1, 2, 4, 8])
    ]
    assert np.isclose(sum(row["weight"] for row in workbook.own_weights(fit.first, 0.0)), 1)
    assert sum(part["ns"] for part in workbook.own_cost(fit)) == pytest.approx(fit.first["lap_cost"]["ns"])


def test_what_is_shown_of_it(own):
    fit = workbook.own_fit(own, [16])

    assert "serial station" in str(workbook.own_limits(fit)) or "ceiling" in str(workbook.own_limits(fit))
    assert "own.csv" in workbook.own_read(fit).data and "/" not in workbook.own_read(fit).data.split(":")[0]
    assert "limits" in workbook.own_words(fit).data and workbook.own_unknown(fit).data
    (short,), (long,) = workbook.own_summaries(fit), workbook.own_answers(fit)
    assert "limits" in short and "Predicted: " in short and " at n = 16." in short and len(short) < len(long)
    assert str(workbook.own_prediction(fit)).count("\n") >= 6 and workbook.own_advice(fit).data
    assert list(workbook.own_hashes(fit)) == ["own.csv"]
    assert {row["name"] for row in workbook.own_parameters(fit.first)}
    json.dumps(fit.document)


def test_options_that_are_empty_are_left_out(own):
    assert workbook.own_fit(own, n="", value="", unit="").document["series"] == workbook.own_fit(own).document["series"]


def test_the_table_as_it_was_read(own):
    text = str(workbook.own_table(own))

    assert "throughput, Mpps" in text and text.count("\n") == 6
