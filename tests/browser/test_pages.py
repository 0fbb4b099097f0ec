"""Pages as people open them: from the file system, without network, on a desk and on a phone, light and dark."""

import base64
import gzip
import os
import pathlib
import re
import subprocess
import sys

import pytest
from chromium import DESKTOP, PHONE, open_page, words_of

from samples import ROOT

pytestmark = pytest.mark.browser

PAGES = ("index", "fine", "failing", "killed")


def assert_well_behaved(page):
    """Nothing but files asked for, no error, every chart drawn as paths, no sideways scrolling."""
    assert [url for url in page.heard["requests"] if not url.startswith(("file:", "data:", "blob:"))] == []
    assert page.heard["errors"] == []
    figures = page.locator("figure.chart").count()
    assert page.locator("figure.drawn").count() == figures
    for number in range(figures):
        assert page.locator("figure.chart").nth(number).locator(".drawing svg path").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_draws_offline_and_fits(browser, sample_batch, name, size):
    page = open_page(browser, sample_batch.index.parent / f"{name}.html", size=size)
    assert_well_behaved(page)
    assert page.locator("h1").count() == 1
    page.context.close()


def test_every_page_of_the_workbook_draws_offline_and_fits(browser, workbook):
    """On a phone in the dark, where the room is least, and on a desk."""
    for path in [workbook.index, *(page.html for page in workbook.pages)]:
        for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
            page = open_page(browser, path, size=size, scheme=scheme)
            assert_well_behaved(page)
            words = words_of(page)
            assert words["least"] >= 10 and words["clipped"] == [], (path.name, words)
            page.context.close()


def test_the_chart_takes_the_room_that_there_is(browser, sample_batch):
    widths = {}
    for size in (DESKTOP, PHONE):
        page = open_page(browser, sample_batch.index.parent / "fine.html", size=size)
        widths[size["width"]] = page.locator("figure.chart svg").bounding_box()["width"]
        page.context.close()
    assert widths[390] <= 350 < 640 <= widths[1100]


def test_the_scheme_of_the_reader_is_followed(browser, sample_batch):
    """Dark ground and light text in the dark, the other way round in the light."""
    brightness = {}
    for scheme in ("light", "dark"):
        page = open_page(browser, sample_batch.index.parent / "fine.html", scheme=scheme)
        for what in ("backgroundColor", "color"):
            colour = page.evaluate(f"getComputedStyle(document.body).{what}")
            brightness[scheme, what] = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
        assert len(page.screenshot()) > 10_000
        page.context.close()
    assert brightness["light", "backgroundColor"] > 200 > brightness["light", "color"] + 100
    assert brightness["dark", "backgroundColor"] < 60 < brightness["dark", "color"] - 100


def test_without_scripts_the_pictures_stay(browser, sample_batch):
    page = open_page(browser, sample_batch.index.parent / "fine.html", size=PHONE, scripts=False)
    picture = page.locator("figure.chart .drawing svg")
    assert picture.count() == 1 and picture.is_visible()
    assert picture.bounding_box()["width"] <= 350
    page.context.close()


@pytest.mark.parametrize("broken", ["no library", "no such mark", "no decompression"])
def test_a_chart_that_cannot_be_drawn_keeps_its_picture_and_says_so(browser, sample_batch, tmp_path, broken):
    text = (sample_batch.index.parent / "fine.html").read_text(encoding="utf-8")
    found = re.search(r'(id="mpps-charts">)([^<]+)', text)
    words = gzip.decompress(base64.b64decode(found[2])).decode().replace('"mark": "line"', '"mark": "nonsense"')
    pack = base64.b64encode(gzip.compress(words.encode())).decode()
    text = {
        "no library": re.sub(r'(id="mpps-vega">)[^<]+', r"\1AAAA", text),
        "no such mark": text.replace(found[2], pack),
        "no decompression": text.replace("<head>", "<head><script>delete window.DecompressionStream</script>"),
    }[broken]
    (tmp_path / "broken.html").write_text(text, encoding="utf-8")
    page = open_page(browser, tmp_path / "broken.html")
    assert page.locator("figure.still .drawing svg path").count() > 0
    assert any("chart not drawn: Rate <against> cores" in line for line in page.heard["errors"])
    page.context.close()


@pytest.mark.parametrize("kind", ["svg", "png", "csv"])
def test_a_chart_can_be_saved(browser, sample_batch, kind):
    page = open_page(browser, sample_batch.index.parent / "fine.html")
    with page.expect_download() as download:
        page.locator(f"figure.chart a.{kind}").click()
    assert download.value.suggested_filename == f"01-rate-against-cores.{kind}"
    content = pathlib.Path(download.value.path()).read_bytes()
    assert content.startswith({"svg": b"<svg", "png": b"\x89PNG", "csv": b"cores,rate\n1,"}[kind])
    page.context.close()


def test_the_keyboard_reaches_the_content_first(browser, sample_batch):
    page = open_page(browser, sample_batch.index.parent / "fine.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.context.close()


def test_the_index_leads_to_a_page_and_back(browser, sample_batch):
    page = open_page(browser, sample_batch.index)
    page.locator("article h2 a", has_text="fine").click()
    assert page.locator("h1").inner_text() == "How far does fine scale?"
    page.get_by_role("link", name="All reports").click()
    assert page.locator("article").count() == 4
    page.context.close()


@pytest.mark.parametrize("required", ["", "1"], ids=["optional", "required"])
def test_without_a_browser_one_line_says_so_or_all_fail(required):
    """Run over this very file, without one."""
    environment = os.environ | {"MPPS_CHROMIUM": "no-such-browser", "MPPS_REQUIRE_BROWSER": required}
    environment = {name: value for name, value in environment.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "index", __file__]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    lines = [line for line in result.stdout.splitlines() if "no chromium found" in line]
    if required:
        assert result.returncode == 1 and "failed" not in result.stdout.splitlines()[-1] and "error" in result.stdout
    else:
        assert result.returncode == 0
        assert len(lines) == 1 and lines[0].startswith("SKIPPED [1]") and "browser tests: no chromium found" in lines[0]
