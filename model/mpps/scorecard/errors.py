"""Figures of how well a fit holds: on the rows it saw, on rows it did not see, and the baseline beside it."""

import numpy as np

from mpps import compare, heldout
from mpps.baseline import fit_usl_batch
from mpps.compare import Fit, relative_rms
from mpps.laws import usl
from mpps.predict import predict
from mpps.scorecard.fits import asked_of, full_fit
from mpps.units import to_rate_pps


def _fit(path, check, seed):
    fitted = full_fit(path, check, seed)
    most = max(len(one.problem.parameters) for one in fitted.kept)
    rows = len(fitted.points.n)
    return {
        "value": relative_rms(fitted.fitted - fitted.points.value),
        "usl": _usl_error(fitted, leave_out=False),
        "note": f"{rows} points, {most} parameters",
    }


def _leave_one_out(path, check, seed):
    fitted = full_fit(path, check, seed)
    errors = [row["averaged"] for row in heldout.rows_of(fitted, heldout.ONE)]
    return {
        "value": relative_rms(errors),
        "usl": _usl_error(fitted, leave_out=True),
        "note": f"{len(errors)} points, each from the others",
    }


def _leave_variant_out(path, check, seed):
    fitted = full_fit(path, check, seed)
    wanted = {name for name, _ in check.rows}
    errors = [row["averaged"] for row in heldout.rows_of(fitted, heldout.VARIANT) if row["variant"] in wanted]
    return {"value": relative_rms(errors), "note": f"{len(errors)} points"}


def _held_out(path, check, seed):
    """Predictions and observations of the rows that a check is about, from a fit that did not see them."""
    asked = asked_of(path, check)
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
    return {
        "value": float(np.median(np.abs(median / seen - 1))),
        "note": f"{len(seen)} points, {hit} of them inside the 90 % interval",
    }


def _largest(path, check, seed):
    (_, median, _), seen = _held_out(path, check, seed)
    return {"value": float(np.abs(median / seen - 1).max()), "note": f"{len(seen)} points"}


def _inside(path, check, seed):
    (low, _, high), seen = _held_out(path, check, seed)
    hit = int(((low <= seen) & (seen <= high)).sum())
    width = float(np.median(high / low))
    return {
        "value": hit / len(seen),
        "note": f"{hit} of {len(seen)} points; the upper end is {width:.1f} times the lower one",
    }


def _order(path, check, seed):
    fitted = full_fit(path, check, seed)
    rates = [float(fitted.fitted[compare.rows_of(fitted.points, [row])][0]) for row in check.rows]
    right = [slower < faster for slower, faster in zip(rates[::2], rates[1::2], strict=True)]
    return {"value": sum(right) / len(right), "note": f"{sum(right)} of {len(right)} pairs"}


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


#: Kind of check -> its figure.
KINDS = {
    "fit": _fit,
    "leave one out": _leave_one_out,
    "leave variant out": _leave_variant_out,
    "held out": _rms,
    "median of held out": _median,
    "largest of held out": _largest,
    "inside": _inside,
    "order": _order,
}
