"""Values that stand in sentences and labelled lines: `GRO on: 770 Mbit/s, CPU 40% idle`, `from 700k to 867k packets/s`."""

import re
from dataclasses import dataclass

from mpps.errors import DataError
from mpps.readers.core.counts import counted, counts_what, numbers_in_text
from mpps.readers.core.metrics import by_unit
from mpps.readers.core.nouns import Check, Ignored, Options, Part, Row
from mpps.readers.core.numbers import Quantity, leading, prefixed_value
from mpps.readers.core.source import Source
from mpps.readers.core.units import unit_of
from mpps.readers.posted.lines import LONGEST_ROW, TAB, Line
from mpps.rounding import change_agrees

_LABEL = re.compile(r"[\s*\-+•]{0,12}([^:=]{1,60}?)\s{0,20}(?::|==?>?|->| - )\s+(?=\S)")
_START = re.compile(r"(?<![\w.,/\-@#])[~≈]?\d")
_JOIN = re.compile(r"^(?:\s*(?:up |down )?(?:to|->|=>|→|vs\.?|versus|instead of)\s+)$")
_FROM = re.compile(r"\b(?:from|of)\s+(?:about |around |roughly |~)?$", re.IGNORECASE)
_TO = re.compile(
    r"^\s*(?:[A-Za-z./]{0,20} )?(?:\([^()]{0,40}\)\s*)?(?:,? ?(?:up |down )?to|->|=>|→)\s+(?:about |around "
    r"|roughly |~)?$",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:by|a|an)\s+(about |around |roughly |~|up to |almost |nearly |over )?$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z][\w\-/.]*")

#: Longest paragraph that is searched for sentences, in characters.
_LONGEST = 4000
_LONGEST_LINE = 40_000


@dataclass(frozen=True)
class _Value:
    """A number in a text: its place, and the quantity."""

    start: int
    end: int
    amount: Quantity


def read_sentences(source: Source, lines: list[Line], decimal: str, options: Options) -> Part | None:
    """Rows of labelled lines, else of sentences; None when there are none."""
    return _labelled(source, lines, decimal, options) or _changes(source, lines, decimal, options)


def stated_count(lines: list[Line]) -> tuple[int, int, str] | None:
    """The one count that a text states ("2-core", "single-stream"): n, line, words. None when none or several."""
    texts = [line.text if line.kind in ("text", "aside") and len(line.text) <= LONGEST_ROW else "" for line in lines]
    found = numbers_in_text(texts)
    if len(found) != 1:
        return None
    n, (place, words) = next(iter(found.items()))
    return n, lines[place - 1].number, words


def _labelled(source: Source, lines: list[Line], decimal: str, options: Options) -> Part | None:
    """Lines `label: value unit, words value unit` that follow one another and carry the same units."""
    runs: list[list[tuple[Line, str, list[tuple[str, Quantity]]]]] = []
    open_run = False
    for line in lines:
        parsed = _label_line(line, decimal) if line.kind == "text" else None
        if parsed is None:
            open_run = open_run and line.kind in ("blank", "rule", "dots")
            continue
        shape = [item.unit.name if item.unit else item.prefix for _, item in parsed[1]]
        if open_run and shape == [item.unit.name if item.unit else item.prefix for _, item in runs[-1][-1][2]]:
            runs[-1].append((line, *parsed))
        else:
            runs.append([(line, *parsed)])
        open_run = True
    runs = [
        run
        for run in runs
        if len(run) >= 2 and any(item.unit or item.prefix for _, _, items in run for _, item in items)
    ]
    if not runs:
        return None
    count = stated_count(lines)
    rows, told, ignored = [], [], []
    for run in runs:
        for line, label, items in run:
            n = counted(label)
            for words, amount in items:
                value, printed, unit = _value(amount, options)
                rows.append(
                    Row(
                        dataset=source.stem, variant="measured" if n is not None else label,
                        n=float(n[0]) if n is not None else (float(count[0]) if count else None),
                        metric=_metric(words, unit), value=value, unit=unit, printed=printed, file=source.file, line=line.number,
                    )
                )  # fmt: skip
        told.append(f"lines {run[0][0].number} to {run[-1][0].number}: one variant a line, before the colon")
    if count and any(counted(label) is None for run in runs for _, label, _ in run):
        told.append(
            f"n = {count[0]} from line {count[1]}: {count[2]!r}, the one count that the text states; --n-from name "
            f"overrides it"
        )
    return Part(tuple(rows), tuple(told), ignored=tuple(ignored))


def _label_line(line: Line, decimal: str) -> tuple[str, list[tuple[str, Quantity]]] | None:
    text = line.text.replace(TAB, " ")
    if len(text) > LONGEST_ROW:
        return None
    match = _LABEL.match(text)
    if match is None or len(match[1].split()) > 7:
        return None
    rest = text[match.end() :]
    values = _values(rest, decimal)
    if not values:
        return None
    items, at = [], 0
    for place, value in enumerate(values):
        stop = values[place + 1].start if place + 1 < len(values) else len(rest)
        after = rest[value.end : stop]
        cut = min((after.index(mark) for mark in ",;|(" if mark in after), default=len(after))
        words = " ".join(_WORD.findall(rest[at : value.start]) + _WORD.findall(after[:cut]))
        items.append((words, value.amount))
        at = value.end + cut
    # A line whose words outweigh its numbers is a sentence.
    if (
        len(_WORD.findall(rest)) > 5 * len(values)
        or rest.rstrip().endswith(".")
        and len(_WORD.findall(rest)) > 4 * len(values)
    ):
        return None
    return match[1].strip(" *-"), items


