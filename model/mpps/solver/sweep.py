"""Curves of parameter sets by the million: chunk by chunk through the cache, in bounded memory, on all cores."""

import concurrent.futures
import itertools
import os

import numpy as np

from mpps.locks import handoff_ns
from mpps.solver import curves, growing

#: From so many senders on, powers are cheaper than exponentials.
_DEEP = 4
#: Fewer sets than this for each thread do not pay for starting it.
_WORTH_A_THREAD = 8 * curves.CHUNK


def sweep(
    think_ns,
    section_ns,
    senders: int,
    *,
    handoff: str = "constant",
    values: dict | None = None,
    growth_ns=None,
    reduce=None,
    threads: int | None = None,
) -> np.ndarray:
    """Throughput for n = 1..senders of B parameter sets, laps per ns: (B, senders), or what `reduce` leaves of it.

    think_ns and section_ns (B,) or scalars; values: the parameters of the `handoff` form of `mpps.locks`, (B,) or
    scalars; growth_ns (B,): what each further sender adds to everybody's private work, so that Z = think + growth (n-1).
    reduce: function of a chunk's rates (n, b), returns (b, ...); memory is then that of the result and of a few
    chunks. It runs in several threads. threads: as many as help, which is one for each core where the sets are many and their private work is constant.
    Raises ValueError for lengths that differ.
    """
    values = values or {}
    names = ("think_ns", "section_ns", *values) + (() if growth_ns is None else ("growth_ns",))
    given = [np.asarray(part, float) for part in (think_ns, section_ns, *values.values())]
    if growth_ns is not None:
        given.append(np.asarray(growth_ns, float))
    lengths = {name: part.size for name, part in zip(names, given, strict=True) if part.ndim}
    if len(set(lengths.values())) > 1 or any(part.ndim > 1 for part in given):
        raise ValueError(f"parameter sets are one axis of one length: {lengths}")
    count = next(iter(lengths.values()), 1)
    columns = dict(zip(names, (np.broadcast_to(part, count) for part in given), strict=True))
    depth = np.arange(1.0, senders + 1)[:, None]
    chunk = curves.CHUNK if growth_ns is None else growing.CHUNK

    def work(first):
        part = {name: column[first : first + chunk] for name, column in columns.items()}
        service = _services(handoff, depth, {name: part[name] for name in values}, part["section_ns"])
        if growth_ns is None:
            rates = curves.curves_of_chunk(part["think_ns"], service, lent=True)
        else:
            private = part["think_ns"] + part["growth_ns"] * (depth - 1)
            rates = growing.growing_curve(private.T, service.T).T
        # A copy: the rates lie where those of the next chunk will.
        return first, np.array(rates.T if reduce is None else reduce(rates))

    if threads is None:
        # The many short steps of growing private work wait for the interpreter more than a second core gives.
        threads = max(1, min(_cores(), count // _WORTH_A_THREAD)) if growth_ns is None else 1
    result = None
    for first, found in _in_order(work, range(0, count, chunk), threads):
        if result is None:
            result = np.empty((count, *found.shape[1:]), found.dtype)
        result[first : first + len(found)] = found
    return np.empty((0, senders)) if result is None else result


def _services(handoff, depth, values, section_ns) -> np.ndarray:
    """Sections with hand-off at `depth` (N, 1), (N, b): `mpps.locks.handoff_ns` for many sets."""
    shape = (len(depth), len(section_ns))
    if handoff != "hump" or len(depth) < _DEEP:
        return np.add(handoff_ns(handoff, depth, values), section_ns, out=np.empty(shape))
    # peak w/s exp(1 - w/s) of w = 0, 1, ... waiters is w times powers of exp(-1/s): products in place of exponentials.
    power = np.exp(-1.0 / values["handoff_depth"])
    service = np.empty(shape)
    service[0] = 0.0
    service[1] = values["handoff_peak_ns"] * np.e / values["handoff_depth"] * power
    filled = 2
    while filled < len(depth):
        more = min(filled - 1, len(depth) - filled)
        np.multiply(service[1 : 1 + more], power, out=service[filled : filled + more])
        filled, power = filled + more, power * power
    service *= depth - 1.0
    service += section_ns
    return service


def _in_order(work, tasks, threads):
    """work(task) for each task, a few ahead of what is taken."""
    if threads == 1:
        yield from map(work, tasks)
        return
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        tasks = iter(tasks)
        waiting = [pool.submit(work, task) for task in itertools.islice(tasks, 2 * threads)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(work, task) for task in itertools.islice(tasks, 1)]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
