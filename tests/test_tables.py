"""Tables show rounded numbers to people and exact ones to programs, and let no markup through."""

import csv
import io
import urllib.parse
from xml.etree import ElementTree

import pytest

from mpps import tables
from mpps.machine import Assumption

ROWS = [
    {"variant": "before", "n": 1, "median": 19.14, "lower": 18.4, "upper": 19.9, "observed": 19.08, "source": "row 1"},
    {
        "variant": "before",
        "n": 32,
        "median": 61.2,
        "lower": 44.1,
        "upper": 84.9,
        "observed": None,
        "extrapolated": True,
    },
    {"variant": "after", "n": 1, "median": 19.5, "lower": 18.8, "upper": 20.3, "observed": 19.63},
    {
        "variant": "after",
        "n": 32,
        "median": 83.0,
        "lower": 60.0,
        "upper": 114.0,
        "extrapolated": True,
        "hypothetical": True,
    },
]


def test_predictions_show_interval_measurement_and_marks():
    text = str(tables.predictions(ROWS, unit="Gbit/s", caption="Rates"))
    assert text.startswith("Rates\n")
    assert "19.1 (18.4 to 19.9)" in text and "19.08" in text and "-0.3 %" in text
    assert "extrapolated, hypothetical" in text and "row 1" in text


def test_columns_without_content_are_left_out():
    bare = [{"variant": "a", "n": 1, "median": 2.0, "lower": 1.0, "upper": 3.0}]
    titles = [column.title for column in tables.predictions(bare, unit="Mpps").columns]
    assert titles == ["variant", "cores", "model, Mpps (90 % interval)"]


def test_numbers_are_aligned_at_the_right_in_text():
    lines = str(tables.table([{"name": "a", "ns": 7.537}, {"name": "long name", "ns": 1018.0}])).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[2].endswith("7.54") and lines[3].endswith("1,018")


def test_by_cores_pivots_and_marks_lines():
    made = tables.by_cores(ROWS, unit="Gbit/s")
    assert [column.title for column in made.columns] == ["cores", "before, Gbit/s", "after, Gbit/s", "note"]
    assert made.cells() == [
        ["1", "19.1 (18.4 to 19.9)", "19.5 (18.8 to 20.3)", ""],
        ["32", "61 (44 to 85)", "83 (60 to 114)", "extrapolated, hypothetical"],
    ]


def test_csv_is_exact_and_intervals_are_three_columns():
    made = list(csv.DictReader(io.StringIO(tables.predictions(ROWS, unit="Gbit/s").csv())))
    assert [float(row["median"]) for row in made] == [row["median"] for row in ROWS]
    assert float(made[0]["lower"]) == 18.4 and made[1]["observed"] == ""
    wide = list(csv.DictReader(io.StringIO(tables.by_cores(ROWS, unit="Gbit/s").csv())))
    assert (wide[1]["after"], wide[1]["after lower"], wide[1]["after upper"]) == ("83.0", "60.0", "114.0")


def test_html_is_well_formed_labelled_and_marks_extrapolation():
    made = tables.predictions(ROWS, unit="Gbit/s", caption="Rates & bands")
    root = ElementTree.fromstring(made._repr_html_())
    assert root.find("table/caption/span").text == "Rates & bands"
    assert all(head.get("scope") == "col" for head in root.iter("th"))
    rows = root.findall("table/tbody/tr")
    assert [row.get("class") for row in rows] == [None, "extrapolated", None, "extrapolated"]
    assert len({len(row.findall("td")) for row in rows}) == 1


def test_csv_names_the_unit_of_rates():
    for made in (tables.predictions(ROWS, unit="Gbit/s"), tables.by_cores(ROWS, unit="Gbit/s")):
        rows = list(csv.DictReader(io.StringIO(made.csv())))
        assert rows and {row["unit"] for row in rows} == {"Gbit/s"}


def test_download_link_holds_the_csv_itself():
    made = tables.table([{"a": 1.5, "b": 'x,"y"'}], name="costs")
    link = ElementTree.fromstring(made.download())
    assert link.get("download") == "costs.csv"
    assert urllib.parse.unquote(link.get("href").split(",", 1)[1]) == made.csv()
    assert list(csv.reader(io.StringIO(made.csv()))) == [["a", "b"], ["1.5", 'x,"y"']]


def test_markup_in_names_is_text():
    evil = "<script>alert(1)</script>\"'|"
    made = tables.table([{evil: evil}], caption=evil, name=evil)
    page = made._repr_html_()
    assert "<script" not in page and ElementTree.fromstring(page) is not None
    assert "\\|" in made._repr_markdown_()


def test_markdown_has_one_line_per_row_and_right_aligned_numbers():
    lines = tables.parameters([{"name": "section", "median": 238.0, "lower": 229.0, "upper": 247.0, "unit": "ns"}])
    lines = lines._repr_markdown_().splitlines()
    assert lines[1] == "| --- | ---: | --- |"
    assert lines[2] == "| section | 238 (229 to 247) | ns |"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"median": 5.0, "lower": None, "upper": 7.0, "identified": False}, "at most 7.0"),
        ({"median": None, "lower": None, "upper": None, "identified": False}, "not identified"),
        ({"median": 5.0, "lower": None, "upper": None}, "5.00"),
        ({"median": None, "lower": None, "upper": None}, ""),
    ],
)
def test_parameters_say_what_the_data_bound(row, said):
    assert tables.parameters([{"name": "a", "unit": "ns", **row}]).cells()[0][1] == said


def test_assumptions_take_the_machines_own():
    made = tables.assumptions([Assumption("clock", 3.5, 2.6, 4.7, "GHz", "not stated")])
    assert made.cells() == [["clock", "3.5 (2.6 to 4.7)", "GHz", "not stated"]]


def test_empty_table_is_a_table():
    made = tables.table([])
    assert made.csv() == "\n" and "<tbody></tbody>" in made._repr_html_() and isinstance(str(made), str)
