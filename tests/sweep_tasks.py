"""Tasks that worker processes of the tests run: they are found by their module's name."""

import os
import pathlib
import signal

from mpps.errors import MppsError


def square(number: int) -> int:
    return number * number


def square_once_killed(number: int, folder: str, times: int) -> int:
    """The square, but the first `times` processes that are asked for 3 die of it."""
    if number == 3:
        for turn in range(times):
            try:
                pathlib.Path(folder, str(turn)).touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def refuse(number: int) -> int:
    raise MppsError(f"found {number}: expected another one")


def stumble(number: int) -> int:
    raise ZeroDivisionError(f"task {number}")
