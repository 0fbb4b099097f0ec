"""What went wrong in a notebook, in one line."""

import pathlib


def failing_cell(output: pathlib.Path) -> int | None:
    """Which code cell of the author's, from 1, was the last that began.

    papermill notes a cell whose kernel died as completed, so its own mark of the exception is not enough.
    """
    import nbformat

    try:
        cells = nbformat.read(output, as_version=4).cells
    except Exception:  # nothing was written, or half of it: the cell stays unknown
        return None
    own = [
        cell
        for cell in cells
        if cell.cell_type == "code" and "injected-parameters" not in cell.metadata.get("tags", [])
    ]
    started = [
        number
        for number, cell in enumerate(own, start=1)
        if cell.metadata.get("papermill", {}).get("status", "pending") != "pending"
    ]
    return started[-1] if started else None


def in_words(error: Exception, cell: int | None) -> str:
    """The error in one line: no traceback, no colour codes."""
    name = type(error).__name__
    where = f" in code cell {cell}" if cell else ""
    if name == "PapermillExecutionError":
        message = f"{error.ename}: {error.evalue}" if error.evalue else error.ename
    elif name == "DeadKernelError":
        message = "the kernel died (killed, out of memory, or crashed)"
    elif name == "CellTimeoutError":
        message = "the cell took longer than allowed"
    elif name == "NoSuchKernel":
        message = "no kernel 'python3' in this environment: run make setup"
    else:
        message = f"{name}: {error}"
    return " ".join(message.split())[:500] + where
