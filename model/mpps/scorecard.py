"""The scorecard: for each code path, the figures by which its fit is to be judged, beside their goals.

A path declares its `checks`; one without gets the parameters that its table decides. Kinds of checks:

    fit                relative RMS of all rows of the joint fit, with the USL per series beside it
    leave one out      relative RMS of rows that are predicted from all others, with the USL beside it
    leave variant out  relative RMS of a variant (rows) that is predicted from the others
    held out           relative RMS of rows that a fit did not see: `rows`, or more (`unseen`)
    median of held out, largest of held out: the median, or the largest, absolute relative error of such rows
    inside             share of held-out rows inside their 90 % interval
    order              share of pairs that the fit puts in order: rows come in pairs, the slower one first
    parameter          value of the parameter `about`, its interval, and what rounding of the prints alone leaves
    cost               work of one packet of `rows`, all cores together, without any waiting
    budget             that work as a share of the time that 64-byte frames leave on a link of `about` Gbit/s

Errors are those of predicted/observed - 1.
"""

import itertools
from dataclasses import dataclass, replace

import numpy as np

from mpps import compare
from mpps.baseline import fit_usl_batch
from mpps.compare import Fit, relative_rms
from mpps.fit import solve
from mpps.keep import kept
from mpps.laws import budget_ns, usl
from mpps.path import CEILING, Check, CodePath, demands, pinned
from mpps.predict import predict
from mpps.text import interval as words
from mpps.uncertainty import interval
from mpps.units import to_rate_pps

#: Code that a figure depends on beside its fit.
_MODULES = ("scorecard.py", "predict.py", "transfer.py", "explain/*.py", "baseline/*.py", "laws_generated.py", "machine/*.py", "text.py", "units.py")
#: Tables of at most this many rows say what rounding alone leaves of a parameter.
_FEW_ROWS = 8


