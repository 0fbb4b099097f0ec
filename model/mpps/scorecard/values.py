"""Figures of what a fit found: parameters, the work of a packet, and what rounding of the prints alone leaves."""

import itertools

import numpy as np

from mpps.fit import solve
from mpps.path import CEILING, demands
from mpps.scorecard.fits import full_fit
from mpps.text import interval as words
from mpps.uncertainty import interval

#: Tables of at most this many rows say what rounding alone leaves of a parameter.
_FEW_ROWS = 8


def _parameter(path, check, seed):
    fitted = full_fit(path, check, seed)
    one = fitted.best
    found = interval(one.problem, one.solved, one.scale, check.about)
    note = one.mechanism.name if len(fitted.mechanisms) > 1 or check.mechanisms else ""
    if len(fitted.points.n) <= _FEW_ROWS:
        low, high = _rounding_alone(one.problem, one.solved, check.about)
        note += f"; rounding of the prints alone: {words(None, low, high)} {found.unit}"
    return {
        "value": found.median,
        "lower": found.lower,
        "upper": found.upper,
        "unit": found.unit,
        "note": note.removeprefix("; "),
    }


def _rounding_alone(problem, solved, name) -> tuple[float, float]:
    """Ends of a parameter while every printed value runs over what its rounding allows, all else held: corners of a box."""
    rounding = problem.points.rounding
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(rounding))))
    target = np.repeat(problem.target[None, :], len(signs), axis=0)
    target[:, : len(rounding)] += signs * rounding
    found = solve(problem, target=target, start=solved.x[0], starts=0, offset=solved.offset, rounds=0)
    values = np.exp(found.x[:, problem.names.index(name)])
    return float(values.min()), float(values.max())


def _cost(path, check, seed):
    work, _ = _work_ns(path, check, seed)
    lower, median, upper = np.quantile(work, (0.05, 0.5, 0.95))
    note = "all cores together, without waiting" if check.rows[0][1] > 1 else ""
    if path.packet_bytes:
        note = f"{path.packet_bytes:g} bytes; {note}".removesuffix("; ")
    return {"value": float(median), "lower": float(lower), "upper": float(upper), "unit": "ns", "note": note}


def _budget(path, check, seed):
    lower, median, upper = np.quantile(np.multiply(*_work_ns(path, check, seed)), (0.05, 0.5, 0.95))
    return {"value": float(median), "lower": float(lower), "upper": float(upper), "unit": "budgets"}


def _work_ns(path, check, seed) -> tuple[np.ndarray, np.ndarray]:
    """Work of one packet of the check's row without any waiting, all cores together, ns, and packets per ns of the
    ceiling that the check is about (0 without): both (K,) over the members."""
    fitted = full_fit(path, check, seed)
    (name, count), found = check.rows[0], []
    for one in fitted.kept:
        parts, packets = demands(fitted.path, path.variant(name), one.mechanism, one.member_values, np.array([count]))
        work = sum(part.amount for part in parts if part.resource != CEILING) / packets
        ceiling = sum(part.amount for part in parts if part.stage.name == check.about) * 1e-9
        found.append([np.broadcast_to(each, (len(one.members), 1))[:, 0] for each in (work, ceiling)])
    return tuple(np.concatenate(each) for each in zip(*found, strict=True))


#: Kind of check -> its figure.
KINDS = {"parameter": _parameter, "cost": _cost, "budget": _budget}
