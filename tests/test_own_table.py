"""The answer for a user's own table: right about tables whose truth is known, and clear about bad ones."""

import json

import numpy as np
import pytest

import mpps
from known_curves import mean_value_analysis
from mpps.answers.own import fit_table, predict_table
from mpps.errors import DataError, MppsError, UnknownNameError
from mpps.readers import read
from mpps.sentences.own import fit_table_text, predict_table_text
from mpps.sentences.words import WIDTH
from mpps.text import percent

COUNTS = (1, 2, 4, 8, 16)
SERIES_KEYS = {
    "dataset", "variant", "metric", "unit", "mechanisms", "bottleneck", "knee_cores", "peak_cores", "peak_rate",
    "predictions", "prior", "rests_on", "limits", "lap_cost", "known",
}  # fmt: skip
ROW_KEYS = {"n", "median", "lower", "upper", "lower50", "upper50", "observed", "extrapolated"}
PARAMETER_KEYS = {"name", "median", "lower", "upper", "unit", "identified", "by", "meaning"}


def station(scale=1.0, seed=1, scatter=0.005, counts=COUNTS):
    """A lap of 700 ns, of them 100 in a section: rates in millions a second times `scale`."""
    n = np.array(counts)
    noise = np.exp(scatter * np.random.default_rng(seed).standard_normal(len(n)))
    return scale * 1e3 * mean_value_analysis(600.0, 100.0, max(counts))[n - 1] * noise


def table(folder, rows, name="mine.csv", head="dataset,variant,n,metric,value,unit"):
    file = folder / name
    file.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return file


def tidy(folder, values, unit="Mpps", variant="before", metric="throughput", counts=COUNTS, name="mine.csv"):
    return table(folder, [("d", variant, n, metric, f"{value:.9g}", unit) for n, value in zip(counts, values)], name)


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    """A station, and the same work without it, in one file."""
    folder = tmp_path_factory.mktemp("own")
    rows = [("d", "locked", n, "throughput", f"{rate:.7g}", "Mpps") for n, rate in zip(COUNTS, station())]
    rows += [
        ("d", "free", n, "throughput", f"{1.6667 * n * f:.7g}", "Mpps")
        for n, f in zip(COUNTS, (1, 1.004, 0.997, 1.002, 1))
    ]
    rows += [("d", "locked", n, "cpu", 10 * n, "percent") for n in (1, 2)]
    rows += [("d", "locked", n, "elapsed", 10 / n, "s") for n in (1, 2)]
    return fit_table(table(folder, rows), (32, 64))


def of(answer, variant):
    return next(each for each in answer["series"] if each["variant"] == variant)


# The document


def test_the_document_has_what_programs_rely_on(answer):
    assert answer["schema"] == "mpps.fit/1" and answer["seed"] == 1
    assert set(answer) >= {"versions", "data_sha256", "series", "warnings", "read"}
    assert all(len(digest) == 64 for digest in answer["data_sha256"].values())
    for each in answer["series"]:
        assert set(each) >= SERIES_KEYS
        assert [row["n"] for row in each["predictions"]] == [*COUNTS, 32, 64]
        for row in each["predictions"]:
            assert set(row) == ROW_KEYS
            assert 0 < row["lower"] <= row["lower50"] <= row["median"] <= row["upper50"] <= row["upper"]
            assert row["extrapolated"] == (row["n"] > 16) == (row["observed"] is None)
        weights = [one["weight"] for one in each["mechanisms"]]
        assert sum(weights) == pytest.approx(1) and weights == sorted(weights, reverse=True)
        for one in each["mechanisms"]:
            assert {"name", "words", "weight", "error", "stations", "ceiling", "limit", "parameters"} <= set(one)
            assert one["ceiling"] in (None, "hard", "smooth") and bool(one["parameters"]) == (one["weight"] >= 0.01)
            for row in one["parameters"]:
                assert PARAMETER_KEYS <= set(row) and row["by"] in ("yes", "one-sided", "prior", "no")
        shares = [value for name, value in each["rests_on"].items() if name != "n"]
        assert sum(shares) == pytest.approx(1) and min(shares) >= 0 and each["rests_on"]["n"] == 64
    json.dumps(answer, allow_nan=False)


