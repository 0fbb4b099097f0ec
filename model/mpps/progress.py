"""How far a batch is, on stderr."""

import contextlib
import sys


@contextlib.contextmanager
def batch_progress(total: int, wanted: bool):
    """One bar on stderr for a batch; one line per notebook where stderr is no terminal; nothing if not wanted.

    Yields what to call with each page (name, seconds, error) that is ready.
    """
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


def _line(page) -> str:
    return f"{page.name} {page.seconds:.1f} s" + (f" FAILED: {page.error}" if page.error else "")


@contextlib.contextmanager
def steps(words: str):
    """A bar of equal steps on the terminal's stderr, nothing elsewhere. Yields what to call with (done, total)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(words, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def remaining(words: str, total: int, wanted: bool = True, done: int = 0):
    """A bar with the remaining time on stderr; where that is no terminal, a line for each tenth. Yields what to call with the
    number of steps that are done anew; done: steps that were done before, which say nothing of the time."""
    import time

    if not wanted:
        yield lambda steps: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    if not console.is_terminal:
        told, started = done * 10 // max(total, 1), time.monotonic()

        def advance(steps: int) -> None:
            nonlocal done, told
            done += steps
            if done * 10 // max(total, 1) > told:
                told = done * 10 // max(total, 1)
                print(
                    f"{words}: {done:,} of {total:,} chunks, {time.monotonic() - started:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )

        yield advance
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(words, total=total, completed=done)
        yield lambda steps: bar.update(task, advance=steps)
