"""A cell of a sweep: one variant on one machine with one set of changes, as arrays that any worker can evaluate."""

from dataclasses import dataclass, field

import numpy as np

from mpps.path import CodePath, Mechanism, Variant

#: What `against` may be instead of a variant: each variant without its changes.
UNCHANGED = "unchanged"


@dataclass(frozen=True, eq=False)
class Part:
    """One mechanism of the mixture. values: name -> (D, 1) or (D, P); factor (D, P): what the prediction is over the rate
    of the network alone, with the values of the fit."""

    mechanism: Mechanism
    values: dict
    factor: np.ndarray
    alike: bool


@dataclass(frozen=True, eq=False)
class Cell:
    """What evaluates a cell. n (P,) ascending; noise (P, D) or None: scatter of one measurement, log rate.

    parts: mechanisms, together D draws, or one set without draws; fixed (P, D): rates of a table, which has no parts;
    knee (D,) and limits (D,): of a table, by name. against: the variant that gains are over;
    below: what loads need (`mpps.sweep.loaded`), n is then that of the curve. unit: that of the rates, which
    are `scale` of a packet/s; words: assumptions, in order.
    """

    labels: dict
    n: np.ndarray
    unit: str
    scale: float
    draws: int
    path: CodePath | None = None
    variant: Variant | None = None
    parts: tuple[Part, ...] = ()
    noise: np.ndarray | None = None
    fixed: np.ndarray | None = None
    knee: np.ndarray | None = None
    limits: tuple[str, ...] = ()
    hypothetical: np.ndarray | None = None
    extrapolated: np.ndarray | None = None
    against: "Cell | None" = None
    below: object = None
    words: tuple[dict, ...] = ()
    notes: dict = field(default_factory=dict)

    @property
    def counts(self) -> np.ndarray:
        """Core counts of the rows."""
        return self.n if self.below is None else self.below.asked
