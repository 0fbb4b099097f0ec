"""Your own measurements: posted tables, logs and profiles, read as they are into tidy rows.

`read(files)` finds the format, and gives a `Reading`: rows with the file and line of each value, what was understood,
and every line that looks like data and was left out. `.series()` cuts the rows for a fit.
"""

from mpps.readers.core.nouns import (
    COLUMNS,
    Check,
    Claim,
    Ignored,
    LockUse,
    Options,
    Part,
    Reader,
    Reading,
    ReadSeries,
    Row,
)


def read(files, *, format=None, n=None, value=None, variant=None, unit=None, n_from=None) -> Reading:
    """The rows of one file or several, as `mpps.readers.core.reading.read` explains."""
    from mpps.readers.core.reading import read as run

    return run(files, format=format, n=n, value=value, variant=variant, unit=unit, n_from=n_from)


def csv_text(reading: Reading) -> str:
    """The rows as tidy CSV, which reads back to the same rows."""
    from mpps.readers.core.output import csv_text as run

    return run(reading)


def formats() -> dict[str, str]:
    """Name and one line of every format that `format=` takes."""
    from mpps.readers.core.registry import readers

    return {name: reader.title for name, reader in readers().items()}


__all__ = [
    "COLUMNS",
    "Check",
    "Claim",
    "Ignored",
    "LockUse",
    "Options",
    "Part",
    "ReadSeries",
    "Reader",
    "Reading",
    "Row",
    "csv_text",
    "formats",
    "read",
]
