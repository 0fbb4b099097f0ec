"""Strict reading of files: a value knows its file, line and key, so that a mistake can be named."""

import dataclasses
import math
import pathlib
from typing import Any

from mpps.errors import DataError, unknown_name
from mpps.root import root
from mpps.rounding import LARGEST, PRINTED_NUMBER


def shown(path) -> str:
    """A path as messages name it: relative to the project where it lies inside."""
    path = pathlib.Path(path)
    return str(path.relative_to(root())) if path.is_relative_to(root()) else str(path)


def read_bytes(path) -> bytes:
    """The bytes of a file; raises `DataError` when it cannot be read."""
    try:
        return pathlib.Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{shown(path)}: cannot be read ({reason}): expected a readable file; check the path") from None


def as_text(path, raw: bytes) -> str:
    """Bytes of a file as text; raises `DataError` that names the line where they are no UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DataError(
            f"{shown(path)}, line {line}: found the byte 0x{raw[error.start]:02x}, which is not UTF-8: "
            "expected UTF-8 text; save the file in that encoding"
        ) from None


def plain_number(text: str) -> float | None:
    """The number that a table prints as `text`, None when it is no plain number of at most `LARGEST`."""
    number = float(text) if PRINTED_NUMBER.fullmatch(text) else math.nan
    return number if number <= LARGEST else None


@dataclasses.dataclass(frozen=True)
class Node:
    """A value of a YAML file, not yet converted: every scalar is text, so 49.40 stays 49.40 and off stays off."""

    file: str
    key: str
    raw: Any  # a node of pyyaml's composed tree

    def wrong(self, expected: str, mend: str, found: str | None = None) -> DataError:
        """The error for this value; `found` replaces what the file says."""
        return DataError(f"{self._place()}: found {found or self._found()}: expected {expected}; {mend}")

    def fields(self, required, optional=()) -> dict[str, "Node"]:
        """Values of a mapping with fixed keys; raises `DataError` for one that is missing or unknown."""
        entries = self.entries()
        known = (*required, *optional)
        for name, value in entries.items():
            if name not in known:
                raise DataError(
                    f"{value._place()}: {unknown_name('key', name, known)}; "
                    "rename or remove it, and quote a text that holds a comma inside braces"
                )
        for name in required:
            if name not in entries:
                raise DataError(f"{self._place()}: missing key {name!r}: expected {', '.join(required)}; add {name!r}")
        return entries

    def entries(self) -> dict[str, "Node"]:
        """Values of a mapping with free keys."""
        if self.raw.id != "mapping":
            raise self.wrong("keys with values", "write one 'key: value' a line")
        entries = {}
        for key, value in self.raw.value:
            if key.id != "scalar" or not key.value.strip():
                raise self.wrong("keys that are words", "write 'key: value'", found="a key that is no word")
            if key.value in entries:
                raise Node(self.file, self._inner(key.value), key).wrong(
                    "every key once", "remove one", found="it twice"
                )
            entries[key.value] = Node(self.file, self._inner(key.value), value)
        return entries

    def items(self) -> list["Node"]:
        """Values of a list."""
        if self.raw.id != "sequence":
            raise self.wrong("a list", "write one '- item' a line, or [item, item]")
        return [Node(self.file, f"{self.key}[{place}]", item) for place, item in enumerate(self.raw.value)]

    def text(self) -> str:
        """A text that is not empty."""
        if self.raw.id != "scalar" or self.raw.value.strip() in ("", "~", "null"):
            raise self.wrong("a text", "write what the source says, or 'not stated'")
        return self.raw.value.strip()

    def number(self) -> float:
        """A plain number, zero or above."""
        number = plain_number(self.raw.value) if self.raw.id == "scalar" else None
        if number is None:
            raise self.wrong("a number", "write digits and a point, without separators or unit")
        return number

    def whole(self) -> int:
        """A whole number above zero."""
        number = self.number()
        if number < 1 or number != int(number):
            raise self.wrong("a whole number above zero", "write 1, 2, 3, ...")
        return int(number)

    def choice(self, kind: str, known) -> str:
        """A text that is among `known`."""
        text = self.text()
        if text not in known:
            raise DataError(f"{self._place()}: {unknown_name(kind, text, known)}")
        return text

    def _inner(self, name: str) -> str:
        return f"{self.key}.{name}" if self.key else name

    def _place(self) -> str:
        line = f"{self.file}, line {self.raw.start_mark.line + 1}"
        return f"{line}, key {self.key!r}" if self.key else line

    def _found(self) -> str:
        if self.raw.id != "scalar":
            return {"mapping": "keys with values", "sequence": "a list"}[self.raw.id]
        return repr(self.raw.value) if self.raw.value else "nothing"


def read_yaml(path) -> Node:
    """The top of a YAML file; raises `DataError` when it cannot be read or parsed, or holds nothing."""
    import yaml

    file, text = shown(path), as_text(path, read_bytes(path))
    try:
        top = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "damaged"
        raise DataError(
            f"{file}{line}: found no valid YAML ({problem}): expected 'key: value' lines; "
            "put texts with a colon, '#' or brackets in quotes"
        ) from None
    except RecursionError:
        raise DataError(f"{file}: found brackets nested too deeply: expected a card; restore the file") from None
    if top is None:
        raise DataError(f"{file}: found an empty file: expected 'key: value' lines; restore the file")
    return Node(file, "", top)
