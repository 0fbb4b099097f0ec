"""A notebook that has ended: its page, its record, its own file, and the index over all."""

import dataclasses
import pathlib

from mpps import engine as engines
from mpps import record as records
from mpps.tasks import Task, notebook_names


@dataclasses.dataclass(frozen=True)
class Page:
    """What became of one notebook: its page and record, and the error if it failed."""

    name: str
    html: pathlib.Path
    record: dict
    error: str | None
    seconds: float


@dataclasses.dataclass(frozen=True)
class Place:
    """Where pages go, and where notebooks write while they run."""

    out: pathlib.Path
    work: pathlib.Path

    def files(self, task: Task) -> tuple[pathlib.Path, pathlib.Path]:
        """What a notebook writes: itself executed, and its record."""
        return self.work / f"{task.name}.ipynb", self.work / f"{task.name}.json"


def finish(task: Task, execution: engines.Execution, place: Place) -> Page:
    """The page and the whole record of a notebook that has ended, well or not."""
    import nbformat

    from mpps import pages as writer

    out = place.out
    content = records.read(place.files(task)[1]) or records.empty(task.name, task.title)
    content["name"] = task.name
    used = records.plain(task.defaults | task.values)
    content["parameters"] = used | {key: value for key, value in content["parameters"].items() if key not in used}
    content["run"] = {
        "status": "failed" if execution.error else "done",
        "notebook": task.notebook.name,
        "title": task.title,
        "error": execution.error,
        "cell": execution.cell,
        "seconds": round(execution.seconds, 3),
        "charts": [],
    }
    notebook = _executed(execution.output, out / f"{task.name}.ipynb") or nbformat.v4.new_notebook()
    try:
        content["run"]["charts"] = writer.write_page(notebook, task.name, out, content)
    except Exception as problem:  # one page that cannot be made must not cost the others
        words = f"the page could not be made: {type(problem).__name__}: {problem}"
        content["run"] |= {"status": "failed", "error": execution.error or words}
        writer.write_page(nbformat.v4.new_notebook(), task.name, out, content)
    records.write(out / f"{task.name}.json", content)
    return Page(task.name, out / f"{task.name}.html", content, content["run"]["error"], execution.seconds)


def _executed(output: pathlib.Path, target: pathlib.Path):
    """The executed notebook, moved to `target` and freed of this machine's paths; None where papermill wrote nothing."""
    import nbformat

    try:
        notebook = nbformat.read(output, as_version=4)
    except Exception:  # absent or cut off: the page then holds the error alone
        target.unlink(missing_ok=True)
        return None
    for key in ("input_path", "output_path"):
        path = notebook.metadata.get("papermill", {}).get(key)
        if path:
            notebook.metadata["papermill"][key] = pathlib.Path(path).name
    nbformat.write(notebook, output)
    output.replace(target)
    return notebook


def index(out: pathlib.Path, folder: pathlib.Path, seconds: float) -> pathlib.Path:
    """The index over every record in `out` whose notebook still exists: also those of earlier runs."""
    from mpps.pages import write_index

    known = set(notebook_names(folder))
    found = [content for path in sorted(out.glob("*.json")) if (content := records.read(path)) and "run" in content]
    return write_index(out, [one for one in found if pathlib.Path(one["run"]["notebook"]).stem in known], seconds)


def pngs(pages, out: pathlib.Path) -> None:
    from mpps import pages as writer

    for page in pages:
        for chart in page.record["run"]["charts"]:
            writer.write_png(out / chart["file"])