def test_a_station_is_named_with_its_knee_and_its_costs(answer):
    locked = of(answer, "locked")

    assert locked["bottleneck"] == "serial station" and locked["bottleneck_probability"] > 0.8
    assert locked["knee_cores"]["lower"] <= 7.0 <= locked["knee_cores"]["upper"]
    assert locked["peak_rate"]["lower"] <= 10.0 <= locked["peak_rate"]["upper"]
    cost = locked["lap_cost"]
    true_lap = 16 * 1e3 / station(scatter=0.0)[-1]
    assert cost["of"] == "packet" and cost["lower"] <= true_lap <= cost["upper"]
    assert sum(row["ns"] for row in cost["stages"]) == pytest.approx(cost["ns"])
    private = next(row for row in cost["stages"] if row["stage"] == "private work")
    assert private["lower"] <= 600 <= private["upper"]
    by_name = {
        row["name"]: row for one in locked["mechanisms"] if one["name"] == "station" for row in one["parameters"]
    }
    assert by_name["section"]["lower"] <= 1 / 7 <= by_name["section"]["upper"]
    assert by_name["section"]["ns"]["lower"] <= 100 <= by_name["section"]["ns"]["upper"]
    assert by_name["lone_rate"]["ns"]["lower"] <= 700 <= by_name["lone_rate"]["ns"]["upper"]
    truth = station(scatter=0.0, counts=(*COUNTS, 32, 64))
    for row, value in zip(locked["predictions"], truth):
        assert row["lower"] <= value <= row["upper"]


def test_private_work_has_neither_knee_nor_peak(answer):
    free = of(answer, "free")

    assert free["bottleneck"] == "private work"
    assert free["knee_cores"]["median"] is None and free["knee_cores"]["upper"] is None
    assert free["peak_cores"]["median"] is None and free["peak_rate"]["upper"] is None


def test_what_is_no_throughput_is_named_in_the_warnings(answer):
    assert {each["metric"] for each in answer["series"]} == {"throughput"}
    assert any("d, locked, cpu" in text and "share" in text for text in answer["warnings"])
    assert any("d, locked, elapsed" in text and "1/value" in text for text in answer["warnings"])


def test_the_text_answers_first_and_stays_within_the_width(answer):
    said = fit_table_text(answer)
    flat = " ".join(said.split())

    assert max(map(len, said.splitlines())) <= WIDTH
    assert flat.index("locked: a serial station") < flat.index("What is not known") < flat.index("Mechanisms: weight")
    assert "ns of one core's time" in flat and "at n = 64" in flat
    assert "free: the private work of each core limits up to n = 16" in flat


def test_long_times_names_and_numbers_stay_within_the_width(tmp_path):
    rows = [
        (
            f"{name} of a table with a name that is longer than most",
            f"variant {k}",
            n,
            "rate",
            f"{rate * (k + 1) / 3:.9g}",
            "ops_per_s",
        )
        for name in ("first", "second")
        for k in range(3)
        for n, rate in zip(COUNTS, station(1e3))
    ]
    found = fit_table(table(tmp_path, rows), (32,))
    said = fit_table_text(found)

    assert max(map(len, said.splitlines())) <= WIDTH
    assert "Table 2 is: second of a table" in said and "- table 2, variant 1: " in said
    lap = found["series"][2]["lap_cost"]
    assert lap["of"] == "operation" and 1e5 < lap["ns"] < 1e8 and " us of one core's time" in " ".join(said.split())


def test_the_next_measurement_is_that_of_the_least_known_prediction(answer):
    widths = {
        each["variant"]: np.log(each["predictions"][-1]["upper"] / each["predictions"][-1]["lower"])
        for each in answer["series"]
    }
    told = answer["advice"]

    assert told["variant"] == max(widths, key=widths.get) and told["target"] == 64
    assert told["within"]["n"] <= 16 and told["best"]["shrinks"] >= told["within"]["shrinks"]
    assert f"Measure {told['variant']!r} at n = {told['best']['n']}" in " ".join(fit_table_text(answer).split())


