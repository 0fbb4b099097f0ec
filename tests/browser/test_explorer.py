"""The explorer in a browser: its numbers are those of the Python model, its state is a link, its words are text."""

import csv
import dataclasses
import io
import json
import urllib.parse

import numpy as np
import pytest
from chromium import DESKTOP, PHONE, open_page

from mpps import pages, record, workbook
from mpps.compare import ANCHORS
from mpps.explorer import MIME
from mpps.explorer.document import leading
from mpps.explorer.sliders import Moves, moved
from mpps.fit import closure_offset
from mpps.path import rate_pps
from mpps.predict import correction

pytestmark = pytest.mark.browser

STUDIES = {"pppoe_receive": ("synchronous", "all"), "packet_transmit": ("all",), "fraglist_gro": ("all",)}
SETTLED = "document.querySelector('.explorer').dataset.settled === 'true'"


def page_of(folder, name, document):
    """A page that holds nothing but an explorer."""
    import nbformat

    shown = nbformat.v4.new_output("display_data", data={MIME: document, "text/plain": "an explorer"})
    cells = [nbformat.v4.new_markdown_cell("# Shown?"), nbformat.v4.new_code_cell("show", outputs=[shown])]
    pages.write_page(
        nbformat.v4.new_notebook(cells=cells),
        name,
        folder,
        record.empty(name, "Shown?") | {"run": {"error": None, "seconds": 1.0}},
    )
    return folder / f"{name}.html"


@pytest.fixture(scope="module")
def explorers(tmp_path_factory):
    """Path -> its studies, the document of an explorer over them, and its page."""
    folder, found = tmp_path_factory.mktemp("explorers"), {}
    for slug, scopes in STUDIES.items():
        studies = [workbook.study(slug, scope) for scope in scopes]
        document = workbook.explorer(*studies).document
        found[slug] = studies, document, page_of(folder, slug, document)
    return found


@pytest.fixture
def opened(browser, explorers):
    """Opens the page of a path, with a fragment; what it asked for and its errors are looked at when the test ends."""
    tabs = []

    def open_at(slug, fragment="", **options):
        tab = open_page(browser, explorers[slug][2], **options)
        tabs.append(tab)
        tab.wait_for_function(SETTLED)
        if fragment:
            go(tab, fragment)
        return tab

    yield open_at
    for tab in tabs:
        assert tab.heard["errors"] == [] and tab.heard["console"] == []
        assert [url for url in tab.heard["requests"] if not url.startswith(("file:", "data:"))] == []
        tab.context.close()


def shown(tab) -> dict:
    """What the explorer says of itself, when it has settled."""
    tab.wait_for_function(SETTLED)
    return tab.evaluate("({...document.querySelector('.explorer').dataset})")


def go(tab, fragment):
    """Follow a link within the page; the page's own listener has answered when this one does."""
    tab.evaluate(
        "text => new Promise(done => { addEventListener('hashchange', () => done(), {once: true}); location.hash = text; })",
        fragment,
    )


def put(tab, name, index):
    """Set a slider as a hand would: its place, and the event that tells of it."""
    tab.evaluate(
        "([name, index]) => { const one = document.querySelector(`[name=${name}]`); one.value = index;"
        " one.dispatchEvent(new Event('input', {bubbles: true})); }",
        [name, index],
    )


def choose(tab, variant):
    tab.locator("select[name=variant]").select_option(variant)


def settings(document, model, name):
    """The settings of a slider of the page, None for what the run fitted."""
    if name != "coalescing":
        return document["handoff_factors" if name == "handoff" else "factors"]
    own = [c for c in document["coalescing"] if abs(c / model["packets"] - 1) > 0.05]
    return sorted([*own, None], key=lambda c: model["packets"] if c is None else c)


def beyond(model, mechanism, n):
    """The mechanism with n senders: beyond the measured counts its hand-off stays as it is at the depth that the document names."""
    if not model["stays"] or n <= model["stays"][0]:
        return mechanism
    return dataclasses.replace(mechanism, clamp_depth=model["stays"][1])


def model_rate(studies, document, entry, moves, n):
    """Rate in the unit of the page by `rate_pps` and event simulation at these settings, and the 99.9 % error of the latter."""
    study = next(one for one in studies if entry["name"] in one.variants)
    one, variant = leading(study.fitted)[0], study.variant(entry["name"])
    path, changed, values = moved(study.path, variant, one.mechanism, one.values, moves)
    anchors = np.array(ANCHORS)
    offset, error = closure_offset(path, one.mechanism, values, [(changed, anchors)])[0]
    at = lambda curve: np.interp(np.log(n), np.log(anchors), curve[0])
    mechanism = beyond(entry["models"][0], one.mechanism, n)
    rate = rate_pps(path, changed, mechanism, values, np.array([n]), at(offset))[0, 0]
    return document["per_pps"] * rate, 3.7 * float(at(error))


