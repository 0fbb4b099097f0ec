"""What the mechanisms of a code path do not know: drift away from the data, variants that nobody measured, bottlenecks
that no table shows. `mpps.discrepancy` has the processes, `mpps.table.prior` what published tables taught of them.
"""

import numpy as np

from mpps.compare import TEMPER, Fit
from mpps.discrepancy import DRIFTS, clock, contended_share, falls, log_likelihoods
from mpps.machine import Assumption
from mpps.path import CEILING, Variant
from mpps.table.prior import calibrated_sources, learnt_prior

DISCREPANCY = Assumption(
    "structural error per doubling of cores away from the only measured count",
    0.08,
    0.04,
    0.16,
    "relative",
    "one count says nothing of how the rate scales",
)
UNMEASURED_VARIANT = Assumption(
    "structural error of a variant that nobody measured",
    0.05,
    0.02,
    0.10,
    "relative",
    "what leaving one variant out costs on the tables at hand",
)

#: Name of the assumption on how a rate drifts.
DRIFT = "drift of the rate from any model for each doubling between measured counts"


def structural_spread(fitted: Fit, variant: Variant, n):
    """Structural standard deviations: at each n (P,), and of the variant; and the assumptions they rest on.

    A variant that differs from a measured one in its ceilings alone is as sure as that one. Away from the measured
    counts the rate drifts as the curves of published tables do; a variant of one count has an assumed error instead.
    """
    counts = measured_counts(fitted, variant)
    work = lambda known: {name for name in known.stages if fitted.path.stage(name).on != CEILING}
    alike = any(work(known) == work(variant) and rows_of(fitted, known) for known in fitted.points.variants)
    own = 0.0 if alike else UNMEASURED_VARIANT.median
    listed = [UNMEASURED_VARIANT] if own else []
    if not scales(fitted, variant):
        nearest = np.abs(np.log2(n[:, None] / counts[None, :])).min(axis=1)
        return (DISCREPANCY.median * nearest, own), [DISCREPANCY] * bool(nearest.any()) + listed
    reach = _reach(n, counts, learnt_prior().discrepancy.persistence)
    weights = drift_weights(fitted)
    drift = float(np.sqrt(weights @ DRIFTS**2))
    return (drift * reach, own), [_drift_assumption(weights)] * bool(reach.any()) + listed


def drift_weights(fitted: Fit) -> np.ndarray:
    """Weights of `mpps.discrepancy.DRIFTS` given what the best mechanism leaves of the rows, (T,).

    Half a table's evidence counts, as between mechanisms: the rows share boots and machine.
    """
    points, best = fitted.points, fitted.best
    log_weights = learnt_prior().discrepancy.log_weights.ravel().copy()
    for index in range(len(points.variants)):
        rows = np.flatnonzero((points.variant == index) & ~points.busy)
        if len(rows) > 1:
            residual = (points.value - best.solved.fitted[0])[rows][None, :]
            log_weights += TEMPER * log_likelihoods(points.n[rows].astype(float), residual, np.ones(len(rows)))[0]
    weights = np.exp(log_weights - log_weights.max()).reshape(-1, len(DRIFTS)).sum(0)
    return weights / weights.sum()


def scales(fitted: Fit, variant: Variant) -> bool:
    """Whether the variant, or the table that answers for it, was measured at more than one count."""
    return len(measured_counts(fitted, variant)) > 1


def drift_tail(weights, draws: int, seed) -> np.ndarray:
    """What each draw's drift is to their root mean square, (draws, 1): how much curves drift differs between tables.

    weights: those of `drift_weights`.
    """
    drift = np.random.default_rng(seed).choice(DRIFTS, (draws, 1), p=weights)
    return drift / np.sqrt(weights @ DRIFTS**2)


def _reach(n, counts, persistence: float) -> np.ndarray:
    """Standard deviation of a unit drift at n (P,) when it is known at ascending counts: a Brownian bridge in log2."""
    time, known = clock(n, counts, persistence), np.log2(counts)
    right = np.clip(np.searchsorted(known, time), 1, len(known) - 1)
    before, behind = time - known[right - 1], known[right] - time
    inside = before * behind / (before + behind)
    outside = np.maximum(known[0] - time, time - known[-1])
    return np.sqrt(np.maximum(np.where(outside > 0, outside, inside), 0.0))


def _drift_assumption(weights) -> Assumption:
    edges = np.cumsum(weights)
    lower, median, upper = (float(DRIFTS[np.searchsorted(edges, level)]) for level in (0.05, 0.5, 0.95))
    return Assumption(
        DRIFT,
        median,
        lower,
        upper,
        "relative",
        f"{learnt_prior().words}, and the residuals of this fit",
    )


def fall_assumptions() -> tuple[Assumption, ...]:
    """What unseen bottlenecks rest on; the ranges are those over the calibrations with one source left out."""
    priors = [learnt_prior(), *map(learnt_prior, calibrated_sources())]
    found = []
    for name, unit, values in (
        (
            "an unseen bottleneck sets in, per doubling of cores beyond the data at a fully contended lap",
            "probability",
            [prior.discrepancy.hazard for prior in priors],
        ),
        (
            "mean fall of the rate where one sets in",
            "of the log rate",
            [prior.discrepancy.fall for prior in priors],
        ),
    ):
        found.append(Assumption(name, values[0], min(values), max(values), unit, priors[0].words))
    return tuple(found)


def unseen(fitted: Fit, variant: Variant, n, log_rate, log_lone, uniform) -> np.ndarray:
    """Log of what bottlenecks that the table does not show leave of the rate below any ceiling, beyond the largest
    count, (K, P), 0 up to there.

    log_rate (K, P) and log_lone (K, 1), at one sender: what is contended already makes them likelier. uniform (K, 2):
    draws of when, and how much. See `mpps.discrepancy`.
    """
    counts, learnt = measured_counts(fitted, variant), learnt_prior().discrepancy
    contended = contended_share(log_rate - log_lone, n)
    return falls(n, counts.max(), contended, learnt.hazard, learnt.fall, uniform)


def measured_counts(fitted: Fit, variant: Variant) -> np.ndarray:
    """Core counts at which the variant was measured; of all variants of the fit when it never was."""
    points = fitted.points
    own = [k for k, known in enumerate(points.variants) if known.name == variant.name]
    counts = points.n[np.isin(points.variant, own)] if own else np.array([])
    return np.unique(counts if counts.size else points.n)


def rows_of(fitted, variant):
    points = fitted.points
    return [
        k
        for k in range(len(points.n))
        if points.variants[points.variant[k]].name == variant.name and not points.busy[k]
    ]