# What must not matter


def test_neither_the_unit_nor_the_order_of_rows_matters(tmp_path):
    values = station(seed=7)
    rows = [("d", "v", n, "throughput", repr(float(value)), "Mpps") for n, value in zip(COUNTS, values)]
    other = [("d", "v", n, "throughput", repr(float(1e6 * value)), "packets/s") for n, value in zip(COUNTS, values)]
    first = fit_table(table(tmp_path, rows, "a.csv"), (64,))["series"][0]
    for shuffled in (other, other[::-1], [other[k] for k in (2, 0, 4, 3, 1)]):
        second = fit_table(table(tmp_path, shuffled, "b.csv"), (64,))["series"][0]
        for key in ("knee_cores", "peak_cores"):
            for end, value in first[key].items():
                assert second[key][end] is None if value is None else second[key][end] == pytest.approx(value, rel=1e-6)
        for a, b in zip(first["predictions"], second["predictions"]):
            for key in ("median", "lower", "upper", "lower50", "upper50"):
                assert b[key] == pytest.approx(1e6 * a[key], rel=1e-6)
        for one, same in zip(first["mechanisms"], second["mechanisms"]):
            assert same["name"] == one["name"] and same["weight"] == pytest.approx(one["weight"], rel=1e-6)
        assert second["lap_cost"]["ns"] == pytest.approx(first["lap_cost"]["ns"], rel=1e-6)


def test_a_prediction_is_the_same_whatever_is_asked_with_it(tmp_path):
    file = tidy(tmp_path, station())
    alone = predict_table(file, [32])["series"][0]["predictions"]
    among = predict_table(file, range(1, 201))["series"][0]["predictions"]

    assert alone == [row for row in among if row["n"] == 32]


# Predictions


def test_predictions_of_a_file(tmp_path):
    document = predict_table(tidy(tmp_path, station()), (4, 32))

    assert document["schema"] == "mpps.predict/1" and document["assumptions"]
    series = document["series"][0]
    assert [row["n"] for row in series["predictions"]] == [4, 32] and set(series["predictions"][0]) == ROW_KEYS
    assert series["machine"] is None and series["bottleneck"] == "serial station"
    assert "at n = 32" in " ".join(predict_table_text(document).split())


def test_variants_are_chosen_by_name(tmp_path):
    rows = [
        ("d", variant, n, "throughput", f * n, "Mpps") for f, variant in ((1, "one"), (2, "two")) for n in (1, 2, 4)
    ]
    file = table(tmp_path, rows)

    assert [each["variant"] for each in predict_table(file, [8], variants=["two"])["series"]] == ["two"]
    with pytest.raises(UnknownNameError, match="did you mean 'two'"):
        predict_table(file, [8], variants=["tow"])


def test_a_variant_may_be_the_column_that_names_them(tmp_path):
    file = table(
        tmp_path,
        [(n, kernel, f * n) for kernel, f in (("old", 1), ("new", 2)) for n in (1, 2, 4)],
        head="threads,kernel,Mpps",
    )

    assert {each["variant"] for each in fit_table(file, variants=["kernel"])["series"]} == {"old", "new"}


def test_a_reading_is_taken_as_it_is(tmp_path):
    file = tidy(tmp_path, station())

    assert fit_table(read([file]), (32,))["series"] == fit_table(file, (32,))["series"]


def test_the_package_offers_it():
    assert mpps.fit_table is fit_table and mpps.predict_table is predict_table and mpps.read is read


def test_a_rate_of_one_of_n_is_predicted_as_that(tmp_path):
    each = station() / np.array(COUNTS)
    found = fit_table(tidy(tmp_path, each, unit="Mpps per thread", metric="throughput per thread"), (32,))["series"][0]

    assert found["rate_of"] == "one thread of the n" and found["bottleneck"] == "serial station"
    assert [row["observed"] for row in found["predictions"][:-1]] == pytest.approx(each, rel=1e-6)
    last, truth = found["predictions"][-1], station(scatter=0.0, counts=(32,))[0] / 32
    assert last["lower"] <= truth <= last["upper"]


