"""Pages of what no author foresaw: markup in every name, a page mailed alone, 200 variants."""

import shutil

import nbformat
import pytest
from chromium import DESKTOP, open_page
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mpps import charts, pages, record, tables

pytestmark = pytest.mark.browser

EVIL = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>]]>-->{{ 7*7 }}"


def rows_of(*variants, counts=(1, 2, 4)):
    return [
        {
            "variant": v,
            "n": n,
            "median": n * (1.0 + k / 50),
            "lower": n * 0.9,
            "upper": n * 5.1,
            "observed": n * 1.1,
            "source": v,
        }
        for k, v in enumerate(variants)
        for n in counts
    ]


def page_of(folder, name, words, *shown):
    """A page whose notebook shows these charts, tables and Markdown texts, `words` in every place that takes some."""
    outputs = []
    for each in shown:
        if isinstance(each, str):
            data = {"text/markdown": each}
        elif isinstance(each, tables.Table):
            data = {"text/html": each._repr_html_(), "text/plain": str(each)}
        else:
            data = {charts.MIME: charts.spec(each), "text/plain": words}
        outputs.append(new_output("display_data", data=data))
    notebook = new_notebook(cells=[new_markdown_cell("# Safe?"), new_code_cell("show", outputs=outputs)])
    content = record.empty(name, words) | {
        "answer": [words],
        "numbers": {words: {"value": 1.0, "lower": 0.5, "upper": 2.0, "unit": words}},
        "parameters": {words: words},
        "data_sha256": {words: "0" * 64},
    }
    run = {"status": "failed", "notebook": f"{name}.ipynb", "title": words, "error": words, "cell": 1, "seconds": 1.0}
    content["run"] = run | {"charts": []}
    content["run"]["charts"] = pages.write_page(nbformat.from_dict(notebook), name, folder, content)
    return content


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evil")
    rows = rows_of(EVIL, "tame")
    drawn = charts.scaling(rows, title=EVIL, unit=EVIL, x_title=EVIL)
    content = page_of(
        folder, "evil", EVIL, drawn, tables.table(rows, caption=EVIL, name=EVIL), f"Limits of {EVIL}, and\n\n{EVIL}\n"
    )
    pages.write_index(folder, [content, content | {"name": "other"}], 1.0)
    return folder


@pytest.mark.parametrize("name", ["evil", "index"])
def test_markup_in_names_is_text_everywhere(browser, evil, name):
    """No dialog, no element, no attribute of it, after every chart is drawn and every part opened."""
    page = browser.new_context(viewport=DESKTOP).new_page()
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto((evil / f"{name}.html").as_uri())
    page.evaluate("window.mppsDrawAll && window.mppsDrawAll()")
    page.wait_for_function("document.querySelectorAll('figure.chart:not(.drawn):not(.still)').length === 0")
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert dialogs == []
    assert page.locator("[onerror]").count() == 0 and page.locator("img[src='x']").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.locator("main").inner_text()
    assert "{{ 7*7 }}" in page.locator("main").inner_text()
    page.context.close()


def test_a_page_can_be_mailed_alone(browser, evil, tmp_path):
    """Nothing beside it is asked for: charts draw, and its pictures and numbers can be saved."""
    alone = shutil.copy(evil / "evil.html", tmp_path / "mailed.html")
    page = open_page(browser, alone)
    assert page.heard["requests"] == [alone.as_uri()] and page.heard["errors"] == []
    assert page.locator("figure.drawn").count() == 1
    for kind in ("svg", "csv", "png"):
        with page.expect_download() as download:
            page.locator(f"figure.chart a.{kind}").click()
        assert download.value.suggested_filename.endswith(f".{kind}")
    page.context.close()


def test_a_table_of_200_variants_is_capped_and_says_so(browser, tmp_path):
    many = rows_of(*(f"variant {k}" for k in range(200)))
    wide = tables.by_cores(many, unit="Mpps")
    page_of(tmp_path, "many", "x", charts.scaling(many, title="Many", unit="Mpps"), tables.table(many), wide)
    page = open_page(browser, tmp_path / "many.html", size=DESKTOP)
    text = page.locator("main").inner_text()
    assert "500 more rows in table.csv" in text and "more columns in by_cores.csv" in text
    assert page.locator("figure.drawn .drawing svg").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]
    assert page.evaluate("document.documentElement.scrollHeight") < 8000
    assert (tmp_path / "many.html").stat().st_size < 1_500_000
    page.context.close()


@pytest.mark.parametrize(
    "scheme", ["javascript", "JavaScript", "data", "vbscript", "&#106;avascript", "java\tscript", " javascript"]
)
def test_a_link_in_a_name_runs_nothing(browser, tmp_path, scheme):
    texts = [
        f"Of [a]({scheme}:alert(1)), [b](<{scheme}:alert(1)>)\n",
        "and [c](01_pppoe_receive.ipynb), [d](https://kernel.org/a:b)",
    ]
    page_of(tmp_path, "links", "x", "".join(texts))
    page = open_page(browser, tmp_path / "links.html", size=DESKTOP)
    found = page.evaluate(
        "[...document.querySelectorAll('main a[href]')].map(a => [a.textContent, a.protocol, a.getAttribute('href')])"
    )
    page.context.close()
    known = [each for each in found if each[0] in "abcd"]
    assert {protocol for _, protocol, _ in found} <= {"file:", "https:", "data:"}
    assert not [href for name, _, href in known if name in "ab"], known
    assert [each[2] for each in known] == ["01_pppoe_receive.html", "https://kernel.org/a:b"]
