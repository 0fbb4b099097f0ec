"""Notebooks open and run in JupyterLab from a clean kernel, and show their charts there."""

import re
import shutil

import pytest
from lab_server import run_all, served

from samples import PARAMETERS_CELL, RECORD_CELL, ROOT, make_notebook

pytestmark = pytest.mark.browser

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

CHART_CELL = """\
import altair as alt
import mpps.charts
mpps.charts.use(svg=True)
alt.Chart(alt.Data(values=[{"n": 1, "x": 2}, {"n": 2, "x": 3}])).mark_line().encode(x="n:Q", y="x:Q")"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with served(tmp_path_factory) as server:
        yield server


@pytest.mark.parametrize("source", [None, *NOTEBOOKS[:1]], ids=lambda path: path.stem if path else "sample")
def test_a_notebook_runs_and_shows_its_charts(browser, lab, source):
    folder, address = lab
    if source is None:
        name = "sample.ipynb"
        make_notebook(
            folder / name, "# Runs?", ("parameters", PARAMETERS_CELL), CHART_CELL, RECORD_CELL.format(name="x")
        )
    else:
        name = source.name
        shutil.copy(source, folder)
    page = run_all(browser, address, name)
    page.wait_for_selector(".jp-RenderedSVG img, .jp-RenderedSVG svg")
    assert (
        page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error'], .jp-OutputArea-error").count()
        == 0
    )
    assert page.locator(".jp-RenderedMarkdown", has_text=re.compile("answered|bounded|open")).count() > 0
    page.context.close()