def test_repeats_are_averaged_and_their_scatter_counts(tmp_path):
    quiet = [
        ("d", "v", n, "throughput", v * f, "Mpps") for n, v in zip(COUNTS, station(scatter=0)) for f in (0.999, 1.001)
    ]
    loud = [("d", "v", n, "throughput", v * f, "Mpps") for n, v in zip(COUNTS, station(scatter=0)) for f in (0.9, 1.1)]
    narrow, wide = (fit_table(table(tmp_path, rows))["series"][0]["predictions"] for rows in (quiet, loud))

    for a, b in zip(narrow, wide):
        assert a["observed"] == pytest.approx(b["observed"])
        assert b["upper"] / b["lower"] > 1.1 * a["upper"] / a["lower"]


def test_a_published_table_is_not_answered_with_its_own_source():
    from mpps.root import data_folder

    found = predict_table(data_folder() / "corpus" / "cna_wis_lock2_4socket.csv", [8])

    assert all("those of cna not among them" in each["prior"] for each in found["series"])


# Bad input


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_points_give_bounds_and_say_what_carries_them(tmp_path, count):
    found = fit_table(tidy(tmp_path, station()[:count], counts=COUNTS[:count]), (32,))
    series = found["series"][0]
    last = series["predictions"][-1]

    assert last["upper"] / last["lower"] > 2
    assert last["lower"] <= station(scatter=0.0, counts=(32,))[0] <= last["upper"]
    assert "carries most of the answer" in series["prior"] and any("count" in text for text in found["warnings"])
    told = [
        row
        for one in series["mechanisms"]
        for row in one["parameters"]
        if one["name"] == "USL" and row["name"] != "lone_rate"
    ]
    assert told and all(row["by"] == "prior" and not row["identified"] for row in told)


def test_equal_values_are_answered_and_doubted(tmp_path):
    found = fit_table(tidy(tmp_path, [5.0] * 5))

    assert any("all values are equal (5)" in text for text in found["warnings"])
    assert found["series"][0]["predictions"][0]["median"] == pytest.approx(5, rel=0.05)


@pytest.mark.parametrize(("values", "factor"), [((1, 5, 1, 5, 1), 2.5), ((1, 2.5, 6, 14, 30), 30 / 16)])
def test_a_table_that_nothing_explains_is_said_to_be_one(tmp_path, values, factor):
    file = tidy(tmp_path, values)
    found = fit_table(file)
    series, text = found["series"][0], " ".join(fit_table_text(found).split())
    said = f"no mechanism explains this table well (error {percent(series['misfit']['error'])})"

    assert series["misfit"]["faster"]["factor"] == pytest.approx(factor)
    assert any(said in warning and warning.endswith("check the measurement") for warning in found["warnings"])
    assert f"before: {said}, so what limits is doubtful" in text
    predicted = predict_table(file, [32])
    assert any(said in warning for warning in predicted["warnings"])
    assert "so what limits is doubtful" in " ".join(predict_table_text(predicted).split())


def test_a_leading_explanation_that_misses_is_said_to_do_so(tmp_path):
    """Half of every other rate is gone."""
    counts = (1, 2, 3, 4, 6, 8, 12, 16)
    found = fit_table(tidy(tmp_path, [n * (1 if k % 2 == 0 else 0.5) for k, n in enumerate(counts)], counts=counts))
    repeated = np.repeat(counts, 4)
    noise = np.exp(0.15 * np.random.default_rng(2).standard_normal(len(repeated)))
    scattered = fit_table(tidy(tmp_path, repeated / (1 + 0.02 * repeated) * noise, counts=repeated))

    assert found["series"][0]["misfit"]["error"] > 0.12
    # Repeats that scatter as much are no misfit.
    assert scattered["series"][0]["misfit"] is None and "doubtful" not in fit_table_text(scattered)


