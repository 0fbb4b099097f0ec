"""Charts of a page: each a picture (SVG, in a file and for readers without scripts) and its specification."""

import dataclasses
import html
import json
import pathlib
import re

from mpps.pages import slim
from mpps.pages.kept import kept
from mpps.pages.numbers import Numbers, numbers_of
from mpps.pages.templates import slug, write_bytes, write_text

#: The MIME type of a chart in a notebook's outputs (what mpps.charts emits).
CHART = "application/vnd.vegalite.v6+json"

#: Width in pixels of a picture whose chart takes the width of the page, and of the small one in an index.
_PICTURE_WIDTH, _THUMBNAIL_WIDTH = 640, 420
#: The style of a picture's own file speaks of its root; inside a page that would be the page.
_OWN_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Chart:
    """A chart of a page: its specification, its picture and numbers, and the picture's file relative to the page."""

    spec: dict
    svg: str
    file: str
    title: str
    key: str = ""
    numbers: Numbers = Numbers((), ())
    number: int = 1

    @property
    def inline_svg(self) -> str:
        """The picture as part of a page, whose colours it takes."""
        return _OWN_STYLE.sub("", self.svg)

    @property
    def csv_file(self) -> str:
        """The file of its numbers relative to the page; empty without any."""
        return self.file.removesuffix("svg") + "csv" if self.numbers.rows else ""


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
    numbers = numbers_of(spec)
    heading = spec.get("title") or {}
    heading = heading if isinstance(heading, dict) else {"text": heading}
    title = _joined(heading.get("text"), " ") or spec.get("description") or f"Chart {number}"
    file = f"{name}/{number:02d}-{slug(title)[:60].strip('-')}.svg"
    return Chart(spec, _picture(spec, title), file, title, _joined(heading.get("subtitle"), " · "), numbers, number)


def write_thumbnail(charts, name: str, folder: pathlib.Path) -> str:
    """The first chart of a page without its title, small: returns its file relative to the page, empty without a chart."""
    if not charts:
        return ""
    spec = json.loads(json.dumps(charts[0].spec))
    spec.pop("title", None)
    if spec.get("width") == "container" or isinstance(spec.get("width"), int):
        spec["width"] = _THUMBNAIL_WIDTH
    write_text(folder / name / "thumbnail.svg", _picture(spec, charts[0].title))
    return f"{name}/thumbnail.svg"


def write_files(charts, folder: pathlib.Path) -> None:
    """Each chart's picture and its numbers into the folder of the page."""
    for chart in charts:
        write_text(folder / chart.file, chart.svg)
        if chart.csv_file:
            write_text(folder / chart.csv_file, chart.numbers.csv())


def _joined(lines, between: str) -> str:
    return between.join(lines) if isinstance(lines, list) else lines or ""


def write_png(file: pathlib.Path) -> pathlib.Path:
    """A PNG beside an SVG of `write_files`, on white, at twice its size; returns its path."""
    import vl_convert

    light = file.read_text(encoding="utf-8").replace("currentColor", "#1f2328")
    head, end, rest = light.partition(">")
    ground = '<rect x="-9999" y="-9999" width="99999" height="99999" fill="#ffffff"/>'
    write_bytes(file.with_suffix(".png"), vl_convert.svg_to_png(f"{head}{end}{ground}{rest}", scale=2.0))
    return file.with_suffix(".png")


def _picture(spec: dict, title: str) -> str:
    from mpps.charts.show import to_svg

    label = spec.get("description") or title

    fixed = spec | ({"width": _PICTURE_WIDTH} if spec.get("width") == "container" else {})
    try:
        return kept(f"picture{slim.VERSION}", json.dumps(fixed), lambda: slim.slim(to_svg(fixed), label))
    except ValueError as problem:  # a specification that cannot be drawn costs its picture, not the page
        words = html.escape(str(problem).strip().splitlines()[0][:160])
        text = (
            f'<text x="8" y="24" font-family="sans-serif" font-size="13">This chart could not be drawn: {words}</text>'
        )
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="40" viewBox="0 0 640 40">{text}</svg>'
