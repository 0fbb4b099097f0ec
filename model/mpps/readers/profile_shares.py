"""Shares of a profile: perf report and perf top, `12.34%  command  object  [k] symbol`.

Source of the format: `man perf-report`: columns Overhead [Children Self] Command Shared Object Symbol; call graphs below
a row are not rows.
"""

import re
from dataclasses import replace

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import decimal_of, digits, finished, number_row

_ROW = re.compile(
    r"\s{0,16}[+\-]?\s{0,12}(\d{1,3}[.,]\d{1,4})%(?:\s{1,6}(\d{1,3}[.,]\d{1,4})%)?"
    r"(?:\s{1,12}(\d{1,15}))?\s{1,12}(\S.{0,240}?)\s{0,60}(?:-\s{1,4}-)?\s{0,4}"
)
_SYMBOL = re.compile(r"(?:(.{0,120}?)\s{1,40})?\[([k.guH!])\]\s{1,4}(\S.{0,160})")
_HEAD = re.compile(r"#?\s{0,8}(?:Overhead|Children)\b")
_EVENT = re.compile(r"#?\s{0,3}Samples:\s.{0,40}(?:of|event) .{0,8}'?([\w:\-/,=.]{1,60})")
_GRAPH = re.compile(r"[\s|]{0,120}(?:-{1,2}|\|)")


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    rows = head = 0
    first = 0
    for line, text in enumerate(source.lines[:5000], 1):
        text = text[:400]
        head += _HEAD.match(text) is not None or _EVENT.match(text) is not None
        if (match := _ROW.fullmatch(text)) and _SYMBOL.fullmatch(match[4]):
            rows += 1
            first = first or line
    if rows and (head or rows >= 2):
        return Claim(86, f"line {first} is a row of a profile with shares and symbols")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    found, names, event = [], [], ""
    for line, text in enumerate(source.lines, 1):
        text = text[:400]
        if match := _EVENT.match(text):
            event = match[1]
        if _HEAD.match(text):
            names = [name.lower() for name in re.findall(r"Children|Self|Overhead", text)]
        elif match := _ROW.fullmatch(text):
            found.append((line, match, event, names))
    decimal = decimal_of([match[1] for _, match, _, _ in found])
    rows, seen = [], {}
    for line, match, event, names in found:
        symbol = _SYMBOL.fullmatch(match[4])
        name = symbol[3].strip() if symbol else match[4].strip()
        where = tuple(
            (key, value)
            for key, value in (("object", " ".join((symbol[1] or "").split()) if symbol else ""), ("event", event))
            if value
        )
        shares = [match[1], match[2]] if match[2] else [match[1]]
        heads = names if len(names) == len(shares) else ["share", "self"][: len(shares)]
        for head, share in zip(heads, shares, strict=True):
            metric = "share" if head in ("overhead", "share") else f"share, {head}"
            if digits(share, decimal) is None:
                continue
            key = (name, metric, where)
            seen[key] = seen.get(key, 0) + 1
            row = number_row(source, line, metric, share, "percent", variant=name, labels=where, decimal=decimal)
            rows.append(replace(row, repeat=seen[key]) if seen[key] > 1 else row)
    return finished(
        source,
        rows,
        ["shares of samples in percent"],
        "a profile of perf report",
        "12.34%  iperf3  [kernel.kallsyms]  [k] copy_user_generic",
    )


READER = Reader("profile", "perf report and perf top: shares of symbols", claim, read)
