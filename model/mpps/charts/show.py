"""How charts reach the eye: in notebooks as Vega-Lite JSON (and SVG), in files as SVG and PNG."""

import functools
import importlib.resources
import json
import os

from mpps.charts.style import MIME, TEXT, theme

#: Script of a page: `fitChart(spec, width)` fits a chart to a column of that many pixels and returns it.
FIT = (importlib.resources.files("mpps") / "templates" / "fit.js").read_text(encoding="utf-8")

_LIGHT, _DARK = "#1f2328", "#e6e8eb"
_PAPER = {False: "white", True: "#14171a"}


#: Set to "json" in the kernels of a batch (mpps.engine).
CHARTS = "MPPS_CHARTS"


def use(svg: bool | None = None) -> None:
    """Show charts of this session as Vega-Lite JSON with a description; with `svg` also as SVG.

    None: SVG unless the environment says `MPPS_CHARTS=json`. A batch says so, since the exporter draws all SVGs in
    one process. JupyterLab needs the SVG: it has no Vega-Lite 6 of its own.
    """
    import altair

    svg = os.environ.get(CHARTS) != "json" if svg is None else svg

    altair.theme.register("mpps", enable=True)(theme)
    altair.renderers.register("mpps", functools.partial(_bundle, svg=svg))
    altair.renderers.enable("mpps")
    try:
        from IPython import get_ipython
    except ImportError:
        return
    if shell := get_ipython():
        # the stock way checks every spec against the schema, twice the time of making it
        formatter = shell.display_formatter.mimebundle_formatter
        formatter.for_type(altair.TopLevelMixin, functools.partial(_show, svg=svg))


def spec(chart) -> dict:
    """The chart as Vega-Lite JSON, not checked against the schema."""
    if isinstance(chart, dict):
        return chart
    from altair.utils import schemapi

    with schemapi.debug_mode(False):
        return chart.to_dict(validate=False)


def to_svg(chart, *, standalone: bool = True) -> str:
    """The chart as SVG; a standalone one follows the light or dark scheme of whoever looks at it.

    Inside a page leave `standalone` off: there the text takes the colour of the page.
    """
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(spec(chart))
    if not standalone:
        return drawn
    style = f"<style>:root{{color:{_LIGHT}}}@media (prefers-color-scheme:dark){{:root{{color:{_DARK}}}}}</style>"
    head, _, rest = drawn.partition(">")
    return f"{head}>{style}{rest}"


def to_png(chart, *, dark: bool = False, scale: float = 2.0) -> bytes:
    """The chart as PNG on white, or on the dark page's ground."""
    import vl_convert

    plain = json.loads(json.dumps(spec(chart)).replace(f'"{TEXT}"', f'"{_DARK if dark else _LIGHT}"'))
    plain.setdefault("config", {})["background"] = _PAPER[dark]
    return vl_convert.vegalite_to_png(plain, scale=scale)


def save(chart, path) -> None:
    """Write the chart to a file that ends in `.svg`, `.png` or `.json`; raises `ValueError` for another ending."""
    import pathlib

    path = pathlib.Path(path)
    kinds = {".svg": lambda: to_svg(chart).encode(), ".png": lambda: to_png(chart), ".json": lambda: _json(chart)}
    if path.suffix not in kinds:
        raise ValueError(f"{path.name}: expected a name that ends in {', '.join(kinds)}")
    path.write_bytes(kinds[path.suffix]())


def _json(chart) -> bytes:
    return json.dumps(spec(chart), allow_nan=False).encode()


def _bundle(made: dict, svg: bool = False, **_) -> tuple[dict, dict]:
    bundle = {MIME: made, "text/plain": made.get("description", "chart")}
    if svg:
        bundle["image/svg+xml"] = to_svg(made, standalone=False)
    return bundle, {}


def _show(chart, include=None, exclude=None, svg: bool = False):
    return _bundle(spec(chart), svg=svg)
