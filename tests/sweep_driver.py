"""A sweep in a process of its own that ends itself: python tests/sweep_driver.py SPEC OUT KILL_AT [WORKERS]

It is killed just before the KILL_AT-th of the calls that change the disk (0: never) and prints how many there were.
"""

import os
import pathlib
import signal
import sys

import mpps.sweep
from mpps.sweep import plan

plan._RATES = 1 << 12
plan.code = lambda: "of the test"  # somebody may edit the package while tests run


def counted(function, state):
    def call(*arguments, **options):
        state["calls"] += 1
        if state["calls"] == state["kill"]:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)

    return call


def main(spec: str, out: str, kill: str, workers: str = "1") -> None:
    state = {"calls": 0, "kill": int(kill)}
    os.fsync = counted(os.fsync, state)
    for name in ("replace", "unlink", "mkdir", "rmdir"):
        setattr(pathlib.Path, name, counted(getattr(pathlib.Path, name), state))
    import polars

    polars.LazyFrame.sink_parquet = counted(polars.LazyFrame.sink_parquet, state)
    result = mpps.sweep.sweep(spec, out=out, workers=int(workers))
    print(state["calls"], result.chunks, result.resumed)


if __name__ == "__main__":
    main(*sys.argv[1:])
