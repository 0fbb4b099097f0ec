"""What a notebook can be told: its `parameters` cell read, and values checked before a run.

A parameter is one line, typed, with its meaning and what it may be in the comment:

    cores_max: int = 64  # largest core count to predict [1..4096]
    machine: str = "epyc"  # where to predict {epyc, xeon}
    clock_ghz: float = 2.5  # clock with all cores busy [0.1..]
    target: str = "xeon"  # where to predict {machines}

`{machines}` stands for every machine of `data/machines/` and `{paths}` for every code path, so that a new file is a new
choice.

papermill itself injects whatever it is given: an unknown name is a line in its log, `numpy.int64(3)` arrives as the
string "3" and a tuple as a string as well.
"""

import ast
import dataclasses
import io
import math
import re
import tokenize

from mpps.errors import MppsError, unknown_name
from mpps.machine import machines
from mpps.paths import names as paths

TYPES = ("int", "float", "bool", "str", "list[int]", "list[float]", "list[str]")

_RANGE = re.compile(r"\s*\[(?P<low>[^\[\],]*?)\.\.(?P<high>[^\[\],]*?)\]\s*$")
_CHOICES = re.compile(r"\s*\{(?P<choices>[^{}]*)\}\s*$")
_WORDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "text"}


class Text(str):
    """A value as typed on a command line: read by the declared type of the parameter."""


@dataclasses.dataclass(frozen=True)
class NotebookParameter:
    """One line of a `parameters` cell: what may be passed and what it means."""

    name: str
    type: str
    default: object
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def allowed(self) -> str:
        """What a value may be, in words."""
        words = _WORDS.get(self.type) or f"a list of {self.type[5:-1]}"
        if self.low is not None or self.high is not None:
            low, high = ("" if end is None else f"{end:g}" for end in (self.low, self.high))
            words += f" in [{low}..{high}]"
        return words + (f" out of {', '.join(self.choices)}" if self.choices else "")


def declared(notebook, name: str = "notebook") -> tuple[NotebookParameter, ...]:
    """The parameters of a notebook (a NotebookNode or its JSON as a dictionary), in their order.

    Raises `MppsError` where there are several `parameters` cells or a line cannot be read; no cell, no parameters.
    """
    cells = [cell for cell in notebook["cells"] if "parameters" in cell.get("metadata", {}).get("tags", [])]
    if not cells:
        return ()
    if len(cells) > 1:
        raise MppsError(f"{name}: {len(cells)} cells are tagged 'parameters', expected one")
    source = cells[0]["source"]
    return read_cell(source if isinstance(source, str) else "".join(source), name)


def read_cell(source: str, name: str = "notebook") -> tuple[NotebookParameter, ...]:
    """The parameters that the source of a `parameters` cell declares."""
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise MppsError(f"{name}: the parameters cell is not Python: line {error.lineno}: {error.msg}") from None
    comments = _comments(source)
    return tuple(_parameter(line, comments.get(line.end_lineno, ""), name) for line in statements)


def parse_parameters(texts) -> dict[str, Text]:
    """Names and values of `["cores_max=64", ...]`, still as text: `checked` reads them by the declared types.

    Raises `MppsError` for a text that is not name=value and for a name that comes twice.
    """
    values = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise MppsError(f"parameter {text!r}: expected name=value, for example cores_max=64")
        if name.strip() in values:
            raise MppsError(f"parameter {name.strip()!r} is given twice")
        values[name.strip()] = Text(value.strip())
    return values


def checked(values, parameters, notebook: str = "notebook") -> dict:
    """`values` as plain Python objects of the declared types, safe to hand to papermill.

    Raises `MppsError` for an unknown name, a wrong type, a value out of range and an unknown choice, each with
    what is allowed.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    for name in values:
        if name not in by_name:
            raise unknown_name(f"parameter of {notebook}", name, by_name)
    return {name: _checked_value(by_name[name], value, notebook) for name, value in values.items()}


def _parameter(line, comment: str, notebook: str) -> NotebookParameter:
    where = f"{notebook}: parameters cell, line {line.lineno}"
    if not (isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value is not None):
        raise MppsError(f"{where}: expected 'name: type = value  # what it means'")
    kind = ast.unparse(line.annotation)
    if kind not in TYPES:
        raise MppsError(f"{where}: type {kind!r} of {line.target.id!r} is not one of {', '.join(TYPES)}")
    try:
        default = ast.literal_eval(line.value)
    except ValueError:
        raise MppsError(f"{where}: the default of {line.target.id!r} must be a literal, not a computation") from None
    parameter = NotebookParameter(line.target.id, kind, default, **_limits(comment, where))
    if parameter.low is not parameter.high and kind.removeprefix("list[")[:3] not in ("int", "flo"):
        raise MppsError(f"{where}: {parameter.name!r} is {kind}, which has no range: give choices as {{a, b}}")
    return dataclasses.replace(parameter, default=_checked_value(parameter, default, notebook))


def _limits(comment: str, where: str) -> dict:
    if choices := _CHOICES.search(comment):
        names = tuple(item.strip().strip("\"'") for item in choices["choices"].split(",") if item.strip())
        names = {("machines",): machines, ("paths",): paths}.get(names, lambda: names)()
        return {"help": comment[: choices.start()].strip(), "choices": names}
    if span := _RANGE.search(comment):
        try:
            low, high = (float(end) if end.strip() else None for end in (span["low"], span["high"]))
        except ValueError:
            raise MppsError(f"{where}: the range {span[0].strip()} is not [low..high] in numbers") from None
        return {"help": comment[: span.start()].strip(), "low": low, "high": high}
    return {"help": comment.strip()}


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}


def _checked_value(parameter: NotebookParameter, value, notebook: str):
    given = value
    if isinstance(value, Text):
        value = _read(parameter, str(value))
    elif hasattr(value, "tolist"):
        value = value.tolist()
    is_list = parameter.type.startswith("list[")
    kind = parameter.type[5:-1] if is_list else parameter.type
    if is_list and not isinstance(value, list | tuple):
        value = None
    items = [_plain(kind, item) for item in value] if is_list and value is not None else [_plain(kind, value)]
    if any(item is None or not _within(parameter, item) for item in items):
        shown = repr(str(given) if isinstance(given, Text) else given)
        raise MppsError(f"{notebook}: parameter {parameter.name} = {shown}: expected {parameter.allowed()}")
    return items if is_list else items[0]


def _read(parameter: NotebookParameter, text: str):
    if parameter.type == "str":
        return text
    if parameter.type.startswith("list["):
        kind = dataclasses.replace(parameter, type=parameter.type[5:-1])
        # Quotes as of a JSON list, [..] and "..", are as good as none.
        items = [item.strip().strip("\"'") for item in text.strip("[]").split(",")]
        return [_read(kind, item) for item in items if item]
    try:
        if parameter.type == "bool":
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
        return (int if parameter.type == "int" else float)(text)
    except (KeyError, ValueError):
        return None


def _plain(kind: str, value):
    """`value` as the plain type, None where it is of another."""
    if hasattr(value, "item"):
        value = value.item()
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    fits = type(value) is {"int": int, "float": float, "bool": bool, "str": str}[kind]
    return value if fits and not (kind == "float" and math.isnan(value)) else None


def _within(parameter: NotebookParameter, item) -> bool:
    if parameter.choices and str(item) not in parameter.choices:
        return False
    if parameter.low is not None and item < parameter.low:
        return False
    return parameter.high is None or item <= parameter.high
