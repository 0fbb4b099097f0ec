"""Which parameters a setting may replace: those that change the network of the variant that is asked for."""

import numpy as np

from mpps.compare import Fit
from mpps.errors import MppsError
from mpps.path import CodePath, Variant, lap


def checked(path: CodePath, settings) -> dict[str, float]:
    """Settings whose names the path has and whose values are positive numbers; raises `MppsError` for others."""
    for name, value in (settings or {}).items():
        parameter = path.parameter(name)
        if not (np.isfinite(value) and value > 0):
            raise MppsError(f"{name} = {value:g}: expected a positive number in {parameter.unit} ({parameter.meaning})")
    return dict(settings or {})


def acts(fitted: Fit, variant: Variant, name: str) -> bool:
    """Whether setting a parameter changes what the network of a variant is made of, in any kept mechanism."""
    fitted.path.parameter(name)
    return any(_differs(fitted, one, variant, name) for one in fitted.kept if name in one.values)


def _differs(fitted, one, variant, name) -> bool:
    n = np.array([1, 2, 4, 8, 16])
    before, after = (
        lap(fitted.path, variant, one.mechanism, one.values | {name: one.values[name] * factor}, n)
        for factor in (1.0, 2.0)
    )
    if name.startswith("handoff_"):
        return before.section_ns is not None
    pairs = [
        (getattr(before, part), getattr(after, part)) for part in ("think_ns", "section_ns", "packets", "ceiling_pps")
    ]
    return any(a is not None and not np.allclose(a, b, rtol=1e-9) for a, b in pairs)


def acts_nowhere(path: CodePath, name: str, chosen, fits) -> MppsError:
    """The error for a setting that acts in none of the `chosen` variants; fits: variant -> its joint fit."""
    users = [variant.name for variant in path.variants if acts(fits(variant), variant, name)]
    asked = ", ".join(repr(variant.name) for variant in chosen)
    return MppsError(
        f"{name} does not act in {asked}: it acts in {', '.join(map(repr, users)) or 'no variant'}; set another parameter"
    )
