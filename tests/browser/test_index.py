"""The index in a browser: search, filter and sort, of a few pages and of many, with scripts and without."""

import pytest
from chromium import PHONE, open_page

from mpps import pages, record

pytestmark = pytest.mark.browser

STATUSES = ("answered", "bounded", "open")


def entry(k: int) -> dict:
    """A record of a batch that never ran: numbers and parameters that differ, each hundredth failed."""
    name = f"run_{k:03d}"
    run = {"status": "done", "notebook": "one.ipynb", "title": f"What limits run {k}?", "error": None, "cell": None}
    run |= {"seconds": float(k % 7), "charts": [], "error": "it broke" if k % 100 == 99 else None}
    numbers = {"rate": {"value": float((37 * k) % 500), "unit": "Mpps"}}
    return record.empty(name, "What limits?") | {
        "answer": [f"The lock of run {k}.", "More cores."],
        "status": STATUSES[k % 3],
        "numbers": numbers,
        "parameters": {"cores": k, "seed": 1},
        "run": run,
    }


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("index")
    return pages.write_index(folder, [entry(k) for k in range(500)], 12.0)


def shown(page) -> list[str]:
    return page.evaluate(
        "[...document.querySelectorAll('article')].filter(n => !n.hidden).map(n => n.querySelector('a').getAttribute('href'))"
    )


def test_search_and_filter_narrow_500_pages(browser, large):
    page = open_page(browser, large)
    assert len(shown(page)) == 500 and page.locator("#count").inner_text() == "500 pages"
    page.locator("#words").fill("LOCK run 123.")
    assert shown(page) == ["run_123.html"]
    assert page.locator("#count").inner_text() == "1 of 500 pages"
    page.locator("#words").fill("")
    page.locator("#status").select_option("failed")
    assert shown(page) == [f"run_{k}99.html" for k in ("0", *"1234")]
    assert page.locator(".comparison tbody tr:visible").count() == 5
    page.context.close()


def test_columns_sort_both_ways_by_value(browser, large):
    page = open_page(browser, large)
    heads = page.locator(".comparison th").all_inner_texts()
    assert heads == ["page", "status", "seconds", "cores", "rate"]  # seed is the same everywhere
    rates = "[...document.querySelectorAll('.comparison tbody tr')].map(row => +row.cells[4].dataset.key)"
    button = page.get_by_role("button", name="rate")
    button.click()
    assert page.evaluate(rates) == sorted(page.evaluate(rates))
    button.press("Enter")
    assert page.evaluate(rates) == sorted(page.evaluate(rates), reverse=True)
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("rate")
    page.context.close()


def test_without_scripts_everything_is_there(browser, large):
    page = open_page(browser, large, size=PHONE, scripts=False)
    assert page.locator("article").count() == 500 and not page.locator(".tools").is_visible()
    assert page.locator(".failure li").count() == 5
    assert page.locator(".comparison table").is_visible()
    page.context.close()