def _values(text: str, decimal: str) -> list[_Value]:
    found: list[_Value] = []
    at = 0
    while match := _START.search(text, at):
        amount = leading(text[match.start() : match.start() + 80], decimal)
        if amount is None:
            at = match.end()
            continue
        end = match.start() + amount.end
        if end < len(text) and (text[end].isalnum() or text[end] in "-_/") and text[end - 1].isdigit():
            at = end + 1
            continue
        found.append(_Value(match.start(), end, amount))
        at = max(end, match.end())
    return found


def _value(amount: Quantity, options: Options) -> tuple[float, str, str]:
    unit = amount.unit.name if amount.unit is not None else options.unit or ""
    return prefixed_value(amount, unit)


def _metric(words: str, unit: str) -> str:
    known = unit_of(unit) if unit else None
    if known is not None and known.name == "percent":
        named = words.lower().split()
        for word in ("idle", "busy", "usage", "util", "loss", "cpu"):
            if word in named:
                return word
        return words or "share"
    return by_unit(known)


def _changes(source: Source, lines: list[Line], decimal: str, options: Options) -> Part | None:
    """Pairs `from A to B` and `A -> B` in sentences, with `by 23%` as a check."""
    rows, told, checks, warnings = [], [], [], []
    count = stated_count(lines)
    pairs = 0
    for paragraph in _paragraphs(lines):
        text, starts = _joined(paragraph)
        values = _values(text, decimal)
        for place in range(len(values) - 1):
            first, last = values[place], values[place + 1]
            between = text[first.end : last.start]
            if not _TO.match(between) or first.amount.percent != last.amount.percent:
                continue
            leads = _FROM.search(text[: first.start]) is not None
            if not leads and not re.search(r"->|=>|→", between):
                continue
            unit = last.amount.unit or first.amount.unit
            if unit is None and options.unit is None or counts_what(_next_word(text, last.end)) and unit is None:
                continue
            pairs += 1
            name = f" ({pairs})" if pairs > 1 else ""
            for which, value in (("before", first), ("after", last)):
                amount = (
                    value.amount if value.amount.unit is not None or unit is None else _with_unit(value.amount, unit)
                )
                number, printed, unit_name = _value(amount, options)
                line = _line_at(starts, value.start)
                rows.append(
                    Row(
                        f"{source.stem}{name}",
                        which,
                        float(count[0]) if count else None,
                        _metric("", unit_name),
                        number,
                        unit_name,
                        printed,
                        source.file,
                        line,
                    )
                )
            told.append(
                f"line {rows[-1].line}: a sentence, from {rows[-2].printed} to {rows[-1].printed} {rows[-1].unit}"
            )
            check = _printed_change(source, text, starts, values, (first, last), rows)
            if check is not None:
                checks.append(check)
                if not check.agrees:
                    warnings.append(
                        f"{source.file}, line {check.line}: found the printed change {check.printed} from "
                        f"{check.before} to {check.after}: "
                        f"expected {100 * (float(check.after) / float(check.before) - 1):+.1f}%; the values are "
                        f"kept as printed"
                    )
    if not rows:
        return None
    if count:
        told.append(
            f"n = {count[0]} from line {count[1]}: {count[2]!r}, the one count that the text states; --n-from name "
            f"overrides it"
        )
    return Part(tuple(rows), tuple(told), tuple(warnings), checks=tuple(checks))


def _with_unit(amount: Quantity, unit) -> Quantity:
    from dataclasses import replace

    return replace(amount, unit=unit)


def _printed_change(source, text, starts, values, pair, rows) -> Check | None:
    """The percentage that the sentence of a pair prints: `by about 23%`."""
    begin = max(text.rfind(". ", 0, pair[0].start), 0)
    end = text.find(". ", pair[1].end)
    end = len(text) if end < 0 else end
    before, after = rows[-2].printed, rows[-1].printed
    for value in values:
        if not value.amount.percent or not begin <= value.start < end:
            continue
        lead = _BY.search(text[: value.start])
        if lead is None and not value.amount.sign:
            continue
        about = "about " if lead is not None and lead[1] else ""
        falls = float(after) < float(before)
        sign = value.amount.sign if value.amount.sign in ("+", "-") else "-" if falls else ""
        printed = f"{about}{sign}{value.amount.printed.lstrip('-')}%"
        try:
            agrees = change_agrees(printed, before, after)
        except DataError:
            return None
        return Check(source.file, _line_at(starts, value.start), printed, before, after, ("before", "after"), agrees)
    return None


def _next_word(text: str, at: int) -> str:
    match = _WORD.match(text[at:].lstrip())
    return match[0] if match else ""


def _paragraphs(lines: list[Line]):
    """Runs of prose lines; an overlong line is a run of its own."""
    run: list[Line] = []
    for line in lines:
        if line.kind == "text":
            run.append(line)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _joined(paragraph: list[Line]) -> tuple[str, list[tuple[int, int]]]:
    """The text of a paragraph, and where each of its lines starts in it."""
    text, starts = "", []
    for line in paragraph:
        starts.append((len(text), line.number))
        text += line.text[:_LONGEST_LINE].replace(TAB, " ").strip() + " "
        if len(text) > _LONGEST and len(paragraph) > 1:
            break
    return text, starts


def _line_at(starts: list[tuple[int, int]], at: int) -> int:
    return next(number for start, number in reversed(starts) if start <= at)


__all__ = ["Ignored", "read_sentences", "stated_count"]
