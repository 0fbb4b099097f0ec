"""Published scaling tables of others, and the series that predictions are scored on.

`load()` reads `data/corpus/`, `load(folder)` any folder of tidy CSVs, with cards or without. A `Corpus` holds its
`curves` (every rate against n), its `series` (curves with enough n for the hold-out protocol), what was converted to a
rate and is scored `apart`, and what was `skipped` and why. `pairs()` lists the variants before and after a change.
"""

from mpps.corpus.cards import CorpusCard, Metric, read_card
from mpps.corpus.curves import NEEDED, Curve, Skipped, Training, training_points
from mpps.corpus.kinds import KINDS, guessed
from mpps.corpus.loading import Corpus, load
from mpps.corpus.pairs import HostPair, Pair, PairCurves, host_pairs, pair_curves, pairs

__all__ = [
    "KINDS",
    "NEEDED",
    "Corpus",
    "CorpusCard",
    "Curve",
    "HostPair",
    "Metric",
    "Pair",
    "PairCurves",
    "Skipped",
    "Training",
    "guessed",
    "host_pairs",
    "load",
    "pair_curves",
    "pairs",
    "read_card",
    "training_points",
]
