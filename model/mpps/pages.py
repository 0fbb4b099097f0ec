"""An executed notebook as one page that needs no network: text, tables, formulas, charts, what the run was.

nbconvert turns the cells into HTML; formulas become MathML, each chart a picture (SVG, in a file and for readers
without scripts) and its specification, which one vega bundle in the page's head draws.
"""

import dataclasses
import functools
import html
import importlib.resources
import json
import os
import pathlib
import re
import shutil

from mpps.record import show

#: The MIME type of a chart in a notebook's outputs (what mpps.charts emits).
CHART = "application/vnd.vegalite.v6+json"

STATUS_WORDS = {
    "answered": "The data fix this answer.",
    "bounded": "The data bound this answer.",
    "open": "The data leave this open.",
}

#: Width in pixels of a picture whose chart takes the width of the page.
_PICTURE_WIDTH = 640

_TEMPLATES = importlib.resources.files("mpps") / "templates"
_TABLE = re.compile(r"<table\b.*?</table>", re.S)
#: The style of a picture's own file speaks of its root; inside a page that would be the page.
_OWN_STYLE = re.compile(r"<style>.*?</style>", re.S)
_DELIMITERS = re.compile(r"^\s*(\$\$|\$|\\\[|\\\()(.*?)(\$\$|\$|\\\]|\\\))\s*$", re.S)


@dataclasses.dataclass(frozen=True)
class Chart:
    """A chart of a page: its specification, its picture, and the picture's file relative to the page."""

    spec: dict
    svg: str
    file: str
    title: str


def write_page(notebook, name: str, folder: pathlib.Path, record: dict) -> list[dict]:
    """Write `<name>.html` and its pictures into `folder`; returns file and title of each chart.

    `notebook` is an executed NotebookNode, possibly of a failed run; `record` holds what the last cell recorded and
    `run` (see mpps.record). The node is left as it was.
    """
    import copy

    notebook = copy.deepcopy(notebook)
    charts = _take_charts(notebook, name)
    _take_formulas(notebook)
    _choose_cells(notebook, failed=bool(record["run"]["error"]))
    shutil.rmtree(folder / name, ignore_errors=True)
    for chart in charts:
        write_text(folder / chart.file, chart.svg)
    write_text(folder / f"{name}.html", _page(notebook, name, charts, record))
    return [{"file": chart.file, "title": chart.title} for chart in charts]


def write_index(folder: pathlib.Path, records: list[dict], seconds: float) -> pathlib.Path:
    """Write `index.html`: the batch at a glance, failures first."""
    failed = [record for record in records if record["run"]["error"]]
    text = _environment().get_template("index.html.j2").render(
        pages=records, failed=failed, seconds=seconds, style=_text("style.css"), statuses=STATUS_WORDS
    )
    write_text(folder / "index.html", text)
    return folder / "index.html"


