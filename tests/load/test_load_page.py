"""The page about loads shows what a run prints."""

import importlib.util

import pytest

from samples import ROOT

PAGE = (ROOT / "docs" / "load.md").read_text(encoding="utf-8")

spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)


@pytest.mark.parametrize("match", list(generate._BLOCK.finditer(PAGE)), ids=lambda match: match["command"])
def test_the_shown_output_is_that_of_a_run(match):
    assert match["body"].strip() and generate.differences(match["body"], generate.made(match["command"])) == []


def test_there_is_an_example():
    assert len(generate.commands(PAGE)) == 1
