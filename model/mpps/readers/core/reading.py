"""Reading files: the format of each is found, its rows are read, and several files become one table."""

import os
import pathlib
from dataclasses import replace

from mpps.errors import DataError, MppsError, unknown_name
from mpps.readers.core.headings import apart
from mpps.readers.core.naming import number_files
from mpps.readers.core.nouns import Options, Part, Reading, Row
from mpps.readers.core.registry import choose
from mpps.readers.core.source import Source, open_source

N_FROM = ("name", "content")


def read(files, *, format=None, n=None, value=None, variant=None, unit=None, n_from=None) -> Reading:
    """The rows of `files`, one path or several ('-' is standard input).

    `format` forces a reader of `mpps.readers.formats()`; `n`, `value` and `variant` name columns (or labels of a tool's
    output), `unit` is the unit of values that state none; `n_from` takes the count from the `name` or the `content` of
    each file. Raises `MppsError` (mostly `DataError`) that names file, line, what was found, expected, and how to mend it.
    """
    paths = [files] if isinstance(files, str | pathlib.PurePath) else list(files)
    if not paths:
        raise MppsError("found no file: expected at least one, or - for standard input; say mpps read FILE")
    if n_from is not None and n_from not in N_FROM:
        raise unknown_name("source of n", n_from, N_FROM)
    _no_file_twice(paths)
    options = Options(n, value, variant, unit)
    return _together([open_source(path) for path in paths], format, options, n_from)


def read_source(source: Source, *, format=None, n=None, value=None, variant=None, unit=None, n_from=None) -> Reading:
    """As `read`, of a text in memory (`mpps.readers.core.source.make_source`)."""
    return _together([source], format, Options(n, value, variant, unit), n_from)


def _no_file_twice(paths) -> None:
    """Raises `MppsError` for a file that is named twice: each of its values would count as two measurements."""
    seen: dict[str, str] = {}
    for path in map(str, paths):
        whole = path if path == "-" else os.path.realpath(path)
        if whole in seen:
            other = "" if path == seen[whole] else f" (as {seen[whole]} and {path})"
            name = "standard input" if path == "-" else path
            raise MppsError(f"{name}: found the file twice{other}: expected each file once; leave one of them out")
        seen[whole] = path


def _copies(sources: list[Source]) -> list[str]:
    """A warning for files of another name that hold the same."""
    first: dict[str, str] = {}
    return [
        f"{first[source.sha256]} and {source.file} hold the same: leave one of them out, or its values count as a second measurement"
        for source in sources
        if first.setdefault(source.sha256, source.file) != source.file
    ]


def _together(sources: list[Source], format: str | None, options: Options, n_from: str | None) -> Reading:
    found = []
    for source in sources:
        reader, why = choose(source, format)
        found.append(
            (source, reader.name, why.why, _finished(source, reader.name, reader.read(source, options), options))
        )
    parts = number_files([(source, part) for source, _, _, part in found], n_from)
    rows = tuple(row for part in parts for row in part.rows)
    return Reading(
        rows=rows,
        formats=tuple((source.file, name, why) for source, name, why, _ in found),
        understood=_all(parts, "understood"),
        warnings=(*_copies(sources), *(text for source in sources for text in source.warnings), *_all(parts, "warnings")),
        ignored=_all(parts, "ignored"),
        checks=_all(parts, "checks"),
        locks=_all(parts, "locks"),
        sha256={source.file: source.sha256 for source, *_ in found},
    )


def _finished(source: Source, name: str, part: Part, options: Options) -> Part:
    """The part with what the options settle for every format: a label as n or variant, a metric as value, a unit."""
    if not part.rows:
        raise DataError(
            f"{source.file}: found no value: expected rows with numbers; check the file, or name its format with "
            f"--format"
        )
    # Tables name their parts themselves; outputs of tools stand under headings of whoever posted them.
    rows = part.rows if name in ("posted", "tidy", "wide", "json", "parquet") else apart(source, part.rows)
    if options.unit is not None:
        rows = tuple(row if row.unit else replace(row, unit=options.unit) for row in rows)
    rows = _chosen_value(source, rows, options.value)
    rows = _chosen_label(source, rows, options)
    warnings = list(part.warnings)
    bare = {}
    for row in rows:
        if not row.unit:
            bare.setdefault(row.dataset, row.line)
    for dataset, line in bare.items():
        warnings.append(
            f"{source.file}, line {line}: the values of {dataset!r} state no unit; say it with --unit, as --unit "
            f"packets/s"
        )
    return replace(part, rows=rows, warnings=tuple(warnings))


def _chosen_value(source: Source, rows: tuple[Row, ...], choice: str | None) -> tuple[Row, ...]:
    metrics = {row.metric for row in rows}
    if choice is None or choice not in metrics or len(metrics) == 1:
        return rows
    return tuple(row for row in rows if row.metric == choice)


def _chosen_label(source: Source, rows: tuple[Row, ...], options: Options) -> tuple[Row, ...]:
    out = list(rows)
    for place, row in enumerate(out):
        labels = dict(row.labels)
        if options.n is not None and options.n in labels:
            text = labels.pop(options.n)
            try:
                row = replace(row, n=float(text))
            except ValueError:
                raise source.wrong(
                    row.line, text, "a count", f"--n {options.n} must name counts", column=options.n
                ) from None
        if options.variant is not None and options.variant in labels:
            row = replace(row, variant=labels.pop(options.variant))
        out[place] = replace(row, labels=tuple(labels.items()))
    return tuple(out)


def _all(parts, name: str) -> tuple:
    return tuple(item for part in parts for item in getattr(part, name))
