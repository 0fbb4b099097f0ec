"""What the explorers of a notebook answered: sentences that name what they are about, and the chart of one move."""

from mpps import charts
from mpps.explore import still
from mpps.explore.words import senders
from mpps.text import interval


def explored_words(at_rest: dict, moved: dict, own: dict, what: str) -> list[str]:
    """Three answers as sentences: a code path as fitted, the same with `what` at two thirds of its median, and a table."""
    return [
        f"{_name(at_rest)}: {_short(at_rest)}",
        f"The same with {what.lower()} at two thirds of its median: {_short(moved)}",
        f"{_name(own)}: {_short(own)}",
    ]


def moved_chart(at_rest: dict, moved: dict, what: str):
    """The curve of a code path after the move beside that of its fit."""
    here, who = moved["here"], senders(moved["here"]["n"], moved["frame"]["senders"])
    rate = interval(here["median"], here["lower"], here["upper"])
    before = interval(*(at_rest["here"][key] for key in ("median", "lower", "upper")))
    title = f"{what[:1].upper()}{what[1:]} at two thirds of its median: with {who} {rate} {moved['frame']['unit']}, as fitted {before}"
    return charts.scaling(
        still.rows(moved), title=title, unit=moved["frame"]["unit"], x_title=moved["frame"]["senders"]
    )


def _name(answer: dict) -> str:
    return f"{answer['frame']['title']}, {answer['position']['variant']}"


def _short(answer: dict) -> str:
    """What stands there, after a colon."""
    return answer["says"]["short"].replace("With ", "with ", 1).replace(": ", " ", 1)
