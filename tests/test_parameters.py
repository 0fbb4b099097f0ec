"""Parameters of notebooks: read from their cell, checked against type, range and choices before a run."""

import nbformat
import numpy as np
import papermill
import pytest

from mpps.errors import MppsError, UnknownNameError
from mpps.machine import machines
from mpps.parameters import NotebookParameter, checked, declared, parse_parameters, read_cell
from mpps.paths import names as path_names
from samples import make_notebook

CELL = """\
# what to compute
cores_max: int = 64  # largest core count to predict [1..4096]
clock_ghz: float = 2  # clock with all cores busy [0.1..]
machine: str = "epyc"  # where to predict {epyc, xeon}
show_usl: bool = True  # draw the baseline
counts: list[int] = [1, 2, 4]  # core counts [1..64]
note: str = "a # in text"
"""
PARAMETERS = read_cell(CELL)


def test_a_cell_declares_type_default_meaning_and_what_is_allowed():
    assert PARAMETERS[0] == NotebookParameter("cores_max", "int", 64, "largest core count to predict", 1.0, 4096.0)
    assert PARAMETERS[1] == NotebookParameter("clock_ghz", "float", 2.0, "clock with all cores busy", 0.1, None)
    assert PARAMETERS[2] == NotebookParameter("machine", "str", "epyc", "where to predict", choices=("epyc", "xeon"))
    assert [one.name for one in PARAMETERS[3:]] == ["show_usl", "counts", "note"]
    assert PARAMETERS[5] == NotebookParameter("note", "str", "a # in text")


def test_machines_stand_for_every_machine_of_the_workbook():
    (parameter,) = read_cell('target: str = "epyc_9654"  # where to predict {machines}')
    assert parameter.choices == machines() and parameter.help == "where to predict"
    assert checked({"target": "intel_n100"}, [parameter]) == {"target": "intel_n100"}
    with pytest.raises(MppsError, match="out of .*epyc_9654"):
        checked({"target": "nonsense"}, [parameter])


def test_paths_are_choices_of_their_own():
    (parameter,) = read_cell('path: str = "tun_receive"  # what to fit {paths}')

    assert parameter.choices == path_names()
    with pytest.raises(MppsError, match="out of"):
        checked({"path": "tun"}, [parameter])


def test_papermill_reads_the_same(tmp_path):
    """Names, types and help agree with papermill's own inspection where that understands the line."""
    path = make_notebook(tmp_path / "one.ipynb", "# One?", ("parameters", CELL))
    inspected = papermill.inspect_notebook(path)
    ours = {one.name: one for one in declared(nbformat.read(path, as_version=4))}
    assert list(inspected) == list(ours)
    for name in ("cores_max", "clock_ghz", "machine", "show_usl"):
        assert inspected[name]["inferred_type_name"] == ours[name].type
        assert inspected[name]["help"].startswith(ours[name].help)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"cores_max": np.int64(3)}, 3),
        ({"cores_max": np.array(3)}, 3),
        ({"clock_ghz": np.float32(2.5)}, 2.5),
        ({"clock_ghz": 3}, 3.0),
        ({"counts": (1, np.int32(2))}, [1, 2]),
        ({"counts": np.arange(1, 4)}, [1, 2, 3]),
        ({"show_usl": np.bool_(False)}, False),
        ({"machine": np.str_("xeon")}, "xeon"),
    ],
)
def test_values_of_numpy_and_tuples_become_plain(value, expected):
    """papermill would inject numpy.int64(3) and a tuple as strings."""
    (got,) = checked(value, PARAMETERS).values()
    assert got == expected
    assert type(got) is type(expected)
    if isinstance(got, list):
        assert all(type(item) is int for item in got)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cores_max=128", 128),
        (" cores_max = 128 ", 128),
        ("clock_ghz=3", 3.0),
        ("clock_ghz=1e1", 10.0),
        ("show_usl=no", False),
        ("show_usl=True", True),
        ("counts=1,2,8", [1, 2, 8]),
        ("counts=[1, 2]", [1, 2]),
        ("note=x=y", "x=y"),
        ("note=7", "7"),
        ("note=", ""),
    ],
)
def test_text_is_read_by_the_declared_type(text, expected):
    (got,) = checked(parse_parameters([text]), PARAMETERS).values()
    assert got == expected and type(got) is type(expected)


