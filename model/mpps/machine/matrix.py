"""A core-to-core-latency CSV: times in ns between every two CPUs, one triangle or both, with header or without."""

import math
import pathlib

import numpy as np

from mpps.errors import DataError

_LEAST, _MOST = 0.5, 10_000.0
_CPUS = 4096


def read_matrix(file: pathlib.Path | str) -> np.ndarray:
    """One-way line transfers in ns, symmetric, shape (CPUs, CPUs), nan on the diagonal.

    Both values of a pair that has two are averaged. Raises `DataError` naming file, row and column.
    """
    path = pathlib.Path(file)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(f"{path.name}: cannot read the core-to-core latencies: {reason}") from None
    rows = _rows(text)
    if not any(any(cells) for _, cells in rows):
        raise DataError(f"{path.name}: no latencies; expected a square of ns, as `core-to-core-latency --csv` prints")
    rows, first_column = _bare(rows)
    size = len(rows)
    if size > _CPUS:
        raise DataError(f"{path.name}: {size} rows, expected at most {_CPUS} CPUs")
    values = np.full((size, size), np.nan)
    for row, (line, cells) in enumerate(rows):
        # Not even empty cells: a file that lost its last row looks so.
        if len(cells) > size:
            raise DataError(
                f"{path.name}, row {line}: {len(cells)} columns in a table of {size} rows; expected a square, "
                "a row and a column for each CPU"
            )
        for column, cell in enumerate(cells):
            if cell and column != row:
                values[row, column] = _latency(path.name, line, column + first_column, cell)
    return _filled(path.name, values, [line for line, _ in rows], first_column)


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """Line numbers and cells; a blank line counts only where a triangle starts with one."""
    comma = "," if "," in text else ";" if ";" in text else "\t" if "\t" in text else None
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if not line.lstrip().startswith("#")]
    rows = [(number, [cell.strip().strip('"') for cell in line.split(comma) or [""]]) for number, line in lines]
    while rows and not any(rows[-1][1]) and len(rows[-1][1]) < 2:
        rows = rows[:-1]
    kept = [row for row in rows if len(row[1]) > 1 or any(row[1])]
    # A triangle without its diagonal starts with an empty row.
    if kept and rows[0] is not kept[0] and not any(rows[0][1]) and max(len(cells) for _, cells in kept) == len(kept):
        kept = [rows[0], *kept]
    return kept


def _bare(rows) -> tuple[list[tuple[int, list[str]]], int]:
    """The rows without a header row and a header column of CPU numbers, and the number of the first column of values."""
    width = max(len(cells) for _, cells in rows)
    head = [cell for cell in rows[0][1] if cell]
    words = [cell for cell in head if not _is_number(cell)]
    counted = [cell for cell in head if _is_number(cell)] == [str(k) for k in range(len(head) - len(words))]
    # Row 0 of a lower triangle is empty, so that numbers 0, 1, 2, ... in it can only be a header.
    if len(head) >= 2 and counted and len(words) <= 1 or head and len(words) == len(head):
        rows = rows[1:]
    labels = [cells[0] for _, cells in rows]
    counting = [[f"{word}{k}" for k in range(len(rows))] for word in ("", "cpu")]
    if rows and labels in counting and (width == len(rows) + 1 or len(rows) > 2):
        return [(line, cells[1:]) for line, cells in rows], 2
    return rows, 1


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _latency(file: str, line: int, column: int, cell: str) -> float:
    where = f"{file}, row {line}, column {column}"
    value = float(cell) if _is_number(cell) else math.nan
    if not math.isfinite(value) or value <= 0:
        raise DataError(f"{where}: found {cell[:40]!r}, expected ns, a positive number")
    if not _LEAST <= value <= _MOST:
        other = "us" if value < _LEAST else "ps"
        raise DataError(
            f"{where}: found {cell[:40]!r}, expected {_LEAST:g} to {_MOST:g} ns between two CPUs; is it in {other}?"
        )
    return value


def _filled(file: str, values: np.ndarray, lines: list[int], first_column: int) -> np.ndarray:
    """The symmetric matrix; a value of one triangle stands for a missing one of the other."""
    mirror = values.T
    both = np.where(np.isnan(values), mirror, np.where(np.isnan(mirror), values, (values + mirror) / 2))
    missing = np.argwhere(np.isnan(both) & np.tri(len(both), k=-1, dtype=bool))
    if len(missing):
        row, column = missing[0]
        raise DataError(
            f"{file}, row {lines[row]}, column {column + first_column}: no latency between CPU {row} and CPU {column}; "
            "expected one for every two CPUs, in one triangle at least"
        )
    if len(both) < 2:
        raise DataError(f"{file}: latencies of {len(both)} CPUs, expected two at least")
    return both
