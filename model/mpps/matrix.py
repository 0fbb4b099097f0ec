"""A matrix of reports: one notebook run for every combination of some parameters' values.

    notebook: 02_some_path
    parameters:
      machine: [epyc_9654, intel_n100]
      cores_max: [32, 128]
    exclude:
      - {machine: intel_n100, cores_max: 128}

`tasks` reads such a file and checks it whole, before the first kernel starts.
"""

import hashlib
import itertools
import pathlib
import re

from mpps.errors import DataError, MppsError, unknown_name
from mpps.parameters import checked
from mpps.root import notebooks_folder
from mpps.strict_yaml import parsed_yaml
from mpps.tasks import Task, chosen, notebook_parameters, planned

_KEYS = ("notebook", "parameters", "exclude")
#: More reports than this are a mistake of the file rather than somebody's wish.
MOST = 5000
_LONGEST_NAME = 100


def tasks(file: str | pathlib.Path, folder: pathlib.Path | None = None, parameters: dict | None = None) -> list[Task]:
    """A task for every combination that the matrix in `file` asks for, in the order of the file, the last name fastest.

    folder: of the notebooks, the workbook's own when None; parameters: values that all reports share. Raises `DataError`
    for a file that is no such matrix, and `MppsError` for unknown notebooks, parameters and values.
    """
    path = pathlib.Path(file)
    matrix = _content(path)
    name = matrix["notebook"]
    (notebook,) = chosen([name], folder or notebooks_folder())
    (base,) = planned([notebook], parameters or {})
    if base.error:
        raise MppsError(base.error)
    for key in base.values:
        if key in matrix["parameters"]:
            raise MppsError(f"{key} is a parameter of the matrix in {path.name}: leave out -p {key}=...")
    known = notebook_parameters(name, folder)
    axes = {key: _values(path, key, values, known, notebook.stem) for key, values in matrix["parameters"].items()}
    excluded = _excluded(path, matrix.get("exclude"), axes)
    count = 1
    for values in axes.values():
        count *= len(values)
    if count > MOST:
        raise DataError(
            f"{path.name}: {count:,} reports are asked for, at most {MOST:,} are made at once; shorten a list"
        )
    found = []
    for values in itertools.product(*axes.values()):
        chosen_values = dict(zip(axes, values, strict=True))
        if not any(all(chosen_values[key] == value for key, value in rule.items()) for rule in excluded):
            found.append(
                Task(
                    _name(base.name, chosen_values),
                    notebook,
                    _title(base, chosen_values),
                    base.defaults,
                    base.values | chosen_values,
                )
            )
    if not found:
        raise DataError(f"{path.name}: exclude leaves no report; remove one of its lines")
    return found


def default_folder(file: str | pathlib.Path, reports: pathlib.Path) -> pathlib.Path:
    """Where the reports of a matrix go: a folder of its own, so that they do not mix with the workbook's."""
    return reports / pathlib.Path(file).stem


def _content(path: pathlib.Path) -> dict:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path.name}: cannot read the matrix: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path.name}: cannot read the matrix: it is not UTF-8 text") from None
    content = parsed_yaml(path.name, text)
    if not isinstance(content, dict):
        raise DataError(f"{path.name}: expected the keys notebook and parameters, found {_shown(content)}")
    for key in content:
        if key not in _KEYS:
            raise unknown_name(f"key of {path.name}", str(key), _KEYS)
    if not isinstance(content.get("notebook"), str):
        raise DataError(f"{path.name}: notebook: found {_shown(content.get('notebook'))}, expected the name of one")
    if not isinstance(content.get("parameters"), dict) or not content["parameters"]:
        raise DataError(
            f"{path.name}: parameters: found {_shown(content.get('parameters'))},"
            " expected a name and a list of values, such as machine: [epyc_9654, intel_n100]"
        )
    return content


def _values(path, key, values, known, notebook) -> list:
    """The values of one axis, each checked by the declared type; a parameter that is a list takes a list of lists."""
    if not isinstance(values, list) or not values:
        raise DataError(f"{path.name}: parameters.{key}: found {_shown(values)}, expected a list of values")
    read = [checked({key: value}, known, notebook)[key] for value in values]
    for index, value in enumerate(read):
        if value in read[:index]:
            raise DataError(f"{path.name}: parameters.{key}: {_shown(value)} is there twice; keep one of them")
    return read


def _excluded(path, rules, axes) -> list[dict]:
    if rules is None:
        return []
    if not isinstance(rules, list) or not all(isinstance(rule, dict) and rule for rule in rules):
        raise DataError(
            f"{path.name}: exclude: found {_shown(rules)}, expected a list such as [{{machine: intel_n100}}]"
        )
    for rule in rules:
        for key, value in rule.items():
            if key not in axes:
                raise unknown_name(f"parameter in exclude of {path.name}", str(key), axes)
            if value not in axes[key]:
                raise DataError(
                    f"{path.name}: exclude: {key}: {_shown(value)} is no value of the matrix; it has"
                    f" {', '.join(map(str, axes[key]))}"
                )
    return rules


def _name(notebook: str, values: dict) -> str:
    """File name of a report: the notebook and its values, short enough for any file system, and never twice the same."""
    parts = [re.sub(r"[^A-Za-z0-9._-]+", "-", _text(value)).strip("-.") or "value" for value in values.values()]
    name = "--".join([notebook, *parts])
    exact = all(part == _text(value) for part, value in zip(parts, values.values(), strict=True))
    if exact and len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:8]
    return f"{name[: _LONGEST_NAME - 10]}--{digest}"


def _title(base: Task, values: dict) -> str:
    return f"{base.title} ({', '.join(f'{key} = {_text(value)}' for key, value in values.items())})"


def _text(value) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _shown(value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
