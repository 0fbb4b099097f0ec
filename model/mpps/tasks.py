"""Which notebooks a batch runs, and with what: everything checked before the first kernel starts."""

import dataclasses
import json
import pathlib

from mpps.errors import MppsError, unknown_name
from mpps.parameters import checked, declared
from mpps.root import notebooks_folder


@dataclasses.dataclass(frozen=True)
class Task:
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
    path = chosen([name], folder or notebooks_folder())[0]
    return declared(read_notebook(path), path.stem)


def chosen(names, folder: pathlib.Path) -> list[pathlib.Path]:
    """The files of the notebooks called `names`, all when None; raises `UnknownNameError` for one that is not there."""
    known = notebook_names(folder)
    if not known:
        raise MppsError(f"no notebooks in {folder}")
    stems = known if names is None else [pathlib.Path(str(name)).name.removesuffix(".ipynb") for name in names]
    for stem in stems:
        if stem not in known:
            raise unknown_name("notebook", stem, known)
    return [folder / f"{stem}.ipynb" for stem in dict.fromkeys(stems)]


def planned(paths: list[pathlib.Path], values: dict) -> list[Task]:
    """A task for every notebook, with those of `values` that it declares.

    Raises `MppsError` for a value that a notebook does not allow and for a name that none declares. A file that
    cannot be read is a task with an error: it must not stop the others.
    """
    from mpps.pages import title_of

    tasks, all_names = [], []
    for path in paths:
        try:
            notebook = read_notebook(path)
            parameters = declared(notebook, path.stem)
        except MppsError as error:
            tasks.append(Task(path.stem, path, path.stem, {}, {}, str(error)))
            continue
        names = [parameter.name for parameter in parameters]
        all_names += names
        own = {name: value for name, value in values.items() if name in names or len(paths) == 1}
        defaults = {parameter.name: parameter.default for parameter in parameters}
        tasks.append(
            Task(path.stem, path, title_of(notebook) or path.stem, defaults, checked(own, parameters, path.stem))
        )
    for name in values:
        if name not in all_names:
            raise unknown_name("parameter of these notebooks", name, dict.fromkeys(all_names))
    return tasks


def read_notebook(path: pathlib.Path) -> dict:
    """A notebook as its JSON; raises `MppsError` for a file that is none."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if all(cell["cell_type"] and cell["source"] is not None for cell in notebook["cells"]):
            return notebook
    except (OSError, ValueError, KeyError, TypeError):
        pass  # told below
    raise MppsError(f"{path.name} is not a notebook: expected the JSON of Jupyter's format 4")
