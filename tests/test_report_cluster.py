"""A batch of notebooks on a Dask cluster: two worker processes, one killed on the way; pages as from this machine."""

import contextlib
import json
import os
import subprocess
import sys
import time

import pytest
import yaml

from mpps import report
from samples import ROOT, make_notebook

CELL = "count: int = 1  # of things [0..100]"
WORK = """import mpps
assert count != 3, "three is refused"
mpps.record("grid", question="How many?", answer=[f"{count}."], numbers={"count": float(count)})"""
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "model"), "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}


@contextlib.contextmanager
def cluster(folder):
    """A scheduler and two workers: the address and the worker processes."""
    file = folder / "scheduler.json"
    quiet = {"env": ENVIRONMENT, "cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    common = ["--no-dashboard", "--scheduler-file", str(file)]

    def start(module, *more):
        return subprocess.Popen([sys.executable, "-m", f"distributed.cli.{module}", *common, *more], **quiet)

    processes = [start("dask_scheduler", "--port", "0", "--host", "127.0.0.1")]
    try:
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text(encoding="utf-8").strip()):
            assert processes[0].poll() is None and time.monotonic() < deadline, "no scheduler"
            time.sleep(0.05)
        processes += [start("dask_worker", "--nthreads", "1", "--host", "127.0.0.1", "--no-nanny") for _ in range(2)]
        yield json.loads(file.read_text(encoding="utf-8"))["address"], processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("away")


@pytest.fixture(scope="module")
def batches(folder):
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    make_notebook(notebooks / "grid.ipynb", "# How many?", ("parameters", CELL), WORK)
    file = folder / "matrix.yaml"
    file.write_text(yaml.safe_dump({"notebook": "grid", "parameters": {"count": [1, 2, 3, 4]}}), encoding="utf-8")
    here = report.report(matrix=file, notebooks=notebooks, out=folder / "here", progress=False)
    code = "import sys; from mpps.report import report; sys.exit(report(matrix={!r}, notebooks={!r}, out={!r}, scheduler={!r}, progress=False).exit_status)"
    with cluster(folder) as (address, workers):
        texts = (str(file), str(notebooks), str(folder / "away"), address)
        away = subprocess.Popen([sys.executable, "-c", code.format(*texts)], env=ENVIRONMENT, stderr=subprocess.PIPE)
        # One worker goes once the first report is there; the other does the rest.
        while away.poll() is None and not list((folder / "away").glob("*.html")):
            time.sleep(0.05)
        workers[0].kill()
        _, errors = away.communicate(timeout=120)
    return here, away.returncode, errors.decode()


def test_the_batch_is_complete_and_its_failure_is_told(batches, folder):
    here, status, errors = batches
    assert status == here.exit_status == 1, errors
    made = sorted(path.name for path in (folder / "away").glob("*.html"))
    assert made == sorted(path.name for path in (folder / "here").glob("*.html")) and len(made) == 5
    assert "three is refused" in (folder / "away" / "index.html").read_text(encoding="utf-8")


def test_records_are_those_of_this_machine(batches, folder):
    for count in (1, 2, 3, 4):
        away, here = (
            json.loads((folder / place / f"grid--{count}.json").read_text(encoding="utf-8"))
            for place in ("away", "here")
        )
        for one in (away, here):
            del one["run"]["seconds"]
        assert away["numbers"] == here["numbers"] and away["answer"] == here["answer"]
        assert away["run"] == here["run"] and away["parameters"] == here["parameters"]


def test_a_scheduler_that_is_not_there_is_told_before_anything_runs(folder):
    notebooks = folder / "notebooks"
    code = "import sys; from mpps.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "report", "--matrix", str(folder / "matrix.yaml")]
    command += ["--out", str(folder / "none"), "--scheduler", "tcp://127.0.0.1:9"]
    file = folder / "matrix.yaml"
    file.write_text(yaml.safe_dump({"notebook": "00_overview", "parameters": {"seed": [1]}}), encoding="utf-8")
    done = subprocess.run(
        command, env=ENVIRONMENT, cwd=notebooks, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 2 and "no scheduler answers there" in done.stderr
    assert "Traceback" not in done.stderr and not list((folder / "none").glob("*.html"))
