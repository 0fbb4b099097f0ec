"""What there is: code paths, machines, data sets, notebooks, one line each."""

import sys

from mpps.root import notebooks_folder


def listed(kind: str, *, head: bool = False) -> str:
    """Name and title of each `paths`, `machines`, `datasets` or `notebooks`, in columns."""
    rows = {"paths": _paths, "machines": _machines, "datasets": _datasets, "notebooks": _notebooks}[kind]()
    width = max((len(name) for name, _ in rows), default=0)
    lines = [f"{name:<{width}}  {title}" for name, title in rows] or ["none"]
    return "\n".join([f"{kind}:", *(f"  {line}" for line in lines)] if head else lines)


def _paths():
    from mpps.paths import load_path, names

    return [(name, f"{path.title}: {path.question}") for name in names() for path in [load_path(name)]]


def _machines():
    from mpps.machine import load_machine, machines

    return [(name, f"{card.title} ({card.role})") for name in machines() for card in [load_machine(name)]]


def _datasets():
    from mpps.measurements import datasets, halves, load

    for here, missing in halves():
        print(f"mpps: warning: {here} has no {missing} beside it and is left out; restore {missing}", file=sys.stderr)
    return [(name, f"{load(name).card.title}: {', '.join(load(name).variants)}") for name in datasets()]


def _notebooks():
    from mpps.pages import title_of
    from mpps.tasks import notebook_names, read_notebook

    folder = notebooks_folder()
    return [(name, title_of(read_notebook(folder / f"{name}.ipynb")) or "") for name in notebook_names(folder)]