@pytest.mark.parametrize(
    ("values", "allowed"),
    [
        ({"cores_max": 0}, r"cores_max = 0: expected a whole number in \[1..4096\]"),
        ({"cores_max": 4097}, r"\[1..4096\]"),
        ({"cores_max": 64.0}, "whole number"),
        ({"cores_max": True}, "whole number"),
        ({"cores_max": "64"}, "whole number"),
        ({"cores_max": None}, "whole number"),
        ({"clock_ghz": 0.05}, r"a number in \[0.1..\]"),
        ({"clock_ghz": float("nan")}, "a number"),
        ({"machine": "arm"}, "text out of epyc, xeon"),
        ({"show_usl": 1}, "true or false"),
        ({"counts": [1, 65]}, r"list of int in \[1..64\]"),
        ({"counts": 3}, "list of int"),
        ({"note": 3}, "text"),
        (parse_parameters(["cores_max=64.0"]), "cores_max = '64.0': expected a whole number"),
        (parse_parameters(["show_usl=perhaps"]), "true or false"),
        (parse_parameters(["counts=1,x"]), "list of int"),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_is(values, allowed):
    with pytest.raises(MppsError, match=allowed):
        checked(values, PARAMETERS, "01_receive")


@pytest.mark.parametrize("typed", ["a:1,b:2", "[a:1, b:2]", '["a:1", "b:2"]', "'a:1', 'b:2'"])
def test_a_list_of_texts_may_be_typed_as_json_or_bare(typed):
    parameters = read_cell('names: list[str] = ["x"]  # of what')
    assert checked(parse_parameters([f"names={typed}"]), parameters) == {"names": ["a:1", "b:2"]}


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="parameter of 01_receive 'core_max': did you mean 'cores_max'"):
        checked({"core_max": 3}, PARAMETERS, "01_receive")


@pytest.mark.parametrize("text", ["cores_max", "=3", "a b=3", "cores-max=3"])
def test_text_that_is_no_assignment_is_refused(text):
    with pytest.raises(MppsError, match="expected name=value"):
        parse_parameters([text])


def test_a_name_given_twice_is_refused():
    with pytest.raises(MppsError, match="'a' is given twice"):
        parse_parameters(["a=1", "a=2"])


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("cores = 3", "expected 'name: type = value"),
        ("cores: int", "expected 'name: type = value"),
        ("cores: complex = 3", "type 'complex' of 'cores' is not one of int, float"),
        ("cores: int = 2 ** 5", "must be a literal"),
        ("cores: int = 3  # [5..9]", r"cores = 3: expected a whole number in \[5..9\]"),
        ("cores: int = 3  # [one..9]", r"the range \[one..9\]"),
        ("name: str = 'a'  # [1..9]", "has no range"),
        ("name: str = 'a'  # {b, c}", "out of b, c"),
        ("cores: int = ", "not Python: line 1"),
        ("print(3)", "line 1: expected 'name: type = value"),
    ],
)
def test_a_cell_that_declares_badly_is_refused(line, complaint):
    with pytest.raises(MppsError, match=complaint):
        read_cell(line)


def test_one_parameters_cell_is_allowed_and_none_means_no_parameters(tmp_path):
    two = make_notebook(tmp_path / "two.ipynb", "# Two?", ("parameters", "a: int = 1"), ("parameters", "b: int = 1"))
    none = make_notebook(tmp_path / "none.ipynb", "# None?", "print(3)")
    with pytest.raises(MppsError, match="two: 2 cells are tagged 'parameters'"):
        declared(nbformat.read(two, as_version=4), "two")
    assert declared(nbformat.read(none, as_version=4), "none") == ()
