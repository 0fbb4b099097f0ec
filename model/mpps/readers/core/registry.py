"""All readers, and which one a file is for. Adding a reader is adding a file to `mpps/readers/`."""

import importlib
import pkgutil
from functools import lru_cache

import mpps.readers
from mpps.errors import DataError, unknown_name
from mpps.readers.core.nouns import Claim, Reader
from mpps.readers.core.source import Source

#: Claims that lie this close are a draw: then the user decides.
_DRAW = 0


@lru_cache(maxsize=1)
def readers() -> dict[str, Reader]:
    """Name to reader, by name."""
    found = {}
    for module in pkgutil.iter_modules(mpps.readers.__path__):
        if module.name != "core":
            reader = importlib.import_module(f"mpps.readers.{module.name}").READER
            found[reader.name] = reader
    return dict(sorted(found.items()))


def choose(source: Source, name: str | None = None) -> tuple[Reader, Claim]:
    """The reader for a source: the one that the user named, or the one with the strongest claim.

    Raises `UnknownNameError` for a name, `DataError` when no reader finds anything, or two are equally sure.
    """
    if name is not None:
        if name not in readers():
            raise unknown_name("format", name, readers())
        return readers()[name], Claim(100, f"--format {name}")
    claims = [(found.strength, reader, found) for reader in readers().values() if (found := reader.claim(source))]
    claims.sort(key=lambda item: -item[0])
    if not claims:
        raise DataError(
            f"{source.file}: found no table and no output of a known tool in {len(source.lines):,} lines: expected "
            f"rows with "
            "a count and a value, or one of the formats of `mpps read --help`; check the file, or name it with --format"
        )
    strength, reader, why = claims[0]
    if len(claims) > 1 and strength - claims[1][0] <= _DRAW:
        _, other, other_why = claims[1]
        raise DataError(
            f"{source.file}: found marks of two formats, {reader.name} ({why.why}) and {other.name} ({other_why.why}): "
            f"expected one; say --format {reader.name} or --format {other.name}"
        )
    return reader, why
