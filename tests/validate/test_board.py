"""The scoreboard: a folder done by hand, what it lists, its text, its command."""

import json
import math

import numpy as np
import pytest

from mpps import cli
from mpps.errors import DataError, MppsError
from mpps.sentences.scoreboard import TITLES, goal_rows, summary_table, validate_text
from mpps.validate import FIGURES, forecasts, validate
from mpps.validate.board import MODELS
from mpps.validate.cases import reason
from mpps.validate.forecasts import checked

HEADER = "dataset,variant,n,metric,value,unit"


def flat(training, at, spread=2.0):
    """The last value, with an interval of a factor two either way."""
    steps = np.array([1 / spread, 1 / spread**0.5, 1, spread**0.5, spread])
    return training.rate[-1] * steps[:, None] * np.ones(len(at))


def tables_in(folder):
    """Two data sets of two sources: rates 10, 20, 40 at n = 1, 2, 4 train, those at 8 and 16 are held out."""
    tables = {"one": {"a": (10, 20, 40, 50, 40), "b": (10, 20, 40, 160, 40)}, "two": {"a": (10, 20, 40, 20, 10)}}
    for name, variants in tables.items():
        rows = [
            f"{name},{variant},{n},throughput,{rate},ops_per_s"
            for variant, rates in variants.items()
            for n, rate in zip((1, 2, 4, 8, 16), rates, strict=True)
        ]
        rows += [f"{name},a,{n},idle,50,percent" for n in (1, 2)]
        (folder / f"{name}.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "f").mkdir()
    return tables_in(tmp_path / "f")


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    return validate(tables_in(tmp_path_factory.mktemp("f")), forecaster=flat)


def test_a_small_folder_by_hand(document):
    """Median 40, interval 20 to 80, half of it 28.3 to 56.6, at every held-out point."""
    one, two = document["datasets"]

    # 40/50 - 1, 40/40 - 1, 40/160 - 1, 40/40 - 1; then 40/20 - 1, 40/10 - 1
    assert one["mpps"]["error"] == pytest.approx((0.2 + 0 + 0.75 + 0) / 4)
    assert two["mpps"]["error"] == pytest.approx((1 + 3) / 2)
    assert (one["mpps"]["coverage"], two["mpps"]["coverage"]) == (0.75, 0.5)
    assert (one["mpps"]["coverage50"], two["mpps"]["coverage50"]) == (0.75, 0)
    assert one["mpps"]["width"] == pytest.approx(math.log(4))
    assert one["mpps"]["interval_score"] == pytest.approx(math.log(4) + 20 * math.log(2) / 4)
    assert two["mpps"]["interval_score"] == pytest.approx(math.log(4) + 20 * math.log(2) / 2)
    assert (one["series"], one["points"], one["source"]) == (2, 4, "one")
    assert one["last"]["error"] == one["mpps"]["error"]
    # the line through the last two points is 10 n: 80 and 160
    assert two["loglog"]["error"] == pytest.approx((3 + 15) / 2)
    assert one["usl"]["error"] == pytest.approx((30 / 50 + 3 + 0.5 + 3) / 4, rel=1e-3)
    assert document["median"]["mpps"]["error"] == pytest.approx((0.2375 + 2) / 2)
    assert document["mean"]["mpps"]["coverage"] == 0.625


def test_points_are_pooled_near_and_far(document):
    """n = 8 is near (twice the range), n = 16 is far; three series each."""
    pooled = document["pooled"]

    assert (pooled["points"], pooled["near_points"], pooled["far_points"]) == (6, 3, 3)
    assert (pooled["coverage"], pooled["near"], pooled["far"]) == pytest.approx((4 / 6, 2 / 3, 2 / 3))
    assert pooled["coverage50"] == 0.5 and pooled["near_width"] == pytest.approx(math.log(4))
    # sources: one has 1 of 2 near, two has 1 of 1
    assert pooled["near_interval"] == [0.5, 1.0]


def test_the_document_holds_what_programs_rely_on(document):
    assert document["schema"] == "mpps.validate/1" and document["seed"] == 1
    assert {"python", "mpps", "numpy"} <= set(document["versions"])
    assert set(document["data_sha256"]) == {"one.csv", "two.csv"}
    for rows in (*document["datasets"], document["median"], document["mean"]):
        assert all(set(rows[name]) == set(FIGURES) for name in MODELS)
    assert document["used"] == [["one", "a", "throughput"], ["one", "b", "throughput"], ["two", "a", "throughput"]]
    assert [row[:3] for row in document["skipped"]] == [["one", "a", "idle"], ["two", "a", "idle"]]
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_summaries_of_the_sets(document):
    for name, found in document["paired"].items():
        lower = [row["mpps"]["interval_score"] < row[name]["interval_score"] for row in document["datasets"]]
        assert found == {"wins": sum(lower), "sets": 2, "share": sum(lower) / 2}
    assert document["percentile80"]["mpps"] == pytest.approx(np.quantile([0.2375, 2], 0.8))
    assert document["mean_without_two_worst"]["mpps"] is None


def test_goals_tell_the_distance(document):
    goals = {goal["name"]: goal for goal in document["goals"]}

    assert goals["median error"]["distance"] == pytest.approx(document["median"]["mpps"]["error"] - 0.12)
    assert goals["pooled coverage of the 90 % intervals"]["distance"] == pytest.approx(0.85 - 4 / 6)
    near = goals["near coverage of the 90 % intervals"]
    assert (near["lower"], near["upper"]) == (0.5, 1.0)
    assert near["distance"] == pytest.approx(0.8 - 2 / 3) and not near["reached"]  # the interval holds 90 %


def test_a_tie_with_the_best_baseline_is_no_win(folder):
    """The same forecasts as a baseline are not below it."""
    tail = {goal["name"]: goal for goal in validate(folder, forecaster=flat)["goals"]}["80th percentile of errors"]

    assert tail["distance"] == 0 and not tail["reached"]


def test_a_forecaster_sees_no_held_out_point(folder):
    seen = []
    validate(folder, forecaster=lambda training, at: seen.append(training) or flat(training, at))

    assert [(one.n.tolist(), one.rate.tolist()) for one in seen] == [([1, 2, 4], [10, 20, 40])] * 3


def test_converted_series_stand_apart(folder, document):
    """An elapsed time enters no median, no coverage and no count."""
    rows = [f"slow,a,{n},elapsed_1M,{100 / n},ms" for n in (1, 2, 4, 8, 16)]
    (folder / "slow.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    after = validate(folder, forecaster=flat)

    assert [row["name"] for row in after["apart"]] == ["slow"] and document["apart"] == []
    # rate 1 / ms is n / 100: the last training value is 0.04, those held out 0.08 and 0.16
    assert after["apart"][0]["mpps"]["error"] == pytest.approx((0.5 + 0.75) / 2)
    for key in ("datasets", "median", "mean", "pooled", "used"):
        assert after[key] == document[key]
    assert "scored apart" in {tuple(row[:2]): row[3] for row in after["skipped"]}["slow", "a"]


def test_a_failed_forecast_is_listed_and_costs_its_series_alone(folder):
    def failing(training, at):
        if training.dataset == "two":
            raise MppsError("nothing to say")
        return flat(training, at)

    found = validate(folder, forecaster=failing)

    assert [row["name"] for row in found["datasets"]] == ["one"]
    assert ["two", "a", "throughput", "the forecast failed: nothing to say"] in found["skipped"]
    with pytest.raises(MppsError, match="no series could be forecast; the first says: no"):
        validate(folder, forecaster=lambda training, at: (_ for _ in ()).throw(MppsError("no")))


@pytest.mark.parametrize("bad", [np.zeros((5, 2)), -np.ones((5, 2)), np.full((5, 2), np.nan), np.ones((4, 2))])
def test_quantiles_that_are_none_are_refused(bad):
    with pytest.raises(MppsError, match="a forecast ha|a forecast holds"):
        checked(bad, [8.0, 16.0])


def test_crossing_quantiles_are_refused():
    with pytest.raises(MppsError, match="ascending"):
        checked(np.array([[1.0], [2.0], [1.5], [3.0], [4.0]]), [8.0])


def test_a_folder_without_series_says_why(tmp_path):
    (tmp_path / "t.csv").write_text(f"{HEADER}\nt,a,1,throughput,5,pps\n", encoding="utf-8")

    with pytest.raises(DataError, match="found no series to score.*t, a: 1 distinct n, fewer than 5"):
        validate(tmp_path, forecaster=flat)


def test_neither_order_of_files_nor_a_copy_changes_anything(folder, document, tmp_path):
    """The same rows in turned order give the same scores."""
    turned = tmp_path / "turned"
    turned.mkdir()
    for path in folder.glob("*.csv"):
        head, *rows = path.read_text(encoding="utf-8").split()
        (turned / path.name).write_text("\n".join([head, *reversed(rows)]) + "\n", encoding="utf-8")
    found = validate(turned, forecaster=flat)

    assert found["median"] == document["median"] and found["pooled"] == document["pooled"]


def test_the_unit_of_a_table_changes_nothing(folder, document):
    for path in folder.glob("*.csv"):
        lines = path.read_text(encoding="utf-8").replace("ops_per_s", "kops_per_s").splitlines()
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = validate(folder, forecaster=flat)

    assert found["datasets"] == document["datasets"]


# Cases.


def test_reasons_name_the_step(document):
    series = {(row["dataset"], row["variant"]): row for row in document["series"]}

    assert "rises by a factor of 4.0" in series["one", "b"]["reason"] and "above" in series["one", "b"]["reason"]
    assert "inside the interval" in series["one", "a"]["reason"]
    assert document["cases"]["worst"][0] in range(3) and len(document["cases"]["best"]) == 1
    assert series["one", "a"]["train"] == [{"n": 1, "observed": 10}, {"n": 2, "observed": 20}, {"n": 4, "observed": 40}]


def test_a_reason_knows_a_peak_beyond_training():
    from mpps.corpus import Curve

    n = np.array([1.0, 2, 3, 4, 5, 6])
    rate, one = np.array([10.0, 15, 18, 20, 18, 16]), np.ones(6)
    curve = Curve("t", "a", "m", "u", "s", n, rate, one, one, one, n, rate)
    narrow = np.array([[21.0, 22], [21.5, 22.5], [22, 23], [22.5, 23.5], [23, 24]])

    assert "the peak lies beyond it" in reason(curve, narrow)


# Kept forecasts.


def test_kept_forecasts_are_read_again(folder, document, tmp_path, monkeypatch):
    """The default forecaster runs once for each series; a change of its code, or another seed, runs it again."""
    runs = []

    def made(seed):
        return lambda training, at: runs.append(training.dataset) or flat(training, at)

    monkeypatch.setattr(forecasts, "table_forecaster", made)
    monkeypatch.setattr(forecasts, "cache_folder", lambda: tmp_path / "kept")
    first = validate(folder, workers=1)
    again = validate(folder, workers=1)

    assert runs == ["one", "one", "two"]
    assert first == again and first["datasets"] == document["datasets"]
    monkeypatch.setattr(forecasts, "code_digest", lambda: "other code")
    validate(folder, workers=1)
    validate(folder, workers=1, seed=2)
    assert len(runs) == 9


def test_a_damaged_store_is_computed_again(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(forecasts, "table_forecaster", lambda seed: flat)
    monkeypatch.setattr(forecasts, "cache_folder", lambda: tmp_path / "kept")
    first = validate(folder, workers=1)
    (file,) = (tmp_path / "kept").glob("*.json")
    file.write_text("{half", encoding="utf-8")

    assert validate(folder, workers=1) == first


def in_worker(curve, seed):
    """What a worker does, with a forecaster that a fresh process can have."""
    return MppsError("none") if curve.dataset == "two" else flat(curve.training(), curve.held_n)


def test_two_processes_find_what_one_does(folder, document, tmp_path, monkeypatch):
    """Results come back in the order of the series, whichever was ready first; a failure is listed."""
    monkeypatch.setattr(forecasts, "_in_worker", in_worker)
    monkeypatch.setattr(forecasts, "cache_folder", lambda: tmp_path / "kept")
    told = []
    found = validate(folder, workers=2, advance=lambda done, total: told.append(done))
    again = validate(folder, workers=2)

    assert found == again and len(found["datasets"]) == 1
    assert found["datasets"][0]["mpps"] == document["datasets"][0]["mpps"]
    assert ["two", "a", "throughput", "the forecast failed: none"] in again["skipped"]
    assert told == [1, 2, 3]


def test_progress_is_told(folder):
    told = []
    validate(folder, forecaster=flat, advance=lambda done, total: told.append((done, total)))

    assert told == [(1, 3), (2, 3), (3, 3)]


# Text and command.


def test_the_text_says_everything(document):
    text = validate_text(document)
    words = " ".join(text.split())

    assert "3 series of 2 data sets from 2 sources, 6 held-out points" in words
    assert all(title in text for title in TITLES.values()) and list(TITLES) == list(MODELS)
    assert "too few sources to tell" in words and "MISSED by" not in text
    assert "- one, throughput: a, b" in text
    assert "- one, idle (a): a share or a ratio, no rate" in text


def test_goals_are_told_from_five_sources_on(document):
    def rows(sources):
        first = document["datasets"][0]
        sets = [first | {"name": f"{k}", "source": f"{min(k, sources - 1)}"} for k in range(6)]
        return goal_rows(document | {"datasets": sets})

    assert {row["state"] for row in rows(4)} == {"too few sources to tell"}
    for row in rows(5):
        assert row["state"] == "reached" if row["reached"] else row["state"].startswith("MISSED by")
    assert [row["reached"] for row in rows(4)] == [row["reached"] for row in rows(5)]
    assert len({row["reached"] for row in rows(5)}) == 2


def test_the_summary_has_a_line_for_each_model(document):
    rows = summary_table(document).rows

    assert [row["name"] for row in rows] == list(TITLES.values())
    assert rows[0]["error"] == document["median"]["mpps"]["error"] and rows[0]["wins"] == ""
    assert rows[1]["near"] == document["pooled_baselines"]["usl"]["near"]


def test_the_command_prints_text_or_one_document(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(forecasts, "table_forecaster", lambda seed: flat)
    monkeypatch.setattr(forecasts, "cache_folder", lambda: tmp_path / "kept")
    monkeypatch.setattr(
        forecasts, "_computed", lambda curves, seed, workers: [(c, flat(c.training(), c.held_n)) for c in curves]
    )

    assert cli.main(["validate", str(folder), "--json", "--seed", "7"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["seed"] == 7 and err == ""
    assert cli.main(["validate", str(folder)]) == 0
    assert "Goals" in capsys.readouterr().out


def test_the_command_names_a_broken_cell(folder, capsys):
    table = folder / "one.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("160", "many"), encoding="utf-8")

    assert cli.main(["validate", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "one.csv, line 10, column 'value': found 'many'" in err and "Traceback" not in err
