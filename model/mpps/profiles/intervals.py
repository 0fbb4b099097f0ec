"""Intervals of parameters and of whatever follows from them, by profile likelihood with Student's t.

The scatter is estimated, so the rise of the profile is compared with t^2 instead of the chi-square: for a linear family
this is the exact interval (the F test of one constraint; Bates and Watts 1988, chapter 6).
"""

from dataclasses import dataclass

import numpy as np

from mpps.profiles.border import thresholds
from mpps.profiles.ends import find_ends
from mpps.profiles.family import Function
from mpps.profiles.fitting import Fitted, restarted
from mpps.profiles.trace import Questions, held_at, scouts, tangents

#: Rounds in which ends near a bound and the thresholds that hold there are brought to agree, and how closely.
_BORDER_ROUNDS = 4
_BORDER_CLOSE = 0.02


@dataclass(frozen=True)
class Interval:
    """One quantity of one table; an end that the data do not close is None. identified: "yes", "one-sided" or "no"."""

    name: str
    unit: str
    median: float
    lower: float | None
    upper: float | None
    identified: str


@dataclass(frozen=True)
class Intervals:
    """Intervals of one quantity for B tables, in its own unit.

    estimate, lower, upper (B,): an open end holds the limit of the quantity (0, 1, inf); lower_closed, upper_closed (B,):
    whether the data close that side.
    """

    name: str
    unit: str
    level: float
    estimate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    lower_closed: np.ndarray
    upper_closed: np.ndarray

    @property
    def identified(self) -> np.ndarray:
        """ "yes", "one-sided" or "no" for each table, (B,)."""
        return np.array(["no", "one-sided", "yes"])[self.lower_closed.astype(int) + self.upper_closed]

    def of(self, table: int = 0) -> Interval:
        """The interval of one table."""
        ends = (
            float(end[table]) if closed[table] else None
            for end, closed in ((self.lower, self.lower_closed), (self.upper, self.upper_closed))
        )
        return Interval(self.name, self.unit, float(self.estimate[table]), *ends, str(self.identified[table]))

    def contains(self, value) -> np.ndarray:
        """Whether each interval holds the value; an open end holds everything on its side, (B,) bool."""
        return (~self.lower_closed | (self.lower <= value)) & (~self.upper_closed | (self.upper >= value))


def intervals(fitted: Fitted, functions, level: float = 0.9, *, calibrated: bool = True) -> tuple[Intervals, ...]:
    """Profile intervals of each function for every table.

    A table whose scatter nothing tells (as many parameters as rows, and no scatter given) has open ends everywhere.
    """
    from scipy.special import stdtrit

    functions = tuple(functions)
    quantile = np.full(len(fitted), np.inf)
    told = fitted.freedom > 0
    quantile[told] = stdtrit(np.minimum(fitted.freedom[told], 1e9), 0.5 + level / 2)
    fitted, estimate, ends = _settled(fitted, functions, quantile**2, level if calibrated else None)
    return tuple(
        _reported(function, level, *(part[number] for part in (estimate, *ends)))
        for number, function in enumerate(functions)
    )


def quantiles(
    fitted: Fitted, functions, levels=(0.05, 0.25, 0.5, 0.75, 0.95), *, calibrated: bool = True
) -> np.ndarray:
    """Ends of one-sided intervals as quantiles, (F, B, L): the estimate at 0.5, an end of the interval around it elsewhere.

    An open end is the limit of its quantity. Rising in the level.
    """
    functions, levels = tuple(functions), np.asarray(levels, float)
    result = np.empty((len(functions), len(fitted), len(levels)))
    for width in np.unique(np.round(np.abs(2 * levels - 1), 12)):
        found = intervals(fitted, functions, max(width, 1e-6), calibrated=calibrated)
        for place in np.flatnonzero(np.isclose(np.abs(2 * levels - 1), width, atol=1e-11)):
            for number, one in enumerate(found):
                side = one.estimate if width == 0 else one.lower if levels[place] < 0.5 else one.upper
                result[number, :, place] = side
    order = np.argsort(levels)
    result[:, :, order] = np.maximum.accumulate(result[:, :, order], axis=2)
    return result


def profile(fitted: Fitted, function: Function, coordinate) -> np.ndarray:
    """Rise of the profile of one function over the optimum at the values coordinate (G,) of its coordinate, (B, G).

    In units of the estimated scatter's square: t^2 is where an interval ends. For a chart.
    """
    grid = np.asarray(coordinate, float)
    tables = len(fitted)
    questions = Questions(fitted, (function,), np.arange(tables), np.zeros(tables, int), scouts(fitted, (function,)))
    everyone = np.arange(tables)
    error, _ = tangents(questions)
    estimate = questions.coordinate(everyone, fitted.x)
    rise = np.empty((tables, len(grid)))
    for chosen in (np.arange(len(grid)), np.arange(len(grid))[::-1]):
        x = fitted.x
        for place in chosen:
            c = np.full(tables, grid[place])
            unit = np.clip(np.abs(c - estimate), 1e-3 * error, np.where(error > 0, error, np.inf))
            unit = np.maximum(unit, 1e-300)
            from_next, from_afar = held_at(questions, everyone, c, unit, x), held_at(questions, everyone, c, unit)
            better = np.where((from_afar.rise < from_next.rise)[:, None], from_afar.x, from_next.x)
            lowest = np.minimum(from_next.rise, from_afar.rise)
            rise[:, place] = lowest if chosen[0] == 0 else np.minimum(rise[:, place], lowest)
            x = better
    return np.maximum(rise, 0.0)


