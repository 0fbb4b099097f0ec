"""Lines that differ in their numbers alone: `N=4: vanilla 24.0 patched 33.9`, `cpu 3 sent 1200 packets in 5 ms`."""

import re

from mpps.readers.core.counts import counts_what
from mpps.readers.core.metrics import by_unit
from mpps.readers.core.nouns import Claim, Ignored, Options, Part, Reader, Row
from mpps.readers.core.numbers import Quantity, decimal_mark, leading, prefixed_value
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished
from mpps.readers.core.units import unit_of

_START = re.compile(r"(?<![\w.,\-])\d|(?<==)\d|(?<=: )\d")
_WORD = re.compile(r"[A-Za-z][\w\-]*")

#: Longest line, most numbers in one, fewest lines of one make.
_LONGEST = 300
_MOST = 12
_FEWEST = 2


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    best = _best(source)
    if best is None:
        return None
    shape, lines = best
    if _count_slot(shape) is None:
        return None
    return Claim(47, f"{len(lines)} lines as line {lines[0][0]} differ in their numbers alone, a count among them")


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    best = _best(source)
    rows: list[Row] = []
    ignored = []
    if best is not None:
        shape, lines = best
        at = _count_slot(shape)
        # "thread(s)" behind the count names nothing.
        names = [
            " ".join(word for word in _WORD.findall(words) if not counts_what(word) and word != "s") for words in shape
        ]
        for line, amounts in lines:
            n = amounts[at].value if at is not None else None
            if n is not None and n != int(n):
                ignored.append(
                    Ignored(source.file, line, source.lines[line - 1].strip(), "its count is no whole number")
                )
                continue
            for place, amount in enumerate(amounts):
                if place != at:
                    rows.append(_row(source, line, names[place], amount, n, options))
    told = ["lines of one make; the words before a number name it"]
    return finished(
        source,
        rows,
        told,
        "lines that differ in their numbers alone",
        "N=4: vanilla 24.0 patched 33.9",
        ignored=tuple(ignored),
    )


def _row(source: Source, line: int, name: str, amount: Quantity, n, options: Options) -> Row:
    unit = amount.unit.name if amount.unit is not None else options.unit or ""
    value, printed, unit = prefixed_value(amount, unit)
    known = unit_of(unit) if unit else None
    if known is not None and not known.is_rate:
        return Row(source.stem, "measured", n, name or by_unit(known), value, unit, printed, source.file, line)
    return Row(source.stem, name or "measured", n, "throughput", value, unit, printed, source.file, line)


def _best(source: Source):
    """The make of most lines: words between numbers, and the lines with their numbers."""
    lines = source.lines[:20_000]
    found: dict[tuple[str, ...], list] = {}
    numbers = []
    texts = [
        (place, text)
        for place, text in enumerate(lines, 1)
        if 3 <= len(text) <= _LONGEST and any(char.isdigit() for char in text)
    ]
    for _, text in texts[:2000]:
        numbers += re.findall(r"\d[\d.,]{0,30}\d", text)
    decimal = decimal_mark(numbers)
    for place, text in texts:
        shape, amounts = _shape(text, decimal)
        if 2 <= len(amounts) <= _MOST and any(_WORD.search(words) for words in shape):
            found.setdefault(shape, []).append((place, amounts))
    groups = [
        item
        for item in found.items()
        if len(item[1]) >= _FEWEST and any(amounts != item[1][0][1] for _, amounts in item[1])
    ]
    return max(groups, key=lambda item: (len(item[1]), len(item[0]))) if groups else None


def _shape(text: str, decimal: str) -> tuple[tuple[str, ...], list[Quantity]]:
    words, amounts, at = [], [], 0
    begin = 0
    while match := _START.search(text, at):
        amount = leading(text[match.start() : match.start() + 60], decimal)
        if amount is None or len(amounts) > _MOST:
            at = match.end()
            continue
        words.append(" ".join(text[begin : match.start()].split()))
        amounts.append(amount)
        begin = at = max(match.start() + amount.end, match.end())
    return (*words, " ".join(text[begin:].split())), amounts


def _count_slot(shape: tuple[str, ...]) -> int | None:
    """The number that counts: its words before end in a count word, or those behind begin with one."""
    for place in range(len(shape) - 1):
        before = _WORD.findall(shape[place])
        after = _WORD.findall(shape[place + 1])
        if before and counts_what(before[-1]) and not re.search(r"[.,;]$", shape[place]):
            return place
        if after and counts_what(after[0]) and re.match(r"\s*[A-Za-z(]", shape[place + 1]):
            return place
    return None


READER = Reader("lines", "lines that differ in their numbers alone, a count among them", claim, read)
