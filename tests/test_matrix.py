"""A matrix of reports: which ones a file asks for, what is wrong with a file, and the batch it makes."""

import itertools
import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mpps import matrix, report
from mpps.errors import MppsError
from samples import make_notebook

CELL = """cores_max: int = 32  # largest count [1..4096]
machine: str = "a"  # where {a, b, c}
names: list[str] = ["x"]  # of what
share: float = 0.5  # a share [0..1]"""
RECORD = """import mpps
display(f"cores {cores_max} on {machine}")
mpps.record("grid", question="How far?", answer=[f"{machine} to {cores_max}."], numbers={"product": cores_max * 2.0})"""


@pytest.fixture
def folder(tmp_path):
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    make_notebook(notebooks / "grid.ipynb", "# How far?", ("parameters", CELL), RECORD)
    return notebooks


def written(folder, content) -> str:
    path = folder.parent / "matrix.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return str(path)


def test_every_combination_once_in_the_order_of_the_file(folder):
    axes = {"machine": ["b", "a"], "cores_max": [8, 64, 16]}
    file = written(folder, {"notebook": "grid", "parameters": axes})
    found = matrix.tasks(file, folder)
    assert [(one.values["machine"], one.values["cores_max"]) for one in found] == list(
        itertools.product(*axes.values())
    )
    assert found[1].name == "grid--b--64" and found[1].title == "How far? (machine = b, cores_max = 64)"
    assert {one.notebook.name for one in found} == {"grid.ipynb"}


def test_excluded_combinations_are_left_out_and_shared_values_go_to_all(folder):
    content = {
        "notebook": "grid",
        "parameters": {"machine": ["a", "b"], "cores_max": [8, 16]},
        "exclude": [{"machine": "a", "cores_max": 16}],
    }
    found = matrix.tasks(written(folder, content), folder, {"share": 0.25})
    assert [one.name for one in found] == ["grid--a--8", "grid--b--8", "grid--b--16"]
    assert {one.values["share"] for one in found} == {0.25}


@settings(max_examples=40, deadline=None)
@given(names=st.lists(st.text(max_size=150), min_size=1, max_size=6, unique=True))
def test_names_of_reports_suit_a_file_system_and_differ(names):
    found = [matrix._name("grid", {"names": [name]}) for name in names]
    assert len(set(found)) == len(found)
    assert all(
        len(name) <= 100 and not set(name) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
        for name in found
    )


BAD = {
    "unknown key": ({"notebook": "grid", "parametres": {}}, "key of matrix.yaml 'parametres'"),
    "no notebook": ({"parameters": {"cores_max": [1]}}, "notebook: found None"),
    "unknown notebook": ({"notebook": "grit", "parameters": {"cores_max": [1]}}, "grit"),
    "unknown parameter": ({"notebook": "grid", "parameters": {"cores": [1]}}, "'cores'"),
    "no list": ({"notebook": "grid", "parameters": {"cores_max": 8}}, "parameters.cores_max: found 8, expected a list"),
    "empty list": ({"notebook": "grid", "parameters": {"cores_max": []}}, "expected a list of values"),
    "twice": ({"notebook": "grid", "parameters": {"cores_max": [8, 8]}}, "8 is there twice"),
    "wrong type": ({"notebook": "grid", "parameters": {"cores_max": ["many"]}}, "'many': expected a whole number"),
    "out of range": ({"notebook": "grid", "parameters": {"cores_max": [0]}}, "in [1..4096]"),
    "too many": (
        {"notebook": "grid", "parameters": {"cores_max": list(range(1, 3000)), "machine": ["a", "b"]}},
        "5,998 reports are asked for, at most 5,000",
    ),
    "nothing left": (
        {"notebook": "grid", "parameters": {"machine": ["a"]}, "exclude": [{"machine": "a"}]},
        "exclude leaves no report",
    ),
    "exclude of an unknown": (
        {"notebook": "grid", "parameters": {"machine": ["a"]}, "exclude": [{"cores_max": 8}]},
        "'cores_max'",
    ),
    "exclude of another value": (
        {"notebook": "grid", "parameters": {"machine": ["a"]}, "exclude": [{"machine": "z"}]},
        "'z' is no value of the matrix; it has a",
    ),
    "no YAML": ("notebook: [grid", "line 1"),
    "key twice": (
        "notebook: grid\nparameters: {cores_max: [8], cores_max: [16]}",
        "key 'cores_max' is written twice; keep one of them",
    ),
    "no such day": ("notebook: grid\nparameters: {cores_max: [2026-13-45]}", "matrix.yaml: not valid YAML"),
    "no mapping": ("- grid", "expected the keys notebook and parameters"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_with_a_matrix_is_told_before_anything_runs(folder, case):
    content, words = BAD[case]
    with pytest.raises(MppsError) as told:
        matrix.tasks(written(folder, content), folder)
    assert words in str(told.value)


def test_a_parameter_of_the_matrix_is_not_given_beside_it(folder):
    file = written(folder, {"notebook": "grid", "parameters": {"machine": ["a"]}})
    with pytest.raises(MppsError, match="leave out -p machine="):
        matrix.tasks(file, folder, {"machine": "b"})
    with pytest.raises(MppsError, match="cannot read the matrix"):
        matrix.tasks(str(folder / "absent.yaml"), folder)


def test_a_matrix_makes_a_page_and_a_record_for_each_and_one_index(folder, tmp_path):
    file = written(folder, {"notebook": "grid", "parameters": {"machine": ["a", "c"], "cores_max": [8, 64]}})
    batch = report.report(matrix=file, notebooks=folder, out=tmp_path / "out", progress=False)
    assert batch.exit_status == 0 and len(batch.pages) == 4
    for page in batch.pages:
        record = json.loads((tmp_path / "out" / f"{page.name}.json").read_text(encoding="utf-8"))
        values = record["parameters"]
        assert record["answer"] == [f"{values['machine']} to {values['cores_max']}."]
        assert record["numbers"]["product"] == {"value": 2.0 * values["cores_max"]}
        assert page.html.is_file()
    index = batch.index.read_text(encoding="utf-8")
    assert all(f"{page.name}.html" in index for page in batch.pages)
