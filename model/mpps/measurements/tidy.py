"""Tidy CSV files, read strictly: one value a row, every cell checked, no row dropped."""

import csv
import hashlib
import io
import pathlib
from dataclasses import dataclass

from mpps.errors import DataError, unknown_name
from mpps.measurements.nodes import as_text, plain_number, read_bytes, shown
from mpps.units import is_rate, known_units

REQUIRED_COLUMNS = ("dataset", "variant", "n", "metric", "value", "unit")

#: Optional columns that hold a number for each row; every other optional column is a label that splits series.
NUMBER_COLUMNS = ("lower", "upper", "repeat", "offered")


@dataclass(frozen=True)
class Rules:
    """What a table may hold beyond the tables of this project: STRICT takes nothing, OPEN what others publish.

    any_dataset: the dataset column need not repeat the name of the file; any_unit: units of any name, several in one
    series; any_number: zero and negative values and n, which the reader then has to judge; repeats: one n several times.
    """

    any_dataset: bool = False
    any_unit: bool = False
    any_number: bool = False
    repeats: bool = False


STRICT = Rules()
OPEN = Rules(any_dataset=True, any_unit=True, any_number=True, repeats=True)


@dataclass(frozen=True)
class Row:
    """One row: the cells as printed, and the line that they stand on."""

    line: int
    cells: dict[str, str]

    def number(self, column: str) -> float:
        """The cell as a number; the cell was checked when the table was read."""
        return float(self.cells[column])


@dataclass(frozen=True)
class Table:
    """A CSV whose rows hold; `labels` and `numbers` are its optional columns."""

    file: str
    rows: tuple[Row, ...]
    labels: tuple[str, ...]
    numbers: tuple[str, ...]
    sha256: str

    def wrong(self, row: Row, column: str, expected: str, mend: str) -> DataError:
        """The error for a cell."""
        return _wrong(self.file, row.line, column, row.cells[column], expected, mend)


def read_table(path, rules: Rules = STRICT) -> Table:
    """The table in a CSV whose `dataset` column repeats the stem of its name, unless `rules` allow another.

    Raises `DataError` that names file, line, column, the value found, what was expected and how to mend it.
    """
    file, raw = shown(path), read_bytes(path)
    records = _records(file, as_text(path, raw))
    columns = _columns(file, records)
    rows = tuple(_row(file, columns, line, record) for line, record in records[1:])
    if not rows:
        raise DataError(
            f"{file}, line 2: found no rows: expected at least one below the column names; restore the file"
        )
    extra = [name for name in columns if name not in REQUIRED_COLUMNS]
    labels = tuple(name for name in extra if name not in NUMBER_COLUMNS)
    numbers = tuple(name for name in extra if name in NUMBER_COLUMNS)
    table = Table(file, rows, labels, numbers, hashlib.sha256(raw).hexdigest())
    for row in rows:
        _check_names(table, row, pathlib.Path(path).stem, rules)
        for column in ("n", "value", *table.numbers):
            _check_number(table, row, column, rules)
        if not rules.any_number:
            _check_values(table, row)
    _check_keys(table, rules)
    return table


def series_key(table: Table, row: Row) -> tuple[str, ...]:
    """What the rows of one series share: variant, metric and labels."""
    return tuple(row.cells[name] for name in ("variant", "metric", *table.labels))


