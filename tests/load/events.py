"""Event simulation of cores that share a lock, packet by packet: arrivals, a finite queue for each core, wake-up."""

import heapq
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Seen:
    """Shares of time and of packets, and times in ns: busy (waking up included), serving, station, dropped, delay, late
    (99 %), busiest; in_system: mean packets on all cores; rate: packets/s that were served; offered: packets/s that came."""

    busy: float
    serving: float
    station: float
    dropped: float
    delay: float
    late: float
    busiest: float
    in_system: float
    rate: float
    offered: float


def simulate(n, load_pps, think_ns, section=None, *, room=1024, packets=60_000, variation=1.0, wake_ns=0.0,
             moderation_ns=0.0, shares=None, seed=1) -> Seen:  # fmt: skip
    """n cores, each with a queue of `room` packets, take think_ns and then, in order of arrival, section(depth) ns under one
    lock; work is gamma distributed, arrivals Poisson. An idle core waits moderation_ns after a packet came and takes wake_ns
    to wake up. The first tenth is left out."""
    rng = np.random.default_rng(seed)
    arrival = np.cumsum(rng.exponential(1e9 / load_pps, packets))
    core = rng.choice(n, packets, p=shares)
    square = variation**2
    thinks, works = (rng.gamma(1 / square, square, packets) for _ in range(2))
    begin, end = arrival[packets // 10], arrival[-1]
    events, queue, waiting = [], [[] for _ in range(n)], []
    busy, serving = np.zeros(n), np.zeros(n)
    lock = {"held": False, "time": 0.0}
    counts = {"event": 0, "work": 0, "seen": 0, "dropped": 0, "next": 0}
    delays, now = [], 0.0

    def clip(time):
        return min(max(time, begin), end)

    def later(time, kind, who):
        counts["event"] += 1
        heapq.heappush(events, (time, counts["event"], kind, who))

    def work():
        counts["work"] = (counts["work"] + 1) % packets
        return counts["work"]

    def enter(who):
        lock["held"] = True
        length = works[work()] * section(len(waiting) + 1)
        lock["time"] += clip(now + length) - clip(now)
        later(now + length, "done", who)

    idle = [True] * n
    while counts["next"] < packets or events:
        k = counts["next"]
        if k < packets and (not events or arrival[k] <= events[0][0]):
            now, who = arrival[k], core[k]
            counts["next"] += 1
            counts["seen"] += now > begin
            if len(queue[who]) >= room:
                counts["dropped"] += now > begin
                continue
            queue[who].append(now)
            if idle[who]:
                idle[who] = False
                later(now + moderation_ns, "woken", who)
            continue
        now, _, kind, who = heapq.heappop(events)
        if now > end:
            break
        if kind == "woken":
            busy[who] -= clip(now)
            later(now + wake_ns, "up", who)
        elif kind == "up":
            serving[who] -= clip(now)
            later(now + thinks[work()] * think_ns, "lock", who)
        elif kind == "lock" and section is not None:
            if lock["held"]:
                waiting.append(who)
            else:
                enter(who)
        else:
            if section is not None:
                lock["held"] = False
                if waiting:
                    enter(waiting.pop(0))
            came = queue[who].pop(0)
            if came > begin:
                delays.append(now - came)
            if queue[who]:
                later(now + thinks[work()] * think_ns, "lock", who)
            else:
                idle[who] = True
                busy[who] += clip(now)
                serving[who] += clip(now)
    span = end - begin
    for who in range(n):
        if busy[who] < 0:
            busy[who] += end
        if serving[who] < 0:
            serving[who] += end
    times = np.array(delays)
    return Seen(
        busy.mean() / span, serving.mean() / span, lock["time"] / span, counts["dropped"] / counts["seen"], times.mean(),
        float(np.quantile(times, 0.99)), busy.max() / span, times.sum() / span, len(times) / span * 1e9, counts["seen"] / span * 1e9,
    )  # fmt: skip
