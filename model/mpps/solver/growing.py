"""Curves where private work depends on n: each n is a network of its own, all evaluated together.

As in `curves`, with the think time of each n: `mpps.normalising.rates_of` for all populations.
"""

import numpy as np

from mpps.normalising import rates_of
from mpps.solver.curves import one_by_one

#: Parameter sets in one piece of a sweep.
CHUNK = 1024


def growing_curve(think_ns, service_ns) -> np.ndarray:
    """Throughput for n = 1..N, laps per ns, (..., N); think_ns and service_ns (..., N), at n and at depth 1..N.

    Leading axes broadcast. Agrees with `network.throughput` to 1e-11.
    """
    think, service = np.asarray(think_ns, float), np.asarray(service_ns, float)
    senders = max(think.shape[-1], service.shape[-1])
    shape = np.broadcast_shapes(think.shape[:-1], service.shape[:-1])
    think, service = (np.broadcast_to(part, (*shape, senders)).reshape(-1, senders) for part in (think, service))
    result, good = rates_of(np.arange(1, senders + 1), think, service)
    for bad in np.flatnonzero(~good):
        result[bad] = one_by_one(think[bad], service[bad])
    return result.reshape(*shape, senders)
