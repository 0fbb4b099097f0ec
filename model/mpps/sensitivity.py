"""What a prediction depends on most: shares of its variance by input (Sobol), first-order and total.

Inputs vary independently over what the fit leaves of each: every parameter over its members, the explanation by its
weight, whether a hand-off goes on beyond the measured depth, the structural error, a bottleneck that the table does not
show, the scatter of one measurement.
First-order is what an input explains alone, total is what is lost when it alone is known; by the estimators
of Saltelli and others (2010) and Jansen (1999) on a Sobol sequence. Parameters that a table fixes only together
count here as if each were free over its own interval, so their shares are upper bounds.
"""

import numpy as np

from mpps.compare import Fit
from mpps.keep import kept
from mpps.machine import has_cores, load_machine
from mpps.path import Variant, rate_pps
from mpps.predict import BEYOND_DEPTH, BY_DEPTH, CLOSURE, correction, mean_depth, scatter_of
from mpps.structure import measured_counts, scales, structural_spread, unseen

#: The count at which paths are compared; on most of the measured machines it is hypothetical.
CORES = 64
EXPLANATION, DEPTH, STRUCTURE, UNSEEN, SCATTER = (
    "which explanation holds",
    "hand-off beyond the measured depth",
    "structural error",
    "unseen bottleneck",
    "scatter of one measurement",
)
#: Points of a Sobol sequence; each costs as many evaluations as there are inputs, and two more.
_BASE = 1024
_CHUNK = 1024
#: A Sobol sequence of 1,024 points has ten binary digits of its own: half of them say when, half how much.
_DIGITS = 32
_RESAMPLES = 200
#: The code behind the shares, beside that of the fit.
_MODULES = ("sensitivity.py", "structure.py", "discrepancy.py", "predict.py", *CLOSURE, "table/prior.py")


def sobol(function, inputs: int, *, base: int = _BASE, seed: int = 1) -> dict[str, np.ndarray]:
    """First-order and total indices (inputs,) of a function of independent uniform numbers, with 90 % bootstrap ends.

    function: (inputs, N) in (0, 1) -> (N,); base: a power of two. Keys first, first_lower, first_upper, total,
    total_lower, total_upper. A function that does not vary has indices 0.
    """
    from scipy.stats import qmc

    drawn = qmc.Sobol(2 * inputs, seed=np.random.default_rng(seed)).random(base).T.clip(1e-9, 1 - 1e-9)
    first, second = drawn[:inputs], drawn[inputs:]
    mixed = np.repeat(first[None], inputs, axis=0)
    mixed[np.arange(inputs), np.arange(inputs)] = second
    values = function(np.concatenate([first, second, *mixed], axis=1)).reshape(inputs + 2, base)
    values = values - values[:2].mean()
    rows = np.random.default_rng([seed, 1]).integers(base, size=(_RESAMPLES, base))
    middle = _indices(values[None])
    resampled = _indices(values[:, rows].swapaxes(0, 1))
    result = {}
    for k, name in enumerate(("first", "total")):
        low, high = np.quantile(resampled[k], (0.05, 0.95), axis=0)
        result |= {name: middle[k][0], f"{name}_lower": low, f"{name}_upper": high}
    return result


def _indices(values) -> tuple[np.ndarray, np.ndarray]:
    """First-order indices (Saltelli and others 2010, table 2 b) and total ones (Jansen 1999), (S, inputs) each, of values
    (S, 2 + inputs, N): of both samples, and of the first one with one input from the second."""
    first, second, mixed = values[:, 0, None], values[:, 1, None], values[:, 2:]
    variance = values[:, :2].reshape(len(values), -1).var(axis=1)[:, None]
    safe = np.where(variance > 1e-20, variance, 1.0)
    own = (second * (mixed - first)).mean(axis=2) / safe
    total = ((first - mixed) ** 2).mean(axis=2) / (2 * safe)
    return np.where(variance > 1e-20, own, 0.0), np.where(variance > 1e-20, total, 0.0)


def ranking(fitted: Fit, variant: Variant, n: int = CORES) -> dict:
    """What the predicted log rate of a variant at n cores depends on, on the machine that was measured.

    variant, n, machine, hypothetical (the machine has not so many cores), spread (standard deviation of the log rate),
    inputs: rows of name, meaning, first, total and their 90 % ends, largest total first.
    """
    machine = load_machine(fitted.path.machine)
    found = kept("shares", fitted, _MODULES, lambda: _shares(fitted, variant, n), about=(variant, n))
    place = {"machine": machine.slug, "hypothetical": bool(~has_cores(machine, np.array([n]))[0])}
    return {"variant": variant.name, "n": n} | place | found


