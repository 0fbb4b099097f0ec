"""Joint fits: one set of parameters for all variants of a source, for every competing mechanism.

Errors are multiplicative, so log rates are fitted. A prior counts as one more observation of the logarithm of its
parameter.
"""

from mpps.fit.closure import SIMULATED_SENDERS, closure_offset, closure_offsets
from mpps.fit.points import DEFAULT_SCATTER, Points, points_of
from mpps.fit.problem import Problem, problem_of
from mpps.fit.solve import SETTLED, STEP_SHARE, Solved, solve

__all__ = [
    "DEFAULT_SCATTER",
    "SETTLED",
    "SIMULATED_SENDERS",
    "STEP_SHARE",
    "Points",
    "Problem",
    "Solved",
    "closure_offset",
    "closure_offsets",
    "points_of",
    "problem_of",
    "solve",
]
