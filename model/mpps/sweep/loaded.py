"""Below saturation in a sweep: each set's curve as what busy cores carry, through `mpps.load`, as `mpps.load.under_load` has it
of a fit."""

from dataclasses import dataclass

import numpy as np

from mpps.path import CEILING, demands
from mpps.sweep import outputs

#: Output -> columns: name, what `mpps.load.loaded` calls it.
_COLUMNS = {
    "utilisation": (("utilisation", "busy"),),
    "headroom": (("headroom", "headroom"),),
    "delay": (("delay_ns", "delay_ns"), ("delay_99_ns", "delay_99_ns")),
    "drops": (("drops", "dropped"),),
}


@dataclass(frozen=True, eq=False)
class Below:
    """What loads need beside the curve. asked (N,): core counts of the rows; variant: with its ceilings, which the curve is
    without; variation, wake, moderation (D,), see `mpps.load.loaded`; shares: core count -> (D, n), empty for an even load;
    queues: cores that get packets at most."""

    asked: np.ndarray
    variant: object
    variation: np.ndarray
    wake: np.ndarray
    moderation: np.ndarray
    queues: int
    shares: dict


def below(spec, variant, draws: int, chosen, queues: int, flows: int | None) -> Below:
    """The draws that go with `chosen` ones of a fit's `draws`; their medians without draws."""
    from mpps.load.forecast import VARIATION, placed
    from mpps.load.wake import MODERATION, WAKE
    from mpps.machine.draws import draw_assumption

    drawn = [
        draw_assumption(item, draws, np.random.default_rng([spec.seed, 9, place]))[chosen]
        for place, item in enumerate((VARIATION, WAKE, MODERATION))
    ]
    shares = {}
    for n in spec.cores:
        fed = min(n, queues)
        if flows is not None and fed > 1:
            found = placed(int(flows), fed, draws, spec.seed)[chosen]
            # Without draws: the one whose fullest queue is in the middle.
            middle = np.argsort(found.max(axis=1))[len(found) // 2]
            shares[n] = found if spec.draws else found[middle : middle + 1]
    if not spec.draws:
        drawn = [np.median(each)[None] for each in drawn]
    return Below(np.array(spec.cores), variant, *drawn, queues, shares)


def under_loads(cell, rates, values_of, wanted, loads, queue: int) -> dict:
    """Columns at loads (L,), packets/s, rows of sets, core counts and loads.

    rates (P, B, D), in the unit of the cell, at the counts of its curve; values_of(part): values of all sets and draws.
    """
    from mpps.load import loaded
    from mpps.load.forecast import all_counts

    one = cell.below
    _, count, draws = rates.shape
    logs = np.log(rates.reshape(len(cell.n), count * draws).T / cell.scale)
    curve = np.exp(all_counts(cell.n, logs))
    again = lambda value: np.tile(value, count)
    ceiling = _ceilings(cell, values_of, count, draws)
    found = []
    for place, n in enumerate(one.asked):
        fed = min(int(n), one.queues)
        shares = one.shares.get(int(n))
        said = loaded(
            curve[:, :fed],
            loads,
            fed,
            queue,
            variation=again(one.variation),
            wake=again(one.wake),
            moderation=again(one.moderation),
            ceiling_pps=ceiling if np.ndim(ceiling) == 0 else ceiling[:, place],
            shares=None if shares is None else np.tile(shares, (count, 1)),
        )
        # Cores without a queue idle.
        found.append(said | {"busy": said["busy"] * (fed / n)})
    # (B, N, L, D), as the rows stand.
    stack = lambda name: np.stack(
        [np.broadcast_to(each[name], (count * draws, len(loads))).reshape(count, draws, -1) for each in found], 1
    ).swapaxes(2, 3)
    columns = {}
    for output, names in _COLUMNS.items():
        if output in wanted:
            for column, name in names:
                spread = outputs.spread(column, stack(name).astype(float))
                columns |= {label: value.ravel() for label, value in spread.items()}
    if "carried" in wanted:
        columns |= {name: stack(name).mean(axis=-1).ravel() for name in ("carried", "metastable")}
    return columns


def _ceilings(cell, values_of, count: int, draws: int):
    """What the device passes, packets/s: (B * D, N), or infinite."""
    from mpps.load.forecast import all_counts

    stages = [name for name in cell.below.variant.stages if cell.path.stage(name).on == CEILING]
    if not stages:
        return np.inf
    parts, fed = [], np.minimum(cell.below.asked, cell.below.queues)
    for part in cell.parts:
        values, mine = values_of(part)
        shape = (count * mine, len(cell.n))
        # At the counts of the curve, as the values are: on another machine some depend on the count.
        amounts = [
            np.broadcast_to(each.amount, shape)
            for each in demands(cell.path, cell.below.variant, part.mechanism, values, cell.n)[0]
            if each.resource == CEILING
        ]
        lowest = np.exp(all_counts(cell.n, np.log(np.minimum.reduce(amounts)))[:, fed - 1])
        parts.append(lowest.reshape(count, mine, -1))
    return np.concatenate(parts, axis=1).reshape(count * draws, -1)
