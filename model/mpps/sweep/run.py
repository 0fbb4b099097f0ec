"""A sweep from its spec to its file: plan, estimate, chunks, merge. Whatever ends it, the same call goes on from there."""

import contextlib
import json
import pathlib
import shutil
import time
from dataclasses import dataclass

from mpps.errors import MppsError
from mpps.sweep import cells, executors, frames
from mpps.sweep.axes import BLOCK
from mpps.sweep.estimating import estimated, size
from mpps.sweep.evaluate import evaluate
from mpps.sweep.parts import Parts, write
from mpps.sweep.plan import Plan, plan_of
from mpps.sweep.spec import Spec, read_spec

SCHEMA = "mpps.sweep/1"
_CONSTANT = (
    "the correction by event simulation and the structural error belong to the fitted values of a cell and stay as they are while "
    "parameters move"
)
#: Seconds of one core below which further processes do not pay.
_QUICK = 3.0


@dataclass(frozen=True)
class SweepResult:
    """out: the Parquet file; rows, chunks: of the whole; resumed: chunks that were there already; seconds of this run;
    metadata: as in the file. `frame()` reads it."""

    out: pathlib.Path
    rows: int
    scenarios: int
    chunks: int
    resumed: int
    seconds: float
    metadata: dict

    def frame(self):
        """The rows as a polars frame."""
        import polars

        return polars.read_parquet(self.out)


def chunk_bytes(cell, axes, first: int, last: int, wanted, loads, queue: int) -> bytes:
    """What a worker makes of a chunk: the bytes of its part."""
    return frames.parquet(evaluate(cell, axes, first, last, wanted, loads, queue))


def prepare(spec, key: tuple):
    """What a worker makes of a cell's key."""
    return cells.prepared(spec, key)


def sweep(
    spec,
    *,
    out,
    workers: int | None = None,
    scheduler: str | None = None,
    force: bool = False,
    progress: bool = True,
    tell=None,
):
    """Run a sweep and write its rows to `out`, a Parquet file, with the metadata in it and beside it (`<out>.json`).

    spec: a YAML file, a dict (docs/sweeps.md) or a `Spec`; workers: processes, one a core when None; scheduler: address of a
    Dask cluster instead. Chunks are kept in `<out>.parts/` until they are merged, so the same call goes on where another one
    was ended. The bytes of `out` depend on neither. force: replace a file that is not of this sweep, and parts of another.
    tell: called with the `Estimate` and the number of workers before anything is computed.
    Raises `MppsError` for whatever is wrong with the spec, before anything runs, and where `out` cannot be written.
    """
    started = time.perf_counter()
    plan = plan_of(spec if isinstance(spec, Spec) else read_spec(spec))
    out = pathlib.Path(out)
    finished = _ready(plan, out, force)
    if finished:
        document = json.loads(finished)
        _beside(out, document)
        if _parts_folder(out).is_dir():
            _clean(out, plan)
        return _result(plan, out, document, plan.chunks, started)
    parts = Parts(_parts_folder(out), plan.key)
    try:
        done = parts.open(plan.identity, force=force)
        resumed = len(done)
        notes = [parts.noted(_note(index, plan.key)) for index in range(plan.cells)]
        if resumed < plan.chunks or None in notes:
            # A scheduler that is not there is told before time goes into anything else.
            with executors.pool(workers, scheduler) if scheduler else contextlib.nullcontext() as cluster:
                cost = estimated(plan)
                room_for(out, 2 * cost.bytes * (1 - resumed / plan.chunks))
                with contextlib.nullcontext(cluster) if scheduler else _here(cost, workers) as pool:
                    if tell is not None:
                        tell(cost, pool.workers)
                    _chunks(plan, parts, done, notes, cost, pool, scheduler is not None, progress)
        document = metadata(plan, notes)
        frames.merge([done[index] for index in range(plan.chunks)], out, {"mpps": _text(document)})
        _beside(out, document)
        parts.remove()
    finally:
        parts.close(whole=False)
    return _result(plan, out, document, resumed, started)


def _here(cost, workers):
    """Processes where none are asked for: as many as there are cores, none for what is done before they have started."""
    return executors.pool(workers or (1 if cost.core_seconds < _QUICK else None))


