"""The five baselines that a forecast has to beat, each with intervals whose width the other sources set."""

import numpy as np

from mpps.baseline import fit_amdahl_batch, fit_usl_batch
from mpps.corpus import Curve
from mpps.laws import usl
from mpps.validate.scores import LEVELS, interval_score

BASELINES = ("usl", "amdahl", "last", "loglog", "damped")

#: Largest change of a log rate that the straight line is followed to.
_MOST = 300.0


def medians(curve: Curve) -> dict[str, np.ndarray]:
    """Median rate (P,) of each baseline at the held-out n of a curve, from its training points alone."""
    n, rate, at = curve.train_n, curve.train_rate, curve.held_n
    beyond, log_rate = at / n[-1], np.log(rate)[None, :]
    slope = np.log(rate[-1] / rate[-2]) / np.log(n[-1] / n[-2])
    damped = 0.2 * np.clip(slope, -1.0, 1.0) * (1 - beyond**-5.0)
    return {
        "usl": usl(at, *fit_usl_batch(n, log_rate)[0]),
        "amdahl": usl(at, *fit_amdahl_batch(n, log_rate)[0]),
        "last": np.full(at.shape, rate[-1]),
        # A slope between two neighbouring n can be that of a cliff: the rate stays a number.
        "loglog": rate[-1] * np.exp(np.clip(slope * np.log(beyond), -_MOST, _MOST)),
        "damped": rate[-1] * np.exp(damped),
    }


def quantiles(curves, calibration) -> dict[str, list[np.ndarray]]:
    """Quantiles (5, P) of each baseline for each of `curves`, in their order.

    The interval is exp(+-(a + b log(n / n_last))) times the median. a and b minimise the mean interval score, averaged
    within a data set first, over the curves of `calibration` and of `curves` that come from other sources.
    """
    pool = {curve.key: curve for curve in (*calibration, *curves)}.values()
    central = {curve.key: medians(curve) for curve in pool}
    constants = {}
    for source in {curve.source for curve in curves}:
        others = [curve for curve in pool if curve.source != source]
        for name in BASELINES:
            constants[name, source] = [_constants(others, central, name, alpha) for alpha in (0.1, 0.5)]
    return {
        name: [_spread(curve, central[curve.key][name], *constants[name, curve.source]) for curve in curves]
        for name in BASELINES
    }


def width_constants(miss, distance, weight, alpha: float) -> tuple[float, float]:
    """a and b, at least 0, that minimise the weighted mean interval score of +-(a + b distance) around the median.

    miss (P,): absolute log error of the median; distance (P,): log(n / n_last); weight (P,). A linear program.
    """
    from scipy.optimize import linprog

    weight = np.asarray(weight, dtype=float) / np.sum(weight)
    count = len(miss)
    cost = np.concatenate([[2 * weight.sum(), 2 * (weight * distance).sum()], 2 / alpha * weight])
    # a + b distance + excess >= miss
    bound = np.column_stack([-np.ones(count), -np.asarray(distance), -np.eye(count)])
    found = linprog(cost, A_ub=bound, b_ub=-np.asarray(miss), bounds=(0, None), method="highs")
    return float(found.x[0]), float(found.x[1])


def mean_interval_score(miss, distance, weight, alpha: float, a: float, b: float) -> float:
    """What `width_constants` minimises."""
    half = a + b * np.asarray(distance)
    return float(np.average(interval_score(-half, half, np.asarray(miss), alpha), weights=weight))


def _constants(curves, central, name: str, alpha: float) -> tuple[float, float]:
    points: dict[str, int] = {}
    for curve in curves:
        points[curve.dataset] = points.get(curve.dataset, 0) + len(curve.held_n)
    if not points:
        return 0.0, 0.0
    miss = np.concatenate([np.abs(np.log(central[curve.key][name] / curve.held_rate)) for curve in curves])
    distance = np.concatenate([np.log(curve.held_n / curve.train_n[-1]) for curve in curves])
    weight = np.concatenate([np.full(len(curve.held_n), 1 / points[curve.dataset]) for curve in curves])
    return width_constants(miss, distance, weight, alpha)


def _spread(curve: Curve, median: np.ndarray, wide, narrow) -> np.ndarray:
    distance = np.log(curve.held_n / curve.train_n[-1])
    half, half50 = (a + b * distance for a, b in (wide, narrow))
    # The two widths are fitted apart: the narrow interval never leaves the wide one.
    half50 = np.minimum(half50, half)
    shifts = np.stack([-half, -half50, np.zeros_like(half), half50, half])
    assert len(shifts) == len(LEVELS)
    return median * np.exp(shifts)
