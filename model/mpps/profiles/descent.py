"""Bounded damped least squares for problems that differ in more than their target.

`mpps.leastsquares.minimise` is for problems that share one model. Here every problem may have a row of its own (the
constraint that a profile imposes), so the residual is told which problems it is asked about; a step that meets a bound
is solved again along the bound, which a stiff constraint row needs; and difference steps follow the slope, so that
coordinates need no common scale.
Method: Levenberg 1944 and Marquardt 1963; bounds as an active set (Nocedal and Wright 2006, chapter 16).
"""

from dataclasses import dataclass

import numpy as np

#: Change of the steepest residual row that a difference step aims at, in units of the row.
_CHANGE = 1e-6


@dataclass(frozen=True)
class Descent:
    """Where each of B problems ended: x (B, p); residual (B, r); cost (B,), its squared sum; converged (B,) bool."""

    x: np.ndarray
    residual: np.ndarray
    cost: np.ndarray
    converged: np.ndarray


def descend(residual, x, lower, upper, step, *, unit=1.0, tolerance=1e-9, floor=0.0, max_steps=60) -> Descent:
    """Minimise the squared sum of `residual` for B problems inside lower <= x <= upper.

    residual: (index (A,), x (A, p)) -> (A, r), rows of the problems named by index; x, lower, upper (B, p);
    step (B, p): first difference steps; unit (B,): what a row counts for a change of 1 in the curve. A problem has converged when a step promises, or brings, less than
    tolerance * cost + floor. A residual that is not finite counts as infinitely bad; at a start it raises ValueError.
    """
    x = np.clip(np.array(x, float), lower, upper)
    step = np.array(np.broadcast_to(step, x.shape), float)
    count, size = x.shape
    unit = np.broadcast_to(np.asarray(unit, float), (count,))
    rows = residual(np.arange(count), x)
    if not np.isfinite(rows).all():
        raise ValueError("the residual is not finite at a start")
    cost = np.einsum("br,br->b", rows, rows)
    damping = np.full(count, 1e-4)
    converged = np.zeros(count, bool)
    active = np.arange(count)
    for _ in range(max_steps if size else 0):
        if not active.size:
            break
        slope = slopes(residual, active, x[active], rows[active], lower[active], upper[active], step[active])
        step[active] = _next_step(slope, step[active], unit[active])
        gradient = np.einsum("arp,ar->ap", slope, rows[active])
        normal = np.einsum("arp,arq->apq", slope, slope)
        move = bounded_step(normal, gradient, lower[active] - x[active], upper[active] - x[active], damping[active])
        promised = -2 * np.einsum("ap,ap->a", gradient, move) - np.einsum("ap,apq,aq->a", move, normal, move)
        enough = tolerance * cost[active] + floor + 1e-28
        idle = promised <= enough
        converged[active[idle]] = True
        trying = ~idle
        active, move, enough = active[trying], move[trying], enough[trying]
        if not active.size:
            break
        trial = np.clip(x[active] + move, lower[active], upper[active])
        with np.errstate(all="ignore"):
            trial_rows = residual(active, trial)
            trial_cost = np.einsum("ar,ar->a", trial_rows, trial_rows)
        trial_cost = np.where(np.isfinite(trial_cost), trial_cost, np.inf)
        better = trial_cost < cost[active]
        small = np.abs(cost[active] - trial_cost) <= enough
        winners = active[better]
        x[winners], rows[winners], cost[winners] = trial[better], trial_rows[better], trial_cost[better]
        damping[active] = np.where(better, np.maximum(damping[active] * 0.1, 1e-12), damping[active] * 8.0)
        converged[active[small]] = True
        # No step however short leads anywhere better: given up, not converged.
        active = active[~small & (damping[active] <= 1e9)]
    return Descent(x, rows, cost, converged)


def slopes(residual, index, x, rows, lower, upper, step) -> np.ndarray:
    """One-sided differences of the rows, (A, r, p): away from a near bound, and from where they are not finite."""
    members, size = x.shape
    sign = np.where(x + step > upper, -1.0, 1.0)
    columns = np.arange(size)
    everyone = np.repeat(index, size)

    def moved(sign):
        away = np.repeat(x[:, None, :], size, axis=1)
        away[:, columns, columns] += sign * step
        return residual(everyone, away.reshape(-1, size)).reshape(members, size, -1)

    with np.errstate(all="ignore"):
        ahead = moved(sign)
        lost = ~np.isfinite(ahead).all(axis=2)
        if lost.any():
            sign = np.where(lost, -sign, sign)
            ahead = np.where(lost[:, :, None], moved(sign), ahead)
        slope = (ahead - rows[:, None, :]) / (sign * step)[:, :, None]
    return np.swapaxes(np.where(np.isfinite(slope), slope, 0.0), 1, 2)


def _next_step(slope, step, unit):
    """Steps under which the steepest row moves by `_CHANGE` of its unit, never far from the last ones."""
    steepest = np.maximum(np.abs(slope).max(axis=1), 1e-300)
    return np.clip(_CHANGE * unit[:, None] / steepest, step / 30, step * 30).clip(1e-13, 1e-3)


def bounded_step(normal, gradient, low, high, damping) -> np.ndarray:
    """Minimise gradient d + d normal d / 2 with damped diagonal inside low <= d <= high, (A, p).

    Parameters that leave the box are put on its side, and the others are solved again, at most p times.
    """
    members, size = gradient.shape
    diagonal = np.arange(size)
    damped = normal.copy()
    largest = normal[:, diagonal, diagonal]
    floor = 1e-14 * largest.max(axis=1, keepdims=True) + 1e-300
    damped[:, diagonal, diagonal] += damping[:, None] * np.maximum(largest, floor) + floor
    held = ((low >= 0) & (gradient > 0)) | ((high <= 0) & (gradient < 0))
    move = np.zeros_like(gradient)
    # Scaled to a unit diagonal: coordinates of very different size are solved to the same number of digits.
    scale = 1 / np.sqrt(damped[:, diagonal, diagonal])
    for _ in range(size + 1):
        free = ~held
        right = -(gradient + np.einsum("apq,aq->ap", damped, np.where(held, move, 0.0)))
        matrix = damped * scale[:, :, None] * scale[:, None, :] * (free[:, :, None] & free[:, None, :])
        matrix[:, diagonal, diagonal] += held
        solved = np.linalg.solve(matrix, (right * scale * free)[:, :, None])[:, :, 0] * scale
        move = np.where(held, move, solved)
        out = free & ((move < low) | (move > high))
        if not out.any():
            break
        move = np.clip(move, low, high)
        held |= out
    return np.clip(move, low, high)
