"""The scoreboard of pairs: a folder done by hand, the published baselines, its text, its command."""

import json
import math

import numpy as np
import pytest

from mpps import cli
from mpps.charts import spec
from mpps.corpus import host_pairs, load, pair_curves, pairs
from mpps.errors import DataError
from mpps.pages.pairs import pair_sections
from mpps.sentences.pairs import TITLES, pairs_text, tables
from mpps.validate import FIGURES
from mpps.validate.baselines import mean_interval_score
from mpps.validate.pairs import MODELS, baselines, board, gains, kept_pairs, validate_pairs
from mpps.validate.pairs.cases import sorted_cases
from mpps.validate.pairs.reasons import reason

HEADER = "dataset,variant,n,metric,value,unit"
RATES = {
    "one": {"old": (10, 18, 24, 24), "new": (10, 20, 36, 60), "other": (11, 20, 27, 26)},
    "two": {"old": (5, 5, 5, 5), "new": (5, 5, 5, 5)},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    for name, variants in RATES.items():
        rows = [
            f"{name},{variant},{n},throughput,{rate},kpps"
            for variant, rates in variants.items()
            for n, rate in zip((1, 2, 4, 8), rates, strict=True)
        ]
        rows += [f"{name},short,{n},throughput,{n},kpps" for n in (1, 2)]
        (folder / f"{name}.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    line = "- {{dataset: {}, before: old, after: {}, kind: {}, mechanism: a lock, source: {}}}"
    lines = [("one", "new", "removal", "lab"), ("one", "other", "cost", "lab"), ("two", "new", "control", "shop")]
    lines += [("one", "short", "cost", "lab"), ("one", "nothing", "cost", "lab")]
    (folder / "pairs.yaml").write_text("\n".join(line.format(*each) for each in lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def document(folder):
    return validate_pairs(folder)


@pytest.fixture(scope="module")
def published():
    return kept_pairs()


def test_a_folder_done_by_hand(document):
    """Pairs of one data set are averaged before data sets are; the first count is given and not scored."""
    row, new, other = document["datasets"][0], *document["pairs"]

    assert len(document["datasets"]) == 1 and (row["pairs"], row["points"]) == (2, 6)
    assert row["mpps"]["error"] == pytest.approx((new["error"] + other["error"]) / 2)
    assert [point["n"] for point in new["rows"]] == [1, 2, 4, 8] and "median" not in new["rows"][0]
    errors = [abs(point["median"] / point["observed"] - 1) for point in new["rows"][1:]]
    assert new["error"] == pytest.approx(np.mean(errors))
    # scaled: 18, 24, 24 against 20, 36, 60; and 1.1 times that against 20, 27, 26
    scaled = [(0.1 + 1 / 3 + 0.6) / 3, (0.2 / 20 + 0.6 / 27 + 0.4 / 26) / 3]
    assert row["scaled"]["error"] == pytest.approx(np.mean(scaled), rel=0.02)
    linear = [(0 + 4 / 36 + 20 / 60) / 3, (2 / 20 + 17 / 27 + 62 / 26) / 3]
    assert row["linear"]["error"] == pytest.approx(np.mean(linear))


def test_what_is_not_scored_says_why(document):
    assert document["skipped"] == [
        ["one", "old", "short", "2 common counts, fewer than 3"],
        ["one", "old", "nothing", "no rates of both variants"],
    ]
    assert [row["dataset"] for row in document["controls"]] == ["two"]
    assert set(document["controls"][0]["largest"]) == {"removal", "replacement", "cost"}


def test_the_document_holds_what_programs_rely_on(document):
    assert document["schema"] == "mpps.pairs/1" and json.loads(json.dumps(document, allow_nan=False)) == document
    for rows in (*document["datasets"], document["median"], document["mean"]):
        assert all(set(rows[name]) == set(FIGURES) for name in MODELS)
    assert document["pooled"]["points"] == 6 and document["pooled"]["near_points"] == 2
    assert sum(row["points"] for row in document["gain"]["bins"]) == 9


def test_a_folder_without_pairs(tmp_path, folder):
    (tmp_path / "one.csv").write_bytes((folder / "one.csv").read_bytes())
    with pytest.raises(DataError, match="pairs.yaml: cannot be read"):
        validate_pairs(tmp_path)
    (tmp_path / "pairs.yaml").write_text(
        "- {dataset: one, before: old, after: short, kind: cost, mechanism: m, source: s}\n", encoding="utf-8"
    )
    with pytest.raises(DataError, match="found no pair to score.*one, old and short: 2 common counts"):
        validate_pairs(tmp_path)


def test_another_name_of_a_source_leaves_the_same_out():
    """Our own data sets are left out under our own name, whatever pairs.yaml calls their source."""
    import dataclasses

    corpus = load()
    renamed = [dataclasses.replace(pair, source="somebody") for pair in pairs()]
    ours = {curve.dataset: curve.source for curve in corpus.curves}

    for case in sorted_cases(renamed, corpus).scored:
        assert case.source == ours[case.pair.dataset] and case.pair.source == "somebody"


# Figures.


def test_baselines_have_the_best_widths_on_their_own_pairs():
    cases = sorted_cases(pairs(), load()).scored
    weights = board._weights(cases)
    found = baselines.quantiles(cases, weights)
    weight = np.concatenate([np.full(len(case.observed), each) for case, each in zip(cases, weights, strict=True)])
    distance = np.concatenate([case.distance for case in cases])
    for name in baselines.BASELINES:
        center = [baselines.medians(case)[name] for case in cases]
        miss = np.concatenate([np.abs(np.log(one / case.observed)) for one, case in zip(center, cases, strict=True)])
        half = np.concatenate([np.log(one[4] / one[2]) for one in found[name]])
        slope, start = np.polyfit(distance, half, 1)
        score = mean_interval_score(miss, distance, weight, 0.1, start, slope)
        for a, b in ((start * 1.1, slope), (start * 0.9, slope), (start, slope * 1.1), (start, slope * 0.9), (0, 1)):
            assert mean_interval_score(miss, distance, weight, 0.1, max(a, 0), max(b, 0)) >= score - 1e-9


def test_gains_are_counted_in_their_bins():
    """Ten draws of which nine gain: 90 %; half of the points gained."""
    from mpps.corpus import Pair, PairCurves
    from mpps.validate.pairs.cases import Case

    n, before, after = np.array([1.0, 2, 4]), np.array([1.0, 1, 1]), np.array([1.0, 1.5, 0.9])
    case = Case(Pair("d", "b", "a", "cost", "m", "s"), PairCurves(n, before, after, "pps", "n"), "s")
    gain = np.where(np.arange(10)[:, None] < 9, 0.2, -0.2) * np.ones((10, 3))
    found = gains.reliability([case], [type("F", (), {"gain": gain})()], 1)

    (row,) = found["bins"]
    assert (row["lower"], row["points"], row["said"], row["came"]) == (0.9, 2, pytest.approx(0.9), 0.5)
    assert row["size_said"] == pytest.approx(math.expm1(0.2))
    assert found["brier"] == pytest.approx((0.1**2 + 0.9**2) / 2) and found["brier_of_share"] == 0.25


def test_reasons_say_what_was_kept_and_where_the_points_lie(document):
    new, other = (row["reason"] for row in document["pairs"])

    # At n = 8 a lap was 8 / 2.4 = 3.33 long and is 8 / 6 = 1.33: 1 / 7 of the contended 2.33 is left.
    assert "70 % of a lap at n = 8 is contended" in new and "the change kept 14 %" in new
    assert ("All points lie inside" in other) == (document["pairs"][1]["coverage"] == 1.0)
    case = sorted_cases(pairs(), load()).scored[0]
    low = np.tile(case.observed * 2, (5, 1)) * np.arange(1, 6)[:, None]
    assert f"{len(case.observed)} of {len(case.observed)} points lie below" in reason(case, low)


# The published pairs.


def test_the_published_baselines_come_out(published):
    """Medians 31, 694 and 147 %, and a mean of 38 % of the first, over 10 sets and 20 pairs: the maintainers' script."""
    median, mean = published["median"], published["mean"]

    assert len(published["datasets"]) == 10 and len(published["pairs"]) == 20
    assert [round(100 * median[name]["error"]) for name in baselines.BASELINES] == [31, 694, 147]
    assert round(100 * mean["scaled"]["error"]) == 38
    assert len(published["seeds"]) == 6 and len(published["controls"]) == 5 and published["skipped"] == []


def test_the_goals_are_reached(published):
    missed = [(goal["name"], goal["value"]) for goal in published["goals"] if not goal["reached"]]

    assert len(published["goals"]) == 12 and missed == []


def test_no_control_is_claimed_to_gain(published):
    for row in published["controls"]:
        for kind, one in row["largest"].items():
            assert one["probability"] <= 0.9, (row["dataset"], kind)


def test_hosts_are_predicted_from_others_of_their_benchmark(published):
    """The count encoding did nothing on any host: told by the others, each host is predicted with less error."""
    rows = published["hosts"]["rows"]

    assert len(rows) == len(host_pairs()) == 11
    for row in rows:
        if row["mechanism"] == "count encoding":
            assert row["same"]["error"] < row["one_more"]["error"] < row["without"]["error"]
    assert all(pair_curves(each.pair, load()) is not None for each in host_pairs())


# Text and command.


def test_the_text_holds_every_figure(published):
    text = pairs_text(published)

    for table in tables(published):
        assert str(table) in text
    assert all(title in text for title in TITLES.values())
    assert all(
        f"{row['dataset']}, {row['before']} to {row['after']}" in " ".join(text.split()) for row in published["pairs"]
    )


def test_sections_of_the_page(published):
    """Every table, and a chart with its reason for every case and seed."""
    found = pair_sections(published)
    shown = [table.name for section in found for table in (section.table, *section.more)]
    cases = [case for section in found for part in section.cases for case in part.charts]

    assert sorted(shown) == sorted(table.name for table in tables(published) if table.name != "seeds")
    assert len({section.anchor for section in found}) == len(found) == 3
    worst, best = (published["cases"][kind] for kind in ("worst", "best"))
    reasons = [
        *(published["pairs"][place]["reason"] for place in (*worst, *best)),
        *(row["reason"] for row in published["seeds"]),
    ]
    assert [reason.partition("). ")[2] for _, reason in cases] == reasons
    assert all(published["pairs"][place]["coverage"] < 1 for place in worst)
    assert all("layer" in spec(chart) for chart, _ in cases)


def test_a_folder_of_one_pair_has_sections(tmp_path, folder):
    (tmp_path / "one.csv").write_bytes((folder / "one.csv").read_bytes())
    (tmp_path / "pairs.yaml").write_text(
        "- {dataset: one, before: old, after: new, kind: cost, mechanism: m, source: s}\n", encoding="utf-8"
    )
    found = validate_pairs(tmp_path)

    assert found["controls"] == [] and found["hosts"]["rows"] == [] and found["seeds"] == []
    assert len(pair_sections(found)) == 2 and "Goals of the pairs" in pairs_text(found)


def test_the_command(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(board, "cache_folder", lambda: tmp_path)

    assert cli.main(["validate", "--pairs", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "mpps.pairs/1" and found["goals"]
    monkeypatch.setattr(board, "validate_pairs", lambda *_, **__: pytest.fail("computed again"))
    assert cli.main(["validate", "--pairs", str(folder)]) == 0
    assert "Goals of the pairs" in capsys.readouterr().out


def test_the_command_names_the_mistake(tmp_path, capsys):
    assert cli.main(["validate", "--pairs", str(tmp_path / "nowhere")]) == 2
    assert "no such folder" in capsys.readouterr().err
