"""One notebook executed by papermill in a kernel of its own: what came out, or what went wrong and where.

Engine `stock` starts an interpreter for every kernel. Engine `warm` (Linux) forks the kernels of a batch from one process
that has imported what they need (`forker.py`) and is the same in everything else: papermill's client, real kernels.
"""

import contextlib
import dataclasses
import os
import pathlib
import sys
import tempfile
import threading
import time

from mpps.charts.show import CHARTS
from mpps.engine.words import failing_cell, in_words
from mpps.errors import MppsError, unknown_name
from mpps.record import RECORD_FILE

ENGINES = ("warm", "stock")

#: One linear-algebra thread a kernel: the kernels of a batch share the cores.
_ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}

#: How often a notebook that runs is written.
_SAVE_SECONDS = 5.0

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
    """The kernel processes of one batch: how many were started, and an interrupt can end them together.

    `forker` forks them where the engine is `warm`; `close` ends it.
    """

    def __init__(self, engine: str = "stock"):
        self.started = 0
        self.forker = None
        self._processes: list = []
        self._ended = False
        self._lock = threading.Lock()
        if check_engine(engine) == "warm":
            from mpps.engine.warm import Forker

            self.forker = Forker(os.environ | _ONE_THREAD | {"PYTHONPATH": python_path()})

    def add(self, process) -> None:
        """Count a kernel that has started; one that starts after the end is ended too.

        process: what started it, a `subprocess.Popen` or its like, which knows whether its number is still its own.
        """
        with self._lock:
            self.started += 1
            self._processes.append(process)
            if self._ended:
                process.kill()

    def discard(self, process) -> None:
        """Forget a kernel that has gone."""
        with self._lock:
            self._processes.remove(process)

    def end(self) -> None:
        """End every kernel, now and later: the threads that wait for them come back with an error."""
        with self._lock:
            self._ended = True
            for process in self._processes:
                process.kill()

    def close(self) -> None:
        """End the process that forks kernels, and with it what is left of them."""
        if self.forker:
            self.forker.close()


def default_engine() -> str:
    """`warm` where a process can be forked safely, which is Linux."""
    return "warm" if sys.platform == "linux" else "stock"


def check_engine(name: str) -> str:
    """`name` if there is such an engine here; raises `UnknownNameError` or `MppsError` otherwise."""
    if name not in ENGINES:
        raise unknown_name("engine", name, ENGINES)
    if name == "warm" and default_engine() != "warm":
        raise MppsError("engine 'warm' forks kernels, which is safe on Linux only: say --engine stock")
    return name


def execute(
    notebook: pathlib.Path,
    output: pathlib.Path,
    *,
    parameters: dict,
    record_file: pathlib.Path,
    cell_seconds: int | None = None,
    kernels: Kernels | None = None,
) -> Execution:
    """Execute `notebook` with papermill into `output`, which holds whatever was computed, also after a failure.

    The kernel is forked by `kernels.forker` where there is one. Safe to call from several threads after `prepare`. Never raises for what the notebook does: a failing cell, a dead
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
                engine_name="mpps",
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
    cell = failing_cell(output)
    return Execution(output, seconds, in_words(error, cell), cell)


def prepare() -> None:
    """Import papermill and register the engine, once and before any thread does: its imports are circular."""
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class Engine(NBClientEngine):
        """papermill's own engine, with an environment and a folder for each kernel.

        papermill offers neither: its `cwd` changes the folder of the whole process, under the other threads too.
        """

        @classmethod
        def execute_managed_notebook(cls, nb_man, kernel_name, *, environment, folder, config, kernels, **options):
            processes = []

            def note(notebook):
                processes.append(client.km.provisioner.process)
                kernels.add(processes[0])

            client = PapermillNotebookClient(
                nb_man,
                kernel_name=kernel_name,
                config=config,
                timeout=options.get("execution_timeout"),
                startup_timeout=options.get("start_timeout"),
                on_notebook_start=note,
            )
            if kernels.forker:
                from mpps.engine.warm import fork_from

                fork_from(kernels.forker, client)
            try:
                with _saved_seldom(nb_man):
                    return client.execute(env=environment, cwd=folder)
            finally:
                for process in processes:
                    kernels.discard(process)

    papermill_engines.register("mpps", Engine)


@contextlib.contextmanager
def _saved_seldom(nb_man):
    """Write the notebook every few seconds and at its end, however it ends.

    papermill writes all of it before and after every cell, which takes longer than most of the cells.
    """
    save, last = nb_man.save, [time.monotonic()]

    def seldom(**options):
        if time.monotonic() - last[0] > _SAVE_SECONDS:
            save(**options)
            last[0] = time.monotonic()

    nb_man.save = seldom
    try:
        yield
    finally:
        nb_man.save = save
        save()


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
    own = str(pathlib.Path(__file__).resolve().parents[2])
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
