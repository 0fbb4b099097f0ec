"""Cells as tables of this project print them: `7.54 (7.29 to 7.79) ns`, bounds such as `at most 285 ns`, and phrases."""

import re
from dataclasses import replace

from mpps.readers.core.numbers import Quantity, quantity
from mpps.readers.core.units import Unit, unit_of

_NUMBER = r"[+\-]?[\d.,]{1,24}"
_INTERVAL = re.compile(rf"({_NUMBER}) \(({_NUMBER}) to ({_NUMBER})\)(?: ([A-Za-z%][\w/%-]{{0,30}}))?")
_WORD = re.compile(r"[A-Za-z]{2,}")
_BOUND = re.compile(r"(?:at most|at least|under|over|above|below|more than|less than|from|up to) ", re.IGNORECASE)


def is_bound(text: str) -> bool:
    """Whether a cell bounds a value on one side: no value, though it holds a number."""
    return bool(_BOUND.match(text.strip()))


def is_phrase(text: str) -> bool:
    """Whether a cell holds numbers in a phrase, such as `1, 2 and 16 senders`: no mistyped number."""
    return any(char.isdigit() for char in text) and len(_WORD.findall(text[:400])) > 1


def interval(text: str, decimal: str = ".") -> tuple[Quantity, Quantity, Quantity] | None:
    """Value, lower and upper end of a cell; None for another one. A word behind that is no known unit is one of its own."""
    match = _INTERVAL.fullmatch(text.strip())
    found = [quantity(each, decimal) for each in match.groups()[:3]] if match else [None]
    if None in found:
        return None
    middle, lower, upper = found
    if match[4]:
        middle = replace(middle, unit=unit_of(match[4]) or Unit(match[4], match[4]))
    return middle, lower, upper
