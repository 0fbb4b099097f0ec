"""What a fit says of rows that it did not see: one point, one variant, or the largest count of every variant left out.

    rows = heldout.path_rows(mpps.load_path("..."))      # every table of a path that has a curve
    heldout.document()                                   # the same for all paths, with reasons in words
    heldout.summary(rows)                                # error, coverage, width, beside the USL on the same rows

Each row: path, dataset, scope, kind, left_out (words), rows_left_out, variant, n, unit, observed, median, lower, upper
(90 %), lower50, upper50, averaged (log rate, all explanations), fit_error (what the fit misses when it sees the row),
disagreement (log standard deviation between the explanations), nearest (remaining counts of the variant on either
side), extrapolated, usl, usl_lower, usl_upper, usl_lower50, usl_upper50 (None where the law has too few points).
Errors are those of predicted/observed - 1.
"""

from mpps.heldout.board import document
from mpps.heldout.folds import predictable, refits
from mpps.heldout.rows import KINDS, LARGEST, ONE, VARIANT, cases, curves, path_rows, rows_of, scope_of, summary
from mpps.heldout.words import cannot, reason

__all__ = [
    "KINDS",
    "LARGEST",
    "ONE",
    "VARIANT",
    "cannot",
    "cases",
    "curves",
    "document",
    "path_rows",
    "predictable",
    "reason",
    "refits",
    "rows_of",
    "scope_of",
    "summary",
]
