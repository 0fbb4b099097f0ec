"""Runs of lines that make a table: rows of one make, with blank lines, rules and dots between."""

import itertools
from dataclasses import dataclass, field

from mpps.readers.core.numbers import NUMBER, decimal_mark
from mpps.readers.posted.cells import SUMMARIES, Cell, bars, split
from mpps.readers.posted.lines import LONGEST_ROW, TAB, Line

#: Blank lines that one table may hold in a row.
_MOST_BLANK = 2

#: Most words of one cell; more make a sentence.
_MOST_WORDS = 6


@dataclass
class Block:
    """Rows of one table, and its place in the message: `first` and `last` index the lines."""

    first: int
    last: int
    rows: list[tuple[Line, list[Cell]]]
    piped: bool
    decimal: str = "."
    dots: list[Line] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)  # rows before which a blank line stands


def blocks(lines: list[Line], decimal: str) -> list[Block]:
    """All blocks of at least one row, in order."""
    found: list[Block] = []
    here: Block | None = None
    blank = 0
    for place, line in enumerate(lines):
        if line.kind == "blank":
            blank += 1
            if here is not None and blank > _MOST_BLANK:
                here = None
            continue
        if line.kind in ("rule", "dots") and here is not None:
            if line.kind == "dots":
                here.dots.append(line)
            continue
        row = row_of(line, decimal) if line.kind == "text" else None
        if row is None:
            here = None
            blank = 0
            continue
        cells, piped = row
        if here is not None and here.piped == piped and _fits(here, cells, blank):
            if blank:
                here.groups.append(len(here.rows))
            here.rows.append((line, cells))
            here.last = place
        else:
            here = Block(place, place, [(line, cells)], piped, decimal)
            found.append(here)
        blank = 0
    return [_settled(block) for block in found]


def table_decimal(lines: list[Line]) -> str:
    """What separates decimals: in the lines that are mostly numbers, else in all."""
    rows, prose = [], []
    for line in lines:
        if line.kind == "text" and len(line.text) <= LONGEST_ROW:
            text = line.text
            # v6.1 is a name, and a list such as 1,2,4,8 is no number.
            numbers = [
                match[3].rstrip(",.")
                for match in NUMBER.finditer(text)
                if match[3]
                and not (match.start(3) and (text[match.start(3) - 1].isalpha() or text[match.start(3) - 1] == "."))
            ]
            numbers = [number for number in numbers if not _listing(number)]
            digits = sum(char.isdigit() for char in text)
            (rows if 3 * digits > len(text.replace(" ", "").replace(TAB, "")) else prose).extend(numbers)
    marked = [number for number in rows if "," in number or "." in number]
    return decimal_mark(marked or prose)


def row_of(line: Line, decimal: str, *, dashes: bool = True, spaced: bool = False) -> tuple[list[Cell], bool] | None:
    """Cells of a line that can be a row of a table, and whether bars part them; None for prose."""
    text = line.text
    if len(text) > LONGEST_ROW or not any(char.isdigit() for char in text):
        return None
    piped = text.lstrip(f" {TAB}").startswith("|") or text.count("|") >= 2 or (" | " in text)
    if piped:
        cells = bars(text, decimal)
        numbers = sum(cell.number is not None for cell in cells)
        return (cells, True) if numbers >= 1 and len(cells) >= 2 else None
    cells = split(text, decimal, dashes=dashes, spaced=spaced)
    return (cells, False) if _is_row(text, cells) else None


def _is_row(text: str, cells: list[Cell]) -> bool:
    numbers = [cell for cell in cells if cell.number is not None]
    if not numbers or len(cells) < 2:
        return False
    if text.rstrip().endswith(":") and len(text.split()) > 4:
        return False
    last = None
    for place, cell in enumerate(cells):
        if cell.number is None and not cell.hole:
            if len(cell.text.split()) > _MOST_WORDS:
                return False
            # Words that follow a number in the flow of a sentence.
            if (
                last is not None
                and last.number is not None
                and cell.start - last.end <= 1
                and TAB not in text[last.end : cell.start]
            ):
                return False
            if cell.text.endswith((".", "!", "?")) and len(cell.text.split()) > 1 and place == len(cells) - 1:
                return False
        last = cell
    if len(numbers) == 1:
        number = cells.index(numbers[0])
        if number == 0 and not numbers[0].noun:
            return all(cell.hole for cell in cells[1:]) or _gapped(text, cells)
        before = cells[number - 1] if number else None
        return before is None or before.text.endswith((":", "=")) or _gapped(text, cells)
    words = sum(len(cell.text.split()) for cell in cells if cell.number is None and not cell.hole)
    return words <= 2 * len(numbers) + 4 and (_gapped(text, cells) or words <= 4)


def _gapped(text: str, cells: list[Cell]) -> bool:
    """Whether some cells stand apart by two blanks, a tab, or a mark."""
    return any(
        right.start - left.end >= 2 or TAB in text[left.end : right.start] for left, right in itertools.pairwise(cells)
    )


def _fits(block: Block, cells: list[Cell], blank: int) -> bool:
    """Whether a row goes on with a block: the same kind of first cell, about as many cells, numbers where numbers are."""
    # The row of a summary says nothing about the kind of the next one.
    before = next(
        (row for _, row in reversed(block.rows) if row[0].text.lower().rstrip(":") not in SUMMARIES), block.rows[-1][1]
    )
    if block.piped:
        return len(cells) == len(before) or (not blank and abs(len(cells) - len(before)) <= 2)
    same_first = (before[0].number is None) == (cells[0].number is None)
    if not same_first and not blank and len(cells) == len(before) and cells[0].text.lower().rstrip(":") in SUMMARIES:
        return True
    if blank:
        return same_first and len(cells) == len(before) and _kinds(cells) == _kinds(before)
    most = max(len(row) for _, row in block.rows[-8:])
    if len(cells) == most:
        return same_first or len(block.rows) == 1
    # A row of another length that follows at once is a row with a hole or a slip, not another table.
    return same_first and 2 <= len(cells) and most >= 3


def _kinds(cells: list[Cell]) -> list[bool]:
    return [cell.number is None for cell in cells]


def _settled(block: Block) -> Block:
    """Rows read again where `--` marks a hole, or spaces group thousands."""
    if block.piped or len(block.rows) < 2:
        return block

    def uneven(rows) -> int:
        return len({len(cells) for _, cells in rows})

    dashed = [("--" in line.text or "==" in line.text) for line, _ in block.rows]
    choices = [block.rows]
    if any(dashed) and not all(dashed):
        choices.append([(line, split(line.text, block.decimal, dashes=False)) for line, _ in block.rows])
    spaced = [(line, split(line.text, block.decimal, spaced=True)) for line, _ in block.rows]
    if spaced != block.rows:
        choices.append(spaced)
    best = min(choices, key=uneven)
    if best is not block.rows and uneven(best) < uneven(block.rows):
        block.rows = best
    return block


def _listing(text: str) -> bool:
    parts = text.split(",")
    return len(parts) > 2 and any(len(part) != 3 for part in parts[1:])
