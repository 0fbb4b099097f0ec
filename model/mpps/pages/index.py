"""The index: a batch at a glance."""

import pathlib

from mpps.pages.templates import render, text, write_text


def write_index(folder: pathlib.Path, records: list[dict], seconds: float) -> pathlib.Path:
    """Write `index.html` over the records of a batch, failures first; `seconds` are those of the last run."""
    failed = [record for record in records if record["run"]["error"]]
    write_text(
        folder / "index.html",
        render("index.html.j2", pages=records, failed=failed, seconds=seconds, style=text("style.css")),
    )
    return folder / "index.html"
