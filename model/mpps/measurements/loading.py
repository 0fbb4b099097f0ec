"""From files to measurements: a table and its card must fit each other and the checksum."""

import pathlib

import numpy as np

from mpps.errors import DataError, MppsError, unknown_name
from mpps.measurements.cards import Card, read_card
from mpps.measurements.nodes import shown
from mpps.measurements.table import Measurements, Series
from mpps.measurements.tidy import Table, read_table, series_key
from mpps.root import data_folder
from mpps.rounding import rounding_interval


def datasets(folder=None) -> tuple[str, ...]:
    """Names of the tables in `folder` (`data/measurements/` when None) that have a card, in alphabetical order."""
    folder = _folder(folder)
    return tuple(sorted(path.stem for path in folder.glob("*.csv") if path.with_suffix(".yaml").is_file()))


def halves(folder=None) -> tuple[tuple[str, str], ...]:
    """Tables without their card and cards without their table in `folder`: (what there is, what is missing)."""
    other = {".csv": ".yaml", ".yaml": ".csv"}
    found = (
        sorted(path for path in _folder(folder).iterdir() if path.suffix in other) if _folder(folder).is_dir() else []
    )
    pairs = ((path, path.with_suffix(other[path.suffix])) for path in found)
    return tuple((path.name, missing.name) for path, missing in pairs if not missing.is_file())


def load(dataset: str, folder=None) -> Measurements:
    """The table of that name. Raises `UnknownNameError`, and `DataError` for a missing half and as `load_files`."""
    for here, missing in halves(folder):
        if pathlib.Path(missing).stem == dataset:
            raise DataError(f"{here}: found no {missing} beside it: expected a table with its card; restore {missing}")
    if dataset not in datasets(folder):
        raise unknown_name("data set", dataset, datasets(folder))
    path = _folder(folder) / f"{dataset}.csv"
    return load_files(path, path.with_suffix(".yaml"))


def load_files(csv_path, card_path) -> Measurements:
    """The table in a tidy CSV with the card that describes it.

    Raises `DataError` that names file, line and column or key, what was found, what was expected and how to mend it:
    for a cell or a key that cannot stand, a name that table and card do not share, a checksum that differs.
    """
    table, card = read_table(csv_path), read_card(card_path)
    _check_explained(table, card, shown(card_path))
    _check_used(table, card, shown(card_path))
    if table.sha256 != card.sha256:
        raise DataError(
            f"{table.file}: found a table with the checksum {table.sha256}: expected {card.sha256} by "
            f"{shown(card_path)}, key 'sha256'; restore the table, or, when the change is meant, "
            "write the new checksum into the card"
        )
    measurements = Measurements(pathlib.Path(csv_path).stem, card, _cut(table, card))
    _check_card_names(measurements, card_path)
    return measurements


def _folder(folder) -> pathlib.Path:
    return data_folder() / "measurements" if folder is None else pathlib.Path(folder)


def _cut(table: Table, card: Card) -> tuple[Series, ...]:
    groups: dict[tuple[str, ...], list] = {}
    for row in table.rows:
        groups.setdefault(series_key(table, row), []).append(row)
    return tuple(_series(table, card, rows) for rows in groups.values())


def _series(table: Table, card: Card, rows: list) -> Series:
    order = [name for name in ("n", "offered", "repeat") if name in ("n", *table.numbers)]
    rows = sorted(rows, key=lambda row: [row.number(name) for name in order])
    cells = rows[0].cells
    printed = tuple(row.cells["value"] for row in rows)
    ends = [rounding_interval(text, truncated=cells["metric"] in card.truncated) for text in printed]
    return Series(
        dataset=cells["dataset"],
        variant=cells["variant"],
        metric=cells["metric"],
        unit=cells["unit"],
        n=_column(row.number("n") for row in rows),
        value=_column(row.number("value") for row in rows),
        printed=printed,
        lower=_column(max(lower, 0.0) for lower, _ in ends),
        upper=_column(upper for _, upper in ends),
        rows=tuple(row.line for row in rows),
        extra={name: cells[name] for name in table.labels},
        numbers={name: _column(row.number(name) for row in rows) for name in table.numbers},
        packet_bytes=card.packet_bytes,
    )


def _column(values) -> np.ndarray:
    column = np.fromiter(values, dtype=np.float64)
    column.flags.writeable = False
    return column


def _check_explained(table: Table, card: Card, card_file: str) -> None:
    """The card explains every variant, metric and optional column of the table."""
    for name in (*table.labels, *table.numbers):
        if name not in card.columns:
            raise DataError(
                f"{table.file}, line 1, column {name!r}: found a column that {card_file} does not explain: "
                f"expected it below 'columns'; add 'columns: {{{name}: what it is}}' or rename the column"
            )
    for column, explained in (("variant", card.variants), ("metric", card.metrics)):
        for row in table.rows:
            if row.cells[column] not in explained:
                raise table.wrong(
                    row,
                    column,
                    f"a {column} that {card_file} explains",
                    str(unknown_name(column, row.cells[column], explained)),
                )


def _check_used(table: Table, card: Card, card_file: str) -> None:
    """The table holds everything that the card explains."""
    held = {
        "variants": {row.cells["variant"] for row in table.rows},
        "metrics": {row.cells["metric"] for row in table.rows},
        "columns": {*table.labels, *table.numbers},
        "truncated": {row.cells["metric"] for row in table.rows},
    }
    for key, names in held.items():
        for name in getattr(card, key):
            if name not in names:
                raise DataError(
                    f"{card_file}, key {key + '.' + name!r}: found a name that {table.file} does not hold: "
                    f"expected one of {', '.join(sorted(names)) or 'none'}; rename or remove it"
                )


def _check_card_names(measurements: Measurements, card_path) -> None:
    """Every printed change of the card has its two rows."""
    for place, check in enumerate(measurements.card.checks):
        try:
            measurements.change(check)
        except MppsError as error:
            raise DataError(f"{shown(card_path)}, key 'checks[{place}]': {error}") from None
