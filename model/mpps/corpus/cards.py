"""Cards of the corpus: lighter than those of the seeds, and each metric says whether and how it is a rate."""

import re
from dataclasses import dataclass

from mpps.errors import DataError
from mpps.measurements.nodes import Node, read_yaml

THROUGHPUT = "throughput"  # of all n together
PER_INSTANCE = "per instance"  # rate of one of the n
ELAPSED = "elapsed time"  # of a fixed work, or of a work that grows with n
UTILISATION = "utilisation"  # a share
COST = "cost"  # time or cycles of one operation, or a share of them
SPREAD = "spread"  # standard deviation of another metric
KINDS = (THROUGHPUT, PER_INSTANCE, ELAPSED, UTILISATION, COST, SPREAD)

#: How a value becomes the rate of all n together: "n / value" where the work grows with n.
CONVERSIONS = ("n * value", "1 / value", "n / value")

REQUIRED_KEYS = ("title", "source", "measured", "counts", "hardware", "metrics", "notes", "sha256")


@dataclass(frozen=True)
class Metric:
    """What the values of a metric are. A throughput is scored as it stands, unless `left_out` says why not.

    convert: one of `CONVERSIONS`, for a metric that is no throughput but gives one; it is scored apart.
    of: the metric whose standard deviation a spread is.
    """

    kind: str
    what: str
    convert: str = ""
    left_out: str = ""
    of: str = ""


@dataclass(frozen=True)
class CorpusCard:
    """The card of one table of the corpus; texts are "not stated" where the source is silent."""

    title: str
    source: str
    measured: str
    counts: str  # what n counts
    hardware: str
    metrics: dict[str, Metric]
    notes: tuple[str, ...]
    sha256: str  # of the CSV


def read_card(path) -> CorpusCard:
    """The card in a YAML file. Raises `DataError` that names the file, line and key of a mistake."""
    keys = read_yaml(path).fields(REQUIRED_KEYS)
    texts = {name: keys[name].text() for name in ("title", "source", "measured", "counts", "hardware")}
    metrics = {name: _metric(node) for name, node in keys["metrics"].entries().items()}
    for name, metric in metrics.items():
        if metric.of and metrics.get(metric.of, metric).kind == SPREAD:
            raise keys["metrics"].wrong(
                f"the spread {name!r} to be of a metric that the card has", "correct 'of'", found=f"of: {metric.of}"
            )
    return CorpusCard(
        **texts,
        metrics=metrics,
        notes=tuple(item.text() for item in keys["notes"].items()),
        sha256=_sha256(keys["sha256"]),
    )


def _metric(node: Node) -> Metric:
    keys = node.fields(("kind", "what"), ("convert", "left_out", "of"))
    metric = Metric(
        kind=keys["kind"].choice("kind of metric", KINDS),
        what=keys["what"].text(),
        convert=keys["convert"].choice("conversion", CONVERSIONS) if "convert" in keys else "",
        left_out=keys["left_out"].text() if "left_out" in keys else "",
        of=keys["of"].text() if "of" in keys else "",
    )
    said = {"convert": metric.convert, "left_out": metric.left_out, "of": metric.of}
    needed = {THROUGHPUT: (), SPREAD: ("of",), PER_INSTANCE: ("convert", "left_out"), ELAPSED: ("convert", "left_out")}
    allowed = needed.get(metric.kind, ("left_out",))
    given = [name for name, text in said.items() if text]
    if metric.kind == THROUGHPUT and given in ([], ["left_out"]):
        return metric
    if len(given) != 1 or given[0] not in allowed:
        words = " or ".join(repr(name) for name in allowed) or "nothing, or 'left_out'"
        raise node.wrong(
            f"{words} for the kind {metric.kind!r}", "say how the values become a rate, or why not", found=str(given)
        )
    return metric


def _sha256(node: Node) -> str:
    text = node.text()
    if re.fullmatch("[0-9a-f]{64}", text) is None:
        raise node.wrong("64 hexadecimal digits in lower case", "write what sha256sum prints for the CSV")
    return text


def check(card: CorpusCard, table, card_file: str) -> None:
    """Raises `DataError` when card and table do not hold the same metrics, or the checksum differs."""
    held = {row.cells["metric"] for row in table.rows}
    for name in sorted(held ^ set(card.metrics)):
        here, there = (table.file, card_file) if name in held else (card_file, table.file)
        raise DataError(f"{here}: found the metric {name!r}: expected it in {there} too; add, rename or remove it")
    if table.sha256 != card.sha256:
        raise DataError(
            f"{table.file}: found a table with the checksum {table.sha256}: expected {card.sha256} by {card_file}, "
            "key 'sha256'; restore the table, or, when the change is meant, write the new checksum into the card"
        )
