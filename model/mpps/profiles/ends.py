"""Where a profile rises through a threshold: root finding outward from the optimum, all questions side by side."""

from dataclasses import dataclass

import numpy as np

from mpps.profiles.trace import Questions, held_at

#: A quantity without limits of its own is followed this far from its estimate (a rate: a factor of e^20).
_FAR = 20.0
#: Largest first step in a coordinate whose limits are infinite.
_FIRST = 0.5
#: An end is found when the root of the rise is this close to the threshold's, as a share of it.
_CLOSE = 2e-3
_ROUNDS = 40


@dataclass(frozen=True)
class Ends:
    """One end of each question's interval: coordinate (Q,), closed (Q,) bool, x (Q, p) on the profile there.

    An open end lies at the limit of its quantity. lower_rise (Q,): the smallest rise that was met, below 0 where a
    better optimum was found on the way, and better (Q, p): that optimum.
    """

    coordinate: np.ndarray
    closed: np.ndarray
    x: np.ndarray
    lowest_rise: np.ndarray
    better: np.ndarray


def find_ends(questions: Questions, estimate, error, direction, side: int, threshold) -> Ends:
    """Follow every profile to one side (-1 or 1) until its rise is the threshold (Q,).

    estimate (Q,): coordinate at the optimum; error, direction: of `trace.tangents`.
    """
    total = len(questions)
    goal = np.sqrt(threshold)
    lowest, highest = questions.limits
    limit = lowest if side < 0 else highest
    far = estimate + side * _FAR
    limit = np.where(np.isfinite(limit), limit, far)
    estimate = np.clip(estimate, np.minimum(lowest, highest), highest)
    x0 = questions.fitted.x[questions.table]
    lower, upper = questions.fitted.box(total)
    inner, inner_root, inner_x = estimate.copy(), np.zeros(total), x0.copy()
    outer, outer_root = np.full(total, np.nan), np.full(total, np.nan)
    lean = direction.copy()
    room = np.abs(limit - estimate)
    span = np.where(questions.measured, np.hypot(error, questions.fitted.spread[questions.table]), error)
    stride = np.where(np.isfinite(goal) & (span > 0), span * np.where(np.isfinite(goal), goal, 0.0), np.inf)
    stride = np.minimum(np.minimum(stride, room), np.where(np.isfinite(lowest + highest), np.inf, _FIRST))
    c = estimate + side * stride
    closed = np.zeros(total, bool)
    result, result_x = np.where(np.isfinite(goal), estimate, limit), x0.copy()
    lowest_rise, better = np.zeros(total), x0.copy()
    kept = np.zeros(total, int)
    active = np.flatnonzero((room > 0) & np.isfinite(goal))
    result = np.where((room <= 0) | ~np.isfinite(goal), limit, result)
    for _ in range(_ROUNDS):
        if not active.size:
            break
        here = c[active]
        unit = np.minimum(np.maximum(error[active], 1e-300), np.abs(here - estimate[active]) / goal[active])
        unit = np.maximum(np.where(error[active] > 0, unit, np.abs(here - estimate[active]) / goal[active]), 1e-300)
        start = np.clip(inner_x[active] + lean[active] * (here - inner[active])[:, None], lower[active], upper[active])
        with np.errstate(all="ignore"):
            sane = np.isfinite(questions.fitted.residual(questions.table[active], start, np.ones(len(active)))).all(axis=1)
            sane &= np.isfinite(questions.coordinate(active, start))
        start = np.where(sane[:, None], start, inner_x[active])
        point = held_at(questions, active, here, unit, start)
        found = point.rise < lowest_rise[active]
        lowest_rise[active[found]], better[active[found]] = point.rise[found], point.x[found]
        root = np.sqrt(np.maximum(point.rise, 0.0))
        near = np.abs(root - goal[active]) <= _CLOSE * goal[active]
        outside = root > goal[active]
        inside = ~outside
        # Illinois: an end kept twice counts half, so that a bent profile is halved from both sides.
        who = active[inside]
        moved = here[inside] - inner[who]
        with np.errstate(all="ignore"):
            fresh = (point.x[inside] - inner_x[who]) / moved[:, None]
        previous = inner_root[who]
        slope = (root[inside] - previous) / np.abs(np.where(moved == 0, 1.0, moved))
        lean[who] = np.where(np.isfinite(fresh), fresh, 0.0)
        inner[who], inner_root[who], inner_x[who] = here[inside], root[inside], point.x[inside]
        who_out = active[outside]
        outer[who_out], outer_root[who_out] = here[outside], root[outside]
        kept[who] = np.maximum(kept[who], 0) + 1
        kept[who_out] = np.minimum(kept[who_out], 0) - 1
        result[active], result_x[active] = here, point.x
        at_limit = inside & (np.abs(here - limit[active]) <= 1e-12 * (1 + np.abs(limit[active])))
        narrow = np.isfinite(outer[active]) & (
            np.abs(outer[active] - inner[active]) <= 1e-5 * np.abs(outer[active] - estimate[active])
        )
        closed[active[near & ~at_limit]] = True
        edge = active[narrow & ~near & ~at_limit]
        # The quantity cannot go further, or its profile jumps: the last value inside is the end.
        closed[edge] = True
        result[edge], result_x[edge] = inner[edge], inner_x[edge]
        closed[active[at_limit]] = False
        result[active[at_limit]] = limit[active[at_limit]]
        done = near | at_limit | narrow
        growing = np.zeros(total)
        growing[who] = slope
        active = active[~done]
        c[active] = _next(
            active, inner, inner_root, outer, outer_root, goal, kept, side, limit, estimate, growing
        )
    # What has not settled is cut where it was last known to be inside.
    result[active], result_x[active], closed[active] = inner[active], inner_x[active], np.isfinite(outer[active])
    return Ends(result, closed, result_x, lowest_rise, better)


def _next(active, inner, inner_root, outer, outer_root, goal, kept, side, limit, estimate, growing):
    """The next value to try: between a value inside and one outside, or further out where none is outside yet."""
    a, b = inner[active], outer[active]
    fa, fb = inner_root[active] - goal[active], outer_root[active] - goal[active]
    fb = np.where(kept[active] >= 2, fb * 0.5 ** (kept[active] - 1.0), fb)
    fa = np.where(kept[active] <= -2, fa * 0.5 ** (-kept[active] - 1.0), fa)
    with np.errstate(all="ignore"):
        between = a + (b - a) * np.clip(-fa / (fb - fa), 0.02, 0.98)
        way = np.abs(a - estimate[active])
        needed = np.where(growing[active] > 0, 1.02 * (goal[active] - inner_root[active]) / growing[active], np.inf)
    further = np.clip(needed, 0.05 * way, 2.0 * way)
    beyond = a + side * further
    beyond = np.where(side > 0, np.minimum(beyond, limit[active]), np.maximum(beyond, limit[active]))
    return np.where(np.isfinite(b), between, beyond)