def _settled(fitted, functions, threshold, level, rounds=3):
    """Fit, estimates (F, B) and ends (F, B) each; tables whose profile went below the optimum are done once more."""
    questions, estimate, ends = _both_ends(fitted, functions, threshold, level)
    shape = (len(functions), len(fitted))
    estimate = estimate.reshape(shape)
    parts = [part.reshape(shape) for part in (ends[0].coordinate, ends[1].coordinate, ends[0].closed, ends[1].closed)]
    rise = np.concatenate([end.lowest_rise for end in ends]).reshape(-1, len(fitted))
    poor = np.flatnonzero((rise < -1e-3).any(axis=0))
    if poor.size and rounds:
        x = np.concatenate([end.better for end in ends]).reshape(-1, len(fitted), fitted.family.size)
        better = x[rise[:, poor].argmin(axis=0), poor]
        again, estimate[:, poor], fresh = _settled(
            restarted(fitted.take(poor), better), functions, threshold[poor], level, rounds - 1
        )
        fitted = fitted.put(poor, again)
        for part, new in zip(parts, fresh, strict=True):
            part[:, poor] = new
    return fitted, estimate, parts


def _both_ends(fitted, functions, threshold, level):
    tables = len(fitted)
    questions = Questions(
        fitted,
        functions,
        np.tile(np.arange(tables), len(functions)),
        np.repeat(np.arange(len(functions)), tables),
        scouts(fitted, functions),
    )
    everyone = np.arange(len(questions))
    estimate = questions.coordinate(everyone, fitted.x[questions.table])
    error, direction = tangents(questions)
    plain = threshold[questions.table]
    ends = [find_ends(questions, estimate, error, direction, side, plain) for side in (-1, 1)]
    if level:
        ends = [
            _bordered(questions, estimate, error, direction, side, plain, end, level)
            for side, end in zip((-1, 1), ends)
        ]
    return questions, estimate, ends


def _bordered(questions, estimate, error, direction, side, plain, end, level):
    """The ends once more with the thresholds that hold near bounds: each depends on where the end is.

    The roots of threshold used and threshold wanted are brought together by the secant through the last two rounds.
    """
    root = np.sqrt(np.where(np.isfinite(plain), plain, 1.0))
    # An end that is open at its limit is what any threshold above its rise gives.
    used = np.where(end.closed, root, np.minimum(root, np.sqrt(np.maximum(end.rise, 0.0))))
    before, wanted_before = used.copy(), np.full(len(plain), np.nan)
    asked = np.flatnonzero(np.isfinite(plain) & np.isfinite(end.coordinate))
    for _ in range(_BORDER_ROUNDS):
        wanted = np.sqrt(thresholds(questions, asked, end.x[asked], plain[asked], level))
        change = wanted - used[asked]
        # An open end stays so as long as the profile does not reach the threshold that holds there.
        apart = (np.abs(change) > _BORDER_CLOSE * root[asked]) & (end.closed[asked] | (change < 0))
        asked, wanted = asked[apart], wanted[apart]
        if not asked.size:
            break
        with np.errstate(all="ignore"):
            bend = (wanted - wanted_before[asked]) / (used[asked] - before[asked])
            aim = used[asked] + (wanted - used[asked]) / (1 - bend)
        aim = np.where(np.isfinite(aim) & (bend < 0.9), aim, wanted)
        before[asked], wanted_before[asked] = used[asked], wanted
        used[asked] = np.clip(aim, 0.5 * root[asked], 1.5 * root[asked])
        part = questions.take(asked)
        again = find_ends(part, estimate[asked], error[asked], direction[asked], side, used[asked] ** 2)
        end = end.put(asked, again)
        used[asked] = np.where(again.closed, used[asked], np.minimum(used[asked], np.sqrt(np.maximum(again.rise, 0.0))))
    return end


def _reported(function: Function, level, estimate, low, high, low_closed, high_closed) -> Intervals:
    first, second = function.value(low), function.value(high)
    with np.errstate(invalid="ignore"):
        falling = bool((np.asarray(first) > second).any())
    if falling:
        first, second, low_closed, high_closed = second, first, high_closed, low_closed
    return Intervals(
        function.name, function.unit, level, function.value(estimate), first, second, low_closed, high_closed
    )
