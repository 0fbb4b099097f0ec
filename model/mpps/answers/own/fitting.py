"""The mixture for one series of a user's own table, and where its prior comes from."""

import functools

from mpps.answers.own.series import Rates
from mpps.table import TableFit, fit


def fitted(series: Rates, seed: int = 1) -> TableFit:
    """The mixture for one series; of published tables the prior has not seen their own source."""
    return fit(series.n, series.rate, spread=series.spread, source=source_of(series.dataset), seed=seed)


def source_of(dataset: str) -> str | None:
    """Source of a data set of the corpus, None for another one."""
    return _sources().get(dataset)


@functools.cache
def _sources() -> dict[str, str]:
    from mpps.measurements.nodes import read_yaml
    from mpps.root import data_folder

    entries = read_yaml(data_folder() / "corpus" / "sources.yaml").entries()
    return {name: node.text() for name, node in entries.items()}


def prior_words(found: TableFit, series: Rates) -> str:
    """Where the prior comes from, and how much of the answer it carries."""
    count = len(found.points.n)
    source = source_of(series.dataset)
    without = f", those of {source} not among them, since this table is of the same source" if source else ""
    words = f"What is believed before the table is seen was learnt from {found.prior.words}{without}."
    if count <= 4:
        counts = "one count" if count == 1 else f"{count} counts"
        words += (
            f" With {counts} the table alone cannot choose a mechanism: what was learnt carries most of the answer."
        )
    return words
