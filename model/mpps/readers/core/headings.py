"""Headings over outputs of a tool that stand several times in a file: "Before:" and "After:" part what else looks alike."""

import re
from dataclasses import replace

from mpps.readers.core.nouns import Row
from mpps.readers.core.source import Source

_HEADING = re.compile(
    r"[\s>|]{0,12}(?:(?:#{1,4}|[*\-+=]{1,4}|\d{1,2}[.)])\s{1,3})?([^\s].{0,70}?)\s{0,3}:?\s{0,3}[=\-]{0,3}\s{0,2}$"
)
_ALONE = re.compile(
    r"(?:before|after|baseline|base|patched|unpatched|vanilla|stock|mainline|with(?:out)? .{1,40}|old|new|without"
    r"|with)(?: .{0,40})?",
    re.IGNORECASE,
)


def apart(source: Source, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Rows whose point stands several times get the heading above them into the variant, where the headings differ."""
    points: dict[tuple, list[int]] = {}
    for place, row in enumerate(rows):
        points.setdefault(_point(row), []).append(place)
    again = [places for places in points.values() if len({rows[place].line for place in places}) > 1]
    if not again:
        return rows
    headings = _headings(source, {row.line for row in rows})
    above = {line: _above(headings, line) for line in {row.line for row in rows}}
    if not any(len({above[rows[place].line] for place in places}) > 1 for places in again):
        return rows
    named = [replace(row, variant=_joined(above[row.line], row.variant), repeat=None) for row in rows]
    return tuple(_counted(named, rows))


def _point(row: Row) -> tuple:
    return row.dataset, row.variant, row.labels, row.n, row.metric, row.unit


def _joined(heading: str, variant: str) -> str:
    return ", ".join(text for text in (heading, "" if variant == "measured" and heading else variant) if text)


def _headings(source: Source, taken: set[int]) -> list[tuple[int, str]]:
    """Lines that can head what follows, and stand once in the file: what is repeated parts nothing."""
    found: list[tuple[int, str]] = []
    for line, text in enumerate(source.lines[:20_000], 1):
        if line in taken or len(text) > 90:
            continue
        match = _HEADING.fullmatch(text)
        if match is None or not match[1][0].isalpha():
            continue
        marked = text.rstrip().endswith(":") or re.match(r"[\s>|]{0,12}(?:#{1,4}|[*\-+=]{1,4})\s", text)
        digits = sum(char.isdigit() for char in match[1])
        if (marked or _ALONE.fullmatch(match[1])) and 3 * digits <= len(match[1]):
            found.append((line, match[1].rstrip(" :")))
    counts: dict[str, int] = {}
    for _, text in found:
        counts[text] = counts.get(text, 0) + 1
    return [(line, text) for line, text in found if counts[text] == 1]


def _above(headings: list[tuple[int, str]], line: int) -> str:
    return next((text for at, text in reversed(headings) if at < line), "")


def _counted(named: list[Row], rows: tuple[Row, ...]) -> list[Row]:
    """Repeats counted anew within each heading."""
    total: dict[tuple, int] = {}
    for row in named:
        total[_point(row)] = total.get(_point(row), 0) + 1
    seen: dict[tuple, int] = {}
    out = []
    for row, old in zip(named, rows, strict=True):
        point = _point(row)
        seen[point] = seen.get(point, 0) + 1
        out.append(replace(row, repeat=seen[point] if total[point] > 1 or old.repeat == 1 else None))
    return out
