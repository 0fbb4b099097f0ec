"""Every table that the project shows or keeps can be exported and read again to the same values."""

import csv
import html
import io
import re
import urllib.parse

import pytest

from mpps import charts
from mpps.errors import DataError
from mpps.pages.numbers import numbers_of as chart_numbers
from mpps.readers import csv_text, read
from mpps.root import data_folder
from mpps.workbook import own_fit, own_prediction

_DOWNLOAD = re.compile(r'download="([^"]+\.csv)" href="data:text/csv;charset=utf-8,([^"]*)"')


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def numbers_of(text):
    """Line, column and cell of every number in the columns of a CSV that hold nothing else."""
    table = list(csv.DictReader(io.StringIO(text)))
    return [
        (line, name, row[name])
        for name in (table[0] if table else ())
        if all(number(row[name]) is not None for row in table if row[name])
        for line, row in enumerate(table, 2)
        if row[name]
    ]


def missing(text, reading):
    """Those of `numbers_of` that no row of the same line has, as its value, count, end, deviation, repeat or label; an end
    without a value, which is told to be left out, is none."""
    found = {}
    told = {each.line for each in reading.ignored}
    for row in reading.rows:
        numbers = [row.value, row.n, row.lower, row.upper, row.stdev, row.repeat]
        numbers += [number(value) for _, value in row.labels]
        found.setdefault(row.line, set()).update(each for each in numbers if each is not None)
    lost = [each for each in numbers_of(text) if number(each[2]) not in found.get(each[0], ())]
    return [each for each in lost if not (each[0] in told and each[1].endswith((" lower", " upper")))]


@pytest.fixture
def again(tmp_path):
    def write_and_read(text, name="again.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return read(tmp_path / name)

    return write_and_read


def test_the_downloads_of_the_pages_read_to_their_values(workbook, again):
    """Of every page: each number of a column of numbers, on its line. A table of words alone has nothing to read."""
    tables = 0
    for page in workbook.pages:
        for name, data in _DOWNLOAD.findall(page.html.read_text(encoding="utf-8")):
            content = urllib.parse.unquote(html.unescape(data))
            try:
                reading = again(content, name)
            except DataError as problem:
                assert numbers_of(content) == [], f"{page.name}, {name}: {problem}"
                continue
            assert missing(content, reading) == [], f"{page.name}, {name}"
            tables += bool(numbers_of(content))
    assert tables > 10


@pytest.mark.parametrize("folder", ["measurements", "corpus"])
def test_tables_that_are_kept_read_and_read_again(folder, again):
    files = sorted((data_folder() / folder).glob("*.csv"))
    assert files
    for file in files:
        first = read(file)
        text = "\n".join(line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
        values = sorted(row["value"] for row in csv.DictReader(io.StringIO(text)) if row["value"])
        assert sorted(row.printed for row in first.rows) == values, file.name
        second = again(csv_text(first), file.name)
        for old, new in zip(first.rows, second.rows, strict=True):
            for key in (
                "dataset",
                "variant",
                "n",
                "metric",
                "value",
                "unit",
                "lower",
                "upper",
                "stdev",
                "repeat",
                "labels",
            ):
                assert getattr(old, key) == getattr(new, key), f"{file.name}, line {old.line}, {key}"


def test_a_table_of_predictions_reads_with_its_intervals(again):
    """The ends of an interval are no variants of their own."""
    table = own_prediction(own_fit("pppoe_receive_sync", (64,), variants=["both locks"]))
    rows = again(table.csv()).rows

    assert {row.variant for row in rows} == {"both locks", "both locks, measured"}
    found = {row.n: row for row in rows if row.variant == "both locks"}
    assert set(found) == {line["n"] for line in table.rows}
    for line in table.rows:
        row = found[line["n"]]
        assert (row.value, row.lower, row.upper) == tuple(line[f"both locks{end}"] for end in ("", " lower", " upper"))


def test_counts_that_are_printed_as_floats_are_counts(again):
    rows = again("n,spinlock\n1.0,1.453\n2.0,2.087\n16.0,1.7\n").rows

    assert [(row.n, row.value) for row in rows] == [(1, 1.453), (2, 2.087), (16, 1.7)]


def test_a_unit_behind_an_interval_and_a_bound(again):
    reading = again("name,value\na,7.54 (7.29 to 7.79) ns\nb,1.12 (1.08 to 1.16) budgets\nc,at most 285 ns\n")

    assert [(row.value, row.lower, row.upper, row.unit) for row in reading.rows] == [
        (7.54, 7.29, 7.79, "ns"), (1.12, 1.08, 1.16, "budgets"),
    ]  # fmt: skip
    assert [(each.line, "a bound, no value: 'at most 285 ns'" in each.why) for each in reading.ignored] == [(4, True)]


def test_a_phrase_with_numbers_is_no_mistyped_one(again):
    reading = again('path,figures,counts\na,20,"1, 2 and 16 senders"\nb,36,1 stream\nc,2,1 core\n')

    assert [row.value for row in reading.rows if row.metric == "figures" or row.variant == "figures"] == [20, 36, 2]
    assert any("1, 2 and 16 senders" in each.why or "1, 2 and 16 senders" in each.text for each in reading.ignored)


def test_headings_that_begin_with_a_digit_over_plain_numbers(again):
    rows = again("link,10G,25G\ndrop,1,2\npass,3,5\n").rows

    assert sorted(row.value for row in rows) == [1, 2, 3, 5]


@pytest.mark.parametrize("seen", ["median", "observed"])
def test_the_numbers_of_a_chart_read_as_its_curves(again, seen):
    """The row of a table that a point comes from is no curve of its own."""
    rows = [
        {"variant": name, "n": n, "source": f"t.csv line {n + k}", seen: 10.0 * n + k}
        for k, name in enumerate(("before", "after"))
        for n in (1, 2, 4)
    ]
    text = chart_numbers(charts.spec(charts.scaling(rows, title="x", unit="Gbit/s"))).csv()
    found = again(text).rows
    assert [(row.variant, row.n, row.value, row.unit, row.labels) for row in found if row.metric == "throughput"] == [
        (name, n, 10.0 * n + k, "Gbit/s", ()) for k, name in enumerate(("before", "after")) for n in (1, 2, 4)
    ]
