"""Pairs of variants before and after a change, and what their tables have in common."""

import pathlib
from dataclasses import dataclass

import numpy as np

from mpps.corpus.loading import Corpus
from mpps.measurements import load as load_measurements
from mpps.measurements.nodes import read_yaml
from mpps.root import data_folder

KINDS = ("removal", "replacement", "cost", "control")


@dataclass(frozen=True)
class Pair:
    """Two variants of a data set; kind: what the change does (`KINDS`), mechanism: in words."""

    dataset: str
    before: str
    after: str
    kind: str
    mechanism: str
    source: str


@dataclass(frozen=True)
class HostPair:
    """A pair of one benchmark on one host; the same benchmark ran on others."""

    dataset: str
    benchmark: str
    host: str
    before: str
    after: str
    kind: str
    mechanism: str
    source: str

    @property
    def pair(self) -> Pair:
        return Pair(**{name: getattr(self, name) for name in Pair.__dataclass_fields__})


@dataclass(frozen=True, eq=False)
class PairCurves:
    """Rates of both variants at the counts that they have in common, (P,) each and ascending; counts: what n counts."""

    n: np.ndarray
    before: np.ndarray
    after: np.ndarray
    unit: str
    counts: str


def pairs(folder=None) -> tuple[Pair, ...]:
    """The pairs of `pairs.yaml` in a folder (`data/corpus/` when None); raises `DataError` for a damaged file."""
    return _listed(folder, "pairs.yaml", Pair)


def host_pairs() -> tuple[HostPair, ...]:
    """The pairs of `data/corpus/hosts.yaml`: benchmarks that ran on several hosts."""
    return _listed(None, "hosts.yaml", HostPair)


def pair_curves(pair: Pair, corpus: Corpus) -> PairCurves | None:
    """Both curves of a pair, from the corpus or from `data/measurements/`; None when the data set has not both."""
    found = []
    for variant in (pair.before, pair.after):
        curve = corpus.curve(pair.dataset, variant)
        if curve is not None:
            card = corpus.cards.get(pair.dataset)
            found.append((curve.n, curve.rate, curve.unit, card.counts if card else "n"))
        elif (data_folder() / "measurements" / f"{pair.dataset}.csv").is_file():
            series = load_measurements(pair.dataset).one("throughput", variant=variant)
            found.append((series.n, series.value, series.unit, "n"))
        else:
            return None
    rates = [dict(zip(n.tolist(), rate.tolist(), strict=True)) for n, rate, _, _ in found]
    n = sorted(set(rates[0]) & set(rates[1]))
    return PairCurves(np.array(n), *(np.array([each[count] for count in n]) for each in rates), *found[0][2:])


def _listed(folder, name: str, noun):
    folder = data_folder() / "corpus" if folder is None else pathlib.Path(folder)
    found = []
    for item in read_yaml(folder / name).items():
        keys = item.fields(tuple(noun.__dataclass_fields__))
        texts = {name: node.text() for name, node in keys.items()}
        keys["kind"].choice("kind of pair", KINDS)
        found.append(noun(**texts))
    return tuple(found)
