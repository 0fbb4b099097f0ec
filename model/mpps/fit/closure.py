"""By how much a product form is off: event simulation of the same sections, for all cells of a fit side by side."""

import numpy as np

from mpps.fit.problem import Problem
from mpps.path import CodePath, Mechanism, lap, laps_per_ns, sections
from mpps.simulation import simulate

#: Beyond this population the correction by simulation is that of this population: the queue is deep and even.
SIMULATED_SENDERS = 48


def closure_offsets(problem: Problem, x) -> np.ndarray:
    """Log of (simulated rate / product-form rate) at each row, for each of B parameter sets: (B, R)."""
    points = problem.points
    slices = [points.rows_of(index) for index in range(len(points.variants))]
    asked = [(variant, points.n[rows]) for variant, rows in zip(points.variants, slices, strict=True)]
    result = np.zeros((len(x), len(points.n)))
    found = closure_offset(problem.path, problem.mechanism, problem.values(x), asked)
    for rows, (offset, _) in zip(slices, found, strict=True):
        result[:, rows] = offset
    return result


def closure_offset(path: CodePath, mechanism: Mechanism, values: dict, asked) -> list[tuple[np.ndarray, np.ndarray]]:
    """Log of (simulated rate / product-form rate) for each (variant, n (P,)) of `asked`, and the standard
    error that the simulation has of it: a list of pairs of (B, P).

    values name -> (B, 1), or (B, P) when all of `asked` share their n. Zero for one sender, without a station, and for
    mechanisms whose product form is exact. All cells are simulated side by side.
    """
    size = len(next(iter(values.values())))
    result = [(np.zeros((size, len(n))), np.zeros((size, len(n)))) for _, n in asked]
    if mechanism.reading not in ("start", "current"):
        return result
    cells, places = [], []
    for index, (variant, n) in enumerate(asked):
        crowd, first, back = np.unique(
            np.minimum(variant.running(n), SIMULATED_SENDERS).astype(int), return_index=True, return_inverse=True
        )
        many = crowd > 1
        if not many.any():
            continue
        here = {name: value if value.shape[1] == 1 else value[:, first[many]] for name, value in values.items()}
        numbers = lap(path, variant, mechanism, here, crowd[many])
        if numbers.section_ns is None:
            continue
        service = sections(mechanism, numbers, here, np.arange(1.0, SIMULATED_SENDERS + 1))
        shape = (size, int(many.sum()))
        cells.append(
            (
                np.broadcast_to(crowd[many], shape),
                np.broadcast_to(numbers.think_ns, shape),
                np.broadcast_to(service, (*shape, SIMULATED_SENDERS)),
            )
        )
        places.append((index, many, back, laps_per_ns(mechanism, numbers, here, crowd[many])))
    if not cells:
        return result
    senders, think, service = (
        np.concatenate([cell[k].reshape(-1, *cell[k].shape[2:]) for cell in cells]) for k in range(3)
    )
    simulated = simulate(
        senders,
        think,
        service,
        think_variation=mechanism.variation,
        section_variation=mechanism.variation,
        reading=mechanism.reading,
    )
    period, error = simulated.period_ns, simulated.error_ns / simulated.period_ns
    done = 0
    for index, many, back, network in places:
        here = slice(done, done + network.size)
        pair = np.zeros((2, size, len(many)))
        pair[0][:, many] = -np.log(period[here].reshape(network.shape) * network)
        pair[1][:, many] = error[here].reshape(network.shape)
        result[index] = (pair[0][:, back], pair[1][:, back])
        done += network.size
    return result
