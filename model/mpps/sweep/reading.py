"""A spec file as plain values, and where each of them stands in it."""

from mpps.errors import MppsError
from mpps.measurements.nodes import Node, read_yaml


def content(file) -> tuple[dict, object]:
    """What a YAML file holds, and place(*key): 'sweep.yaml, line 4, key ...' of a key that messages name.

    Words such as off and no stay words: a variant may have such a name. Raises `DataError` as `read_yaml` does.
    """
    top = read_yaml(file)
    if top.raw.id != "mapping":
        raise top.wrong("keys with values", "write one 'key: value' a line, as path: and cores:")

    def place(*key):
        node, told = top, []
        for part in key:
            inner = _children(node).get(part)
            if inner is None:
                break
            node = inner
            told.append(str(part))
        line = f"{top.file}, line {node.raw.start_mark.line + 1}"
        return f"{line}, key {'.'.join(map(str, key))!r}" if key else line

    return _plain(top), place


def _children(node: Node) -> dict:
    if node.raw.id == "mapping":
        return node.entries()
    return dict(enumerate(node.items())) if node.raw.id == "sequence" else {}


def _plain(node: Node):
    if node.raw.id == "mapping":
        return {name: _plain(value) for name, value in node.entries().items()}
    if node.raw.id == "sequence":
        return [_plain(value) for value in node.items()]
    text = node.raw.value
    if node.raw.style:  # in quotes
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def mapping(value, what: str) -> dict:
    """A mapping as it was read; raises `MppsError` for anything else."""
    if not isinstance(value, dict):
        raise MppsError(f"{what}: found {value!r}: expected keys with values")
    return value
