"""What the verb `sweep` does: check, estimate, run, and say what came of it."""

import sys

from mpps.errors import MppsError
from mpps.waiting import working


class Interrupted(MppsError):
    """Ctrl-C during a sweep."""

    exit_status = 130


def sweep(spec, *, out, workers, scheduler, seed, dry_run: bool, force: bool, as_json: bool) -> None:
    """`mpps sweep SPEC.yaml --out OUT.parquet`."""
    from mpps.sweep import plan_of, read_spec

    if out is None and not dry_run:
        raise MppsError(
            "--out is missing: name the Parquet file to write, as --out sweep.parquet, or ask with --dry-run"
        )
    plan = plan_of(read_spec(spec, seed=seed))
    if dry_run:
        _estimate(plan, workers, as_json)
        return
    from mpps.sweep import sweep as run

    try:
        result = run(plan.spec, out=out, workers=workers, scheduler=scheduler, force=force, tell=_tell, progress=True)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted: what is done is kept in {out}.parts; the same command goes on from there"
        ) from None
    answer = {
        "out": str(result.out),
        "rows": result.rows,
        "scenarios": result.scenarios,
        "chunks": result.chunks,
        "resumed": result.resumed,
        "seconds": round(result.seconds, 3),
        "bytes": result.out.stat().st_size,
    }
    _show(result.metadata | answer, as_json, lambda: _text(answer, result.metadata))


def _tell(cost, workers: int) -> None:
    print(cost.text(workers), file=sys.stderr)


def _estimate(plan, workers, as_json) -> None:
    from mpps.sweep import estimated
    from mpps.sweep.executors import cores

    with working("preparing one cell and timing a stretch of it"):
        cost = estimated(plan)
    many = workers or cores()
    document = {
        "schema": "mpps.sweep.estimate/1",
        "key": plan.key,
        "scenarios": cost.scenarios,
        "rates": cost.rates,
        "rows": cost.rows,
        "chunks": cost.chunks,
        "bytes": round(cost.bytes),
        "seconds": cost.core_seconds / many,
        "workers": many,
    }
    _show(document, as_json, lambda: f"{cost.text(many)}. Nothing was written.")


def _text(answer: dict, metadata: dict) -> str:
    from mpps.sweep.estimating import duration, size

    took = f"{answer['scenarios']:,} scenarios in {duration(answer['seconds'])}"
    lines = [f"{answer['out']}: {answer['rows']:,} rows, {size(answer['bytes'])}, {took}"]
    if answer["resumed"]:
        lines.append(f"{answer['resumed']:,} of {answer['chunks']:,} chunks were there already.")
    said = [text["says"] for text in metadata["assumptions"]]
    lines += [f"Assumed: {text}." for text in said]
    lines.append(f"Assumptions of every cell, versions and seeds: {answer['out']}.json")
    return "\n".join(lines)


def _show(document: dict, as_json: bool, text) -> None:
    from mpps.verbs import show

    show(document, as_json, text)
