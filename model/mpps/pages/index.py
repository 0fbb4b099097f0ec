"""The index: a batch at a glance."""

import json
import pathlib
import re
import urllib.parse

from mpps.pages.comparison import comparison, numbers_csv, status_of
from mpps.pages.templates import render, text, write_text

#: Thumbnails stand in the page itself up to so many records; beyond, the browser loads the files that come into sight.
MOST_INLINE = 24
_OWN_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def write_index(
    folder: pathlib.Path,
    records: list[dict],
    seconds: float,
    *,
    title: str = "Models of packet-path scaling",
    sections=(),
) -> pathlib.Path:
    """Write `index.html` over the records of a batch, failures first; `seconds` are those of the last run.

    The validation page stands first where `folder` has one. `sections` are pairs of heading and HTML (escaped by whoever
    made it) that stand before the pages, such as the comparison of a matrix.
    """
    failed = [record for record in records if record["run"]["error"]]
    entries = [
        {
            "record": record,
            "status": status_of(record),
            "picture": _picture(folder, record, len(records) <= MOST_INLINE),
        }
        for record in records
    ]
    write_text(
        folder / "index.html",
        render(
            "index.html.j2",
            title=title,
            entries=entries,
            failed=failed,
            seconds=seconds,
            sections=sections,
            compared=comparison(records) if records else None,
            csv="data:text/csv;charset=utf-8," + urllib.parse.quote(numbers_csv(records)),
            validation=_validation(folder),
            style=text("style.css"),
            script=text("index.js"),
        ),
    )
    return folder / "index.html"


def _picture(folder: pathlib.Path, record: dict, inline: bool) -> dict:
    """The picture of a record: its file, and its markup where it stands in the page."""
    run = record["run"]
    file = run.get("thumbnail") or (run["charts"][0]["file"] if run["charts"] else "")
    return {"file": file, "svg": _markup(folder / file) if file and inline else ""}


def _markup(path: pathlib.Path) -> str:
    try:
        svg = _OWN_STYLE.sub("", path.read_text(encoding="utf-8"))
    except OSError:
        return ""
    return svg if svg.startswith("<svg") else ""


def _validation(folder: pathlib.Path) -> dict | None:
    """What the index says of the validation page; None without one."""
    from mpps.pages.validation import NAME, answer

    try:
        document = json.loads((folder / f"{NAME}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    goals = document["goals"]
    pictures = [*sorted((folder / NAME).glob("thumbnail.svg")), *sorted((folder / NAME).glob("01-*.svg"))]
    file = f"{NAME}/{pictures[0].name}" if pictures else ""
    return {
        "answer": answer(document),
        "reached": sum(goal["reached"] for goal in goals),
        "goals": len(goals),
        "picture": {"file": file, "svg": _markup(folder / file) if file else ""},
    }
