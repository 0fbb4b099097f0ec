"""What a column of values measures: its variant, metric and unit, out of its headings and cells."""

import re

from mpps.readers.core.columns import folded_name, split_unit
from mpps.readers.core.metrics import by_unit, metric_of
from mpps.readers.core.nouns import Options
from mpps.readers.core.numbers import Quantity
from mpps.readers.core.source import Source
from mpps.readers.core.units import unit_of
from mpps.readers.posted.cells import Cell
from mpps.readers.posted.grid import Column, Grid
from mpps.readers.posted.roles import Roles, metric_and_variant


def value_names(
    source: Source, grid: Grid, roles: Roles, unit: str, options: Options, mixed: bool = False
) -> dict[int, tuple[str, str, str]]:
    """Variant, metric and unit for each column of values; no two columns share variant and metric."""
    found: dict[int, tuple[str, str, str]] = {}
    if roles.n is None and not roles.keys and roles.repeat is None and len(roles.values) > 2:
        # Columns of numbers alone, as a tool prints them: each is a metric of its own name.
        return {
            place: (
                "measured",
                grid.columns[place].heading or f"column {place + 1}",
                _clear_unit(grid.columns[place].heading),
            )
            for place in roles.values
        }
    if _arrows(grid, roles):
        both = [
            next((number.unit for number in grid.columns[place].numbers if number.unit), None) for place in roles.values
        ]
        named = [
            unit.name if unit is not None else options.unit or unit_text
            for unit, unit_text in zip(both, (unit, unit), strict=True)
        ]
        return {
            place: (which, by_unit(unit_of(name) if name else None), name)
            for place, which, name in zip(roles.values, ("before", "after"), named, strict=True)
        }
    elsewhere = "" if mixed else _unit_of_others(grid, roles)
    raw = {place: metric_and_variant(grid.columns[place]) for place in roles.values}
    for place, (metric, variant, stated) in raw.items():
        column = grid.columns[place]
        cell_unit = next((number.unit for number in column.numbers if number.unit is not None), None)
        stated = stated or (cell_unit.name if cell_unit is not None else "")
        known = cell_unit or unit_of(stated)
        if not stated and not (metric and _no_rate(metric)):
            stated = options.unit or elsewhere or unit
            known = unit_of(stated)
        if mixed:
            stated, known = "", None
        else:
            _agree(source, grid, column, stated, options)
        if known is not None:
            stated = known.name
        if known is not None and known.per_instance:
            metric = f"throughput per {known.per_instance}"
        elif per := re.search(
            r"(?:/|\bper[ -])(cpu|core|thread|process|queue|task|producer|client)\b", column.heading, re.IGNORECASE
        ):
            metric = f"throughput per {per[1].lower()}"
        named = metric_of(stated, metric) if metric else by_unit(known)
        if metric and not variant and len(roles.values) > 1 and known is not None and known.name == "percent":
            named = metric
        found[place] = (variant or "measured", named, stated)
    # A lone heading such as "rate" names the metric; where two columns then coincide the heading parts them.
    taken: dict[tuple[str, str, str], int] = {}
    for place, key in found.items():
        if key in taken:
            heading = grid.columns[place].heading
            if heading and heading != grid.columns[taken[key]].heading:
                first = taken[key]
                found[first] = (grid.columns[first].heading or key[0], key[1], key[2])
                found[place] = (heading, key[1], key[2])
            else:
                found[place] = (f"{heading or key[0]} (column {place + 1})", key[1], key[2])
        else:
            taken[key] = place
    return found


def _arrows(grid: Grid, roles: Roles) -> bool:
    """Whether every row goes from one value to another: `2 cores: 27.3 -> 31.9 Mpps`."""
    arrow = ("->", "=>", "→")
    return (
        not grid.header_line
        and len(roles.values) == 2
        and all(any(mark in line.text for mark in arrow) for line in grid.lines)
    )


def metric_column(grid: Grid, roles: Roles) -> int | None:
    """The column whose words name metrics: its heading says so, or the rows of a table without counts differ in kind."""
    words = [place for place in roles.keys if not grid.columns[place].numbers]
    if not words:
        return None
    if folded_name(grid.columns[words[0]].heading) in (
        "metric",
        "measure",
        "counter",
        "event",
        "stat",
        "quantity",
        "measurement",
    ):
        return words[0]
    if roles.n is not None:
        return None
    kinds = [
        {number.unit.family for number in grid.columns[place].numbers if number.unit is not None}
        for place in roles.values
    ]
    return words[0] if any(len(kind) > 1 for kind in kinds) else None


def metric_of_row(cell: Cell | None, number: Quantity, unit: str) -> tuple[str, str]:
    """Metric and unit of a row whose first words name its metric: `Requests/sec`, `Latency (us)`."""
    text = cell.text.rstrip(":= ") if cell is not None else ""
    rest, stated = split_unit(text)
    if number.unit is not None:
        return text or by_unit(number.unit), number.unit.name
    known = unit_of(stated) if stated else None
    return (rest or by_unit(known) if known is not None and not rest else text), stated or unit


def _clear_unit(heading: str) -> str:
    """The unit that a heading of a tool surely states: %idle, rx/s."""
    if heading.startswith("%") or heading.endswith("%"):
        return "percent"
    known = unit_of(heading) if "/" in heading or "(" in heading else None
    return known.name if known is not None else ""


def _unit_of_others(grid: Grid, roles: Roles) -> str:
    """The one rate unit that stands on cells of some columns only: `9.41   9.41 Gbps`."""
    names = {
        number.unit.name
        for place in roles.values
        for number in grid.columns[place].numbers
        if number.unit is not None and number.unit.is_rate
    }
    return next(iter(names)) if len(names) == 1 else ""


def _agree(source: Source, grid: Grid, column: Column, stated: str, options: Options) -> None:
    """Raises `DataError` when cells of a column carry a unit of another kind than its heading or its other cells."""
    expected = unit_of(stated) if stated else None
    if expected is None or options.unit is not None:
        return
    for row, cell in enumerate(column.cells):
        unit = cell.number.unit if cell is not None and cell.number is not None else None
        if unit is not None and unit.family != expected.family:
            line = grid.lines[min(row, len(grid.lines) - 1)].number
            raise source.wrong(
                line, cell.text, f"{expected.name}, as the heading or the other cells say", "correct the unit, or settle it with --unit",
                column=column.heading or None,
            )  # fmt: skip


def _no_rate(metric: str) -> bool:
    return (
        re.search(r"\b(?:cpu|idle|util\w*|latency|lat|p\d\d+|time|drops?|loss|ipc|misses)\b", metric, re.IGNORECASE)
        is not None
    )
