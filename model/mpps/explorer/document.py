"""What a run emits for the explorer of a page: everything that the solver in the page needs, as one JSON document."""

import numpy as np

from mpps.compare import ANCHORS, Fit, MechanismFit
from mpps.explorer import SCHEMA
from mpps.explorer.knots import knots
from mpps.explorer.sliders import COALESCING, FACTORS, HANDOFF_FACTORS, coalescing_of
from mpps.locks import handoff_ns
from mpps.network import depths
from mpps.path import CEILING, CORE, STATION, Variant, demands, lap
from mpps.path.compile import CEILING_SHARPNESS
from mpps.predict import BY_DEPTH, correction, mean_depth
from mpps.structure import measured_counts

#: The explanations that an explorer knows: the best one, and others with at least so much weight, so many in all.
LEAST_WEIGHT, MOST = 0.05, 3


def counts_to(last: int, measured=()) -> list[int]:
    """Core counts that can be chosen: all up to 32, then every second and every fourth, and the measured ones."""
    spaced = (*range(1, 33), *range(34, 65, 2), *range(68, last + 1, 4))
    return sorted({n for n in (*spaced, *map(int, measured), last) if n <= last})


def leading(fitted: Fit) -> list[MechanismFit]:
    """The explanations that an explorer knows, most probable first."""
    known = [one for one in fitted.kept if one.weight >= LEAST_WEIGHT][:MOST]
    return known or [fitted.best]


def model(fitted: Fit, one: MechanismFit, variant: Variant, last: int) -> dict:
    """The numbers of one variant under one explanation, for n = 1..last: demands per packet and per skb, ceiling,
    correction by simulation, and whether there is a hand-off. Curves over n are `knots`."""
    path, mechanism, values, n = fitted.path, one.mechanism, one.values, np.arange(1, last + 1)
    found, packets = demands(path, variant, mechanism, values, n)
    per_lap = float(np.max(packets))
    total = {(on, per): np.zeros(last) for on in (CORE, STATION) for per in ("packet", "skb")}
    for item in found:
        if item.resource != CEILING:
            amount = np.broadcast_to(item.amount, (1, last))[0]
            total[item.resource, item.stage.per] += amount / (per_lap if item.stage.per == "packet" else 1.0)
    curve = lambda on: [knots(n, total[on, per]) if total[on, per].any() else None for per in ("packet", "skb")]
    numbers = lap(path, variant, mechanism, values, n)
    serial = numbers.section_ns is not None
    ceilings = [item for item in found if item.resource == CEILING]
    return {
        "reading": mechanism.reading,
        "parts": mechanism.parts,
        "variation": mechanism.variation,
        "private": curve(CORE),
        "section": curve(STATION) if serial else None,
        "handoff": serial and mechanism.reading not in ("bound", "spread") and mechanism.handoff != "constant",
        "stays": _stays(fitted, one, variant) if serial else None,
        "cross": knots(n, np.broadcast_to(numbers.cross, (last,))) if mechanism.handoff == "topology" else None,
        "relative": float(values["section_ns"][0, 0]) if serial and mechanism.relative else None,
        "ceiling": knots(n, np.broadcast_to(numbers.ceiling_pps, (1, last))[0]) if ceilings else None,
        "ceilings": _lowest(ceilings),
        "sharpness": CEILING_SHARPNESS,
        "correction": knots(np.log(ANCHORS), correction(fitted, one, variant, mechanism, values, ANCHORS)[0])
        if serial
        else None,
        "packets": per_lap,
        "coalesces": coalescing_of(path, variant) is not None,
    }


def variant_entry(fitted: Fit, variant: Variant, last: int, mechanisms: list[dict]) -> dict:
    """A variant of the document: its models, by place in `mechanisms`, which grows by those not yet listed."""
    models = []
    for one in leading(fitted):
        key = {"name": one.mechanism.name, "words": one.mechanism.words, "scope": fitted.scope}
        place = next((k for k, known in enumerate(mechanisms) if key.items() <= known.items()), len(mechanisms))
        if place == len(mechanisms):
            mechanisms.append(key | {"weight": round(one.weight, 4), "handoff": _handoff(one, last)})
        models.append({"mechanism": place} | model(fitted, one, variant, last))
    return {"name": variant.name, "words": variant.words, "station": fitted.path.station, "models": models}


def frame(title: str, sender: str, thing: str, unit: str, per_pps: float, last: int, measured) -> dict:
    """What all variants of a document share. thing: what a rate counts; per_pps: one of them a second in `unit`."""
    return {
        "schema": SCHEMA,
        "title": title,
        "sender": sender,
        "senders": f"{sender}s",
        "thing": thing,
        "unit": unit,
        "per_pps": per_pps,
        "last": last,
        "counts": counts_to(last, measured),
        "factors": list(FACTORS),
        "handoff_factors": list(HANDOFF_FACTORS),
        "coalescing": list(COALESCING),
        "anchors": sorted({*(n for n in ANCHORS if 1 < n <= last), last}),
    }


def _handoff(one: MechanismFit, last: int) -> list[float]:
    """Hand-off in ns by depth, as far as `last` senders reach; between two domains where it depends on them."""
    depth = depths(last, one.mechanism.parts)
    values = {name: value[0] for name, value in one.values.items() if name.startswith("handoff_")}
    return knots(depth, np.broadcast_to(handoff_ns(one.mechanism.handoff, depth, values, 1.0), depth.shape))


def _stays(fitted: Fit, one: MechanismFit, variant: Variant) -> list[float] | None:
    """Measured count beyond which the hand-off stays as it is at a depth, that depth, and the hand-off there in ns: the more
    probable of the two ways that `predict` mixes. None where it does not follow the depth."""
    if one.mechanism.handoff not in BY_DEPTH or one.mechanism.reading in ("bound", "spread"):
        return None
    deepest = int(measured_counts(fitted, variant).max())
    depth = mean_depth(fitted.path, variant, one.mechanism, one.values, deepest)
    values = {name: value[0] for name, value in one.values.items() if name.startswith("handoff_")}
    return [deepest, depth, float(handoff_ns(one.mechanism.handoff, np.array([depth]), values, 1.0)[0])]


def _lowest(ceilings) -> str:
    return min(ceilings, key=lambda item: float(np.median(item.amount))).stage.name if ceilings else ""
