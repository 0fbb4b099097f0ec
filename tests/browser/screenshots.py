"""A PNG of every page of a reports folder: on a desk and on a phone, light and dark.

python tests/browser/screenshots.py [FOLDER]
"""

import pathlib
import sys

import chromium


def main(folder: pathlib.Path) -> None:
    """Write `<page>-<desktop|phone>-<light|dark>.png` for every page of `folder` into its `screenshots/`."""
    pages = sorted(folder.glob("*.html"))
    browser_path = chromium.find()
    if browser_path is None:
        sys.exit("no chromium found: install it, or name one with MPPS_CHROMIUM")
    if not pages:
        sys.exit(f"no pages in {folder}: run make report")
    target = folder / "screenshots"
    target.mkdir(exist_ok=True)
    with chromium.launched(browser_path) as browser:
        for path in pages:
            for device, size in (("desktop", chromium.DESKTOP), ("phone", chromium.PHONE)):
                for scheme in ("light", "dark"):
                    page = chromium.open_page(browser, path, size=size, scheme=scheme)
                    page.screenshot(path=target / f"{path.stem}-{device}-{scheme}.png", full_page=True)
                    page.context.close()
    print(f"{4 * len(pages)} pictures of {len(pages)} pages: {target}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "reports"))
