"""A user's own table in an explorer: mechanisms of `mpps.table` as the demands of one lap.

A mechanism of a table is private work (which may grow with n), one serial station with its hand-off, and a ceiling, all
in laps of a lone sender. Two stations in a row are left to the curves: the explorer has one.
"""

import numpy as np

from mpps.explorer.knots import knots
from mpps.explorer.replay import rates_pps
from mpps.locks import cross_share
from mpps.table.mechanisms import MECHANISMS
from mpps.table.nouns import Mechanism

#: A ceiling that is hit without a bend, as the power of the smooth minimum: 0.1 % below it at the corner.
_HARD = 700.0


def known_mechanism(name: str) -> Mechanism | None:
    """The mechanism of that name, where an explorer can show it."""
    return next((one for one in MECHANISMS if one.name == name and len(one.stations) < 2), None)


def own_model(mechanisms: list[dict], found: dict, values: dict[str, float], lone_ns: float, last: int) -> dict:
    """A model of the explorer's document for one mechanism of `mpps.fit/1`; `mechanisms` grows by it and its hand-off.

    values: quantity -> number; lone_ns: what one operation takes a lone sender.
    """
    model, handoff = _model(known_mechanism(found["name"]), values, lone_ns, last)
    told = {key: found[key] for key in ("name", "words")} | {"weight": round(found["weight"], 4), "handoff": handoff}
    mechanisms.append(told)
    return {"mechanism": len(mechanisms) - 1} | model


def own_rounding(document: dict, model: dict, found: dict, values: dict[str, float], lone_ns: float) -> float:
    """Largest relative error of the model, as fitted, against the curve of the mechanism, at all counts."""
    n = np.arange(1, document["last"] + 1)
    curve = known_mechanism(found["name"]).curve({name: np.array([[value]]) for name, value in values.items()}, n * 1.0)
    exact = 1e9 / lone_ns * np.exp(np.broadcast_to(curve, (1, len(n)))[0])
    return float(np.abs(rates_pps(document, model, n) / exact - 1).max())


def _model(mechanism: Mechanism, values: dict[str, float], lone_ns: float, last: int) -> tuple[dict, list | None]:
    n = np.arange(1, last + 1)
    section = lone_ns * values["section"] if mechanism.stations else 0.0
    top = 1e9 / lone_ns * values["ceiling"] if mechanism.ceiling else None
    form = mechanism.stations[0][1] if mechanism.stations else "constant"
    handoff = None
    if form != "constant":
        handoff = knots(n, section * _extra(form, values, n.astype(float)))
    cross = cross_share(n, np.round(values["domain"])) if form == "topology" else None
    model = {
        "reading": "exponential",
        "parts": 1,
        "variation": 1.0,
        "private": [knots(n, _private(mechanism, values, n, lone_ns, section)), None],
        "section": [knots(n, np.full(last, section)), None] if section else None,
        "handoff": handoff is not None,
        "stays": None,
        "cross": knots(n, cross) if cross is not None else None,
        "relative": section or None,
        "ceiling": knots(n, np.full(last, top)) if top else None,
        "ceilings": "ceiling" if top else "",
        "sharpness": values.get("sharpness", _HARD),
        "correction": None,
        "packets": 1.0,
        "coalesces": False,
    }
    return model, handoff


def _private(mechanism, values, n, lone_ns, section):
    """Private work of an operation with n senders, ns: what the curve says below its ceiling, or beside the station."""
    if mechanism.stations:
        slowed = 1 + values["sharing"] * (1 - 1 / n) if "sharing" in values else np.ones(len(n))
        return lone_ns * slowed - section
    below = {name: np.array([[np.inf if name == "ceiling" else value]]) for name, value in values.items()}
    return lone_ns * n * np.exp(-np.broadcast_to(mechanism.curve(below, n.astype(float)), (1, len(n)))[0])


def _extra(form: str, values: dict, depth: np.ndarray) -> np.ndarray:
    """Extra cost of a hand-off by depth in sections, as `mpps.table.mechanisms` has it (a test holds one to the other)."""
    waiters, large = depth - 1, values.get("handoff", 0.0)
    if form == "ticket":
        return values["per_waiter"] * waiters
    if form == "step and ticket":
        return large * (waiters > 0) + values["per_waiter"] * waiters
    if form == "topology" or (form == "step" and "depth" not in values):
        return large * (waiters > 0)
    scaled = waiters / values["depth"]
    if form == "saturating":
        return -large * np.expm1(-scaled)
    if form == "hump":
        return large * scaled * np.exp(1 - scaled)
    rise = lambda at: 1 / (1 + np.exp(-2 * (at - values["depth"])))
    return large * (rise(waiters) - rise(0.0)) * (waiters > 0)
