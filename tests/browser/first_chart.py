"""How heavy pages are and how soon their first chart is there: one JSON line a page.

python tests/browser/first_chart.py [FOLDER]

`picture_ms` is when the first picture of a chart was painted (it stands in the page), `chart_ms` when the first one that
answers to a pointer had been drawn in its place; both from the start of the navigation, each the middle of three.
"""

import json
import pathlib
import statistics
import sys

import chromium

_SOON = """() => { new MutationObserver((_, watch) => {
  if (document.querySelector('figure.drawn')) { window.firstChart = performance.now(); watch.disconnect(); }
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] }); }"""


def measured(browser, path: pathlib.Path, times: int = 3) -> dict:
    """Name, kB, picture_ms and chart_ms of one page; the times are None for a page without a chart."""
    pictures, charts = [], []
    for _ in range(times):
        context = browser.new_context(viewport=chromium.DESKTOP)
        page = context.new_page()
        page.add_init_script(f"({_SOON})()")
        page.goto(path.resolve().as_uri())
        if page.locator("figure.chart").count():
            page.locator("figure.chart").first.scroll_into_view_if_needed()
            page.wait_for_function("window.firstChart")
            charts.append(page.evaluate("window.firstChart"))
            pictures.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        context.close()
    middle = [round(statistics.median(each)) if each else None for each in (pictures, charts)]
    return {"page": path.stem, "kB": round(path.stat().st_size / 1000), "picture_ms": middle[0], "chart_ms": middle[1]}


def main(folder: pathlib.Path) -> None:
    """One JSON line for each page of a folder."""
    found = chromium.find()
    if found is None:
        sys.exit("no chromium found: install it, or name one with MPPS_CHROMIUM")
    with chromium.launched(found) as browser:
        for path in sorted(folder.glob("*.html")):
            print(json.dumps(measured(browser, path)))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "reports"))
