"""Wide CSV: a column of counts, and a column of values for each variant or metric."""

from mpps.readers.core.delimited import Records, records, separator_of
from mpps.readers.core.intervals import interval, is_bound, is_phrase
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.numbers import empty
from mpps.readers.core.source import Source
from mpps.readers.posted.cells import Cell, whole
from mpps.readers.posted.grid import Column, Grid
from mpps.readers.posted.lines import Line
from mpps.readers.posted.roles import find_roles
from mpps.readers.posted.rows import build


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    separator = separator_of(source)
    if separator is None:
        return None
    words = {",": "commas", ";": "semicolons", "\t": "tabs"}[separator]
    line = next(
        place for place, text in enumerate(source.lines, 1) if text.strip() and not text.lstrip().startswith("#")
    )
    return Claim(62, f"cells parted by {words} from line {line} on")


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    separator = separator_of(source)
    if separator is None:
        raise source.wrong(
            1, source.lines[0], "column names and rows separated by commas, semicolons or tabs",
            "write the names above the rows, or leave --format out",
        )  # fmt: skip
    return from_records(source, records(source, separator), options)


def from_records(source: Source, table: Records, options: Options) -> Part:
    """Rows of a table of columns, whatever file it stood in. Raises `DataError` for a cell that is nearly a number."""
    names, body, header_line = list(table.names), list(table.rows), table.header_line
    if all(whole(name, 0, table.decimal).number is not None for name in names):
        # No names: the first record is data.
        body.insert(0, (header_line, tuple(names)))
        names, header_line = [""] * len(names), 0
    if not body:
        raise source.wrong(header_line, ", ".join(names), "rows below the column names", "restore the file")
    columns = []
    for place, name in enumerate(names):
        cells = tuple(_cell(cells[place], table.decimal) for _, cells in body)
        numbers = sum(cell.number is not None for cell in cells)
        for (line, _), cell in zip(body, cells, strict=True):
            if numbers * 2 > len(cells) and cell.number is None and _nearly(cell.text):
                raise source.wrong(
                    line, cell.text, "a number such as 49.40, 1509628 or 185k", "correct the cell, or leave it empty",
                    column=name or str(place + 1),
                )  # fmt: skip
        columns.append(Column((name.replace("_", " "),) if name else (), cells))
    lines = tuple(Line(line, table.separator.join(cells), "text") for line, cells in body)
    grid = Grid(tuple(columns), lines, header_line, (), ())
    # Names stay as they are written; only what is read out of them has spaces for underscores.
    roles = find_roles(source, grid, options)
    grid = Grid(
        tuple(Column((name,) if name else (), column.cells) for name, column in zip(names, columns, strict=True)),
        lines,
        header_line,
        (),
        (),
    )
    built = build(source, grid, roles, source.stem, "", options)
    told = [f"n counts {roles.counts} ({roles.why_n})" if roles.n is not None else "no column of counts", *built.told]
    if roles.changes:
        agree = sum(check.agrees for check in built.checks)
        told.append(
            f"{', '.join(repr(names[place]) for place in roles.changes)}: printed changes, {agree} of "
            f"{len(built.checks)} agree with the values"
        )
    return Part(built.rows, tuple(told), (*roles.warnings, *built.warnings), built.ignored, built.checks)


def _nearly(text: str) -> bool:
    """Whether a cell without a number looks like a mistyped one; a bound and a phrase ("1, 2 and 16 senders") do not."""
    return any(char.isdigit() for char in text) and not is_bound(text) and not is_phrase(text)


def _cell(text: str, decimal: str) -> Cell:
    if empty(text):
        return Cell(0, len(text), text)
    if found := interval(text, decimal):
        return Cell(0, len(text), text, found[0], span=found[1:])
    return whole(text, 0, decimal)


READER = Reader("wide", "CSV with a column of counts and a column of values for each variant", claim, read)
