"""What the repository's notebooks look like: thin, without outputs, the same anywhere."""

import ast
import pathlib
import re

import nbformat
import pytest

from mpps.errors import MppsError
from mpps.parameters import declared
from samples import PARAMETERS_CELL, ROOT, make_notebook

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_LINES = 8
ABSOLUTE = re.compile(r"(?<![\w.:/])/(?:home|root|work|tmp|mnt|usr|Users|opt|var)/")


def problems(path: pathlib.Path) -> list[str]:
    """What is wrong with a notebook as a file of this repository."""
    try:
        notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
        nbformat.validate(notebook)
    except Exception as error:  # nbformat raises many kinds
        return [f"not a valid notebook: {type(error).__name__}"]
    found = []
    if notebook.nbformat != 4 or notebook.nbformat_minor < 5:
        found.append(f"format {notebook.nbformat}.{notebook.nbformat_minor} has no cell ids, expected 4.5")
    found += _metadata(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, start=1):
        found += [f"code cell {number}: {problem}" for problem in _cell(cell)]
    tagged = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        found.append(f"{len(tagged)} cells are tagged parameters")
    else:
        try:
            declared(notebook, path.stem)
        except MppsError as error:
            found.append(str(error))
    first = notebook.cells[0] if notebook.cells else None
    if first is None or first.cell_type != "markdown" or not re.match(r"# .*\?\s*$", first.source.splitlines()[0]):
        found.append("the first cell is not a title that asks a question")
    text = "\n".join(cell.source for cell in notebook.cells)
    if not re.search(r"^(?:import|from) mpps\b", text, re.MULTILINE):
        found.append("does not import mpps")
    if not code or "record(" not in code[-1].source:
        found.append("the last code cell does not call mpps.report.record")
    if ABSOLUTE.search(text):
        found.append(f"absolute path {ABSOLUTE.search(text)[0]}")
    if re.search(r"https?://", text):
        found.append("a web address: cite the list and message id or the commit")
    return found


def _metadata(notebook) -> list[str]:
    found = []
    metadata = notebook.metadata
    if metadata.get("kernelspec", {}).get("name") != "python3":
        found.append("kernel is not python3")
    if set(metadata) - {"kernelspec", "language_info"} or set(metadata.get("language_info", {})) - {"name"}:
        found.append("metadata beyond kernelspec and the language's name")
    if any(set(cell.metadata) - {"tags"} for cell in notebook.cells):
        found.append("cell metadata beyond tags")
    return found


def _cell(cell) -> list[str]:
    found = []
    if cell.outputs or cell.execution_count is not None:
        found.append("output or execution count stored")
    lines = [line for line in cell.source.splitlines() if line.strip()]
    if len(lines) > MOST_LINES:
        found.append(f"{len(lines)} lines, at most {MOST_LINES}")
    try:
        tree = ast.parse(cell.source)
    except SyntaxError:
        return [*found, "not plain Python"]
    if any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in ast.walk(tree)):
        found.append("defines a function or class: it belongs into the library")
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_thin_and_clean(path):
    assert problems(path) == []


def test_notebooks_are_numbered_by_topic():
    assert [path.name for path in NOTEBOOKS if not re.fullmatch(r"\d\d_[a-z0-9_]+\.ipynb", path.name)] == []


def test_a_good_notebook_passes(tmp_path):
    assert problems(_good(tmp_path)) == []


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda n: n.cells[2].update(execution_count=1), "code cell 2: output or execution count"),
        (lambda n: n.cells[2].outputs.append(nbformat.v4.new_output("stream", text="x")), "code cell 2: output"),
        (lambda n: n.cells[2].update(source="import mpps\n" * 9), "9 lines"),
        (lambda n: n.cells[2].update(source="import mpps\ndef f(): pass"), "defines a function"),
        (lambda n: n.cells[2].update(source="%matplotlib inline\nimport mpps"), "not plain Python"),
        (lambda n: n.cells[2].update(source="x = 3"), "does not import mpps"),
        (lambda n: n.cells[2].update(source="import mpps\nopen('/home/me/x')"), "absolute path /home/"),
        (lambda n: n.cells[0].update(source="# A title"), "asks a question"),
        (lambda n: n.cells[0].update(source="# Why?\n[x](https://example)"), "web address"),
        (lambda n: n.cells[1].metadata.update(tags=[]), "0 cells are tagged parameters"),
        (lambda n: n.cells[1].update(source="cores = 3"), "expected 'name: type = value"),
        (lambda n: n.cells.pop(), "does not call mpps.report.record"),
        (lambda n: n.metadata.kernelspec.update(name="conda-env"), "kernel is not python3"),
        (lambda n: n.metadata.update(widgets={}), "metadata beyond"),
        (lambda n: n.cells[1].metadata.update(collapsed=True), "cell metadata beyond tags"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_check_sees(tmp_path, spoil, complaint):
    """Each rule, broken once in a good notebook."""
    path = _good(tmp_path)
    notebook = nbformat.read(path, as_version=4)
    spoil(notebook)
    nbformat.write(notebook, path)
    assert any(complaint in problem for problem in problems(path)), problems(path)


def test_the_check_sees_what_is_no_notebook(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text("{}", encoding="utf-8")
    assert problems(path)[0].startswith("not a valid notebook")


def _good(folder: pathlib.Path) -> pathlib.Path:
    last = "mpps.report.record('x', question='Why?', answer=['So.'])"
    return make_notebook(folder / "01_x.ipynb", "# Why?", ("parameters", PARAMETERS_CELL), "import mpps.report", last)
