"""What was read, shown: as text with a table, as tidy CSV that reads back to the same rows, as a JSON document."""

import pathlib
from dataclasses import asdict

from mpps.errors import DataError
from mpps.readers.core.nouns import COLUMNS, NUMBERS, Reading, Row

#: Most lines of a table, and of a list, that the text shows.
_MOST_LINES = 60
_MOST_LISTED = 12
_WIDEST = 110


def csv_text(reading: Reading) -> str:
    """Tidy CSV: the six columns, then those of `NUMBERS` and the labels that some row has."""
    numbers = [name for name in NUMBERS if any(getattr(row, name) is not None for row in reading.rows)]
    labels = list(reading.label_names())
    heads = [*COLUMNS, *numbers, *(_label_column(name) for name in labels)]
    lines = [",".join(map(_quoted, heads))]
    for row in reading.rows:
        own = dict(row.labels)
        cells = [row.dataset, row.variant, number_text(row.n), row.metric, row.printed, row.unit]
        cells += [number_text(getattr(row, name)) for name in numbers]
        cells += [own.get(name, "") for name in labels]
        lines.append(",".join(map(_quoted, cells)))
    return "\n".join(lines) + "\n"


def write_csv(reading: Reading, path) -> None:
    """Write `csv_text` to a file; raises `DataError` when it cannot be written."""
    try:
        pathlib.Path(path).write_text(csv_text(reading), encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(
            f"{path}: cannot be written ({reason}): expected a file in a folder that exists; check --out"
        ) from None


def document(reading: Reading, versions: dict[str, str]) -> dict:
    """The answer of `mpps read --json`, schema mpps.read/1: rows with file and line, and all that was said."""
    return {
        "schema": "mpps.read/1",
        "versions": versions,
        "data_sha256": reading.sha256,
        "files": [{"file": file, "format": name, "why": why} for file, name, why in reading.formats],
        "understood": list(reading.understood),
        "warnings": list(reading.warnings),
        "ignored": [asdict(item) for item in reading.ignored],
        "checks": [asdict(check) | {"names": list(check.names)} for check in reading.checks],
        "rows": [_row_document(row) for row in reading.rows],
    }


def text(reading: Reading) -> str:
    """What was read, for people: the format and why, what was understood, the values, and what was left out."""
    lines = []
    for file, name, why in reading.formats:
        lines.append(f"{file}: read as {name}: {why}")
    lines += _bullets(reading.understood)
    lines.append("")
    lines += _tables(reading)
    agree = sum(check.agrees for check in reading.checks)
    if reading.checks:
        lines += ["", f"printed changes: {agree} of {len(reading.checks)} agree with the values"]
    if reading.ignored:
        lines += ["", "left out, though it looks like data:"]
        listed = [f"line {item.line}: {item.text[:70]!r}: {item.why}" for item in reading.ignored]
        lines += _bullets(listed[:_MOST_LISTED])
        if len(listed) > _MOST_LISTED:
            lines.append(f"  and {len(listed) - _MOST_LISTED} more lines; --json names all")
    return "\n".join(lines)


def number_text(value: float | None) -> str:
    """A count or an end as the CSV holds it: 8, 2.5, '' for none."""
    if value is None:
        return ""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _row_document(row: Row) -> dict:
    out = {
        "dataset": row.dataset,
        "variant": row.variant,
        "n": row.n,
        "metric": row.metric,
        "value": row.value,
        "unit": row.unit,
    }
    out["value"] = int(row.printed) if row.printed.lstrip("-").isdigit() else row.value
    out["n"] = int(row.n) if row.n is not None and row.n == int(row.n) else row.n
    out |= {name: getattr(row, name) for name in NUMBERS if getattr(row, name) is not None}
    taken = {*out, "file", "line"}
    out |= {(_label_column(name) if name in taken else name): value for name, value in row.labels}
    return out | {"file": row.file, "line": row.line}


def _label_column(name: str) -> str:
    return f"{name} label" if name in (*COLUMNS, *NUMBERS) else name


def _quoted(cell: str) -> str:
    if cell[:1] == "#" or cell != cell.strip() or any(mark in cell for mark in ',"\n\r;\t'):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _bullets(texts) -> list[str]:
    return [f"  {text}" for text in texts]


def _tables(reading: Reading) -> list[str]:
    """A table of counts for every data set, metric and unit; a list of the values that have none."""
    lines: list[str] = []
    groups: dict[tuple[str, str, str], list] = {}
    for series in reading.series():
        groups.setdefault((series.dataset, series.metric, series.unit), []).append(series)
    for (dataset, metric, unit), found in groups.items():
        if len(lines) > _MOST_LINES:
            lines.append(f"and {len(groups)} tables in all; --out FILE writes every value")
            break
        lines.append(f"{dataset}: {metric}{f', {unit}' if unit else ', unit not stated'}")
        for start in range(0, len(found), 4):
            lines += _pivot(found[start : start + 4])
        lines.append("")
    bare = reading.uncounted()
    if bare:
        width = min(max(len(row.label) for row in bare), 60)
        lines.append("values without a count:")
        for row in bare[: _MOST_LISTED * 2]:
            lines.append(f"  {row.label[:60]:<{width}}  {row.metric}  {row.printed} {row.unit}".rstrip())
        if len(bare) > _MOST_LISTED * 2:
            lines.append(f"  and {len(bare) - _MOST_LISTED * 2} more; --out FILE writes all")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _pivot(found) -> list[str]:
    names = [
        series.variant
        if len(series.variant) <= _WIDEST // max(len(found), 1) - 2
        else series.variant[: _WIDEST // len(found) - 5] + "..."
        for series in found
    ]
    counts = sorted({float(n) for series in found for n in series.n})
    cells = []
    for series in found:
        at: dict[float, list[str]] = {}
        for n, printed in zip(series.n, series.printed, strict=True):
            at.setdefault(float(n), []).append(printed)
        cells.append([" ".join(at.get(n, ["-"])[:6]) for n in counts])
    widths = [max(len(name), *map(len, column)) for name, column in zip(names, cells, strict=True)]
    first = max(len("n"), *(len(number_text(n)) for n in counts))
    lines = [f"  {'n':>{first}}  " + "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))]
    for place, n in enumerate(counts[:_MOST_LINES]):
        lines.append(
            f"  {number_text(n):>{first}}  "
            + "  ".join(f"{column[place]:>{width}}" for column, width in zip(cells, widths, strict=True))
        )
    if len(counts) > _MOST_LINES:
        lines.append(f"  and {len(counts) - _MOST_LINES} more counts; --out FILE writes all")
    return lines
