"""The system's chromium, driven by Playwright: no browser is downloaded."""

import contextlib
import os
import shutil

QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

DESKTOP = {"width": 1100, "height": 900}
PHONE = {"width": 390, "height": 844}


def find() -> str | None:
    """The browser of `MPPS_CHROMIUM`, else the first of the usual names; None where there is none."""
    named = os.environ.get("MPPS_CHROMIUM")
    return shutil.which(named) if named else shutil.which("chromium") or shutil.which("chromium-browser")


@contextlib.contextmanager
def launched(path: str):
    """A headless browser; root needs it without its sandbox."""
    from playwright.sync_api import sync_playwright

    arguments = [*QUIET, *(["--no-sandbox"] if os.getuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def open_page(browser, path, *, size=None, scheme: str = "light", scripts: bool = True, draw: bool = True):
    """A page from the file system, its charts drawn or given up unless `draw` is off; `.heard` lists requests, errors, console lines."""
    context = browser.new_context(viewport=size or DESKTOP, color_scheme=scheme, java_script_enabled=scripts)
    page = context.new_page()
    page.heard = {"requests": [], "errors": [], "console": []}
    page.on("request", lambda request: page.heard["requests"].append(request.url))
    page.on("pageerror", lambda error: page.heard["errors"].append(str(error)))
    page.on("console", lambda line: page.heard["errors" if line.type == "error" else "console"].append(line.text))
    page.goto(path.resolve().as_uri())
    if scripts and draw:
        page.evaluate("window.mppsDrawAll && window.mppsDrawAll()")  # also those that nobody has scrolled to
        page.wait_for_function("document.querySelectorAll('figure.chart:not(.drawn):not(.still)').length === 0")
    return page


_WORDS = """selector => {
  const found = {count: 0, least: 99, clipped: []};
  for (const svg of document.querySelectorAll(selector)) {
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    for (const text of svg.querySelectorAll('text')) {
      const place = text.getBoundingClientRect();
      if (!text.textContent.trim() || !place.width) continue;
      found.count += 1;
      found.least = Math.min(found.least, parseFloat(getComputedStyle(text).fontSize) * scale);
      if (place.left < box.left - 1 || place.right > box.right + 1) found.clipped.push(text.textContent);
    }
  }
  return found;
}"""


def words_of(page, selector: str = "figure.chart .drawing svg") -> dict:
    """Of all words in these pictures: how many, the height of the least in pixels, and those that are cut off."""
    return page.evaluate(_WORDS, selector)
