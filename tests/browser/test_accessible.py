"""Accessibility as axe-core checks it: every page and the index, light and dark, on a desk and on a phone."""

import itertools

import pytest
from chromium import DESKTOP, PHONE, open_page

pytestmark = pytest.mark.browser

RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


#: What repeats itself a thousand times on a page: inside of pictures and formulas, rows of tables after the second.
REPEATED = ".drawing svg *, math *, tbody tr:nth-child(n+3)"


def violations(page) -> list[str]:
    """Rule, place and reason of everything that axe-core objects to."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options=RULES).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary'][:200]}" for rule in found for node in rule["nodes"][:3]
    ]


def headings(page) -> list[int]:
    return page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(node => +node.tagName[1])")


def assert_accessible(page):
    assert violations(page) == []
    levels = headings(page)
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), levels
    figures = page.locator("figure.chart").count()
    assert page.locator("figure.chart .drawing svg[role=img][aria-label]").count() == figures
    assert page.evaluate("document.documentElement.lang") == "en"


def test_axe_finds_what_is_wrong(browser, tmp_path):
    """The check itself: a page with grey on grey and a picture without words does not pass."""
    bad = tmp_path / "bad.html"
    bad.write_text('<title>x</title><p style="color:#888;background:#999">grey</p><img src="data:,">', encoding="utf-8")
    page = open_page(browser, bad)
    assert {line.split(":")[0] for line in violations(page)} >= {"color-contrast", "image-alt", "html-has-lang"}
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "fine", "failing"])
def test_a_page_of_the_sample_is_accessible(browser, sample_batch, name, scheme):
    page = open_page(browser, sample_batch.index.parent / f"{name}.html", scheme=scheme)
    assert_accessible(page)
    page.context.close()


def test_every_page_of_the_workbook_is_accessible(browser, workbook):
    """Each page once, on a desk in the light or on a phone in the dark, without what repeats itself: see the slow test."""
    looks = ((DESKTOP, "light"), (PHONE, "dark"))
    for place, path in enumerate([workbook.index, *(page.html for page in workbook.pages)]):
        size, scheme = looks[place % 2]
        page = open_page(browser, path, size=size, scheme=scheme, draw=False)
        page.evaluate("where => document.querySelectorAll(where).forEach(node => node.remove())", REPEATED)
        assert violations(page) == [], path.name
        page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_in_both_schemes_with_its_charts(browser, workbook, scheme):
    for path in [workbook.index, *(page.html for page in workbook.pages)]:
        for size in (DESKTOP, PHONE):
            page = open_page(browser, path, size=size, scheme=scheme)
            assert_accessible(page)
            page.context.close()


def test_what_a_pointer_shows_stands_in_a_table_that_the_keyboard_opens(browser, sample_batch):
    page = open_page(browser, sample_batch.index.parent / "fine.html")
    page.locator("figure.chart details summary").focus()
    page.keyboard.press("Enter")
    rows = page.locator("figure.chart details tbody tr")
    assert rows.first.is_visible() and rows.count() == 32
    page.context.close()
