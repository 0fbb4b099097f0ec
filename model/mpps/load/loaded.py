"""Cores below saturation, as arrays: utilisation, delay, drops at offered loads, for many draws of a predicted curve."""

import numpy as np

from mpps.errors import MppsError
from mpps.load import delay
from mpps.load.carried import carried, solve_busy, states_at, sustained
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

    Returns, each (K, L): serving (share of time that a core serves), busy (with waking up), busiest (of the busiest core),
    station, carried_pps, dropped (share), delay_ns and delay_99_ns (of the busiest core where the load is uneven), time_ns
    (of a packet on its core), second (a busier state holds itself up as well), metastable (and that one loses packets),
    carried (lossless and not metastable), headroom (1 - load/capacity); and each (K, 1): capacity_pps (the largest load that
    is carried in every state, clipped by the ceiling), all_busy_pps (what is carried once all cores are busy), calm_pps (the
    largest load without a second state). Raises `MppsError` for bad values.
    """
    curve, load = np.atleast_2d(np.asarray(curve_pps, float)), np.atleast_1d(np.asarray(load_pps, float))
    n = curve.shape[1] if n is None else int(n)
    _check(curve, load, n, room)
    curve = curve[:, :n]
    draws = len(curve)
    column = lambda value: np.broadcast_to(np.asarray(value, float), (draws,))[:, None]
    variation, wake, moderation, ceiling = (column(each) for each in (variation, wake, moderation, ceiling_pps))
    passed = np.minimum(load[None, :], ceiling)
    found = carried(curve)
    serving, second = solve_busy(found, passed, shares)
    states = states_at(found, serving)
    # Time of a packet on its core while the cores are that busy; that other cores come and go makes it vary more.
    busy_cores, rate = states @ np.arange(n + 1.0), np.einsum("klm,km->kl", states[..., 1:], curve)
    time = busy_cores / rate * 1e9
    square = np.einsum("klm,km->kl", states[..., 1:], np.arange(1, n + 1.0) ** 2 / curve) / rate * 1e18
    variation = np.sqrt(np.maximum((1 + variation**2) * square / time**2 - 1, 1e-4))
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
    # Many cores at one lock wait in its queue, which comes and goes slower than the queue of a core.
    mean = (1 + wait) * time
    longer = np.clip(delay.shared_queue(curve, passed, room) / mean, 1.0, room)
    arrival = passed / n
    busy = 1 - idle_share(serving, arrival, wake * alone, moderation * alone)
    top = np.minimum(offered, 1.0)
    accepted = passed * (1 - lost)
    all_busy = curve[:, -1:]
    limit = all_busy if shares is None else np.minimum(all_busy, _first_full(found, largest))
    capacity = np.minimum(limit, ceiling)
    second &= serving < 1 - 1e-9
    metastable = second & (passed > all_busy)
    dropped = np.maximum(1 - accepted / load, 0.0)
    return {
        "serving": serving,
        "busy": busy,
        "busiest": 1 - idle_share(top, arrival * largest, wake * alone, moderation * alone),
        "station": None if station_busy is None else _mean(states, station_busy, n),
        "time_ns": time,
        "carried_pps": accepted,
        "dropped": dropped,
        "delay_ns": mean * longer,
        "delay_99_ns": late * time * longer,
        "second": second,
        "metastable": metastable,
        "carried": (dropped < LOSSLESS) & ~metastable,
        "headroom": 1 - load / capacity,
        "capacity_pps": capacity,
        "all_busy_pps": np.minimum(all_busy, ceiling),
        "calm_pps": np.minimum(sustained(found)[:, None], ceiling),
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


def _mean(states, station_busy, n):
    return np.einsum("klm,km->kl", states[..., 1:], np.asarray(station_busy, float)[:, :n])


def _first_full(found, largest):
    """Load at which the core with the largest part of it is full, (K, 1): the others are then busy in proportion."""
    mean_busy = np.clip(1 / largest[:, 0], 0.0, 1.0)
    rows = zip(mean_busy, found.busy, found.rate, strict=True)
    return np.array([np.interp(share, busy, rate) for share, busy, rate in rows])[:, None]


def _check(curve, load, n, room) -> None:
    if not (np.isfinite(load).all() and (load > 0).all()):
        raise MppsError(f"load {load[~(np.isfinite(load) & (load > 0))][0]:g} packets/s: expected positive numbers")
    if not 1 <= n <= curve.shape[1]:
        raise MppsError(f"{n} cores: expected from 1 to {curve.shape[1]}, the counts that the curve has")
    if not (np.isfinite(room) and room >= 1 and room == int(room)):
        raise MppsError(f"room = {room:g}: expected a whole number of packets from 1")
    if not (np.isfinite(curve).all() and (curve > 0).all()):
        raise MppsError("the curve has values that are no positive numbers")
