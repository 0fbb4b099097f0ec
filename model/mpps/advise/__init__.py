"""What to measure next: the count, and the variant, after which the rate at a target count is known best.

advise(mpps.table.fit(n, rate), 64).best          # of a table
advise_path(mpps.compare.fit(path, scope), 64)    # of a code path
"""

from mpps.advise.of_path import advise_path
from mpps.advise.of_table import advise
from mpps.advise.weighing import Advice, Look, candidates_for

__all__ = ["Advice", "Look", "advise", "advise_path", "candidates_for"]
