"""What if a stage went: the same path without it, predicted and compared with what was before."""

from dataclasses import dataclass

import numpy as np

from mpps.compare import fit
from mpps.explain import limits
from mpps.machine import Machine, load_machine
from mpps.path import CodePath, Variant, without_stage
from mpps.predict import Forecast, predict, scope_for
from mpps.uncertainty import LEVELS

#: A change counts as a gain where it raises the rate by more than this.
GAIN = 1.01


@dataclass(frozen=True)
class WhatIf:
    """Before and after at the same core counts; gain quantiles (5, P) of after/before; p: probability of a gain (P,);
    next_bottleneck: rows of n, resource, probability after the change; tradeoffs: what the change gives up."""

    before: Forecast
    after: Forecast
    change: str
    gain: np.ndarray
    probability: np.ndarray
    next_bottleneck: list[dict]
    tradeoffs: tuple[str, ...]

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
    )


def _machine(machine) -> Machine | None:
    return machine if machine is None or isinstance(machine, Machine) else load_machine(machine)


def _as_listed(path: CodePath, changed: Variant, before: Variant) -> Variant:
    """The path's own variant with the same stages in the same table, where it lists one."""
    for known in path.variants:
        same = set(known.stages) == set(changed.stages) and known.packets_per_lap == changed.packets_per_lap
        if same and known.dataset == before.dataset:
            return known
    return changed
