"""Rows out of a grid whose columns have roles; printed changes become checks."""

from dataclasses import dataclass, replace

from mpps.readers.core.columns import SYNONYMS, folded_name
from mpps.readers.core.nouns import Check, Ignored, Options, Row
from mpps.readers.core.numbers import empty, prefixed_value
from mpps.readers.core.source import Source
from mpps.readers.posted.cells import SUMMARIES
from mpps.readers.posted.changes import believable, cell_check, changes_in_parentheses, column_checks
from mpps.readers.posted.grid import Grid, line_of
from mpps.readers.posted.names import metric_column, metric_of_row, value_names
from mpps.readers.posted.roles import Roles
from mpps.readers.posted.values import column_unit, converted, ends


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
    metrics = metric_column(grid, roles)
    names = value_names(source, grid, roles, unit, options, metrics is not None)
    rows: list[Row] = []
    ignored: list[Ignored] = [*grid.ignored, *grid.remarks]
    told, warnings, checks = [], [], []
    keys = _keys(grid, roles, len({name[0] for name in names.values()}) > 1 and not _is_listing(grid, roles))
    seen: dict[tuple, int] = {}
    grid = changes_in_parentheses(grid, roles)
    summaries = _summaries(grid, roles)
    for row in summaries:
        line = grid.lines[row]
        ignored.append(Ignored(source.file, line.number, line.text.strip(), "a summary of the rows above"))
    listing = _is_listing(grid, roles)
    for place in roles.values:
        variant, metric, stated = names[place]
        variant = "measured" if listing else variant
        column = grid.columns[place]
        common, unit_name = column_unit(column, stated)
        for row, cell in enumerate(column.cells):
            line = line_of(grid, row, place)
            if row in summaries:
                continue
            if cell is None or cell.number is None:
                hole = cell.text if cell is not None else ""
                if any(char.isdigit() for char in hole):
                    warnings.append(
                        f"{source.file}, line {line}, column {column.heading or place + 1!r}: found {hole!r}: "
                        f"expected a number such as 49.40 or 1,509,628; "
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
            value, printed, name = converted(cell.number, common, unit_name)
            n = _count(source, grid, roles, row, options)
            labels = [
                (key, grid.columns[at].cells[row].text if grid.columns[at].cells[row] is not None else "")
                for at, key in keys
            ]
            own = variant
            labels = [(key, text.rstrip(":= ")) for key, text in labels]
            if metrics is not None:
                metric, name = metric_of_row(grid.columns[metrics].cells[row], cell.number, name)
                value, printed, name = prefixed_value(cell.number, name)
                labels = [(key, text) for (key, text), (at, _) in zip(labels, keys, strict=True) if at != metrics]
            if keys and keys[0][1] == "variant" and metrics is None:
                # With a column that names variants, the heading of the only values says what they are, not of which.
                only = len(roles.values) == 1 and labels[0][1]
                bare = variant == "measured" or (only and (roles.variant is not None or folded_name(variant) in SYNONYMS["value"]))
                own = ", ".join(text for text in ("" if bare else variant, labels[0][1]) if text) or "measured"
                labels = labels[1:]
            labels = [(key, text) for key, text in labels if text and not empty(text)]
            lower, upper, stdev = ends(grid, roles, place, row, cell, value, common, name)
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
                checks += cell_check(source, rows, grid, roles, place, row, cell)
    rows = _numbered(rows, seen)
    rows.sort(key=lambda row: row.line)
    if grid.turned:
        rows.sort(key=lambda row: (row.line, row.n if row.n is not None else 0))
    for place in roles.changes:
        checks += column_checks(source, grid, roles, place, names)
    checks, noise = believable(source, checks)
    for item in grid.ignored:
        warnings.append(
            f"{source.file}, line {item.line}: found {item.text[:80]!r}: {item.why}; the row is left out; align "
            f"it, or part the cells by bars"
        )
    warnings += noise
    if any(row.stdev is not None for row in rows) and not roles.spreads:
        told.append("numbers behind +- or in parentheses are standard deviations")
    return Built(tuple(rows), tuple(checks), tuple(ignored), tuple(told), tuple(warnings))


def _summaries(grid: Grid, roles: Roles) -> set[int]:
    """Rows whose count, or number of the run, is a word such as avg."""
    at = roles.n if roles.n is not None else roles.repeat
    if at is None or grid.turned:
        return set()
    cells = grid.columns[at].cells
    return {
        row
        for row, cell in enumerate(cells)
        if cell is not None and cell.number is None and cell.text.lower().rstrip(":") in SUMMARIES
    }


def _is_listing(grid: Grid, roles: Roles) -> bool:
    """Whether values without any heading behind a name are the same measurement again: `before: 4.21 4.25 4.19`."""
    return (
        roles.n is None and not grid.header_line and len(roles.values) > 1 and len(roles.keys) == 1
        and not grid.columns[roles.keys[0]].numbers
        and len({number.unit.name if number.unit else "" for place in roles.values for number in grid.columns[place].numbers}) == 1
    )  # fmt: skip


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
        if grid.columns[place].heading
        or place == roles.variant
        or len({cell.text for cell in grid.columns[place].cells if cell is not None}) > 1
        or len(grid.lines) < 2
    ]
    words = [place for place in words if place in [place for place, _ in keys]]
    if roles.variant is not None or (words and not variants):
        first = roles.variant if roles.variant is not None else words[0]
        keys.sort(key=lambda key: key[0] != first)
        keys[0] = (first, "variant")
    return keys


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
