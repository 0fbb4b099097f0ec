"""From a folder of tidy CSVs to curves."""

import pathlib
from dataclasses import dataclass

import numpy as np

from mpps.corpus.cards import SPREAD, THROUGHPUT, CorpusCard, Metric, check, read_card
from mpps.corpus.curves import NEEDED, NEEDED_APART, Curve, Skipped, in_protocol
from mpps.corpus.kinds import guessed
from mpps.errors import DataError
from mpps.measurements.nodes import read_yaml, shown
from mpps.measurements.tidy import OPEN, Table, read_table
from mpps.root import data_folder

SOURCES_FILE = "sources.yaml"

_CONVERT = {
    "n * value": lambda n, value: n * value,
    "1 / value": lambda n, value: 1 / value,
    "n / value": lambda n, value: n / value,
}


@dataclass(frozen=True, eq=False)
class Corpus:
    """The tables of a folder as curves.

    curves: every metric that is a rate, however few its n; series: those of them that the hold-out protocol scores;
    apart: rates converted from another metric, with enough n; skipped: everything that is not in `series`, with the
    reason. cards: by data set, for those that have one; sha256: of each CSV, by file name.
    """

    folder: str
    curves: tuple[Curve, ...]
    apart: tuple[Curve, ...]
    skipped: tuple[Skipped, ...]
    cards: dict[str, CorpusCard]
    sha256: dict[str, str]

    @property
    def series(self) -> tuple[Curve, ...]:
        return tuple(curve for curve in self.curves if len(curve.n) >= NEEDED and in_protocol(curve.dataset))

    @property
    def sources(self) -> tuple[str, ...]:
        """Sources of the series, in alphabetical order."""
        return tuple(sorted({curve.source for curve in self.series}))

    def curve(self, dataset: str, variant: str) -> Curve | None:
        """The first curve of a variant, None without one."""
        return next((one for one in self.curves if (one.dataset, one.variant) == (dataset, variant)), None)


def load(folder=None) -> Corpus:
    """The tables in a folder, `data/corpus/` when None.

    A card `<name>.yaml` beside a table says what its metrics are, otherwise their names and units are judged. Sources
    come from `sources.yaml` in the folder, then from that of `data/corpus/`; a data set without is a source of its own.
    Raises `DataError` for a folder without CSVs, and for a cell or a card that cannot stand, by file, line and column.
    """
    folder = data_folder() / "corpus" if folder is None else pathlib.Path(folder)
    files = sorted(folder.glob("*.csv")) if folder.is_dir() else []
    if not files:
        found = "an empty folder" if folder.is_dir() and not any(folder.iterdir()) else "no CSV"
        raise DataError(
            f"{shown(folder)}: found {found if folder.is_dir() else 'no such folder'}: expected a folder of tidy CSVs "
            "(columns dataset,variant,n,metric,value,unit); check the path"
        )
    sources = _sources(data_folder() / "corpus" / SOURCES_FILE) | _sources(folder / SOURCES_FILE)
    curves, apart, skipped, cards, sha256 = [], [], [], {}, {}
    for file in files:
        table, card = read_table(file, OPEN), None
        sha256[file.name] = table.sha256
        if file.with_suffix(".yaml").is_file():
            card = cards[file.stem] = read_card(file.with_suffix(".yaml"))
            check(card, table, shown(file.with_suffix(".yaml")))
        for found in _curves(table, file.stem, card, sources.get(file.stem, file.stem)):
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            needed = NEEDED_APART if found.converted else NEEDED
            if not found.converted and not in_protocol(found.dataset) and len(found.n) >= needed:
                skipped.append(Skipped(*found.key, "the hold-out protocol leaves this table out"))
            if len(found.n) < needed:
                skipped.append(Skipped(*found.key, f"{len(found.n)} distinct n, fewer than {needed}"))
            if not found.converted:
                curves.append(found)
            elif len(found.n) >= needed:
                apart.append(found)
    return Corpus(shown(folder), tuple(curves), tuple(apart), tuple(skipped), cards, sha256)


def _sources(path: pathlib.Path) -> dict[str, str]:
    return {name: node.text() for name, node in read_yaml(path).entries().items()} if path.is_file() else {}


