"""Outputs of a notebook in mpps' own MIME types, and what a page makes of them.

A front end that does not know a type shows the output's other forms (`text/html`, `text/plain`); a page asks here. To
add a type, add an entry: the module is imported when a page holds such an output, never before.
"""

import dataclasses
import html
import importlib

#: What the names of our own types begin with.
PREFIX = "application/vnd.mpps."


@dataclasses.dataclass(frozen=True)
class Renderer:
    """Where the HTML of a type comes from, each as "module:function".

    body: takes the output's JSON and its number on the page (from 1, for ids) and returns HTML, values escaped.
    once: takes nothing and returns what a page with such outputs holds once, at its foot: style and script elements.
    No remote reference: pages have no network, and their policy refuses one.
    """

    body: str
    once: str = ""


RENDERERS = {
    "application/vnd.mpps.explorer+json": Renderer("mpps.explorer.page:html", "mpps.explorer.page:once"),
}


@dataclasses.dataclass(frozen=True)
class Taken:
    """Outputs taken out of a notebook: mark -> HTML, and what the foot of the page needs for them."""

    parts: dict[str, str]
    foot: str

    def put(self, body: str) -> str:
        """`body` with every mark replaced by its HTML."""
        for mark, part in self.parts.items():
            body = body.replace(mark, part, 1)
        return body


def take_mimes(notebook) -> Taken:
    """Replace each output of a type in `RENDERERS` by a mark, in place; a type without an entry is left alone.

    The HTML is put in after nbconvert has parsed the text. Where a renderer raises, the page says so in its place.
    """
    parts, used = {}, {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            known = next((kind for kind in data if kind in RENDERERS), None)
            if known is None:
                continue
            renderer = RENDERERS[known]
            mark = f'<div data-mpps-output="{len(parts) + 1}"></div>'
            try:
                parts[mark] = _loaded(renderer.body)(data[known], len(parts) + 1)
                used[known] = renderer.once
            except Exception as problem:  # one output that cannot be shown must not cost the page
                words = html.escape(f"{type(problem).__name__}: {problem}")
                parts[mark] = f'<p class="bad">This part could not be shown: {words}</p>'
            output.data = type(output.data)({"text/html": mark})
    return Taken(parts, "".join(_loaded(once)() for once in used.values() if once))


def _loaded(name: str):
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)
