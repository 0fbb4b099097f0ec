"""Values of a column in one unit, with the spreads and ends that stand on them or beside them."""

from fractions import Fraction

from mpps.readers.core.numbers import Quantity, scaled
from mpps.readers.core.units import Unit, prefixed, unit_of
from mpps.readers.posted.cells import Cell
from mpps.readers.posted.grid import Column, Grid
from mpps.readers.posted.roles import Roles


def column_unit(column: Column, stated: str) -> tuple[str, str]:
    """The prefix that goes into the unit of a column ('' when numbers are multiplied out), and the unit."""
    prefixes = {(number.prefix, number.unit.name if number.unit else "") for number in column.numbers}
    base = unit_of(stated) if stated else None
    if len(prefixes) == 1:
        prefix, _ = next(iter(prefixes))
        named = prefixed(prefix, base) if prefix and base is not None else None
        return (prefix, named.name) if named is not None else ("", stated)
    names = {name for _, name in prefixes if name}
    if len(names) > 1:
        units = [unit_of(name) for name in names]
        if len({unit.family for unit in units if unit}) == 1 and all(units):
            smallest = min(units, key=lambda unit: unit.factor)
            return "", smallest.name
    return "", stated


def converted(number: Quantity, keep: str, unit: str) -> tuple[float, str, str]:
    """Value, digits and unit of a number in the unit of its column."""
    if keep and number.prefix == keep:
        return number.value, number.printed, unit
    value, printed = scaled(number.value, number.printed, number.prefix)
    if number.unit is not None and unit and number.unit.name != unit:
        target: Unit | None = unit_of(unit)
        if target is not None and target.family == number.unit.family:
            exact = Fraction(printed) * Fraction(number.unit.factor) / Fraction(target.factor)
            return float(exact), f"{float(exact):.12g}", unit
        return value, printed, number.unit.name
    return value, printed, unit or (number.unit.name if number.unit else "")


def _spread(number: Quantity, cell: Cell, value: float, common: str, unit: str) -> float | None:
    if number.percent:
        return abs(value) * number.value / 100
    if not number.prefix and number.unit is None and cell.number is not None and cell.number.prefix and not common:
        # 1.2M +- 0.1: the suffix holds for both.
        return scaled(number.value, number.printed, cell.number.prefix)[0]
    return converted(number, common, unit)[0]


def ends(grid: Grid, roles: Roles, place: int, row: int, cell: Cell, value: float, common: str, unit: str):
    lower = upper = stdev = None
    if cell.span is not None:
        lower, upper = sorted(converted(end, common, unit)[0] for end in cell.span)
    if cell.spread is not None:
        stdev = _spread(cell.spread, cell, value, common, unit)
    group = grid.columns[place].names[:-1]
    for places, which in ((roles.lows, "lower"), (roles.highs, "upper"), (roles.spreads, "stdev")):
        for other in places:
            column = grid.columns[other]
            near = (
                _owner(roles, other, which) == place if column.names[:-1] == group or not column.names[:-1] else False
            )
            beside = column.cells[row]
            if not near or beside is None or beside.number is None:
                continue
            number = (
                _spread(beside.number, cell, value, common, unit)
                if which == "stdev"
                else converted(beside.number, common, unit)[0]
            )
            lower, upper, stdev = (
                (number if which == "lower" else lower),
                (number if which == "upper" else upper),
                (number if which == "stdev" else stdev),
            )
    if lower is not None and lower > value or upper is not None and upper < value:
        lower, upper = (None, None)
    return lower, upper, stdev


def _owner(roles: Roles, other: int, which: str) -> int:
    """The column of values that a column of spreads or ends belongs to: the one before it, or the next one."""
    before = [place for place in roles.values if place < other]
    after = [place for place in roles.values if place > other]
    if which == "lower" and after and not (before and other - before[-1] < after[0] - other):
        return after[0]
    return before[-1] if before else after[0]
