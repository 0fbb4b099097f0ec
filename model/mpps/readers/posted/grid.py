"""A block as a grid: every cell in its column, every column with the names above it."""

import itertools
from dataclasses import dataclass, replace

from mpps.readers.core.counts import counts_what
from mpps.readers.core.nouns import Ignored
from mpps.readers.core.numbers import Quantity
from mpps.readers.posted.blocks import Block
from mpps.readers.posted.cells import Cell
from mpps.readers.posted.heads import Head, Headings, pieces
from mpps.readers.posted.lines import Line

#: What a misplaced cell costs against an empty column, in characters.
_SKIP = 0.0


@dataclass(frozen=True)
class Column:
    """One column: its names from the top down, and its cells, None where a row has none."""

    names: tuple[str, ...]
    cells: tuple[Cell | None, ...]

    @property
    def heading(self) -> str:
        return " ".join(name for name in self.names if name)

    @property
    def numbers(self) -> list[Quantity]:
        return [cell.number for cell in self.cells if cell is not None and cell.number is not None]


@dataclass(frozen=True)
class Grid:
    """A table: its columns, the line of each row, its caption, and what did not fit."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    header_line: int  # 0 where there are no names
    caption: tuple[Line, ...]
    groups: tuple[int, ...]
    ignored: tuple[Ignored, ...] = ()
    turned: str = ""  # why rows and columns were exchanged
    remarks: tuple[Ignored, ...] = ()


def width(block: Block) -> int:
    """The number of columns: what most rows have; the longest of those that are as frequent."""
    counts: dict[int, int] = {}
    for _, cells in block.rows:
        counts[len(cells)] = counts.get(len(cells), 0) + 1
    return max(counts, key=lambda size: (counts[size], size))


def make_grid(file: str, block: Block, heads: Headings) -> Grid:
    """Cells in columns, by place in the row where all rows have as many, by position in the line elsewhere."""
    rows, head_row = list(block.rows), None
    if len(rows) >= 2 and not heads.levels and _is_head_row(rows):
        head_row, rows = rows[0], rows[1:]
    size = width(replace_rows(block, rows))
    spans = _spans([cells for _, cells in rows if len(cells) == size], size)
    placed, lines, ignored, kept = [], [], [], []
    remarks: list[Ignored] = []
    for place, (line, cells) in enumerate(rows):
        if len(cells) > size and not block.piped and all(cell.number is None for cell in cells[size:]):
            remark = " ".join(cell.text for cell in cells[size:])
            remarks.append(Ignored(file, line.number, remark, "a remark behind a row"))
            cells = cells[:size]
        fitted = cells if len(cells) == size else _fitted(cells, spans) if not block.piped else None
        if fitted is None:
            why = f"{len(cells)} cells, where the rows beside it have {size}"
            ignored.append(Ignored(file, line.number, line.text.strip(), why))
            continue
        placed.append(fitted)
        lines.append(line)
        kept.append(place)
    names, header_line = _names(heads, head_row, size, spans, block.piped)
    columns = tuple(Column(names[place], tuple(row[place] for row in placed)) for place in range(size))
    shift = 1 if head_row is not None else 0
    groups = tuple(kept.index(group - shift) for group in block.groups if group - shift in kept)
    return _turned(
        Grid(columns, tuple(lines), header_line, heads.caption, groups, tuple(ignored), remarks=tuple(remarks))
    )


def line_of(grid: Grid, row: int, place: int) -> int:
    """The line of the source that a cell stands on."""
    if grid.turned:
        return grid.lines[place - 1].number if place - 1 < len(grid.lines) else grid.lines[-1].number
    return grid.lines[row].number


def replace_rows(block: Block, rows) -> Block:
    return replace(block, rows=rows)


def _is_head_row(rows) -> bool:
    """Whether the first row names columns: words first, over rows that begin with a number, or counts over names."""
    first, others = rows[0][1], [cells for _, cells in rows[1:]]
    if first[0].number is not None or not all(
        cell.number is None or _bare_count(cell) or cell.number.unit for cell in first[1:]
    ):
        return False
    below = sum(cells[0].number is not None for cells in others)
    return below == len(others)


def _bare_count(cell: Cell) -> bool:
    number = cell.number
    return (
        number is not None
        and number.value == int(number.value)
        and number.value > 0
        and not number.prefix
        and number.unit is None
    )


def _spans(rows, size: int) -> list[tuple[int, int]]:
    return [
        (min(cells[place].start for cells in rows), max(cells[place].end for cells in rows)) for place in range(size)
    ]


def _fitted(cells: list[Cell], spans) -> list[Cell | None] | None:
    """Cells in the columns that they stand in, in order; None when there are more cells than columns, or one fits nowhere."""
    size = len(spans)
    if len(cells) > size:
        return None
    limit = 6
    # cost[i][j]: the first i cells in the first j columns.
    cost = [[0.0] * (size + 1)] + [[float("inf")] * (size + 1) for _ in cells]
    step = [[False] * (size + 1) for _ in range(len(cells) + 1)]
    for i, cell in enumerate(cells, 1):
        for j in range(i, size + 1):
            left, right = spans[j - 1]
            away = 0 if cell.start >= left and cell.end <= right else min(abs(cell.start - left), abs(cell.end - right))
            put, skip = cost[i - 1][j - 1] + away, cost[i][j - 1]
            step[i][j] = put <= skip
            cost[i][j] = min(put, skip)
    out: list[Cell | None] = [None] * size
    i, j = len(cells), size
    while i:
        if step[i][j]:
            left, right = spans[j - 1]
            cell = cells[i - 1]
            if not (cell.end > left - limit and cell.start < right + limit):
                return None
            out[j - 1] = cell
            i -= 1
        j -= 1
    return out


def _names(heads: Headings, head_row, size: int, spans, piped: bool) -> tuple[list[tuple[str, ...]], int]:
    levels = [list(names) for _, names in heads.levels]
    if head_row is not None:
        _line, cells = head_row
        levels.append([Head(cell.start, cell.end, cell.text) for cell in cells])
    if not levels:
        return [() for _ in range(size)], 0
    header_line = head_row[0].number if head_row is not None else heads.levels[-1][0]
    table: list[list[str]] = []
    for place, names in enumerate(levels):
        last = place == len(levels) - 1
        table.append(_spread(names, size, spans, piped, last))
    below = len(levels) - 1
    out = []
    for column in range(size):
        path = [table[level][column] for level in range(below + 1)]
        out.append(path)
    # Two lines of names for as many columns each are one name of two lines.
    if below >= 1 and all(len(names) >= max(len(levels[-1]) - 1, 2) for names in levels) and not piped:
        out = [[" ".join(name for name in path if name)] for path in out]
    return [tuple(name for name in path if name) for path in out], header_line


def _spread(names: list[Head], size: int, spans, piped: bool, last: bool) -> list[str]:
    """A name for each column: one each, or one over several."""
    texts = [head.text for head in names]
    if piped and len(names) == size:
        # An empty cell under a group that opened to its left belongs to that group, but the first column has none.
        if last:
            return texts
        out, open_name = [], ""
        for place, text in enumerate(texts):
            open_name = text or open_name
            out.append(open_name if place else text)
        return out
    if len(names) == size:
        return texts
    if last and len(names) == size - 1 and size >= 2:
        # The column of counts often has no name; else the names stand over their columns.
        if names[0].start >= spans[0][1]:
            return ["", *texts]
    out = [""] * size
    if last:
        taken = -1
        for head in names:
            scores = [(_apart(head, spans[column]), column) for column in range(taken + 1, size)]
            if not scores:
                break
            _, taken = min(scores)
            out[taken] = head.text
        return out
    values = [column for column in range(size) if spans[column][1] > names[0].start - 12 and column > 0] or list(
        range(1, size)
    )
    # Groups of one size, where they divide the columns and each name stands over its own.
    for columns in (list(range(1, size)), values):
        if columns and len(columns) % len(names) == 0:
            share = len(columns) // len(names)
            parts = [columns[place * share : (place + 1) * share] for place in range(len(names))]
            if all(
                spans[part[0]][0] - 10 <= (head.start + head.end) / 2 <= spans[part[-1]][1] + 10
                for head, part in zip(names, parts, strict=True)
            ):
                for head, part in zip(names, parts, strict=True):
                    for column in part:
                        out[column] = head.text
                return out
    for column in range(size):
        middle = Head(spans[column][0], spans[column][1], "")
        distance, head = min(
            ((_apart(head, (middle.start, middle.end)), head) for head in names), key=lambda item: item[0]
        )
        if distance <= 12 and column > 0:
            out[column] = head.text
    return out


def _apart(head: Head, span: tuple[int, int]) -> float:
    left, right = span
    if head.start <= right and left <= head.end:
        return abs((head.start + head.end) - (left + right)) / 100
    return min(abs(head.start - right), abs(left - head.end)) + 1


def _turned(grid: Grid) -> Grid:
    """Rows and columns exchanged where the counts stand across: `threads 1 2 4 8` over one row a variant."""
    counts, why = _counts_across(grid)
    if counts is None:
        return grid
    first, columns, lines = grid.columns[0], grid.columns[1:], grid.lines
    start = 1 if why == "row" else 0
    labels = [cell.text.rstrip(":=") if cell is not None else "" for cell in first.cells][start:]
    heading = first.cells[0].text.rstrip(":=") if why == "row" and first.cells[0] is not None else first.heading
    what = counts_what(heading) or counts_what(" ".join(columns[0].names[:-1])) or _noun(columns) or "n"
    count_cells = tuple(Cell(0, 0, str(count), Quantity(float(count), str(count))) for count in counts)
    turned = [Column((what,), count_cells)]
    for row, label in enumerate(labels, start):
        turned.append(Column((label,), tuple(column.cells[row] for column in columns)))
    # Each value keeps the line of its own row: a turned column is one line.
    at = grid.header_line or lines[0].number
    return Grid(
        tuple(turned),
        tuple(lines[start:]),
        at,
        grid.caption,
        (),
        grid.ignored,
        turned=f"counts stand across in line {at}",
        remarks=grid.remarks,
    )


def _noun(columns) -> str:
    """The noun of counts in headings such as `2 flows`."""
    from mpps.readers.core.counts import counted

    found = counted(columns[-1].names[-1]) if columns[-1].names else None
    return found[1] if found is not None else ""


def _counts_across(grid: Grid) -> tuple[list[int] | None, str]:
    if len(grid.columns) < 3 or any(cell is not None and cell.number is not None for cell in grid.columns[0].cells):
        return None, ""
    from mpps.readers.core.counts import counted

    def rising(counts: list[int]) -> bool:
        return len(counts) >= 2 and counts[0] > 0 and all(a < b for a, b in itertools.pairwise(counts))

    heads = [counted(column.names[-1]) if column.names else None for column in grid.columns[1:]]
    if all(heads):
        counts = [head[0] for head in heads]
        named = (
            counts_what(grid.columns[0].heading)
            or all(head[1] for head in heads)
            or counts_what(" ".join(grid.columns[1].names[:-1]))
        )
        if rising(counts) and (named or not grid.columns[0].heading or True):
            return counts, "heading"
    head = grid.columns[0].cells[0]
    cells = [column.cells[0] for column in grid.columns[1:]]
    if len(grid.lines) >= 2 and all(cell is not None and (_bare_count(cell) or cell.noun) for cell in cells):
        counts = [int(cell.number.value) for cell in cells]
        if rising(counts) and head is not None and counts_what(head.text.rstrip(":=")):
            return counts, "row"
    return None, ""


__all__ = ["Column", "Grid", "make_grid", "pieces", "width"]
