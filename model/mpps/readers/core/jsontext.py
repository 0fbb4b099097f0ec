"""JSON whose values keep their line and their digits, so that a row can say where it stood; several documents a file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mpps.readers.core.source import Source

_TOKEN = re.compile(
    r'[ \t\r\n]*([{}\[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity)'
)

#: Deepest nesting taken.
_DEEPEST = 100


@dataclass(frozen=True)
class Scalar:
    """A number, text, truth value or null: as printed (texts without quotes), its kind, its line."""

    text: str
    kind: str  # number, text, word
    line: int


class Fields(dict):
    """An object: names to values; `line` is where it opens."""

    line = 0


class Items(list):
    """An array; `line` is where it opens."""

    line = 0


def looks_like_json(source: Source) -> bool:
    """Whether the text begins as an object or array does."""
    head = source.text.lstrip("\ufeff \t\r\n")[:200]
    return re.match(r'\{\s*["}]|\[\s*(?:[\[{"\]]|-?\d[\d.eE+\-]*\s*[,\]]\s*(?:-?\d|$))', head) is not None


def documents(source: Source) -> list:
    """All JSON documents of a file. Raises `DataError` with line for text that is none, such as a truncated file."""
    tokens = _tokens(source)
    found = []
    for token, line in tokens:
        if token == "," and found:
            continue
        found.append(_value(source, token, line, tokens, 0))
    return found


def get(node, *path):
    """The value under names, None where one is missing."""
    for name in path:
        if isinstance(node, Fields):
            node = node.get(name)
        elif isinstance(node, Items) and isinstance(name, int) and name < len(node):
            node = node[name]
        else:
            return None
    return node


def walk(node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Scalar]]:
    """Every scalar with its path."""
    if isinstance(node, Scalar):
        yield path, node
    elif isinstance(node, Fields):
        for name, value in node.items():
            yield from walk(value, (*path, name))
    elif isinstance(node, Items):
        for place, value in enumerate(node):
            yield from walk(value, (*path, str(place)))


def _tokens(source: Source) -> Iterator[tuple[str, int]]:
    text, at, line = source.text.lstrip("\ufeff"), 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            rest = text[at:].lstrip(" \t\r\n")
            if not rest:
                return
            line += text.count("\n", at, len(text) - len(rest))
            raise source.wrong(
                line, rest.partition("\n")[0], "JSON: a quoted name, a number, a bracket or a comma",
                "correct the line, or cut the file to the JSON document",
            )  # fmt: skip
        line += text.count("\n", at, match.start(1))
        yield match[1], line
        at = match.end()


def _value(source: Source, token: str, line: int, tokens, depth: int):
    if depth > _DEEPEST:
        raise source.wrong(line, token, f"at most {_DEEPEST} brackets in one another", "restore the file")
    if token == "{":
        return _fields(source, line, tokens, depth)
    if token == "[":
        return _items(source, line, tokens, depth)
    if token[0] == '"':
        return Scalar(_unquoted(token), "text", line)
    if token[0] in "-0123456789" and token != "-Infinity":
        return Scalar(token, "number", line)
    if token in ("true", "false", "null", "NaN", "Infinity", "-Infinity"):
        return Scalar(token, "word", line)
    raise source.wrong(line, token, "a value", "correct the JSON: a bracket or comma is misplaced")


def _fields(source: Source, line: int, tokens, depth: int) -> Fields:
    out = Fields()
    out.line = line
    token, at = _next(source, tokens, line)
    while token != "}":
        if token[0] != '"':
            raise source.wrong(at, token, "a name in quotes, or '}'", "correct the JSON")
        name = _unquoted(token)
        token, at = _next(source, tokens, line)
        if token != ":":
            raise source.wrong(at, token, f"':' behind the name {name!r}", "correct the JSON")
        token, at = _next(source, tokens, line)
        out[name] = _value(source, token, at, tokens, depth + 1)
        token, at = _next(source, tokens, line)
        if token == ",":
            token, at = _next(source, tokens, line)
        elif token != "}":
            raise source.wrong(at, token, "',' or '}'", "correct the JSON")
    return out


def _items(source: Source, line: int, tokens, depth: int) -> Items:
    out = Items()
    out.line = line
    token, at = _next(source, tokens, line)
    while token != "]":
        out.append(_value(source, token, at, tokens, depth + 1))
        token, at = _next(source, tokens, line)
        if token == ",":
            token, at = _next(source, tokens, line)
        elif token != "]":
            raise source.wrong(at, token, "',' or ']'", "correct the JSON")
    return out


def _next(source: Source, tokens, opened: int) -> tuple[str, int]:
    try:
        return next(tokens)
    except StopIteration:
        last = len(source.lines)
        while last > 1 and not source.lines[last - 1].strip():
            last -= 1
        raise source.wrong(
            last, source.lines[last - 1].strip(), f"the end of what opened in line {opened}: the JSON is cut off",
            "copy the whole output of the tool, or write it to a file with the tool's own option",
        ) from None  # fmt: skip


def _unquoted(token: str) -> str:
    import json

    try:
        return json.loads(token, strict=False)
    except ValueError:
        return token[1:-1]
