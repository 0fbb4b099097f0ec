"""Where a profile rises through a threshold: root finding outward from the optimum, all questions side by side."""

from dataclasses import dataclass

import numpy as np

from mpps.profiles.trace import Point, Questions, best, held_at

#: A quantity without limits of its own is followed this far from its estimate (a rate: a factor of e^20).
_FAR = 20.0
#: Largest first stride of a quantity without limits of its own.
_FIRST = 0.5
#: An end is found when the root of the rise is this close to the threshold's, as a share of it.
_CLOSE = 2e-3
_ROUNDS = 40
#: How often the end of one question is looked at from afar.
_VERIFIED = 3
#: A profile this much steeper or flatter than at its optimum is looked at from afar.
_STEEP = 1.4


@dataclass(frozen=True)
class Ends:
    """One end of each question's interval: coordinate (Q,), closed (Q,) bool, x (Q, p) on the profile and its rise (Q,).

    An open end lies at the limit of its quantity. lowest_rise (Q,): the smallest rise that was met, below 0 where a
    better optimum was found on the way, and better (Q, p): that optimum.
    """

    coordinate: np.ndarray
    closed: np.ndarray
    x: np.ndarray
    rise: np.ndarray
    lowest_rise: np.ndarray
    better: np.ndarray

    def put(self, index, other: "Ends") -> "Ends":
        """With the ends of questions `index` replaced; the best optimum that any search met is kept."""
        parts = {
            name: getattr(self, name).copy() for name in ("coordinate", "closed", "x", "rise", "lowest_rise", "better")
        }
        for name in ("coordinate", "closed", "x", "rise"):
            parts[name][index] = getattr(other, name)
        lower = other.lowest_rise < self.lowest_rise[index]
        parts["lowest_rise"][index[lower]], parts["better"][index[lower]] = (
            other.lowest_rise[lower],
            other.better[lower],
        )
        return Ends(**parts)