@dataclass(frozen=True)
class Figure:
    """One computed figure. `unit` is "" for errors and shares (fractions); lower and upper where it has an interval.

    met: whether it reaches the goal of its check, None without goal; usl: the same figure of the baseline;
    note: what belongs to the figure in words (rows, parameters, what rounding leaves).
    """

    path: str
    check: Check
    value: float
    lower: float | None = None
    upper: float | None = None
    unit: str = ""
    usl: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached: a share at least, an error at most."""
        if self.check.goal is None:
            return None
        return self.value >= self.check.goal if self.check.kind in _SHARES else self.value <= self.check.goal


_SHARES = ("inside", "order")


def scorecard(path: CodePath, *, seed: int = 1) -> list[Figure]:
    """All figures of a path, in the order of its checks. Hold-outs take tens of seconds the first time, then are kept."""
    found = []
    for check in path.checks or _default_checks(path, seed):
        fitted = compare.fit(path, check.scope, seed=seed)
        numbers = kept("scorecard", fitted, _MODULES, lambda c=check: _KINDS[c.kind](path, c, seed), about=check)
        found.append(Figure(path.slug, check, **numbers))
    return found


def _default_checks(path: CodePath, seed: int) -> list[Check]:
    """A path without checks is shown by the parameters that no prior gives, of its most probable mechanism."""
    scope = path.scopes[-1].name
    best = compare.fit(path, scope, seed=seed).best
    return [Check(p.meaning, "parameter", scope, about=p.name) for p in best.problem.parameters if p.prior is None]


def _full(path: CodePath, check: Check, seed: int) -> Fit:
    """The joint fit that a check is about, with its pins and its choice of mechanisms, all rows seen."""
    return compare.fit(_asked(path, check), check.scope, seed=seed)


def _asked(path: CodePath, check: Check) -> CodePath:
    if check.mechanisms:
        path = replace(path, mechanisms=tuple(one for one in path.mechanisms if one.name in check.mechanisms))
    return pinned(path, **dict(check.pins)) if check.pins else path


def _fit(path, check, seed):
    fitted = _full(path, check, seed)
    most = max(len(one.problem.parameters) for one in fitted.kept)
    rows = len(fitted.points.n)
    return {
        "value": relative_rms(fitted.fitted - fitted.points.value),
        "usl": _usl_error(fitted, leave_out=False),
        "note": f"{rows} points, {most} parameters",
    }


def _leave_one_out(path, check, seed):
    fitted = _full(path, check, seed)
    folds = compare.hold_out(fitted, compare.leave_one_out(fitted.points))
    errors = np.concatenate([fold.predicted - fold.observed for fold in folds.values()])
    return {"value": relative_rms(errors), "usl": _usl_error(fitted, leave_out=True), "note": f"{len(errors)} points, each from the others"}


def _leave_variant_out(path, check, seed):
    fitted = _full(path, check, seed)
    folds = {name: compare.rows_of(fitted.points, [(name, count)]) for name, count in check.rows}
    folds = compare.hold_out(fitted, folds)
    errors = np.concatenate([fold.predicted - fold.observed for fold in folds.values()])
    return {"value": relative_rms(errors), "note": f"{len(errors)} points"}


def _held_out(path, check, seed):
    """Predictions and observations of the rows that a check is about, from a fit that did not see them."""
    asked = _asked(path, check)
    fitted = compare.fit(asked, check.scope, held_out=check.unseen or check.rows, seed=seed)
    points = compare.fit(path, check.scope, seed=seed).points
    mask = compare.rows_of(points, check.rows) & ~points.busy
    ends, seen = [], []
    for index, variant in enumerate(points.variants):
        rows = np.flatnonzero(mask & (points.variant == index))
        if rows.size:
            forecast = predict(asked, points.n[rows].astype(int), variant=variant, fitted=fitted, seed=seed)
            ends.append(_pps(forecast, path))
            seen.append(np.exp(points.value[rows]))
    return np.concatenate(ends, axis=1)[[0, 2, 4]], np.concatenate(seen)


def _pps(forecast, path) -> np.ndarray:
    """Quantiles of a forecast in packets/s, (5, P); those of a table of times are that already."""
    if forecast.unit == "ns/element":
        return forecast.quantiles
    return to_rate_pps(forecast.quantiles, forecast.unit, path.packet_bytes)


def _rms(path, check, seed):
    (_, median, _), seen = _held_out(path, check, seed)
    return {"value": relative_rms(np.log(median / seen)), "note": f"{len(seen)} points"}


def _median(path, check, seed):
    (low, median, high), seen = _held_out(path, check, seed)
    hit = int(((low <= seen) & (seen <= high)).sum())
    return {"value": float(np.median(np.abs(median / seen - 1))), "note": f"{len(seen)} points, {hit} of them inside the 90 % interval"}


def _largest(path, check, seed):
    (_, median, _), seen = _held_out(path, check, seed)
    return {"value": float(np.abs(median / seen - 1).max()), "note": f"{len(seen)} points"}


def _inside(path, check, seed):
    (low, _, high), seen = _held_out(path, check, seed)
    hit = int(((low <= seen) & (seen <= high)).sum())
    width = float(np.median(high / low))
    return {"value": hit / len(seen), "note": f"{hit} of {len(seen)} points; the upper end is {width:.1f} times the lower one"}


def _order(path, check, seed):
    fitted = _full(path, check, seed)
    rates = [float(fitted.fitted[compare.rows_of(fitted.points, [row])][0]) for row in check.rows]
    right = [slower < faster for slower, faster in zip(rates[::2], rates[1::2], strict=True)]
    return {"value": sum(right) / len(right), "note": f"{sum(right)} of {len(right)} pairs"}


def _parameter(path, check, seed):
    fitted = _full(path, check, seed)
    one = fitted.best
    found = interval(one.problem, one.solved, one.scale, check.about)
    note = one.mechanism.name if len(fitted.mechanisms) > 1 or check.mechanisms else ""
    if len(fitted.points.n) <= _FEW_ROWS:
        low, high = _rounding_alone(one.problem, one.solved, check.about)
        note += f"; rounding of the prints alone: {words(None, low, high)} {found.unit}"
    return {"value": found.median, "lower": found.lower, "upper": found.upper, "unit": found.unit, "note": note.removeprefix("; ")}


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
    work = np.concatenate(_work_ns(path, check, seed))
    lower, median, upper = np.quantile(work, (0.05, 0.5, 0.95))
    return {"value": float(median), "lower": float(lower), "upper": float(upper), "unit": "ns"}


def _budget(path, check, seed):
    share = np.concatenate(_work_ns(path, check, seed)) / float(budget_ns(float(check.about) * 1e9))
    lower, median, upper = np.quantile(share, (0.05, 0.5, 0.95))
    return {"value": float(median), "lower": float(lower), "upper": float(upper)}


def _work_ns(path, check, seed) -> list[np.ndarray]:
    """Work of one packet of the check's row without any waiting, all cores together, over the members: (K,) each."""
    fitted = _full(path, check, seed)
    (name, count), found = check.rows[0], []
    for one in fitted.kept:
        parts, packets = demands(fitted.path, path.variant(name), one.mechanism, one.member_values, np.array([count or 1]))
        work = sum(part.amount for part in parts if part.resource != CEILING) / packets
        found.append(np.broadcast_to(work, (len(one.members), 1))[:, 0])
    return found


def _usl_error(fitted: Fit, *, leave_out: bool) -> float | None:
    """Relative RMS of the universal scalability law, fitted to each series alone; None where a series is too short."""
    points, errors = fitted.points, []
    for index in range(len(points.variants)):
        rows = (points.variant == index) & ~points.busy
        n, value = points.n[rows], points.value[rows]
        if not rows.any():
            continue
        if len(np.unique(n)) < 3 + leave_out:
            return None
        weight = 1.0 - np.eye(len(n)) if leave_out else np.ones((1, len(n)))
        fits = fit_usl_batch(n, np.broadcast_to(value, weight.shape), weight)
        predicted = np.log(usl(n, *(fits[:, k : k + 1] for k in range(3))))
        errors.append(np.diagonal(predicted) - value if leave_out else predicted[0] - value)
    return relative_rms(np.concatenate(errors)) if errors else None


_KINDS = {
    "fit": _fit,
    "leave one out": _leave_one_out,
    "leave variant out": _leave_variant_out,
    "held out": _rms,
    "median of held out": _median,
    "largest of held out": _largest,
    "inside": _inside,
    "order": _order,
    "parameter": _parameter,
    "cost": _cost,
    "budget": _budget,
}
