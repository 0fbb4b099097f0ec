"""What if a stage went: the same path without it, predicted and compared with what was before."""

from dataclasses import dataclass

import numpy as np

from mpps.compare import fit
from mpps.explain import Range, first_crossing, limits, range_of, search_counts
from mpps.machine import Machine, load_machine
from mpps.path import CodePath, Variant, without_stage
from mpps.predict import Forecast, curves_of, predict, scope_for
from mpps.structure import structural_spread
from mpps.uncertainty import LEVELS

#: A change counts as a gain where it raises the rate by more than this.
GAIN = 1.01


@dataclass(frozen=True)
class WhatIf:
    """Before and after at the same core counts; gain quantiles (5, P) of after/before; p: probability of a gain (P,);
    next_bottleneck: rows of n, resource, probability after the change; tradeoffs: what the change gives up;
    gain_from, gain_until: break-even counts, from which and up to which the change gains more than `GAIN`: `until` is
    unbounded where it still gains at `searched`, the largest count that is looked at, and both are where no count gains.
    """

    before: Forecast
    after: Forecast
    change: str
    gain: np.ndarray
    probability: np.ndarray
    next_bottleneck: list[dict]
    tradeoffs: tuple[str, ...]
    gain_from: Range
    gain_until: Range
    searched: int

    def rows(self) -> list[dict]:
        """One dict per core count: n, gain, lower, upper, p."""
        return [
            {
                "n": int(n),
                "gain": float(self.gain[2, k]),
                "lower": float(self.gain[0, k]),
                "upper": float(self.gain[4, k]),
                "p": float(self.probability[k]),
            }
            for k, n in enumerate(self.before.n)
        ]


def whatif(
    path: CodePath,
    cores,
    *,
    start: str,
    without: str | tuple[str, ...] = (),
    settings: dict | None = None,
    machine=None,
    seed: int = 1,
) -> WhatIf:
    """Take `without` (stages) from variant `start`, or set parameters, and predict before and after.

    Members and machine draws are shared, so what both sides have in common cancels in the gain.
    Raises MppsError for unknown names and for a stage that the variant does not have.
    """
    before_variant = path.variant(start)
    stages = (without,) if isinstance(without, str) else tuple(without)
    after_variant = before_variant
    for stage in stages:
        after_variant = without_stage(path, after_variant, stage)
    after_variant = _as_listed(path, after_variant, before_variant)
    # One fit for both sides: their difference is then the change alone.
    fitted = fit(path, scope_for(path, before_variant).name, seed=seed)
    before = predict(path, cores, variant=before_variant, machine=machine, seed=seed, fitted=fitted)
    after = predict(path, cores, variant=after_variant, machine=machine, settings=settings, seed=seed, fitted=fitted)
    difference = after.curves - before.curves
    even = break_even(
        fitted, before_variant, after_variant, machine=_machine(machine), settings=after.settings, seed=seed
    )
    words = [f"without {stage}" for stage in stages] + [
        f"{name} = {value:g}" for name, value in (settings or {}).items()
    ]
    return WhatIf(
        before,
        after,
        ", ".join(words),
        np.quantile(np.exp(difference), LEVELS, axis=0),
        (np.exp(difference) > GAIN).mean(axis=0),
        limits(fitted, after_variant, before.n, machine=_machine(machine), settings=after.settings, seed=seed),
        tuple(text for stage, text in path.tradeoffs if stage in stages),
        *even,
    )


def break_even(fitted, before: Variant, after: Variant, *, machine=None, settings=None, seed: int = 1):
    """Counts from which on and up to which `after` gains more than `GAIN` over `before`, over the members, and the largest
    count that is looked at: (Range, Range, int). Interpolated in log n; unbounded where fewer than half of the draws gain.
    """
    n = search_counts(fitted, before)
    source = load_machine(fitted.path.machine)
    spread, _ = structural_spread(fitted, before, n)
    target = machine or source
    start, end = (
        curves_of(fitted, variant, n, source, target, given, seed, spread)[0]
        for variant, given in ((before, {}), (after, settings or {}))
    )
    short = np.log(GAIN) - (end - start)
    gaining = (short <= 0).any(axis=1)
    if gaining.mean() < 0.5:
        return Range(None, None, None), Range(None, None, None), int(n[-1])
    first = first_crossing(short, n)
    # Seen from the far end the last gain is the first one.
    last = n[-1] * n[0] / first_crossing(short[gaining, ::-1], (n[-1] * n[0] / n)[::-1])
    last = np.where(short[gaining, -1] <= 0, np.inf, last)
    return range_of(first), range_of(last), int(n[-1])


def _machine(machine) -> Machine | None:
    return machine if machine is None or isinstance(machine, Machine) else load_machine(machine)


def _as_listed(path: CodePath, changed: Variant, before: Variant) -> Variant:
    """The path's own variant with the same stages in the same table, where it lists one."""
    for known in path.variants:
        same = set(known.stages) == set(changed.stages) and known.packets_per_lap == changed.packets_per_lap
        if same and known.dataset == before.dataset:
            return known
    return changed
