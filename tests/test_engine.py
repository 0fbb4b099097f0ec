"""The warm engine: the same outputs as the stock one, kernels of their own, and failures that stay where they happen."""

import asyncio
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys

import nbformat
import pytest

from mpps import engine, report
from mpps.engine.warm import ForkedProcess, Forker, _provisioner_class
from mpps.errors import MppsError
from samples import PARAMETERS_CELL, good_cells, make_notebook

pytestmark = pytest.mark.skipif(engine.default_engine() != "warm", reason="kernels are forked on Linux only")

#: Everything that differs between two kernels of one kind: text, errors, pictures, numbers, what is loaded from where.
CELLS = (
    *good_cells("fine"),
    "import sys, os, numpy as np\nprint(np.random.default_rng(3).random(), sys.path[0] == '', os.getcwd() == sys.path[1])",
    "print(sorted(k for k in os.environ if k.startswith('MPPS')), os.environ['OPENBLAS_NUM_THREADS'], __name__, sys.argv[0])",
    "import warnings\nwarnings.warn('look')\nprint('to stderr', file=sys.stderr)",
    "from IPython.display import Markdown, display\ndisplay(Markdown('*so*'), display_id='one')\n{'a': [1, 2]}",
    "%time pass\n1/0",
)


def cells_of(folder, name: str) -> list:
    """Outputs of each cell without the addresses and times that no two kernels share."""
    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    found = [(cell.get("execution_count"), cell.get("outputs")) for cell in notebook.cells]
    text = json.dumps(found)
    for word in ("CPU times", "Wall time"):
        text = "\n".join(line.partition(word)[0] for line in text.replace("\\n", "\n").splitlines())
    return text.splitlines()


def stripped(lines):
    return [re.sub(r"ipykernel_\d+/\d+|0x[0-9a-f]+", "", line) for line in lines]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same notebooks through both engines: name of the engine -> (batch, folder)."""
    found = {}
    for name in engine.ENGINES:
        folder = tmp_path_factory.mktemp(name)
        make_notebook(folder / "all.ipynb", *CELLS)
        make_notebook(
            folder / "killed.ipynb", "# Dies?", ("parameters", PARAMETERS_CELL), "print('before')",
            "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        )  # fmt: skip
        make_notebook(folder / "other.ipynb", *good_cells("other"))
        found[name] = report.report(notebooks=folder, out=folder / "out", progress=False, engine=name), folder / "out"
    return found


def test_outputs_are_those_of_the_stock_engine_cell_by_cell(both):
    for name in ("all", "other"):
        warm, stock = (stripped(cells_of(both[engine][1], name)) for engine in ("warm", "stock"))
        assert warm == stock
    assert "ZeroDivisionError" in "\n".join(cells_of(both["warm"][1], "all"))


def test_a_killed_kernel_is_the_same_error_leaves_its_file_and_touches_nobody(both):
    errors = {name: {page.name: page.error for page in batch.pages} for name, (batch, _) in both.items()}

    assert errors["warm"] == errors["stock"]
    assert "the kernel died" in errors["warm"]["killed"] and errors["warm"]["other"] is None
    # whether the count of the fatal cell arrived before the end is a matter of luck
    files = [nbformat.read(folder / "killed.ipynb", as_version=4) for _, folder in both.values()]
    outputs = [[cell.get("outputs") for cell in file.cells] for file in files]
    assert outputs[0] == outputs[1]
    assert "before" in "\n".join(cells_of(both["warm"][1], "killed"))


def test_every_notebook_has_a_kernel_of_its_own(both):
    assert [batch.kernels for batch, _ in both.values()] == [3, 3]


@pytest.fixture
def forker():
    made = Forker(os.environ | {"PYTHONPATH": engine.python_path(), "OPENBLAS_NUM_THREADS": "1"})
    yield made
    made.close()


def fork(forker, tmp_path, argument="--version"):
    return forker.ask(fork=[argument], folder=str(tmp_path), environment=dict(os.environ))["pid"]


def test_the_status_of_a_kernel_is_kept_until_the_end(forker, tmp_path):
    """So that its number is nobody else's as long as somebody may signal it."""
    pid = fork(forker, tmp_path)
    while (status := forker.ask(status=pid)["status"]) is None:
        pass

    assert status == 0 and forker.ask(status=pid)["status"] == 0
    assert forker.ask(signal=signal.SIGKILL, pid=os.getpid()) == {"sent": False}


def test_the_end_of_the_forker_is_the_end_of_its_kernels(forker, tmp_path):
    pid = fork(forker, tmp_path, f"-f={tmp_path / 'connection.json'}")
    assert forker.ask(status=pid)["status"] is None

    forker.close()

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_program_that_a_closed_pipe_ends_outlives_the_forker():
    """Scripts for `| head` take SIGPIPE as it comes; a forker that has gone is an error to them, not their end."""
    program = (
        "import os, signal; from mpps.engine.warm import Forker\n"
        "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
        "made = Forker(dict(os.environ)); made._process.kill(); made._process.wait()\n"
        "for _ in range(2):\n"
        "    try: made.ask(status=1)\n"
        "    except OSError as error: print(type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": engine.python_path()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, len(done.stdout.split())) == (0, 2), done


def test_a_kernel_is_signalled_only_while_its_number_is_its_own(forker, tmp_path, monkeypatch):
    """Once the forker has gone nobody keeps the number: neither the process nor its group is signalled any more."""
    process = ForkedProcess(forker, fork(forker, tmp_path, f"-f={tmp_path / 'connection.json'}"))
    sent = []
    monkeypatch.setattr(os, "kill", lambda *arguments: sent.append(arguments))
    monkeypatch.setattr(os, "killpg", lambda *arguments: sent.append(arguments))
    kernels = engine.Kernels("stock")
    kernels.add(process)
    provisioner = _provisioner_class()(forker=forker)
    provisioner.process, provisioner.pid, provisioner.pgid = process, process.pid, process.pid
    forker.close()

    kernels.end()
    process.kill()
    # In a thread of its own: a browser of another test may have left an event loop running in this one.
    with concurrent.futures.ThreadPoolExecutor(1) as apart:
        apart.submit(lambda: asyncio.run(provisioner.kill())).result()

    assert sent == [] and process.returncode == -signal.SIGKILL


def test_without_the_forker_kernels_are_started_as_usual(tmp_path, monkeypatch):
    def killed(environment):
        made = Forker(environment)
        made._process.kill()
        made._process.wait()
        return made

    monkeypatch.setattr("mpps.engine.warm.Forker", killed)
    make_notebook(tmp_path / "one.ipynb", "# One?", ("parameters", PARAMETERS_CELL), "print(cores_max)")

    batch = report.report(notebooks=tmp_path, out=tmp_path / "out", progress=False, engine="warm")

    assert batch.exit_status == 0 and batch.kernels == 1


def test_kernels_do_not_draw_the_same_numbers(tmp_path):
    for name in ("one", "two"):
        make_notebook(
            tmp_path / f"{name}.ipynb",
            "# Draws?",
            ("parameters", PARAMETERS_CELL),
            "import numpy\nprint(numpy.random.random())",
        )

    report.report(notebooks=tmp_path, out=tmp_path / "out", progress=False, engine="warm")

    assert cells_of(tmp_path / "out", "one") != cells_of(tmp_path / "out", "two")


def test_elsewhere_the_warm_engine_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")

    assert engine.default_engine() == "stock"
    with pytest.raises(MppsError, match="Linux only.*--engine stock"):
        engine.check_engine("warm")
