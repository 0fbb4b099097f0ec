"""What a sweep costs before it runs: rows, bytes and chunks from the plan, time from one small stretch that is timed."""

import time
from dataclasses import dataclass

from mpps.sweep.cell import Cell
from mpps.sweep.cells import prepared
from mpps.sweep.evaluate import evaluate
from mpps.sweep.frames import parquet
from mpps.sweep.plan import Plan

#: Rates that the timed stretch computes, about.
_TRIAL = 1 << 18


@dataclass(frozen=True, eq=False)
class Estimate:
    """bytes: of the result, about (the parts take as much again until they are merged); core_seconds: of one core, about.

    place, cell: the cell that was prepared for it, so that nobody does it twice.
    """

    scenarios: int
    rates: int
    rows: int
    chunks: int
    bytes: float
    core_seconds: float
    place: int
    cell: Cell

    def text(self, workers: int = 1) -> str:
        """In one line."""
        return (
            f"{self.scenarios:,} scenarios, {self.rates:,} rates, {self.rows:,} rows in {self.chunks:,} chunks: about "
            f"{size(self.bytes)} and {duration(self.core_seconds / workers)}"
            + (f" with {workers} workers" if workers > 1 else "")
        )


def estimated(plan: Plan) -> Estimate:
    """Prepare the last cell of a sweep and time a stretch of it. Raises `MppsError` for what a cell cannot answer."""
    spec = plan.spec
    started = time.perf_counter()
    # The first machine is often the one that was measured, where nothing has to be moved.
    cell = prepared(spec, spec.keys[-1])
    ready = time.perf_counter() - started
    sets = max(1, min(plan.step, _TRIAL // (max(spec.draws, 1) * len(spec.cores))))
    started = time.perf_counter()
    # The first call pays for what is imported and kept.
    small = len(stretch(cell, spec, 1))
    each, row = time.perf_counter() - started, small / plan.rows_of_a_set
    if sets > 1:
        started = time.perf_counter()
        content = len(stretch(cell, spec, sets))
        each = (time.perf_counter() - started) / sets
        row = max(1.0, (content - small) / ((sets - 1) * plan.rows_of_a_set))
    seconds = plan.cells * ready + plan.scenarios * each
    return Estimate(
        plan.scenarios,
        plan.rates,
        plan.rows,
        plan.chunks,
        row * plan.rows + small,
        seconds,
        plan.cells - 1,
        cell,
    )


def stretch(cell: Cell, spec, sets: int) -> bytes:
    """The first sets of a cell as a part."""
    return parquet(evaluate(cell, spec.axes, 0, sets, spec.outputs, spec.loads, spec.queue))


def size(count: float) -> str:
    """Bytes in words."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count:.0f} bytes"


def duration(seconds: float) -> str:
    """Seconds in words."""
    for unit, factor in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * factor:
            return f"{seconds / factor:.2g} {unit}"
    return f"{seconds:.2g} s"
