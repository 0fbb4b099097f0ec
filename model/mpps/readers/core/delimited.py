"""Records of a file whose cells are separated by commas, semicolons, tabs or bars."""

import csv
import io
import re
from dataclasses import dataclass

from mpps.errors import DataError
from mpps.readers.core.nouns import COLUMNS
from mpps.readers.core.numbers import NUMBER, decimal_mark
from mpps.readers.core.source import Source

_SEPARATORS = (",", ";", "\t")

#: Blanks between digits inside a cell: columns of another make.
_COLUMNS = re.compile(r"\S {2,}\S")


@dataclass(frozen=True)
class Records:
    """Header and records with their lines; `decimal` is the mark of its numbers."""

    names: tuple[str, ...]
    header_line: int
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    decimal: str
    separator: str
    comments: tuple[tuple[int, str], ...]


def separator_of(source: Source) -> str | None:
    """The separator that cuts the first line with names, and the lines below, into as many cells each."""
    lines = [line for line in source.lines[:60] if line.strip() and not line.lstrip().startswith("#")][:12]
    if len(lines) < 2 or lines[0].lstrip()[:1] in "{[":
        return None
    if not any(char.isdigit() for line in lines[1:] for char in line):
        return None
    if lines[0].startswith(",".join(COLUMNS)):
        return ","
    best, most = None, 1
    for separator in _SEPARATORS:
        if separator != "\t" and any(_COLUMNS.search(cell) for line in lines for cell in line.split(separator)):
            continue
        counts = [_cells(line, separator) for line in lines]
        if lines[0].lstrip().startswith("|") or (separator == "\t" and lines[0][:1] in " \t"):
            continue
        names = [cell.strip() for cell in lines[0].split(separator)]
        if any(name[:1].isdigit() for name in names) and not all(
            name[:1].isdigit() and not any(char.isalpha() for char in name) for name in names
        ):
            if not _headed(names, [line.split(separator) for line in lines[1:]]):
                continue
        if counts[0] > most and sum(count == counts[0] for count in counts) >= max(
            2, len(counts) * (0.6 if _named(lines[0], separator) else 0.9)
        ):
            best, most = separator, counts[0]
    return best


def _headed(names, body) -> bool:
    """Whether names such as 10G and 25G, behind one in words, stand over plain numbers: `link,10G,25G` over `drop,1,2`."""
    plain = lambda cell: not any(char.isalpha() for char in cell) and any(char.isdigit() for char in cell)
    return (
        not any(char.isdigit() for char in names[0])
        and len(set(names)) == len(names)
        and all(any(char.isalpha() for char in name) for name in names)
        and all(len(row) == len(names) and all(map(plain, row[1:])) for row in body)
    )


def records(source: Source, separator: str) -> Records:
    """All records; raises `DataError` for open quotes, a name twice, too few or too many cells."""
    kept, comments = [], []
    for place, line in enumerate(source.lines, 1):
        if (
            line.lstrip().startswith("#")
            and place > 1
            and not kept
            or line.lstrip().startswith("#")
            and (place > 1 or _cells(line, separator) < 2)
        ):
            comments.append((place, line))
        elif line.strip():
            kept.append((place, line))
    if not kept:
        raise DataError(
            f"{source.file}, line 1: found no line with cells: expected column names and rows; check the path"
        )
    parsed = _parsed(source, kept, separator)
    header_line, names = parsed[0]
    names = [name.strip() for name in names]
    if names:
        names[0] = names[0].lstrip("#\ufeff").strip()
    while (
        len(names) > 1
        and not names[-1]
        and all(len(cells) < len(names) or not cells[-1].strip() for _, cells in parsed[1:])
    ):
        names.pop()
    for place, name in enumerate(names):
        if name and name in names[:place]:
            raise source.wrong(header_line, name, "column names that differ", "rename one of the two", column=name)
    rows = []
    for line, cells in parsed[1:]:
        cells = list(cells)
        while len(cells) > len(names) and not cells[-1].strip():
            cells.pop()
        if len(cells) != len(names):
            column = names[min(len(cells), len(names) - 1)]
            raise source.wrong(
                line,
                separator.join(cells),
                f"{len(names)} cells, as the header in line {header_line} has, not {len(cells)}",
                "add the missing cell (empty is allowed), or remove a separator inside a number",
                column=column,
            )
        rows.append((line, tuple(cell.strip() for cell in cells)))
    numbers = [cell for _, cells in rows for cell in cells if NUMBER.match(cell)]
    return Records(tuple(names), header_line, tuple(rows), decimal_mark(numbers), separator, tuple(comments))


def _named(line: str, separator: str) -> bool:
    """Whether a line holds short names, as a header does."""
    cells = line.split(separator)
    return all(len(cell.split()) <= 5 for cell in cells) and any(cell.strip()[:1].isalpha() for cell in cells)


def _cells(line: str, separator: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=separator), []))
    except csv.Error:
        return 0


def _parsed(source: Source, kept, separator: str):
    text = "\n".join(line for _, line in kept)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    found, start = [], 0
    try:
        for cells in reader:
            found.append((kept[min(start, len(kept) - 1)][0], cells))
            start = reader.line_num
    except csv.Error as error:
        line = kept[min(max(reader.line_num - 1, 0), len(kept) - 1)]
        raise source.wrong(
            line[0], line[1], f"cells separated by {separator!r} ({error})", "close the quotes or remove them"
        ) from None
    return found
