"""The process that forks kernels: it imports what notebooks need, uses none of it, and forks a real kernel on request.

    python -m mpps.engine.forker FD      FD: a socket, one JSON document a line

A fork is safe as long as no thread has been started, so nothing that starts one may run here: neither linear algebra
(the environment allows it one thread) nor the drawing of charts. With a second thread the process gives up, and
kernels are started as usual. The kernels are its children; it ends them and itself when the socket closes.
"""

import contextlib
import gc
import importlib
import importlib.util
import json
import logging
import os
import signal
import socket
import sys

#: What a kernel of the workbook has loaded by its last cell, dearest first. An import that fails here is the notebook's to tell.
PRELOADED = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "ipykernel.datapub",
    "ipykernel.pylab.backend_inline",
    "IPython.core.completerlib",
    "altair",
    "scipy.special",
    "yaml",
    "mpps.workbook",
    "mpps.charts",
    "mpps.laws",
    "mpps.tables",
    "mpps.sentences",
    "mpps.answers",
    "mpps.record",
)


def main(descriptor: int) -> None:
    """Serve requests until the other end closes; returns in a forked kernel when the kernel ends."""
    if sys.path[0] in ("", os.getcwd()):
        del sys.path[0]  # as ipykernel does: a notebook must not import what lies about
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if len(os.listdir("/proc/self/task")) > 1:
        return
    # What is loaded stays shared with the kernels: a collection would write to every page.
    gc.collect()
    gc.freeze()
    pids: list[int] = []
    with socket.socket(fileno=descriptor) as peer:
        lines = peer.makefile("r", encoding="utf-8")
        for line in lines:
            request = json.loads(line)
            if "fork" in request:
                pid = os.fork()
                if pid == 0:
                    lines.close()
                    peer.close()
                    _be_a_kernel(request)
                    return
                pids.append(pid)
                answer = {"pid": pid}
            elif "signal" in request:
                answer = {"sent": _signal(request["pid"], request["signal"]) if request["pid"] in pids else False}
            else:
                answer = {"status": _status(request["status"])}
            peer.sendall(json.dumps(answer).encode() + b"\n", socket.MSG_NOSIGNAL)
    for pid in pids:
        # Not yet waited for, so the number is its own: also as that of the group it leads.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        if _status(pid) is None:
            _signal(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _be_a_kernel(request: dict) -> None:
    """Turn this fork into the kernel that `python -m ipykernel_launcher ARGUMENTS` would have been."""
    os.setsid()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = [importlib.util.find_spec("ipykernel_launcher").origin, *request["fork"]]
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()  # else all kernels would draw the same
    from ipykernel.kernelapp import IPKernelApp

    # jupyter_client interrupts a kernel before it asks it to end; one that has nothing to do calls that an error.
    logging.getLogger(IPKernelApp.__name__).addFilter(lambda told: "KeyboardInterrupt caught" not in told.getMessage())
    # ipykernel watches its parent, which it noted when it was imported.
    IPKernelApp.launch_instance(argv=request["fork"], parent_handle=os.getppid())


def _status(pid: int) -> int | None:
    """Exit status of a child, negative for a signal, None while it runs; it stays a child, its number its own."""
    found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def _signal(pid: int, number: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
        return True
    return False


if __name__ == "__main__":
    main(int(sys.argv[1]))
