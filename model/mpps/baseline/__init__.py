"""What our models have to beat: the universal scalability law and Amdahl's law, fitted to one table at a time."""

from mpps.baseline.batch import fit_amdahl_batch, fit_usl_batch
from mpps.baseline.fit import PARAMETERS, UslFit, fit_amdahl, fit_usl
from mpps.baseline.transform import TransformFit, fit_usl_transform

__all__ = [
    "PARAMETERS",
    "TransformFit",
    "UslFit",
    "fit_amdahl",
    "fit_amdahl_batch",
    "fit_usl",
    "fit_usl_batch",
    "fit_usl_transform",
]