def _records(file: str, text: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    records = []
    try:
        for record in reader:
            records.append((reader.line_num, record))
    except csv.Error as error:
        raise DataError(
            f"{file}, line {reader.line_num}: found a line that is no CSV ({error}): "
            "expected cells separated by commas; close the quotes or remove them"
        ) from None
    if not records:
        raise DataError(
            f"{file}, line 1: found an empty file: expected the columns {','.join(REQUIRED_COLUMNS)}; restore the file"
        )
    return records


def _columns(file: str, records: list[tuple[int, list[str]]]) -> list[str]:
    line, columns = records[0]
    for name in REQUIRED_COLUMNS:
        if name not in columns:
            raise DataError(
                f"{file}, line {line}: found the columns {','.join(columns)}: expected the column {name!r} "
                f"among them; write the header as {','.join(REQUIRED_COLUMNS)} and rename or add {name!r}"
            )
    for place, name in enumerate(columns):
        if not name.strip() or name in columns[:place]:
            raise _wrong(file, line, name, name, "names that differ and are not empty", "rename or remove the column")
    return columns


def _row(file: str, columns: list[str], line: int, record: list[str]) -> Row:
    if len(record) != len(columns):
        last = columns[min(len(record), len(columns) - 1)]
        raise _wrong(
            file,
            line,
            last,
            ",".join(record),
            f"{len(columns)} cells, as the header has, not {len(record)}",
            "add the missing cell, or remove a separator inside a number",
        )
    return Row(line, dict(zip(columns, record, strict=True)))


def _check_names(table: Table, row: Row, dataset: str, rules: Rules) -> None:
    if row.cells["dataset"] != dataset and not rules.any_dataset:
        raise table.wrong(row, "dataset", f"{dataset!r}, the name of the file", "rename the data set or the file")
    for column in ("dataset", "variant", "metric", "unit", *table.labels):
        if not row.cells[column].strip():
            raise table.wrong(row, column, "a name", "fill the cell")
    if row.cells["unit"] not in known_units() and not rules.any_unit:
        raise _wrong(
            table.file,
            row.line,
            "unit",
            row.cells["unit"],
            "a known unit",
            str(unknown_name("unit", row.cells["unit"], known_units())),
        )


def _check_values(table: Table, row: Row) -> None:
    if row.number("n") <= 0:
        raise table.wrong(row, "n", "a count above zero", "write how many cores, senders or queues the row is for")
    if is_rate(row.cells["unit"]) and row.number("value") <= 0:
        raise table.wrong(row, "value", "a rate above zero", "leave the row out when nothing was measured")
    if row.cells["unit"] == "percent" and row.number("value") > 100:
        raise table.wrong(row, "value", "a share of at most 100", "write the share itself, not a change")
    if "lower" in table.numbers and row.number("lower") > row.number("value"):
        raise table.wrong(row, "lower", "at most the value", "swap the two, or correct the cell")
    if "upper" in table.numbers and row.number("upper") < row.number("value"):
        raise table.wrong(row, "upper", "at least the value", "swap the two, or correct the cell")


def _check_number(table: Table, row: Row, column: str, rules: Rules) -> None:
    text = row.cells[column]
    if plain_number(text.removeprefix("-") if rules.any_number else text) is not None:
        return
    bare = text.strip().replace(",", "").replace("_", "").replace(" ", "")
    if text.strip().startswith("-"):
        raise table.wrong(row, column, "a number that is not negative", "leave the row out, or correct the sign")
    if plain_number(bare) is not None:
        raise table.wrong(row, column, "a number without spaces or separators", f"write {bare}")
    raise table.wrong(
        row, column, "a number as printed, such as 49.40", "write digits and a point; units have a column"
    )


def _check_keys(table: Table, rules: Rules) -> None:
    """Every point once, and one unit a series, unless the rules allow more."""
    seen: dict[tuple, Row] = {}
    first: dict[tuple, Row] = {}
    apart = [name for name in ("repeat", "offered") if name in table.numbers]
    for row in table.rows:
        key = series_key(table, row)
        head = first.setdefault(key, row)
        if row.cells["unit"] != head.cells["unit"] and not rules.any_unit:
            raise table.wrong(
                row,
                "unit",
                f"{head.cells['unit']!r}, as in line {head.line} of the same series",
                "convert the value, or name another metric",
            )
        point = (*key, *(row.number(name) for name in ("n", *apart)))
        other = seen.setdefault(point, row)
        if other is not row and not rules.repeats:
            raise table.wrong(
                row,
                "n",
                f"each n once in a series, and line {other.line} has it",
                "remove one row, or tell them apart by a 'repeat' column",
            )


def _wrong(file: str, line: int, column: str, found: str, expected: str, mend: str) -> DataError:
    return DataError(f"{file}, line {line}, column {column!r}: found {found!r}: expected {expected}; {mend}")
