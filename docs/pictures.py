"""The pictures of pages that README.md and docs/ show, small PNGs in docs/images, from the pages of a reports folder.

    python docs/pictures.py [FOLDER]    write them (make screenshots)

It needs chromium, as the tests of pages do.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))

IMAGES = ROOT / "docs" / "images"
#: A picture larger than this makes the README slow to read.
MOST_BYTES = 200_000
#: Picture -> page, what stands at its top (the start of the page when empty), width and height.
VIEWS = {
    "page": ("01_pppoe_receive", "", 1000, 925),
    "explorer": ("01_pppoe_receive", "#try-it", 1000, 900),
    "choose_hardware": ("08_choose_hardware", "", 1000, 845),
    "index": ("index", "", 1000, 640),
}


def main(folder: pathlib.Path) -> None:
    """Write the pictures; ends with a message where a page or the browser is missing, or a picture grows too large."""
    import chromium

    browser_path = chromium.find()
    if browser_path is None:
        sys.exit("no chromium found: install it, or name one with MPPS_CHROMIUM")
    missing = sorted({page for page, *_ in VIEWS.values() if not (folder / f"{page}.html").is_file()})
    if missing:
        sys.exit(f"no {', '.join(f'{page}.html' for page in missing)} in {folder}: run make report")
    IMAGES.mkdir(exist_ok=True)
    with chromium.launched(browser_path) as browser:
        for name, (stem, top, width, height) in VIEWS.items():
            page = chromium.open_page(browser, folder / f"{stem}.html", size={"width": width, "height": height})
            if top:
                page.locator(top).first.evaluate("element => element.scrollIntoView({block: 'start'})")
            picture = page.screenshot()
            page.context.close()
            if len(picture) > MOST_BYTES:
                sys.exit(
                    f"{name}.png has {len(picture):,} bytes, at most {MOST_BYTES:,} are kept: show less of the page"
                )
            (IMAGES / f"{name}.png").write_bytes(picture)
    print(f"{len(VIEWS)} pictures: {IMAGES.relative_to(ROOT)}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "reports"))
