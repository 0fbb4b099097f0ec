"""The templates of `mpps/templates` and what they share."""

import functools
import importlib.resources
import json
import pathlib
import re

from mpps.record import show
from mpps.whole import write_whole

STATUS_WORDS = {
    "answered": "The data fix this answer.",
    "bounded": "The data bound this answer.",
    "open": "The data leave this open.",
}

TEMPLATES = importlib.resources.files("mpps") / "templates"


def render(template: str, /, **values) -> str:
    """A template filled in, its values escaped."""
    return _environment().get_template(template).render(statuses=STATUS_WORDS, **values)


@functools.cache
def text(name: str) -> str:
    """A file beside the templates as it is."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def write_text(path: pathlib.Path, content: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never half of it."""
    write_bytes(path, content.encode())


def write_bytes(path: pathlib.Path, content: bytes) -> None:
    """As `write_text`, for what is no text."""
    write_whole(path, content)


def slug(words: str) -> str:
    """Words as part of a file name or an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "section"


@functools.cache
def _environment():
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(TEMPLATES)), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["number"] = show
    environment.filters["script_json"] = _script_json
    return environment


def _script_json(value):
    """JSON that cannot end the script element that it stands in."""
    import markupsafe

    return markupsafe.Markup(json.dumps(value, ensure_ascii=False).replace("<", "\\u003c"))
