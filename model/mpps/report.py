"""Notebooks to pages: a batch executed side by side, one page and one record each, one index over all.

    import mpps.report
    batch = mpps.report.report(["00_overview"], parameters={"cores_max": 128})
    batch.exit_status

The last cell of a notebook calls `record`, whose answer and numbers the index shows.
"""

import concurrent.futures
import dataclasses
import pathlib
import sys
import tempfile
import threading
import time

from mpps import engine as engines
from mpps import matrix as matrices
from mpps.errors import MppsError
from mpps.finished import Page, Place, finish, index, pngs
from mpps.parameters import parse_parameters
from mpps.progress import batch_progress
from mpps.record import record
from mpps.root import notebooks_folder, reports_folder
from mpps.tasks import Task, chosen, notebook_names, notebook_parameters, planned

__all__ = [
    "BatchResult",
    "Page",
    "notebook_names",
    "notebook_parameters",
    "parse_parameters",
    "record",
    "report",
]


@dataclasses.dataclass(frozen=True)
class BatchResult:
    """A batch that ended: every notebook has a page, also one that failed. kernels: how many were started."""

    index: pathlib.Path
    pages: tuple[Page, ...]
    seconds: float
    kernels: int = 0

    @property
    def failed(self) -> tuple[Page, ...]:
        """The pages whose notebook did not run to its end."""
        return tuple(page for page in self.pages if page.error)

    @property
    def exit_status(self) -> int:
        """0 when every notebook ran to its end, else 1."""
        return 1 if self.failed else 0

    def text(self) -> str:
        """The batch in a few lines: how many, how long, where, and what failed."""
        lines = [
            f"{len(self.pages) - len(self.failed)} of {len(self.pages)} notebooks in {self.seconds:.1f} s: {self.index}"
        ]
        return "\n".join(lines + [f"failed: {page.name}: {page.error}" for page in self.failed])


def report(
    names=None,
    *,
    parameters=None,
    out=None,
    workers: int = 2,
    engine: str | None = None,
    progress: bool = True,
    notebooks=None,
    cell_seconds: int | None = 1800,
    scoreboard: bool = False,
    matrix=None,
    scheduler: str | None = None,
    png: bool = False,
) -> BatchResult:
    """Execute notebooks side by side with papermill and write their pages, records, pictures and the index.

    `names` are notebooks of `notebooks` (the workbook's own folder by default), all of them when None. `parameters`
    maps names to values, or to text as `parse_parameters` returns it; each goes to the notebooks that declare it.
    They are checked before anything runs: raises `MppsError` for an unknown notebook, engine or parameter, a wrong
    type and a value out of range. A notebook that fails leaves its partial page and its error in the index; the
    others complete, and `exit_status` of the result is 1. An interrupt ends the kernels, keeps what was computed,
    and is raised again. With `scoreboard`, the validation page is brought up to date after the notebooks: minutes the
    first time, which `seconds` of the result does not count. engine: `warm` or `stock` (`mpps.engine`), None for the
    one that suits this system. png: each chart as PNG beside its SVG too.

    Two batches may write into the same folder at once: each runs in a folder of its own there, and every file is put
    in its place whole.
    """
    start = time.monotonic()
    engine = engines.check_engine(engine or engines.default_engine())
    folder = pathlib.Path(notebooks) if notebooks is not None else notebooks_folder()
    if matrix is None:
        tasks, place = planned(chosen(names, folder), dict(parameters or {})), reports_folder()
    else:
        tasks = matrices.tasks(matrix, folder, dict(parameters or {}))
        place = matrices.default_folder(matrix, reports_folder())
    out = pathlib.Path(out) if out is not None else place
    _make_folder(out)
    kernels = engines.Kernels("stock" if scheduler else engine)
    try:
        with tempfile.TemporaryDirectory(prefix=".run-", dir=out, ignore_cleanup_errors=True) as work:
            place = Place(out, pathlib.Path(work))
            if scheduler:
                pages = _run_away(tasks, place, folder, cell_seconds, scheduler, progress, start)
            else:
                pages = _run(tasks, place, folder, workers, cell_seconds, kernels, progress, start)
    finally:
        kernels.close()
    if png:
        pngs(pages.values(), out)
    seconds = time.monotonic() - start
    if scoreboard:
        _scoreboard(out, progress)
    written = index(out, folder, seconds)
    return BatchResult(written, tuple(pages[task.name] for task in tasks), seconds, kernels.started)


