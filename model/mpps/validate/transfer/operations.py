"""Published costs of one operation on two hosts: is the one inside what the rules of moving say of it from the other?"""

import itertools
from dataclasses import replace

import numpy as np

from mpps.machine import Streams
from mpps.machine.draws import Z95
from mpps.machine.relative import departure
from mpps.transfer import Move, factors_of
from mpps.uncertainty import LEVELS
from mpps.validate.coverage import cluster_interval
from mpps.validate.scores import FIGURES, point_scores
from mpps.validate.transfer.hosts import Operation, machine_of, operations

#: Operations without a function call: return thunks leave them alone.
NO_CALL = ("atomic_inc", "cmpxchg_local_line", "local_irq_pair", "local_irq_save_restore", "l2_hit", "l3_hit")
DRAWS = 4000


def moved_operations(seed: int = 1) -> dict:
    """Every operation that ran on two hosts or more, moved from each to each other by the rules for core-bound work.

    rows: operation, host, state, from, from_state, observed, lower, lower50, median, upper50, upper (ns), inside;
    coverage, coverage50, width, interval_score, error over the rows (each pair of hosts counts as much as any other), by
    copying the time as baseline; interval of the coverage, whole pairs of hosts drawn again; learnt: by host, the 90 %
    range of work per cycle that the pairs of other hosts show at equal clock.
    """
    found = operations()
    pairs = [
        (one, other)
        for one, other in itertools.permutations(found, 2)
        if one.operation == other.operation and one.host != other.host
    ]
    rows = [_row(one, other, seed) for one, other in pairs]
    groups = np.array([" and ".join(sorted((row["from"], row["host"]))) for row in rows])
    weights = np.array([1 / (groups == group).sum() for group in groups])
    observed = np.array([row["observed"] for row in rows])
    quantiles = np.array([[row[name] for name in ("lower", "lower50", "median", "upper50", "upper")] for row in rows]).T
    scores = point_scores(quantiles, observed)
    copied = np.abs(np.array([row["copied"] for row in rows]) / observed - 1)
    hosts = dict.fromkeys(row["host"] for row in rows)
    return {
        "rows": rows,
        "pairs_of_hosts": len(set(groups)),
        **{name: float(np.average(scores[name], weights=weights)) for name in FIGURES},
        "points_inside": int(scores["coverage"].sum()),
        "points": len(rows),
        "coverage_interval": cluster_interval(scores["coverage"], groups, seed),
        "median_error": float(np.median(scores["error"])),
        "copied_median_error": float(np.median(copied)),
        "by_host": [_by_host(host, rows, found) for host in hosts],
    }


def _row(source: Operation, target: Operation, seed: int) -> dict:
    machines = [machine_of(each.host, each.state) for each in (source, target)]
    if source.operation in NO_CALL:
        machines = [_without_thunks(machine) for machine in machines]
    move = Move(*machines, np.array([1]), DRAWS, Streams([seed, 1], DRAWS))
    factor = factors_of(move, {"core"})[0]["core"][:, 0]
    factor = factor * departure(source.operation, source.ns, DRAWS, move.rng)[0]
    ends = np.quantile(source.ns * factor, LEVELS)
    names = ("lower", "lower50", "median", "upper50", "upper")
    return {
        "operation": source.operation,
        "host": target.host,
        "state": target.state,
        "from": source.host,
        "from_state": source.state,
        "copied": source.ns,
        "observed": target.ns,
        **dict(zip(names, map(float, ends), strict=True)),
        "inside": bool(ends[0] <= target.ns <= ends[4]),
    }


def _without_thunks(machine):
    fact = replace(machine["mitigations"], value="no return thunks", not_stated=False)
    return replace(machine, facts=type(machine.facts)(dict(machine.facts) | {"mitigations": fact}))


def _by_host(host: str, rows, found) -> dict:
    """Coverage of the rows about a host, and what the operations of the other hosts say of work per cycle."""
    mine = [row for row in rows if host in (row["host"], row["from"])]
    others = [each for each in found if each.host != host]
    logs = []
    for one, other in itertools.combinations(others, 2):
        if one.operation != other.operation or one.host == other.host or "SRSO" in one.state + other.state:
            continue
        here, there = (machine_of(each.host) for each in (one, other))
        if any(each["core_class"].value == "in-order" for each in (here, there)):
            continue
        clocks = [each["clock.one_core"].value or 3.5 for each in (here, there)]
        logs.append(np.log(one.ns * clocks[0] / (other.ns * clocks[1])))
    spread = float(np.sqrt(np.mean(np.square(logs)))) if logs else None
    return {
        "host": host,
        "points": len(mine),
        "inside": sum(row["inside"] for row in mine),
        "others_range": None if spread is None else float(np.exp(Z95 * spread)),
        "others_pairs": len(logs),
    }
