"""A batch of notebooks: pages, records, index, what a failure leaves behind, and parameters checked before the run."""

import base64
import gzip
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

import nbformat
import numpy as np
import pytest

from mpps import engine, pages, record, report
from mpps.errors import MppsError, UnknownNameError
from samples import CHART_CELL, PARAMETERS_CELL, RECORD_CELL, make_notebook

REMOTE = re.compile(
    r"""(?:\b(?:src|href|srcset|action|data)\s*=\s*["']?|url\(\s*["']?|@import\s+["']?)\s*(?:https?:)?//""", re.IGNORECASE
)


def page_text(batch, name: str) -> str:
    """The HTML of a page without what its script unpacks."""
    text = (batch.index.parent / f"{name}.html").read_text(encoding="utf-8")
    return re.sub(r'<script type="text/plain".*?</script>', "", text, flags=re.DOTALL)


def unpacked(text: str, which: str) -> bytes:
    """What a page has packed: `vega` or `charts`."""
    return gzip.decompress(base64.b64decode(re.search(f'id="mpps-{which}">([^<]+)', text)[1]))


def test_every_notebook_has_a_page_and_a_record(sample_batch):
    """Also those that failed; the good ones are done."""
    folder = sample_batch.index.parent
    assert [page.name for page in sample_batch.pages] == ["failing", "fine", "killed", "other"]
    for page in sample_batch.pages:
        assert page.html == folder / f"{page.name}.html" and page.html.is_file()
        assert json.loads((folder / f"{page.name}.json").read_text(encoding="utf-8")) == page.record
    assert [page.name for page in sample_batch.failed] == ["failing", "killed"]


def test_a_failure_decides_the_exit_status_and_is_told(sample_batch):
    assert sample_batch.exit_status == 1
    assert "2 of 4 notebooks" in sample_batch.text()
    assert "failing: ValueError: no such <b>thing</b> in code cell 4" in sample_batch.text()
    assert "killed: the kernel died (killed, out of memory, or crashed) in code cell 3" in sample_batch.text()


def test_a_failing_notebook_leaves_its_partial_page(sample_batch):
    """What came before the failure is there, the failing code too, nothing after it; text is escaped."""
    text = page_text(sample_batch, "failing")
    assert "This page is partial." in text and "before" in text and "<figure" in text
    assert "no such &lt;b&gt;thing" in text and "<b>thing" not in text
    assert "afterwards" not in text
    assert "before" in page_text(sample_batch, "killed")


def test_a_cell_tagged_answer_leads_the_page(tmp_path):
    """Its chart stands inside the answer, before the text, and is the first of the page; the rest keeps its order."""
    first = CHART_CELL.replace("Rate <against> cores", "The evidence")
    last = CHART_CELL.replace("Rate <against> cores", "The answer") + "\n" + RECORD_CELL.format(name="one")
    cells = ("# Why?\n\nSee [two](02_two.ipynb).", ("parameters", PARAMETERS_CELL), first, ("answer", last))
    make_notebook(tmp_path / "one.ipynb", *cells)
    batch = report.report(notebooks=tmp_path, out=tmp_path / "out", progress=False)
    text = page_text(batch, "one")
    places = [text.index(part) for part in ('class="answer"', "To 20 cores.", 'aria-label="The answer"', "</section>", "See <a", 'aria-label="The evidence"')]
    assert batch.exit_status == 0 and places == sorted(places)
    assert [chart["title"] for chart in batch.pages[0].record["run"]["charts"]] == ["The answer", "The evidence"]
    assert 'href="02_two.html"' in text  # the page, not the notebook


def test_the_index_shows_answers_pictures_and_failures(sample_batch):
    text = sample_batch.index.read_text(encoding="utf-8")
    assert "2 failed" in text and "no such &lt;b&gt;thing&lt;/b&gt; in code cell 4" in text
    assert "How far does fine scale?" in text and "To 20 cores." in text
    assert "275 (265 to 285) ns" in text and "cores_max = 32" in text
    assert len(re.findall(r'<a class="thumbnail" href="\w+.html"[^>]*><svg', text)) == 3
    for page in sample_batch.pages:
        file = page.record["run"]["thumbnail"]
        assert (sample_batch.index.parent / file).is_file() if page.record["run"]["charts"] else file == ""