def _run(tasks, place, folder, workers, cell_seconds, kernels, progress, start) -> dict[str, Page]:
    """Name -> page of every task; an interrupt ends the kernels, keeps what was computed, and is raised again."""
    engines.prepare()
    pages: dict[str, Page] = {}
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=max(1, workers))
    with batch_progress(len(tasks), progress) as advance, pool:
        futures = {pool.submit(_execute, task, place, cell_seconds, kernels): task for task in tasks}
        try:
            _prepare_pages()
            for future in concurrent.futures.as_completed(futures):
                page = finish(futures[future], future.result(), place)
                pages[page.name] = page
                advance(page)
        except BaseException:
            kernels.end()
            pool.shutdown(wait=True, cancel_futures=True)
            for future, task in futures.items():
                if task.name not in pages and not future.cancelled():
                    finish(task, future.result(), place)
            index(place.out, folder, time.monotonic() - start)
            raise
    return pages


def _run_away(tasks, place, folder, cell_seconds, scheduler, progress, start) -> dict[str, Page]:
    """Name -> page of every task, executed by the workers of a cluster; what came back stays, however the batch ends."""
    from mpps.engine import away
    from mpps.sweep import WorkersDied, pool

    pages: dict[str, Page] = {}
    good = [task for task in tasks if not task.error]
    asked = [(task.name, task.notebook.read_text(encoding="utf-8"), task.values, cell_seconds) for task in good]
    with batch_progress(len(tasks), progress) as advance:

        def take(task, execution):
            pages[task.name] = finish(task, execution, place)
            advance(pages[task.name])

        try:
            with pool(scheduler=scheduler) as workers:
                _prepare_pages()
                for task in tasks:
                    if task.error:
                        take(task, engines.Execution(place.files(task)[0], 0.0, task.error))
                for number, found in workers.run(away.executed, asked):
                    take(good[number], away.written(found, *place.files(good[number])))
        except WorkersDied as died:
            for number in died.places:
                words = "the worker that executed it died each time (killed, out of memory, or crashed)"
                take(good[number], engines.Execution(place.files(good[number])[0], 0.0, words))
        except BaseException:
            if pages:
                index(place.out, folder, time.monotonic() - start)
            raise
    return pages


def _scoreboard(out: pathlib.Path, progress: bool) -> None:
    """The validation page; one that cannot be made is told and costs nothing else."""
    from mpps.progress import steps
    from mpps.scoreboard import write_scoreboard

    try:
        if not progress:
            write_scoreboard(out)
            return
        with steps("forecasts of the scoreboard") as advance:
            write_scoreboard(out, advance=advance)
    except MppsError as problem:
        print(f"mpps: warning: the validation page could not be made: {problem}", file=sys.stderr)


def _prepare_pages() -> None:
    """Load nbconvert and vega while the kernels start: in a thread, since an interrupt is lost on what they import."""
    from mpps import pages

    loading = threading.Thread(target=pages.prepare)
    loading.start()
    loading.join()


def _make_folder(out: pathlib.Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / ".writable").touch()
        (out / ".writable").unlink()
    except OSError as error:
        raise MppsError(
            f"cannot write reports into {out}: {error.strerror}; choose another folder with --out"
        ) from None


def _execute(task: Task, place: Place, cell_seconds: int | None, kernels) -> engines.Execution:
    output, record_file = place.files(task)
    if task.error:
        return engines.Execution(output, 0.0, task.error)
    return engines.execute(
        task.notebook.resolve(),
        output.resolve(),
        parameters=task.values,
        record_file=record_file.resolve(),
        cell_seconds=cell_seconds,
        kernels=kernels,
    )
