"""Bounded damped least squares for many problems at once.

Starts, bootstrap replicates, hold-outs and profile points of one model differ only in their target,
their weights, or a fixed parameter, so they advance together: one batched call of the model gives the
Jacobian of all of them, and members that have converged drop out.
Method: Levenberg 1944 and Marquardt 1963, with the active-set treatment of bounds of
Kanzow, Yamashita and Fukushima 2004 (projected step, gradient-blocked parameters held).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Optimum:
    """Where each of B problems ended.

    parameters (B, p); residual (B, r), weighted; cost (B,) = sum of squared residuals;
    converged (B,) bool; at_lower and at_upper (B, p) bool; steps, the largest number of steps taken.
    """

    parameters: np.ndarray
    residual: np.ndarray
    cost: np.ndarray
    converged: np.ndarray
    at_lower: np.ndarray
    at_upper: np.ndarray
    steps: int


def minimise(
    model,
    target,
    starts,
    lower,
    upper,
    *,
    weight=1.0,
    fixed=None,
    max_steps: int = 120,
    tolerance: float = 1e-9,
    difference: float = 1e-6,
) -> Optimum:
    """Minimise sum(weight * (model(x) - target)**2) for B problems inside lower <= x <= upper.

    model: (A, p) -> (A, r) for any A; target and weight broadcast to (B, r), weight 0 leaves a point out;
    starts (B, p); lower and upper broadcast to (B, p); fixed (B, p) bool holds a parameter at its start.
    A problem has converged when a step, accepted or not, changes its cost by less than `tolerance` of it.
    A model value that is not finite counts as an infinitely bad step; a start that is not finite raises ValueError,
    as does a target that is not finite where the weight is not 0.
    """
    x = np.array(starts, dtype=float, ndmin=2)
    count, size = x.shape
    lower = np.broadcast_to(np.asarray(lower, float), (count, size))
    upper = np.broadcast_to(np.asarray(upper, float), (count, size))
    held = np.zeros((count, size), bool) if fixed is None else np.broadcast_to(fixed, (count, size))
    x = np.where(held, x, np.clip(x, lower, upper))
    value = model(x)
    if not np.isfinite(value).all():
        raise ValueError("the model is not finite at a start")
    target = np.broadcast_to(np.asarray(target, float), value.shape)
    root_weight = np.broadcast_to(np.sqrt(np.asarray(weight, float)), value.shape)
    target = np.where(root_weight > 0, target, 0.0)
    if not np.isfinite(target).all():
        raise ValueError("a target that counts is not finite")
    residual = root_weight * (value - target)
    cost = np.einsum("br,br->b", residual, residual)
    damping = np.full(count, 1e-2)
    converged = np.zeros(count, bool)
    active = np.arange(count)
    steps = 0
    while active.size and steps < max_steps:
        steps += 1
        here = x[active]
        jacobian = _jacobian(
            model, here, residual[active], root_weight[active], target[active], upper[active], difference
        )
        gradient = np.einsum("brp,br->bp", jacobian, residual[active])
        free = ~(held[active] | ((here <= lower[active]) & (gradient > 0)) | ((here >= upper[active]) & (gradient < 0)))
        step = _step(jacobian, gradient, free, damping[active])
        trial = np.where(held[active], here, np.clip(here + step, lower[active], upper[active]))
        with np.errstate(all="ignore"):
            trial_residual = root_weight[active] * (model(trial) - target[active])
            trial_cost = np.einsum("br,br->b", trial_residual, trial_residual)
        trial_cost = np.where(np.isfinite(trial_cost), trial_cost, np.inf)
        better = trial_cost < cost[active]
        small = np.abs(cost[active] - trial_cost) <= tolerance * cost[active] + 1e-28
        winners = active[better]
        x[winners], residual[winners], cost[winners] = trial[better], trial_residual[better], trial_cost[better]
        damping[active] = np.where(better, np.maximum(damping[active] * 0.2, 1e-12), damping[active] * 5.0)
        done = small | ~free.any(axis=1)
        converged[active[done]] = True
        # No step however short leads anywhere finite: given up, not converged.
        stuck = damping[active] > 1e9
        active = active[~(done | stuck)]
    width = np.where(np.isfinite(upper - lower), upper - lower, 0.0)
    edge = 1e-9 * width
    return Optimum(x, residual, cost, converged, x <= lower + edge, x >= upper - edge, steps)


def _jacobian(model, x, residual, root_weight, target, upper, difference):
    """Forward differences, backward at the upper bound and where forward is not finite: (A, r, p) from one call with A p members."""
    members, size = x.shape
    sign = np.where(x + difference > upper, -1.0, 1.0)
    index = np.arange(size)

    def shifted(sign):
        moved = np.repeat(x[:, None, :], size, axis=1)
        moved[:, index, index] += sign * difference
        value = model(moved.reshape(-1, size)).reshape(members, size, -1)
        return root_weight[:, None, :] * (value - target[:, None, :])

    with np.errstate(all="ignore"):
        ahead = shifted(sign)
        lost = ~np.isfinite(ahead).all(axis=2)
        if lost.any():
            sign = np.where(lost, -sign, sign)
            ahead = np.where(lost[:, :, None], shifted(sign), ahead)
    slope = (ahead - residual[:, None, :]) / (sign * difference)[:, :, None]
    # A parameter whose both sides are not finite does not move in this step.
    return np.swapaxes(np.where(np.isfinite(slope), slope, 0.0), 1, 2)


def _step(jacobian, gradient, free, damping):
    normal = np.einsum("brp,brq->bpq", jacobian, jacobian)
    normal = normal * (free[:, :, None] & free[:, None, :])
    index = np.arange(normal.shape[1])
    scale = np.maximum(normal[:, index, index], 1e-10)
    normal[:, index, index] += damping[:, None] * scale + ~free
    return -np.linalg.solve(normal, (gradient * free)[:, :, None])[:, :, 0]
