"""Tasks on a Dask cluster that exists already. distributed is imported here only, and only when a scheduler is named.

Workers need this package in the same version and nothing else: no data, no paths; the scheduler not even that; this side
writes every file.
"""

import itertools
import logging
import pickle
import platform
import socket
import uuid

from mpps.errors import MppsError
from mpps.sweep.executors import TRIES, WorkersDied

#: Seconds to wait for a scheduler, and for its first worker.
PATIENCE = 10
#: Tasks under way for each thread of the cluster: enough that none waits for this side.
_AHEAD = 3


class Cluster:
    """Tasks on the workers of the scheduler at `address`, as `mpps.sweep.executors.Processes` runs them here."""

    def __init__(self, address: str):
        try:
            import distributed
        except ImportError:
            raise MppsError(
                "--scheduler needs dask.distributed, which is an extra: install it with pip install 'mpps[cluster]'"
            ) from None
        self.address = address
        # What it logs while it loses a scheduler is told in one sentence here.
        for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            _answers(address)
            self._client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except Exception as error:  # noqa: BLE001 - whatever listens there may say anything
            reason = str(error).splitlines()[0] if str(error) else "no answer"
            raise MppsError(
                f"--scheduler {address}: no scheduler answers there within {PATIENCE} s ({reason}): expected the address that "
                "`dask scheduler` prints, as tcp://host:8786"
            ) from None
        try:
            self._ready()
        except BaseException:
            self.close()
            raise

    def _ready(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise MppsError(
                f"--scheduler {self.address}: the scheduler has no workers, and none came within {PATIENCE} s: start some, as "
                f"dask worker {self.address}"
            ) from None
        self.workers = max(1, sum(self._client.nthreads().values()))
        mine = fingerprint()
        try:
            theirs = self._client.run(fingerprint)
        except Exception as error:  # what a worker raised may arrive in words alone
            if not isinstance(error, ImportError | AttributeError) and "No module named" not in str(error):
                raise
            raise MppsError(
                f"--scheduler {self.address}: a worker cannot import mpps ({error}): install the same version there as here "
                f"({mine['mpps']})"
            ) from None
        for worker, found in theirs.items():
            compare(mine, found, worker)

    def run(self, function, tasks):
        """(place, result) of every task, as they are ready. A worker that dies is the scheduler's business: what it had goes
        to another one. Raises `WorkersDied`, when all others are done, for tasks that killed `TRIES` workers."""
        import distributed

        mine, run = fingerprint(), uuid.uuid4().hex
        numbered = enumerate(tasks)
        waiting: dict = {}
        dead: list[int] = []
        ready = distributed.as_completed(with_results=False, loop=self._client.loop)
        try:
            while True:
                room = max(2, _AHEAD * self.workers) - len(waiting)
                for place, arguments in itertools.islice(numbered, max(room, 0)):
                    future = self._client.submit(
                        pickle.loads,
                        pickle.dumps(_Call(mine, function, arguments)),
                        key=f"mpps-{run}-{place}",
                        retries=0,
                    )
                    waiting[future.key] = place
                    ready.add(future)
                if not waiting:
                    break
                future = next(ready)
                place = waiting.pop(future.key)
                if future.cancelled():
                    raise self._gone()
                if future.status == "lost":
                    # A worker died with the result before it was fetched: the scheduler has it computed again.
                    waiting[future.key] = place
                    ready.add(future)
                    continue
                try:
                    result = future.result()
                except distributed.scheduler.KilledWorker:
                    dead.append(place)
                    continue
                except (distributed.comm.CommClosedError, TimeoutError):
                    raise self._gone() from None
                future.release()
                yield place, result
        finally:
            for future in list(ready.futures):
                future.cancel()
        if dead:
            raise WorkersDied(sorted(dead))

    def _gone(self) -> MppsError:
        return MppsError(
            f"--scheduler {self.address}: the scheduler went away: what is done is kept; run the same command when it is back, "
            "with or without it"
        )

    def close(self) -> None:
        """Leave the cluster; its scheduler and workers stay."""
        self._client.close(timeout=PATIENCE)


def _answers(address: str) -> None:
    """Raises `OSError` when nobody listens at a tcp address, or somebody who says nothing: a client would leave threads behind,
    or wait without end."""
    scheme, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if scheme in ("", "tcp", "tls") and port.isdigit() and int(port) < 1 << 16:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE) as talk:
            # A scheduler speaks first; over TLS the client does.
            if scheme != "tls" and not talk.recv(1):
                raise ValueError("it hung up")
    elif scheme in ("", "tcp", "tls"):
        raise ValueError("it has no port")


def fingerprint() -> dict[str, str]:
    """What has to be the same here and at a worker."""
    import numpy

    from mpps.sweep.plan import code

    version = ".".join(platform.python_version_tuple()[:2])
    return {"mpps": code(worker=True)[:12], "NumPy": numpy.__version__, "Python": version}


def compare(mine: dict, found: dict, worker: str) -> None:
    """Raises `MppsError` when a worker is not as this process."""
    for name, value in mine.items():
        if found.get(name) != value:
            raise MppsError(
                f"worker {worker} has {name} {found.get(name)}, this process {value}: expected the same, or results would "
                "depend on who computed them; install the same versions there"
            )


class _Call:
    """Unpickled it is the result of a task. A scheduler unpickles what it is sent and may lack mpps, so it gets bytes."""

    def __init__(self, *task):
        self.task = task

    def __reduce__(self):
        return checked, self.task


def checked(mine: dict, function, arguments):
    """Run a task where it arrived, also at a worker that came later."""
    compare(mine, fingerprint(), "that took a task")
    return function(*arguments)


#: Kept with `WorkersDied`: the scheduler gives a task up after `allowed-failures` deaths, 3 unless configured.
ALLOWED_FAILURES = TRIES
