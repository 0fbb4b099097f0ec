"""A JupyterLab on a free port of this machine, and how a notebook of it is opened and run."""

import contextlib
import os
import re
import subprocess
import sys

import pytest
from chromium import DESKTOP

from mpps.engine import python_path


@contextlib.contextmanager
def served(tmp_path_factory):
    """The server's folder and its address, until the block ends."""
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
        try:
            yield folder, address[0]
        finally:
            server.terminate()
            server.communicate(timeout=30)


def run_all(browser, address: str, name: str, *, size=None):
    """Open a notebook, wait for its kernel, run all cells, wait until every one has its number; returns the page."""
    page = browser.new_context(viewport=size or DESKTOP).new_page()
    page.set_default_timeout(90_000)
    page.goto(f"{address}lab/tree/{name}?token=t&reset")
    page.wait_for_selector("text=| Idle")
    page.keyboard.press("Escape")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    prompts = "Array.from(document.querySelectorAll('.jp-CodeCell .jp-InputPrompt'), prompt => prompt.textContent)"
    page.wait_for_function(f"{prompts}.length > 0 && {prompts}.every(text => /\\d/.test(text))")
    return page