def test_no_page_has_a_remote_reference(sample_batch):
    assert REMOTE.search('<a href="https://example">') and REMOTE.search("url(//example)")
    found = {
        page.name: REMOTE.findall(page.read_text(encoding="utf-8")) for page in sample_batch.index.parent.glob("*.html")
    }
    assert len(found) == 5
    assert not any(found.values()), found


def test_the_workbook_runs_to_its_end_without_remote_references(workbook):
    """The shipped notebooks: every one done, with an answer, at least one chart, no reference to the network."""
    assert workbook.exit_status == 0, workbook.text()
    for page in workbook.pages:
        assert page.record["answer"] and page.record["run"]["charts"], page.name
        assert not REMOTE.search(page.html.read_text(encoding="utf-8")), page.name
    assert not REMOTE.search(workbook.index.read_text(encoding="utf-8"))


def test_the_record_holds_what_the_notebook_found_and_what_the_run_was(sample_batch):
    content = {page.name: page.record for page in sample_batch.pages}["fine"]
    assert content["schema"] == "mpps.record/1"
    assert content["answer"] == ["To 20 cores.", "Then no further."]
    assert content["numbers"]["section"] == {"value": 275.0, "lower": 265.0, "upper": 285.0, "unit": "ns"}
    assert content["parameters"] == {"cores_max": 32} and content["numbers"]["cores"] == {"value": 32}
    assert content["versions"]["numpy"] == np.__version__
    run = content["run"]
    assert (run["status"], run["error"], run["notebook"]) == ("done", None, "fine.ipynb")
    assert run["charts"] == [{"file": "fine/01-rate-against-cores.svg", "title": "Rate <against> cores"}]
    failed = {page.name: page.record for page in sample_batch.pages}["killed"]
    assert failed["run"]["status"] == "failed" and failed["run"]["cell"] == 3 and failed["answer"] == []


def test_the_executed_notebook_names_no_folder_of_this_machine(sample_batch):
    notebook = nbformat.read(sample_batch.index.parent / "fine.ipynb", as_version=4)
    assert notebook.metadata.papermill.input_path == "fine.ipynb"
    assert notebook.metadata.papermill.parameters == {"cores_max": 32}
    assert any(cell.get("outputs") for cell in notebook.cells)


def test_a_page_is_titled_structured_and_self_contained(sample_batch):
    """Language, one first heading, skip link, formulas as MathML, code hidden unless asked for, one bundle."""
    whole = (sample_batch.index.parent / "fine.html").read_text(encoding="utf-8")
    text = page_text(sample_batch, "fine")
    assert '<html lang="en">' in text and text.count("<h1") == 1
    assert "<title>How far does fine scale?</title>" in text
    assert 'class="skip"' in text and '<main id="main">' in text
    assert text.count("<math") == 2 and "\\frac" not in text
    assert "print" in text and "import mpps.report" not in text
    assert whole.count('id="mpps-vega"') == 1 and b"window.mppsEmbed=" in unpacked(whole, "vega")
    assert "This page is partial" not in text
    assert b'"title": "Rate <against> cores"' in unpacked(whole, "charts")


def test_the_answer_stands_before_the_evidence(sample_batch):
    text = page_text(sample_batch, "fine")
    assert (
        text.index("</h1>") < text.index("To 20 cores.") < text.index("What you will learn") < text.index("The model")
    )


def test_wide_tables_scroll_in_their_own_box(sample_batch):
    text = page_text(sample_batch, "fine")
    assert (
        text.count("<table")
        == len(re.findall(r'<div class="scroll" role="region" aria-label="[^"]+" tabindex="0"><table', text))
        > 0
    )


def test_a_chart_is_a_picture_too(sample_batch):
    """The file is an SVG, and the page holds it for readers without scripts."""
    picture = (sample_batch.index.parent / "fine" / "01-rate-against-cores.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg") and "</svg>" in picture
    assert '<div class="drawing"><svg' in page_text(sample_batch, "fine")
    numbers = sample_batch.index.parent / "fine" / "01-rate-against-cores.csv"
    assert numbers.read_text(encoding="utf-8").splitlines()[:2] == ["cores,rate", "1,1.0"]


