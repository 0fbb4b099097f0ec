"""Pairs of variants before and after a change."""

import pathlib
from dataclasses import dataclass

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


def pairs(folder=None) -> tuple[Pair, ...]:
    """The pairs of `pairs.yaml` in a folder (`data/corpus/` when None); raises `DataError` for a damaged file."""
    folder = data_folder() / "corpus" if folder is None else pathlib.Path(folder)
    found = []
    for item in read_yaml(folder / "pairs.yaml").items():
        keys = item.fields(tuple(Pair.__dataclass_fields__))
        texts = {name: node.text() for name, node in keys.items()}
        keys["kind"].choice("kind of pair", KINDS)
        found.append(Pair(**texts))
    return tuple(found)
