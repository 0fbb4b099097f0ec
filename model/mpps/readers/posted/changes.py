"""Printed changes beside values: each is a check of two of them, and never a row."""

import re
from dataclasses import replace
from fractions import Fraction

from mpps.errors import DataError
from mpps.readers.core.nouns import Check
from mpps.readers.core.numbers import Quantity, scaled
from mpps.readers.core.source import Source
from mpps.readers.posted.cells import Cell
from mpps.readers.posted.grid import Column, Grid, line_of
from mpps.readers.posted.roles import Roles
from mpps.rounding import change_agrees


def cell_check(source, rows, grid, roles, place, row, cell) -> list[Check]:
    base = roles.values[0]
    if base == place:
        return []
    before = grid.columns[base].cells[row]
    if before is None or before.number is None:
        return []
    return _check(
        source,
        grid.lines[min(row, len(grid.lines) - 1)].number,
        cell.change,
        False,
        before,
        cell,
        (grid.columns[base].heading, grid.columns[place].heading),
    )


def column_checks(source: Source, grid: Grid, roles: Roles, place: int, names) -> list[Check]:
    """The printed changes of a column, against the pair of values that most of them fit."""
    column = grid.columns[place]
    left = [value for value in roles.values if value < place]
    pairs = [(a, b) for a in left for b in left if a != b and names[a][1:] == names[b][1:]]
    pairs.sort(key=lambda pair: (-(pair[1]), pair[0] != left[0]))
    best: list[Check] = []
    for before, after in pairs[:12]:
        found = []
        for row, cell in enumerate(column.cells):
            cells = grid.columns[before].cells[row], grid.columns[after].cells[row]
            if cell is None or cell.number is None or any(other is None or other.number is None for other in cells):
                continue
            line = line_of(grid, row, place)
            found += _check(
                source,
                line,
                cell.number,
                cell.times,
                *cells,
                (names[before][0], names[after][0]),
                ratio=_is_ratio(column),
            )
        if sum(check.agrees for check in found) > sum(check.agrees for check in best) or not best:
            best = found
    return best


def _is_ratio(column: Column) -> bool:
    numbers = column.numbers
    if any(number.percent or number.sign for number in numbers):
        return False
    return bool(re.search(r"speed-?up|ratio|factor|norm|relative|\bx\b", column.heading, re.IGNORECASE)) or any(
        cell is not None and cell.times for cell in column.cells
    )


def _check(
    source, line: int, change: Quantity, times: bool, before: Cell, after: Cell, names, ratio: bool = False
) -> list[Check]:
    first, last = (_plain(cell.number) for cell in (before, after))
    if first is None or last is None or Fraction(first) <= 0:
        return []
    sign = change.sign if change.sign in ("+", "-") else ""
    digits = change.printed.lstrip("-")
    if "e" in digits:
        return []
    try:
        if ratio or times:
            low, high = Fraction(last) / Fraction(first), Fraction(digits)
            step = Fraction(1, 10 ** len(digits.partition(".")[2]))
            agrees = abs(low - high) <= step / 2 + low * Fraction(1, 100)
            printed = f"{digits}x"
        elif not change.percent and (change.sign or change.prefix) and _difference(change, first, last):
            printed, agrees = f"{change.sign}{_plain(change)}", True
        else:
            printed = f"{sign}{digits}%"
            agrees = change_agrees(printed, first, last)
    except (DataError, ZeroDivisionError):
        return []
    return [Check(source.file, line, printed, first, last, (str(names[0]), str(names[1])), agrees)]


def _difference(change: Quantity, first: str, last: str) -> bool:
    """Whether a change is the difference itself: +180K from 450K to 630K."""
    step = scaled(change.value, change.printed, change.prefix)[0]
    return abs(Fraction(last) - Fraction(first) - Fraction(step)) <= abs(Fraction(step)) / 50


def _plain(number: Quantity) -> str | None:
    text = scaled(abs(number.value), number.printed.lstrip("-"), number.prefix)[1]
    return None if "e" in text else text


def believable(source: Source, checks: list[Check]) -> tuple[list[Check], list[str]]:
    """Checks with a warning for each that disagrees; where most disagree the column is some other percentage."""
    wrong = [check for check in checks if not check.agrees]
    if checks and len(wrong) * 2 > len(checks) and len(checks) > 1:
        line = checks[0].line
        return [], [
            f"{source.file}, line {line}: the percentages of this column fit no two columns of values; they are "
            f"left out as checks"
        ]
    warnings = []
    for check in wrong:
        if check.printed.endswith("x"):
            computed = f"{float(Fraction(check.after) / Fraction(check.before)):.3f}x"
        else:
            computed = f"{100 * (float(Fraction(check.after) / Fraction(check.before)) - 1):+.2f}%"
        warnings.append(
            f"{source.file}, line {check.line}: found the printed change {check.printed} from {check.before} to "
            f"{check.after}: "
            f"expected {computed}; one of the three is a misprint, and the values are kept as printed"
        )
    return checks, warnings


def changes_in_parentheses(grid: Grid, roles: Roles) -> Grid:
    """Percentages in parentheses that are zero for the first variant are changes against it, not spreads."""
    first = grid.columns[roles.values[0]].cells
    spreads = [cell.spread for cell in first if cell is not None and cell.number is not None]
    if (
        len(roles.values) < 2
        or not spreads
        or not all(spread is not None and spread.percent and spread.value == 0 for spread in spreads)
    ):
        return grid
    columns = list(grid.columns)
    for place in roles.values:
        cells = tuple(
            replace(cell, spread=None, change=cell.spread if place != roles.values[0] else None)
            if cell is not None and cell.spread is not None and cell.spread.percent
            else cell
            for cell in columns[place].cells
        )
        columns[place] = Column(columns[place].names, cells)
    return replace(grid, columns=tuple(columns))
