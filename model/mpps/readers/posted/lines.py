"""Lines of a message: quote marks off, and each told apart: headers of a mail, a patch, rules, rows, prose."""

import re
from dataclasses import dataclass

from mpps.readers.core.source import Source

#: Longest line that can be a row of a table; a longer one is text.
LONGEST_ROW = 1000

#: Lines of a file that are searched for posted tables: a message or a log of results, not a trace.
MOST_LINES = 20_000

#: A column that a tab jumps to is marked by this, so that one tab still parts two cells.
TAB = "\x1f"

_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_QUOTE = re.compile(r"(?:> ?){1,20}")
_BOX = str.maketrans(
    {chr(code): "+" for code in range(0x2500, 0x2580)} | dict.fromkeys("│┃║╎┆", "|") | dict.fromkeys("─━═╌┄", "-")
)
_MAIL = re.compile(r"(?:[A-Z][A-Za-z]{0,20}(?:-[A-Za-z]{1,20}){0,5}:(?: |$)|From \S+@\S+ )")
_PATCH_START = re.compile(r"diff --git |--- a/|\+\+\+ b/|@@ -\d|Index: ")
_PATCH_AGAIN = re.compile(r"[+\-](?:[\t\x1f]|[#{}/*]|$| {2,}\S.*[;{}(),]$)")
_PATCH_LINE = re.compile(r"[ +\-@\\]|diff |index |new file|deleted file|old mode|new mode|similarity|rename |Binary|$")
_RULE = re.compile(r"[\s\-=+|:_~*#.]{3,}|\|[-+:| ]+\|?")
_BULLET = re.compile(r"([ \x1f]{0,12})[*•+\-]( {1,3})(?=[A-Za-z0-9#])")
_BAR = re.compile(r"[\s|]{0,40}\|[\s|]{0,40}")
_DOTS = re.compile(r"[\s|]*(?:\[?\s?(?:\.\.\.+|…|\.\. ?\.\.)\s?\]?|<?snip>?|\[snip\]|\[\.\.\]|:)[\s|]*")
_STAT = re.compile(r" \S.{0,200}\| +(?:\d+ [+-]*|Bin .*)$|\s*\d+ files? changed|\s*(?:create|delete) mode \d+")
_SIGNED = re.compile(
    r"\s*(?:[A-Z][a-z]+-){1,3}(?:[Bb]y|[Tt]o):|\s*(?:Fixes|Link|Closes|Cc|Message-I[dD]):|\[\d+\] ?:? ?(?:https?"
    r"|Commit)|On .{6,80} wrote:|https?://"
)


@dataclass(frozen=True)
class Line:
    """A line of a message: its number, its text without quote marks, and its kind.

    Kinds: blank, mail (header of a mail), patch, rule, dots, text.
    """

    number: int
    text: str
    kind: str


def lines_of(source: Source) -> list[Line]:
    """All lines with their kinds."""
    out: list[Line] = []
    zone = "mail" if _starts_mail(source) else ""
    for number, raw in enumerate(source.lines[:MOST_LINES], 1):
        if len(raw) > LONGEST_ROW:
            out.append(Line(number, raw.strip(), "text"))
            zone = "" if zone == "mail" and number > 1 else zone
            continue
        text = _bare(raw)
        kind, zone = _kind(_unbulleted(raw, text, zone), raw, zone)
        out.append(Line(number, text, kind))
    return out


def _bare(raw: str) -> str:
    text = _ANSI.sub("", raw) if "\x1b" in raw else raw
    if ">" in text[:4]:
        text = _QUOTE.sub("", text, count=1) if _QUOTE.match(text) else text
    if not text.isascii():
        text = text.replace("\u00a0", " ").translate(_BOX)
    if "\t" in text:
        text = _expanded(text)
    text = text.rstrip(" \x1f\r\x0c")
    if (match := _BULLET.match(text)) and "|" not in text:
        text = f"{match[1]} {match[2]}{text[match.end() :]}"
    return text


def _unbulleted(raw: str, text: str, zone: str) -> str:
    """Inside a patch the first sign is no bullet."""
    return raw.replace("\t", TAB) if zone in ("patch", "patched") and raw[:1] in "+-" else text


def _expanded(text: str) -> str:
    out = []
    at = 0
    for char in text:
        if char == "\t":
            width = 8 - at % 8
            out.append(TAB * width)
            at += width
        else:
            out.append(char)
            at += 1
    return "".join(out)


def _starts_mail(source: Source) -> bool:
    head = [line for line in source.lines[:6] if line.strip()]
    named = sum(_MAIL.match(line) is not None for line in head)
    return len(head) >= 3 and _MAIL.match(head[0]) is not None and named >= 2 and len(head[0]) < LONGEST_ROW


def _kind(text: str, raw: str, zone: str) -> tuple[str, str]:
    blank = not text.strip(" \x1f")
    if zone == "mail":
        if blank:
            return "blank", ""
        if _MAIL.match(text) or raw[:1] in " \t":
            return "mail", zone
        zone = ""
    if _PATCH_START.match(text):
        return "patch", "patch"
    if zone == "patched" and _PATCH_AGAIN.match(text):
        # A reply between the lines of a quoted patch ended, and the patch goes on.
        return "patch", "patch"
    if zone == "patch":
        if _PATCH_LINE.match(text):
            return "patch", zone
        zone = "patched"
        if re.fullmatch(r"\d+\.\d+[\w.\-]*", text):
            return "patch", zone
    if blank:
        return "blank", zone
    if _BAR.fullmatch(text):
        return "rule", zone
    if _STAT.match(text) or _SIGNED.match(text):
        return "aside", zone
    if _DOTS.fullmatch(text):
        return "dots", zone
    if len(text.strip()) >= 3 and _RULE.fullmatch(text):
        return "rule", zone
    return "text", zone
