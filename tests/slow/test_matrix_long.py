"""Hundreds of reports in one batch: neither memory nor files or sockets that stay open grow with their number."""

import os
import resource

import pytest
import yaml

from mpps import report
from samples import make_notebook

pytestmark = pytest.mark.slow

CELL = "seed: int = 1  # of nothing [0..100000]"
RECORD = 'import mpps\nmpps.record("grid", question="Which?", answer=[f"{seed}"], numbers={"seed": float(seed)})'


def test_three_hundred_reports_leave_nothing_open(tmp_path):
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    make_notebook(notebooks / "grid.ipynb", "# Which?", ("parameters", CELL), RECORD)

    def batch(count):
        file = tmp_path / f"matrix{count}.yaml"
        file.write_text(yaml.safe_dump({"notebook": "grid", "parameters": {"seed": list(range(count))}}))
        made = report.report(matrix=file, notebooks=notebooks, out=tmp_path / f"out{count}", progress=False)
        assert made.exit_status == 0 and len(made.pages) == count
        assert [page.record["answer"] for page in made.pages] == [[str(seed)] for seed in range(count)]
        return len(os.listdir("/proc/self/fd")), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    files, megabytes = batch(20)
    later_files, later_megabytes = batch(300)
    assert later_files <= files + 5
    assert later_megabytes <= megabytes + 150, (megabytes, later_megabytes)
