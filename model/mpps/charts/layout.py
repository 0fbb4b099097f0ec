"""Arithmetic of charts: clean rows, domains, ticks, and labels that do not lie on each other."""

import math
import textwrap

import numpy as np

from mpps.text import interval, number

#: Rows of one curve; more would only slow the page (and Vega-Lite's own limit is 5,000 a chart).
MOST_POINTS = 200
_LETTER = 6.7  # mean width of a letter at 12 px
#: Pixels of letters at 12 px in DejaVu Sans, which Linux takes for `system-ui`: the widest of the fonts in use.
_WIDTHS = dict.fromkeys("mMW%@", 11.5) | dict.fromkeys("w", 9.9) | dict.fromkeys("ijlft'.,:;|!()[] -I/", 4.4)
_WIDTHS |= dict.fromkeys("rs_cz", 6.3)


def clean(rows) -> list[dict]:
    """Rows as JSON holds them: plain numbers, and None for what is not finite."""
    return [{key: _plain(value) for key, value in row.items()} for row in rows]


def series_of(rows, field: str, first=()) -> list[str]:
    """Distinct values of a field in their first order, those of `first` before them whether rows have them or not."""
    return list(dict.fromkeys([*map(str, first), *(str(row.get(field, "")) for row in rows)]))


def thin(rows: list[dict], most: int = MOST_POINTS) -> list[dict]:
    """At most about `most` rows of one curve, even on a log scale; measured rows and both ends stay."""
    if len(rows) <= most:
        return rows
    keep = {int(i) for i in np.unique(np.geomspace(1, len(rows), most).round()) - 1}
    return [row for i, row in enumerate(rows) if i in keep or row.get("observed") is not None or i == len(rows) - 1]


def core_ticks(counts, last: int | None = None, most: int = 12) -> list[int]:
    """The real core counts, and powers of two from there to `last`; powers of two alone when these are too many."""
    counts = sorted({int(each) for each in counts})
    last = int(last or counts[-1])
    powers = [2**k for k in range(last.bit_length() + 1) if counts[0] <= 2**k <= last]
    ticks = counts + [power for power in powers if power > counts[-1]]
    real = len(ticks) <= most
    ticks = ticks if real else powers
    if ticks[-1] != last:  # the end, instead of a neighbour that its label would touch
        ticks = [tick for tick in ticks if last / tick > 1.35 or real and tick in counts] + [last]
    return ticks


def log_domain(values, pad: float = 1.12) -> tuple[float, float]:
    """A positive domain around the positive values."""
    values = [value for value in values if value is not None and value > 0]
    if not values:
        return 0.5, 2.0
    low, high = min(values), max(values)
    pad = max(pad, (2.0 / (high / low)) ** 0.5)  # at least an octave, or the scale magnifies noise
    return low / pad, high * pad


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Round numbers inside a log domain: 1, 2, 5 of each decade, or decades only when these are many."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
        ticks = [digit * 10.0**decade for decade in decades for digit in digits if low <= digit * 10.0**decade <= high]
        if len(ticks) <= most:
            return [float(f"{tick:.6g}") for tick in ticks]
    return [10.0**decade for decade in decades if low <= 10.0**decade <= high][:: max(1, len(decades) // most + 1)]


def spread(positions, gap: float, low: float, high: float) -> list[float]:
    """Positions moved as little as possible so that neighbours are `gap` apart and all lie in [low, high].

    Neighbours that touch move as one block around the mean of where its members want to be.
    """
    order = np.argsort(positions, kind="stable")
    blocks: list[list[float]] = []  # [wanted centre of the first member, members]
    for index in order:
        blocks.append([float(positions[index]), 1])
        while len(blocks) > 1 and blocks[-2][0] + blocks[-2][1] * gap > blocks[-1][0]:
            start, members = blocks.pop()
            first, earlier = blocks.pop()
            total = earlier + members
            blocks.append([(first * earlier + (start - earlier * gap) * members) / total, total])
    placed = [start + i * gap for start, members in blocks for i in range(int(members))]
    for i in range(len(placed)):  # push in from the low end, then from the high end
        placed[i] = max(placed[i], low + i * gap)
    for i in range(len(placed)):
        placed[-1 - i] = min(placed[-1 - i], high - i * gap)
    result = [0.0] * len(placed)
    for place, index in zip(placed, order):
        result[int(index)] = place
    return result


def spread_on_scale(values, domain, height: float, log: bool, gap: float) -> list[float]:
    """Values moved apart so that their labels, 12 px high, do not touch on an axis of `height` pixels."""
    low, high = (math.log(end) if log else end for end in domain)
    pixels = [((math.log(max(value, 1e-300)) if log else value) - low) / (high - low) * height for value in values]
    moved = spread(pixels, gap, 0.0, height)
    ends = [low + pixel / height * (high - low) for pixel in moved]
    return [math.exp(end) if log else end for end in ends]


def wrapped(name: str, letters: int = 36) -> str:
    """A name broken into even lines of about `letters`; `names_axis` shows them below each other."""
    lines = max(1, -(-len(name) // letters))
    return "\n".join(textwrap.wrap(name, max(letters // 2, -(-len(name) // lines) + 4))) if lines > 1 else name


def names_axis(limit: int = 300) -> dict:
    """Axis of names written in full, one row of the chart each."""
    return {
        "title": None,
        "labelLimit": limit,
        "grid": False,
        "labelFontSize": 12,
        "labelLineHeight": 13,
        "labelExpr": "split(datum.label, '\\n')",
    }


def row_height(names, least: int) -> int:
    """Pixels of a row whose name may have several lines."""
    return max(least, 8 + 13 * max((str(name).count("\n") + 1 for name in names), default=1))


def longest(names) -> list[str]:
    """The lines of all names, for `gutter`."""
    return [line for name in names for line in str(name).split("\n")]


def gutter(labels, least: int = 40, most: int = 190) -> int:
    """Pixels that labels beside the plot need, their symbol included."""
    return int(min(max(least, 24 + max((_pixels(label) for label in labels), default=0)), most))


def said(row: dict, unit: str = "") -> str:
    """A row's value with its interval and unit, for tooltips."""
    value = interval(row.get("median"), row.get("lower"), row.get("upper"))
    if row.get("lower") is None and row.get("upper") is None and row.get("median") is not None:
        value = number(row["median"])
    return f"{value} {unit}".strip()


def _pixels(label: str) -> float:
    """Width of a label at 12 px in a wide font, and no less than that of its letters on average."""
    wide = sum(_WIDTHS.get(letter, 7.5 if letter.islower() else 8.2) for letter in str(label))
    return max(wide, _LETTER * len(str(label)))


def _plain(value):
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
