"""Lines of named values: logs such as `TC: 12, spinlock: [], total time: 7323.76`, and lists `Requests per second: 1234`."""

import re

from mpps.readers.core.counts import counts_what
from mpps.readers.core.metrics import by_unit
from mpps.readers.core.nouns import Claim, Options, Part, Reader, Row
from mpps.readers.core.numbers import decimal_mark, leading, prefixed_value, quantity
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished
from mpps.readers.core.units import unit_of

_PAIR = re.compile(
    r"([A-Za-z_#%][\w\-/.()%#]{0,40}(?: [\w\-/.()%#]{1,30}){0,4}?)\s{0,12}[:=]\s{0,24}(\[[^\[\]]{0,80}\]"
    r"|\"[^\"]{0,80}\"|'[^']{0,80}'|[^,;\s]{1,60}(?: (?:[kMGT]?[A-Za-z%]{1,12}(?:/[a-z]{1,10})?"
    r"|\[[A-Za-z%/]{1,12}\]))?)(?=\s{0,8}(?:[,;]|$)|\s)"
)
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_LEAD = re.compile(r"(?:\[\s{0,12}\d[\d.]{0,16}\]\s{0,4}|[+*>\-]\s{1,3}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S{0,16}\s{1,3})")

#: Longest line that is searched.
_LONGEST = 500


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    table, lone = _read(source)
    if table:
        line, pairs = table[0]
        names = [name for name, _ in pairs]
        if any(counts_what(name) for name in names):
            return Claim(56, f"line {line} names its values, a count among them: {', '.join(names)}")
        return Claim(28, f"line {line} names its values: {', '.join(names)}")
    return Claim(15, f"line {lone[0][0]} is a named value: {lone[0][1][0][0]!r}") if len(lone) >= 2 else None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    table, lone = _read(source)
    texts = [text for _, pairs in (*table, *lone) for _, text in pairs]
    decimal = decimal_mark(re.findall(r"\d[\d.,]{0,30}\d", " ".join(texts)))
    rows: list[Row] = []
    told = []
    if table:
        for line, pairs in table:
            rows += _rows(source, line, pairs, decimal, options)
        told.append("one set of named values a line; a name that counts is n, words are the variant")
    else:
        rows = [row for line, pairs in lone for row in _rows(source, line, pairs, decimal, options)]
        told.append("one named value a line")
    return finished(source, rows, told, "lines of named values", "threads: 8, throughput: 7323.76")


def _read(source: Source):
    """Lines of several pairs whose names repeat, and lines of one pair."""
    several: dict[tuple[str, ...], list] = {}
    lone = []
    for line, text in enumerate(source.lines[:20_000], 1):
        if len(text) > _LONGEST or not any(char.isdigit() for char in text) or text[:1] in "|{":
            continue
        pairs = _pairs(text)
        if len(pairs) >= 2:
            several.setdefault(tuple(name for name, _ in pairs), []).append((line, pairs))
        elif len(pairs) == 1 and quantity_of(pairs[0][1]) is not None:
            lone.append((line, pairs))
    groups = [
        group for group in several.values() if len(group) >= 2 and any(quantity_of(text) for _, text in group[0][1])
    ]
    table = sorted((item for group in groups for item in group), key=lambda item: item[0])
    return table, lone


def _pairs(text: str) -> list[tuple[str, str]]:
    bare = text.strip()
    if match := _LEAD.match(bare):
        bare = bare[match.end() :]
    pairs, at = [], 0
    while match := _PAIR.search(bare, at):
        if _CLOCK.match(bare, max(match.start(2) - 3, 0)):
            at = match.end()
            continue
        pairs.append((" ".join(match[1].split()), match[2].strip("\"'")))
        at = match.end()
        while at < len(bare) and bare[at] in " ,;|\t":
            at += 1
    # What is left over must be little, or the line is a sentence with a colon.
    left = len(re.sub(r"[\s,;:=]", "", bare)) - sum(len(re.sub(r"[\s:=]", "", name + value)) for name, value in pairs)
    return pairs if left <= max(12, len(bare) // 4) else []


def quantity_of(text: str):
    return quantity(text) or quantity(text, ",")


def _rows(source: Source, line: int, pairs, decimal: str, options: Options) -> list[Row]:
    n, words, values, labels = None, [], [], []
    for name, text in pairs:
        amount = quantity(text, decimal)
        chosen = options.n is not None and options.n.lower() == name.lower()
        if amount is not None and (
            chosen
            or options.n is None
            and n is None
            and counts_what(name)
            and amount.unit is None
            and amount.value == int(amount.value)
        ):
            n = amount.value
        elif amount is not None:
            values.append((name, amount))
        elif leading(text, decimal) is not None and not text[:1].isalpha():
            labels.append((name, text))
        else:
            words.append(
                name
                if text in ("[]", "")
                else f"{text}"
                if len(pairs) > 2
                and name.lower() in ("variant", "test", "name", "kernel", "lock", "mode", "case", "type")
                else f"{name} {text}"
            )
    out = []
    for name, amount in values:
        unit = amount.unit.name if amount.unit is not None else ""
        heading = unit_of(name)
        unit = unit or (heading.name if heading else "") or options.unit or ""
        value, printed, unit = prefixed_value(amount, unit)
        metric = by_unit(heading) if heading is not None else name
        out.append(
            Row(
                source.stem,
                ", ".join(words) or "measured",
                n,
                metric,
                value,
                unit,
                printed,
                source.file,
                line,
                labels=tuple(labels),
            )
        )
    return out


READER = Reader("pairs", "lines of named values: threads: 8, total time: 7323.76", claim, read)
