"""A what-if as plain text for a mailing list: 72 columns, the table in the form that kernel people post."""

import math
import textwrap

from mpps.sentences.patch import verdict_words
from mpps.sentences.rows import readable
from mpps.sentences.words import change
from mpps.text import number

#: Columns of a posted message.
WIDTH = 72
_NAME = 14
_KINDS = {"removal": "a removal", "replacement": "a replacement", "cost": "a change of cost"}


def posted(document: dict, words=None) -> str:
    """The summary of a document `mpps.whatif/1`; words: sentences of the verdict for each series, where they are at hand."""
    parts = []
    for place, raw in enumerate(document["series"]):
        series = _handy(readable(raw, times=False))
        said = words[place] if words else verdict_words(series)
        parts += [_head(document, series), f"{_table(series)}{_notes(series)}", _listed(said)]
        given_up = series.get("gives_up", ())
        if given_up:
            parts += ["It gives up:", _listed(given_up)]
    for title, items in (
        ("Warnings:", document.get("warnings", ())),
        ("The prediction assumes:", [item["says"] for item in document["assumptions"]]),
    ):
        if items:
            parts += [title, _listed(items)]
    parts.append(_wrapped(f"Predicted with mpps {document['versions'].get('mpps', '')}, seed {document['seed']}."))
    return "\n\n".join(parts)


def _observed(series: dict) -> bool:
    return any(row["observed"] is not None for row in series["predictions"])


def _head(document: dict, series: dict) -> str:
    what = _KINDS.get(series["change"], series["change"])
    source = document.get("path") or series["dataset"]
    unit = f" in {series['unit']}" if series["unit"] else ""
    joined = f"'{series['from']}' after {what}" if series["change"] in _KINDS else f"'{series['from']}' {what}"
    where = f", on {series['machine']}" if series.get("machine") else ""
    metric = series.get("metric", "rate")
    return _wrapped(f"{source}: {metric}{unit}, {joined}{where}. Predicted: median and 90 % interval.")


def _table(series: dict) -> str:
    """n, before, predicted with its interval, measured where there is one, gain, probability of a gain."""
    chances = {row["n"]: row["p"] for row in series["gain_probability"]}
    gains = {row["n"]: row["median"] for row in series["gain"]}
    measured = _observed(series)
    heads = [
        "n",
        _short(series["from"]),
        "predicted",
        "90 % interval",
        *(["measured"] if measured else []),
        "change",
        "P(gain)",
    ]
    rows = []
    for before, after in zip(series["before"], series["predictions"], strict=True):
        n = after["n"]
        first = before["median"] if before.get("observed") is None else before["observed"]
        cells = [f"{n}{'*' if after['extrapolated'] else ''}", _figure(first), _figure(after["median"])]
        cells.append(f"{_figure(after['lower'])} - {_figure(after['upper'])}")
        if measured:
            cells.append("-" if after["observed"] is None else _figure(after["observed"]))
        rows.append([*cells, f"{change(gains[n])}%", _chance(chances[n])])
    widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
    # Columns stand as far apart as the width allows, by one space at least.
    gap = max(1, min(3, (WIDTH - sum(widths)) // max(len(widths) - 1, 1)))
    lines = [
        (" " * gap).join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [heads, *rows]
    ]
    return "\n".join(lines)


def _notes(series: dict) -> str:
    """What stands in the columns, as far as it has to be said."""
    notes = []
    if any(row["extrapolated"] for row in series["predictions"]):
        notes.append("* nobody measured that count before the change")
    if series.get("known"):
        points = ", ".join(f"{row['n']}={row['rate']:g}" for row in series["known"])
        notes.append(f"known after the change: {points}")
    if _observed(series):
        name = series.get("compared_with")
        used = (
            f"'{name}', which the prediction has not seen" if name else f"'{series['variant']}', part of the path's fit"
        )
        notes.append(f"measured: {used}{' but for what is known' if name and series.get('known') else ''}")
    return "".join(f"\n{_wrapped(note)}" for note in notes)


def _chance(p: float) -> str:
    return ">99%" if p > 0.99 else "<1%" if p < 0.01 else f"{100 * p:.0f}%"


def _handy(series: dict) -> dict:
    """The series with numbers of few digits, so that the table is narrow; the power of ten goes to the unit."""
    most = max(max(row["upper"] for row in series["predictions"]), max(row["median"] for row in series["before"]))
    if 1e-1 <= most < 1e5:
        return series
    power = 3 * math.floor(math.log10(most) / 3)
    factor, prefix = 10.0**power, f"10^{power} "
    keys = ("median", "lower", "upper", "observed")
    scaled = lambda row: row | {key: row[key] / factor for key in keys if row.get(key) is not None}
    rows = {key: [scaled(row) for row in series[key]] for key in ("predictions", "before")}
    return series | rows | {"unit": f"{prefix}{series['unit']}"}


def _figure(value: float) -> str:
    """Four significant digits at most, none cut before the point."""
    if value == 0 or not math.isfinite(value):
        return "-"
    decimals = max(0, 3 - math.floor(math.log10(abs(value)) + 1e-12))
    return number(value, 2) if decimals > 5 else f"{value:.{min(decimals, 2 if abs(value) >= 1 else decimals)}f}"


def _short(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 2] + ".."


def _listed(items) -> str:
    return "\n".join(_wrapped(item, "- ") for item in items)


def _wrapped(text: str, first: str = "") -> str:
    # In plain text a percent sign stands at its number, or it would begin a line.
    return textwrap.fill(
        " ".join(text.split()).replace(" %", "%"), WIDTH, initial_indent=first, subsequent_indent=" " * len(first)
    )
