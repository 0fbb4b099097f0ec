"""What a batch leaves beside its pages: plain text, numbers as CSV, PNGs; and two batches into one folder at once."""

import csv
import json
import os
import subprocess
import sys

import nbformat
import pytest

from mpps import engine, pages, record, report, tables
from mpps.pages.plain import plain_text
from mpps.pages.slim import slim
from samples import CHART_CELL, PARAMETERS_CELL, RECORD_CELL, good_cells, make_notebook


def test_a_page_has_its_answer_as_plain_text(sample_batch):
    """Question, answer, numbers and parameters in lines of 72 columns; failures too."""
    folder = sample_batch.index.parent
    text = (folder / "fine.txt").read_text(encoding="utf-8")
    assert text.startswith("How far does fine scale?\n====") and "- To 20 cores." in text
    assert any(line.startswith("section") and line.endswith("275 (265 to 285) ns") for line in text.splitlines())
    assert "cores_max = 32" in text and "- Rate <against> cores" in text
    failed = (folder / "failing.txt").read_text(encoding="utf-8")
    assert "no such <b>thing</b> in code cell 4" in failed.replace("\n", " ")
    assert max(map(len, [*text.splitlines(), *failed.splitlines()])) <= 72


def test_long_answers_are_cut_with_a_word():
    content = record.empty("x", "Why?") | {"answer": [f"Sentence {k}." for k in range(100)]}
    content |= {"numbers": {f"number {k} " + "long " * 20: {"value": k} for k in range(100)}}
    content["run"] = {"error": None, "seconds": 1.0}
    text = plain_text(content, "Why?")
    assert "76 more sentences stand in the record." in text and "76 more numbers stand in the record." in text
    assert max(map(len, text.splitlines())) <= 72


def test_every_chart_has_its_numbers_beside_it(workbook):
    """One CSV a chart, with a unit wherever it shows rates."""
    for page in workbook.pages:
        for chart in page.record["run"]["charts"]:
            file = page.html.parent / chart["file"].replace(".svg", ".csv")
            with file.open(encoding="utf-8", newline="") as lines:
                rows = list(csv.DictReader(lines))
            assert rows, chart["file"]
            if {"variant", "observed"} <= set(rows[0]):
                assert rows[0].get("unit") or "measured over" in chart["title"] or "lie inside" in chart["title"], (
                    file.name
                )


def test_pages_weigh_at_most_a_megabyte_and_a_half(workbook):
    weights = {page.name: page.html.stat().st_size for page in workbook.pages}
    assert max(weights.values()) <= 1_500_000, weights


def test_png_beside_every_svg(tmp_path):
    make_notebook(tmp_path / "one.ipynb", *good_cells("one"))
    batch = report.report(notebooks=tmp_path, out=tmp_path / "out", progress=False, png=True)
    (chart,) = batch.pages[0].record["run"]["charts"]
    content = (tmp_path / "out" / chart["file"]).with_suffix(".png").read_bytes()
    width = int.from_bytes(content[16:20])
    assert content.startswith(b"\x89PNG") and width > 1000


PROGRAM = """import sys, mpps.report as r
batch = r.report(notebooks=sys.argv[1], out=sys.argv[2], progress=False, parameters={"cores_max": int(sys.argv[3])})
sys.exit(batch.exit_status)"""


def test_two_batches_into_one_folder_leave_whole_files(tmp_path):
    """Whoever ends last has the page; every file is one of the two, none is torn, and nothing is left over."""
    cells = ("# Twice?", ("parameters", PARAMETERS_CELL), CHART_CELL, RECORD_CELL.format(name="one"))
    for name in ("one", "two"):
        make_notebook(tmp_path / f"{name}.ipynb", *cells)
    out = tmp_path / "out"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path), str(out), str(cores)],
            env=os.environ | {"PYTHONPATH": engine.python_path()},
        )
        for cores in (16, 32)
    ]
    assert [run.wait(timeout=120) for run in runs] == [0, 0]
    for name in ("one", "two"):
        content = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
        assert content["parameters"]["cores_max"] in (16, 32) and content["answer"]
        page = (out / f"{name}.html").read_text(encoding="utf-8")
        assert page.endswith("</html>") and ("cores_max = 16" in page) != ("cores_max = 32" in page)
        assert (out / content["run"]["charts"][0]["file"]).is_file()
        assert json.loads((out / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    assert [path.name for path in out.rglob(".*")] == []


def test_pictures_of_an_earlier_run_go(tmp_path):
    old = tmp_path / "one" / "09-gone.svg"
    old.parent.mkdir()
    old.write_text("<svg/>", encoding="utf-8")
    os.utime(old, (1, 1))
    content = record.empty("one", "Shown?") | {"run": {"error": None, "seconds": 1.0}}
    pages.write_page(nbformat.v4.new_notebook(), "one", tmp_path, content)
    assert not old.exists()


@pytest.mark.parametrize(
    "unseen", ['<path d="M1,1" opacity="0"/>', '<path class="background" aria-hidden="true" d="M0,0h0v0h0Z"/>']
)
def test_slim_pictures_lose_what_nobody_sees_alone(unseen):
    svg = f'<svg xmlns="x" class="marks" width="9"><g><g class="a">{unseen}<path d="M1.23456,2" fill-opacity="0.5"/></g></g></svg>'
    assert slim(svg, 'a "b"') == (
        '<svg xmlns="x" width="9" role="img" aria-label="a &quot;b&quot;"><path d="M1.23,2" fill-opacity="0.5"/></svg>'
    )


def test_tables_of_one_name_are_files_of_their_own(tmp_path):
    """Two tables of one name are two downloads, and two files beside the charts, each with its own rows."""
    shown = [tables.table([{"n": n, "name": '<b>é</b>, "x"'}], name="limits")._repr_html_() for n in (1, 2)]
    outputs = [nbformat.v4.new_output("display_data", {"text/html": each}) for each in shown]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("show()", outputs=outputs)])
    content = record.empty("two", "Two?") | {"run": {"error": None, "seconds": 1.0}}
    pages.write_page(notebook, "two", tmp_path, content)
    page = (tmp_path / "two.html").read_text(encoding="utf-8")
    assert page.count('download="limits.csv"') == page.count('download="limits_2.csv"') == 1
    for file, n in (("table-limits.csv", 1), ("table-limits-2.csv", 2)):
        assert (tmp_path / "two" / file).read_text(encoding="utf-8") == f'n,name\n{n},"<b>é</b>, ""x"""\n'


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Does a page_pool fit?", "Does a page_pool fit?"),
        ("# _How_ *far*, `n` **x**", "How far, n x"),
        ("# [a](b) c", "a c"),
    ],
)
def test_a_title_loses_marks_and_keeps_names(heading, title):
    assert pages.title_of(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(heading)])) == title
