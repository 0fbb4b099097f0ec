"""The exact least-squares optimum of the universal scalability law, on or off its bounds.

Inside: parameters are (log rate_one, contention, coherence), rates are relative to the largest one,
so that the answer depends neither on the unit nor on the order of the rows.
"""

import itertools

import numpy as np

# Where the slowdown is not positive there is no rate: a residual no data can have, so that the step is refused.
_NO_RATE = 1e6
CONTENTION, COHERENCE = 1, 2


def slowdown(n, contention, coherence):
    """Time of a unit of work on n senders times n, relative to one sender."""
    return 1 + contention * (n - 1) + coherence * n * (n - 1)


def optimum(n, rate, scale, fixed, bounded):
    """Parameters (3,) and residual sum of squares at the global optimum.

    fixed: index -> value of parameters that are held. With `bounded`, contention lies in [0, 1] and coherence
    is at least 0. The optimum of each face of that box is found without bounds, and the best feasible one is
    the answer: a parameter on its bound is on it exactly.
    """
    free, cost = _best(n, rate, scale, fixed)
    if not bounded or _inside(free):
        return free, cost
    sides = {CONTENTION: (None, 0.0, 1.0), COHERENCE: (None, 0.0)}
    open_sides = {index: values for index, values in sides.items() if index not in fixed}
    best = None
    for values in itertools.product(*open_sides.values()):
        held = {index: value for index, value in zip(open_sides, values, strict=True) if value is not None}
        if held:
            found, cost = _best(n, rate, scale, {**fixed, **held})
            if _inside(found) and (best is None or cost < best[1]):
                best = found, cost
    return best


def residuals(parameters, n, rate, scale):
    """Model minus observation, relative to the largest rate or in log units; and its Jacobian (k, 3)."""
    log_one, contention, coherence = parameters
    slow = slowdown(n, contention, coherence)
    possible = slow > 0
    safe = np.where(possible, slow, 1.0)
    jacobian = np.column_stack([np.ones_like(n), -(n - 1) / safe, -n * (n - 1) / safe])
    log_model = log_one + np.log(n / safe)
    if scale == "log":
        difference = log_model - np.log(rate)
    else:
        model = np.exp(np.minimum(log_model, 100.0))
        difference = model - rate
        jacobian = jacobian * model[:, None]
    return np.where(possible, difference, _NO_RATE), np.where(possible[:, None], jacobian, 0.0)


def linear_start(n, rate, scale):
    """Start from n / rate = a + b (n - 1) + c n (n - 1), linear least squares weighted as the residuals are."""
    weight = rate / n if scale == "log" else rate**2 / n
    columns = np.column_stack([np.ones_like(n), n - 1, n * (n - 1)])
    size = np.linalg.norm(columns, axis=0)
    size[size == 0] = 1.0
    solution = np.linalg.lstsq(columns / size * weight[:, None], n / rate * weight, rcond=None)[0] / size
    if solution[0] <= 0:
        return None
    return np.array([-np.log(solution[0]), solution[1] / solution[0], solution[2] / solution[0]])


def _best(n, rate, scale, fixed):
    """Best of several starts without bounds, with `fixed` parameters held."""
    from scipy.optimize import least_squares

    held = np.array([index in fixed for index in range(3)])
    values = np.array([fixed.get(index, 0.0) for index in range(3)])

    def whole(part):
        full = values.copy()
        full[~held] = part
        return full

    if held.all():
        return values, float(np.sum(residuals(values, n, rate, scale)[0] ** 2))
    top = n.max()
    one = float(np.mean(np.log(rate / n)))
    starts = [
        np.array([one, 0.0, 0.0]),
        np.array([np.log(rate[n.argmin()] / n.min()), 0.05, 0.0]),
        np.array([np.log(rate[n.argmin()] / n.min()), 0.5, 0.5 / top]),
    ]
    linear = linear_start(n, rate, scale)
    if linear is not None and (slowdown(n, *linear[1:]) > 0).all():
        starts.insert(0, linear)
    best = None
    for start in starts:
        found = least_squares(
            lambda part: residuals(whole(part), n, rate, scale)[0],
            start[~held],
            jac=lambda part: residuals(whole(part), n, rate, scale)[1][:, ~held],
            method="lm" if len(n) >= (~held).sum() else "trf",
            x_scale="jac",
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
            max_nfev=500,
        )
        if best is None or found.cost < best.cost:
            best = found
    return whole(best.x), 2 * float(best.cost)


def _inside(parameters):
    return 0 <= parameters[CONTENTION] <= 1 and parameters[COHERENCE] >= 0
