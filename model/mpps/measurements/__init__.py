"""What was measured: tidy tables with their source cards, read strictly.

`datasets()` lists the tables of `data/measurements/`, `load("...")` reads one, `load_files(csv, card)` a user's own.
A table is a `Measurements`: its `Card` (where it comes from, what it leaves open, its traps and facts) and its
`Series`, one for each variant, metric and label.
"""

from mpps.measurements.cards import (
    NOT_APPLICABLE,
    NOT_STATED,
    OPTIONAL_KEYS,
    PACKET_LAYERS,
    REQUIRED_KEYS,
    Card,
    Check,
    Fact,
    Reference,
    Samples,
    Statement,
    read_card,
)
from mpps.measurements.loading import datasets, halves, load, load_files
from mpps.measurements.table import Change, Measurements, Series
from mpps.measurements.tidy import NUMBER_COLUMNS, REQUIRED_COLUMNS

__all__ = [
    "NOT_APPLICABLE",
    "NOT_STATED",
    "NUMBER_COLUMNS",
    "OPTIONAL_KEYS",
    "PACKET_LAYERS",
    "REQUIRED_COLUMNS",
    "REQUIRED_KEYS",
    "Card",
    "Change",
    "Check",
    "Fact",
    "Measurements",
    "Reference",
    "Samples",
    "Series",
    "Statement",
    "datasets",
    "halves",
    "load",
    "load_files",
    "read_card",
]
