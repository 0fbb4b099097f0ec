"""A worker process: takes (place, function, arguments) from its parent and answers (place, good, result).

It is started with `python -c` and so imports nothing of the script that runs the sweep, which may lack a guard.
It ends as soon as its parent is gone.
"""

import os
import queue
import threading
from multiprocessing.connection import Connection

from mpps.errors import MppsError


def serve(handle: int) -> None:
    """Answer until the parent closes its end of the socket `handle`."""
    parent, tasks = Connection(handle), queue.SimpleQueue()

    def read():
        try:
            while True:
                tasks.put(parent.recv())
        except (EOFError, OSError):
            os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        place, function, arguments = tasks.get()
        try:
            answer = (place, True, function(*arguments))
        except MppsError as error:
            answer = (place, False, error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent is told
            import traceback

            answer = (place, False, RuntimeError("".join(traceback.format_exception(error))))
        try:
            parent.send(answer)
        except OSError:
            os._exit(0)
