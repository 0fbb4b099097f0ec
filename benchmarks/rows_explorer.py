"""The live explorer: how long a moved slider waits for the model's answer, drawing and transport left out."""

import statistics
import time

from series import left_out, single

_WORK = "explorer: answer to a moved slider, median"
_GOAL_MS = 150.0
_MOVES = 40


def rows(report):
    """One row; `report(row)` takes it."""
    try:
        from mpps.explore import explore
    except ImportError as problem:
        report(left_out(_WORK, "pppoe_receive", f"no explorer in this version ({problem})"))
        return
    shown = explore("pppoe_receive", variant="both locks")
    position = lambda k: {
        "cores": 1 + k % 64,
        "settings": {"section_ns": 30.0 + 1.7 * k, "private_ns": 400.0 + 9.0 * k},
    }
    for k in range(3):
        shown.respond(position(_MOVES + k))
    seconds, spent = [], time.process_time()
    for k in range(_MOVES):
        start = time.perf_counter()
        shown.respond(position(k))
        seconds.append(time.perf_counter() - start)
    cpu = (time.process_time() - spent) / _MOVES
    report(
        single(
            _WORK, "pppoe_receive, all explanations with their intervals", 1e3 * statistics.median(seconds), "ms",
            goal=_GOAL_MS, ours_cpu=1e3 * cpu, slowest=1e3 * max(seconds),
            note=f"slowest of {_MOVES}: {1e3 * max(seconds):.0f} ms; {1e3 * cpu:.0f} ms of CPU each",
        )
    )  # fmt: skip


if __name__ == "__main__":
    rows(print)
