"""The three baselines of a pair, each with the two width constants that suit it best on the very pairs that are scored."""

import numpy as np

from mpps.validate.baselines import width_constants

BASELINES = ("scaled", "linear", "geometric")


def medians(case) -> dict[str, np.ndarray]:
    """Rates (P,) of each baseline at the scored counts: the curve before through the known point, a straight line
    through it, and their geometric mean."""
    curves = case.curves
    scaled = curves.before[1:] * curves.after[0] / curves.before[0]
    linear = curves.after[0] * curves.n[1:] / curves.n[0]
    return {"scaled": scaled, "linear": linear, "geometric": np.sqrt(scaled * linear)}


def quantiles(cases, weights) -> dict[str, list[np.ndarray]]:
    """Quantiles (5, P) of each baseline for each case; weights: of a point of each case in the mean interval score."""
    central = [medians(case) for case in cases]
    distance = np.concatenate([case.distance for case in cases])
    weight = np.concatenate([np.full(len(case.observed), each) for case, each in zip(cases, weights, strict=True)])
    found = {}
    for name in BASELINES:
        miss = np.concatenate(
            [np.abs(np.log(one[name] / case.observed)) for case, one in zip(cases, central, strict=True)]
        )
        constants = [width_constants(miss, distance, weight, alpha) for alpha in (0.1, 0.5)]
        found[name] = [_spread(one[name], case.distance, *constants) for case, one in zip(cases, central, strict=True)]
    return found


def _spread(median, distance, wide, narrow) -> np.ndarray:
    half, half50 = (a + b * distance for a, b in (wide, narrow))
    half50 = np.minimum(half50, half)
    return median * np.exp(np.stack([-half, -half50, np.zeros_like(half), half50, half]))
