"""The old linearised USL fit, kept to check published values: not for new work."""

from typing import NamedTuple

import numpy as np

from mpps import laws
from mpps.errors import MppsError


class TransformFit(NamedTuple):
    """Result of `fit_usl_transform`; the residual standard error is in the unit of the rate."""

    rate_one: float
    contention: float
    coherence: float
    residual_standard_error: float
    degrees_of_freedom: int


def fit_usl_transform(n, rate) -> TransformFit:
    """Quadratic through the origin of n rate_one / rate - 1 against n - 1, with rate_one measured at n = 1.

    The transform weights slow points up and takes the rate of one sender as exact, so that its parameters differ
    from the least-squares ones of the rates. Source: Gunther, Guerrilla Capacity Planning, 2007, section 5.2; the
    default of the R package usl before version 2. Raises `MppsError` without exactly one point at n = 1.
    """
    n, rate = np.asarray(n, dtype=float), np.asarray(rate, dtype=float)
    alone = rate[n == 1]
    if alone.size != 1 or len(n) < 3:
        raise MppsError(f"{alone.size} points at n = 1 of {len(n)}: the transform needs one there and two elsewhere")
    columns = np.column_stack([n - 1, (n - 1) ** 2])
    linear, quadratic = np.linalg.lstsq(columns, n * alone[0] / rate - 1, rcond=None)[0]
    contention, coherence = linear - quadratic, quadratic
    difference = rate - laws.usl(n, alone[0], contention, coherence)
    freedom = len(n) - 2
    error = float(np.sqrt(np.sum(difference**2) / freedom))
    return TransformFit(float(alone[0]), float(contention), float(coherence), error, freedom)
