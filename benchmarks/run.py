"""`make bench`: every comparison, the tables, reports/bench.json and reports/bench.svg.

python benchmarks/run.py [GROUP ...]      groups: solver fits simulation commands reports coverage growth
"""

import os
import pathlib
import sys

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy: ours and the peers alike

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import rows_commands
import rows_coverage
import rows_fits
import rows_growth
import rows_simulation
import rows_solver
import show

_TIMED = {
    "solver": rows_solver.rows,
    "fits": rows_fits.rows,
    "simulation": rows_simulation.rows,
    "commands": rows_commands.rows,
    "reports": rows_commands.report_rows,
}
GROUPS = (*_TIMED, "coverage", "growth")


def main(groups) -> int:
    """Run the groups, all when there are none; 2 for a group that does not exist."""
    unknown = set(groups) - set(GROUPS)
    if unknown:
        print(f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}", file=sys.stderr)
        return 2
    groups = groups or GROUPS
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: wall times are what this machine gave, ratios were taken in turns",
        flush=True,
    )
    rows, growth, coverage = [], [], []
    for name, run in _TIMED.items():
        if name in groups:
            run(lambda row: _take(rows, row))
    if "coverage" in groups:
        rows_coverage.rows(lambda row: _take(coverage, row, "coverage"))
    if "growth" in groups:
        rows_growth.rows(lambda row: _take(growth, row, "growth"))
    reports = pathlib.Path(__file__).resolve().parent.parent / "reports"
    show.write_json(reports / "bench.json", rows, growth, coverage)
    print()
    if rows:
        show.write_chart(reports / "bench.svg", rows)
        show.print_rows(rows)
    if coverage:
        show.print_coverage(coverage)
    if growth:
        show.print_growth(growth)
    return 0


def _take(rows, row, kind="row"):
    rows.append(row)
    said = row.get("work") or f"{row['truth']}, {row['grid']}, {row['quantity']}"
    print(f"measured: {said}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
