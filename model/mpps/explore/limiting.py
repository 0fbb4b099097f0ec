"""What limits a code path where the sliders stand: `mpps.explain.limits` from inputs that are already at hand."""

import numpy as np

from mpps.explain import ceilings
from mpps.explore.bases import PRIVATE, Base, part
from mpps.path import CodePath, Variant, demands, lap, sections


def limits_at(path: CodePath, variant: Variant, base: Base, cores: int, settings: dict) -> list[tuple[str, float]]:
    """Resource and share of the members with the lowest bound there, largest first, at one of the counts of `base`.

    Bounds as in `mpps.explain.bounds_pps`: private work n/(Z+S), station 1/S(n), ceilings.
    """
    n = np.array([cores])
    at = base.n == cores
    bounds = []
    for values, mechanism in base.inputs:
        size = len(next(iter(values.values())))
        values = {name: part(value, slice(None), at) for name, value in values.items()}
        values |= {name: np.full((size, 1), held) for name, held in settings.items() if name in values}
        numbers, running = lap(path, variant, mechanism, values, n), variant.running(n)
        section = 0.0 if numbers.section_ns is None else numbers.section_ns
        rates = {PRIVATE: running * numbers.packets * 1e9 / (numbers.think_ns + section)}
        if numbers.section_ns is not None:
            full = section
            if mechanism.reading != "bound":
                full = sections(mechanism, numbers, values, running.astype(float))[..., 0]
            rates[path.station] = numbers.packets * 1e9 / full
        rates |= ceilings(demands(path, variant, mechanism, values, n)[0], (size, 1))
        bounds.append({name: np.broadcast_to(rate, (size, 1))[:, 0] for name, rate in rates.items()})
    names = list(dict.fromkeys(name for here in bounds for name in here))
    # A mechanism without a resource is not bounded by it.
    free = [np.full(len(here[PRIVATE]), np.inf) for here in bounds]
    every = [np.concatenate([here.get(name, inf) for here, inf in zip(bounds, free, strict=True)]) for name in names]
    lowest = np.argmin(every, axis=0)
    shares = sorted(((float((lowest == place).mean()), name) for place, name in enumerate(names)), reverse=True)
    return [(name, share) for share, name in shares if share > 0]
