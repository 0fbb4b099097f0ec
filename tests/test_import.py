"""`import mpps` is light, and its verbs can be called however they are reached."""

import subprocess
import sys

import pytest

import mpps
from samples import ROOT

HEAVY = (
    "numpy",
    "scipy",
    "sympy",
    "altair",
    "papermill",
    "nbconvert",
    "IPython",
    "yaml",
    "rich",
    "pydantic",
    "anywidget",
    "ipywidgets",
)


def imported_by(code: str) -> set[str]:
    """Modules that a fresh Python has loaded after `code`."""
    lines = f"import sys; sys.path.insert(0, {str(ROOT / 'model')!r})\n{code}\nprint(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_package_loads_nothing_heavy():
    loaded = imported_by("import mpps")

    assert "mpps" in loaded
    assert loaded.isdisjoint(HEAVY)
    assert not [name for name in loaded if name.startswith("mpps.")]


def test_help_loads_nothing_heavy():
    """The command answers `--help` without what its verbs need."""
    loaded = imported_by("from mpps import cli\ntry: cli.main(['predict', '--help'])\nexcept SystemExit: pass")

    assert "typer" in loaded
    assert loaded.isdisjoint(set(HEAVY) - {"pydantic"})


@pytest.mark.parametrize(
    "module", ["mpps.compare", "mpps.answers", "mpps.sentences", "mpps.scorecard", "mpps.validate", "mpps.corpus"]
)
def test_the_model_loads_neither_charts_nor_notebooks(module):
    """A script that predicts pays for no picture."""
    assert imported_by(f"import {module}").isdisjoint({"altair", "sympy", "papermill", "nbconvert", "IPython", "scipy"})


def test_every_public_name_exists():
    for name in mpps.__all__:
        assert getattr(mpps, name) is not None, name
    assert set(mpps.__all__) <= set(dir(mpps))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'predikt'.*predict"):
        mpps.predikt  # noqa: B018 - the access is the test


@pytest.mark.parametrize("verb", ["fit", "predict", "record", "report", "sweep", "validate", "whatif"])
@pytest.mark.parametrize("first", ["import mpps.{0}", "from mpps.{0} import *", "from mpps import {0}", ""])
def test_a_verb_is_module_and_function(verb, first):
    """`mpps.predict(...)` and `mpps.predict.predict(...)`, whoever imported the module before."""
    code = f"{first.format(verb)}\nimport mpps, types\nassert callable(mpps.{verb}) and isinstance(mpps.{verb}, types.ModuleType)"

    assert f"mpps.{verb}" in imported_by(code)


def test_a_call_is_the_function_of_that_name():
    from mpps.compare import fit

    path = mpps.load_path("tun_receive")

    assert mpps.fit(path, "all") is fit(path, "all")
    assert list(mpps.predict(path, [2, 1], variant="netif_rx").n) == [1, 2]
    assert mpps.whatif(path, [1], start="netif_rx", without="backlog queue").after.variant == "netif_receive_skb"
    assert mpps.path_names() == tuple(sorted(mpps.path_names())) and "tun_receive" in mpps.path_names()
