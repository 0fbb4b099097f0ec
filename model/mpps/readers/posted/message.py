"""All tables of a message, each named, with the units and the counts that the text around them states."""

from dataclasses import dataclass, replace
from functools import lru_cache

from mpps.errors import DataError, MppsError
from mpps.readers.core.counts import numbers_in_text
from mpps.readers.core.nouns import Ignored, Options, Part
from mpps.readers.core.source import Source
from mpps.readers.posted.blocks import Block, blocks, row_of, table_decimal
from mpps.readers.posted.cells import split
from mpps.readers.posted.grid import Grid, make_grid, width
from mpps.readers.posted.heads import Headings, caption_title, headings, stated_unit
from mpps.readers.posted.lines import MOST_LINES, TAB, Line, lines_of
from mpps.readers.posted.roles import Roles, find_roles
from mpps.readers.posted.rows import build
from mpps.readers.posted.sentences import read_sentences


@dataclass(frozen=True)
class Table:
    """A table found in a message, with its roles, or the reason why it has none."""

    grid: Grid
    roles: Roles | None
    problem: MppsError | None
    block: Block
    heads: Headings


def tables(source: Source, options: Options) -> list[Table]:
    """The tables of a message: blocks of at least two rows, or of one row under headings."""
    return _parsed(source, options)[1]


@lru_cache(maxsize=2)
def _parsed(source: Source, options: Options):
    """Lines, tables and leftover lines; kept, because the claim of a reader needs what its reading needs."""
    lines = lines_of(source)
    return (lines, *_tables(source, lines, options))


def read_message(source: Source, options: Options) -> Part:
    """Rows of all tables. Raises `DataError` when there is none, or when the only one cannot be told."""
    lines, found, leftover = _parsed(source, options)
    if len(source.lines) > MOST_LINES:
        part = _read(source, lines, found, leftover, options)
        note = (
            f"{source.file}, line {MOST_LINES}: tables are searched in the first {MOST_LINES:,} of "
            f"{len(source.lines):,} lines; "
            "cut out the part with the results"
        )
        return replace(part, warnings=(note, *part.warnings))
    return _read(source, lines, found, leftover, options)


def _read(source: Source, lines: list[Line], found: list[Table], leftover: list[Ignored], options: Options) -> Part:
    if not found:
        part = read_sentences(source, lines, table_decimal(lines), options)
        if part is None:
            raise _no_table(source, lines)
        used = {row.line for row in part.rows}
        return replace(part, ignored=tuple(item for item in leftover if item.line not in used))
    good = [table for table in found if table.roles is not None]
    if not good:
        raise found[0].problem
    # Tables of counts are what the message is about; a list without counts beside them stays a list.
    rows, told, warnings, checks = [], [], [], []
    ignored = list(leftover)
    for table in found:
        if table.problem is not None:
            warnings.append(f"{table.problem} (this table is left out)")
            ignored += [
                Ignored(source.file, line.number, line.text.strip(), "its table could not be told")
                for line in table.grid.lines
            ]
    titles = [caption_title(table.heads.caption) for table in good]
    unit_before: tuple[int, str] | None = None
    anywhere = _only_unit(lines)
    used: dict[str, int] = {}
    for table, title in zip(good, titles, strict=True):
        grid = table.grid
        name = (title or source.stem) if len(good) > 1 else source.stem
        used[name] = used.get(name, 0) + 1
        name = f"{name} ({used[name]})" if used[name] > 1 else name
        stated = stated_unit(table.heads.caption) or unit_before
        if stated is None and anywhere is not None and anywhere[0] not in [line for line, _ in table.heads.levels]:
            stated = anywhere  # what one heading states of its own column holds for no other
        built = build(source, grid, table.roles, name, stated[1] if stated else "", options)
        if not built.rows:
            continue
        counted = numbers_in_text([title]) if len(good) > 1 and all(row.n is None for row in built.rows) else {}
        if len(counted) == 1:
            # "With 16 threads:" over each of several tables.
            ((n, (_, words)),) = counted.items()
            built = replace(built, rows=tuple(replace(row, n=float(n), dataset=source.stem) for row in built.rows))
            told.append(f"n = {n} from line {table.heads.caption[-1].number}: {words!r}")
        elif (
            len(good) > 1 and title and len(title.split()) <= 4 and all(row.variant == "measured" for row in built.rows)
        ):
            # "Before:" and "After:" over tables of one kind name variants.
            built = replace(built, rows=tuple(replace(row, variant=title, dataset=source.stem) for row in built.rows))
        rows += built.rows
        checks += built.checks
        ignored += built.ignored
        warnings += [*table.roles.warnings, *built.warnings]
        told += _told(source, table, built, name, stated)
        unit_before = stated or unit_before
    if not rows:
        raise found[0].problem or _no_table(source, lines)
    patch = [line.number for line in lines if line.kind == "patch"]
    if patch:
        told.append(f"lines {patch[0]} to {patch[-1]} are a patch and were not read")
    return Part(
        tuple(rows), tuple(told), tuple(warnings), tuple(sorted(ignored, key=lambda item: item.line)), tuple(checks)
    )