def _curves(table: Table, dataset: str, card: CorpusCard | None, source: str):
    """A curve, or what says why there is none, for each variant, metric and unit, in the order of the table."""
    groups: dict[tuple[str, str, str], list] = {}
    several = len({row.cells["dataset"] for row in table.rows}) > 1
    for row in table.rows:
        labels = [f"{name} {row.cells[name]}" for name in table.labels]
        variant = ", ".join([*([row.cells["dataset"]] if several else []), row.cells["variant"], *labels])
        groups.setdefault((variant, row.cells["metric"], row.cells["unit"]), []).append(row)
    metrics = {key: card.metrics[key[1]] if card else guessed(*key[1:]) for key in groups}
    rates = {key[0] for key, metric in metrics.items() if metric.kind == THROUGHPUT and not metric.left_out}
    for (variant, metric_name, unit), rows in groups.items():
        metric, name = metrics[variant, metric_name, unit], metric_name
        if sum(key[:2] == (variant, name) for key in groups) > 1:
            name = f"{name} in {unit}"
        why = _left_out(metric, variant in rates, card is not None) or _broken(table, rows, metric)
        if why:
            yield Skipped(dataset, variant, name, why)
        else:
            spread = [
                row
                for key, some in groups.items()
                if _is_spread(metrics[key], key, variant, metric_name)
                for row in some
            ]
            made = _curve(dataset, variant, name, unit, source, metric, rows, spread)
            sound = (np.isfinite(made.row_rate) & (made.row_rate > 0)).all()
            yield made if sound else Skipped(dataset, variant, name, f"{made.unit} leaves the range of numbers")


def _is_spread(metric: Metric, key, variant: str, name: str) -> bool:
    return metric.kind == SPREAD and key[0] == variant and metric.of == name


def _left_out(metric: Metric, has_rate: bool, has_card: bool) -> str:
    if metric.kind == SPREAD:
        return f"standard deviation of {metric.of}: scatter of its points, no series"
    if metric.left_out:
        return metric.left_out
    if metric.convert and has_rate and not has_card:
        return f"{metric.kind}: the table has the throughput itself"
    return ""


def _broken(table: Table, rows, metric: Metric) -> str:
    """Why rows are no rates: zero or negative n or value, or an offered load beside n."""
    if "offered" in table.numbers:
        return "values at offered loads, not at saturation"
    for row in rows:
        for column in ("n", "value"):
            if row.number(column) <= 0:
                return f"line {row.line}: {column} is {row.cells[column]}, and a rate has both above zero"
        if row.number("n") < 1:
            return f"line {row.line}: n is {row.cells['n']}, no count of senders"
    return ""


def _curve(dataset, variant, name, unit, source, metric, rows, spread) -> Curve:
    points: dict[float, list[float]] = {}
    for row in rows:
        points.setdefault(row.number("n"), []).append(row.number("value"))
    stated: dict[float, list[float]] = {}
    for row in spread:
        stated.setdefault(row.number("n"), []).append(row.number("value"))
    ns = sorted(points)
    means = [sum(points[n]) / len(points[n]) for n in ns]
    deviations = [np.std(points[n], ddof=1) / mean if len(points[n]) > 1 else np.nan for n, mean in zip(ns, means)]
    said = [abs(sum(stated[n]) / len(stated[n])) / mean if n in stated else np.nan for n, mean in zip(ns, means)]
    convert = _CONVERT[metric.convert] if metric.convert else lambda n, value: value
    rate = [convert(n, mean) for n, mean in zip(ns, means)]
    every = [(n, convert(n, value)) for n in ns for value in points[n]]
    repeats = [len(points[n]) for n in ns]
    unit = f"{metric.convert.replace('value', unit)}" if metric.convert else unit
    columns = [_column(values) for values in (ns, rate, repeats, deviations, said, *zip(*every))]
    return Curve(dataset, variant, name, unit, source, *columns, converted=metric.convert)


def _column(values) -> np.ndarray:
    column = np.array(values, dtype=np.float64)
    column.flags.writeable = False
    return column
