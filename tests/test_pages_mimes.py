"""Outputs in mpps' own MIME types: rendered through the registry, their foot once, what fails told in place."""

import sys
import types

import nbformat
import pytest

from mpps import pages, record
from mpps.pages import mimes

KIND = "application/vnd.mpps.sample+json"


@pytest.fixture
def renderer(monkeypatch):
    module = types.ModuleType("sample_renderer")
    module.body = lambda content, number: f'<div id="part-{number}">{content["words"]}</div>'
    module.once = lambda: "<script>/* sample */</script>"
    monkeypatch.setitem(sys.modules, "sample_renderer", module)
    monkeypatch.setitem(mimes.RENDERERS, KIND, mimes.Renderer("sample_renderer:body", "sample_renderer:once"))
    return module


def page_of(tmp_path, *outputs) -> str:
    cells = [nbformat.v4.new_markdown_cell("# Shown?")]
    for data in outputs:
        shown = nbformat.v4.new_output("display_data", data=data)
        cells.append(nbformat.v4.new_code_cell("show", outputs=[shown]))
    content = record.empty("one", "Shown?") | {"run": {"error": None, "seconds": 1.0}}
    pages.write_page(nbformat.v4.new_notebook(cells=cells), "one", tmp_path, content)
    return (tmp_path / "one.html").read_text(encoding="utf-8")


def test_an_output_of_a_registered_type_is_rendered_and_its_foot_stands_once(tmp_path, renderer):
    text = page_of(
        tmp_path, *({KIND: {"words": words}, "text/html": "<p>instead</p>"} for words in ("first", "second"))
    )
    assert '<div id="part-1">first</div>' in text and '<div id="part-2">second</div>' in text
    assert "instead" not in text
    assert text.count("<script>/* sample */</script>") == 1 and text.index("part-2") < text.index("/* sample */")


def test_a_type_without_an_entry_shows_its_other_forms(tmp_path):
    text = page_of(tmp_path, {"application/vnd.mpps.unheard+json": {"words": "x"}, "text/html": "<p>instead</p>"})
    assert "<p>instead</p>" in text


def test_a_renderer_that_fails_is_told_where_it_stood(tmp_path, renderer):
    text = page_of(tmp_path, {KIND: {"lost": 1}}, {KIND: {"words": "second"}})
    assert "This part could not be shown: KeyError: &#x27;words&#x27;" in text
    assert '<div id="part-2">second</div>' in text


def test_every_entry_is_of_our_own():
    assert all(kind.startswith(mimes.PREFIX) and kind.endswith("+json") for kind in mimes.RENDERERS)
