"""What the page computes, computed in Python from the same document: the twin of `explorer.js`."""

import numpy as np

from mpps.explorer.knots import unfolded
from mpps.explorer.sliders import Moves
from mpps.network import depths, throughput

FITTED = Moves()


def rates_pps(document: dict, model: dict, n, moves: Moves = FITTED) -> np.ndarray:
    """Packets per second of a model of the document at n (P,), sliders at `moves` (scalars): (P,)."""
    n = np.asarray(n, int)
    packets = model["packets"] if moves.coalescing is None else float(moves.coalescing)
    per_lap = lambda parts: sum(
        factor * unfolded(flat, n) for factor, flat in zip((packets, 1.0), parts, strict=True) if flat is not None
    )
    think = np.broadcast_to(np.maximum(per_lap(model["private"]) * moves.private, 1e-3), n.shape)
    if model["section"] is None:
        laps = n / think
    else:
        section = np.broadcast_to(np.maximum(per_lap(model["section"]) * moves.section, 1e-3), n.shape)
        handoff = document["mechanisms"][model["mechanism"]]["handoff"]
        laps = _laps(model, handoff, n, think, section, moves.handoff)
        laps = laps * (np.exp(unfolded(model["correction"], np.log(n))) if model["correction"] else 1.0)
    rate = laps * packets * 1e9
    if not model["ceiling"]:
        return rate
    return _under(rate, unfolded(model["ceiling"], n) * moves.ceiling, model["sharpness"])


def _laps(model, handoff, n, think, section, factor):
    alone = 1.0 / (think + section)
    if model["reading"] == "bound":
        return np.minimum(n * alone, 1.0 / section)
    depth = depths(int(n.max()), model["parts"])
    along = np.broadcast_to(unfolded(handoff, depth) if model["handoff"] else 0.0 * depth, (len(n), len(depth)))
    if model["handoff"] and model["stays"]:
        count, deepest, stays = model["stays"]
        along = np.where((n[:, None] > count) & (depth > deepest), stays, along)
    extra = factor * along * (unfolded(model["cross"], n)[:, None] if model["cross"] else 1.0)
    if model["relative"]:
        service = section[:, None] * (1.0 + extra / model["relative"])
    else:
        service = section[:, None] + extra
    rate = throughput(n, think, service[None], parts=model["parts"])[0]
    return np.where(n == 1, alone, rate)


def _under(rate, ceiling, sharpness):
    """Smooth minimum, as `mpps.path.under_ceiling`, of any sharpness."""
    lower, higher = np.minimum(rate, ceiling), np.maximum(rate, ceiling)
    return lower * (1.0 + (lower / higher) ** sharpness) ** (-1.0 / sharpness)
