"""How good a forecast of held-out points is: point by point, then averaged within a data set, then over data sets."""

import numpy as np

#: Levels of the five quantiles that a forecast holds, in the order of its rows.
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)

#: Figures of a point, and of whatever it is averaged over.
FIGURES = ("error", "coverage", "coverage50", "width", "interval_score")


def point_scores(quantiles, observed) -> dict[str, np.ndarray]:
    """Figures (P,) of P points by name (`FIGURES`). quantiles (5, P) at `LEVELS`, observed (P,), both above zero.

    error: absolute relative error of the median; coverage and coverage50: 1 inside the 90 % and the 50 % interval;
    width: log upper - log lower of the 90 % interval; interval_score: that width and, for a miss, 2 / alpha times the
    distance to the nearer end in log units. Source: Gneiting and Raftery, Strictly proper scoring rules, 2007, section 6.2.
    """
    lower, lower50, median, upper50, upper = np.asarray(quantiles, dtype=float)
    observed = np.asarray(observed, dtype=float)
    return {
        "error": np.abs(median / observed - 1),
        "coverage": ((lower <= observed) & (observed <= upper)).astype(float),
        "coverage50": ((lower50 <= observed) & (observed <= upper50)).astype(float),
        "width": np.log(upper / lower),
        "interval_score": interval_score(np.log(lower), np.log(upper), np.log(observed), 0.1),
    }


def interval_score(lower, upper, observed, alpha: float):
    """Width of an interval with coverage 1 - alpha plus 2 / alpha times the distance of a value outside it."""
    miss = np.maximum(lower - observed, 0.0) + np.maximum(observed - upper, 0.0)
    return upper - lower + 2 / alpha * miss


def averaged(scores) -> dict[str, float]:
    """Mean of each figure over all points of a list of `point_scores`: the series of one data set."""
    return {name: float(np.mean(np.concatenate([one[name] for one in scores]))) for name in FIGURES}


def over_sets(rows, how) -> dict[str, float]:
    """Each figure over data sets: `how` (np.median, np.mean) of the averages of each."""
    return {name: float(how([row[name] for row in rows])) for name in FIGURES}


def without_worst(errors, count: int = 2) -> float | None:
    """Mean of errors without the `count` largest; None when nothing is left."""
    kept = np.sort(np.asarray(errors, dtype=float))[: max(len(errors) - count, 0)]
    return float(kept.mean()) if kept.size else None
