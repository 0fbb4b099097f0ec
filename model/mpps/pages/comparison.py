"""Records side by side: one row each, a column for every number and parameter that tells them apart."""

import csv
import dataclasses
import io

from mpps.record import show

#: Columns of numbers that a table shows before the others go into a last column as words.
MOST_NUMBERS = 10
#: Of those, so many.
MOST_OTHERS = 4


@dataclasses.dataclass(frozen=True)
class Cell:
    """What a cell says, and what its column is sorted by (a number or text; None comes last). right: figures."""

    words: str
    key: float | str | None = None
    right: bool = False
    link: str = ""
    kind: str = ""


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Titles and rows of cells."""

    titles: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def comparison(records) -> Comparison:
    """Page, status, duration, the parameters of at least half the records that differ, the numbers that at least two share, and the others.

    A batch of one notebook over many parameters so has a column for each number; different notebooks have theirs as words.
    """
    parameters = [name for name in _names(records, "parameters") if _differs(records, name)]
    counted = {name: sum(name in record["numbers"] for record in records) for name in _names(records, "numbers")}
    shared = [name for name, count in counted.items() if count > 1][:MOST_NUMBERS]
    others = any(set(record["numbers"]) - set(shared) for record in records)
    titles = ("page", "status", "seconds", *parameters, *shared, *(["other numbers"] if others else []))
    rows = [
        (
            Cell(record["name"], record["name"], link=f"{record['name']}.html"),
            _status(record),
            Cell(f"{record['run']['seconds']:.1f}", record["run"]["seconds"], right=True),
            *(_parameter(record["parameters"].get(name)) for name in parameters),
            *(_number(record["numbers"].get(name)) for name in shared),
            *([_others(record["numbers"], shared)] if others else []),
        )
        for record in records
    ]
    return Comparison(titles, tuple(rows))


def numbers_csv(records) -> str:
    """Every key number of the records, one a line, with interval and unit."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["page", "number", "value", "lower", "upper", "unit"])
    for record in records:
        for name, number in record["numbers"].items():
            ends = (number.get(key) for key in ("value", "lower", "upper", "unit"))
            writer.writerow([record["name"], name, *("" if end is None else end for end in ends)])
    return out.getvalue()


def status_of(record: dict) -> str:
    """answered, bounded, open, or failed."""
    return "failed" if record["run"]["error"] else record["status"]


def _status(record: dict) -> Cell:
    status = status_of(record)
    return Cell(status, status, kind=f"status-{status}")


def _names(records, what: str) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record[what]))


def _differs(records, name: str) -> bool:
    """Whether at least half of the records have the parameter, with different values."""
    values = [str(record["parameters"][name]) for record in records if name in record["parameters"]]
    return 2 * len(values) >= len(records) and len(set(values)) > 1


def _parameter(value) -> Cell:
    if value is None:
        return Cell("")
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(str(value), value if plain else str(value), right=plain)


def _number(number: dict | None) -> Cell:
    if number is None:
        return Cell("")
    value = number.get("value")
    if isinstance(value, str):
        return Cell(value, value)
    ends = [end for end in (value, number.get("lower"), number.get("upper")) if end is not None]
    return Cell(show(number), float(ends[0]) if ends else None, right=True)


def _others(numbers: dict, shared) -> Cell:
    every = [f"{name}: {show(number)}" for name, number in numbers.items() if name not in shared]
    more = [f"{len(every) - MOST_OTHERS} more"] if len(every) > MOST_OTHERS else []
    words = "; ".join([*every[:MOST_OTHERS], *more])
    return Cell(words, words or None, kind="wide")
