"""The index: a batch at a glance."""

import json
import pathlib

from mpps.pages.templates import render, text, write_text


def write_index(folder: pathlib.Path, records: list[dict], seconds: float) -> pathlib.Path:
    """Write `index.html` over the records of a batch, failures first; `seconds` are those of the last run.

    The validation page stands first where `folder` has one.
    """
    failed = [record for record in records if record["run"]["error"]]
    write_text(
        folder / "index.html",
        render(
            "index.html.j2",
            pages=records,
            failed=failed,
            seconds=seconds,
            validation=_validation(folder),
            style=text("style.css"),
        ),
    )
    return folder / "index.html"


def _validation(folder: pathlib.Path) -> dict | None:
    """What the index says of the validation page; None without one."""
    from mpps.pages.validation import NAME, answer

    try:
        document = json.loads((folder / f"{NAME}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    goals = document["goals"]
    pictures = sorted(path.name for path in (folder / NAME).glob("01-*.svg"))
    return {
        "answer": answer(document),
        "reached": sum(goal["reached"] for goal in goals),
        "goals": len(goals),
        "picture": f"{NAME}/{pictures[0]}" if pictures else "",
    }
