"""Cells of one row: numbers with what hangs on them (spread, change, range, footnote), and words between."""

import re
from dataclasses import dataclass, replace

from mpps.readers.core.counts import counted, counts_what
from mpps.readers.core.numbers import Quantity, empty, leading, quantity
from mpps.readers.posted.lines import TAB

_GAP = re.compile(rf"[ {TAB}]+")
_SEPARATOR = re.compile(r"\||(?:--+|==+|=>|->|/|::?|→|;|&)(?=[ \x1f]|$)")
_NUMBER_TEXT = r"[+\-]?\d[\d.,]{0,20}(?:[kKMG]|%| ?(?:ns|us|ms|s|pps|[kMG]pps|[kMG]bps))?"
_SPREAD = re.compile(
    rf"[ {TAB}]{{0,3}}(?:\(\s{{0,3}})?(?:±|\+/?-|σ ?= ?|sd ?= ?|stdev ?[=:]? ?)\s{{0,3}}({_NUMBER_TEXT})"
    rf"(?:\s{{0,3}}\))?",
    re.IGNORECASE,
)
_PAREN = re.compile(rf"[ {TAB}]{{0,16}}\(\s{{0,3}}({_NUMBER_TEXT}|[+\-]?\d[\d.]{{0,10}}x)\s{{0,3}}\)")
_RANGE = re.compile(
    rf"[ {TAB}]{{0,3}}[\[(]\s{{0,2}}({_NUMBER_TEXT})\s{{0,2}}(?:,|\.\.\.?|-|–|to|;"
    rf"|:)\s{{0,2}}({_NUMBER_TEXT})\s{{0,2}}[\])]"
)
_MARK = re.compile(rf"[ {TAB}]?(?:\[\*{{1,4}}\]|\[\d{{1,2}}\]|\(\*{{1,3}}\)|\*{{1,3}}|†|‡|\^\w|[¹²³])(?=[ {TAB}|,;]|$)")
_NOTE = re.compile(rf"[ {TAB}]\([A-Za-z][^()]{{0,40}}\)(?=[ {TAB}|,;]|$)")
_TIMES = re.compile(r" ?[xX×](?=[ \x1f|,;)]|$)")
_SPACED = re.compile(r"\d{1,3}(?: \d{3}){1,5}(?![\d.,]*\d)(?=[ \x1f]|$)")
#: Words for the same measurement taken again.
SUMMARIES = frozenset(
    [
        "avg",
        "avg.",
        "average",
        "averages",
        "mean",
        "geomean",
        "gmean",
        "hmean",
        "amean",
        "median",
        "total",
        "sum",
        "min",
        "max",
        "stdev",
        "stddev",
        "std",
        "overall",
        "all",
    ]
)
REPEATS = frozenset(["run", "iteration", "iter", "sample", "round", "trial", "repeat", "rep", "boot", "try", "attempt"])
_STOP = frozenset(f" {TAB},;:|)/")


@dataclass(frozen=True)
class Cell:
    """A cell with its place in the line: a number, or words."""

    start: int
    end: int
    text: str
    number: Quantity | None = None
    spread: Quantity | None = None  # behind +-, or alone in parentheses
    change: Quantity | None = None  # a change in parentheses
    span: tuple[Quantity, Quantity] | None = None  # a range in brackets
    noun: str = ""  # "CPUs" of `16 CPUs`
    times: bool = False  # `1.6x`
    marked: bool = False  # carries a footnote mark
    bracketed: bool = False  # the number stands in parentheses, in a column of its own

    @property
    def hole(self) -> bool:
        """Whether the cell says that there is no value."""
        return self.number is None and empty(self.text)


def split(text: str, decimal: str = ".", *, dashes: bool = True, spaced: bool = False) -> list[Cell]:
    """Cells of a row without bars. `dashes`: `--` and `==` part cells; `spaced`: `1 509 628` is one number."""
    cells: list[Cell] = []
    at, words = 0, -1  # words: where open words began
    end_of_words = 0

    def close() -> None:
        nonlocal words
        if words >= 0:
            cells.append(Cell(words, end_of_words, text[words:end_of_words].replace(TAB, " ")))
            words = -1

    while at < len(text):
        if gap := _GAP.match(text, at):
            if len(gap[0]) > 1 or TAB in gap[0]:
                close()
            at = gap.end()
            continue
        if sep := _SEPARATOR.match(text, at):
            if dashes or sep[0] in ("|", "/", ";") or sep[0][0] not in "-=":
                close()
                at = sep.end()
                continue
        cell = _number(text, at, decimal, spaced)
        if cell is not None:
            close()
            cells.append(cell)
            at = cell.end + (1 if text[cell.end : cell.end + 1] in (",", ";", ":") else 0)
            continue
        stop = _word_end(text, at)
        words = at if words < 0 else words
        end_of_words = stop
        at = stop
        # "After: 12" and "16: 12": a colon ends a label.
        if text[stop - 1] in ":=" and stop - words > 1:
            close()
    close()
    return _with_nouns(cells)


