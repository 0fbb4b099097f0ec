"""What readers of tool outputs share: one row out of one printed number."""

import re

from mpps.readers.core.nouns import Part, Row
from mpps.readers.core.numbers import decimal_mark, plain
from mpps.readers.core.source import Source

_NUMBER = re.compile(r"[+-]?(?:\d[\d,.'_\u00a0\u2009\u202f]{0,40}|\.\d{1,30})(?:[eE][+-]?\d{1,3})?")


def number_row(
    source: Source,
    line: int,
    metric: str,
    text: str,
    unit: str,
    *,
    variant="measured",
    n=None,
    dataset=None,
    labels=(),
    repeat=None,
    stdev=None,
    lower=None,
    upper=None,
    decimal=".",
) -> Row:
    """A row of a number printed as `text`; raises `DataError` when it is none."""  # fmt: skip
    printed = digits(text, decimal)
    if printed is None:
        raise source.wrong(
            line, text, "a number", "correct the line, or name another format with --format", column=metric
        )
    return Row(
        dataset or source.stem, variant, None if n is None else float(n), metric, float(printed), unit, printed, source.file, line,
        lower, upper, stdev, repeat, tuple(labels),
    )  # fmt: skip


def digits(text: str, decimal: str = ".") -> str | None:
    """Digits of a number as tools print them, None when it is none."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    sign = text[0] if text[0] in "+-" else ""
    body, mark, exponent = text.lstrip("+-").replace("E", "e").partition("e")
    bare = plain(body, decimal)
    if bare is None:
        return None
    bare = f"0{bare}" if bare.startswith(".") else bare
    printed = f"{'-' if sign == '-' else ''}{bare}{mark}{exponent}"
    return printed if abs(float(printed)) < 1e300 else None


def decimal_of(texts) -> str:
    """What separates decimals in numbers that one tool printed in one locale."""
    return decimal_mark(texts)


def nothing(source: Source, what: str, example: str) -> Exception:
    """The error of a reader that the user forced and that finds nothing of its own."""
    line, text = next(((place, text) for place, text in enumerate(source.lines, 1) if text.strip()), (1, ""))
    return source.wrong(line, text.strip(), f"{what}, such as {example!r}", "check the file, or leave --format out")


def finished(source: Source, rows: list[Row], told: list[str], what: str, example: str, **further) -> Part:
    """The part of a reader; raises `DataError` when it found no row."""
    if not rows:
        raise nothing(source, what, example)
    return Part(tuple(rows), tuple(told), **further)