class _Search:
    """State of all questions: the outermost value known to be inside, and the innermost known to be outside."""

    def __init__(self, questions: Questions, estimate, error, direction, side, threshold):
        count = len(questions)
        low, high = questions.limits
        self.questions, self.side, self.error = questions, side, error
        self.goal = np.sqrt(threshold)
        self.estimate = estimate
        limit = high if side > 0 else low
        self.limit = np.where(np.isfinite(limit), limit, self.estimate + side * _FAR)
        self.inner, self.inner_root = self.estimate.copy(), np.zeros(count)
        self.inner_x, self.lean = questions.fitted.x[questions.table], direction.copy()
        self.growth = np.zeros(count)
        self.outer, self.outer_root = np.full(count, np.nan), np.full(count, np.nan)
        self.verified = np.zeros(count, int)
        self.same = np.zeros(count, int)  # rounds in a row that ended inside (positive) or outside (negative)
        self.lowest_rise, self.better = np.zeros(count), self.inner_x.copy()
        self._from_other_optima()
        scatter = questions.fitted.spread[questions.table]
        self.promised = np.where(questions.measured, np.hypot(error, scatter), error)
        stride = self.promised * np.where(np.isfinite(threshold), self.goal, 1)
        bounded = np.isfinite(low) & np.isfinite(high)
        self.stride = np.where(stride > 0, stride, np.inf)
        self.stride = np.where(bounded, self.stride, np.minimum(self.stride, _FIRST))
        self.stride = np.minimum(self.stride, np.maximum(side * (self.limit - self.inner), 0.0))

    def _from_other_optima(self):
        """Begin at the outermost of the other optima that the threshold lets in: a profile may have several valleys."""
        questions, fitted = self.questions, self.questions.fitted
        everyone, table = np.arange(len(questions)), questions.table
        base, spread = best(fitted), fitted.spread
        for number in range(fitted.others.shape[1]):
            x = fitted.others[:, number]
            rise = (fitted.residual(np.arange(len(fitted)), x, spread) ** 2).sum(1) - base
            root = np.sqrt(np.maximum(rise, 0.0))[table]
            c = questions.coordinate(everyone, x[table])
            further = (root < 0.98 * self.goal) & (self.side * (c - self.inner) > 0)
            # No step of the way is known there: the direction is forgotten.
            far = further & (np.abs(c - self.estimate) > 1e-6 * (1 + np.abs(self.estimate)))
            self.inner = np.where(far, c, self.inner)
            self.inner_root = np.where(far, root, self.inner_root)
            self.inner_x = np.where(far[:, None], x[table], self.inner_x)
            self.lean = np.where(far[:, None], 0.0, self.lean)

    def unit(self, index, c):
        away = np.maximum(np.abs(c - self.estimate[index]), 1e-15 * (1 + np.abs(c))) / self.goal[index]
        unit = np.where(self.error[index] > 0, np.minimum(self.error[index], away), away)
        return np.maximum(unit, 1e-15 * (1 + np.abs(c)))

    def look(self, index, c) -> Point:
        """The profile at c (A,), followed from the last value inside; where that is outside, looked at from afar too."""
        questions = self.questions
        lower, upper = questions.fitted.box(len(index))
        ahead = np.clip(self.inner_x[index] + self.lean[index] * (c - self.inner[index])[:, None], lower, upper)
        with np.errstate(all="ignore"):
            sane = np.isfinite(questions.fitted.residual(questions.table[index], ahead, np.ones(len(index)))).all(
                axis=1
            )
            sane &= np.isfinite(questions.coordinate(index, ahead))
        start = np.where(sane[:, None], ahead, self.inner_x[index])
        unit = self.unit(index, c)
        point = held_at(questions, index, c, unit, start)
        doubtful = ~(point.rise <= (_STEEP * self.goal[index]) ** 2) & ~np.isfinite(self.outer[index])
        doubtful = np.flatnonzero(doubtful)
        if doubtful.size and questions.scouts is not None:
            again = held_at(questions, index[doubtful], c[doubtful], unit[doubtful])
            lower_now = again.rise < point.rise[doubtful]
            point.rise[doubtful[lower_now]], point.x[doubtful[lower_now]] = again.rise[lower_now], again.x[lower_now]
        return point

    def verify(self, index, c) -> np.ndarray:
        """Which ends c (A,) are none, because a scout finds a curve there that the path did not; the search goes on."""
        # A profile that is the parabola which the optimum promises has nothing to hide.
        away = np.abs(c - self.estimate[index]) / self.goal[index]
        plain = (away > self.promised[index] / _STEEP) & (away < self.promised[index] * _STEEP)
        may = np.flatnonzero((self.verified[index] < _VERIFIED) & ~plain)
        wrong = np.zeros(len(index), bool)
        if may.size and self.questions.scouts is not None:
            who = index[may]
            self.verified[who] += 1
            point = held_at(self.questions, who, c[may], self.unit(who, c[may]))
            found = np.sqrt(np.maximum(point.rise, 0.0)) < (1 - 3 * _CLOSE) * self.goal[who]
            wrong[may[found]] = True
            self.outer[who[found]] = np.nan
            self.learn(who[found], c[may[found]], Point(point.rise[found], point.x[found]))
            self.lean[who[found]], self.growth[who[found]] = 0.0, 0.0
        return wrong

    def learn(self, index, c, point):
        root = np.sqrt(np.maximum(point.rise, 0.0))
        lower = point.rise < self.lowest_rise[index]
        self.lowest_rise[index[lower]], self.better[index[lower]] = point.rise[lower], point.x[lower]
        inside = root <= self.goal[index]
        who = index[inside]
        way = c[inside] - self.inner[who]
        way = np.where(way == 0, np.inf, way)
        self.lean[who] = (point.x[inside] - self.inner_x[who]) / way[:, None]
        self.growth[who] = (root[inside] - self.inner_root[who]) / np.abs(way)
        self.inner[who], self.inner_root[who], self.inner_x[who] = c[inside], root[inside], point.x[inside]
        self.same[who] = np.maximum(self.same[who], 0) + 1
        who = index[~inside]
        self.outer[who], self.outer_root[who] = c[~inside], root[~inside]
        self.same[who] = np.minimum(self.same[who], 0) - 1
        return root

    def next(self, index):
        """Between inside and outside by a straight line (Illinois: an end kept twice counts half), or further out."""
        a, b, goal, same = self.inner[index], self.outer[index], self.goal[index], self.same[index]
        # A quantity that cannot go so far rises without measure: its cliff is then halved, not crept up to.
        short, over = self.inner_root[index] - goal, np.minimum(self.outer_root[index] - goal, goal)
        over = np.where(same >= 2, over * 0.5 ** (same - 1.0), over)
        short = np.where(same <= -2, short * 0.5 ** (-same - 1.0), short)
        with np.errstate(all="ignore"):
            between = a + (b - a) * np.clip(-short / (over - short), 0.02, 0.98)
            needed = np.where(self.growth[index] > 0, -1.05 * short / self.growth[index], np.inf)
        way = np.maximum(np.abs(a - self.estimate[index]), 0.1 * self.stride[index])
        beyond = a + self.side * np.clip(needed, 0.05 * way, 3.0 * way)
        limit = self.limit[index]
        beyond = np.minimum(beyond, limit) if self.side > 0 else np.maximum(beyond, limit)
        return np.where(np.isfinite(b), between, beyond)


