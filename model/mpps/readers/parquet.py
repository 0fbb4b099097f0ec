"""Parquet, tidy or wide; needs polars."""

import io

from mpps.errors import DataError
from mpps.readers.core.delimited import Records
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tidy_rows import is_tidy, tidy_rows
from mpps.readers.wide import from_records

_MAGIC = b"PAR1"

#: Most rows taken.
_MOST_ROWS = 200_000


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    return Claim(100, "the file begins with PAR1, as Parquet does") if source.raw[:4] == _MAGIC else None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    if source.raw[:4] != _MAGIC:
        raise source.wrong(1, source.text[:60], "Parquet, which begins with PAR1", "leave --format out")
    try:
        import polars
    except ImportError:
        raise DataError(
            f"{source.file}: found Parquet, which needs polars: expected it to be installed; export the table as CSV"
        ) from None
    try:
        frame = polars.read_parquet(io.BytesIO(source.raw))
    except Exception as error:  # polars raises many kinds for a damaged file, and all mean the same to a user
        reason = str(error).partition("\n")[0][:120]
        raise DataError(
            f"{source.file}: found Parquet that cannot be read ({reason}): expected a whole file; write it again"
        ) from None
    if frame.height > _MOST_ROWS or not frame.width:
        raise DataError(
            f"{source.file}: found {frame.height:,} rows of {frame.width} columns: expected a table of 1 to "
            f"{_MOST_ROWS:,} rows; select the results"
        )
    names = [str(name) for name in frame.columns]
    rows = tuple((place, tuple(_text(cell) for cell in cells)) for place, cells in enumerate(frame.iter_rows(), 1))
    if is_tidy(source, names, 1, options):
        part = tidy_rows(source, names, 1, rows, ".", options)
    else:
        part = from_records(source, Records(tuple(names), 1, rows, ".", ", ", ()), options)
    return Part(
        part.rows, ("a line is a row of the Parquet file", *part.understood), part.warnings, part.ignored, part.checks
    )


def _text(cell) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, float) and cell == int(cell) and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)


READER = Reader("parquet", "Parquet, tidy or wide (with polars)", claim, read)
