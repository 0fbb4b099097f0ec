"""Time and peak memory against size, and the order of growth: the slope in log-log of the larger half of the sizes."""

import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc

import numpy as np
from rows_solver import parameter_sets

#: A measured slope above the expected order by more than this is told.
_SLACK = 0.35


def rows(report, notebooks: bool = True):
    """Curves: {"work", "of", "sizes", "seconds", "memory_mb", "order", "expected", "within"}."""
    report(_curve("exact curve n = 1..N", "N", (32, 64, 128, 256, 512), _exact, 2))
    report(_curve("exact curve beyond the matrix", "N", (1024, 2048, 4096), _exact, 2))
    report(_curve("one population of n senders", "n", (64, 256, 1024, 4096), _population, 1))
    report(_curve("sweep, n = 1..64", "parameter sets", (10_000, 40_000, 160_000), _sweep, 1))
    # A table of r points reaches to r senders here, and each network of it costs as much as its senders.
    report(_curve("mpps fit of a table", "points", (5, 10, 20, 40), _table, 2))
    report(_curve("bootstrap of a joint fit", "replicates", (125, 250, 500, 1000, 2000), _bootstrap(), 1))
    if notebooks:
        report(_notebooks())


def _curve(work, of, sizes, make, expected):
    seconds, memory = [], []
    for size in sizes:
        call = make(size)
        call()
        seconds.append(min(_seconds(call) for _ in range(3)))
        tracemalloc.start()
        call()
        memory.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()
    return _row(work, of, sizes, seconds, memory, expected)


def _row(work, of, sizes, seconds, memory, expected):
    half = len(sizes) // 2
    order = float(np.polyfit(np.log(sizes[half - 1 :]), np.log(seconds[half - 1 :]), 1)[0])
    return {
        "work": work, "of": of, "sizes": list(sizes), "seconds": seconds, "memory_mb": memory,
        "order": order, "expected": expected, "within": order <= expected + _SLACK,
    }  # fmt: skip


def _exact(size):
    from mpps.solver import curve

    service = 80.0 + 0.5 * np.arange(size)
    return lambda: curve(700.0, service)


def _population(size):
    from mpps.network import throughput

    service = (80.0 + 0.5 * np.arange(size))[None]
    return lambda: throughput([size], np.array([700.0]), service)


def _sweep(size):
    from mpps.solver import sweep

    think, section, values, _ = parameter_sets(size)
    return lambda: sweep(think, section, 64, handoff="hump", values=values, reduce=lambda rates: rates.max(axis=0))


def _table(size):
    from mpps.table import forecast

    n = np.arange(1, size + 1)
    rate = 1e6 * n / (1 + 0.03 * (n - 1)) * np.exp(0.01 * np.random.default_rng(1).standard_normal(size))
    return lambda: forecast(n, rate, [4 * size])


def _bootstrap():
    import mpps
    from mpps.fit import problem_of, solve
    from mpps.uncertainty import members

    path = mpps.load_path("pppoe_receive")
    problem = problem_of(path, "synchronous", next(one for one in path.mechanisms if one.name == "hump, start 0.2"))
    solved = solve(problem, rounds=0)
    return lambda size: lambda: members(problem, solved, 1.0, size, 1)


def _notebooks(counts=(2, 4, 8, 16)):
    """Copies of one small notebook through the report; memory is that of all its processes, shared pages shared."""
    seconds, memory = [], []
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            for k in range(count):
                _write_notebook(pathlib.Path(folder) / f"copy_{k:02}.ipynb")
            program = "import sys, mpps.report as r; r.report(notebooks=sys.argv[1], out=sys.argv[1] + '/out', progress=False)"
            start = time.perf_counter()
            with subprocess.Popen([sys.executable, "-c", program, folder], stderr=subprocess.DEVNULL) as process:
                peak = _Peak(process)
                process.wait()
            seconds.append(time.perf_counter() - start)
            memory.append(peak.megabytes())
    return _row("report of small notebooks", "notebooks", counts, seconds, memory, 1)


def _write_notebook(path):
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    cells = [
        new_markdown_cell("# How long?"),
        new_code_cell("size: int = 3  # of nothing [1..9]", metadata={"tags": ["parameters"]}),
        new_code_cell("import mpps\nfrom mpps import charts\ncharts.use()\nprint(size)"),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)


class _Peak:
    """Largest sum of the proportional memory of a process and its descendants, looked at ten times a second."""

    def __init__(self, process):
        self._process, self._most = process, 0.0
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def megabytes(self) -> float:
        self._thread.join()
        return self._most

    def _watch(self):
        while self._process.poll() is None:
            self._most = max(self._most, sum(_proportional(pid) for pid in _family(self._process.pid)))
            time.sleep(0.1)


def _family(pid):
    found = [pid]
    for one in found:
        for task in pathlib.Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:
                continue
    return found


def _proportional(pid) -> float:
    try:
        lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith("Pss:")), 0.0)


def _seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    rows(print)
