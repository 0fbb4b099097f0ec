"""The sliders of an explorer, and what they do to a code path: the same change that the page makes, in Python."""

from dataclasses import dataclass, replace

import numpy as np

from mpps.path import CEILING, CORE, STATION, CodePath, Mechanism, Stage, Variant

#: Factors on what the fit says: by twentieths below, wider above.
FACTORS = tuple(round(f, 2) for f in (*np.arange(25, 100, 5) / 100, *np.arange(10, 20) / 10, *np.arange(2, 4.01, 0.25)))
#: A hand-off may be taken away altogether.
HANDOFF_FACTORS = (*(round(0.05 * k, 2) for k in range(5)), *FACTORS)
#: Packets per skb that can be chosen, beside the fitted number.
COALESCING = (1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64)


@dataclass(frozen=True)
class Moves:
    """Where the sliders stand: factors on section, hand-off, private work and ceiling; packets per skb (None: fitted).

    Each is a number or an array (B,) of positions that are asked side by side.
    """

    section: float | np.ndarray = 1.0
    handoff: float | np.ndarray = 1.0
    private: float | np.ndarray = 1.0
    ceiling: float | np.ndarray = 1.0
    coalescing: float | np.ndarray | None = None


def coalescing_of(path: CodePath, variant: Variant) -> str | None:
    """The parameter that says how many packets a lap carries, where nothing else depends on it; None where there is none."""
    name = variant.packets_per_lap
    if name not in {parameter.name for parameter in path.parameters}:
        return None
    return None if any(name in stage.demand for stage in path.stages if stage.name in variant.stages) else name


def moved(path: CodePath, variant: Variant, mechanism: Mechanism, values: dict, moves: Moves):
    """The path with its demands scaled as the sliders say, its variant, and values name -> (B, 1).

    The factors are parameters of the demands, so that `rate_pps` and `closure_offset` answer for many positions at once.
    """
    found = path.stages_of(variant, mechanism)
    present = {stage.name for stage in found}
    stages = [part for stage in found for part in _moved_stage(stage, present, mechanism)]
    column = lambda value: np.atleast_1d(np.asarray(value, float))[:, None]
    factors = {f"explore_{name}": column(getattr(moves, name)) for name in ("section", "private", "ceiling")}
    changed = {
        name: value * column(moves.handoff) if name.endswith("_ns") and name.startswith("handoff_") else value
        for name, value in values.items()
    }
    skb = coalescing_of(path, variant)
    if skb and moves.coalescing is not None:
        changed[skb] = column(moves.coalescing)
    size = max(len(value) for value in (*factors.values(), *changed.values()))
    values = {name: np.broadcast_to(value, (size, 1)) for name, value in (changed | factors).items()}
    names = tuple(stage.name for stage in stages)
    return replace(path, stages=tuple(stages)), replace(variant, stages=names), values


def _moved_stage(stage: Stage, present: set, mechanism: Mechanism) -> list[Stage]:
    locked = bool(present & set(stage.inside))
    if stage.on != CORE and stage.inside and not locked:
        return []
    if stage.on == CEILING:
        return [replace(stage, demand=f"({stage.demand})*explore_ceiling", inside=())]
    if not (stage.on == STATION or locked) or mechanism.reading == "spread":
        return [replace(stage, demand=f"({stage.demand})*explore_private", on=CORE, inside=(), share="1")]
    serial = f"({stage.demand})*explore_section"
    if stage.share == "1":
        return [replace(stage, demand=serial, on=STATION, inside=())]
    rest = f"({stage.demand})*(1 - ({stage.share}))*explore_private"
    return [
        replace(stage, demand=f"{serial}*({stage.share})", on=STATION, inside=(), share="1"),
        replace(stage, name=f"{stage.name}, rest", demand=rest, on=CORE, inside=(), share="1"),
    ]
