"""What a sweep can answer for a parameter set, from rates (P, B, D): populations, sets, draws (one without a mixture).

Of each core count: rate, gain, limits, and with loads utilisation, headroom, delay, drops, carried. Of each set as a whole:
peak_cores, peak_rate, knee, limits_first, and with loads cores_for_load.
"""

import numpy as np

from mpps.uncertainty import LEVELS

#: Name -> what it says, one row for each core count.
EACH = {
    "rate": "rate in the unit of the source's table",
    "gain": "rate over that of the variant `against`, a ratio, and the probability that it is above 1.01",
    "limits": "the resource that most probably limits, and its probability",
}
#: The same with loads, one row for each core count and load.
LOADED = {
    "utilisation": "share of time that a core is busy",
    "headroom": "share of the rate that the load leaves",
    "delay": "time from arrival to departure in ns: mean, and the 99th percentile",
    "drops": "share of packets that a full queue drops",
    "carried": "probability that the load is carried",
}
#: One row for each parameter set.
WHOLE = {
    "peak_cores": "core count with the highest rate; null where it is the last one asked",
    "peak_rate": "the highest rate at the core counts asked",
    "knee": "core count from which something other than private work limits; null where nothing does up to the last one",
    "limits_first": "what limits from the knee on",
}
#: One row for each parameter set and load.
WHOLE_LOADED = {
    "cores_for_load": "fewest cores of those asked that the machine has and whose rate reaches the load; null where none do"
}

NEEDS_BOUNDS = {"limits", "knee", "limits_first"}


def spread(name: str, values, half: bool = False) -> dict:
    """Columns of a quantity over draws (..., D): the median and the ends of its 90 % interval; of one set the value.

    half: also the ends of the 50 % interval. Values may be infinite: quantiles are then values that occur.
    """
    if values.shape[-1] == 1:
        return {name: values[..., 0]}
    levels = LEVELS if half else (LEVELS[0], LEVELS[2], LEVELS[4])
    method = "linear" if np.isfinite(values).all() else "lower"
    found = np.quantile(values, levels, axis=-1, method=method)
    names = ("lower", "lower50", "", "upper50", "upper") if half else ("lower", "", "upper")
    order = sorted(range(len(names)), key=lambda place: names[place] != "")
    return {f"{name}_{names[place]}".rstrip("_"): found[place] for place in order}


def peak(rates, n) -> tuple[np.ndarray, np.ndarray]:
    """Core count of the highest rate, (B, D), infinite where it is the last of several; and that rate."""
    best = rates.argmax(axis=0)
    cores = n[best].astype(float)
    if len(n) > 1:
        cores[best == len(n) - 1] = np.inf
    return cores, np.take_along_axis(rates, best[None], 0)[0]


def cores_for(rates, n, load: float) -> np.ndarray:
    """Fewest cores of n whose rate reaches `load`, (B, D); infinite where none do."""
    reached = rates >= load
    first = reached.argmax(axis=0)
    return np.where(np.take_along_axis(reached, first[None], 0)[0], n[first].astype(float), np.inf)


def crossing(gap, n) -> np.ndarray:
    """Core count where gap (P, ...) first falls to 0, interpolated in log n; infinite where it never does."""
    below = gap <= 0
    first = below.argmax(axis=0)
    before = np.maximum(first - 1, 0)
    here, last = (np.take_along_axis(gap, place[None], 0)[0] for place in (first, before))
    at = np.log(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(first > 0, last / (last - here), 0.0)
    found = np.exp(at[before] + share * (at[first] - at[before]))
    return np.where(below.any(axis=0), found, np.inf)


def knees(bounds: dict, n) -> tuple[np.ndarray, np.ndarray]:
    """Knee (B, D), and the place in `bounds` of what limits at the first core count beyond it; 0 is private work."""
    names = list(bounds)
    private = bounds["private work"]
    others = np.stack([bounds[name] for name in names if name != "private work"]) if len(names) > 1 else None
    if others is None:
        return np.full(private.shape[1:], np.inf), np.zeros(private.shape[1:], int)
    lowest = others.min(axis=0)
    gap = np.log(lowest) - np.log(private)
    knee = crossing(gap, n)
    first = (gap <= 0).argmax(axis=0)
    which = np.take_along_axis(others.argmin(axis=0), first[None], 0)[0] + 1
    return knee, np.where(np.isfinite(knee), which, 0)


def most_probable(place, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Of places (..., D) below `count`: the one that most draws have, and their share."""
    shares = np.stack([(place == index).mean(axis=-1) for index in range(count)], axis=-1)
    return shares.argmax(axis=-1), shares.max(axis=-1)
