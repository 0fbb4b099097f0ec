"""Whether probabilities of a gain hold: on pairs that changed something, and on controls that did not."""

import numpy as np

from mpps.change import GAIN, KINDS
from mpps.validate.coverage import cluster_interval

#: Edges of the bins of the reliability table.
EDGES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def probability(gain) -> np.ndarray:
    """Share of draws (K, P) of log after over before that are a gain of more than 1 %, (P,)."""
    return (gain > np.log(GAIN)).mean(0)


def reliability(cases, forecasts, seed: int) -> dict:
    """Probabilities of a gain at the scored points against how often there was one, in bins; and the Brier score, with
    that of a forecaster who knows the share of gains alone. Size: medians of the log of after over before."""
    said = np.concatenate([probability(one.gain)[1:] for one in forecasts])
    size = np.concatenate([np.median(one.gain, axis=0)[1:] for one in forecasts])
    ratio = np.concatenate([np.log(case.observed / case.curves.before[1:]) for case in cases])
    source = np.concatenate([np.full(len(case.observed), case.pair.source) for case in cases])
    came = (ratio > np.log(GAIN)).astype(float)
    place = np.clip(np.searchsorted(EDGES, said, "right") - 1, 0, len(EDGES) - 2)
    rows = []
    for row in range(len(EDGES) - 1):
        mine = place == row
        if mine.any():
            rows.append(
                {
                    "lower": EDGES[row],
                    "upper": EDGES[row + 1],
                    "points": int(mine.sum()),
                    "sources": len(set(source[mine])),
                    "said": float(said[mine].mean()),
                    "came": float(came[mine].mean()),
                    "came_interval": cluster_interval(came[mine], source[mine], seed),
                    "size_said": float(np.expm1(np.median(size[mine]))),
                    "size_came": float(np.expm1(np.median(ratio[mine]))),
                }
            )
    rate = came.mean()
    return {"bins": rows, "brier": float(((said - came) ** 2).mean()), "brier_of_share": float(rate * (1 - rate))}


def controls(cases, predict) -> list[dict]:
    """Of every control the largest probability of a gain at any count, under each kind that a user could name."""
    rows = []
    for case in cases:
        largest = {}
        for kind in KINDS:
            found = predict(case, kind)
            said = probability(found.gain)
            place = int(said.argmax())
            largest[kind] = {"probability": float(said[place]), "n": float(found.n[place])}
        names = {name: getattr(case.pair, name) for name in ("dataset", "before", "after", "mechanism", "source")}
        rows.append({**names, "largest": largest})
    return rows
