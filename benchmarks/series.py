"""Alternating series: ours and the peer take turns, so that load from elsewhere meets both."""

import statistics
import time
from dataclasses import dataclass

#: Work shorter than this is repeated inside one measurement.
LEAST_SECONDS = 0.02


@dataclass(frozen=True)
class Series:
    """Seconds of one piece of work, one entry a turn, and CPU seconds of ours; `peer` is empty where there is none."""

    ours: tuple[float, ...]
    peer: tuple[float, ...]
    cpu: tuple[float, ...]

    @property
    def ratio(self) -> float | None:
        """Median over the turns of peer over ours."""
        return statistics.median(p / o for o, p in zip(self.ours, self.peer, strict=True)) if self.peer else None


def alternate(
    ours, peer=None, *, turns: int = 5, warm: bool = True, share: float = 1.0, often: int | None = None
) -> Series:
    """Time the calls `ours` and `peer` in turns; `share`: the part of the work that `peer` does.

    warm False: for work that the caller has warmed up; a turn then is `often` calls of ours (1 when None), one of the peer.
    """
    if warm:
        for one in (ours, peer):
            if one:
                one()
    counts = [_count(ours), _count(peer) if peer else 1] if warm else [often or 1, 1]
    seconds, cpu = ([], []), []
    for _ in range(turns):
        start = time.process_time()
        seconds[0].append(_seconds(ours, counts[0]))
        cpu.append((time.process_time() - start) / counts[0])
        if peer:
            seconds[1].append(_seconds(peer, counts[1]) / share)
    return Series(tuple(seconds[0]), tuple(seconds[1]), tuple(cpu))


def row(work, model, series: Series, *, points=None, goal=None, goal_ratio=None, per: str = "points", **more) -> dict:
    """One row of the table.

    points: how many the work has, `per` what they are called; the unit is then points/s and `goal` a least one, else
    seconds and a largest one. goal_ratio: least ratio. reached: None where there is no goal.
    """
    ours = statistics.median(series.ours)
    peer = statistics.median(series.peer) if series.peer else None
    ratio = more.pop("ratio", series.ratio)
    met = []
    if points:
        ours, peer = points / ours, more.pop("peer", points / peer if peer else None)
    if goal is not None:
        met.append(ours >= goal if points else ours <= goal)
    if goal_ratio is not None:
        met.append(ratio is not None and ratio >= goal_ratio)
    cpu = statistics.median(series.cpu)
    return {
        "work": work,
        "model": model,
        "ours": ours,
        "peer": peer,
        "ratio": ratio,
        "goal": _goal(goal, goal_ratio, per if points else ""),
        "unit": f"{per}/s" if points else "s",
        "reached": all(met) if met else None,
        "goal_ours": goal,
        "goal_ratio": goal_ratio,
        "ours_cpu": points / cpu if points else cpu,
        "turns": len(series.ours),
    } | more


def single(work, model, ours, unit: str, *, goal=None, **more) -> dict:
    """A row of one figure without a peer, where less is better."""
    return {
        "work": work, "model": model, "ours": ours, "peer": None, "ratio": None,
        "goal": None if goal is None else f"at most {goal:g} {unit}", "unit": unit,
        "reached": None if goal is None else bool(ours <= goal), "goal_ours": goal, "goal_ratio": None,
    } | more  # fmt: skip


def left_out(work, model, why: str) -> dict:
    """A row that could not be measured here, and why."""
    return {
        "work": work, "model": model, "ours": None, "peer": None, "ratio": None, "goal": None, "unit": "s",
        "reached": None, "goal_ours": None, "goal_ratio": None, "left_out": why,
    }  # fmt: skip


def _goal(goal, goal_ratio, points):
    parts = []
    if goal is not None:
        parts.append(
            f"at least {goal / 1e6:g} M {points}/s"
            if points
            else f"at most {goal:g} s"
            if goal >= 0.1
            else f"at most {goal * 1e3:g} ms"
        )
    if goal_ratio is not None:
        parts.append(f"{goal_ratio:g} x")
    return ", ".join(parts) or None


def _count(call) -> int:
    spent = _seconds(call, 1)
    return max(1, round(LEAST_SECONDS / max(spent, 1e-7))) if spent < LEAST_SECONDS else 1


def _seconds(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count
