"""Headings of a block: one or more lines of names above the rows, and the sentence before them."""

import re
from dataclasses import dataclass

from mpps.readers.core.counts import counts_what
from mpps.readers.core.numbers import quantity
from mpps.readers.core.units import unit_of
from mpps.readers.posted.blocks import Block
from mpps.readers.posted.lines import TAB, Line

_PIECES = re.compile(rf"[ {TAB}]{{2,}}|{TAB}|[ {TAB}](?:--+|==+|->|=>|/|\||&|;)(?=[ {TAB}]|$)|^(?:--+|==+)[ {TAB}]|\|")
SPREAD = re.compile(
    r"(?:std\.?[ _-]?(?:dev(?:iation)?|err(?:or)?)\.?|stdev|stddev|standard deviation|sd|std|sigma|σ|±|\+/?-|rsd|cv"
    r"|deviation|variance|ci)(?:\s*\(?%?\)?)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.:;!?]$")

#: Most lines of headings.
_MOST_LEVELS = 3


@dataclass(frozen=True)
class Head:
    """One name of a heading line, with its place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Headings:
    """Levels of names from the top down, each (line, names); `caption` are the lines of text before them."""

    levels: tuple[tuple[int, tuple[Head, ...]], ...]
    caption: tuple[Line, ...]
    first: int  # index of the first line that belongs to the table


def headings(lines: list[Line], block: Block, columns: int, floor: int) -> Headings:
    """What stands above a block, down to the line with index `floor` that belongs to another table."""
    levels: list[tuple[int, tuple[Head, ...]]] = []
    place = block.first - 1
    blank = 0
    ruled = False
    while place >= floor and len(levels) < _MOST_LEVELS:
        line = lines[place]
        if line.kind == "rule":
            ruled = True
            place -= 1
            continue
        if line.kind == "blank":
            blank += 1
            # A blank line between heading and rows is rare, and one above a rule too.
            if blank > 1 or levels:
                break
            place -= 1
            continue
        names = _names(line, block, columns, bool(levels), blank, ruled) if line.kind == "text" else None
        if names is None:
            break
        levels.insert(0, (line.number, names))
        blank = 0
        place -= 1
    if not levels:
        place = block.first - 1
    return Headings(tuple(levels), _caption(lines, place, floor), place + 1)


def pieces(text: str) -> list[Head]:
    """Names of a heading line, parted by two blanks, tabs, bars or marks."""
    out, at = [], 0
    for match in (*_PIECES.finditer(text), None):
        stop = match.start() if match else len(text)
        piece = text[at:stop]
        bare = piece.strip(f" {TAB}-=_*`")
        if bare:
            left = at + piece.index(bare[0])
            out.append(Head(left, left + len(bare), bare.replace(TAB, " ").strip("*`")))
        at = match.end() if match else stop
    return out


def words(text: str) -> list[Head]:
    """Names of a heading line, each a word of its own; a lone `#` belongs to the next word."""
    out: list[Head] = []
    for match in re.finditer(rf"[^ {TAB}|]+", text):
        if match[0] in ("/", "--", "==", "|", "->"):
            continue
        if out and out[-1].text == "#":
            out[-1] = Head(out[-1].start, match.end(), f"# {match[0]}")
        else:
            out.append(Head(match.start(), match.end(), match[0]))
    return out


def _names(line: Line, block: Block, columns: int, above: bool, blank: int, ruled: bool) -> tuple[Head, ...] | None:
    text = line.text
    found = pieces(text)
    if not found:
        return None
    groups = block.piped and above and len(_bar_heads(text)) < columns
    if _is_data(found) and not groups:
        return None
    piped = "|" in text
    if block.piped:
        if not piped:
            return None
        return tuple(_bar_heads(text))
    if len(found) == 1 and not above:
        single = words(text)
        if (
            len(block.rows) >= 2
            and len(single) in (columns, columns - 1)
            and len(single) >= 2
            and not _SENTENCE_END.search(text)
            and not blank
        ):
            return tuple(single)
        return None
    if _SENTENCE_END.search(text.rstrip()) and len(found) < columns and len(text.split()) > 4:
        return None
    if above:
        # A line over the names: groups, or the upper half of names of two lines.
        if len(found) == 1:
            indented = found[0].start > block.rows[0][1][0].end
            short = len(found[0].text.split()) <= 5 and not _SENTENCE_END.search(found[0].text)
            return tuple(found) if indented and short else None
        return tuple(found) if all(len(head.text.split()) <= 6 for head in found) else None
    if any(len(head.text.split()) > 7 for head in found):
        return None
    single = words(text)
    # Spreads in parentheses belong to the number before them, and so do their names.
    values = [head for head in found if not SPREAD.fullmatch(head.text)]
    if len(found) != columns and len(values) == columns:
        return tuple(values)
    if len(found) != columns and len(single) == columns:
        return tuple(single)
    if len(found) < columns - 1 and not (ruled or _aligned(found, block)):
        return None
    return tuple(found)


def _is_data(found: list[Head]) -> bool:
    """Whether a line holds values rather than names: a number with decimals or a unit."""
    for head in found:
        amount = quantity(head.text.strip("()"))
        if amount is not None and (
            amount.unit is not None and not amount.percent or amount.prefix or "." in amount.printed
        ):
            return True
    return False


def _bar_heads(text: str) -> list[Head]:
    start, stop = 0, len(text)
    stripped = text.strip(f" {TAB}")
    if stripped.startswith("|"):
        start = text.index("|") + 1
    if stripped.endswith("|"):
        stop = max(text.rindex("|"), start)
    out, at = [], start
    for piece in text[start:stop].split("|"):
        bare = piece.strip(f" {TAB}").strip("*`")
        out.append(
            Head(at, at + len(piece), "" if bare in ("/", "<", ">", "<r>", "<l>", "<c>") else bare.replace(TAB, " "))
        )
        at += len(piece) + 1
    return out


def _aligned(found: list[Head], block: Block) -> bool:
    """Whether every name stands over some cell of the first row."""
    cells = block.rows[0][1]
    return all(any(head.start <= cell.end + 2 and cell.start <= head.end + 2 for cell in cells) for head in found)


def _caption(lines: list[Line], place: int, floor: int) -> tuple[Line, ...]:
    out: list[Line] = []
    blank = 0
    while place >= floor and len(out) < 8:
        line = lines[place]
        if line.kind == "blank":
            blank += 1
            if out or blank > 2:
                break
        elif line.kind == "text":
            out.insert(0, line)
        elif line.kind != "rule":
            break
        place -= 1
    return tuple(out)


def caption_title(caption: tuple[Line, ...]) -> str:
    """The last sentence before a table, short enough for a name."""
    text = " ".join(line.text.replace(TAB, " ").strip() for line in caption)
    text = text.rstrip(" :.-=*#")
    sentence = re.split(r"(?<=[a-z)\]])[.!?] +(?=[A-Z0-9(\[])", text)[-1].lstrip("#*=- ")
    if len(sentence) > 100:
        sentence = sentence[:97].rsplit(" ", 1)[0] + "..."
    return " ".join(sentence.split())


def stated_unit(lines) -> tuple[int, str] | None:
    """Line and name of the one unit that some text states for its numbers ("in Gbps"), the last one named."""
    found = None
    for line in lines:
        bare = line.text.replace(TAB, " ")
        for match in _UNIT_WORDS.finditer(bare):
            # "1 Gbps" is a number with a unit, not a statement about a table.
            if re.search(r"\d[kKMG]?[ -]?$", bare[: match.start()]):
                continue
            if unit := unit_of(match[0]):
                found = (line.number, unit.name if not unit.per_instance else f"{unit.name} per {unit.per_instance}")
    return found


_UNIT_WORDS = re.compile(
    r"(?<![\w./])(?:[kKMGT]?pps|[KMG]PPS|[kKMGT]bps|[kKMGT]?bits?/s(?:ec(?:ond)?)?|[KMG]i?B/s(?:ec)?|[KMG]b/s(?:ec)?|"
    r"(?:[kKMG]|million )? ?[A-Za-z]{2,12}(?:/s(?:ec(?:ond)?)?| per (?:second|sec))|[KM]?IOPS|[kKM]?[Qq]PS|TPS|QPS|RPS|"
    r"(?:ns|us|cycles|nanoseconds) ?(?:/ ?| per )[a-z]{2,12}|nanoseconds|microseconds|milliseconds|(?<=\()(?:ns|us"
    r"|ms|s|sec|seconds|cycles|%)(?=\))|(?<=in )(?:ns|us|ms|seconds|usec|nsec|cycles))(?![\w/])"
)


def counting_head(text: str) -> bool:
    """Whether a name says what n counts."""
    return counts_what(text) is not None