@pytest.mark.parametrize("slug", STUDIES)
def test_at_random_settings_the_page_says_what_the_model_says(opened, explorers, slug):
    """To the error that the page states, and that of the simulation that it is held against."""
    studies, document, _ = explorers[slug]
    rng, tab = np.random.default_rng(3), opened(slug)
    for _ in range(5):
        entry = document["variants"][rng.integers(len(document["variants"]))]
        choose(tab, entry["name"])
        model, asked = entry["models"][0], {}
        for name in ("private", "section", "handoff", "coalescing", "ceiling"):
            slider = tab.locator(f"input[name={name}]")
            if not slider.count() or slider.is_hidden():
                continue
            known = settings(document, model, name)
            index = int(rng.integers(len(known)))
            put(tab, name, index)
            asked[name] = known[index]
        index = int(rng.integers(len(document["counts"])))
        put(tab, "cores", index)
        n = document["counts"][index]
        found = shown(tab)
        exact, error = model_rate(studies, document, entry, Moves(**asked), n)
        assert abs(float(found["rate"]) / exact - 1) <= float(found["error"]) + error, (entry["name"], n, asked)
        said = tab.locator(".ex-answer p").first.inner_text()
        assert said.startswith(f"{entry['name']}, {n} ") and document["unit"] in said


@pytest.mark.parametrize("slug", STUDIES)
def test_as_fitted_every_count_of_the_table_is_that_of_the_model(opened, explorers, slug):
    studies, document, _ = explorers[slug]
    tab, study = opened(slug), studies[0]
    entry = next(one for one in document["variants"] if one["name"] == document["start"]["variant"])
    link = tab.locator("a[download='explorer.csv']").get_attribute("href")
    rows = list(csv.reader(io.StringIO(urllib.parse.unquote(link.partition(",")[2]))))
    n = np.array([int(row[0]) for row in rows[1:]])
    one, variant = leading(study.fitted)[0], study.variant(entry["name"])
    offset = correction(study.fitted, one, variant, one.mechanism, one.values, n)[0]
    each = lambda count: rate_pps(
        study.path,
        variant,
        beyond(entry["models"][0], one.mechanism, count),
        one.values,
        np.array([count]),
        offset[n == count],
    )[0, 0]
    exact = document["per_pps"] * np.array([each(count) for count in n])
    assert list(n) == document["counts"]
    for column in (2, 3):
        values = np.array([float(row[column]) for row in rows[1:]])
        assert np.abs(values / exact - 1).max() <= max(float(shown(tab)["error"]), 1e-8)
    measured = {int(row[0]): float(row[1]) for row in rows[1:] if row[1]}
    assert measured == {point[0]: point[1] for point in entry["points"]}


def test_eight_senders_are_slower_than_four_and_the_page_says_why(opened):
    tab = opened("pppoe_receive", "#explore=variant:both%20locks;cores:8")
    words = tab.locator(".ex-answer").inner_text()
    assert "The receive lock limits" in words
    assert "4 senders carry" in words and "since handing it on costs more" in words
    assert shown(tab)["limit"] == "station"
    put(tab, "handoff", 0)
    shown(tab)
    assert "carry" not in tab.locator(".ex-answer").inner_text()


def test_a_slider_for_what_a_variant_does_not_have_is_absent(opened):
    tab = opened("pppoe_receive")
    visible = lambda: [one.get_attribute("name") for one in tab.locator("input[type=range]").all() if one.is_visible()]
    assert visible() == ["cores", "private", "section", "handoff"]
    choose(tab, "no lock")
    assert visible() == ["cores", "private"] and tab.locator(".ex-two").is_hidden()
    choose(tab, "both locks, GRO on")
    assert visible() == ["cores", "private", "section", "handoff", "coalescing"]
    assert opened("packet_transmit").locator("input[name=section]").count() == 0


def test_the_link_holds_the_state(opened, explorers):
    tab = opened("pppoe_receive")
    choose(tab, "both locks, GRO on")
    for name, index in (("section", 5), ("handoff", 0), ("coalescing", 9), ("cores", 15)):
        put(tab, name, index)
    before = shown(tab)
    fragment = tab.evaluate("location.hash")
    assert fragment.startswith("#explore=variant:both%20locks%2C%20GRO%20on;section:0.5;handoff:0;coalescing:")
    assert fragment.endswith(";cores:16")
    other = opened("pppoe_receive")
    other.goto(explorers["pppoe_receive"][2].as_uri() + fragment)
    other.reload()
    assert shown(other) == before and other.evaluate("location.hash") == fragment
    assert other.evaluate("Math.abs(document.querySelector('.explorer').getBoundingClientRect().top) < 500")


