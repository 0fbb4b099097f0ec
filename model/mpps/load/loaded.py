"""Cores below saturation, as arrays: utilisation, delay, drops at offered loads, for many draws of a predicted curve."""

import numpy as np

from mpps.errors import MppsError
from mpps.load import delay
from mpps.load.carried import mean_over_busy, mean_rate, solve_busy, sustained
from mpps.load.wake import idle_share

#: Below this share of lost packets a load counts as carried.
LOSSLESS = 1e-3
#: Loads this far below the limit at a time, so that memory stays bounded.
_DELAYS = 1 << 15


def loaded(
    curve_pps,
    load_pps,
    n: int | None = None,
    room: int = 1024,
    *,
    variation=0.6,
    wake=0.0,
    moderation=0.0,
    ceiling_pps=np.inf,
    station_busy=None,
    shares=None,
) -> dict[str, np.ndarray]:
    """What happens at offered loads, each (K, L) for K draws of a curve and L loads.

    curve_pps (K, n): rate with 1..n busy cores, without the device's ceiling; load_pps (L,), packets/s of all cores
    together, positive; room: packets that one core's queue holds, the one in service included; variation (K,): coefficient of
    variation of a packet's time on its core; wake, moderation (K,): in times of one packet alone, see `mpps.load.wake`;
    ceiling_pps (K,): what the device passes; station_busy (K, n): busy share of the station with 1..n busy cores; shares
    (K, n): part of the load that hashes to each core, even when None.

    Returns serving (share of time that a core serves), busy (with waking up), busiest (of the busiest core), station,
    carried_pps, dropped (share), delay_ns, delay_99_ns (of the busiest core where the load is uneven), metastable,
    carried (lossless and not metastable), time_ns (of a packet on its core), headroom (1 - load/capacity), and (K, 1)
    capacity_pps: the largest load that is carried for sure, clipped by the ceiling. Raises `MppsError` for bad values.
    """
    curve, load = np.atleast_2d(np.asarray(curve_pps, float)), np.atleast_1d(np.asarray(load_pps, float))
    n = curve.shape[1] if n is None else int(n)
    _check(curve, load, n, room)
    curve = curve[:, :n]
    draws = len(curve)
    column = lambda value: np.broadcast_to(np.asarray(value, float), (draws,))[:, None]
    variation, wake, moderation, ceiling = (column(each) for each in (variation, wake, moderation, ceiling_pps))
    passed = np.minimum(load[None, :], ceiling)
    rate = mean_rate(curve)
    serving, metastable = solve_busy(rate, passed, shares, n)
    # Time of a packet on its core while the cores are that busy.
    time = n * serving / np.maximum(mean_over_busy(curve, serving), 1e-300) * 1e9
    alone = 1e9 / curve[:, :1]
    largest = np.ones((draws, 1)) if shares is None else np.max(shares, axis=1)[:, None] * n
    if shares is None:
        offered = passed * time / n / 1e9
        lost_cores = _per_core(delay.drops, offered, variation, room, wake, moderation, alone, time)
        lost = lost_cores
    else:
        each = passed[..., None] * shares[:, None, :] * time[..., None] / 1e9
        wide = lambda value: np.broadcast_to(value[..., None], each.shape)
        lost_cores = _per_core(
            delay.drops, each, wide(variation), room, wide(wake), wide(moderation), wide(alone), wide(time)
        )
        lost = (lost_cores * shares[:, None, :]).sum(-1)
        offered = passed * largest * time / n / 1e9
    wait = _per_core(delay.mean_wait, offered, variation, room, wake, moderation, alone, time)
    late = _per_core(delay.quantile, offered, variation, room, wake, moderation, alone, time)
    arrival = passed / n
    busy = 1 - idle_share(serving, arrival, wake * alone, moderation * alone)
    top = np.minimum(offered, 1.0)
    carried = passed * (1 - lost)
    limit = sustained(rate)[:, None]
    if shares is not None:
        limit = np.minimum(limit, _first_full(rate, largest, n))
    capacity = np.minimum(limit, ceiling)
    dropped = 1 - carried / load
    return {
        "serving": serving,
        "busy": busy,
        "busiest": 1 - idle_share(top, arrival * largest, wake * alone, moderation * alone),
        "station": None if station_busy is None else mean_over_busy(np.asarray(station_busy, float)[:, :n], serving),
        "time_ns": time,
        "carried_pps": carried,
        "dropped": dropped,
        "delay_ns": (1 + wait) * time,
        "delay_99_ns": late * time,
        "metastable": metastable & (serving < 1 - 1e-9),
        "carried": (dropped < LOSSLESS) & (load <= capacity),
        "headroom": 1 - load / capacity,
        "capacity_pps": capacity,
    }


def _per_core(measure, offered, variation, room, wake, moderation, alone, time):
    """`measure` of delay.py, the pause before a busy period, moderation and wake-up, in times of a packet as it is now."""
    pause = np.broadcast_to((wake + moderation) * alone / time, offered.shape)
    offered, variation = np.broadcast_arrays(offered, variation)
    flat, spread, start = offered.ravel(), variation.ravel(), pause.ravel()
    found = [
        measure(flat[k : k + _DELAYS], spread[k : k + _DELAYS], room, start[k : k + _DELAYS])
        for k in range(0, flat.size, _DELAYS)
    ]
    return np.concatenate(found).reshape(offered.shape)


def _first_full(rate, largest, n):
    """Load at which the core with the largest part of it is full, (K, 1): it is where its part times the time of a packet is 1."""
    from mpps.load.carried import GRID

    # The others are then busy in proportion: mean busy share is one over how many times its share the busiest has.
    mean_busy = np.clip(1 / largest[:, 0], 0.0, 1.0)
    return np.array([np.interp(share, GRID, each) for share, each in zip(mean_busy, rate, strict=True)])[:, None]


def _check(curve, load, n, room) -> None:
    if not (np.isfinite(load).all() and (load > 0).all()):
        raise MppsError(f"load {load[~(np.isfinite(load) & (load > 0))][0]:g} packets/s: expected positive numbers")
    if not 1 <= n <= curve.shape[1]:
        raise MppsError(f"{n} cores: expected from 1 to {curve.shape[1]}, the counts that the curve has")
    if not (np.isfinite(room) and room >= 1 and room == int(room)):
        raise MppsError(f"room = {room:g}: expected a whole number of packets from 1")
    if not (np.isfinite(curve).all() and (curve > 0).all()):
        raise MppsError("the curve has values that are no positive numbers")
