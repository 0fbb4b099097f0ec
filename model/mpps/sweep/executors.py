"""One seam for work that is spread: `with pool(workers=2) as workers: for place, result in workers.run(function, tasks)`.

The same for processes of this machine and for a Dask cluster (`scheduler="tcp://..."`). Sweeps, bootstraps and batches of
reports go through it. `function` is importable by its name, arguments and results are pickled; results come as they are
ready, a few tasks are under way at a time, so tasks may be a generator of any length.
"""

import contextlib
import os
import socket
import subprocess
import sys
from multiprocessing.connection import Connection, wait

from mpps.errors import MppsError

#: How often a task may end the process that works on it.
TRIES = 3
#: Tasks that lie ready with a worker, the one at work included.
_AHEAD = 2


class WorkersDied(MppsError):
    """Tasks whose worker died every time; the results of the others were delivered. places: which tasks."""

    exit_status = 1

    def __init__(self, places):
        self.places = tuple(places)
        super().__init__(
            f"{len(self.places)} of the tasks ended their worker {TRIES} times each (first: task {self.places[0]}): memory may be "
            "short (ask for fewer --workers), or something kills the processes; the results of all others are kept"
        )


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def pool(workers: int | None = None, scheduler: str | None = None):
    """What runs tasks: a Dask cluster at `scheduler`, else `workers` processes (1: none but this one; None: one a core).

    Yields an object with `run(function, tasks)` and `workers`. Raises `MppsError` for both at once, for a scheduler that does
    not answer within 10 s, has no workers, or whose workers have another version of mpps, NumPy or Python.
    """
    if scheduler is not None and workers is not None:
        raise MppsError("--workers and --scheduler at once: the cluster has its own workers; leave --workers out")
    if scheduler is not None:
        from mpps.sweep.cluster import Cluster

        made = Cluster(scheduler)
    elif workers == 1:
        made = Here()
    else:
        made = Processes(workers or cores())
    try:
        yield made
    finally:
        made.close()


class Here:
    """Tasks one after the other in this process."""

    workers = 1

    def run(self, function, tasks):
        """(place, result) of every task."""
        for place, arguments in enumerate(tasks):
            yield place, function(*arguments)

    def close(self) -> None:
        """Nothing to close."""


class Processes:
    """Processes of this machine. One that dies is replaced, and what it had is done again."""

    def __init__(self, workers: int):
        self.workers = workers
        self._alive: dict[Connection, tuple] = {}

    def run(self, function, tasks):
        """(place, result) of every task, as they are ready; an error of a task ends the run. Raises `WorkersDied` when all
        others are done, for tasks that killed their worker `TRIES` times."""
        waiting, again = enumerate(tasks), []
        tries: dict[int, int] = {}
        dead: list[int] = []

        def more():
            return again.pop() if again else next(waiting, None)

        while True:
            self._fill(function, more)
            busy = [connection for connection, (_, held) in self._alive.items() if held]
            if not busy:
                break
            for connection in wait(busy):
                process, held = self._alive[connection]
                try:
                    place, good, result = connection.recv()
                except (EOFError, OSError):
                    self._bury(connection, process)
                    # The first is the one that it worked on; the others had only lain there.
                    place, arguments = held.pop(0)
                    again += held
                    tries[place] = tries.get(place, 0) + 1
                    (dead if tries[place] >= TRIES else again).append(
                        place if tries[place] >= TRIES else (place, arguments)
                    )
                    continue
                held.pop(0)
                if not good:
                    self.close()
                    raise result
                yield place, result
        if dead:
            raise WorkersDied(sorted(dead))

    def _fill(self, function, more) -> None:
        """Give every worker something to do, starting workers while there are tasks."""
        for ahead in range(1, _AHEAD + 1):
            for connection in list(self._alive):
                held = self._alive[connection][1]
                if len(held) < ahead and not self._give(connection, held, function, more):
                    return
            while ahead == 1 and len(self._alive) < self.workers:
                connection = self._start()
                if not self._give(connection, self._alive[connection][1], function, more):
                    return

    def _give(self, connection, held, function, more) -> bool:
        task = more()
        if task is None:
            return False
        held.append(task)
        # A worker that has died is noticed when its answer is awaited.
        with contextlib.suppress(OSError):
            connection.send((task[0], function, task[1]))
        return True

    def _start(self) -> Connection:
        mine, its = socket.socketpair()
        code = "import sys; sys.path[:] = {!r}; from mpps.sweep.worker import serve; serve({})"
        environment = os.environ | {
            name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")
        }
        process = subprocess.Popen(
            [sys.executable, "-c", code.format(sys.path, its.fileno())],
            pass_fds=(its.fileno(),),
            stdin=subprocess.DEVNULL,
            env=environment,
            process_group=0,  # Ctrl-C is this process's alone, also while a worker starts
        )
        its.close()
        connection = Connection(mine.detach())
        self._alive[connection] = (process, [])
        return connection

    def _bury(self, connection, process) -> None:
        del self._alive[connection]
        connection.close()
        process.kill()
        process.wait()

    def close(self) -> None:
        """End the processes that this pool started."""
        for connection, (process, _) in list(self._alive.items()):
            self._bury(connection, process)
