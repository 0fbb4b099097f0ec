"""Tidy CSV: one value a row, in the columns dataset, variant, n, metric, value, unit or their synonyms."""

from mpps.readers.core.delimited import records, separator_of
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tidy_rows import is_tidy, tidy_rows


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    separator = separator_of(source)
    if separator is None:
        return None
    line, names = _header(source, separator)
    if not is_tidy(source, names, line, Options()):
        return None
    exact = {"variant", "n", "metric", "value", "unit"} <= set(names)
    return Claim(96 if exact else 72, f"line {line} names a value column: {', '.join(names)}")


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    separator = separator_of(source)
    if separator is None:
        raise source.wrong(
            1, source.lines[0], "column names and rows separated by commas, semicolons or tabs",
            "write dataset,variant,n,metric,value,unit above the rows, or leave --format out",
        )  # fmt: skip
    table = records(source, separator)
    return tidy_rows(source, list(table.names), table.header_line, table.rows, table.decimal, options)


def _header(source: Source, separator: str) -> tuple[int, list[str]]:
    import csv

    for place, line in enumerate(source.lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                return place, [name.strip() for name in next(csv.reader([line], delimiter=separator))]
            except (csv.Error, StopIteration):
                break
    return 1, []


READER = Reader("tidy", "CSV with one value a row: dataset,variant,n,metric,value,unit or synonyms", claim, read)
