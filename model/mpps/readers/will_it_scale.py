"""will-it-scale CSV: `tasks,processes,processes_idle,threads,threads_idle,linear`.

Source of the format: runtest.py of will-it-scale; processes and threads are operations per second of all tasks, idle is
percent of the machine, linear is the rate of one process times the tasks.
"""

from mpps.readers.core.delimited import records
from mpps.readers.core.nouns import Claim, Ignored, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_HEAD = "tasks,processes,processes_idle,threads,threads_idle"


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:20], 1):
        if text.replace(" ", "").startswith(_HEAD):
            return Claim(98, f"line {line} is the header of will-it-scale: {text.strip()!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    table = records(source, ",")
    names = list(table.names)
    for name in ("tasks", "processes", "threads"):
        if name not in names:
            raise source.wrong(
                table.header_line, ",".join(names), f"the header of will-it-scale, {_HEAD},linear", "leave --format out"
            )
    rows, ignored = [], []
    for line, cells in table.rows:
        cell = dict(zip(names, cells, strict=True))
        n = number_row(source, line, "tasks", cell["tasks"], "").value
        if n == 0:
            ignored.append(Ignored(source.file, line, ",".join(cells), "no task runs here"))
            continue
        for variant in ("processes", "threads"):
            if cell[variant] and float(number_row(source, line, variant, cell[variant], "").value) > 0:
                rows.append(number_row(source, line, "throughput", cell[variant], "ops/s", variant=variant, n=n))
            idle = cell.get(f"{variant}_idle", "")
            if idle:
                rows.append(number_row(source, line, "idle", idle, "percent", variant=variant, n=n))
    told = ["n counts tasks; operations per second of all tasks together"]
    if "linear" in names:
        told.append("column 'linear' is computed by will-it-scale and left out")
    return finished(
        source, rows, told, "rows of will-it-scale", "1,216394,95.83,217537,95.83,216394", ignored=tuple(ignored)
    )


READER = Reader("will-it-scale", "CSV of will-it-scale: tasks,processes,processes_idle,threads,...", claim, read)
