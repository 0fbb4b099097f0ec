"""The explorer as part of a page: its HTML, and the style and scripts that a page with explorers holds once."""

import functools
import importlib.resources
import json
import math

from mpps.charts import style
from mpps.explorer.minify import script, sheet
from mpps.explorer.picture import picture, words

_BESIDE = importlib.resources.files("mpps.explorer")
#: Outlines of the shapes of mpps.charts.style around 0, 0.
OUTLINES = {
    "circle": "",
    "square": "M-4-4H4V4H-4Z",
    "triangle-up": "M0-5.2L5 4H-5Z",
    "diamond": "M0-6L5 0L0 6L-5 0Z",
    "triangle-down": "M0 5.2L5-4H-5Z",
    "cross": "M-5-1.7H-1.7V-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5Z",
    "triangle-right": "M5.2 0L-4-5V5Z",
    "triangle-left": "M-5.2 0L4-5V5Z",
}
#: In the order in which they build on each other.
SCRIPTS = ("solver.js", "simulator.js", "drawing.js", "view.js", "explorer.js")
#: Sliders in the order of a lap: name, label, and where the list of their settings stands in the document.
_SLIDERS = (
    ("private", "Private work", "factors"),
    ("section", "Section", "factors"),
    ("handoff", "Hand-off", "handoff_factors"),
    ("coalescing", "Coalescing", "coalescing"),
    ("ceiling", "Ceiling", "factors"),
)


def html(document: dict, number: int) -> str:
    """The explorer as HTML; `number` tells several of a page apart. Every value is escaped."""
    document = document | {"variants": [each | {"outline": OUTLINES[each["shape"]]} for each in document["variants"]]}
    sliders = [(name, label, document[where]) for name, label, where in _SLIDERS if _has(document, name)]
    return _template().render(
        document=document,
        json=_script_json(document),
        number=number,
        sliders=sliders,
        picture=picture(document),
        words=words(document),
        beyond=any(one["stays"] for each in document["variants"] for one in each["models"]),
        rounding=f"{_up(100 * document['rounding'])}",
        key="explore" if number == 1 else f"explore{number}",
    )


def once() -> str:
    """Style and scripts of explorers."""
    colours = {name: style.RESOURCE_COLOURS[name] for name in ("private", "serial", "ceiling")}
    paint = "".join(f"--ex-{name}:{colour};" for name, colour in {**colours, "quiet": style.QUIET}.items())
    code = "".join(_text(name) for name in SCRIPTS)
    look = f".explorer{{{paint}}}{sheet(_text('explorer.css'))}"
    return f"<style>{look}</style><script>(function(){{{script(code)}}})();</script>"


def _has(document: dict, name: str) -> bool:
    """Whether any variant has what the slider moves."""
    models = [model for entry in document["variants"] for model in entry["models"][:1]]
    return any(has(model, name) for model in models)


def has(model: dict, name: str) -> bool:
    """Whether a model has what the slider `name` moves."""
    if name == "private":
        return any(model["private"])
    return bool(model["coalesces"] if name == "coalescing" else model[name])


def _up(value: float) -> str:
    """One significant digit, rounded up: what is stated is never exceeded."""
    power = 10.0 ** math.floor(math.log10(max(value, 1e-9)))
    return f"{math.ceil(value / power) * power:.9f}".rstrip("0").rstrip(".")


def _script_json(value):
    """JSON that cannot end the script element that it stands in."""
    import markupsafe

    return markupsafe.Markup(json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))


@functools.cache
def _text(name: str) -> str:
    return (_BESIDE / name).read_text(encoding="utf-8")


@functools.cache
def _template():
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    return environment.from_string(_text("explorer.html.j2"))