def test_a_run_of_one_notebook_keeps_the_others_in_the_index(tmp_path):
    for name in ("one", "two"):
        make_notebook(tmp_path / f"{name}.ipynb", f"# {name}?", ("parameters", PARAMETERS_CELL), "print(cores_max)")
    report.report(notebooks=tmp_path, out=tmp_path / "out", progress=False)
    batch = report.report(["one.ipynb"], notebooks=tmp_path, out=tmp_path / "out", progress=False)
    assert [page.name for page in batch.pages] == ["one"]
    assert "two.html" in batch.index.read_text(encoding="utf-8")
    (tmp_path / "two.ipynb").unlink()
    batch = report.report(notebooks=tmp_path, out=tmp_path / "out", progress=False)
    assert "two.html" not in batch.index.read_text(encoding="utf-8")


def test_what_cannot_be_read_or_drawn_fails_alone(tmp_path, capsys):
    """A damaged file, and a chart that is no chart: told in the index, while the third notebook completes."""
    (tmp_path / "damaged.ipynb").write_text("{", encoding="utf-8")
    no_chart = (
        "from IPython.display import display\ndisplay({'application/vnd.vegalite.v6+json': {'mark': 3}}, raw=True)"
    )
    make_notebook(tmp_path / "drawing.ipynb", "# Drawn?", ("parameters", PARAMETERS_CELL), no_chart)
    make_notebook(tmp_path / "plain.ipynb", "# Plain?", ("parameters", PARAMETERS_CELL), "cores_max")
    batch = report.report(notebooks=tmp_path, out=tmp_path / "out")
    assert [page.name for page in batch.failed] == ["damaged"]
    assert "damaged.ipynb is not a notebook" in batch.index.read_text(encoding="utf-8")
    assert "could not be drawn" in (tmp_path / "out" / "drawing.html").read_text(encoding="utf-8")
    shown = capsys.readouterr()
    assert shown.out == "" and "3/3" in shown.err


def test_a_cell_that_takes_too_long_fails(tmp_path):
    endless = "import threading\nthreading.Event().wait()"
    make_notebook(tmp_path / "endless.ipynb", "# Ends?", ("parameters", PARAMETERS_CELL), endless)
    batch = report.report(notebooks=tmp_path, out=tmp_path / "out", progress=False, cell_seconds=1)
    assert batch.exit_status == 1 and "longer than allowed in code cell 2" in batch.text()


