"""How well forecasts hold on published tables: the scoreboard, with five baselines on the same points.

    document = validate()              # the corpus of this project
    document = validate("my/folder")   # any folder of tidy CSVs

The protocol: of each series with at least five distinct n the lowest 60 % train, the others are held out; scores are
averaged within a data set, then over data sets; no forecast, and no width of a baseline, uses the source of its series.
"""

from mpps.validate.board import validate
from mpps.validate.scores import FIGURES, LEVELS, interval_score, point_scores

__all__ = ["FIGURES", "LEVELS", "interval_score", "point_scores", "validate"]
