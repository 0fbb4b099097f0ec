"""What a user may type behind a verb: core counts and settings, read strictly."""

import math
import re

from mpps.errors import MppsError

#: Largest core count that is taken.
MOST_CORES = 1024
#: Largest count of a user's own table, which may count users or connections, and how many counts one call answers for.
MOST_OF_TABLE, MOST_COUNTS = 1_000_000, 4096

_WITH_UNIT = re.compile(r"[\d.]+(?:[eE][+-]?\d+)? ?[A-Za-z][A-Za-z/ ]*")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


def core_counts(text: str, option: str = "--cores", most: int = MOST_CORES) -> tuple[int, ...]:
    """Core counts of `1-128`, `1,8,64` or `1-4,8`, ascending, each once. Raises `MppsError` for anything else."""
    expected = f"expected core counts from 1 to {most:,}, as 1-128 or 1,8,64"
    counts: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise MppsError(f"{option} {text!r}: found {part.strip()!r}; {expected}")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= most:
            raise MppsError(
                f"{option} {text!r}: found {part.strip()!r}{' (backwards)' if last < first else ''}; {expected}"
            )
        if last - first + len(counts) > MOST_COUNTS:
            raise MppsError(f"{option} {text!r}: found more than {MOST_COUNTS:,} counts; ask for fewer at a time")
        counts |= set(range(first, last + 1))
    return tuple(sorted(counts))


def settings(texts, option: str = "--set") -> dict[str, float]:
    """Parameters of `name=value` texts. Raises `MppsError` for another form, no positive number, and a name twice."""
    found: dict[str, float] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        try:
            number = float(value) if equals and name else math.nan
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            raise MppsError(f"{option} {text!r}: expected name=value with a positive number, as section_ns=80")
        if name in found:
            raise MppsError(f"{option} {text!r}: {name} is set twice; keep one")
        found[name] = number
    return found


def known_points(text: str, option: str = "--known", unit=None) -> dict[float, float]:
    """Count -> rate of `1=19.45,2=35.1`. Raises `MppsError` for another form, no positive number, and a count twice.

    unit(): the unit in which the rates stand, for the message about one that is given with its own; None when not known.
    """
    found: dict[float, float] = {}
    for part in text.split(","):
        count, equals, rate = (each.strip() for each in part.partition("="))
        try:
            pair = (float(count), float(rate)) if equals else (math.nan, math.nan)
        except ValueError:
            pair = (math.nan, math.nan)
        if not (all(math.isfinite(each) and each > 0 for each in pair) and pair[0] == int(pair[0])):
            if _WITH_UNIT.fullmatch(rate):
                name = unit() if unit is not None else None
                of_table = "the unit of the table" + (f", {name}" if name else "")
                raise MppsError(
                    f"{option} {text!r}: found {part.strip()!r}: units are not taken here: expected the bare number, in {of_table}; "
                    "convert the rate and leave its unit out"
                )
            raise MppsError(
                f"{option} {text!r}: found {part.strip()!r}: expected count=rate after the change, as 1=19.45,2=35.1"
            )
        if pair[0] in found:
            raise MppsError(f"{option} {text!r}: n = {pair[0]:g} is given twice; keep one")
        found[pair[0]] = pair[1]
    return found


def packet_rate(text: str, option: str = "--rate") -> float:
    """Packets (or other operations) per second of `1200000`, `1.2M` or `1.2Mpps`. Raises `MppsError` for anything else."""
    match = re.fullmatch(r"\s*(\d[\d_]*\.?\d*(?:[eE][+-]?\d{1,3})?)\s*(\D.*?)?\s*", text, re.ASCII)
    unit = match[2] if match else None
    factor = {None: 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}.get(unit)
    if match and factor is None:
        from mpps.readers.core.units import unit_of

        known = unit_of(unit)
        counted = known is not None and (known.family == "packets" or known.family.startswith("rate of "))
        factor = known.factor if counted else None
    number = float(match[1].replace("_", "")) * factor if match and factor else math.nan
    if not (math.isfinite(number) and number > 0):
        raise MppsError(
            f"{option} {text!r}: expected packets (or other operations) per second of all cores together, as 1200000, 1.2M or 1.2Mpps"
        )
    return number
