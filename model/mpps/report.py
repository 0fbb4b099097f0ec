"""Notebooks to pages: a batch executed side by side, one page and one record each, one index over all.

    import mpps.report
    batch = mpps.report.report(["01_pppoe_receive"], parameters={"cores_max": 128})
    batch.exit_status

The last cell of a notebook calls `record`, whose answer and numbers the index shows.
"""

import concurrent.futures
import contextlib
import dataclasses
import json
import pathlib
import sys
import time

from mpps import engine as engines
from mpps import record as records
from mpps.errors import MppsError, unknown_name
from mpps.parameters import Text, checked, declared, parse_parameters
from mpps.record import record
from mpps.root import notebooks_folder, reports_folder

__all__ = ["BatchResult", "Page", "Text", "notebook_names", "notebook_parameters", "parse_parameters", "record", "report"]


@dataclasses.dataclass(frozen=True)
class Page:
    """What became of one notebook: its page and record, and the error if it failed."""

    name: str
    html: pathlib.Path
    record: dict
    error: str | None
    seconds: float


@dataclasses.dataclass(frozen=True)
class BatchResult:
    """A batch that ended: every notebook has a page, also one that failed."""

    index: pathlib.Path
    pages: tuple[Page, ...]
    seconds: float

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
        lines = [f"{len(self.pages) - len(self.failed)} of {len(self.pages)} notebooks in {self.seconds:.1f} s: {self.index}"]
        return "\n".join(lines + [f"failed: {page.name}: {page.error}" for page in self.failed])


@dataclasses.dataclass(frozen=True)
class _Task:
    """One notebook to run, its parameters checked; `error` where it cannot even be read."""

    name: str
    notebook: pathlib.Path
    title: str
    defaults: dict
    values: dict
    error: str | None = None


def notebook_names(folder: pathlib.Path | None = None) -> list[str]:
    """Names of the notebooks that there are, in order."""
    return sorted(path.stem for path in (folder or notebooks_folder()).glob("*.ipynb"))


def notebook_parameters(name: str, folder: pathlib.Path | None = None):
    """The parameters that a notebook declares (`mpps.parameters.NotebookParameter`)."""
    path = _chosen([name], folder or notebooks_folder())[0]
    return declared(_read_notebook(path), path.stem)


def report(
    names=None,
    *,
    parameters=None,
    out=None,
    workers: int = 2,
    engine: str = "stock",
    progress: bool = True,
    notebooks=None,
    cell_seconds: int | None = 1800,
) -> BatchResult:
    """Execute notebooks side by side with papermill and write their pages, records, pictures and the index.

    `names` are notebooks of `notebooks` (the workbook's own folder by default), all of them when None. `parameters`
    maps names to values, or to text as `parse_parameters` returns it; each goes to the notebooks that declare it.
    They are checked before anything runs: raises `MppsError` for an unknown notebook, engine or parameter, a wrong
    type and a value out of range. A notebook that fails leaves its partial page and its error in the index; the
    others complete, and `exit_status` of the result is 1. An interrupt ends the kernels, keeps what was computed,
    and is raised again.
    """
    start = time.monotonic()
    engines.check_engine(engine)
    folder = pathlib.Path(notebooks) if notebooks is not None else notebooks_folder()
    tasks = _tasks(_chosen(names, folder), dict(parameters or {}))
    out = pathlib.Path(out) if out is not None else reports_folder()
    _make_folder(out)
    pages = {}
    kernels = engines.Kernels()
    engines.prepare()
    with contextlib.ExitStack() as stack:
        bar = stack.enter_context(_progress(len(tasks), progress))
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(max_workers=max(1, workers)))
        futures = {pool.submit(_execute, task, out, engine, cell_seconds, kernels): task for task in tasks}
        try:
            from mpps import pages as writer

            writer.prepare()
            for future in concurrent.futures.as_completed(futures):
                page = _finish(futures[future], future.result(), out)
                pages[page.name] = page
                bar(page)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            kernels.end()
            _index(out, folder, time.monotonic() - start)
            raise
    seconds = time.monotonic() - start
    index = _index(out, folder, seconds)
    return BatchResult(index, tuple(pages[task.name] for task in tasks), seconds)


def _chosen(names, folder: pathlib.Path) -> list[pathlib.Path]:
    known = notebook_names(folder)
    if not known:
        raise MppsError(f"no notebooks in {folder}")
    stems = known if names is None else [pathlib.Path(str(name)).name.removesuffix(".ipynb") for name in names]
    for stem in stems:
        if stem not in known:
            raise unknown_name("notebook", stem, known)
    return [folder / f"{stem}.ipynb" for stem in dict.fromkeys(stems)]