def test_an_interrupt_ends_the_kernels_and_keeps_what_was_computed(tmp_path):
    """One notebook is done, the second reports its kernel and waits for ever: then comes the interrupt."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    make_notebook(folder / "a_done.ipynb", "# Done?", ("parameters", PARAMETERS_CELL), "print(cores_max)")
    waiting = "import os, socket\ncall = socket.socket(socket.AF_UNIX)\ncall.connect(os.environ['MPPS_TEST_SOCKET'])\n"
    waiting += "call.sendall(str(os.getpid()).encode() + b'\\n')\ncall.recv(1)"
    make_notebook(folder / "b_waiting.ipynb", "# Waits?", ("parameters", PARAMETERS_CELL), waiting)
    program = (
        "import sys, mpps.report as r; r.report(notebooks=sys.argv[1], out=sys.argv[2], workers=1, progress=False)"
    )
    # a short path of its own: a socket's may have about 104 bytes
    with tempfile.TemporaryDirectory(prefix="mpps-") as short, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{short}/s")
        listener.listen()
        listener.settimeout(60)
        environment = os.environ | {"MPPS_TEST_SOCKET": f"{short}/s", "PYTHONPATH": engine.python_path()}
        command = [sys.executable, "-c", program, str(folder), str(tmp_path / "out")]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
            call, _ = listener.accept()
            with call:
                kernel = int(call.makefile().readline())
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=60)
    assert process.returncode != 0 and "KeyboardInterrupt" in errors
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)
    assert "a_done.html" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_names_are_checked_before_anything_runs(tmp_path):
    make_notebook(tmp_path / "01_receive.ipynb", "# Receive?", ("parameters", PARAMETERS_CELL), "cores_max")
    make_notebook(
        tmp_path / "02_send.ipynb", "# Send?", ("parameters", "machine: str = 'a'  # where {a, b}"), "machine"
    )
    options = {"notebooks": tmp_path, "out": tmp_path / "out", "progress": False}
    with pytest.raises(UnknownNameError, match="01_recieve.*did you mean '01_receive'"):
        report.report(["01_recieve"], **options)
    with pytest.raises(UnknownNameError, match="unknown engine 'hot'.*known: (warm, stock|stock, warm)"):
        report.report(engine="hot", **options)
    with pytest.raises(UnknownNameError, match="core_max.*did you mean 'cores_max'"):
        report.report(parameters={"core_max": 3}, **options)
    with pytest.raises(MppsError, match=r"cores_max = '5000': expected a whole number in \[1..4096\]"):
        report.report(["01_receive"], parameters=report.parse_parameters(["cores_max=5000"]), **options)
    with pytest.raises(UnknownNameError, match="parameter of 01_receive 'machine'.*known: cores_max"):
        report.report(["01_receive"], parameters={"machine": "a"}, **options)
    assert not (tmp_path / "out").exists()
    assert [one.name for one in report.notebook_parameters("02_send", tmp_path)] == ["machine"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    make_notebook(tmp_path / "one.ipynb", "# One?", ("parameters", PARAMETERS_CELL))
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(MppsError, match="cannot write reports into .*file"):
        report.report(notebooks=tmp_path, out=tmp_path / "file", progress=False)
    with pytest.raises(MppsError, match="no notebooks in"):
        report.report(notebooks=tmp_path / "nowhere", out=tmp_path / "out", progress=False)


@pytest.mark.parametrize(
    "latex", [r"\frac{a}{b}", r"$\displaystyle x_{i}$", r"$$\sum_{k=1}^{n} k$$", r"\begin{aligned}a &= b\end{aligned}"]
)
def test_formulas_become_mathml(latex):
    assert pages.mathml(latex).startswith("<math") and "$" not in pages.mathml(latex)


@pytest.mark.parametrize("latex", [r"\frac{", r"\unheardof{x}", "", r"a & <b>"])
def test_formulas_that_cannot_be_read_are_shown_as_code(latex):
    shown = pages.mathml(latex)
    assert shown.startswith("<code") and "<b>" not in shown


def test_a_record_in_a_session_is_shown_and_not_written(monkeypatch, tmp_path):
    """Only a batch, which says where, has a file written."""
    monkeypatch.delenv(record.RECORD_FILE, raising=False)
    monkeypatch.chdir(tmp_path)
    shown = report.record(
        "x", question="Why?", answer="Because of <i>.", numbers={"a|b": 1234.5, "open": {"lower": 3, "upper": np.inf}}
    )
    assert list(tmp_path.iterdir()) == []
    assert "1,234" in repr(shown) and "at least 3" in repr(shown)
    assert "a\\|b" in shown._repr_markdown_() and "&lt;i&gt;" in shown._repr_markdown_()


def test_a_record_refuses_what_programs_could_not_read():
    with pytest.raises(UnknownNameError, match="unknown status.*answered, bounded, open"):
        report.record("x", question="Why?", answer=[], status="fine")
    with pytest.raises(MppsError, match="NaN"):
        report.record("x", question="Why?", answer=[], numbers={"a": float("nan")})
    with pytest.raises(MppsError, match="number 'a'"):
        report.record("x", question="Why?", answer=[], numbers={"a": {"median": 3}})


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ({"value": 275.31, "lower": 265.2, "upper": 285, "unit": "ns"}, "275 (265 to 285) ns"),
        ({"value": None, "lower": 0.001234, "upper": None}, "at least 0.00123"),
        ({"value": None, "lower": None, "upper": 4}, "at most 4"),
        ({"value": 1234567.0}, "1.23e+06"),
        ({"value": 0}, "0"),
        ({"value": "the lock"}, "the lock"),
        ({"value": None}, "unbounded"),
    ],
)
def test_numbers_are_shown_to_three_digits(number, text):
    assert record.show(number) == text


def test_files_that_are_no_records_are_left_alone(tmp_path):
    (tmp_path / "a.json").write_text('{"schema": "other"}', encoding="utf-8")
    (tmp_path / "b.json").write_text("[", encoding="utf-8")
    assert [record.read(pathlib.Path(tmp_path / name)) for name in ("a.json", "b.json", "c.json")] == [None] * 3
