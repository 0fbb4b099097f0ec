"""Numbers as people post them: separators for thousands, comma or point for decimals, suffixes, units, signs.

A number is matched by expressions without nested repetition, so that no text can make one hang.
"""

import re
from dataclasses import dataclass

from mpps.readers.core.units import Unit, prefixed, unit_of
from mpps.rounding import LARGEST

#: Marks that group thousands besides comma and point: underscore, apostrophes, no-break and thin spaces.
_GROUP_MARKS = str.maketrans("", "", "_'\u2019\u00a0\u2007\u2009\u202f")

#: Digits with marks between them; what the marks mean is decided for a whole table.
_DIGITS = r"\d[\d.,_'\u2019\u00a0\u2007\u2009\u202f]{0,60}"

NUMBER = re.compile(rf"([~≈<>≤≥]{{0,2}}) ?([+\-\u2212\u2013]?)({_DIGITS}|\.\d{{1,40}})(?:[eE]([+-]?\d{{1,3}}))?")

_GROUPED = {mark: re.compile(rf"\d{{1,3}}(?:\{mark}\d{{2,3}}){{0,19}}\{mark}\d{{3}}") for mark in ",."}
_EMPTY = frozenset(
    (
        "",
        "-",
        "--",
        "---",
        "n/a",
        "na",
        "nan",
        "none",
        "null",
        "x",
        "?",
        "*",
        "…",
        "...",
        "–",
        "—",
        "n.a.",
        "tbd",
        "-nan",
        "[...]",
        "n/m",
        "err",
        "fail",
        "failed",
        "error",
        "timeout",
        "crash",
        "oom",
    )
)


@dataclass(frozen=True)
class Quantity:
    """A number with what stands on it: suffix k, M or G, its unit, a sign that was printed, a mark such as ~."""

    value: float  # without suffix: 185 for 185k
    printed: str  # plain digits: 1509628
    prefix: str = ""
    unit: Unit | None = None
    sign: str = ""  # the sign as printed, + too
    about: str = ""
    end: int = 0  # where it ended in the text

    @property
    def percent(self) -> bool:
        return self.unit is not None and self.unit.name == "percent"


def empty(text: str) -> bool:
    """Whether a cell holds no value: a dash, n/a, dots."""
    return text.strip().lower() in _EMPTY


def decimal_mark(texts) -> str:
    """`,` or `.`: what separates decimals in a table whose numbers are `texts`; a point where nothing tells."""
    votes = {",": 0, ".": 0}
    for text in texts:
        digits = text.translate(_GROUP_MARKS)
        commas, points = digits.count(","), digits.count(".")
        if commas and points:
            votes["," if digits.rfind(",") > digits.rfind(".") else "."] += 3
        elif commas > 1:
            votes["."] += 5
        elif points > 1:
            votes[","] += 5
        elif commas == 1:
            tail = digits.partition(",")[2]
            if len(tail) != 3 or digits.startswith("0,"):
                votes[","] += 2
        elif points == 1:
            tail = digits.partition(".")[2]
            if len(tail) != 3 or digits.startswith("0."):
                votes["."] += 2
    return "," if votes[","] > votes["."] else "."


def plain(digits: str, decimal: str = ".") -> str | None:
    """Digits without separators, with a decimal point: `1,509,628` is `1509628`; None when the marks make no number."""
    digits = digits.translate(_GROUP_MARKS)
    group = "," if decimal == "." else "."
    if group in digits:
        whole, mark, tail = digits.partition(decimal)
        if group in tail:
            return None
        if not _GROUPED[group].fullmatch(whole):
            # 0.75 in a table of decimal commas: no thousands can be meant.
            if mark or whole.count(group) != 1 or not whole.replace(group, "").isdigit():
                return None
            left, _, right = whole.partition(group)
            return f"{left}.{right}" if right else None
        digits = whole.replace(group, "") + mark + tail
    digits = digits.replace(decimal, ".") if decimal == "," else digits
    if digits.count(".") > 1 or digits.endswith("."):
        return None
    return digits if digits.replace(".", "", 1).isdigit() and digits.isascii() else None


