"""What all tests share: one thread a process, seeded hypothesis, one run of the workbook."""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy is imported: the workers of a run share the cores

import fcntl
import pickle
import signal

import hypothesis
import pytest

from samples import CHART_CELL, PARAMETERS_CELL, good_cells, make_notebook

hypothesis.settings.register_profile("mpps", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("mpps")


@pytest.fixture(autouse=True)
def signals_are_met_as_before():
    """A script that a test runs may let a closed pipe end it (`| head`): not this process, and not the next test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


def once(tmp_path_factory, name: str, make):
    """What `make(folder)` returns, made once in a run: under pytest-xdist by the first worker that asks."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    kept = shared / f"{name}.pickle"
    with open(shared / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            (shared / name).mkdir(exist_ok=True)
            kept.write_bytes(pickle.dumps(make(shared / name)))
        return pickle.loads(kept.read_bytes())


@pytest.fixture(scope="session")
def workbook(tmp_path_factory):
    """The run's one execution of every notebook of the workbook: a `mpps.report.BatchResult`."""
    from mpps import report
    from mpps.root import notebooks_folder

    if not report.notebook_names(notebooks_folder()):
        pytest.skip("no notebooks yet")
    return once(tmp_path_factory, "workbook", lambda folder: report.report(out=folder, progress=False))


@pytest.fixture(scope="session")
def sample_batch(tmp_path_factory):
    """A batch of four small notebooks: two good ones, one that fails in a cell, one whose kernel is killed."""
    return once(tmp_path_factory, "sample", _sample_batch)


def _sample_batch(folder):
    from mpps import report

    for name in ("fine", "other"):
        make_notebook(folder / f"{name}.ipynb", *good_cells(name))
    make_notebook(
        folder / "failing.ipynb",
        "# Does it fail?",
        ("parameters", PARAMETERS_CELL),
        CHART_CELL,
        "print('before')",
        "raise ValueError('no such <b>thing</b>')",
        "print('after' + 'wards')",
    )
    killed = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    make_notebook(folder / "killed.ipynb", "# Does it die?", ("parameters", PARAMETERS_CELL), "print('before')", killed)
    return report.report(notebooks=folder, out=folder / "reports", progress=False, parameters={"cores_max": 32})
