"""What a fit found, as JSON: mechanisms with their parameters, limits, peak, and where it says less than it seems to."""

import numpy as np

from mpps import explain
from mpps.compare import Fit, MechanismFit
from mpps.path import Variant
from mpps.sensitivity import ranking
from mpps.structure import measured_counts
from mpps.units import from_rate_pps


def explained(fitted: Fit, variant: Variant, unit: str, seed: int) -> dict:
    """What all series of a variant share in a fit's answer."""
    cores, rate = explain.peak(fitted, variant, seed)
    ends = [rate.lower, rate.median, rate.upper]
    if unit == "ns/element":
        ends = [None if end is None else 1e9 / end for end in reversed(ends)]
    else:
        ends = [None if end is None else float(from_rate_pps(end, unit, fitted.path.packet_bytes)) for end in ends]
    return (
        {"scope": fitted.scope, "basis": fitted.basis}
        | limits(fitted, variant)
        | {
            "peak_cores": cores.as_dict(),
            "peak_rate": dict(zip(("lower", "median", "upper"), ends, strict=True)),
        }
    )


def limits(fitted: Fit, variant: Variant) -> dict:
    """What limits on the machine that was measured, from where on, and what a packet costs at the largest count there."""
    last = int(measured_counts(fitted, variant).max())
    keys = ("stage", "resource", "ns", "lower", "upper")
    stages = [{key: row[key] for key in keys} for row in explain.packet_cost(fitted, variant, last)]
    return {
        "bottleneck": explain.bottleneck(fitted, variant, last),
        "knee_cores": explain.knee_cores(fitted, variant).as_dict(),
        "packet_cost": {"n": last, "ns": sum(row["ns"] for row in stages), "stages": stages},
    }


def mechanisms(fitted: Fit) -> list[dict]:
    """Every mechanism with its weight, error and parameters; best first. See `parameters`."""
    return [
        {
            "name": one.mechanism.name,
            "words": one.mechanism.words,
            "weight": one.weight,
            "error": one.error,
            "parameters": parameters(fitted, one),
        }
        for one in fitted.mechanisms
    ]


def parameters(fitted: Fit, one: MechanismFit) -> list[dict]:
    """Parameters of a mechanism: estimate, 90 % ends, and whether the data identify them.

    `by` says how: "yes", "one-sided", "prior" (only the prior knows), "no". The best mechanism has profile intervals,
    the others the ends of their members; one without members (weight below 1 %) has none.
    """
    if one is fitted.best:
        keys = ("name", "median", "lower", "upper", "unit")
        return [
            {key: row[key] for key in keys}
            | {"identified": row["identified"] == "yes", "by": row["identified"], "meaning": row["meaning"]}
            for row in explain.parameters(fitted)
        ]
    return (
        [_from_members(one, column, parameter) for column, parameter in enumerate(one.problem.parameters)]
        if len(one.members)
        else []
    )


def known(fitted: Fit) -> dict:
    """What the table fixes of the best mechanism's parameters, alone or only together, and the same in words."""
    found = explain.known(fitted, explain.parameters(fitted))
    return (
        {"scope": fitted.scope, "mechanism": fitted.best.mechanism.name} | found | {"words": explain.known_words(found)}
    )


def sensitivity(fitted: Fit, variants) -> list[dict]:
    """What the prediction at `mpps.sensitivity.CORES` cores depends on most, for each of the variants."""
    return [ranking(fitted, variant) for variant in variants]


def _from_members(one, column, parameter) -> dict:
    lower, upper = np.quantile(one.members[:, column], (0.05, 0.95))
    # An interval that reaches a bound of the search has no end there.
    edge = 0.01 * (one.problem.upper[column] - one.problem.lower[column])
    open_below, open_above = lower < one.problem.lower[column] + edge, upper > one.problem.upper[column] - edge
    by = ("yes", "one-sided", "no")[int(open_below) + int(open_above)]
    if by == "yes" and parameter.prior and upper - lower > 0.8 * 2 * 1.645 * parameter.prior.log_sd:
        by = "prior"
    return {
        "name": parameter.name,
        "median": float(np.exp(one.solved.x[0, column])),
        "lower": None if open_below else float(np.exp(lower)),
        "upper": None if open_above else float(np.exp(upper)),
        "unit": parameter.unit,
        "identified": by == "yes",
        "by": by,
        "meaning": parameter.meaning,
    }


def warnings(fitted: Fit, parameters: list[dict]) -> list[str]:
    """Where a fit says less than its numbers seem to; parameters: of its best mechanism."""
    where, found = f"fit '{fitted.scope}'", []
    best = fitted.best
    if fitted.basis != "AICc":
        found.append(
            f"{where}: {len(fitted.points.n)} rows cannot choose among {len(fitted.mechanisms)} mechanisms; "
            f"their weights are {fitted.basis}, set by hand"
        )
    elif best.weight < 0.5:
        near = [
            f"{one.mechanism.name} ({one.weight:.0%})".replace("%", " %")
            for one in fitted.mechanisms
            if one.weight > 0.1
        ]
        found.append(f"{where}: the data do not choose one mechanism; they are averaged: {', '.join(near)}, and others")
    if not all(one.solved.converged.all() for one in fitted.kept):
        found.append(f"{where}: at least one mechanism did not converge")
    for kind, words in (
        ("no", "not identified"),
        ("one-sided", "bounded on one side only"),
        ("prior", "known from their priors only"),
    ):
        names = [row["name"] for row in parameters if row["by"] == kind]
        if names:
            found.append(f"{where}, {best.mechanism.name}: {words}: {', '.join(names)}")
    return found
