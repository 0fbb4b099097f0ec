"""One executed notebook as one page: text, tables, formulas, charts, what the run was.

nbconvert turns the cells into HTML. The stylesheet, the charts and the vega bundle that draws them are put in after
it, so that it parses 20 KiB and not 1 MiB.
"""

import contextlib
import copy
import functools
import html
import itertools
import pathlib
import re
import time
import urllib.parse

from mpps.pages.drawings import Chart, mark, take_charts, write_files, write_thumbnail
from mpps.pages.formulas import mathml, take_formulas
from mpps.pages.mimes import Taken, take_mimes
from mpps.pages.pack import bundle, drawing
from mpps.pages.plain import plain_text
from mpps.pages.templates import TEMPLATES, render, slug, text, write_text

_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
#: Tags, without attributes, that Markdown may hold as HTML; names of tables and measurements come through it too.
_ALLOWED = re.compile(
    r"(</?(?:details|summary|br|hr|b|i|em|strong|code|kbd|sub|sup|p|ul|ol|li)\s*/?>|<details open>|<!--.*?-->)"
)
_DOWNLOAD = re.compile(r'download="([^"]+)\.csv" href="data:text/csv;charset=utf-8,([^"]*)">[^<]*</a>')
#: What a link may point to: the web, mail, or a place without a scheme.
_LINK = re.compile(r"(?:https?:|mailto:|[^:]*$|[^:]*[/?#])", re.IGNORECASE)
_SECTION = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.DOTALL)


def write_page(notebook, name: str, folder: pathlib.Path, record: dict) -> list[dict]:
    """Write `<name>.html`, `<name>.txt` and the pictures into `folder`; returns file and title of each chart.

    The small picture for an index becomes `record["run"]["thumbnail"]`.

    `notebook` is an executed NotebookNode, possibly of a failed run; `record` holds what the last cell recorded and
    `run` (see mpps.record). The node is left as it was.
    """
    notebook = copy.deepcopy(notebook)
    leading = _take_leading(notebook)
    charts = take_charts(leading, name)
    lead = len(charts)
    charts += take_charts(notebook, name, start=lead)
    taken = take_mimes(notebook)
    take_formulas(notebook)
    _choose_cells(notebook, failed=bool(record["run"]["error"]))
    start = time.time()
    write_files(charts, folder)
    record["run"]["thumbnail"] = write_thumbnail(charts, name, folder)
    _forget(folder / name, start)
    write_text(folder / f"{name}.txt", plain_text(record, title_of(notebook) or record["question"] or name, charts))
    page, tables = _page(notebook, name, charts, lead, record, taken)
    for file, words in tables.items():
        write_text(folder / name / f"table-{slug(file.removesuffix('.csv'))[:60]}.csv", words)
    write_text(folder / f"{name}.html", page)
    return [{"file": chart.file, "title": chart.title} for chart in charts]


def _forget(folder: pathlib.Path, start: float) -> None:
    """Remove the pictures of an earlier run, but none that another run has written meanwhile."""
    for file in folder.glob("*"):
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < start - 2:  # file systems may keep whole seconds
                file.unlink()


def title_of(notebook) -> str | None:
    """The first heading of the first level, as plain text; None where there is none."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            heading = re.search(r"^#\s+(.+?)\s*#*$", "".join(cell["source"]), re.MULTILINE)
            if heading:
                return re.sub(r"[*`$]|(?<!\w)_|_(?!\w)|\[(.*?)\]\(.*?\)", r"\1", heading[1]).strip()
    return None


def prepare() -> None:
    """Load what pages need, while the kernels of a batch still start."""
    _exporter()
    bundle()


def _page(notebook, name: str, charts: list[Chart], lead: int, record: dict, taken: Taken) -> tuple[str, dict]:
    """The page, and the CSV files of its tables by name."""
    title = title_of(notebook)
    resources = {"mpps": {"title": title or name, "has_heading": title is not None}}
    body, _ = _exporter().from_notebook_node(notebook, resources)
    body, tables = _own_names(body)
    count = itertools.count(1)
    body = _TABLE.sub(lambda table: _in_a_scrolling_box(table[0], next(count)), body).replace(
        "<pre>", '<pre tabindex="0">'
    )
    shared = {"record": record, "run": record["run"], "name": name}
    answer = render(
        "answer.html.j2",
        leading=charts[:lead],
        sections=[(one[1], _words(one[2])) for one in _SECTION.finditer(body)],
        **shared,
    )
    body = body.replace("</h1>", f"</h1>{answer}", 1)
    for number, chart in enumerate(charts):
        body = body.replace(mark(number), render("chart.html.j2", chart=chart), 1)
    body = taken.put(body)
    head = f"<style>{text('style.css')}</style>"
    foot = render("footer.html.j2", **shared)
    foot += drawing(charts) + taken.foot
    return body.replace("<!--mpps:head-->", head, 1).replace("<!--mpps:foot-->", foot, 1), tables


def _own_names(body: str) -> tuple[str, dict[str, str]]:
    """The page with a name of its own for the CSV of each table, and these files: name -> text."""
    files: dict[str, str] = {}

    def named(found: re.Match) -> str:
        name, data = html.unescape(found[1]), found[2]
        places = (f"{name}{'' if k == 1 else f'_{k}'}.csv" for k in itertools.count(1))
        file = next(each for each in places if each not in files)
        files[file] = urllib.parse.unquote(data)
        shown = html.escape(file, quote=True)
        return f'download="{shown}" href="data:text/csv;charset=utf-8,{data}">{shown}</a>'

    return _DOWNLOAD.sub(named, body), files


def _in_a_scrolling_box(table: str, number: int) -> str:
    """A table that may be wider than the page; regions are told apart by their names."""
    return f'<div class="scroll" role="region" aria-label="Table {number}" tabindex="0">{table}</div>'


def _words(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def _tame(markup: str) -> str:
    """HTML of a Markdown text with every tag but the harmless ones as text."""
    parts = _ALLOWED.split(markup)
    return "".join(part if k % 2 else part.replace("<", "&lt;").replace(">", "&gt;") for k, part in enumerate(parts))


def _take_leading(notebook):
    """The cells tagged `answer`, as a notebook of their own: their charts stand below the answer."""
    leading = copy.copy(notebook)
    leading.cells = [cell for cell in notebook.cells if "answer" in cell.metadata.get("tags", [])]
    notebook.cells = [cell for cell in notebook.cells if "answer" not in cell.metadata.get("tags", [])]
    return leading


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
            return f'<h{level} id="{slug(_words(text))}">{text}</h{level}>\n'

        def inline_html(self, html):
            return _tame(html)

        def block_html(self, html):
            return _tame(html)

        def link(self, text, url, title=None):
            # Names of a table stand in such texts: no link of theirs may run a script.
            if not _LINK.match(html.unescape(url)):
                return f"{text} ({html.escape(url)})"
            # notebooks point to each other, pages to the pages that became of them
            return super().link(text, re.sub(r"^([\w-]+)\.ipynb$", r"\1.html", url), title)

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
        extra_template_basedirs=[str(TEMPLATES)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