def _chunks(plan: Plan, parts: Parts, done: dict, notes: list, cost, pool, far: bool, progress: bool) -> None:
    """Compute what is missing into `parts` and `done`, and what is known of every cell into `notes`."""
    from mpps.progress import remaining

    spec, each = plan.spec, plan.chunks // plan.cells
    todo = [
        cell
        for cell in range(plan.cells)
        if notes[cell] is None or any(index not in done for index in range(cell * each, cell * each + each))
    ]
    died = None
    with remaining("sweep", plan.chunks, progress, len(done)) as advance:
        # A few cells at a time: their arrays stay in memory.
        group = 1 if each >= 4 * pool.workers else 4 * pool.workers
        with _preparing(pool, far, len(todo)) as near:
            for first in range(0, len(todo), group):
                keys = todo[first : first + group]
                ready = {cost.place: cost.cell} if cost.place in keys else {}
                others = [index for index in keys if index not in ready]
                for place, cell in near.run(prepare, [(spec, spec.keys[index]) for index in others]):
                    ready[others[place]] = cell
                for index in keys:
                    notes[index] = _noted(ready[index])
                    parts.note(_note(index, plan.key), notes[index])
                missing = [
                    plan.chunk(index)
                    for key in keys
                    for index in range(key * each, key * each + each)
                    if index not in done
                ]
                tasks = (
                    (ready[one.cell], spec.axes, one.first, one.last, spec.outputs, spec.loads, spec.queue)
                    for one in missing
                )
                try:
                    for place, content in pool.run(chunk_bytes, tasks):
                        done[missing[place].index] = parts.add(missing[place].index, content)
                        advance(1)
                except executors.WorkersDied as error:
                    died = died or error
    if died:
        raise died


def _preparing(pool, far: bool, cells_to_do: int):
    """Who prepares cells: the workers of this machine, which have the workbook's data; never those of a cluster."""
    if not far:
        return contextlib.nullcontext(pool)
    return executors.pool(1 if cells_to_do == 1 else None)


def _note(cell: int, key: str) -> str:
    return f"cell-{cell:06d}-{key}.json"


def _noted(cell) -> dict:
    return cell.labels | cell.notes | {"unit": cell.unit, "draws": cell.draws, "assumptions": list(cell.words)}


def metadata(plan: Plan, notes) -> dict:
    """What the file says of itself: nothing that differs between two runs of the same spec."""
    from mpps.record import plain

    spec = plan.spec
    assumptions = [{"says": _CONSTANT}] if spec.axes.names and spec.subject == "path" else []
    document = {
        "schema": SCHEMA,
        "spec": plain(spec.given),
        "key": plan.key,
        **{name: value for name, value in plan.identity.items() if name in ("code", "versions")},
        "data_sha256": plan.identity["data"],
        "seed": spec.seed,
        "seeds": {
            "fit": spec.seed,
            "draws of parameters": f"draws {BLOCK} k to {BLOCK} (k + 1) - 1 come from numpy.random.SeedSequence({spec.seed}, spawn_key=(k,))",
        },
        "rows": plan.rows,
        "scenarios": plan.scenarios,
        "chunks": plan.chunks,
        "assumptions": assumptions,
        "cells": notes,
    }
    return json.loads(_text(document))


def _text(document: dict) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def _ready(plan: Plan, out: pathlib.Path, force: bool) -> str | None:
    """Whether `out` may be written: the metadata of a file that is this sweep's already, None when there is nothing."""
    if out.is_dir():
        raise MppsError(f"--out {out}: found a folder: expected the name of a file, as {out}/sweep.parquet")
    if out.suffix != ".parquet":
        raise MppsError(
            f"--out {out}: found a name that does not end in .parquet, which is what is written: add the ending"
        )
    if not out.parent.is_dir():
        raise MppsError(f"--out {out}: the folder {out.parent} does not exist: make it, or write elsewhere")
    if out.exists():
        text = frames.metadata_of(out).get("mpps")
        if text and json.loads(text).get("key") == plan.key:
            return text
        if not force:
            raise MppsError(
                f"--out {out}: the file exists and is not the result of this spec, data and code: write elsewhere, or replace it "
                "with --force"
            )
    return None


def room_for(out: pathlib.Path, needed: float) -> None:
    """Raises `MppsError` when the disk has no room for parts and result."""
    free = shutil.disk_usage(out.parent).free
    if needed > free:
        raise MppsError(
            f"--out {out}: the sweep needs about {size(needed)} there (parts and result), {size(free)} are free: make room, write "
            "elsewhere, or ask for fewer outputs"
        )


def _parts_folder(out: pathlib.Path) -> pathlib.Path:
    return out.with_name(f"{out.name}.parts")


def _beside(out: pathlib.Path, document: dict) -> None:
    write(out.with_name(f"{out.name}.json"), (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())


def _clean(out: pathlib.Path, plan: Plan) -> None:
    """Remove what a merge that was ended left of the parts; those of another sweep stay."""
    parts = Parts(_parts_folder(out), plan.key)
    with contextlib.suppress(MppsError):
        parts.open(plan.identity)
        parts.remove()
    parts.close()


def _result(plan: Plan, out, document, resumed: int, started: float) -> SweepResult:
    seconds = time.perf_counter() - started
    return SweepResult(out, plan.rows, plan.scenarios, plan.chunks, resumed, seconds, document)
