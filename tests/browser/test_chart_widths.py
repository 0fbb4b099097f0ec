"""The charts in a browser, as the script of the pages fits them: on a phone, in a column, on a desk."""

import json

import pytest
from chromium import words_of

from mpps import charts
from test_charts import every_chart

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [350, 1200])
def test_charts_fit_their_column_without_a_message(browser, tmp_path, width):
    import vl_convert

    specs = json.dumps([charts.spec(chart) for chart in every_chart().values()]).replace("</", "<\\/")
    page = tmp_path / "page.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8><style>body{{margin:0;width:{width}px}}svg{{max-width:100%;height:auto}}"
        f".vega-embed{{width:100%}}</style><body><script>{vl_convert.javascript_bundle('window.embed = vegaEmbed;')}</script>"
        f"<script>{charts.FIT}\nfor (const spec of {specs}) {{"
        "const at = document.body.appendChild(document.createElement('div'));"
        "embed(at, fitChart(spec, at.clientWidth), {actions: false, renderer: 'svg'}).then(() => at.dataset.done = 1);"
        "}</script>",
        encoding="utf-8",
    )
    context = browser.new_context(viewport={"width": width + 20, "height": 800})
    tab, said = context.new_page(), []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(page.as_uri())
    tab.wait_for_function(f"document.querySelectorAll('[data-done]').length == {len(every_chart())}")
    boxes = tab.evaluate("[...document.querySelectorAll('svg')].map(s => [s.clientWidth, +s.getAttribute('width')])")
    words = words_of(tab, "svg")
    context.close()
    assert said == []
    assert max(shown for shown, _ in boxes) <= width
    # words shrink with a picture that is wider than its column
    assert words["count"] > 100 and words["least"] >= 10, words
    assert words["clipped"] == []


def test_a_legend_of_lines_alone_shows_their_colours_on_a_phone(browser, tmp_path):
    import vl_convert

    rows = [{"series": name, "x": x, "median": k + 10.0 * x} for k, name in enumerate("ab") for x in (1, 2, 4)]
    spec = json.dumps(charts.spec(charts.lever(rows, title="Which?", unit="%", x_title="CPUs")))
    page = tmp_path / "page.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8><body><div id=place style='width:350px'></div>"
        f"<script>{vl_convert.javascript_bundle('window.embed = vegaEmbed;')}</script><script>{charts.FIT}\n"
        f"embed('#place', fitChart({spec}, 350), {{actions: false, renderer: 'svg'}});</script>",
        encoding="utf-8",
    )
    tab = browser.new_page(viewport={"width": 390, "height": 800})
    tab.goto(page.as_uri())
    tab.wait_for_selector(".role-legend-symbol path", state="attached")
    symbols = "[...document.querySelectorAll('.role-legend-symbol path')].map(p => [p.getAttribute('stroke'), +p.getAttribute('stroke-width')])"
    drawn = tab.evaluate(symbols)
    tab.close()
    assert [colour for colour, _ in drawn] == list(charts.style.PALETTE[:2])
    assert min(width for _, width in drawn) > 1