def quantity(text: str, decimal: str = ".") -> Quantity | None:
    """The quantity that all of `text` is; None when something is left over."""
    found = leading(text, decimal)
    return found if found is not None and found.end == len(text.rstrip()) else None


def leading(text: str, decimal: str = ".") -> Quantity | None:
    """The quantity that `text` begins with; `end` says where it stops. A unit counts when it ends a word."""
    match = NUMBER.match(text, len(text) - len(text.lstrip()))
    if match is None:
        return None
    about, sign, digits, exponent = match.groups()
    end = match.end()
    trimmed = digits.rstrip(",.'_\u2019\u00a0\u2007\u2009\u202f")
    if trimmed != digits:
        if exponent:
            return None
        end -= len(digits) - len(trimmed)
        digits = trimmed
    bare = plain(digits, decimal)
    if bare is None:
        return None
    if bare.startswith("."):
        bare = f"0{bare}"
    sign_out = "-" if sign in ("-", "\u2212", "\u2013") and sign else sign
    printed = f"{'-' if sign_out == '-' else ''}{bare}{f'e{exponent}' if exponent else ''}"
    value = float(printed)
    if not abs(value) <= LARGEST:
        return None
    prefix, unit, end = _suffix(text, end)
    return Quantity(value, printed, prefix, unit, sign_out, about, end)


_WORD = re.compile(r" ?([A-Za-zµμ%][A-Za-zµμ()]{0,20}(?:/[A-Za-z]{1,12}){0,2})")
_IN_BRACKETS = re.compile(r" ?\[([A-Za-zµμ%][A-Za-zµμ/ ]{0,14})\]")
_LONG_WORD = re.compile(r" ?((?:[kKMG] |million )?[A-Za-z]{1,14} per (?:second|sec|packet|op|element))")


def _suffix(text: str, at: int) -> tuple[str, Unit | None, int]:
    """Suffix and unit behind a number that ended at `at`."""
    tail = text[at : at + 60]
    if (match := _IN_BRACKETS.match(tail)) and (unit := unit_of(match[1])):
        return "", unit, at + match.end()
    if (match := _LONG_WORD.match(tail)) and (unit := unit_of(match[1])):
        return "", unit, at + match.end()
    match = _WORD.match(tail)
    if match is None:
        return "", None, at
    word = match[1]
    spaced = tail.startswith(" ")
    if word.startswith("%"):
        return "", unit_of("%"), at + match.start(1) + 1
    if (unit := unit_of(word)) and not (spaced and len(word) == 1):
        return "", unit, at + match.end()
    # k, M or G, alone or before a unit that follows: 700k packets/second.
    if word in ("k", "K", "M", "G", "m") and not (spaced and word == "m"):
        prefix = {"K": "k", "m": "M"}.get(word, word)
        after = _LONG_WORD.match(tail, match.end()) or _WORD.match(tail, match.end())
        if after and (unit := unit_of(after[1])) and after[0].startswith(" "):
            return prefix, unit, at + after.end()
        return prefix, None, at + match.end()
    return "", None, at


def scaled(value: float, printed: str, prefix: str) -> tuple[float, str]:
    """Value and digits with the suffix multiplied in: 185 and k are 185000."""
    shift = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12}[prefix]
    if not shift:
        return value, printed
    if "e" in printed:
        return value * 10**shift, repr(value * 10**shift)
    sign, digits = ("-", printed[1:]) if printed.startswith("-") else ("", printed)
    whole, _, tail = digits.partition(".")
    moved = whole + tail[:shift].ljust(shift, "0")
    rest = tail[shift:]
    text = sign + (moved.lstrip("0") or "0") + (f".{rest}" if rest else "")
    return float(text), text


def prefixed_value(amount: Quantity, unit: str) -> tuple[float, str, str]:
    """Value, digits and unit of a number whose suffix k, M or G goes into the unit where that has a name.

    700k in packets/s are 700 kpps; 185k in ops/s are 185000 ops/s.
    """
    if not amount.prefix:
        return amount.value, amount.printed, unit
    known = amount.unit or (unit_of(unit) if unit else None)
    named = prefixed(amount.prefix, known) if known is not None else None
    if named is not None:
        return amount.value, amount.printed, named.name
    value, printed = scaled(amount.value, amount.printed, amount.prefix)
    return value, printed, unit
