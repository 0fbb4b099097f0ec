"""What a printed number says about the number behind it.

A printed value is uncertain by half of its last digit; an integer that ends in zero by 5, because it may have been
rounded to tens (700 is 695 to 705); a number that a program cut instead of rounding lies between its print and the
next one (15 is 15 to 16, the upper end excluded). Ends are computed as exact fractions, so that a value that lies on
an end is never lost to binary rounding.
"""

import itertools
import re
from fractions import Fraction

from mpps.errors import DataError

#: A plain number as tables print it: no separators, at most 40 digits on either side of the point.
PRINTED_NUMBER = re.compile(r"(\d{1,40}(?:\.\d{1,40})?)(?:[eE]([+-]?\d{1,3}))?", re.ASCII)

_PRINTED_CHANGE = re.compile(r"(about )?([+-]?)(\d{1,40}(?:\.\d{1,40})?) ?%?", re.ASCII)

#: Largest number taken; beyond it the end of an interval could leave the range of a double.
LARGEST = 1e300

#: What "about" allows, in percentage points.
_ABOUT = Fraction(1)


def rounding_interval(text: str, *, truncated: bool = False) -> tuple[float, float]:
    """Ends of the interval that the number printed as `text` stands for, in the unit of the print.

    `truncated` says that the program cut the number; the upper end is then excluded.
    Raises `DataError` when `text` is no plain number.
    """
    lower, upper = _ends(text, truncated)
    return float(lower), float(upper)


def change_interval(before_text: str, after_text: str) -> tuple[float, float]:
    """Percentage changes from `before_text` to `after_text` that the rounding of both allows.

    Raises `DataError` when one is no plain number, or when the first may be zero.
    """
    lower, upper = _change(before_text, after_text)
    return float(lower), float(upper)


def printed_change_interval(text: str) -> tuple[float, float]:
    """Percentage changes that a printed one stands for: `+2.89%` by half a digit, `about 23%` by one point.

    Raises `DataError` when `text` is neither.
    """
    lower, upper = _printed_change(text)
    return float(lower), float(upper)


def change_agrees(printed: str, before_text: str, after_text: str) -> bool:
    """Whether a printed change can belong to two printed values, given the rounding of all three."""
    low, high = _printed_change(printed)
    lower, upper = _change(before_text, after_text)
    return low <= upper and lower <= high


def common_interval(lower, upper) -> tuple[float, float]:
    """The interval that several intervals share; `lower` and `upper` are sequences of their ends.

    Raises `DataError` when they share nothing: the figures contradict each other.
    """
    low, high = max(map(float, lower)), min(map(float, upper))
    if low > high:
        raise DataError(
            f"the intervals share nothing: the highest lower end {low:g} lies above "
            f"the lowest upper end {high:g}; one of the figures is of another kind than assumed"
        )
    return low, high


def interval_over(function, *intervals) -> tuple[float, float]:
    """Smallest and largest value of `function` while each argument runs over its interval (lower, upper).

    The function must rise or fall in each argument alone; what rounding leaves open of a derived figure, say.
    """
    values = [float(function(*corner)) for corner in itertools.product(*intervals)]
    return min(values), max(values)


def _ends(text: str, truncated: bool = False) -> tuple[Fraction, Fraction]:
    match = PRINTED_NUMBER.fullmatch(text)
    if match is None or float(text) > LARGEST:
        raise DataError(f"found {text!r}: expected a plain number such as 700 or 49.40")
    digits, exponent = match[1], Fraction(10) ** int(match[2] or 0)
    value, half = Fraction(digits) * exponent, _half_digit(digits) * exponent
    if truncated:
        return value, value + _last_digit(digits) * exponent
    return value - half, value + half


def _last_digit(digits: str) -> Fraction:
    return Fraction(1, 10 ** len(digits.partition(".")[2]))


def _half_digit(digits: str) -> Fraction:
    # A lone 0 is no number rounded to tens.
    rounded_to_tens = "." not in digits and len(digits) > 1 and digits.endswith("0")
    return Fraction(5) if rounded_to_tens else _last_digit(digits) / 2


def _change(before_text: str, after_text: str) -> tuple[Fraction, Fraction]:
    (before_low, before_high), (after_low, after_high) = _ends(before_text), _ends(after_text)
    if before_low <= 0:
        raise DataError(f"no change from {before_text!r}: its rounding reaches zero")
    return 100 * (after_low / before_high - 1), 100 * (after_high / before_low - 1)


def _printed_change(text: str) -> tuple[Fraction, Fraction]:
    match = _PRINTED_CHANGE.fullmatch(text)
    if match is None:
        raise DataError(f"found {text!r}: expected a printed change such as +2.89% or about 23%")
    about, sign, digits = match.groups()
    value = -Fraction(digits) if sign == "-" else Fraction(digits)
    half = _ABOUT if about else _half_digit(digits)
    return value - half, value + half
