"""Columns of any tool without a count (vmstat, sar, pidstat, iostat, ss): every heading is a metric, words name variants."""

import re

from mpps.readers.core.counts import counts_what
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.numbers import decimal_mark, quantity
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row
from mpps.readers.core.units import unit_of

_CLOCK = re.compile(r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?|\d{4}-\d\d-\d\d(?:T\S{1,20})?")
_NUMBER = re.compile(r"[+-]?\d[\d.,]{0,30}%?")
_VARIANT = re.compile(
    r"\b(?:before|after|base\w*|patch\w*|unpatched|vanilla|stock|orig\w*|old|new|with|without|v\d\S*|mainline"
    r"|upstream|master|improved|control)\b|[\d%]",
    re.IGNORECASE,
)

#: A heading has at least this many names, all single words.
_FEWEST = 4


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    found = _tables(source)
    if not found:
        return None
    line, names, _ = found[0]
    if (
        any(counts_what(name) for name in names if name != "CPU")
        or sum(_VARIANT.fullmatch(name) is not None for name in names) > 1
    ):
        return None
    return Claim(45, f"line {line} heads {len(names)} columns: {' '.join(names[:8])}{' ...' if len(names) > 8 else ''}")


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, seen = [], {}
    for _, names, body in _tables(source):
        decimal = decimal_mark([cell for _, cells in body for cell in cells if _NUMBER.fullmatch(cell)])
        # A column of words, or of numbers that name a CPU or a device, tells rows apart.
        keys = [
            place
            for place, name in enumerate(names)
            if name in ("CPU", "PID", "TID", "UID", "Core", "NODE")
            or any(quantity(cells[place], decimal) is None for _, cells in body)
        ]
        for line, cells in body:
            variant = (
                ", ".join(
                    cells[place] if not cells[place].isdigit() else f"{names[place]} {cells[place]}" for place in keys
                )
                or "measured"
            )
            for place, name in enumerate(names):
                if place in keys:
                    continue
                amount = quantity(cells[place], decimal)
                if amount is None:
                    continue
                key = (variant, name)
                seen[key] = seen.get(key, 0) + 1
                unit = (
                    "percent"
                    if name.startswith("%") or amount.percent
                    else (unit_of(name).name if "/" in name and unit_of(name) else "")
                )
                rows.append((seen[key], number_row(source, line, name, amount.printed, unit, variant=variant)))
    from dataclasses import replace

    out = [replace(row, repeat=repeat) if seen[row.variant, row.metric] > 1 else row for repeat, row in rows]
    return finished(
        source,
        out,
        ["every heading is a metric; rows of one kind are repeats"],
        "a heading of names over rows of numbers",
        "r b swpd free buff cache",
    )


def _tables(source: Source):
    """Headings with their rows: (line, names, [(line, cells)])."""
    found = []
    open_table = None
    for line, text in enumerate(source.lines[:20_000], 1):
        if len(text) > 500 or "|" in text:
            open_table = None
            continue
        words = text.split()
        if not words:
            continue
        clock = _clock(words)
        cells = words[clock:]
        if (
            open_table is not None
            and len(cells) == len(open_table[1])
            and sum(_NUMBER.fullmatch(cell) is not None for cell in cells) * 2 >= len(cells)
        ):
            open_table[2].append((line, cells))
            continue
        if open_table is not None and cells == open_table[1]:
            continue  # the heading again
        open_table = None
        names = [name for name in cells if name != ":"]
        if (
            len(names) >= _FEWEST
            and all(
                len(name) <= 24 and not _NUMBER.fullmatch(name) and not name.endswith((".", ",", ":")) for name in names
            )
            and len(set(names)) == len(names)
        ):
            open_table = (line, names, [])
            found.append(open_table)
    return [table for table in found if table[2]]


def _clock(words: list[str]) -> int:
    """How many words at the start are a time: `12:00:01 AM`, `Average:`."""
    if _CLOCK.fullmatch(words[0]):
        return 2 if len(words) > 1 and words[1] in ("AM", "PM") else 1
    return 1 if words[0] in ("Average:", "Summary:") else 0


READER = Reader("columns", "columns of any tool without a count: vmstat, sar, pidstat, iostat", claim, read)
