"""Exact closed networks for these tests, written here: Reiser and Lavenberg 1980, equations 3.1 to 3.5."""

import numpy as np

from mpps.readers import LockUse, Reading, Row


def mean_values(think, demands, most):
    """Rate and times at each station for 1..most senders: list of (rate, times)."""
    demands, queue, found = np.array(demands, float), np.zeros(len(demands)), []
    for n in range(1, most + 1):
        stay = demands * (1 + queue)
        rate = n / (think + stay.sum())
        queue = rate * stay
        found.append((rate, stay))
    return found


def rates(think, demands, counts):
    """Packets/s at the counts, times in ns."""
    found = mean_values(think, demands, max(counts))
    return [found[n - 1][0] * 1e9 for n in counts]


def table(counts, **variants):
    """A reading with a column of packets/s for each variant."""
    rows = [
        Row("t", name, float(n), "throughput", rate, "packets/s", repr(rate), "t.csv", line)
        for name, values in variants.items()
        for line, (n, rate) in enumerate(zip(counts, values, strict=True), start=2)
    ]
    return Reading(tuple(rows), (("t.csv", "tidy", "it has the columns"),))


def locks(think, demands, n, seconds=10.0, holds=True):
    """A profile of a run with n senders: its reading, and its rate."""
    rate, stay = mean_values(think, demands, n)[n - 1]
    packets = rate * 1e9 * seconds
    used = [
        LockUse(f"lock {k}", k + 1, packets, (time - hold) * packets, hold_total_ns=hold * packets if holds else None)
        for k, (time, hold) in enumerate(zip(stay, demands, strict=True))
    ]
    return Reading((), (("locks.txt", "lock-stat", "its head"),), locks=tuple(used)), rate * 1e9