def _shares(fitted: Fit, variant: Variant, n: int) -> dict:
    inputs, function = model(fitted, variant, n)
    found = sobol(function, len(inputs))
    middle = function(np.random.default_rng(fitted.seed).uniform(size=(len(inputs), 1024)))
    meanings = {p.name: p.meaning for one in fitted.kept for p in one.problem.parameters}
    rows = [
        {"name": name, "meaning": meanings.get(name, "")} | {key: float(values[k]) for key, values in found.items()}
        for k, name in enumerate(inputs)
    ]
    return {"spread": float(np.std(middle)), "inputs": sorted(rows, key=lambda row: -row["total"])}


def model(fitted: Fit, variant: Variant, n: int):
    """Names of the inputs, and the function of uniform numbers (inputs, N) -> log packets/s (N,)."""
    names = list(dict.fromkeys(p.name for one in fitted.kept for p in one.problem.parameters))
    inputs = ([EXPLANATION] if len(fitted.kept) > 1 else []) + names
    deepest = int(measured_counts(fitted, variant).max())
    beyond = n > deepest and any(one.mechanism.handoff in BY_DEPTH for one in fitted.kept)
    inputs += [DEPTH] * beyond
    (away, own), _ = structural_spread(fitted, variant, np.array([n]))
    structure, scatter = float(np.hypot(away[0], own)), scatter_of(fitted, variant)
    inputs += [STRUCTURE] * (structure > 0) + [UNSEEN] * (n > deepest and scales(fitted, variant)) + [SCATTER]
    weight = np.cumsum([one.weight for one in fitted.kept])
    clamps = [_clamp(fitted, one, variant, deepest) for one in fitted.kept]

    def function(x):
        from scipy.special import ndtri

        given = dict(zip(inputs, x, strict=True))
        place = np.searchsorted(weight / weight[-1], given.get(EXPLANATION, np.zeros(x.shape[1])))
        shift = structure * ndtri(given[STRUCTURE]) if structure else np.zeros(x.shape[1])
        result = np.empty(x.shape[1])
        for index in np.unique(place):
            for rows in np.array_split(np.flatnonzero(place == index), -(-int((place == index).sum()) // _CHUNK)):
                result[rows] = _rate(fitted, index, variant, n, given, rows, shift[rows], clamps[index])
        return result + scatter * ndtri(given[SCATTER])

    return inputs, function


def _rate(fitted, index, variant, n, given, rows, shift, clamped) -> np.ndarray:
    one = fitted.kept[index]
    levels = (np.arange(len(one.members)) + 0.5) / len(one.members)
    values = {
        name: np.exp(np.interp(given[name][rows], levels, np.sort(one.members[:, column])))[:, None]
        for column, name in enumerate(one.problem.names)
    }
    at = np.array([n])
    offset = correction(fitted, one, variant, one.mechanism, values, at)[0] + shift[:, None]
    found = rate_pps(fitted.path, variant, one.mechanism, values, at, offset)
    if UNSEEN in given:
        lone = np.log(rate_pps(fitted.path, variant, one.mechanism, values, np.array([1]), 0.0))
        offset = offset + unseen(fitted, variant, at, np.log(found), lone, _two(given[UNSEEN][rows]))
        found = rate_pps(fitted.path, variant, one.mechanism, values, at, offset)
    if DEPTH in given and clamped is not None:
        stays = rate_pps(fitted.path, variant, clamped, values, at, offset)
        found = np.where(given[DEPTH][rows, None] < BEYOND_DEPTH.median, found, stays)
    return np.log(found[:, 0])


def _two(x) -> np.ndarray:
    """Two independent uniform numbers (N, 2) of one (N,): its leading digits, and what follows them."""
    leading = np.floor(x * _DIGITS)
    return np.stack([(leading + 0.5) / _DIGITS, x * _DIGITS - leading], axis=1)


def _clamp(fitted, one, variant, deepest):
    """The mechanism whose hand-off stays beyond the measured depth as it is there; None for one without depth."""
    from dataclasses import replace

    if one.mechanism.handoff not in BY_DEPTH:
        return None
    depth = mean_depth(fitted.path, variant, one.mechanism, one.member_values, deepest)
    return replace(one.mechanism, clamp_depth=depth)
