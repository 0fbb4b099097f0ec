"""What the explorer asks of a model, whether it is a code path or a user's own table."""

from dataclasses import dataclass, field

import numpy as np

#: Counts that one curve is drawn through: all up to here, then about so many an octave.
_ALL, _OCTAVE = 12, 5


@dataclass(frozen=True, eq=False)
class Curves:
    """Draws at counts n (P,): log rates in the model's own unit, (K, P) each, which share what they have in common.

    moved: as the sliders stand; reference: what it is compared with, as fitted; noise, reference_noise: scatter of one
    new measurement, to be added; work: part of a packet -> ns of a sender's time at the asked count (K,), or empty.
    """

    n: np.ndarray
    moved: np.ndarray
    reference: np.ndarray
    noise: np.ndarray
    reference_noise: np.ndarray
    work: dict = field(default_factory=dict)


def counts_for(cores_max: int, measured=()) -> np.ndarray:
    """Counts that curves are drawn through and that the slider of cores takes: measured ones among them."""
    octaves = np.log2(max(cores_max, _ALL + 1) / _ALL)
    spaced = np.round(np.geomspace(_ALL, max(cores_max, _ALL), 1 + max(1, int(np.ceil(_OCTAVE * octaves)))))
    every = {*range(1, _ALL + 1), *spaced.astype(int).tolist(), *(2**k for k in range(13)), *map(int, measured)}
    return np.array(sorted(n for n in every if n <= cores_max))


def with_count(counts: np.ndarray, n: int) -> np.ndarray:
    """The counts, `n` among them."""
    return counts if n in counts else np.unique([*counts, n])


def between(values) -> tuple[float, float, float]:
    """Median and 90 % ends of draws."""
    lower, median, upper = np.quantile(values, (0.05, 0.5, 0.95))
    return float(median), float(lower), float(upper)


def reach(median: float, lower: float, upper: float) -> tuple[float, float]:
    """Ends of a slider: the interval of the fit and well beyond, and a factor of eight at least to either side."""
    return min(median / 8, lower / 1.5), max(median * 8, upper * 1.5)
