"""Throughput for n = 1..N of one or of a million closed networks at a time, exactly.

`network` is written to be read; this package computes the same numbers for many parameter sets: `curve` where private
work does not depend on n, `growing_curve` where it does, `sweep` for parameter sets by the million in bounded memory.
"""

from mpps.solver.curves import curve
from mpps.solver.growing import growing_curve
from mpps.solver.sweep import sweep

__all__ = ["curve", "growing_curve", "sweep"]
