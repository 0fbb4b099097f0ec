"""The validation page: what it holds, when it is written anew, what the index says of it."""

import html
import json
import re

import numpy as np
import pytest

from mpps import heldout, report, scoreboard
from mpps.errors import MppsError
from mpps.pages import validation, write_index
from mpps.sentences.scoreboard import TITLES
from mpps.tables import table
from mpps.validate import validate

REMOTE = re.compile(
    r"""(?:\b(?:src|href|srcset|action)\s*=\s*["']?|url\(\s*["']?|@import\s+["']?)\s*(?:https?:)?//""", re.IGNORECASE
)


def rising(training, at):
    """A slope that fades out, with intervals that grow."""
    slope = np.clip(np.log(training.rate[-1] / training.rate[-2]) / np.log(training.n[-1] / training.n[-2]), -1, 1)
    distance = np.log(at / training.n[-1])
    median = training.rate[-1] * np.exp(0.2 * slope * (1 - np.exp(-5 * distance)))
    steps = np.array([-1, -0.4, 0, 0.4, 1])[:, None]
    return median * np.exp(steps * (0.2 + 0.5 * distance))


@pytest.fixture(scope="module")
def document():
    return validate(forecaster=rising)


@pytest.fixture(scope="module")
def folder(document, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    rows = table([{"figure": "each <point>", "value": 0.05}])
    section = validation.Section("Rows & columns", "What stands below.", rows)
    validation.write_validation_page(document, folder, sections=[section], digest="abc")
    return folder


@pytest.fixture(scope="module")
def page(folder):
    """The page without the vega bundle."""
    text = (folder / "validation.html").read_text(encoding="utf-8")
    return re.sub(r"<script>\(function.*?</script>", "", text, flags=re.DOTALL)


def test_the_page_needs_no_network(page):
    assert REMOTE.search(page) is None
    assert "Content-Security-Policy" in page and page.count("<h1>") == 1


def test_every_goal_stands_there_with_its_result(document, page):
    words = html.unescape(page)

    for goal in document["goals"]:
        assert goal["goal"] in words
    missed = sum(not goal["reached"] for goal in document["goals"])
    assert 0 < missed < len(document["goals"])
    assert page.count("MISSED by") == missed
    assert f"{len(document['goals']) - missed} of {len(document['goals'])} goals reached" in words


def test_every_link_of_the_contents_has_its_section(page):
    anchors = re.findall(r'<a href="#([\w-]+)">', page.partition('<nav class="contents"')[2].partition("</nav>")[0])

    assert len(anchors) > 8
    for anchor in anchors:
        assert f'<h2 id="{anchor}">' in page


def test_every_data_set_and_model_stands_in_the_tables(document, page):
    for row in document["datasets"]:
        assert f">{row['name']}</td>" in page
    assert all(f">{title}</th>" in page for title in TITLES.values())


def test_cases_show_their_reason_and_every_chart_has_its_picture(document, folder, page):
    words = html.unescape(page).replace("\N{NO-BREAK SPACE}", " ")
    for kind in ("best", "worst"):
        assert document["cases"][kind]
        for place in document["cases"][kind]:
            assert document["series"][place]["reason"] in words
    pictures = re.findall(r'class="svg" href="([^"]+)"', page)
    assert len(pictures) == 4 + len(document["cases"]["best"]) + len(document["cases"]["worst"])
    assert all((folder / one).is_file() for one in pictures)


def test_further_sections_are_escaped_and_linked(page):
    assert '<h2 id="rows-columns">Rows &amp; columns</h2>' in page and "each &lt;point&gt;" in page


def test_the_document_lies_beside_the_page(document, folder):
    assert json.loads((folder / "validation.json").read_text(encoding="utf-8")) == document
    assert 'href="validation.json"' in (folder / "validation.html").read_text(encoding="utf-8")


def test_the_index_says_what_the_page_says(document, folder, tmp_path):
    index = html.unescape(write_index(folder, [], 1.0).read_text(encoding="utf-8"))

    assert 'href="validation.html"' in index
    assert all(sentence in index for sentence in validation.answer(document))
    assert "validation.html" not in write_index(tmp_path, [], 1.0).read_text(encoding="utf-8")


def test_a_folder_without_far_points_has_a_page(tmp_path):
    """Counts that end within twice the training range leave the far figures out."""
    rows = [f"t,a,{n},throughput,{10 * n**0.8:.3f},pps" for n in (10, 12, 14, 16, 18)]
    source = tmp_path / "f"
    source.mkdir()
    (source / "t.csv").write_text("\n".join(["dataset,variant,n,metric,value,unit", *rows]) + "\n", encoding="utf-8")
    found = validate(source, forecaster=rising)

    assert found["pooled"]["far"] is None
    text = validation.write_validation_page(found, tmp_path / "out").read_text(encoding="utf-8")
    assert "None" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


# When it is written.


@pytest.fixture
def counted(monkeypatch, document):
    """Runs of the scoreboard, without their forecasts and without the figures of the seeds."""
    runs = []
    monkeypatch.setattr(scoreboard, "validate", lambda **options: runs.append(options) or document)
    monkeypatch.setattr(scoreboard.heldout, "document", lambda seed: {"rows": []})
    monkeypatch.setattr(scoreboard, "kept_pairs", lambda seed: {"schema": "mpps.pairs/1"})
    monkeypatch.setattr(scoreboard, "pair_sections", lambda changes: [])
    return runs


def test_the_page_is_written_anew_only_for_other_data_code_or_seed(counted, tmp_path, monkeypatch):
    first = scoreboard.write_scoreboard(tmp_path)
    before = first.stat().st_mtime_ns
    scoreboard.write_scoreboard(tmp_path)
    assert len(counted) == 1 and first.stat().st_mtime_ns == before
    scoreboard.write_scoreboard(tmp_path, seed=2)
    assert len(counted) == 2
    monkeypatch.setattr(scoreboard, "_digest", lambda seed: "other code")
    scoreboard.write_scoreboard(tmp_path)
    assert len(counted) == 3 and validation.written(tmp_path) == "other code"


def test_a_batch_writes_it_when_asked_and_survives_its_failure(counted, tmp_path, monkeypatch, capsys):
    from samples import good_cells, make_notebook

    make_notebook(tmp_path / "fine.ipynb", *good_cells("fine"))
    options = {"notebooks": tmp_path, "out": tmp_path / "out", "progress": False}
    report.report(**options)
    assert not counted
    index = report.report(**options, scoreboard=True).index.read_text(encoding="utf-8")
    assert len(counted) == 1 and 'href="validation.html"' in index and 'href="fine.html"' in index

    def failing(**options):
        raise MppsError("no forecasts")

    monkeypatch.setattr(scoreboard, "validate", failing)
    monkeypatch.setattr(scoreboard, "_digest", lambda seed: "other code")
    assert report.report(**options, scoreboard=True).exit_status == 0
    assert "the validation page could not be made: no forecasts" in capsys.readouterr().err


def test_the_code_paths_stand_below_the_corpus(document, tmp_path):
    """Rows that a fit did not see: one line for each kind, a chart, reasons and what cannot be left out."""
    ends = {"median": 10.0, "lower": 8.0, "upper": 12.0, "lower50": 9.0, "upper50": 11.0}
    usl = {f"usl{key and '_'}{key}": None for key in ("", "lower", "upper", "lower50", "upper50")}
    row = {"path": "p", "dataset": "d", "variant": "a", "n": 4, "observed": 20.0, **ends, **usl}
    row |= {"kind": heldout.ONE, "left_out": "a, 4", "reason": "It departs from `b`."}
    figures = {"points": 1, "error": 0.5, "coverage": 0.0, "coverage50": 0.0, "width": 0.4, "usl_points": 0}
    found = scoreboard.sections(
        {
            "rows": [row],
            "summary": [{"path": "p", "dataset": "d", "kind": heldout.ONE, **figures}],
            "cases": {"best": [], "worst": [row]},
            "cannot": [{"path": "p", "title": "Path", "scope": "all", "words": ["`a` cannot."]}],
        }
    )
    page = validation.write_validation_page(document, tmp_path, sections=found).read_text(encoding="utf-8")

    assert "0 of 1 rows that a fit did not see" in page
    assert "<li>d, a at 4. It departs from b.</li>" in page and "<li>Path: a cannot.</li>" in page
    assert ">one point</td>" in page and "Well predicted</h3>" not in page
    assert scoreboard.sections({"rows": []}) == []