def test_contradicting_repeats_are_named_by_their_lines(tmp_path):
    rows = [
        ("d", "v", n, "throughput", value, "Mpps") for n, value in ((1, 1.0), (2, 2.0), (4, 4.0), (4, 1.0), (8, 6.0))
    ]
    found = fit_table(table(tmp_path, rows))

    assert any("contradict one another (1 to 4, lines 4, 5)" in text for text in found["warnings"])
    assert len(found["series"][0]["predictions"]) == 4


def test_units_that_convert_are_joined_and_told(tmp_path):
    rows = [("d", "v", n, "throughput", value, unit) for n, value, unit in
            ((1, 1500, "kpps"), (2, 2.8, "Mpps"), (4, 4.1, "Mpps"), (8, 4.4, "Mpps"))]  # fmt: skip
    found = fit_table(table(tmp_path, rows))

    assert [each["unit"] for each in found["series"]] == ["Mpps"]
    assert [row["observed"] for row in found["series"][0]["predictions"]] == pytest.approx([1.5, 2.8, 4.1, 4.4])
    assert any("kpps and in Mpps" in text for text in found["warnings"])


def test_units_that_do_not_convert_are_series_of_their_own(tmp_path):
    rows = [("d", "v", n, "throughput", value, unit) for n, value, unit in
            ((1, 1.5, "Mpps"), (2, 2.8, "Mpps"), (4, 30, "Gbit/s"), (8, 32, "Gbit/s"))]  # fmt: skip
    found = fit_table(table(tmp_path, rows))

    assert {each["unit"] for each in found["series"]} == {"Mpps", "Gbit/s"}
    assert any("the unit changes (Mpps at n = 1, 2, Gbit/s at n = 4, 8)" in text for text in found["warnings"])


def test_a_jump_that_looks_like_another_unit_is_doubted(tmp_path):
    found = fit_table(tidy(tmp_path, [1.5, 2.8, 4100.0, 4400.0, 4500.0]))

    assert any("from n = 2 to 4" in text and "lines 3 and 4" in text for text in found["warnings"])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((4, 0), "line 4, column of values: found the value 0: expected a rate above zero"),
        ((4, -1.5), "line 4, column of values: found the value -1.5"),
        ((4, 1e-300), "line 4, column of values: found the value 1e-300: expected a rate of usual size"),
        ((4, 1e-320), "line 4, column of values: found the value 9.99989e-321"),
        ((0, 3.0), "line 4, column of counts: found n = 0: expected a whole number from 1"),
        ((2.5, 3.0), "line 4, column of counts: found n = 2.5"),
        ((100000000, 3.0), "line 4, column of counts: found n = 100000000: expected a whole number from 1 to 10,000,000"),
    ],
)
def test_what_is_no_count_or_rate_is_named_by_its_line(tmp_path, row, said):
    rows = [("d", "v", n, "throughput", value, "Mpps") for n, value in ((1, 1.5), (2, 2.8), row)]
    file = table(tmp_path, rows)

    for ask in (lambda: fit_table(file), lambda: predict_table(file, [8])):
        with pytest.raises(DataError, match=f"^[^:]*mine.csv, {said}") as caught:
            ask()
        assert str(caught.value).count("mine.csv") == 1 and "(series d, v, throughput)" in str(caught.value)


def test_metrics_that_differ_by_capitals_are_one(tmp_path):
    rows = [("d", "v", n, name, n, "Mpps") for n, name in ((1, "Throughput"), (2, "throughput"), (4, "throughput"))]
    found = fit_table(table(tmp_path, rows))

    assert [(each["metric"], each["counts"]) for each in found["series"]] == [("throughput", 3)]
    assert "the metrics 'Throughput' and 'throughput' are taken as one, 'throughput'" in found["warnings"]
    assert not any("the values stand in" in text for text in found["warnings"])


