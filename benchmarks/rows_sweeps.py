"""The sweep verb from end to end: scenarios to rows in a file, and what a billion of them would cost."""

import os
import pathlib
import statistics
import tempfile

from series import alternate, left_out, row

_STEPS = 400
_WORK = f"mpps sweep, {_STEPS**2:,} scenarios x n = 1..64, peak of each, to a Parquet file"
#: The best explanation has section times of low variance: four parts a sender, so that a point is a network of 4 n.
_MODEL = "pppoe_receive, both locks: private work grows with n, four parts a sender"
_SPEC = {
    "path": "pppoe_receive",
    "variants": ["both locks"],
    "cores": "1-64",
    "parameters": {
        "private_ns": {"from": 300, "to": 1200, "steps": _STEPS, "spacing": "log"},
        "section_ns": {"from": 10, "to": 200, "steps": _STEPS, "spacing": "log"},
    },
    "outputs": ["peak_cores", "peak_rate"],
    "draws": 0,
    "limit": 10**9,
}


def rows(report):
    """One row; `report(row)` takes it."""
    try:
        from mpps.sweep import sweep
    except ImportError as problem:
        report(left_out(_WORK, _MODEL, f"no sweeps in this version ({problem})"))
        return
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    sizes = []

    def once():
        with tempfile.TemporaryDirectory() as folder:
            found = sweep(_SPEC, out=pathlib.Path(folder) / "sweep.parquet", workers=workers, progress=False)
            sizes.append(found.out.stat().st_size / found.scenarios)

    once()  # the fit is kept, as after any first run
    series = alternate(once, turns=3, warm=False)
    each = statistics.median(series.ours) / _STEPS**2
    found = row(_WORK, _MODEL, series, points=_STEPS**2 * 64, peer_name="none")
    found |= {
        "rows_a_second": 1 / each,
        "core_hours_of_a_billion": 1e9 * each * workers / 3600,
        "gigabytes_of_a_billion": statistics.median(sizes),
        "note": f"{1 / each:,.0f} scenarios (rows) a second with {workers} processes; a billion of them: "
        f"{1e9 * each * workers / 3600:.1f} core hours and {statistics.median(sizes):.1f} GB",
    }
    del found["ours_cpu"]  # that of this process, not of the workers
    report(found)


if __name__ == "__main__":
    rows(print)
