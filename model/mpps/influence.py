"""How much of a prediction follows from each assumption: shares of variance from the very draws that made it."""

from dataclasses import replace

import numpy as np

#: Degree of the polynomial that follows a rate over the normal scores of a factor.
_DEGREE = 3
#: Shares below this are noise of some 400 draws: three standard deviations of a factor without any influence.
NO_INFLUENCE = 0.02


def share_of_variance(values, drawn) -> float:
    """Share of the variance of values (K,) that follows from a factor alone, drawn (K,): its first-order Sobol index.

    The mean of the values at a level of the factor is a cubic in the normal scores of its ranks (for two levels, their two
    means); its R^2, less what as many terms reach by chance (Wherry 1931), is the share, 0 at least. Costs no further run.
    """
    from scipy.special import ndtri

    values, drawn = np.asarray(values, float), np.asarray(drawn, float)
    levels, place = np.unique(drawn, return_inverse=True)
    count, degree = len(values), min(_DEGREE, len(levels) - 1)
    variance = values.var()
    if degree < 1 or variance <= 1e-20 or count <= degree + 1:
        return 0.0
    # Middle rank of what is tied.
    weights = np.bincount(place)
    scores = ndtri((np.cumsum(weights) - weights / 2) / count)[place]
    basis = np.polynomial.hermite_e.hermevander(scores, degree)
    left = values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]
    explained = 1 - left.var() / variance
    return float(max(1 - (1 - explained) * (count - 1) / (count - degree - 1), 0.0))


def with_influence(assumptions, drawn: dict, values):
    """Each assumption once, with its share of the variance of log rates (K,); drawn: name -> (K,).

    What was not drawn, such as a number that is kept as it is, has none: 0. An effect that is the same wherever something
    is absent counts for what it adds to whether that is there, so that nothing counts twice.
    """
    items = {item.name: item for item in assumptions}
    shares = {name: share_of_variance(values, drawn[name]) if name in drawn else 0.0 for name in items}
    found = []
    for name, item in items.items():
        within = max((shares[other] for other in items if _acts_only_with(drawn, name, other)), default=0.0)
        found.append(replace(item, influence=round(max(shares[name] - within, 0.0), 4)))
    return tuple(found)


def _acts_only_with(drawn: dict, effect: str, chance: str) -> bool:
    """Whether an effect has one value in all draws in which a chance (0 or 1) does not happen, and several in the others."""
    if effect == chance or effect not in drawn or chance not in drawn:
        return False
    happens, size = np.asarray(drawn[chance], float), np.asarray(drawn[effect], float)
    if not np.array_equal(np.unique(happens), [0.0, 1.0]):
        return False
    return np.ptp(size[happens == 0.0]) == 0.0 < np.ptp(size[happens == 1.0])


def by_influence(assumptions):
    """Assumptions, the one with the largest influence first, and among equal ones the widest."""
    return tuple(sorted(assumptions, key=lambda item: (-(item.influence or 0.0), -_width(item))))


def _width(item) -> float:
    return float(np.log(item.upper / item.lower)) if item.lower > 0 else np.inf
