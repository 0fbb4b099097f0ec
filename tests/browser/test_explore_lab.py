"""The live explorer in JupyterLab: a slider moved by hand shows what the Python model says of that position."""

import json
import math
import re

import pytest
from lab_server import run_all, served

from mpps.explore import explore
from samples import ROOT

pytestmark = pytest.mark.browser

NAME = "09_explore.ipynb"
READY = "document.querySelector('.mpps-explore').dataset.state === 'ready'"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with served(tmp_path_factory) as server:
        yield server


@pytest.fixture(scope="module")
def page(browser, lab):
    """The notebook, run: one page for all tests, each of which leaves the sliders where they were."""
    folder, address = lab
    notebook = json.loads((ROOT / "notebooks" / NAME).read_text(encoding="utf-8"))
    # The explorer of the code path: the rest of the notebook is a report, which other tests run.
    keep = ("09-00", "09-01", "09-02", "09-07")
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] in keep]
    (folder / NAME).write_text(json.dumps(notebook), encoding="utf-8")
    page = run_all(browser, address, NAME)
    page.heard = []
    page.on("pageerror", lambda error: page.heard.append(str(error)))
    page.wait_for_selector(".mpps-explore .rate[data-value]")
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def model():
    return explore("pppoe_receive", cores=8)


def shown(page) -> dict:
    """What the screen says once it has its answer."""
    page.wait_for_function(READY)
    return page.evaluate(
        """() => { const root = document.querySelector('.mpps-explore'); return {
            rate: Number(root.querySelector('.rate').dataset.value), gain: Number(root.querySelector('.gain').dataset.value),
            words: root.querySelector('.answer').textContent, text: root.querySelector('.rate').textContent,
            trouble: root.querySelector('.trouble').textContent } }"""
    )


def held(page, name: str) -> float:
    """The value of a slider, from where its thumb is."""
    slider = page.locator(f".mpps-explore input[data-name={name}]")
    return float(slider.input_value()) / float(slider.get_attribute("max"))


def test_a_slider_shows_what_the_model_says(page, model):
    control = next(each for each in model.answer["frame"]["controls"] if each["name"] == "section_ns")
    before = shown(page)
    slider = page.locator(".mpps-explore input[data-name=section_ns]")
    slider.focus()
    for _ in range(30):  # as a hand does, faster than the answers come
        page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "old => document.querySelector('.mpps-explore .rate').dataset.value !== old", arg=str(before["rate"])
    )
    after = shown(page)
    value = control["low"] * (control["high"] / control["low"]) ** held(page, "section_ns")
    expected = model.respond({"cores": 8, "settings": {"section_ns": float(f"{value:.6g}")}})

    assert before["rate"] == pytest.approx(model.answer["here"]["median"], rel=1e-9)
    assert value < control["median"] * 0.7
    assert after["rate"] == pytest.approx(expected["here"]["median"], rel=1e-9)
    assert after["gain"] == pytest.approx(expected["gain"]["median"], rel=1e-9)
    assert expected["says"]["gain"] in after["words"] and expected["says"]["limit"] in after["words"]
    assert page.locator(".mpps-explore path.reference").count() == 1
    # The event simulation stays that of the fit until it is asked for.
    page.locator(".mpps-explore .simulate").click()
    page.wait_for_function(
        "document.querySelector('.mpps-explore span.simulated').textContent.startsWith('Simulated for')"
    )
    exact = model.simulate(expected["position"])
    assert page.locator(".mpps-explore span.simulated").text_content() == exact["says"]
    page.locator(".mpps-explore .reset").click()
    page.wait_for_function("document.querySelector('.mpps-explore .gain').dataset.value === '1'")
    assert shown(page)["rate"] == before["rate"]
    assert page.heard == []


def test_cores_and_variant(page, model):
    rest = str(shown(page)["rate"])
    page.locator(".mpps-explore input[data-name=cores]").focus()
    page.keyboard.press("Home")
    page.wait_for_function("document.querySelector('.mpps-explore .cursor').getAttribute('x1') < 60")
    alone = shown(page)
    page.locator(".mpps-explore select[data-choice=variant]").select_option("no lock")
    page.wait_for_function("!document.querySelector('.mpps-explore input[data-name=section_ns]')")
    free = shown(page)

    assert alone["rate"] == pytest.approx(model.respond({"cores": 1})["here"]["median"], rel=1e-9)
    assert free["rate"] == pytest.approx(model.respond({"cores": 1, "variant": "no lock"})["here"]["median"], rel=1e-9)
    page.locator(".mpps-explore select[data-choice=variant]").select_option("both locks")
    page.wait_for_selector(".mpps-explore input[data-name=section_ns]")
    assert math.isclose(shown(page)["rate"], alone["rate"])
    page.locator(".mpps-explore input[data-name=cores]").focus()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("rate => document.querySelector('.mpps-explore .rate').dataset.value === rate", arg=rest)


def test_every_control_has_a_name(page):
    """Native inputs, each with its label, its value in words, and room for the arrow keys that JupyterLab would take."""
    page.wait_for_function(READY)
    found = page.evaluate(
        """() => Array.from(document.querySelectorAll('.mpps-explore :is(input, select)'), each => ({
            label: each.labels[0]?.textContent, said: each.getAttribute('aria-valuetext') ?? each.value,
            free: each.hasAttribute('data-lm-suppress-shortcuts') }))"""
    )

    assert len(found) > 6
    assert all(each["label"] and each["said"] and each["free"] for each in found)
    assert re.search("rate against senders", page.locator(".mpps-explore svg[role=img]").get_attribute("aria-label"))


def test_an_error_is_a_sentence(page):
    """A position that the model refuses, as another front end might send it."""
    page.evaluate(
        """() => { const select = document.querySelector('.mpps-explore select[data-choice=machine]');
            select.append(new Option('nowhere', 'nowhere')); select.value = 'nowhere';
            select.dispatchEvent(new Event('change')); }"""
    )
    page.wait_for_selector(".mpps-explore .trouble:not([hidden])")
    after = shown(page)

    assert "unknown machine 'nowhere'" in after["trouble"] and "Traceback" not in after["trouble"]
    assert page.locator(".jp-OutputArea-error").count() == 0
