"""The record of a run: one JSON document beside its page, which the index, the tests and other programs read.

Schema `mpps.record/1`:

    {"schema": "mpps.record/1", "name", "question", "answer": [sentence, ...], "status": "answered|bounded|open",
     "numbers": {name: {"value", "unit", "lower", "upper"}}, "parameters": {}, "data_sha256": {file: hash},
     "versions": {}, "seed",
     "run": {"status": "done|failed", "notebook", "title", "error", "cell", "seconds", "charts": [{"file", "title"}]}}

The last cell of a notebook writes everything but `run`, which the batch adds; of a notebook that failed before its
last cell there is `run` and what is known without it. Unbounded is null.
"""

import html
import json
import math
import os
import pathlib
import platform

from mpps.errors import MppsError, unknown_name
from mpps.text import interval
from mpps.whole import write_whole

SCHEMA = "mpps.record/1"

#: What the run could say: the data fix the answer; they bound it; they leave it open.
STATUSES = ("answered", "bounded", "open")

#: Where a batch wants the record: set in the kernel's environment, absent in an interactive session.
RECORD_FILE = "MPPS_RECORD_FILE"

_NUMBER_KEYS = {"value", "unit", "lower", "upper"}


def record(
    name: str,
    *,
    question: str,
    answer,
    status: str = "answered",
    numbers=None,
    parameters=None,
    data_sha256=None,
    versions=None,
    seed: int | None = None,
):
    """Keep what a notebook found, and show it: the last cell of a notebook.

    `answer` is a list of sentences. `numbers` maps a name to a value or to `{"value", "unit", "lower", "upper"}`,
    ends of intervals in the unit of the value, infinite ends as unbounded. `versions` defaults to those of Python,
    mpps, numpy and scipy. In a batch it writes the JSON record beside the page; in an interactive session it only
    returns the summary. Raises `MppsError` for a status that is none of `STATUSES` and a number that is not one.
    """
    if status not in STATUSES:
        raise unknown_name("status of a record", status, STATUSES)
    sentences = [answer] if isinstance(answer, str) else [str(sentence) for sentence in answer]
    content = {
        "schema": SCHEMA,
        "name": name,
        "question": question,
        "answer": sentences,
        "status": status,
        "numbers": {key: _number(key, value) for key, value in (numbers or {}).items()},
        "parameters": plain(parameters or {}),
        "data_sha256": dict(data_sha256 or {}),
        "versions": dict(versions or library_versions()),
        "seed": seed,
    }
    if target := os.environ.get(RECORD_FILE):
        write(pathlib.Path(target), content)
    return Summary(content)


class Summary:
    """What a notebook's last cell shows: the question, the answer, the key numbers."""

    def __init__(self, content: dict):
        self.content = content

    def __repr__(self) -> str:
        lines = [self.content["question"], *self.content["answer"]]
        return "\n".join(lines + [f"{key}: {show(value)}" for key, value in self.content["numbers"].items()])

    def _repr_markdown_(self) -> str:
        rows = [f"| {_cell(key)} | {_cell(show(value))} |" for key, value in self.content["numbers"].items()]
        table = ["", "| number | value and 90 % interval |", "|:--|--:|", *rows] if rows else []
        answer = html.escape(" ".join(self.content["answer"]), quote=False)
        return "\n".join([f"**{self.content['status']}.** {answer}", *table])


def show(number: dict) -> str:
    """A number of a record in words: value, interval, unit; an interval has two significant digits, a lone number three."""
    value, lower, upper = (number.get(key) for key in ("value", "lower", "upper"))
    unit = number.get("unit") or ""
    text = _digits(value) if value is not None else ""
    if lower is not None and upper is not None:
        text = interval(value, lower, upper)
    elif lower is not None or upper is not None:
        bound = f"at least {_digits(lower)}" if lower is not None else f"at most {_digits(upper)}"
        text = f"{text} ({bound})" if text else bound
    return f"{text or 'unbounded'} {unit}".strip()


def library_versions() -> dict[str, str]:
    """Versions of what the numbers came out of."""
    import importlib.metadata

    versions = {"python": platform.python_version()}
    for package in ("mpps", "numpy", "scipy"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            # Run from a clone that is on the path only.
            versions[package] = _clone_version() if package == "mpps" else "not installed"
    return versions


def _clone_version() -> str:
    import tomllib

    from mpps.root import root

    try:
        return tomllib.loads((root() / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    except (OSError, KeyError, ValueError):
        return "not installed"


def plain(value):
    """`value` as JSON can hold it: arrays as lists, infinite as null. Raises `MppsError` for NaN."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            raise MppsError("a record holds no NaN: say what is unknown as an interval or leave it out")
        return None
    return value if isinstance(value, str | int | float | bool | type(None)) else str(value)


def empty(name: str, question: str) -> dict:
    """The record of a notebook that ended before it recorded anything."""
    return {
        "schema": SCHEMA,
        "name": name,
        "question": question,
        "answer": [],
        "status": "open",
        "numbers": {},
        "parameters": {},
        "data_sha256": {},
        "versions": library_versions(),
        "seed": None,
    }


def write(path: pathlib.Path, content: dict) -> None:
    """Write JSON so that a reader sees the old file or the new one, never half of it."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(path, text.encode())


def read(path: pathlib.Path) -> dict | None:
    """The record in a file; None where there is none or the file is something else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and content.get("schema") == SCHEMA else None


def _number(key: str, value) -> dict:
    value = plain(value)
    if isinstance(value, int | float | str) or value is None:
        value = {"value": value}
    if not isinstance(value, dict) or not set(value) <= _NUMBER_KEYS:
        raise MppsError(f"number {key!r} of a record: expected a value or {{{', '.join(sorted(_NUMBER_KEYS))}}}")
    return value


def _digits(value) -> str:
    if isinstance(value, bool | str):
        return str(value)
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        rounded = float(f"{value:.3g}") if abs(value) < 1000 else round(value)
        return f"{rounded:,}".removesuffix(".0") if abs(value) >= 1000 else f"{rounded:g}"
    return f"{value:.3g}"


def _cell(text: str) -> str:
    return html.escape(str(text), quote=False).replace("|", "\\|")
