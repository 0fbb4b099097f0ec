"""Why the rate is what it is: the cost of a packet by stage, how busy each resource is, what limits and from where on."""

from mpps.compare import Fit, MechanismFit
from mpps.explain.cost import HANDOFF, WAITING, ceilings, packet_cost, source_clock, utilisation
from mpps.explain.known import combinations, information, known, known_words, together
from mpps.explain.limits import (
    Range,
    bottleneck,
    bounds_pps,
    first_crossing,
    knee_cores,
    limits,
    peak,
    range_of,
    search_counts,
    with_stage,
)
from mpps.explain.lock import handoff_by_depth, mean_depth, several_fixed_points
from mpps.keep import kept
from mpps.uncertainty import intervals

__all__ = [
    "HANDOFF",
    "WAITING",
    "Range",
    "bottleneck",
    "bounds_pps",
    "ceilings",
    "combinations",
    "first_crossing",
    "handoff_by_depth",
    "information",
    "knee_cores",
    "known",
    "known_words",
    "limits",
    "mean_depth",
    "packet_cost",
    "parameters",
    "peak",
    "range_of",
    "search_counts",
    "several_fixed_points",
    "source_clock",
    "together",
    "utilisation",
    "with_stage",
]


#: The code behind the intervals of parameters, beside that of the fit.
_PROFILED_BY = ("explain/__init__.py", "uncertainty.py")


def parameters(fitted: Fit, *, mechanism: str | None = None) -> list[dict]:
    """Parameters of the best (or the named) mechanism with their 90 % profile intervals and what identifies them."""
    one = next((item for item in fitted.mechanisms if item.mechanism.name == mechanism), fitted.best)
    return kept("parameters", fitted, _PROFILED_BY, lambda: _profiled(one), about=one.mechanism.name)


def _profiled(one: MechanismFit) -> list[dict]:
    rows = []
    profiled = intervals(one.problem, one.solved, one.scale, one.problem.names)
    for parameter, found in zip(one.problem.parameters, profiled, strict=True):
        rows.append(
            {
                "name": parameter.name,
                "median": found.median,
                "lower": found.lower,
                "upper": found.upper,
                "unit": parameter.unit,
                "identified": found.identified,
                "meaning": parameter.meaning,
                "prior": parameter.prior.why if parameter.prior else None,
            }
        )
    return rows
