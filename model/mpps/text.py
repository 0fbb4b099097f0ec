"""Numbers as people read them: significant digits, thousands separators, intervals in words."""

import math


def number(value, digits: int = 3) -> str:
    """`value` with `digits` significant digits, never cutting digits before the point: 1,018 and 63.5 and 0.0124.

    Whole numbers keep all digits. Missing and not-a-number are a dash, infinity is "unbounded".
    """
    if isinstance(value, int):
        return f"{value:,}"
    return _fixed(value, _decimals(value, digits))


def interval(median, lower, upper, join: str = " to ") -> str:
    """`275 (265 to 285)`; a missing end is unbounded: `at most 285`, `at least 265`, or `not identified`.

    The width of the interval has two significant digits, and the three numbers have its decimals: more would say
    nothing. An end of another magnitude keeps one digit of its own: `3 (0.02 to 40)`.
    """
    open_below, open_above = _missing(lower), _missing(upper)
    if open_below and open_above:
        return "not identified"
    if open_below:
        return f"at most {number(upper, 2)}"
    if open_above:
        return f"at least {number(lower, 2)}"
    decimals = _decimals(upper - lower, 2) if upper > lower else _decimals(upper, 3)
    low = _fixed(lower, max(decimals, _decimals(lower, 1)))
    ends = f"{low}{join}{_fixed(upper, decimals)}"
    return ends if _missing(median) else f"{_fixed(median, max(decimals, _decimals(median, 1)))} ({ends})"


def percent(fraction, digits: int = 2) -> str:
    """A fraction as a percentage: 0.0235 is `2.4 %`."""
    return "-" if _missing(fraction) else f"{number(100 * fraction, digits)} %"


def count(items: int, noun: str) -> str:
    """`1 point`, `20 points`."""
    return f"{items:,} {noun}{'' if items == 1 else 's'}"


def _missing(value) -> bool:
    return value is None or not math.isfinite(value)


def _decimals(value, digits: int) -> int:
    if _missing(value) or value == 0:
        return 0
    return max(digits - 1 - math.floor(math.log10(abs(value)) + 1e-12), 0)


def _fixed(value, decimals: int) -> str:
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "unbounded"
    if decimals > 6:
        return f"{value:.2e}"
    # Adding zero turns a rounded -0.0 into 0.0.
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"
