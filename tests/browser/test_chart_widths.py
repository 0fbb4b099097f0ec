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
