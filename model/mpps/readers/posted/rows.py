"""Rows out of a grid whose columns have roles; printed changes become checks."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from mpps.errors import DataError
from mpps.readers.core.columns import folded_name, split_unit
from mpps.readers.core.metrics import by_unit, metric_of
from mpps.readers.core.nouns import Check, Ignored, Options, Row
from mpps.readers.core.numbers import Quantity, empty, prefixed_value, scaled
from mpps.readers.core.source import Source
from mpps.readers.core.units import Unit, prefixed, unit_of
from mpps.readers.posted.cells import SUMMARIES, Cell
from mpps.readers.posted.grid import Column, Grid
from mpps.readers.posted.roles import Roles, metric_and_variant
from mpps.rounding import change_agrees


@dataclass(frozen=True)
class Built:
    """Rows of one table with its checks, its ignored cells, and words about it."""

    rows: tuple[Row, ...]
    checks: tuple[Check, ...]
    ignored: tuple[Ignored, ...]
    told: tuple[str, ...]
    warnings: tuple[str, ...]


def build(source: Source, grid: Grid, roles: Roles, dataset: str, unit: str, options: Options) -> Built:
    """Rows of a table; `unit` is what the text states for values whose column states none."""
    metrics = _metric_column(grid, roles)
    names = _value_names(source, grid, roles, unit, options, metrics is not None)
    rows: list[Row] = []
    ignored: list[Ignored] = [*grid.ignored, *grid.remarks]
    told, warnings, checks = [], [], []
    keys = _keys(grid, roles, len(set(name[0] for name in names.values())) > 1 and not _is_listing(grid, roles))
    seen: dict[tuple, int] = {}
    grid = _changes_in_parentheses(grid, roles)
    summaries = _summaries(grid, roles)
    for row in summaries:
        line = grid.lines[row]
        ignored.append(Ignored(source.file, line.number, line.text.strip(), "a summary of the rows above"))
    listing = _is_listing(grid, roles)
    for place in roles.values:
        variant, metric, stated = names[place]
        variant = "measured" if listing else variant
        column = grid.columns[place]
        common, unit_name = _column_unit(column, stated)
        for row, cell in enumerate(column.cells):
            line = _line(grid, roles, row, place)
            if row in summaries:
                continue
            if cell is None or cell.number is None:
                hole = cell.text if cell is not None else ""
                if any(char.isdigit() for char in hole):
                    warnings.append(
                        f"{source.file}, line {line}, column {column.heading or place + 1!r}: found {hole!r}: expected a number such as 49.40 or 1,509,628; "
                        "the cell is left out; correct it, or name the columns with --n and --value"
                    )
                ignored.append(
                    Ignored(
                        source.file,
                        line,
                        hole or grid.lines[min(row, len(grid.lines) - 1)].text.strip(),
                        f"no number in column {column.heading or place + 1!r}" + (f": {hole!r}" if hole else ""),
                    )
                )
                continue
            value, printed, name = _converted(cell.number, common, unit_name)
            n = _count(source, grid, roles, row, options)
            labels = [
                (key, grid.columns[at].cells[row].text if grid.columns[at].cells[row] is not None else "")
                for at, key in keys
            ]
            own = variant
            labels = [(key, text.rstrip(":= ")) for key, text in labels]
            if metrics is not None:
                metric, name = _of_row(grid.columns[metrics].cells[row], cell.number, name)
                value, printed, name = prefixed_value(cell.number, name)
                labels = [(key, text) for (key, text), (at, _) in zip(labels, keys, strict=True) if at != metrics]
            if keys and keys[0][1] == "variant" and metrics is None:
                own = (
                    ", ".join(text for text in ("" if variant == "measured" else variant, labels[0][1]) if text)
                    or "measured"
                )
                labels = labels[1:]
            labels = [(key, text) for key, text in labels if text and not empty(text)]
            lower, upper, stdev = _ends(grid, roles, place, row, cell, value, common, name)
            point = (own, metric, tuple(labels), n, name)
            seen[point] = seen.get(point, 0) + 1
            repeat = _repeat(grid, roles, row)
            if listing:
                repeat = roles.values.index(place) + 1
            rows.append(
                Row(
                    dataset,
                    own,
                    n,
                    metric,
                    value,
                    name,
                    printed,
                    source.file,
                    line,
                    lower,
                    upper,
                    stdev,
                    repeat,
                    tuple(labels),
                )
            )
            if cell.change is not None:
                checks += _cell_check(source, rows, grid, roles, place, row, cell)
    rows = _numbered(rows, seen)
    rows.sort(key=lambda row: row.line)
    if grid.turned:
        rows.sort(key=lambda row: (row.line, row.n if row.n is not None else 0))
    for place in roles.changes:
        checks += _column_checks(source, grid, roles, place, names)
    checks, noise = _believable(source, checks)
    for item in grid.ignored:
        warnings.append(
            f"{source.file}, line {item.line}: found {item.text[:80]!r}: {item.why}; the row is left out; align it, or part the cells by bars"
        )
    warnings += noise
    if any(row.stdev is not None for row in rows) and not roles.spreads:
        told.append("numbers behind +- or in parentheses are standard deviations")
    return Built(tuple(rows), tuple(checks), tuple(ignored), tuple(told), tuple(warnings))


def _changes_in_parentheses(grid: Grid, roles: Roles) -> Grid:
    """Percentages in parentheses that are zero for the first variant are changes against it, not spreads."""
    first = grid.columns[roles.values[0]].cells
    spreads = [cell.spread for cell in first if cell is not None and cell.number is not None]
    if len(roles.values) < 2 or not spreads or not all(spread is not None and spread.percent and spread.value == 0 for spread in spreads):
        return grid
    columns = list(grid.columns)
    for place in roles.values:
        cells = tuple(
            replace(cell, spread=None, change=cell.spread if place != roles.values[0] else None) if cell is not None and cell.spread is not None and cell.spread.percent else cell
            for cell in columns[place].cells
        )
        columns[place] = Column(columns[place].names, cells)
    return replace(grid, columns=tuple(columns))


def _summaries(grid: Grid, roles: Roles) -> set[int]:
    """Rows whose count, or number of the run, is a word such as avg."""
    at = roles.n if roles.n is not None else roles.repeat
    if at is None or grid.turned:
        return set()
    cells = grid.columns[at].cells
    return {row for row, cell in enumerate(cells) if cell is not None and cell.number is None and cell.text.lower().rstrip(":") in SUMMARIES}


def _is_listing(grid: Grid, roles: Roles) -> bool:
    """Whether values without any heading behind a name are the same measurement again: `before: 4.21 4.25 4.19`."""
    return (
        roles.n is None and not grid.header_line and len(roles.values) > 1 and len(roles.keys) == 1
        and not grid.columns[roles.keys[0]].numbers
        and len({number.unit.name if number.unit else "" for place in roles.values for number in grid.columns[place].numbers}) == 1
    )  # fmt: skip


def _metric_column(grid: Grid, roles: Roles) -> int | None:
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


def _of_row(cell: Cell | None, number: Quantity, unit: str) -> tuple[str, str]:
    """Metric and unit of a row whose first words name its metric: `Requests/sec`, `Latency (us)`."""
    text = cell.text.rstrip(":= ") if cell is not None else ""
    rest, stated = split_unit(text)
    if number.unit is not None:
        return text or by_unit(number.unit), number.unit.name
    known = unit_of(stated) if stated else None
    return (rest or by_unit(known) if known is not None and not rest else text), stated or unit


def _value_names(
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


def _keys(grid: Grid, roles: Roles, variants: bool) -> list[tuple[int, str]]:
    """Columns of words or further counts, with the name of the label; the only key of a table with one value names variants."""
    keys = [(place, grid.columns[place].heading or f"key{number}") for number, place in enumerate(roles.keys, 1)]
    words = [
        place
        for place, _ in keys
        if not grid.columns[place].numbers or 2 * len(grid.columns[place].numbers) <= len(grid.columns[place].cells)
    ]
    # A word that all rows share, under no heading, says nothing.
    keys = [
        (place, name)
        for place, name in keys
        if grid.columns[place].heading or len({cell.text for cell in grid.columns[place].cells if cell is not None}) > 1 or len(grid.lines) < 2
    ]
    words = [place for place in words if place in [place for place, _ in keys]]
    if words and not variants:
        first = words[0]
        keys.sort(key=lambda key: key[0] != first)
        keys[0] = (first, "variant")
    return keys


def _column_unit(column: Column, stated: str) -> tuple[str, str]:
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


def _converted(number: Quantity, keep: str, unit: str) -> tuple[float, str, str]:
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


def _line(grid: Grid, roles: Roles, row: int, place: int) -> int:
    if grid.turned:
        return grid.lines[place - 1].number if place - 1 < len(grid.lines) else grid.lines[-1].number
    return grid.lines[row].number


def _count(source: Source, grid: Grid, roles: Roles, row: int, options: Options) -> float | None:
    if roles.n is None:
        return None
    cell = grid.columns[roles.n].cells[row]
    if cell is None or cell.number is None:
        if cell is None or cell.hole:
            return None
        raise source.wrong(
            grid.lines[min(row, len(grid.lines) - 1)].number, cell.text, "a count", "correct the cell, or name the column with --n",
            column=grid.columns[roles.n].heading or "n",
        )  # fmt: skip
    if cell.number.value < 0:
        raise source.wrong(
            grid.lines[row].number,
            cell.text,
            "a count, zero or above",
            "correct the cell, or name the column with --n",
            column=grid.columns[roles.n].heading or "n",
        )
    return cell.number.value


def _repeat(grid: Grid, roles: Roles, row: int) -> int | None:
    if roles.repeat is None:
        return None
    cell = grid.columns[roles.repeat].cells[row]
    return int(cell.number.value) if cell is not None and cell.number is not None else None


def _numbered(rows: list[Row], seen: dict[tuple, int]) -> list[Row]:
    """Repeats of a point, counted where the source has no column for them."""
    at: dict[tuple, int] = {}
    out = []
    for row in rows:
        point = (row.variant, row.metric, row.labels, row.n, row.unit)
        if seen.get(point, 0) > 1 and row.repeat is None:
            at[point] = at.get(point, 0) + 1
            row = replace(row, repeat=at[point])
        out.append(row)
    return out


def _ends(grid: Grid, roles: Roles, place: int, row: int, cell: Cell, value: float, common: str, unit: str):
    lower = upper = stdev = None
    if cell.span is not None:
        lower, upper = sorted(_converted(end, common, unit)[0] for end in cell.span)
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
                else _converted(beside.number, common, unit)[0]
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


def _spread(number: Quantity, cell: Cell, value: float, common: str, unit: str) -> float | None:
    if number.percent:
        return abs(value) * number.value / 100
    if not number.prefix and number.unit is None and cell.number is not None and cell.number.prefix and not common:
        # 1.2M +- 0.1: the suffix holds for both.
        return scaled(number.value, number.printed, cell.number.prefix)[0]
    return _converted(number, common, unit)[0]


def _cell_check(source, rows, grid, roles, place, row, cell) -> list[Check]:
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


def _column_checks(source: Source, grid: Grid, roles: Roles, place: int, names) -> list[Check]:
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
            line = _line(grid, roles, row, place)
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


def _believable(source: Source, checks: list[Check]) -> tuple[list[Check], list[str]]:
    """Checks with a warning for each that disagrees; where most disagree the column is some other percentage."""
    wrong = [check for check in checks if not check.agrees]
    if checks and len(wrong) * 2 > len(checks) and len(checks) > 1:
        line = checks[0].line
        return [], [
            f"{source.file}, line {line}: the percentages of this column fit no two columns of values; they are left out as checks"
        ]
    warnings = []
    for check in wrong:
        if check.printed.endswith("x"):
            computed = f"{float(Fraction(check.after) / Fraction(check.before)):.3f}x"
        else:
            computed = f"{100 * (float(Fraction(check.after) / Fraction(check.before)) - 1):+.2f}%"
        warnings.append(
            f"{source.file}, line {check.line}: found the printed change {check.printed} from {check.before} to {check.after}: "
            f"expected {computed}; one of the three is a misprint, and the values are kept as printed"
        )
    return checks, warnings
