"""Where the laws hold: arguments outside are refused in words, never answered with NaN."""

import numpy as np

from mpps.errors import MppsError


def within(name: str, value, low: float = 0.0, high: float = np.inf, *, above: bool = False, infinite: bool = False):
    """`value` as a float array when all of it lies in [low, high], or in (low, high] with `above`.

    Raises `MppsError` naming the argument, its first value outside, and the range.
    """
    array = np.asarray(value, dtype=float)
    good = (array > low if above else array >= low) & (array <= high) & (infinite | np.isfinite(array))
    if not good.all():
        first = array[~good].flat[0]
        least = f"above {low:g}" if above else f"of at least {low:g}"
        most = "" if high == np.inf else f" and at most {high:g}"
        raise MppsError(f"{name} is {first:g}: expected a number {least}{most}")
    return array


def senders(n):
    """`n` as a float array; the laws hold from one sender on, fractions between whole numbers are allowed."""
    return within("n", n, 1.0)