def title_of(notebook) -> str | None:
    """The first heading of the first level, as plain text; None where there is none."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            heading = re.search(r"^#\s+(.+?)\s*#*$", "".join(cell["source"]), re.M)
            if heading:
                return re.sub(r"[*_`$]|\[(.*?)\]\(.*?\)", r"\1", heading[1]).strip()
    return None


def write_text(path: pathlib.Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def prepare() -> None:
    """Load what pages need, while the kernels of a batch still start."""
    _exporter()
    _bundle()


def mathml(latex: str, display: str = "inline") -> str:
    """A formula as MathML, which browsers draw without script; as code where it cannot be read.

    Delimiters ($, $$) may stand around it.
    """
    import xml.etree.ElementTree

    import latex2mathml.converter

    inner = _DELIMITERS.match(latex)
    body = (inner[2] if inner else latex).replace("{aligned}", "{align*}").strip()
    try:
        markup = latex2mathml.converter.convert(body, display=display)
        text = "".join(xml.etree.ElementTree.fromstring(markup).itertext())
    except Exception:  # the converter has no common error class, and some of what it returns is not XML
        text = "\\"
    # an unknown command comes back as its own name
    return f'<code class="formula">{html.escape(body)}</code>' if "\\" in text else markup


def _page(notebook, name: str, charts: list[Chart], record: dict) -> str:
    title = title_of(notebook)
    resources = {"mpps": {"title": title or name, "has_heading": title is not None}}
    text, _ = _exporter().from_notebook_node(notebook, resources)
    text = _TABLE.sub(lambda table: f'<div class="scroll" role="region" aria-label="Table" tabindex="0">{table[0]}</div>', text)
    render = functools.partial(_render, record=record, run=record["run"], name=name)
    head = f"<style>{_text('style.css')}</style>"
    foot = render("footer.html.j2")
    if charts:
        head += f"<script>(function () {{{_bundle()}}})();</script>"
        foot += f"<script>{_text('charts.js')}</script>"
    sections = [(anchor, re.sub(r"<[^>]+>", "", words)) for anchor, words in re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', text, re.S)]
    answer = render("answer.html.j2", sections=[(anchor, html.unescape(words)) for anchor, words in sections])
    text = text.replace("</h1>", "</h1>" + answer.replace("</h1>", ""), 1)
    for number, chart in enumerate(charts):
        text = text.replace(f'<div data-chart="{number}"></div>', _render("chart.html.j2", chart=chart, svg=_OWN_STYLE.sub("", chart.svg)))
    return text.replace("<!--mpps:head-->", head, 1).replace("<!--mpps:foot-->", foot, 1)


def _take_charts(notebook, name: str) -> list[Chart]:
    """Every chart of the outputs, its picture drawn; a mark for it stays in its output."""
    charts = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            spec = output.get("data", {}).get(CHART)
            if spec is None:
                continue
            charts.append(_chart(spec, output.data.get("text/plain"), name, len(charts) + 1))
            output.data = type(output.data)({"text/html": f'<div data-chart="{len(charts) - 1}"></div>'})
    return charts


def _chart(spec: dict, description, name: str, number: int) -> Chart:
    spec = json.loads(json.dumps(spec))
    if description and not spec.get("description"):
        spec["description"] = "".join(description)
    title = spec.get("title")
    title = title.get("text") if isinstance(title, dict) else title
    title = " ".join(title) if isinstance(title, list) else title
    title = title or spec.get("description") or f"Chart {number}"
    return Chart(spec, _picture(spec), f"{name}/{number:02d}-{_slug(title)[:60].strip('-')}.svg", title)


def _picture(spec: dict) -> str:
    from mpps.charts.show import to_svg

    fixed = spec | ({"width": _PICTURE_WIDTH} if spec.get("width") == "container" else {})
    try:
        return to_svg(fixed)
    except ValueError as problem:  # a specification that cannot be drawn costs its picture, not the page
        words = html.escape(str(problem).strip().splitlines()[0][:160])
        text = f'<text x="8" y="24" font-family="sans-serif" font-size="13">This chart could not be drawn: {words}</text>'
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="40" viewBox="0 0 640 40">{text}</svg>'


def _take_formulas(notebook) -> None:
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/latex" in data and "text/html" not in data and "text/markdown" not in data:
                latex = "".join(data["text/latex"])
                output.data = type(data)({"text/html": mathml(latex, display="block")})


def _choose_cells(notebook, failed: bool) -> None:
    """Keep the cells that say something: code only where it is tagged `show-code` or has failed."""
    kept = []
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if "papermill-error-cell-tag" in tags:
            continue
        if cell.cell_type == "code":
            broken = failed and any(output.output_type == "error" for output in cell.outputs)
            if not ("show-code" in tags or broken):
                cell.metadata["transient"] = {"remove_source": True}
                if not cell.outputs:
                    continue
        kept.append(cell)
    notebook.cells = kept


@functools.cache
def _exporter():
    import jinja2
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        """Markdown with formulas as MathML and headings that can be linked to."""

        def heading(self, text, level, **attributes):
            words = html.unescape(re.sub(r"<[^>]+>", "", text))
            return f'<h{level} id="{_slug(words)}">{text}</h{level}>\n'

        def block_math(self, body):
            return mathml(body, display="block")

        def inline_math(self, body):
            return mathml(body)

        def latex_environment(self, name, body):
            return mathml(f"\\begin{{{name}}}{body}\\end{{{name}}}", display="block")

    class Exporter(HTMLExporter):
        """nbconvert's exporter with our renderer; images are put into the page."""

        @jinja2.pass_context
        def markdown2html(self, context, source):
            attachments = context.get("cell", {}).get("attachments", {})
            return MarkdownWithMath(renderer=Renderer(escape=False, attachments=attachments)).render(source)

    return Exporter(
        template_name="mpps_page",
        extra_template_basedirs=[str(_TEMPLATES)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )


@functools.cache
def _bundle() -> str:
    """vega, vega-lite and vega-embed as one script that sets `window.mppsEmbed` and nothing else.

    The caller wraps it in a function: it declares hundreds of names.
    """
    import vl_convert

    return vl_convert.javascript_bundle("window.mppsEmbed = vegaEmbed;")


@functools.cache
def _environment():
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(_TEMPLATES)), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["number"] = show
    environment.filters["script_json"] = _script_json
    return environment


def _render(template: str, **values) -> str:
    return _environment().get_template(template).render(statuses=STATUS_WORDS, **values)


def _script_json(value):
    """JSON that cannot end the script element that it stands in."""
    import markupsafe

    return markupsafe.Markup(json.dumps(value, ensure_ascii=False).replace("<", "\\u003c"))


@functools.cache
def _text(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"
