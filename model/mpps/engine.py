"""One notebook executed by papermill in a fresh kernel: what came out, or what went wrong and where."""

import contextlib
import dataclasses
import os
import pathlib
import signal
import tempfile
import threading
import time

from mpps.charts.show import CHARTS
from mpps.errors import unknown_name
from mpps.record import RECORD_FILE

ENGINES = ("stock",)

#: One linear-algebra thread a kernel: the kernels of a batch share the cores.
_ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}

#: A Unix socket path ends at about 104 bytes; the kernel's file name is appended to this folder.
_LONGEST_SOCKET_FOLDER = 80


@dataclasses.dataclass(frozen=True)
class Execution:
    """What became of one notebook. `error` is None when every cell ran; `cell` counts code cells from 1."""

    output: pathlib.Path
    seconds: float
    error: str | None = None
    cell: int | None = None


class Kernels:
    """The kernel processes of one batch, so that an interrupt can end them together."""

    def __init__(self):
        self._pids: set[int] = set()
        self._ended = False
        self._lock = threading.Lock()

    def add(self, pid: int) -> None:
        """Count a kernel that has started; one that starts after the end is ended too."""
        with self._lock:
            self._pids.add(pid)
            if self._ended:
                _kill(pid)

    def discard(self, pid: int) -> None:
        """Forget a kernel that has gone, before its number is given to another process."""
        with self._lock:
            self._pids.discard(pid)

    def end(self) -> None:
        """End every kernel, now and later: the threads that wait for them come back with an error."""
        with self._lock:
            self._ended = True
            for pid in self._pids:
                _kill(pid)


def check_engine(name: str) -> str:
    """`name` if there is such an engine; raises `UnknownNameError` otherwise."""
    if name not in ENGINES:
        raise unknown_name("engine", name, ENGINES)
    return name


def execute(
    notebook: pathlib.Path,
    output: pathlib.Path,
    *,
    parameters: dict,
    record_file: pathlib.Path,
    engine: str = "stock",
    cell_seconds: int | None = None,
    kernels: Kernels | None = None,
) -> Execution:
    """Execute `notebook` with papermill into `output`, which holds whatever was computed, also after a failure.

    Safe to call from several threads after `prepare`. Never raises for what the notebook does: a failing cell, a dead
    kernel and a cell that takes longer than `cell_seconds` come back as `Execution.error`.
    """
    import papermill

    environment = (
        os.environ | _ONE_THREAD | {RECORD_FILE: str(record_file), CHARTS: "json", "PYTHONPATH": python_path()}
    )
    start = time.monotonic()
    error = None
    sockets = tempfile.TemporaryDirectory(prefix="mpps-", dir=_socket_parent(), ignore_cleanup_errors=True)
    with sockets, _closed_event_loop():
        try:
            papermill.execute_notebook(
                notebook,
                output,
                parameters=parameters,
                engine_name=f"mpps-{check_engine(engine)}",
                kernel_name="python3",
                progress_bar=False,
                execution_timeout=cell_seconds,
                config=_transport(pathlib.Path(sockets.name)),
                environment=environment,
                folder=str(notebook.parent),
                kernels=kernels or Kernels(),
            )
        except Exception as problem:  # a failing cell, a dead kernel, a time-out, an unreadable file: all are told
            error = problem
    seconds = time.monotonic() - start
    if error is None:
        return Execution(output, seconds)
    cell = _failing_cell(output)
    return Execution(output, seconds, _in_words(error, cell), cell)


def prepare() -> None:
    """Import papermill and register the engine, once and before any thread does: its imports are circular."""
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class StockEngine(NBClientEngine):
        """papermill's own engine, with an environment and a folder for each kernel.

        papermill offers neither: its `cwd` changes the folder of the whole process, under the other threads too.
        """

        @classmethod
        def execute_managed_notebook(cls, nb_man, kernel_name, *, environment, folder, config, kernels, **options):
            pids = []

            def note(notebook):
                pids.append(client.km.provisioner.pid)
                kernels.add(pids[0])

            client = PapermillNotebookClient(
                nb_man,
                kernel_name=kernel_name,
                config=config,
                timeout=options.get("execution_timeout"),
                startup_timeout=options.get("start_timeout"),
                on_notebook_start=note,
            )
            try:
                return client.execute(env=environment, cwd=folder)
            finally:
                for pid in pids:
                    kernels.discard(pid)

    papermill_engines.register("mpps-stock", StockEngine)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def _closed_event_loop():
    """Close the event loop that nbclient opens in a thread and leaves behind."""
    from jupyter_core.utils import ensure_event_loop

    yield
    loop = ensure_event_loop()
    if not loop.is_running():
        loop.close()


def python_path() -> str:
    """The kernel imports the very `mpps` that runs the batch, wherever it came from."""
    own = str(pathlib.Path(__file__).resolve().parent.parent)
    return os.pathsep.join([own, *filter(None, [os.environ.get("PYTHONPATH")])])


def _transport(folder: pathlib.Path):
    """Sockets in a folder of the kernel's own instead of TCP ports, which parallel kernels race for."""
    from traitlets.config import Config

    config = Config()
    if os.name == "posix":
        for manager in ("KernelManager", "AsyncKernelManager"):
            config[manager].transport = "ipc"
            config[manager].ip = str(folder / "k")
    return config


def _socket_parent() -> str | None:
    """The folder for sockets: the system's own choice unless its path is too long."""
    return "/tmp" if os.name == "posix" and len(tempfile.gettempdir()) > _LONGEST_SOCKET_FOLDER else None


def _failing_cell(output: pathlib.Path) -> int | None:
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


def _in_words(error: Exception, cell: int | None) -> str:
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
