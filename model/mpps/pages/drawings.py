"""Charts of a page: each a picture (SVG, in a file and for readers without scripts) and its specification."""

import dataclasses
import html
import json
import re

from mpps.pages.kept import kept
from mpps.pages.templates import slug

#: The MIME type of a chart in a notebook's outputs (what mpps.charts emits).
CHART = "application/vnd.vegalite.v6+json"

#: Width in pixels of a picture whose chart takes the width of the page.
_PICTURE_WIDTH = 640
#: The style of a picture's own file speaks of its root; inside a page that would be the page.
_OWN_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Chart:
    """A chart of a page: its specification, its picture, and the picture's file relative to the page."""

    spec: dict
    svg: str
    file: str
    title: str
    key: str = ""

    @property
    def inline_svg(self) -> str:
        """The picture as part of a page, whose colours it takes."""
        return _OWN_STYLE.sub("", self.svg)


def take_charts(notebook, name: str, start: int = 0) -> list[Chart]:
    """Every chart of a notebook's outputs, its picture drawn; in place of the output stays `mark(number)`.

    `start` charts of the page came before them.
    """
    charts = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            spec = output.get("data", {}).get(CHART)
            if spec is None:
                continue
            number = start + len(charts)
            charts.append(chart_of(spec, output.data.get("text/plain"), name, number + 1))
            output.data = type(output.data)({"text/html": mark(number)})
    return charts


def mark(number: int) -> str:
    """What stands for chart `number` of a page until it is put in."""
    return f'<div data-chart="{number}"></div>'


def chart_of(spec: dict, description, name: str, number: int) -> Chart:
    """Chart `number` of the page `name`, its picture drawn; `description` for a specification without one."""
    spec = json.loads(json.dumps(spec))
    if description and not spec.get("description"):
        spec["description"] = "".join(description)
    heading = spec.get("title") or {}
    heading = heading if isinstance(heading, dict) else {"text": heading}
    title = _joined(heading.get("text"), " ") or spec.get("description") or f"Chart {number}"
    file = f"{name}/{number:02d}-{slug(title)[:60].strip('-')}.svg"
    return Chart(spec, _picture(spec), file, title, _joined(heading.get("subtitle"), " · "))


def _joined(lines, between: str) -> str:
    return between.join(lines) if isinstance(lines, list) else lines or ""


def _picture(spec: dict) -> str:
    from mpps.charts.show import to_svg

    fixed = spec | ({"width": _PICTURE_WIDTH} if spec.get("width") == "container" else {})
    try:
        return kept("picture", json.dumps(fixed), lambda: to_svg(fixed))
    except ValueError as problem:  # a specification that cannot be drawn costs its picture, not the page
        words = html.escape(str(problem).strip().splitlines()[0][:160])
        text = (
            f'<text x="8" y="24" font-family="sans-serif" font-size="13">This chart could not be drawn: {words}</text>'
        )
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="40" viewBox="0 0 640 40">{text}</svg>'
