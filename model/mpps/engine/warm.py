"""Kernels forked from a process that has already imported what they need: this end of it.

jupyter_client starts a kernel through a provisioner. The one here asks `forker.py` for a fork instead of starting an
interpreter; it is set on the kernel manager of one notebook, never on anything that notebooks share.
"""

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid

_LAUNCHER = "ipykernel_launcher"


class Forker:
    """The process that forks kernels. It starts importing at once; the first request waits for it."""

    def __init__(self, environment: dict):
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "mpps.engine.forker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=environment,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._socket = ours
        self._lines = ours.makefile("r", encoding="utf-8")
        self._lock = threading.Lock()

    def ask(self, **request) -> dict:
        """The answer to one request; raises OSError when the process has gone."""
        with self._lock:
            # Without the flag a program that lets SIGPIPE end it (as one whose output goes to `head`) would end here.
            self._socket.sendall(json.dumps(request).encode() + b"\n", socket.MSG_NOSIGNAL)
            line = self._lines.readline()
        if not line:
            raise ConnectionResetError("the process that forks kernels has gone")
        return json.loads(line)

    def close(self) -> None:
        """End the process: it ends the kernels that are left, then itself."""
        self._socket.close()
        self._lines.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class ForkedProcess:
    """A forked kernel, with what jupyter_client asks of a `subprocess.Popen`.

    The kernel is not a child of this process, so the forker, which is its parent, is asked how it is. It keeps the
    number of a kernel that has ended until the batch is over: a signal never reaches somebody else.
    """

    stdin = stdout = stderr = None

    def __init__(self, forker: Forker, pid: int):
        self.pid, self.returncode, self._forker = pid, None, forker

    def poll(self) -> int | None:
        """Exit status, negative for a signal, None while it runs."""
        if self.returncode is None:
            try:
                self.returncode = self._forker.ask(status=self.pid)["status"]
            except (OSError, ValueError):
                self.returncode = -signal.SIGKILL  # a kernel ends when the forker does
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Exit status, once there is one."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("kernel", timeout)
            time.sleep(0.01)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Signal the kernel alone, if it runs."""
        if self.poll() is None:
            with contextlib.suppress(OSError, ValueError):  # a kernel ends when the forker does
                self._forker.ask(signal=number, pid=self.pid)

    def kill(self) -> None:
        """End the kernel."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the kernel to end."""
        self.send_signal(signal.SIGTERM)


def fork_from(forker: Forker, client) -> None:
    """Let the notebook of this nbclient `client` run in a kernel that `forker` forks."""
    manager = client.create_kernel_manager()
    manager.kernel_id = str(uuid.uuid4())
    manager.provisioner = _provisioner_class()(
        kernel_id=manager.kernel_id, kernel_spec=manager.kernel_spec, parent=manager, forker=forker
    )


def _provisioner_class():
    from jupyter_client.provisioning import LocalProvisioner

    class WarmProvisioner(LocalProvisioner):
        """Forks where jupyter_client would start an interpreter; starts one where that cannot be."""

        def __init__(self, *, forker, **options):
            super().__init__(**options)
            self._forker = forker

        async def launch_kernel(self, cmd, **options):
            arguments = cmd[cmd.index(_LAUNCHER) + 1 :] if _LAUNCHER in cmd else None
            if arguments is None or cmd[0] != sys.executable:
                return await super().launch_kernel(cmd, **options)
            try:
                answer = self._forker.ask(fork=arguments, folder=options["cwd"], environment=options["env"])
            except OSError:
                return await super().launch_kernel(cmd, **options)
            self.process = ForkedProcess(self._forker, answer["pid"])
            self.pid = self.pgid = answer["pid"]
            self.cwd = options["cwd"]
            return self.connection_info

        async def send_signal(self, signum: int) -> None:
            # The base class signals a process group by number, also one whose kernel has gone and whose number is free.
            if not isinstance(self.process, ForkedProcess) or self.process.poll() is None:
                await super().send_signal(signum)

    return WarmProvisioner
