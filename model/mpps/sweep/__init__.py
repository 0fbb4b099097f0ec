"""Sweeps: scenarios by the million, from a spec to a Parquet file (docs/sweeps.md).

    mpps.sweep("hardware.yaml", out="hardware.parquet").frame()

`spec.py` says what may be asked, `plan.py` cuts it into chunks, `cells.py` prepares what needs the workbook's data,
`evaluate.py` computes a chunk anywhere, `parts.py` and `frames.py` keep and merge, `executors.py` spreads the work.
"""

from mpps.sweep.estimating import Estimate, estimated
from mpps.sweep.executors import WorkersDied, pool
from mpps.sweep.plan import Plan, plan_of
from mpps.sweep.replicates import bootstrap
from mpps.sweep.run import SweepResult, sweep
from mpps.sweep.spec import Spec, read_spec

__all__ = [
    "Estimate",
    "Plan",
    "Spec",
    "SweepResult",
    "WorkersDied",
    "bootstrap",
    "estimated",
    "plan_of",
    "pool",
    "read_spec",
    "sweep",
]
