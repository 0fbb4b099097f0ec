"""A prediction from one profiled run alone, as JSON: `mpps.predict/1` with a station for each lock."""

from pathlib import PurePath

import numpy as np

from mpps.errors import MppsError
from mpps.lock_forecast import PRIVATE, LockForecast, forecast_run
from mpps.lock_levers import LockLever, lock_levers
from mpps.lock_profiles import LockRun
from mpps.record import library_versions, plain

#: Counts that changes of locks are told for; more are thinned evenly in log n.
_MOST_COUNTS = 12
_ENDS = ("lower", "lower50", "median", "upper50", "upper")


def predict_profile(run: LockRun, cores, *, seed: int = 1) -> dict:
    """`mpps.predict/1` at `cores` from a run with its locks (`mpps.lock_profiles.lock_run`); rates in packets/s.

    Beside the predictions: `levers`, what removing or halving each lock brings at some of `cores`; `locks`, what each makes a packet wait and how long its section is, and `private_ns`, both at the
    profiled count, with 90 % ends; `limits`, what is busiest at each count. Raises `MppsError` without core counts.
    """
    if not len(tuple(cores)):
        raise MppsError("no core counts to predict at: name at least one with --cores")
    found = forecast_run(run, cores, seed=seed)
    limits = _limits(found)
    last = next(row for row in limits if row["n"] == found.n[-1])
    series = {
        "dataset": PurePath(run.file).stem,
        "variant": "profiled run",
        "machine": None,
        "metric": "throughput",
        "unit": "packets/s",
        "run": {"cores_used": run.cores, "rate": run.rate_pps, "seconds": run.seconds, "lap_ns": run.lap_ns},
        "locks": [_lock(run, found, place, name) for place, name in enumerate(found.locks)],
        "private_ns": _ends(found.private_ns),
        "bottleneck": last["resource"],
        "bottleneck_probability": last["probability"],
        "limits": limits,
        "levers": [_lever(each, found.locks) for each in lock_levers(run, _thinned(found.n, run.cores), seed=seed)],
        "predictions": [
            {"n": int(n)}
            | {key: float(end) for key, end in zip(_ENDS, found.quantiles[:, place], strict=True)}
            | {"observed": run.rate_pps if n == run.cores else None, "extrapolated": bool(n != run.cores)}
            for place, n in enumerate(found.n)
        ],
    }
    said = [
        (
            f"One run with {run.cores} cores is all that was measured; what it cannot tell was learnt from {found.words}: how a section "
            "grows with its queue, drift, and bottlenecks that do not show yet."
        ),
        "Private work is what is left of a packet's time beside waits and holds; time in other shared resources counts as private.",
        (
            "A lock that is removed leaves the work under it, which all cores then do at the same time; one that is halved has "
            "sections half as long, and that work is gone. What a gain meets next is known of the profiled locks alone: a limit "
            "that the profile does not show makes it smaller."
        ),
        "Locks that one packet takes inside one another count as stations one after the other.",
    ]
    holds = [each["lock"] for each in series["locks"] if each["hold_ns"] is None]
    if holds:
        said.append(f"The profile prints no hold of {', '.join(holds)}: the section is what explains the wait.")
    document = {
        "schema": "mpps.predict/1",
        "versions": library_versions(),
        "data_sha256": {run.file: run.sha256},
        "seed": seed,
    }
    return plain(document | {"series": [series], "assumptions": [{"says": text} for text in said], "warnings": []})


def _lock(run: LockRun, found: LockForecast, place: int, name: str) -> dict:
    lock = run.lock(name)
    return {
        "lock": name,
        "wait_ns": lock.wait_ns,
        "hold_ns": lock.hold_ns,
        "section_ns": _ends(found.section_ns[place]),
    }


def _thinned(n, cores: int) -> list[int]:
    n = np.asarray(n)
    if len(n) > _MOST_COUNTS:
        near = np.searchsorted(n, np.geomspace(n[0], n[-1], _MOST_COUNTS)).clip(0, len(n) - 1)
        n = np.unique(np.concatenate([n[near], n[n == cores]]))
    return [int(each) for each in n]


def _lever(lever: LockLever, locks) -> dict:
    """A changed lock: gains by count, and what is busiest then."""
    names, rows = (*locks, PRIVATE), []
    for place, n in enumerate(lever.n):
        after = int(lever.limits[:, place].argmax())
        rows.append(
            {"n": int(n)}
            | {key: float(end) for key, end in zip(_ENDS, lever.quantiles[:, place], strict=True)}
            | {
                "probability_gain": float(lever.probability[place]),
                "limit": names[after],
                "limit_probability": float(lever.limits[after, place]),
            }
        )
    return {"lock": lever.lock, "change": lever.change, "gains": rows}


def _ends(values) -> dict:
    return dict(zip(("median", "lower", "upper"), map(float, values), strict=True))


def _limits(found: LockForecast) -> list[dict]:
    names, rows = (*found.locks, PRIVATE), []
    for column, n in enumerate(found.n):
        shares = found.limits[:, column]
        rows += [
            {"n": int(n), "resource": names[place], "probability": float(shares[place])}
            for place in np.argsort(-shares, kind="stable")
            if shares[place] > 0
        ]
    return rows
