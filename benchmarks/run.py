"""`make bench`: every comparison, the tables, reports/bench.json and reports/bench.svg.

python benchmarks/run.py [GROUP ...]      groups: solver fits simulation sweeps commands reports pages explorer coverage growth
"""

import os
import pathlib
import sys

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy: ours and the peers alike

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import rows_commands
import rows_coverage
import rows_explorer
import rows_fits
import rows_growth
import rows_pages
import rows_simulation
import rows_solver
import rows_sweeps
import show

_TIMED = {
    "solver": rows_solver.rows,
    "fits": rows_fits.rows,
    "simulation": rows_simulation.rows,
    "sweeps": rows_sweeps.rows,
    "commands": rows_commands.rows,
    "reports": rows_commands.report_rows,
    "pages": rows_pages.rows,
    "explorer": rows_explorer.rows,
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
    rows, growth, coverage, failed = [], [], [], []
    works = {name: (run, rows) for name, run in _TIMED.items()}
    works |= {"coverage": (rows_coverage.rows, coverage), "growth": (rows_growth.rows, growth)}
    for name in groups:
        run, found = works[name]
        try:
            run(lambda row, found=found: _take(found, row))
        except (Exception, SystemExit) as problem:  # one group that fails must not cost what the others measured
            failed.append(name)
            print(f"group {name} failed: {problem}", file=sys.stderr, flush=True)
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
    return 1 if failed else 0


def _take(rows, row):
    rows.append(row)
    said = row.get("work") or f"{row['truth']}, {row['grid']}, {row['quantity']}"
    print(f"measured: {said}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