def _tables(source: Source, lines: list[Line], options: Options) -> tuple[list[Table], list[Ignored]]:
    decimal = table_decimal(lines)
    found: list[Table] = []
    leftover: list[Ignored] = []
    floor = 0
    kept: tuple[int, Headings] | None = None  # columns and names of the table before, for one without names
    for block in blocks(lines, decimal):
        columns = width(block)
        heads = headings(lines, block, columns, floor)
        if (
            not heads.levels
            and kept is not None
            and kept[0] == columns
            and block.first - floor <= 6
            and not block.piped
        ):
            heads = replace(heads, levels=kept[1].levels)
        block, heads = _spaced(lines, block, heads, floor)
        columns = width(block)
        grid = make_grid(source.file, block, heads)
        if not grid.header_line and _mixed_list(grid):
            continue
        if len(grid.lines) < 2 and not grid.header_line or len(grid.columns) < 2 or not grid.lines:
            leftover += [
                Ignored(
                    source.file,
                    line.number,
                    line.text.replace(TAB, " ").strip(),
                    "a line of numbers that belongs to no table",
                )
                for line, _ in block.rows
            ]
            continue
        try:
            found.append(Table(grid, find_roles(source, grid, options), None, block, heads))
        except DataError as problem:
            found.append(Table(grid, None, problem, block, heads))
        except MppsError as problem:
            # A column that the user named and this table lacks: another one may have it.
            found.append(Table(grid, None, problem, block, heads))
        kept = (columns, heads) if heads.levels else kept
        floor = block.last + 1
    used = {line for table in found for line, _ in table.heads.levels}
    return found, [item for item in leftover if item.line not in used]


def _spaced(lines: list[Line], block: Block, heads: Headings, floor: int) -> tuple[Block, Headings]:
    """The block with `12 345` as one number, where the names above then stand over as many columns."""
    if block.piped:
        return block, heads
    rows = [(line, split(line.text, block.decimal, spaced=True)) for line, _ in block.rows]
    other = replace(block, rows=rows)
    if width(other) == width(block):
        return block, heads
    found = headings(lines, other, width(other), floor)
    fits = bool(found.levels) and len(found.levels[-1][1]) == width(other)
    return (
        (other, found) if fits and not (heads.levels and len(heads.levels[-1][1]) == width(block)) else (block, heads)
    )


def _mixed_list(grid: Grid) -> bool:
    """Whether lines are a list of values of many kinds (`rate: 100 kpps`, `loss: 0.5 %`), which is no table."""
    if len(grid.columns) != 2 or grid.columns[0].numbers:
        return False
    numbers = grid.columns[1].numbers
    families = {number.unit.family if number.unit else "" for number in numbers}
    times = {number.unit.name for number in numbers if number.unit is not None and number.unit.family == "time"}
    return len(families) != 1 or len(times) > 1 or "" in families and not any(number.prefix for number in numbers)


def _told(source: Source, table: Table, built, name: str, stated) -> list[str]:
    grid, roles = table.grid, table.roles
    first, last = grid.lines[0].number, grid.lines[-1].number
    variants = list(dict.fromkeys(row.label for row in built.rows))
    counts = f"n counts {roles.counts} ({roles.why_n})" if roles.n is not None else "no column of counts"
    told = [
        f"table {name!r}, lines {first} to {last}: {counts}; {len(built.rows)} values of "
        f"{', '.join(variants[:8])}{' ...' if len(variants) > 8 else ''}"
    ]
    if grid.turned:
        told.append(f"{name!r}: {grid.turned}")
    units = list(dict.fromkeys(row.unit for row in built.rows))
    if stated and stated[1] in units:
        told.append(f"{name!r}: unit {stated[1]} from line {stated[0]}")
    elif any(units):
        told.append(f"{name!r}: unit {', '.join(unit or 'not stated' for unit in units)}")
    dots = [line.number for line in table.block.dots if first < line.number < last]
    if dots:
        told.append(f"{name!r}: the source leaves out rows at line {', '.join(map(str, dots))}")
    if roles.changes:
        agree = sum(check.agrees for check in built.checks)
        columns = ", ".join(repr(grid.columns[place].heading or f"column {place + 1}") for place in roles.changes)
        told.append(f"{name!r}: {columns} holds printed changes: {agree} of {len(built.checks)} agree with the values")
    return told + [f"{name!r}: {text}" for text in built.told]


def _only_unit(lines: list[Line]) -> tuple[int, str] | None:
    """The one rate unit that the text names, when it names one."""
    found = {}
    for line in lines:
        if line.kind == "text":
            unit = stated_unit((line,))
            if unit is not None:
                found.setdefault(unit[1], unit)
    return next(iter(found.values())) if len(found) == 1 else None


def _no_table(source: Source, lines: list[Line]) -> DataError:
    first = next((line for line in lines if line.kind == "text" and any(char.isdigit() for char in line.text)), None)
    shown = first or next((line for line in lines if line.kind != "blank"), lines[0])
    return source.wrong(
        shown.number, shown.text.strip(), "a table: rows with a count and a value, under a heading",
        "paste the table with its heading, or name the format with --format",
    )  # fmt: skip


__all__ = ["Table", "read_message", "row_of", "tables"]
