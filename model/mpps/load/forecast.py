"""Offered loads on a code path: its predicted curve as what busy cores carry, and how sure that is."""

from dataclasses import dataclass, replace

import numpy as np

from mpps.alter import altered, fit_for_changes, parse_changes
from mpps.compare import Fit
from mpps.errors import MppsError
from mpps.explain import bounds_pps
from mpps.influence import by_influence, share_of_variance
from mpps.load.loaded import loaded
from mpps.load.wake import MODERATION, WAKE
from mpps.machine import Assumption, Machine, load_machine
from mpps.machine.draws import draw_assumption
from mpps.network import depths, solve
from mpps.path import CEILING, CodePath, Variant, lap, sections
from mpps.predict import inputs_of, predict

#: The middle and the ends of the 90 % interval.
ENDS = (0.5, 0.05, 0.95)
VARIATION = Assumption(
    "coefficient of variation of the time that a core takes for a packet",
    0.6,
    0.25,
    1.2,
    "ratio",
    "0.1 to 0.2 for the work itself, near 1 with misses and waits for a lock; nobody published it for these paths",
)
NOTES = (
    "Packets arrive at random (Poisson); bursts make delay, drops and what is lost of a metastable load larger.",
    "Each core has a queue of its own and is busy on its own account.",
)
#: Counts up to this one are all looked at; beyond, about eight a doubling, with the curve between them.
_EVERY, _A_DOUBLING = 32, 8
#: Counts at which the station is solved.
_STATION_COUNTS = 14
#: Numbers of a row that have an interval.
MEASURES = (
    "busy", "serving", "busiest", "station", "headroom", "carried_pps", "dropped", "delay_ns", "delay_99_ns", "time_ns", "capacity_pps", "all_busy_pps", "calm_pps",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LoadForecast:
    """Offered loads (L,) in packets/s at core counts n (N,); `measures`: name -> (N, K, L) over the K draws, see
    `mpps.load.loaded`; limiting: what is full first at each n, with its probability."""

    path: CodePath
    variant: str
    machine: str
    n: np.ndarray
    load_pps: np.ndarray
    room: int
    measures: dict
    limiting: tuple[tuple[str, float], ...]
    assumptions: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()
    unit: str = "packets/s"

    def rows(self) -> list[dict]:
        """One dict for each count and load: n, load_pps, probabilities p_carried, p_metastable and p_second, saturates and saturates_p,
        and for each of `MEASURES` median, lower and upper (90 %); None for a station that the path does not have."""
        found = []
        for k, n in enumerate(self.n):
            one = {name: value[k] for name, value in self.measures.items()}
            found += spread_rows(one, int(n), self.load_pps, self.limiting[k])
        return found


def spread_rows(one: dict, n: int, loads, saturates: tuple[str, float]) -> list[dict]:
    """Rows of `LoadForecast` for what `mpps.load.loaded` answers for n cores at loads (L,)."""
    found = []
    for j, load in enumerate(loads):
        row = {"n": n, "load_pps": float(load), "saturates": saturates[0], "saturates_p": saturates[1]}
        row |= {f"p_{name}": float(one[name][:, j].mean()) for name in ("carried", "metastable", "second")}
        for name in MEASURES:
            value = one[name]
            at = None if value is None else np.quantile(value[:, min(j, value.shape[1] - 1)], ENDS)
            row[name] = None if at is None else dict(zip(("median", "lower", "upper"), map(float, at), strict=True))
        found.append(row)
    return found


def under_load(
    path: CodePath,
    cores,
    loads_pps,
    *,
    variant: str | Variant,
    machine: str | Machine | None = None,
    settings: dict | None = None,
    changes=(),
    room: int = 1024,
    flows: int | None = None,
    wakes: bool = True,
    placement: str = "packed",
    seed: int = 1,
    fitted: Fit | None = None,
) -> LoadForecast:
    """Utilisation, headroom, delay and drops of `variant` at loads (packets/s, all cores together) on n cores.

    cores: counts of cores, each with a queue of `room` packets; flows: so many hash onto the cores, None for an even load;
    wakes: idle cores sleep and are woken by an interrupt (else they poll); changes: as `mpps.alter` takes them, where
    queues and flows say how many cores get packets. Raises `MppsError` for bad counts, loads, rooms and names.
    """
    cores = sorted({int(n) for n in np.atleast_1d(cores)})
    if not cores or cores[0] < 1:
        raise MppsError(f"core counts are whole numbers from 1, not {cores}")
    loads = np.unique(np.atleast_1d(np.asarray(loads_pps, float)))
    if not (loads.size and np.isfinite(loads).all() and (loads > 0).all()):
        raise MppsError(f"loads {loads.tolist()}: expected positive packets/s")
    start = path.variant(variant) if isinstance(variant, str) else variant
    asked, queues, flows = split_queues(parse_changes(changes), flows)
    if flows is not None and (flows < 1 or flows != int(flows)):
        raise MppsError(f"flows = {flows:g}: expected a whole number from 1")
    fitted = fitted or fit_for_changes(path, start, asked, seed=seed)
    new = altered(fitted, start, asked)
    found, settings = new.variant, new.settings | (settings or {})
    counts = counts_up_to(min(cores[-1], queues))
    where = {"machine": machine, "settings": settings, "placement": placement, "seed": seed}
    bare = without_ceilings(new.path, found)
    forecast = predict(new.path, counts, variant=bare, fitted=new.fitted, **where)
    target = load_machine(path.machine if machine is None else machine)
    card = where | {"machine": target}
    pace = all_counts(counts, forecast.curves)
    ceilings = {
        name: bound
        for name, bound in bounds_pps(new.fitted, found, np.minimum(cores, queues), **card).items()
        if any(stage.name == name and stage.on == CEILING for stage in new.path.stages)
    }
    station = _station(new.fitted, bare, counts, forecast.curves, **card)
    draws = len(pace)
    variation, wake, moderation = (
        draw_assumption(item, draws, np.random.default_rng([seed, 9, k]))
        for k, item in enumerate((VARIATION, WAKE, MODERATION))
    )
    measures: dict[str, list] = {}
    limiting = []
    for index, n in enumerate(cores):
        fed = min(n, queues)
        shares = None if flows is None or fed == 1 else placed(int(flows), fed, draws, seed)
        ceiling = np.min([bound[:, index] for bound in ceilings.values()], axis=0) if ceilings else np.inf
        one = loaded(
            np.exp(pace[:, :fed]),
            loads,
            fed,
            room,
            variation=variation,
            wake=wake if wakes else 0.0,
            moderation=moderation if wakes else 0.0,
            ceiling_pps=ceiling,
            station_busy=None if station is None else station[:, :fed],
            shares=shares,
        )
        # Cores without a queue idle.
        one |= {name: one[name] * (fed / n) for name in ("busy", "serving")}
        for name, value in one.items():
            measures.setdefault(name, []).append(value)
        limiting.append(_first_full(one, ceilings, index, new.path.station, station, fed, shares))
    listed = _influential(measures, variation, wake if wakes else None, moderation)
    return LoadForecast(
        new.path,
        found.name,
        forecast.machine,
        np.array(cores),
        loads,
        room,
        measures,
        tuple(limiting),
        (*forecast.assumptions, *new.assumptions, *listed),
        (*new.notes, *NOTES),
        forecast.unit,
    )


def _influential(measures, variation, wake, moderation) -> tuple[Assumption, ...]:
    """What a load rests on beside the prediction, with its share of the variance of utilisation or of the late delay, at the
    largest count and the middle load, whichever is more."""
    column = measures["busy"][-1].shape[1] // 2
    # A load of next to nothing keeps cores busy for a time that rounds to 0.
    busy, late = (np.log(np.maximum(measures[name][-1][:, column], 1e-300)) for name in ("busy", "delay_99_ns"))
    drawn = {VARIATION: variation} | ({WAKE: wake, MODERATION: moderation} if wake is not None else {})
    share = lambda each: max(share_of_variance(busy, each), share_of_variance(late, each))
    return by_influence(replace(item, influence=round(share(each), 4)) for item, each in drawn.items())


def counts_up_to(last: int) -> np.ndarray:
    """Counts from 1 to `last` at which a curve is predicted: all of the small ones, then about eight a doubling."""
    far = np.geomspace(1, max(last, 2), int(np.ceil(np.log2(max(last, 2)) * _A_DOUBLING)) + 1).round()
    return np.unique(np.concatenate([np.arange(1, min(last, _EVERY) + 1), far[far <= last], [last]])).astype(int)


def all_counts(counts, curves) -> np.ndarray:
    """Log rates (K, P) at counts as those at 1..last, (K, last), straight in log n between them."""
    every = np.arange(1, counts[-1] + 1)
    if len(every) == len(counts):
        return curves
    place = np.interp(np.log(every), np.log(counts), np.arange(len(counts)))
    low = np.minimum(place.astype(int), len(counts) - 2)
    share = place - low
    return curves[:, low] * (1 - share) + curves[:, low + 1] * share


def split_queues(changes, flows=None) -> tuple[tuple, int, int | None]:
    """Parsed changes without queues and flows, which say where packets go; the number of queues, endless without any, and of flows."""
    for change in changes:
        if change.kind == "queues":
            given = change.pairs
            rest = tuple(other for other in changes if other is not change)
            return rest, int(given["queues"]), given.get("flows", flows)
    return changes, np.iinfo(int).max, flows


def without_ceilings(path: CodePath, variant: Variant) -> Variant:
    """The variant whose cores nothing holds up: a ceiling clips the load, and does not keep a core busy."""
    stages = tuple(name for name in variant.stages if path.stage(name).on != CEILING)
    return variant if stages == variant.stages else replace(variant, stages=stages)


def placed(flows: int, queues: int, draws: int, seed: int) -> np.ndarray:
    """Shares of the load on each queue when flows of equal load hash onto them, (draws, queues)."""
    rng = np.random.default_rng([seed, 10, queues])
    return rng.multinomial(flows, np.full(queues, 1 / queues), size=draws) / flows


def _station(fitted: Fit, variant: Variant, counts, curves, *, machine, settings, placement, seed):
    """Busy share of the station with 1..last busy cores, (K, last); None where nothing is serial."""
    pick = np.unique(np.linspace(0, len(counts) - 1, min(len(counts), _STATION_COUNTS)).round().astype(int))
    some = np.asarray(counts)[pick]
    source, rows, done, serial = load_machine(fitted.path.machine), [], 0, False
    for index, one in enumerate(fitted.kept):
        where = {"placement": placement, "variant": variant}
        values, mechanism, _ = inputs_of(fitted, index, some, source, machine, settings, seed, **where)
        numbers = lap(fitted.path, variant, mechanism, values, some)
        mine = np.exp(curves[done : done + len(one.members), pick]) * 1e-9
        done += len(one.members)
        if numbers.section_ns is None:
            rows.append(np.zeros(mine.shape))
            continue
        serial = True
        laps = mine / numbers.packets
        if mechanism.reading == "bound":
            rows.append(np.clip(laps * numbers.section_ns, 0, 1))
            continue
        service = sections(mechanism, numbers, values, depths(int(some.max()), mechanism.parts))
        think = np.broadcast_to(numbers.think_ns, laps.shape)
        service = np.broadcast_to(service, (len(laps), *service.shape[1:]))
        parts = []
        for first in range(0, len(laps), 32):
            here = slice(first, first + 32)
            solved = solve(some, think[here], service[here], parts=mechanism.parts)
            parts.append(solved.utilisation[..., 0] / solved.throughput)
        rows.append(np.clip(laps * np.concatenate(parts), 0, 1))
    if not serial:
        return None
    busy = np.concatenate(rows)
    every = np.log(np.arange(1, counts[-1] + 1))
    return np.stack([np.interp(every, np.log(some), each) for each in busy])


def _first_full(one, ceilings, index, station_name, station, fed, shares) -> tuple[str, float]:
    """What is full first as the load grows, by the draws: a ceiling, the station, the busiest core, or all cores."""
    capacity = one["capacity_pps"][:, 0]
    names = np.full(len(capacity), "the busiest core" if shares is not None else "all cores", dtype=object)
    if station is not None:
        names[station[:, fed - 1] > 0.9] = station_name
    for name, bound in ceilings.items():
        names[bound[:, index] <= capacity * (1 + 1e-9)] = name
    kinds, times = np.unique(names.astype(str), return_counts=True)
    first = times.argmax()
    return str(kinds[first]), float(times[first] / len(names))
