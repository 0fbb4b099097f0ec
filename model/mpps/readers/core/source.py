"""The text of a file to read: decoded, bounded, cut into lines."""

import hashlib
import pathlib
import quopri
import re
import sys
from dataclasses import dataclass, field
from functools import cached_property

from mpps.errors import DataError
from mpps.measurements.nodes import read_bytes, shown

#: Largest file that is taken, and most lines: a benchmark log, not a trace.
LARGEST_BYTES = 32_000_000
MOST_LINES = 200_000

_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
#: A header of a mail, or lines that only such a mail has: a blank written as =20, a line broken by a lone =.
_PRINTABLE_HEAD = re.compile(r"^Content-Transfer-Encoding:[ \t]{0,3}quoted-printable", re.IGNORECASE | re.MULTILINE)

_QUOTE = re.compile(r"(?:> ?){1,20}")
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\f\x1b\x08")


@dataclass(frozen=True, eq=False)
class Source:
    """One file: its name as messages show it, its stem, raw bytes, text, and what was odd about the text."""

    file: str
    stem: str
    suffix: str
    raw: bytes = field(repr=False)
    text: str = field(repr=False)  # '' for Parquet
    warnings: tuple[str, ...] = ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Lines without their ends; a carriage return alone redraws a line and ends one too."""
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        # The marks of a quoted mail: two lines of them are no comparison.
        if sum(line[:2] in (">", "> ", ">>", ">\t") for line in lines[:20_000]) > 1:
            lines = [_QUOTE.sub("", line, count=1) if line[:1] == ">" else line for line in lines]
        return tuple(lines)

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()

    def wrong(self, line: int, found: str, expected: str, mend: str, column: str | None = None) -> DataError:
        """The error for something on a line."""
        place = f"{self.file}, line {line}" + (f", column {column!r}" if column is not None else "")
        return DataError(f"{place}: found {shortened(found)}: expected {expected}; {mend}")


def open_source(path) -> Source:
    """Read a file, or standard input for `-`. Raises `DataError` when it is too large, empty, or no text."""
    if str(path) == "-":
        return make_source("standard input", "stdin", "", sys.stdin.buffer.read(LARGEST_BYTES + 1))
    name = pathlib.Path(path)
    try:
        size = name.stat().st_size
    except (OSError, ValueError):
        size = 0
    if size > LARGEST_BYTES:
        raise _too_large(shown(path), size)
    return make_source(shown(path), name.stem, name.suffix.lower(), read_bytes(path))


def make_source(file: str, stem: str, suffix: str, raw: bytes) -> Source:
    """A source of bytes in memory; raises `DataError` as `open_source`."""
    if len(raw) > LARGEST_BYTES:
        raise _too_large(file, len(raw))
    if not raw.strip():
        raise DataError(f"{file}, line 1: found an empty file: expected a table, a log or a profile; check the path")
    if raw[:4] == b"PAR1":
        return Source(file, stem, suffix, raw, "")
    text, warnings = _decoded(file, raw)
    if _is_printable(text):
        text = _printable(text)
    if text.count("\n") + text.count("\r") > 2 * MOST_LINES or text.count("\n") > MOST_LINES:
        raise DataError(
            f"{file}: found {text.count(chr(10)):,} lines: expected at most {MOST_LINES:,}; "
            "cut out the part with the results"
        )
    return Source(file, stem, suffix, raw, text, warnings)


def shortened(text: str, most: int = 90) -> str:
    """A text quoted for a message, cut where it is long."""
    text = text if len(text) <= most else text[: most - 3] + "..."
    return repr(text)


def _too_large(file: str, size: int) -> DataError:
    return DataError(
        f"{file}: found {size / 1e6:,.0f} MB: expected at most {LARGEST_BYTES / 1e6:,.0f} MB; "
        "cut out the part with the results"
    )


def _decoded(file: str, raw: bytes) -> tuple[str, tuple[str, ...]]:
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            try:
                return raw.decode(encoding), ()
            except UnicodeDecodeError:
                raise DataError(
                    f"{file}, line 1: found a byte-order mark of {encoding} and bytes that are none: "
                    "expected text; save the file as UTF-8"
                ) from None
    _refuse_binary(file, raw)
    try:
        return raw.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        # Old mails are in Latin-1, in which every byte is a letter; the digits are the same.
        return raw.decode("latin-1"), (
            f"{file}, line {line}: found the byte 0x{raw[error.start]:02x}, which is not UTF-8: read as Latin-1; "
            "save the file as UTF-8 if names look wrong",
        )


def _is_printable(text: str) -> bool:
    """Whether a text is a mail whose letters are written as =C2=B1."""
    if "=" not in text[:200_000]:
        return False
    head = text[:200_000].split("\n", 2000)[:2000]
    marked = sum(
        line.endswith(("=20", "=20\r", "=3D")) or re.search(r"=[89A-F][0-9A-F]=[89AB][0-9A-F]", line[:1000]) is not None
        for line in head
    )
    broken = sum(line.rstrip("\r").endswith("=") and 60 <= len(line) <= 90 for line in head)
    return (
        _PRINTABLE_HEAD.search(text[:200_000]) is not None
        and marked + broken > 0
        or marked > 0
        and broken > 0
        or marked > 3
    )


def _printable(text: str) -> str:
    """A quoted-printable mail decoded; a line broken softly is whole again on its first, so that numbers of lines stay."""
    out, open_line = [], -1
    for raw in text.replace("\r\n", "\n").split("\n"):
        soft = raw.endswith("=")
        line = raw[:-1] if soft else raw
        if "=" in line:
            line = quopri.decodestring(line.encode("utf-8", "replace")).decode("utf-8", "replace")
        if open_line >= 0:
            out[open_line] += line
            out.append("")
        else:
            out.append(line)
        open_line = (open_line if open_line >= 0 else len(out) - 1) if soft else -1
    return "\n".join(out)


def _refuse_binary(file: str, raw: bytes) -> None:
    head = raw[:65536]
    odd = next((place for place, byte in enumerate(head) if byte in _CONTROL), None)
    if odd is None:
        return
    nulls = raw.count(b"\0")
    if nulls or sum(byte in _CONTROL for byte in head) > len(head) / 50:
        raise DataError(
            f"{file}, line {head[:odd].count(10) + 1}: found the byte 0x{head[odd]:02x}, so this is no text: "
            f"expected text, "
            "JSON or Parquet; for perf.data run `perf lock contention -i` or `perf report --stdio` and read what "
            "it prints"
        )
