"""What to measure next, for the series whose prediction is least known."""

import importlib.util

import numpy as np

from mpps.answers.own.series import Rates
from mpps.table import TableFit
from mpps.text import percent


def advice(series: list[Rates], fits: list[TableFit], found: list[dict]) -> dict | None:
    """The next count to measure of the series with the widest interval at its largest count; found: entries of `series` of
    `mpps.fit/1`. None without a prediction beyond a table, or where `mpps.advise` is not there."""
    if importlib.util.find_spec("mpps.advise") is None:
        return None
    from mpps.advise import advise

    last = [[*each["predictions"], *each["beyond"]][-1] for each in found]
    widths = [np.log(row["upper"] / row["lower"]) if row["extrapolated"] else 0.0 for row in last]
    place = int(np.argmax(widths))
    if not widths[place]:
        return None
    one, told = series[place], advise(fits[place], last[place]["n"], variant=series[place].variant)
    rows = [{"n": look.n, "repeats": look.repeats, "shrinks": told.shrinks(look)} for look in (told.best, told.within)]
    keys = {"dataset": one.dataset, "variant": one.variant, "metric": one.metric, "target": told.target}
    return keys | {"best": rows[0], "within": rows[1], "words": _words(one.variant, told.target, told.largest, *rows)}


def _words(variant: str, target: int, largest: int, best: dict, within: dict) -> str:
    """`Measure 'after' at n = 32 next: the interval at n = 64 is then expected to be 50 % narrower.`"""
    if best["shrinks"] < 0.02:
        return f"No single further measurement of {variant!r} would make the interval at n = {target} more than 2 % narrower."
    again = " once more" if best["repeats"] else ""
    said = (
        f"Measure {variant!r} at n = {best['n']}{again}: the 90 % interval at n = {target} is then expected to be "
        f"{percent(best['shrinks'])} narrower."
    )
    if best["n"] <= largest:
        return said
    if within["shrinks"] < 0.02:
        return f"{said} No count up to {largest} would tell much of it."
    return f"{said} Of counts up to {largest}, n = {within['n']} tells most: {percent(within['shrinks'])}."
