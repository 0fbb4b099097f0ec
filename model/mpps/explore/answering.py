"""The answer to a position of the sliders, as one JSON document; and the exact one, simulated for that position."""

import time

import numpy as np

from mpps.explore import words
from mpps.explore.position import Position, check_choices, check_settings
from mpps.uncertainty import LEVELS

SCHEMA = "mpps.explore/1"
_DIGITS = 6


def respond(explored, position: dict | None = None) -> dict:
    """What the model says at a position: the pure function behind the sliders.

    explored: what `mpps.explore` returns. position: changes to where it stands, `{"cores": 8, "settings": {"section_ns":
    40.0}}`, choices beside them; `settings` replaces all settings. Answers the curve with its 90 % band, the fitted
    reference, and for the asked count rate, gain with its probability, what limits, and the parts of a packet's time.
    Raises `MppsError` for unknown names and impossible values. The correction by event simulation stays that of the fit.
    """
    began = time.perf_counter()
    model = explored.model
    at = explored.position.moved(position or {}, model.choice_names)
    choices, controls = _allowed(model, at)
    found = model.curves(at)
    answer = {"schema": SCHEMA, "position": at.as_dict(), **_curve(model, at, found), **_here(model, at, found)}
    answer["frame"] = frame(model, at, choices, controls)
    answer["says"] = words.said(answer)
    answer["ms"] = round(1e3 * (time.perf_counter() - began), 2)
    return answer


def simulated(explored, position: dict | None = None) -> dict:
    """The curve of `mpps.predict` at a position, its correction by event simulation made anew: n, lower, median, upper,
    and `says`. Takes a second or more. Raises as `respond` does."""
    model = explored.model
    at = explored.position.moved(position or {}, model.choice_names)
    _allowed(model, at)
    n, quantiles = model.exact(at)
    rows = {name: _short(quantiles[place]) for place, name in ((0, "lower"), (2, "median"), (4, "upper"))}
    place = int(np.searchsorted(n, at.cores))
    here = tuple(float(quantiles[level, place]) for level in (2, 0, 4))
    return {"n": n.tolist(), **rows, "position": at.as_dict(), "says": words.simulated(at.cores, here, model.unit(at))}


def _allowed(model, at: Position) -> tuple:
    """Choices and sliders at a position that has none but those."""
    choices = model.choices(at)
    check_choices(at, choices)
    controls = model.controls(at)
    check_settings(at, controls)
    return choices, controls


def frame(model, at: Position, choices, controls) -> dict:
    """What stands around the curve: titles, unit, choices, sliders with their marks, counts and measured points."""
    low, high = model.measured(at)
    return {
        "title": model.title(at),
        "unit": model.unit(at),
        "senders": model.senders,
        "thing": model.thing,
        "counts": model.counts(at).tolist(),
        "choices": [{**vars(each), "options": [list(option) for option in each.options]} for each in choices],
        "controls": [vars(each) for each in controls],
        "observed": model.observed(at),
        "measured": [low, high],
        "simulates": model.simulates(at),
    }


def _curve(model, at: Position, found) -> dict:
    share = found.n if model.kind == "table" and model.each(at) else 1.0
    rate = lambda log_rate: model.shown(np.quantile(np.exp(log_rate), LEVELS, axis=0), at) / share
    moved, reference = rate(found.moved + found.noise), rate(found.reference + found.reference_noise)
    low, high = model.measured(at)
    return {
        "n": found.n.tolist(),
        "lower": _short(moved[0]),
        "median": _short(moved[2]),
        "upper": _short(moved[4]),
        "reference": _short(reference[2]),
        "extrapolated": [bool(n < low or n > high) for n in found.n],
    }


def _here(model, at: Position, found) -> dict:
    place = int(np.searchsorted(found.n, at.cores))
    share = at.cores if model.kind == "table" and model.each(at) else 1.0
    rate = model.shown(np.quantile(np.exp((found.moved + found.noise)[:, place]), LEVELS), at) / share
    # What both sides share cancels; the scatter of a measurement is no part of a gain.
    gain = found.moved[:, place] - found.reference[:, place]
    ratio = np.exp(np.quantile(gain, LEVELS))
    limits = [{"resource": name, "probability": share} for name, share in model.limits(at)]
    return {
        "here": {"n": at.cores, "median": float(rate[2]), "lower": float(rate[0]), "upper": float(rate[4])},
        "gain": {
            "median": float(ratio[2]),
            "lower": float(ratio[0]),
            "upper": float(ratio[4]),
            "probability": float((gain > 0).mean()),
            "moved": bool(np.abs(gain).max() > 1e-9),
        },
        "limits": limits,
        "cost": _cost(model, at, found, place, limits[0]["resource"]),
    }


def _cost(model, at: Position, found, place: int, limit: str) -> dict | None:
    """Time of one packet on its sender with n senders, n over the rate, and its parts: means that add up to its median."""
    if not found.work:
        return None
    whole = _period_ns(model, at, found.moved[:, place]) * at.cores
    left, shares = np.ones(len(whole)), {}
    for name, ns in found.work.items():
        shares[name] = np.minimum(ns / whole, left)
        left = left - shares[name]
    if at.cores > 1 and (limit not in found.work or len(found.work) > 1):
        shares["hand-off and waiting" if len(found.work) > 1 else f"waiting for the {limit}"] = left
    else:
        # Nobody waits: what the parts do not explain is the drift of the fit.
        shares[next(iter(shares))] += left
    total = float(np.median(whole))
    lower, upper = np.quantile(whole, (0.05, 0.95))
    rows = [
        {"stage": name, "ns": float(part.mean()) * total, "share": float(part.mean())} for name, part in shares.items()
    ]
    return {
        "ns": total,
        "lower": float(lower),
        "upper": float(upper),
        "stages": [row for row in rows if row["share"] > 5e-4],
    }


def _period_ns(model, at: Position, log_rate) -> np.ndarray:
    per_second = model.series[at.choices["variant"]].per_second if model.kind == "table" else 1.0
    return 1e9 / (np.exp(log_rate) * per_second)


def _short(values) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values]
