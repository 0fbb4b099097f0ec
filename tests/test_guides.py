"""The guides whose example is not of a path or a machine: a law, and the reference that docstrings make."""

import importlib.util
import re

import numpy as np
import pytest
import sympy

import mpps
from mpps.symbolic import __main__ as writer
from samples import ROOT

spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)


@pytest.fixture(scope="module")
def law():
    text = (ROOT / "docs" / "add_a_law.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names = {}
    exec(block, names)  # the text of this repository
    return names["cohort"]()


def test_the_example_law_becomes_functions_that_say_what_it_says(law):
    names = {"np": np}
    exec(writer._HEADER + "".join(writer._function(law, form) for form in law.forms), names)
    batch = np.array([1.0, 2.0, 64.0])

    assert names["cohort_handoff_ns"](50.0, 110.0, batch).tolist() == [110.0, 80.0, 50 + 60 / 64]
    assert names["cohort_limit_ns"](50.0) == 50.0
    assert names["cohort_handoff_ns"](50.0, 110.0, names["cohort_batch_for_double"](50.0, 110.0)) == pytest.approx(100)


def test_the_example_law_has_the_limits_that_it_names(law):
    local, remote, batch = (law.symbols[name] for name in ("local_ns", "remote_ns", "batch"))

    assert sympy.limit(law.expression, batch, sympy.oo) == law.derived["limit_ns"]
    assert law.expression.subs(batch, 1) == remote
    assert sympy.solve(law.expression - 2 * local, batch) == [(remote - local) / local]
    assert [row["unit"] for row in law.table()] == ["ns", "ns", "1"]


def test_the_reference_is_made_from_the_docstrings():
    """`make readme` writes it."""
    assert reference.PAGE.read_text(encoding="utf-8") == reference.plain(reference.text())


def test_every_public_name_has_words():
    page = reference.text()

    assert all(f"`mpps.{name}`" in page for name in mpps.__all__)
    assert not re.search(r"^\| `[^`]+` \|\s*\|$", page, re.MULTILINE)
    assert not re.findall(r"^- `([^`]+)`\n  $", page, re.MULTILINE)