def find_ends(questions: Questions, estimate, error, direction, side: int, threshold) -> Ends:
    """Follow every profile to one side (-1 or 1) until its rise is the threshold (Q,), inf for an end that stays open.

    estimate (Q,): coordinate at the optimum; error, direction: of `trace.tangents`.
    """
    search = _Search(questions, estimate, error, direction, side, threshold)
    asked = np.isfinite(threshold)
    at_limit = ~asked | (side * (search.limit - search.inner) <= 1e-12 * (1 + np.abs(search.limit)))
    result, result_x = np.where(at_limit, search.limit, search.inner), search.inner_x.copy()
    closed, rise = np.zeros(len(questions), bool), search.inner_root**2
    active = np.flatnonzero(~at_limit)
    c = search.inner + side * search.stride
    for _ in range(_ROUNDS):
        if not active.size:
            break
        here = c[active]
        point = search.look(active, here)
        root = search.learn(active, here, point)
        goal, limit = search.goal[active], search.limit[active]
        arrived = (root <= goal) & (np.abs(here - limit) <= 1e-12 * (1 + np.abs(limit)))
        near = ~arrived & (np.abs(root - goal) <= _CLOSE * goal)
        bracket = np.abs(search.outer[active] - search.inner[active])
        # The quantity cannot go further, or its profile jumps: the last value inside is the end.
        cliff = ~arrived & ~near & (bracket <= 1e-3 * np.abs(search.outer[active] - search.estimate[active]))
        doubted = np.flatnonzero(near | cliff)
        reopened = doubted[search.verify(active[doubted], np.where(near, here, search.outer[active])[doubted])]
        near[reopened], cliff[reopened] = False, False
        result[active[near]], result_x[active[near]], rise[active[near]] = here[near], point.x[near], point.rise[near]
        edge = active[cliff]
        result[edge], result_x[edge], rise[edge] = (
            search.inner[edge],
            search.inner_x[edge],
            search.inner_root[edge] ** 2,
        )
        end = active[arrived]
        result[end], result_x[end], rise[end] = limit[arrived], point.x[arrived], point.rise[arrived]
        closed[active[near | cliff]] = True
        active = active[~(near | cliff | arrived)]
        c[active] = search.next(active)
    # What has not settled is cut where it was last known to be inside.
    result[active], result_x[active], closed[active] = (
        search.inner[active],
        search.inner_x[active],
        np.isfinite(search.outer[active]),
    )
    return Ends(result, closed, result_x, rise, search.lowest_rise, search.better)