def test_a_broken_series_does_not_hide_the_others(tmp_path):
    rows = [("d", "good", n, "throughput", n, "Mpps") for n in (1, 2, 4)]
    rows += [("d", "bad", n, "throughput", n - 1, "Mpps") for n in (1, 2, 4)]
    found = fit_table(table(tmp_path, rows))

    assert [each["variant"] for each in found["series"]] == ["good"]
    assert any(text.startswith("left out: d, bad, throughput") for text in found["warnings"])


def test_a_file_of_shares_alone_cannot_be_fitted(tmp_path):
    with pytest.raises(DataError, match="found no rate to fit"):
        fit_table(tidy(tmp_path, [10, 20, 40, 80, 95], unit="percent", metric="cpu"))


def test_totals_of_a_run_are_no_rates(tmp_path):
    rows = [("d", "v", n, "requests", 1e6 * n, "requests") for n in (1, 2, 4)]
    with pytest.raises(DataError, match="a total of the whole run, no rate .requests.: divide it by the seconds"):
        fit_table(table(tmp_path, rows))

    rows += [("d", "v", n, "throughput", 1e5 * n, "requests/s") for n in (1, 2, 4)]
    found = fit_table(table(tmp_path, rows))
    assert [each["metric"] for each in found["series"]] == ["throughput"]
    assert any(text.startswith("left out: d, v, requests: a total") for text in found["warnings"])

    # A metric that calls itself a rate is one, whatever its unit leaves out.
    rows = [("d", "v", n, "throughput", 1e6 * n, "ops") for n in (1, 2, 4)]
    assert len(fit_table(table(tmp_path, rows))["series"]) == 1


def test_a_file_of_times_alone_says_how_to_make_rates(tmp_path):
    with pytest.raises(DataError, match="n/value"):
        fit_table(tidy(tmp_path, [10, 6, 4, 3, 3], unit="s", metric="elapsed"))


def test_values_without_a_count_ask_for_one(tmp_path):
    file = tmp_path / "run.csv"
    file.write_text("cores,Mpps\n0,1.5\n2.5,1.6\n3,1.7\n", encoding="utf-8")

    with pytest.raises(DataError, match="--n-from"):
        fit_table(file)


def test_rows_without_a_count_are_named_and_not_counted(tmp_path):
    rows = [("d", "v", n, "throughput", value, "Mpps") for n, value in ((1, 1), (2, 1.9), (4, 3.3), ("", 6), ("-", 7))]
    found = fit_table(table(tmp_path, rows))
    said = "mine.csv, lines 5, 6: 2 values without a count, left out"

    assert found["read"]["values"] == 3
    assert any(said in text for text in found["warnings"])
    assert said in " ".join(fit_table_text(found).split())
    assert any(said in text for text in predict_table(table(tmp_path, rows), [8])["warnings"])


@pytest.mark.parametrize("scale", [1e-9, 1e12])
def test_rates_of_any_size_are_answered(tmp_path, scale):
    found = fit_table(tidy(tmp_path, station(scale)), (32,))["series"][0]

    assert found["bottleneck"] == "serial station"
    last = found["predictions"][-1]
    assert last["lower"] <= station(scale, scatter=0.0, counts=(32,))[0] <= last["upper"]
    assert len(fit_table_text(fit_table(tidy(tmp_path, station(scale))))) > 500


def test_counts_in_the_thousands_and_many_rows_are_answered(tmp_path):
    counts = np.unique(np.geomspace(1, 9000, 500).round().astype(int))
    values = 50 * counts / (1 + 0.01 * (counts - 1))
    found = fit_table(tidy(tmp_path, values, counts=counts), (18000,))

    series = found["series"][0]
    assert len(series["predictions"]) <= 50 and any(
        "averaged with their neighbours" in text for text in found["warnings"]
    )
    last = series["predictions"][-1]
    assert last["lower"] <= 50 * 18000 / (1 + 0.01 * 17999) <= last["upper"]


def test_no_counts_to_predict_at_is_an_error(tmp_path):
    with pytest.raises(MppsError, match="no core counts"):
        predict_table(tidy(tmp_path, station()), ())
