"""What if: the same path after changes (`mpps.alter`), predicted and compared with what was before."""

from dataclasses import dataclass, replace

import numpy as np

from mpps.alter import altered, fit_for_changes, parse_changes
from mpps.explain import Range, first_crossing, limits, range_of, search_counts
from mpps.influence import by_influence, with_influence
from mpps.machine import Machine, load_machine
from mpps.path import CodePath, Variant
from mpps.predict import Forecast, curves_of, predict
from mpps.structure import structural_spread
from mpps.uncertainty import LEVELS

#: A change counts as a gain where it raises the rate by more than this.
GAIN = 1.01


@dataclass(frozen=True)
class WhatIf:
    """Before and after at the same core counts; gain quantiles (5, P) of after/before; p: probability of a gain (P,);
    next_bottleneck: rows of n, resource, probability after the change; tradeoffs: what the change gives up; notes: what it
    takes for granted;
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
    notes: tuple[str, ...] = ()

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
    changes=(),
    machine=None,
    placement: str = "packed",
    seed: int = 1,
) -> WhatIf:
    """Take `without` (stages) from variant `start`, set parameters, apply `changes`, and predict before and after.

    placement: of the senders on the machine, `packed` or `spread`.
    changes: mappings or texts as `mpps.alter.parse_changes` takes them, as "scale:receive body=0.5" or {"queues": 8}.
    Members and machine draws are shared, so what both sides have in common cancels in the gain.
    Raises MppsError for unknown names, for a stage that the variant does not have, and for a change without meaning here.
    """
    before_variant = path.variant(start)
    asked = all_changes(without, settings, changes)
    # One fit for both sides: their difference is then the change alone.
    fitted = fit_for_changes(path, before_variant, asked, seed=seed)
    new = altered(fitted, before_variant, asked)
    here = {"machine": machine, "placement": placement, "seed": seed}
    before = predict(path, cores, variant=before_variant, fitted=fitted, **here)
    after = predict(new.path, cores, variant=new.variant, settings=new.settings, fitted=new.fitted, **here)
    own = with_influence(new.assumptions, new.drawn(), after.curves[:, -1])
    after = replace(after, assumptions=by_influence((*after.assumptions, *own)))
    difference = after.curves - before.curves
    where = here | {"machine": _machine(machine), "settings": new.settings}
    return WhatIf(
        before,
        after,
        new.change,
        np.quantile(np.exp(difference), LEVELS, axis=0),
        (np.exp(difference) > GAIN).mean(axis=0),
        limits(new.fitted, new.variant, before.n, **where),
        new.tradeoffs,
        *break_even(fitted, before_variant, new.variant, changed=new.fitted, **where),
        new.notes,
    )


def all_changes(without=(), settings: dict | None = None, changes=()) -> tuple:
    """Stages to go without, parameters to set and other changes as one list; raises `MppsError` for one that is named twice."""
    stages = [without] if isinstance(without, str) else list(without)
    rest = [changes] if isinstance(changes, (str, dict)) else list(changes)
    return parse_changes([*({"remove": stage} for stage in stages), *([{"set": settings}] if settings else []), *rest])


def break_even(
    fitted, before: Variant, after: Variant, *, changed=None, machine=None, settings=None, placement="packed", seed: int = 1
):
    """Counts from which on and up to which `after` gains more than `GAIN` over `before`, over the members, and the largest
    count that is looked at: (Range, Range, int). Interpolated in log n; unbounded where fewer than half of the draws gain. changed: the fit of `after`, where it is another.
    """
    n = search_counts(fitted, before)
    source = load_machine(fitted.path.machine)
    spread, _ = structural_spread(fitted, before, n)
    target = machine or source
    start, end = (
        curves_of(one, variant, n, source, target, given, seed, spread, placement)[0]
        for one, variant, given in ((fitted, before, {}), (changed or fitted, after, settings or {}))
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
    return None if machine is None else load_machine(machine)
