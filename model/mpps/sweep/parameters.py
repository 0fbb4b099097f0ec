"""The key `parameters` of a spec: numbers, lists, ranges and distributions, to the axes of the sweep."""

import math

import numpy as np

from mpps.errors import MppsError
from mpps.sweep.axes import Axes, Drawn
from mpps.sweep.spec import chosen, wrong

_SAMPLING = ("grid", "latin hypercube")
_RANGE = ("from", "to", "steps", "spacing", "draws")
_DISTRIBUTION = ("distribution", "median", "lower", "upper", "draws")
_SHAPES = "a number, a list of numbers, {from, to, steps} or {distribution, lower, upper, draws}"
#: Values of one list or range at most; more are drawn.
_MOST = 100_000


def axes_of(given: dict, sampling: str, seed: int, place) -> Axes:
    """The parameter sets of a spec. Raises `MppsError` that names the key for what cannot be taken.

    With sampling `latin hypercube` ranges are drawn too: {from, to, draws}; all that is drawn has the same number of draws.
    """
    chosen(place, ("sampling",), sampling, "sampling", _SAMPLING)
    stratified = sampling != "grid"
    grid, drawn, draws = [], [], {}
    for name, value in given.items():
        key = ("parameters", name)
        found = _axis(value, key, place, stratified)
        if isinstance(found, tuple):
            grid.append((str(name), found))
            continue
        count = value.get("draws")
        if count is not None:
            if not _whole(count) or count < 1:
                raise wrong(place, (*key, "draws"), count, "a whole number from 1")
            draws[str(name)] = int(count)
        drawn.append((str(name), found))
    if drawn and len(set(draws.values())) != 1:
        told = ", ".join(f"{name} {count}" for name, count in draws.items()) or "none"
        raise MppsError(
            f"{place('parameters')}: found draws: {told}: expected one number of draws, as draws: 1000, for all parameters that "
            f"are drawn ({', '.join(name for name, _ in drawn)}): they are drawn together"
        )
    if stratified and not drawn:
        raise MppsError(
            f"{place('sampling')}: nothing is drawn: expected {{from, to, draws}} or {{distribution, ...}} among the parameters"
        )
    columns = tuple(Drawn(name, *one) for name, one in drawn)
    count = next(iter(draws.values()), 1)
    return Axes(tuple(map(str, given)), tuple(grid), columns, count, stratified, seed)


def _axis(value, key, place, stratified):
    """Values of a grid, or [kind, first, second] of what is drawn."""
    if _number(value):
        value = [value]
    if isinstance(value, list):
        if not value or len(value) > _MOST or not all(_number(each) and each > 0 for each in value):
            raise wrong(place, key, value, "positive numbers")
        values = tuple(float(each) for each in value)
        if len(set(values)) < len(values):
            raise wrong(place, key, value, "every value once")
        return values
    if not isinstance(value, dict):
        raise wrong(place, key, value, _SHAPES)
    if "distribution" in value:
        return _distribution(value, key, place)
    for name in value:
        chosen(place, (*key, name), name, "key", _RANGE)
    first, last = (value.get(name) for name in ("from", "to"))
    if not (_number(first) and _number(last) and 0 < first < last):
        raise wrong(place, key, value, "positive numbers with from below to", _SHAPES)
    spacing = chosen(place, (*key, "spacing"), value.get("spacing", "linear"), "spacing", ("linear", "log"))
    if stratified:
        if "steps" in value:
            raise wrong(place, (*key, "steps"), value["steps"], "draws in place of steps, with a Latin hypercube")
        return ["uniform" if spacing == "linear" else "loguniform", float(first), float(last)]
    steps = value.get("steps")
    if "draws" in value:
        raise wrong(place, (*key, "draws"), value["draws"], "steps: draws of a range need sampling: latin hypercube")
    if not _whole(steps) or not 2 <= steps <= _MOST:
        raise wrong(place, (*key, "steps"), steps, f"a whole number of values from 2 to {_MOST:,}")
    made = (np.linspace if spacing == "linear" else np.geomspace)(first, last, int(steps))
    # Twelve digits: 8, not 7.999999999999999.
    return tuple(float(f"{value:.12g}") for value in made)


def _distribution(value, key, place):
    for name in value:
        chosen(place, (*key, name), name, "key", _DISTRIBUTION)
    kind = chosen(place, (*key, "distribution"), value["distribution"], "distribution", ("lognormal", "uniform"))
    lower, upper, median = (value.get(name) for name in ("lower", "upper", "median"))
    if not (_number(lower) and _number(upper) and 0 < lower < upper):
        raise wrong(place, key, value, "positive numbers with lower below upper")
    if kind == "uniform":
        if median is not None:
            raise wrong(place, (*key, "median"), median, "lower and upper alone: the ends of a uniform distribution")
        return ["uniform", float(lower), float(upper)]
    median = math.sqrt(lower * upper) if median is None else median
    if not (_number(median) and lower < median < upper):
        raise wrong(place, (*key, "median"), median, "a number between lower and upper")
    # lower and upper are the ends of the 90 % range, as of every prior of the workbook.
    return ["lognormal", float(median), math.log(upper / lower) / (2 * 1.645)]


def _number(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value) -> bool:
    return _number(value) and value == int(value)
