"""What a user waits for: start-up, a fit of a table, and the whole report against papermill's own command."""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from series import Series, alternate, row

from mpps.root import notebooks_folder

_BIN = pathlib.Path(sys.executable).parent
_TABLE = "senders,Mpps\n1,1.52\n2,2.81\n4,4.10\n8,4.43\n16,4.02\n"


def rows(report):
    """Rows of the commands; `report(row)` takes each as soon as it is there."""
    helped = alternate(_command("mpps", "--help"), _command("papermill", "--help"), turns=5)
    report(row("mpps --help", "no model", helped, goal=0.3, peer_name="papermill --help"))
    imported = alternate(_python("import mpps"), _python("import lmfit"), turns=3)
    report(row("import mpps, interpreter included", "no model", imported, peer_name="import lmfit"))
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "table.csv"
        table.write_text(_TABLE, encoding="utf-8")
        fitted = alternate(_command("mpps", "fit", str(table), "--at", "32,64", "--json"), turns=3)
    report(row("mpps fit FILE, five points", "table: all mechanisms, mixture", fitted))


def report_rows(report, turns: int = 2):
    """The row of the reports: every notebook to its page in one batch, against papermill's command one by one."""
    from mpps.report import notebook_names

    names = notebook_names(notebooks_folder())
    kernels = []
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        _batch(out / "warm", kernels)  # the fits are kept, as after any first run
        ours, peer, without, cpu = [], [], [], []
        for _ in range(turns):
            spent = os.times()
            ours.append(_seconds(lambda: _batch(out / "warm", kernels)))
            now = os.times()
            cpu.append(now.children_user + now.children_system - spent.children_user - spent.children_system)
            without.append(_seconds(lambda: _one_by_one(names, out)))
            peer.append(without[-1] + _seconds(lambda: _converted(names, out)))
        same = _same_cells(names, out)
    if same:
        raise SystemExit(f"reports: cells of {', '.join(same)} differ from papermill's: the times mean nothing")
    report(
        row(
            f"all {len(names)} notebooks to HTML",
            "the workbook",
            Series(tuple(ours), tuple(peer), tuple(cpu)),
            goal=25.0,
            goal_ratio=5,
            peer_name="papermill's command and nbconvert, one by one",
            kernels=kernels[-1],
            peer_kernels=len(names),
            agreement=0.0,
            why="both compute the same cells; what ours saves is start-up, imports and the exporter's",
            note=f"without nbconvert the peer takes {statistics.median(without):.1f} s, "
            f"{statistics.median(p / o for o, p in zip(ours, without, strict=True)):.1f} times ours",
        )
    )


def _batch(out, kernels):
    program = "import sys, mpps.report as r; b = r.report(out=sys.argv[1], progress=False); print(b.kernels); sys.exit(b.exit_status)"
    run = subprocess.run([sys.executable, "-c", program, str(out)], check=True, capture_output=True, text=True)
    kernels.append(int(run.stdout.split()[-1]))


def _one_by_one(names, out):
    (out / "stock").mkdir(exist_ok=True)
    for name in names:
        notebook = notebooks_folder() / f"{name}.ipynb"
        command = [_BIN / "papermill", "-k", "python3", "--no-progress-bar", "--cwd", str(notebooks_folder())]
        subprocess.run([*command, notebook, out / "stock" / notebook.name], check=True, capture_output=True)


def _converted(names, out):
    for name in names:
        command = [_BIN / "jupyter", "nbconvert", "--to", "html", "--log-level", "ERROR"]
        subprocess.run([*command, out / "stock" / f"{name}.ipynb"], check=True, capture_output=True)


def _same_cells(names, out) -> list[str]:
    """Names of the notebooks whose text outputs differ; pictures are JSON in one and SVG besides in the other."""
    import nbformat

    def told(folder, name):
        found = nbformat.read(folder / f"{name}.ipynb", as_version=4)
        outputs = [output for cell in found.cells if cell.cell_type == "code" for output in cell.outputs]
        return [
            (o.output_type, o.get("text"), o.get("data", {}).get("text/plain"), o.get("data", {}).get("text/markdown"))
            for o in outputs
        ]

    return [name for name in names if told(out / "warm", name) != told(out / "stock", name)]


def _command(name, *arguments):
    return lambda: subprocess.run([_BIN / name, *arguments], check=True, capture_output=True)


def _python(code):
    return lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def _seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    rows(print)