def test_reset_goes_back_to_the_fitted_state(opened):
    tab = opened("packet_transmit")
    first = shown(tab)
    put(tab, "private", 3)
    assert shown(tab)["rate"] != first["rate"]
    tab.get_by_role("button", name="Reset").click()
    assert shown(tab) == first and tab.evaluate("location.hash") == ""
    assert "as fitted" in tab.locator(".ex-answer").inner_text()


def test_a_nonsense_fragment_is_clamped_or_left_out(opened):
    tab = opened("pppoe_receive")
    for fragment, count, variant in (
        ("#explore=variant:nobody;cores:1e9;private:-7", 64, "both locks"),
        ("#explore=variant:no%20lock;cores:nothing;private:;section:NaN;;;:::;=", 8, "no lock"),
        ("#explore=variant:%E0%A4%A;cores:2.2", 2, "both locks"),
        ("#explore=__proto__:1;constructor:2;cores:Infinity", 8, "both locks"),
        ("#explore=variant:<img src=x onerror=alert(1)>;cores:4", 4, "both locks"),
        ("#explore2=cores:2", 4, "both locks"),
    ):
        go(tab, fragment)
        said = tab.locator(".ex-answer p").first.inner_text()
        assert said.startswith(f"{variant}, {count} senders: "), fragment
        assert tab.locator("img").count() == 0


def test_names_with_html_in_them_stay_text(browser, explorers, tmp_path):
    evil = '</script><img src=x onerror="document.title=1">&amp;\'"'
    document = json.loads(json.dumps(explorers["packet_transmit"][1]))
    document |= {"title": evil, "unit": evil, "sender": evil, "senders": evil}
    for entry in document["variants"]:
        entry |= {"name": entry["name"] + evil, "station": evil, "words": evil}
        entry["points"] = [[n, rate, evil] for n, rate, _ in entry["points"]]
        for model in entry["models"]:
            model["ceilings"] = evil
    for one in document["mechanisms"]:
        one |= {"name": evil, "words": evil}
    document["start"]["variant"] = document["variants"][0]["name"]
    tab = open_page(browser, page_of(tmp_path, "evil", document))
    tab.wait_for_function(SETTLED)
    put(tab, "ceiling", 0)
    tab.wait_for_function(SETTLED)
    assert tab.locator("img").count() == 0 and tab.title() == "Shown?"
    assert evil in tab.locator(".ex-answer p").first.inner_text()
    tab.context.close()


def test_without_scripts_a_drawing_and_a_sentence_stay(opened, explorers, browser):
    tab = open_page(browser, explorers["pppoe_receive"][2], size=PHONE, scripts=False)
    assert tab.locator(".ex-still svg").is_visible() and tab.locator(".ex-live").is_hidden()
    assert "both locks with 8 senders" in tab.locator(".ex-still figcaption").inner_text()
    tab.context.close()
    assert opened("pppoe_receive").locator(".ex-still").is_hidden()


def test_the_keyboard_moves_a_slider_and_its_value_is_told(opened):
    tab = opened("pppoe_receive", size=DESKTOP)
    slider = tab.get_by_label("Section")
    before = slider.get_attribute("aria-valuetext")
    slider.focus()
    tab.keyboard.press("ArrowLeft")
    shown(tab)
    assert slider.get_attribute("aria-valuetext") == tab.locator("output[for=explore-section]").inner_text() != before
    assert tab.locator(".ex-answer").get_attribute("aria-live") == "polite"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_prints_what_it_shows(opened, scheme):
    tab = opened("pppoe_receive", "#explore=variant:both%20locks;section:0.5;cores:16", size=PHONE, scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert all(box["width"] <= 350 for box in (one.bounding_box() for one in tab.locator(".ex-live svg").all()) if box)
    words = tab.locator(".ex-answer").inner_text()
    tab.emulate_media(media="print")
    assert tab.locator("input[name=section]").is_hidden() and tab.locator("output[for=explore-section]").is_visible()
    assert tab.locator(".ex-rate svg").is_visible() and tab.locator(".ex-answer").inner_text() == words


def test_a_click_into_the_chart_chooses_the_count(opened):
    tab = opened("packet_transmit")
    box = tab.locator(".ex-rate svg").bounding_box()
    tab.mouse.click(box["x"] + 40, box["y"] + 100)
    shown(tab)
    assert tab.locator("output[for=explore-cores]").inner_text() == "1"
