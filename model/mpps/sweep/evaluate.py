"""A stretch of the parameter sets of a cell: its rows as columns, in pieces that stay in the cache.

`evaluate` is what workers run: a pure function of the cell and the stretch, whoever calls it.
"""

import numpy as np

from mpps.sweep import outputs
from mpps.sweep.axes import Axes
from mpps.sweep.cell import Cell
from mpps.sweep.kernel import PIECE, bounds, rates


def evaluate(cell: Cell, axes: Axes, first: int, last: int, wanted, loads=(), queue: int = 1024) -> dict:
    """Columns of sets first..last - 1, in the order of the rows: sets slowest, then n (of outputs of each core count), then
    loads. Values are arrays, or (codes, names) of texts; infinite numbers are unbounded.

    wanted: names of `mpps.sweep.outputs`; loads in packets/s, of a table in its unit; queue: packets that wait at most.
    """
    step = max(1, PIECE // max(cell.draws, 1))
    pieces = [
        _piece(cell, axes.take(start, min(start + step, last)), min(step, last - start), wanted, loads, queue)
        for start in range(first, last, step)
    ]
    columns = {}
    for name, value in pieces[0].items():
        if isinstance(value, tuple):
            columns[name] = (np.concatenate([piece[name][0] for piece in pieces]), value[1])
        else:
            columns[name] = np.concatenate([piece[name] for piece in pieces])
    return _framed(cell, axes, first, last, wanted, loads) | columns


def by_core_count(wanted) -> bool:
    """Whether there is a row for each core count."""
    return bool(set(wanted) & (outputs.EACH.keys() | outputs.LOADED.keys()))


def _framed(cell, axes, first, last, wanted, loads) -> dict:
    """The columns that say which row it is."""
    each = by_core_count(wanted)
    counts = len(cell.counts) if each else 1
    many = max(len(loads), 1)
    sets = last - first
    rows = sets * counts * many
    text = lambda value: (np.zeros(rows, np.uint32), (value,))
    frame = {name: text(value) for name, value in cell.labels.items()}
    frame |= {name: np.repeat(value, counts * many) for name, value in axes.take(first, last).items()}
    if each:
        frame["n"] = np.tile(np.repeat(cell.counts.astype(np.int32), many), sets)
    if loads:
        frame["load"] = np.tile(np.asarray(loads, float), sets * counts)
    if {"rate", "peak_rate"} & set(wanted):
        frame["unit"] = text(cell.unit)
    if each and cell.extrapolated is not None:
        for name in ("extrapolated", "hypothetical"):
            frame[name] = np.tile(np.repeat(getattr(cell, name), many), sets)
    return frame


def rates_of(cell: Cell, sets: dict, count: int) -> np.ndarray:
    """Rates of `count` parameter sets in the unit of the cell, without scatter: (P, B, D)."""
    if cell.fixed is not None:
        return np.broadcast_to(cell.fixed[:, None, :], (len(cell.n), count, cell.fixed.shape[1]))
    found = []
    for part in cell.parts:
        values, draws = _values(part, sets, count)
        pps = rates(cell.path, cell.variant, part.mechanism, values, cell.n, part.alike)
        pps = np.broadcast_to(pps, (len(cell.n), count * draws)).reshape(len(cell.n), count, draws)
        found.append(pps * (part.factor.T[:, None, :] * cell.scale))
    return found[0] if len(found) == 1 else np.concatenate(found, axis=-1)


def _values(part, sets: dict, count: int) -> tuple[dict, int]:
    """Values of all sets with all draws, draws fastest: name -> (B * D, 1 or P)."""
    draws = len(part.factor)
    values = {
        name: value if draws == 1 else np.tile(np.broadcast_to(value, (draws, value.shape[1])), (count, 1))
        for name, value in part.values.items()
        if name not in sets
    }
    # A parameter that the variant does not use changes nothing, so all may stand here.
    values |= {name: np.repeat(value, draws)[:, None] for name, value in sets.items()}
    return values, draws


def _piece(cell, sets, count, wanted, loads, queue) -> dict:
    pps = rates_of(cell, sets, count)
    n, many = cell.n, max(len(loads), 1)
    each = by_core_count(wanted)
    columns = {}
    # (P, B) of each core count, or (B,) of each set, to rows.
    row = lambda values: np.repeat(np.ascontiguousarray(values.T).ravel() if each else values, many)
    if "rate" in wanted:
        noisy = pps * np.exp(cell.noise)[:, None, :] if cell.noise is not None else pps
        columns |= {name: row(value) for name, value in outputs.spread("rate", noisy, half=True).items()}
    if "gain" in wanted:
        # In packets, as `mpps whatif` has it: the two may differ in the bytes of a packet.
        gain = pps / rates_of(cell.against, sets, count) * (cell.against.scale / cell.scale)
        columns |= {name: row(value) for name, value in outputs.spread("gain", gain).items()}
        if cell.draws:
            from mpps.whatif import GAIN

            columns["gain_p"] = row((gain > GAIN).mean(axis=-1))
    if set(wanted) & outputs.NEEDS_BOUNDS:
        columns |= _limits(cell, sets, count, wanted, row)
    if {"peak_cores", "peak_rate"} & set(wanted):
        for name, value in zip(("peak_cores", "peak_rate"), outputs.peak(pps, n), strict=True):
            if name in wanted:
                columns |= {column: row(each_) for column, each_ in outputs.spread(name, value).items()}
    if "cores_for_load" in wanted:
        # Cores that the machine does not have carry nothing.
        there = pps if cell.hypothetical is None else pps * ~cell.hypothetical[:, None, None]
        enough = np.stack([outputs.cores_for(there, n, load * cell.scale) for load in loads], axis=1)
        columns |= {name: value.ravel() for name, value in outputs.spread("cores_for_load", enough).items()}
        if cell.draws:
            columns["carried"] = np.isfinite(enough).mean(axis=-1).ravel()
    if set(wanted) & outputs.LOADED.keys():
        from mpps.sweep.loaded import under_loads

        values_of = lambda part: _values(part, sets, count)
        columns |= under_loads(cell, pps, values_of, wanted, np.asarray(loads, float), queue)
    return columns


def _limits(cell, sets, count, wanted, row) -> dict:
    if cell.fixed is not None:
        from mpps.sweep.of_table import table_limits

        return table_limits(cell, count, wanted, row)
    parts = []
    for part in cell.parts:
        values, draws = _values(part, sets, count)
        found = bounds(cell.path, cell.variant, part.mechanism, values, cell.n)
        parts.append({name: bound.reshape(len(cell.n), count, draws) for name, bound in found.items()})
    names = list(dict.fromkeys(["private work", *(name for found in parts for name in found)]))
    # A mechanism without a resource is not bounded by it.
    free = [np.full_like(found["private work"], np.inf) for found in parts]
    together = {
        name: np.concatenate([found.get(name, none) for found, none in zip(parts, free, strict=True)], axis=-1)
        for name in names
    }
    columns = {}
    if "limits" in wanted:
        lowest = np.argmin(np.stack(list(together.values())), axis=0)
        columns |= named_column("limits", lowest, names, row, cell.draws)
    if {"knee", "limits_first"} & set(wanted):
        knee, which = outputs.knees(together, cell.n)
        if "knee" in wanted:
            columns |= {name: row(value) for name, value in outputs.spread("knee", knee).items()}
        if "limits_first" in wanted:
            columns |= named_column("limits_first", which, names, row, cell.draws)
    return columns


def named_column(name: str, places, names, row, draws: int) -> dict:
    """Column of the most probable of `names` at places (..., D), and of its probability where there are draws."""
    place, share = outputs.most_probable(places, len(names))
    columns = {name: (row(place.astype(np.uint32)), tuple(names))}
    return columns | ({f"{name}_p": row(share)} if draws else {})
