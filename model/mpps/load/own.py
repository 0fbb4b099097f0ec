"""Loads on a table of the user's own: its predicted curve as what busy cores carry.

The count of the table is taken as busy cores or threads, each with a queue of its own. Delays are told where the rates
count packets or operations a second; in another unit the time of one is not known.
"""

import numpy as np

from mpps.answers.own import chosen_series, predict_table
from mpps.answers.own.fitting import fitted
from mpps.errors import MppsError
from mpps.load.forecast import NOTES, VARIATION, counts_up_to, spread_rows
from mpps.load.loaded import loaded
from mpps.load.wake import MODERATION, WAKE
from mpps.machine.draws import draw_assumption
from mpps.record import plain
from mpps.table import forecast_points
from mpps.text import interval
from mpps.units import counts_bits, is_rate, to_rate_pps

#: Draws of the table's mixture that are loaded.
DRAWS = 400
_FURTHER = {
    "busy": "utilisation",
    "carried_pps": "carried",
    "capacity_pps": "capacity",
    "all_busy_pps": "all_busy",
    "calm_pps": "calm",
}
_TIMES = ("delay_ns", "delay_99_ns", "time_ns")


def load_table(
    files, cores, loads, *, room=1024, flows=None, variants=(), seed: int = 1, advance=None, **options
) -> dict:
    """`mpps.predict/1` for a table with `load` rows in each series; loads: (value, None) in the unit of the
    table, or (value, unit of a packet rate)."""
    document = predict_table(files, cores, variants=variants, seed=seed, advance=advance, **options)
    _, chosen, _ = chosen_series(files, variants, options)
    for series, each in zip(document["series"], chosen, strict=True):
        curve, counts = _curve(fitted(each, seed), max(cores)), sorted({int(n) for n in cores})
        seconds = is_rate(each.unit) and not counts_bits(each.unit) and each.unit != "ns/element"
        factor = to_rate_pps(1.0, each.unit) if seconds else 1.0
        values = np.unique([_in_unit(value, named, each.unit) for value, named in loads])
        series |= {
            "load_unit": each.unit,
            "room": room,
            "flows": flows,
            "load": _rows(np.exp(curve) * factor, counts, values * factor, room, flows, seed, factor, seconds),
        }
    listed = [
        f"{item.name}: {interval(item.median, item.lower, item.upper)}; {item.why}"
        for item in (VARIATION, WAKE, MODERATION)
    ]
    document["assumptions"] += [{"says": text} for text in (*listed, *NOTES)]
    return plain(document)


def _in_unit(value: float, named: str | None, unit: str) -> float:
    """A load in the unit of the table."""
    if named is None:
        return value
    if not is_rate(unit) or counts_bits(unit) != counts_bits(named):
        raise MppsError(f"--load in {named}: the table's rates are in {unit}: give a bare number, in that unit")
    # Bits to bits, or packets to packets: the size of a packet drops out.
    return float(to_rate_pps(value, named, 1.0) / to_rate_pps(1.0, unit, 1.0))


def _curve(found, last: int) -> np.ndarray:
    """Log rates at 1..last of some draws, (K, last)."""
    from mpps.load.forecast import all_counts

    counts = counts_up_to(last)
    curves = forecast_points(found, counts).curves
    pick = np.linspace(0, len(curves) - 1, min(DRAWS, len(curves))).astype(int)
    return all_counts(counts, curves[pick])


def _rows(curve, counts, loads, room, flows, seed, factor, seconds) -> list[dict]:
    from mpps.load.forecast import placed

    draws, rows = len(curve), []
    variation, wake, moderation = (
        draw_assumption(item, draws, np.random.default_rng([seed, 9, k]))
        for k, item in enumerate((VARIATION, WAKE, MODERATION))
    )
    for n in counts:
        shares = placed(flows, n, draws, seed) if flows and n > 1 else None
        found = loaded(
            curve[:, :n], loads, n, room, variation=variation, wake=wake, moderation=moderation, shares=shares
        )
        saturates = ("the busiest core" if shares is not None else "all cores", 1.0)
        for row in spread_rows(found, n, loads, saturates):
            kept = {}
            for name, value in row.items():
                if name in _TIMES and not seconds:
                    value = None
                elif name.endswith("_pps") and isinstance(value, dict):
                    value = {end: each / factor for end, each in value.items()}
                kept[_FURTHER.get(name, name)] = value
            kept["load"] = float(f"{kept.pop('load_pps') / factor:.12g}")
            rows.append(kept)
    return rows


def load_table_text(document: dict) -> str:
    """What `mpps predict FILE --load` prints."""
    from mpps.load.words import load_text
    from mpps.sentences.words import bullets

    parts = [load_text(series, None) for series in document["series"]]
    if document["warnings"]:
        parts.append("Warnings:\n" + bullets(document["warnings"]))
    parts.append("Rests on:\n" + bullets(item["says"] for item in document["assumptions"]))
    return "\n\n".join(parts)
