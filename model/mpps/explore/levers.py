"""The sliders of a code path: which parameters a variant uses, their intervals, ranges and influence."""

import numpy as np

from mpps.compare import Fit
from mpps.explore.model import between, reach
from mpps.explore.position import Control
from mpps.path import Variant, active_parameters, rate_pps

#: A parameter that moves the rate by less than this percent for each of its own is not offered.
_LEAST = 1e-4
#: Step of the influence, in the parameter's logarithm.
_STEP = 0.1
_WORDS = {"napi": "NAPI", "gro": "GRO", "handoff": "hand-off"}
#: Units in which values are shown, and the factor to them.
_SHOWN = {"packets/skb": ("packets per skb", 1.0), "packets/s": ("Mpps", 1e-6), "ratio": ("", 1.0)}


def controls_of(fitted: Fit, variant: Variant, n, inputs) -> tuple[Control, ...]:
    """Controls of the parameters that a variant uses in any kept mechanism, most influential first.

    inputs: values and mechanism of each kept one on the machine in question, at n (P,). Range and interval are those of
    the members, so that another machine has its own.
    """
    used = {
        parameter.name: parameter
        for one in fitted.kept
        for parameter in active_parameters(fitted.path, [variant], one.mechanism)
    }
    found = []
    for name, parameter in used.items():
        drawn = np.concatenate([np.median(values[name], axis=1) for values, _ in inputs if name in values])
        median, lower, upper = between(drawn)
        low, high = reach(median, lower, upper)
        if parameter.role == "none":
            # A ratio, a share or a number of waiters has ends of its own.
            low, high = max(low, parameter.lower), min(high, parameter.upper)
        words = name.removesuffix("_ns").removesuffix("_pps").split("_")
        label = " ".join(_WORDS.get(word, word) for word in words)
        label += " work" if words[-1] == "private" else ""
        unit, scale = _SHOWN.get(parameter.unit, (parameter.unit, 1.0))
        influence = _influence(fitted, variant, n, inputs, name)
        if influence >= _LEAST and low < high:
            meaning = f"{parameter.meaning[:1].upper()}{parameter.meaning[1:]}."
            ends = (low, high, median, lower, upper)
            found.append(Control(name, label, unit, *ends, meaning, influence, scale))
    return tuple(sorted(found, key=lambda control: -control.influence))


def _influence(fitted: Fit, variant: Variant, n, inputs, name: str) -> float:
    """Mean over the counts of |d log rate / d log parameter| in the middle of the members, weighed by their number."""
    total, members = 0.0, 0
    for values, mechanism in inputs:
        size = len(next(iter(values.values())))
        members += size
        if name not in values:
            continue
        middle = {each: np.exp(np.median(np.log(value), axis=0))[None] for each, value in values.items()}
        ends = [
            np.log(rate_pps(fitted.path, variant, mechanism, middle | {name: middle[name] * np.exp(step)}, n))
            for step in (-_STEP, _STEP)
        ]
        total += size * float(np.abs(ends[1] - ends[0]).mean()) / (2 * _STEP)
    return total / members
