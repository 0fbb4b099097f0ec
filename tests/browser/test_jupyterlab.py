"""Notebooks open and run in JupyterLab from a clean kernel, and show their charts there."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from chromium import DESKTOP

from mpps.engine import python_path
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
    """A JupyterLab on a free port of this machine: its folder and its address."""
    folder, state = tmp_path_factory.mktemp("lab"), tmp_path_factory.mktemp("state")
    kinds = ("CONFIG", "DATA", "RUNTIME")
    own = {f"JUPYTER_{kind}_DIR": str(state / kind) for kind in kinds}
    own |= {f"JUPYTERLAB_{kind}_DIR": str(state / kind) for kind in ("SETTINGS", "WORKSPACES")}
    command = [
        sys.executable,
        "-m",
        "jupyter",
        "lab",
        "--no-browser",
        "--ServerApp.port=0",
        "--IdentityProvider.token=t",
    ]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    command += ["--allow-root"] if os.getuid() == 0 else []
    environment = os.environ | own | {"PYTHONPATH": python_path()}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        said = []
        for line in server.stderr:
            said.append(line)
            if address := re.search(r"http://127\.0\.0\.1:\d+/", line):
                break
        else:
            pytest.fail("JupyterLab did not start:\n" + "".join(said))
        yield folder, address[0]
        server.terminate()
        server.communicate(timeout=30)


def run_all(browser, address: str, name: str):
    """Open a notebook, wait for its kernel, run all cells, wait until every one has its number; returns the page."""
    page = browser.new_context(viewport=DESKTOP).new_page()
    page.set_default_timeout(90_000)
    page.goto(f"{address}lab/tree/{name}?token=t&reset")
    page.wait_for_selector("text=| Idle")
    page.keyboard.press("Escape")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    prompts = "Array.from(document.querySelectorAll('.jp-CodeCell .jp-InputPrompt'), prompt => prompt.textContent)"
    page.wait_for_function(f"{prompts}.length > 0 && {prompts}.every(text => /\\d/.test(text))")
    return page


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
