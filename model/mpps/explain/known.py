"""What a table fixes of its parameters: each alone, only together with another one, or not at all.

The information matrix of the rows in the logarithms of the parameters, J' W J, says how well any combination of them
is known; its eigenvectors are the combinations in order. They leave priors out: what only these know, the table does not.
"""

import numpy as np

from mpps.compare import Fit, MechanismFit
from mpps.text import percent
from mpps.uncertainty import sensitivity

#: 90 % of a normal lies within so many standard deviations.
_NORMAL = 1.645
#: A combination is known only together where it is so much better known than either part, and both parts are worse than this.
_BETTER, _ALONE = 0.5, 0.04
#: A parameter that is better known than this (90 % half-width of the logarithm) is fixed; beyond `_OPEN` the rows say nothing.
_FIXED, _OPEN = 0.3, 3.0
#: Standard deviation of a logarithm that stands for knowing nothing.
_NOTHING = 4.0
_LEAST_EXPONENT = 0.2


def information(one: MechanismFit) -> np.ndarray:
    """Information matrix (p, p) of the rows alone about the log parameters, at the estimate."""
    rows = len(one.problem.points.n)
    slope = sensitivity(one.problem, one.solved.x[0])[:rows]
    weight = one.problem.weight[:rows] / one.scale**2
    return (slope.T * weight) @ slope


def combinations(fitted: Fit) -> list[dict]:
    """Combinations of the best mechanism's parameters from the best to the least known: rows of spread (90 % half-width of
    the logarithm; inf where the rows say nothing), exponents (name -> power, those of at least 0.2), and words."""
    one = fitted.best
    values, vectors = np.linalg.eigh(information(one))
    rows = []
    for value, vector in zip(values[::-1], vectors.T[::-1], strict=True):
        vector = vector * np.sign(vector[np.abs(vector).argmax()])
        order = [k for k in np.argsort(-np.abs(vector)) if abs(vector[k]) >= _LEAST_EXPONENT]
        spread = _NORMAL / np.sqrt(value) if value > _NOTHING**-2 else np.inf
        exponents = {one.problem.names[k]: float(vector[k]) for k in order}
        rows.append({"spread": float(spread), "exponents": exponents, "words": _product(exponents)})
    return rows


def together(fitted: Fit) -> list[dict]:
    """Pairs of parameters of which rows and priors fix the sum, the difference, the product or the ratio much better than either:
    rows of names, kind, value, unit, spread (90 % half-width of its logarithm), alone (those of the two)."""
    one = fitted.best
    names, values = one.problem.names, np.exp(one.solved.x[0])
    index, _, spread = one.problem.priors
    believed = np.full(len(names), _NOTHING**-2.0)
    believed[index] = spread**-2.0
    covariance = np.linalg.inv(information(one) + np.diag(believed))
    alone = np.sqrt(np.diag(covariance))
    rows, taken = [], set()
    for spread, i, j, kind, value in sorted(_pairs(one, values, covariance)):
        if min(alone[i], alone[j]) < _ALONE or spread > _BETTER * min(alone[i], alone[j]) or taken & {i, j}:
            continue
        taken |= {i, j}
        units = [one.problem.parameters[k].unit for k in (i, j)]
        rows.append(
            {
                "names": [names[i], names[j]],
                "kind": kind,
                "value": float(value),
                "unit": units[0] if kind in ("sum", "difference") else "",
                "spread": float(_NORMAL * spread),
                "alone": [float(_NORMAL * alone[k]) for k in (i, j)],
            }
        )
    return rows


def _pairs(one, values, covariance):
    size, parameters = len(values), one.problem.parameters
    unit = np.eye(size)
    for j in range(size):
        for i in range(j):
            found = {
                "product": (unit[i] + unit[j], values[i] * values[j]),
                "ratio": (unit[i] - unit[j], values[i] / values[j]),
            }
            if parameters[i].unit == parameters[j].unit:
                total, difference = values[i] + values[j], values[i] - values[j]
                found["sum"] = (values[i] * unit[i] + values[j] * unit[j]) / total, total
                if abs(difference) > 0.05 * total:
                    found["difference"] = (values[i] * unit[i] - values[j] * unit[j]) / difference, abs(difference)
            spreads = {kind: float(np.sqrt(slope @ covariance @ slope)) for kind, (slope, _) in found.items()}
            kind = min(spreads, key=spreads.get)
            yield spreads[kind], i, j, kind, found[kind][1]


def known(fitted: Fit, rows) -> dict:
    """What the table says of each parameter of the best mechanism; rows: of `mpps.explain.parameters`.

    fixed: names known alone; loose: names with two ends, but wide; one_sided; prior (only the prior knows); unknown;
    together: of `together`; combinations: of `combinations`.
    """
    groups: dict = {key: [] for key in ("fixed", "loose", "one_sided", "prior", "unknown")}
    for row in rows:
        how = {"one-sided": "one_sided", "prior": "prior", "no": "unknown"}.get(row["identified"])
        if how is None:
            how = "fixed" if np.log(row["upper"] / row["lower"]) / 2 < _FIXED else "loose"
        groups[how].append(row["name"])
    return groups | {"together": together(fitted), "combinations": combinations(fitted)}


def known_words(found: dict) -> list[str]:
    """The same as sentences."""
    said = []
    for key, words in (
        ("fixed", "The table fixes {} each alone."),
        ("loose", "It leaves a wide interval to {}."),
        ("one_sided", "It bounds {} on one side only."),
        ("prior", "Of {} only a prior speaks."),
        ("unknown", "It says nothing of {}."),
    ):
        if found[key]:
            said.append(words.format(_listed(found[key])))
    for pair in found["together"]:
        first, second = pair["names"]
        said.append(
            f"The {pair['kind']} of {first} and {second} is known to ±{percent(np.expm1(pair['spread']))}, "
            f"either alone only to ±{percent(np.expm1(pair['alone'][0]))} and ±{percent(np.expm1(pair['alone'][1]))}."
        )
    sharp, blunt = found["combinations"][0], found["combinations"][-1]
    said.append(f"Best known is {sharp['words']}, to ±{percent(np.expm1(sharp['spread']))}.")
    if np.isfinite(blunt["spread"]) and blunt["spread"] < _OPEN:
        said.append(
            f"Least known is {blunt['words']}: a change by {percent(np.expm1(blunt['spread']))} moves no row beyond its scatter."
        )
    else:
        free = [one["words"] for one in found["combinations"] if not one["spread"] < _OPEN]
        said.append(f"At the estimate the rows do not depend on {_listed(free)}.")
    return said


def _product(exponents: dict) -> str:
    if len(exponents) == 1:
        return next(iter(exponents))
    return " · ".join(f"{name}^{power:.2g}".replace("-", "−") for name, power in exponents.items())


def _listed(names) -> str:
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