def whole(text: str, start: int, decimal: str = ".") -> Cell:
    """The cell that a piece between bars is; `start` is its place in the line."""
    left = len(text) - len(text.lstrip(" \x1f"))
    bare = text.strip(" \x1f").replace(TAB, " ").strip("*_`") if text.strip(" \x1f*_`") else ""
    end = start + left + len(bare)
    joined = bare.replace(" ", "") if _SPACED.fullmatch(bare) else bare
    cell = _number(joined, 0, decimal, False)
    if cell is not None and cell.end == len(joined):
        return replace(cell, start=start + left, end=end, text=bare)
    if (found := counted(bare)) is not None and found[1]:
        number = Quantity(float(found[0]), str(found[0]))
        return Cell(start + left, end, bare, number, noun=found[1])
    return Cell(start + left, max(end, start + left), bare)


def bars(text: str, decimal: str = ".") -> list[Cell]:
    """Cells between bars; outer bars are borders."""
    start, stop = 0, len(text)
    stripped = text.strip(" \x1f")
    if stripped.startswith("|"):
        start = text.index("|") + 1
    if stripped.endswith("|") and text.rindex("|") >= start:
        stop = text.rindex("|")
    cells, at = [], start
    for piece in text[start:stop].split("|"):
        cells.append(whole(piece, at, decimal))
        at += len(piece) + 1
    return cells


def _number(text: str, at: int, decimal: str, spaced: bool) -> Cell | None:
    char = text[at : at + 1]
    if char == "(" and (match := _PAREN.match(text, at)):
        inner = quantity(match[1].strip().rstrip("x"), decimal)
        end = match.end()
        if inner is not None and (end == len(text) or text[end] in _STOP):
            return Cell(at, end, text[at:end], inner, times=match[1].endswith("x"), bracketed=True)
        return None
    if not (char.isdigit() or char in "+-~≈<>≤≥.−"):
        return None
    if spaced and (match := _SPACED.match(text, at)):
        joined = match[0].replace(" ", "")
        return Cell(at, match.end(), match[0], Quantity(float(joined), joined))
    found = leading(text[at : at + 120], decimal)
    if found is None:
        return None
    end = at + found.end
    times = False
    if (match := _TIMES.match(text, end)) and found.unit is None and not found.prefix and "." in found.printed:
        end, times = match.end(), True
    spread = change = span = None
    marked = False
    for _ in range(3):
        if spread is None and (match := _SPREAD.match(text, end)):
            spread = quantity(match[1].strip(), decimal)
        elif span is None and (match := _RANGE.match(text, end)):
            ends = quantity(match[1].strip(), decimal), quantity(match[2].strip(), decimal)
            span = ends if None not in ends else None
        elif change is None and (match := _PAREN.match(text, end)):
            inner = quantity(match[1].strip().rstrip("x"), decimal)
            if inner is not None and (inner.sign or match[1].endswith("x") or spread is not None):
                change = inner
            else:
                spread = inner
        elif (match := _MARK.match(text, end)) or (match := _NOTE.match(text, end)):
            marked = True
        else:
            break
        end = match.end()
        # 11.440 ± 0.019M/s, 7.54 (7.29 to 7.79) ns: the unit stands behind the spread.
        if found.unit is None and not found.prefix and (spread is not None or span is not None):
            tail = leading(f"1{text[end : end + 40]}", ".")
            if tail is not None and (tail.unit or tail.prefix) and tail.end > 1:
                found = replace(found, unit=tail.unit, prefix=tail.prefix)
                end += tail.end - 1
    if end < len(text) and text[end] not in _STOP:
        return None
    return Cell(at, end, text[at:end].replace(TAB, " "), found, spread, change, span, times=times, marked=marked)


def _word_end(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] not in (" ", TAB, "|"):
        at += 1
    return at


def _with_nouns(cells: list[Cell]) -> list[Cell]:
    """`1` and `CPU` are one cell; so are `16:` and `threads 16:`; a first `16T` is a count."""
    if (
        cells
        and cells[0].number is None
        and " " not in cells[0].text
        and (short := counted(cells[0].text))
        and short[1]
    ):
        cells = [replace(cells[0], number=Quantity(float(short[0]), str(short[0])), noun=short[1]), *cells[1:]]
    out: list[Cell] = []
    place = 0
    while place < len(cells):
        cell = cells[place]
        after = cells[place + 1] if place + 1 < len(cells) else None
        plain_count = (
            cell.number is not None
            and cell.number.unit is None
            and not cell.number.prefix
            and cell.number.value == int(cell.number.value)
        )
        if plain_count and after is not None and after.number is None and after.start - cell.end <= 1:
            first, _, rest = after.text.partition(" ")
            if counts_what(first.rstrip(":=")):
                out.append(
                    replace(cell, end=cell.end + 1 + len(first), text=f"{cell.text} {first}", noun=first.rstrip(":="))
                )
                if rest.strip():
                    out.append(Cell(after.end - len(rest), after.end, rest.strip()))
                place += 2
                continue
        word = cell.text.rstrip(":=#").strip()
        what = word.lower() if word.lower() in REPEATS else counts_what(word)
        if (
            cell.number is None
            and after is not None
            and (not out or word.lower() in REPEATS)
            and what
            and len(word.split()) == 1
            and (
                after.number is not None
                and after.number.value == int(after.number.value)
                and after.number.unit is None
                and after.start - cell.end <= 2
            )
        ):
            out.append(replace(after, start=cell.start, text=f"{cell.text} {after.text}", noun=what))
            place += 2
            continue
        out.append(cell)
        place += 1
    return out
