"""How well the curve after a change is predicted from the curve before it: the scoreboard of pairs.

    document = validate_pairs()              # data/corpus/pairs.yaml
    document = validate_pairs("my/folder")   # any folder with tidy CSVs and a pairs.yaml

The protocol: of each pair with at least three common counts the curve before the change and the rate after it at the
smallest count are given; the rates after it at the other counts are scored. Nothing was learnt from the pair's source.
"""

from mpps.validate.pairs.board import MODELS, SCHEMA, kept_pairs, validate_pairs

__all__ = ["MODELS", "SCHEMA", "kept_pairs", "validate_pairs"]
