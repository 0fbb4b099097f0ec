"""Profiles: how much worse the best curve gets when a quantity is held at another value.

The quantity is held by one more row, sqrt(stiffness) (coordinate(x) - c) / unit, so that all problems of a batch
(tables x quantities x sides) are bounded least squares and advance together. What a stiff row leaves over is
corrected for to second order, so no digit depends on the stiffness.
For one new measurement the row is the measurement itself, (log rate(x) - c) / scatter: in a linear family the rise is
then (c - estimate)^2 / (scatter^2 (1 + leverage)), whose root is Student's t, exactly.
"""

from dataclasses import dataclass, replace

import numpy as np

from mpps.profiles.descent import descend, slopes
from mpps.profiles.family import Function
from mpps.profiles.fitting import Fitted
from mpps.profiles.starts import Pool, pool

#: Weight of the constraint row, in units of the rise of the profile: large enough to bind, small enough to solve.
_STIFFNESS = 1e3
#: Steps of one point of a profile: where a curved valley asks for more, the next points go on from there.
_STEPS = 40


@dataclass(frozen=True)
class Scouts:
    """Points all over the family, to look for a better curve than the one that a profile was followed to.

    pool: curves against the tables; coordinate, lean (F, M): each function there, and its slope in the scale.
    """

    pool: Pool
    coordinate: np.ndarray
    lean: np.ndarray


@dataclass(frozen=True)
class Questions:
    """Q questions: quantity `which` (Q,) of table `table` (Q,), and the fits and quantities they are about."""

    fitted: Fitted
    functions: tuple[Function, ...]
    table: np.ndarray
    which: np.ndarray
    scouts: Scouts | None = None

    def __len__(self) -> int:
        return len(self.table)

    def take(self, index) -> "Questions":
        """Some of the questions."""
        return replace(self, table=self.table[index], which=self.which[index])

    def coordinate(self, index, x) -> np.ndarray:
        """The quantity that each question of `index` (A,) asks for, at x (A, p): (A,)."""
        which = self.which[index]
        result = np.empty(len(which))
        for number in np.unique(which):
            here = which == number
            result[here] = self.functions[number].coordinate(x[here])
        return result

    @property
    def measured(self) -> np.ndarray:
        """Whether a question asks for a new measurement, (Q,)."""
        return np.array([function.measured for function in self.functions])[self.which]

    @property
    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest coordinate of each question, (Q,) each."""
        pairs = np.array([(function.lowest, function.highest) for function in self.functions])[self.which]
        return pairs[:, 0], pairs[:, 1]


@dataclass(frozen=True)
class Point:
    """Profiles at one value of each question: rise (A,) over the optimum; x (A, p) there; squares (A,) of the residuals."""

    rise: np.ndarray
    x: np.ndarray


def held_at(questions: Questions, index, c, unit, start=None) -> Point:
    """The best curves on which the quantities of questions `index` (A,) are c (A,), from start (A, p) or from a scout.

    unit (A,): change of the coordinate that about one unit of the rise's root allows.
    """
    fitted = questions.fitted
    table = questions.table[index]
    spread = fitted.spread[table]
    measured = questions.measured[index]
    pull = np.where(measured, 1 / spread, np.sqrt(_STIFFNESS) / unit)
    lower, upper = fitted.box(len(index))
    start = scouted(questions, index, c, pull) if start is None else start

    def residual(at, x):
        rows = fitted.residual(table[at], x, spread[at])
        held = pull[at] * (questions.coordinate(index[at], x) - c[at])
        return np.column_stack([rows, held])

    found = descend(
        residual, start, lower, upper, fitted.step[table], unit=1 / spread, tolerance=1e-7, floor=1e-7, max_steps=_STEPS
    )
    excess = found.residual[:, -1] ** 2
    base = best(fitted)[table]
    return Point(found.cost - base + np.where(measured, 0.0, excess), found.x)


def scouts(fitted: Fitted, functions) -> Scouts:
    """Scouts of all functions; a coordinate that is not finite somewhere is never chosen there."""
    found = pool(fitted.family, fitted.n, fitted.log_rate, fitted.weight)
    shifted = found.x.copy()
    if fitted.family.scale is not None:
        shifted[:, fitted.family.scale] += 1.0
    with np.errstate(all="ignore"):
        here = np.array([function.coordinate(found.x) for function in functions])
        lean = np.array([function.coordinate(shifted) for function in functions]) - here
    lost = ~(np.isfinite(here) & np.isfinite(lean))
    return Scouts(found, np.where(lost, 1e150, here), np.where(lost, 0.0, lean))


def scouted(questions: Questions, index, c, pull) -> np.ndarray:
    """For each question of `index` the scout nearest to its table with its quantity nearest to c, (A, p)."""
    chosen = np.empty(len(index), int)
    found, fitted = questions.scouts.pool, questions.fitted
    for first in range(0, len(index), 2000):
        part = slice(first, first + 2000)
        table, which = questions.table[index[part]], questions.which[index[part]]
        away = questions.scouts.coordinate[which] + questions.scouts.lean[which] * found.level[table] - c[part, None]
        cost = found.squares[table] / fitted.spread[table, None] ** 2 + (pull[part, None] * away) ** 2
        chosen[part] = cost.argmin(axis=1)
    x = found.x[chosen]
    if fitted.family.scale is not None:
        x[:, fitted.family.scale] += found.level[questions.table[index], chosen]
    return x


def best(fitted: Fitted) -> np.ndarray:
    """Cost of the optimum, rows and priors, in units of the scatter, (B,)."""
    everyone = np.arange(len(fitted))
    rows = fitted.residual(everyone, fitted.x, fitted.spread)
    return np.einsum("br,br->b", rows, rows)


def tangents(questions: Questions) -> tuple[np.ndarray, np.ndarray]:
    """Standard error of each quantity, (Q,), and how the coordinates move with it along the profile, (Q, p).

    From the slopes at the optimum, as if no bound were near: what a bound holds there may be let go further on.
    """
    fitted, size = questions.fitted, questions.fitted.family.size
    slope = fitted.slope()
    normal = np.einsum("brp,brq->bpq", slope, slope)
    scale = 1 / np.sqrt(np.maximum(np.einsum("bpp->bp", normal), 1e-12))
    normal = normal * scale[:, :, None] * scale[:, None, :]
    # A trace of the diagonal keeps directions that the rows do not see finite.
    normal = normal + 1e-9 * np.eye(size)
    gradient = gradients(questions, np.arange(len(questions)), fitted.x[questions.table])
    table = questions.table
    right = gradient * scale[table]
    moved = np.linalg.solve(normal[table], right[:, :, None])[:, :, 0]
    variance = np.einsum("qp,qp->q", right, moved)
    direction = moved * scale[table] / np.maximum(variance, 1e-300)[:, None]
    return np.sqrt(np.maximum(variance, 0.0)), np.where(variance[:, None] > 0, direction, 0.0)


def gradients(questions: Questions, index, x) -> np.ndarray:
    """Slopes of the quantities in the coordinates at x (A, p), (A, p)."""
    fitted = questions.fitted
    lower, upper = fitted.box(len(index))
    step = fitted.step[questions.table[index]]
    call = lambda at, here: questions.coordinate(index[at], here)[:, None]
    everyone = np.arange(len(index))
    return slopes(call, everyone, x, call(everyone, x), lower, upper, step)[:, 0]