def _tasks(paths: list[pathlib.Path], values: dict) -> list[_Task]:
    """Every notebook with the values that it declares; a name that none declares is an error."""
    from mpps.pages import title_of

    tasks, all_names = [], []
    for path in paths:
        try:
            notebook = _read_notebook(path)
            parameters = declared(notebook, path.stem)
        except MppsError as error:
            tasks.append(_Task(path.stem, path, path.stem, {}, {}, str(error)))
            continue
        names = [parameter.name for parameter in parameters]
        all_names += names
        own = {name: value for name, value in values.items() if name in names or len(paths) == 1}
        defaults = {parameter.name: parameter.default for parameter in parameters}
        tasks.append(_Task(path.stem, path, title_of(notebook) or path.stem, defaults, checked(own, parameters, path.stem)))
    for name in values:
        if name not in all_names:
            raise unknown_name("parameter of these notebooks", name, dict.fromkeys(all_names))
    return tasks


def _read_notebook(path: pathlib.Path) -> dict:
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(notebook["cells"], list):
            return notebook
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise MppsError(f"{path.name} is not a notebook: expected the JSON of Jupyter's format 4")


def _make_folder(out: pathlib.Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / ".writable").touch()
        (out / ".writable").unlink()
    except OSError as error:
        raise MppsError(f"cannot write reports into {out}: {error.strerror}; choose another folder with --out") from None


def _execute(task: _Task, out: pathlib.Path, engine: str, cell_seconds: int | None, kernels) -> engines.Execution:
    output, record_file = out / f"{task.name}.ipynb", out / f"{task.name}.json"
    for old in (output, record_file):
        old.unlink(missing_ok=True)
    if task.error:
        return engines.Execution(output, 0.0, task.error)
    return engines.execute(
        task.notebook.resolve(),
        output.resolve(),
        parameters=task.values,
        record_file=record_file.resolve(),
        engine=engine,
        cell_seconds=cell_seconds,
        kernels=kernels,
    )


def _finish(task: _Task, execution: engines.Execution, out: pathlib.Path) -> Page:
    """The page and the whole record of a notebook that has ended, well or not."""
    import nbformat

    from mpps import pages as writer

    content = records.read(out / f"{task.name}.json") or records.empty(task.name, task.title)
    content["parameters"] = records.plain(task.defaults | task.values) | content["parameters"]
    content["name"] = task.name
    content["run"] = {
        "status": "failed" if execution.error else "done",
        "notebook": task.notebook.name,
        "title": task.title,
        "error": execution.error,
        "cell": execution.cell,
        "seconds": round(execution.seconds, 3),
        "charts": [],
    }
    notebook = _executed(execution.output) or nbformat.v4.new_notebook()
    try:
        content["run"]["charts"] = writer.write_page(notebook, task.name, out, content)
    except Exception as problem:  # one page that cannot be made must not cost the others
        words = f"the page could not be made: {type(problem).__name__}: {problem}"
        content["run"] |= {"status": "failed", "error": execution.error or words}
        writer.write_page(nbformat.v4.new_notebook(), task.name, out, content)
    records.write(out / f"{task.name}.json", content)
    return Page(task.name, out / f"{task.name}.html", content, content["run"]["error"], execution.seconds)


def _executed(output: pathlib.Path):
    """The executed notebook, its own file freed of this machine's paths; None where papermill wrote nothing."""
    import nbformat

    try:
        notebook = nbformat.read(output, as_version=4)
    except Exception:  # absent or cut off: the page then holds the error alone
        return None
    for key in ("input_path", "output_path"):
        path = notebook.metadata.get("papermill", {}).get(key)
        if path:
            notebook.metadata["papermill"][key] = pathlib.Path(path).name
    nbformat.write(notebook, output)
    return notebook


def _index(out: pathlib.Path, folder: pathlib.Path, seconds: float) -> pathlib.Path:
    """The index over every record in `out` whose notebook still exists: also those of earlier runs."""
    from mpps.pages import write_index

    known = set(notebook_names(folder))
    found = [content for path in sorted(out.glob("*.json")) if (content := records.read(path)) and "run" in content]
    return write_index(out, [one for one in found if pathlib.Path(one["run"]["notebook"]).stem in known], seconds)


@contextlib.contextmanager
def _progress(total: int, wanted: bool):
    """One bar on stderr for the batch; one line per notebook where stderr is no terminal; nothing if not wanted."""
    if not wanted:
        yield lambda page: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr)
    if not console.is_terminal:
        done = iter(range(1, total + 1))
        yield lambda page: print(f"{next(done)}/{total} {_line(page)}", file=sys.stderr, flush=True)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("starting kernels", total=total)
        yield lambda page: bar.update(task, advance=1, description=_line(page))


def _line(page: Page) -> str:
    return f"{page.name} {page.seconds:.1f} s" + (f" FAILED: {page.error}" if page.error else "")
