"""Rows of a table with one value a row, whatever file it stood in: CSV, Parquet, JSON lines."""

from mpps.errors import DataError
from mpps.readers.core.columns import PROVENANCE, folded_name, roles, split_unit
from mpps.readers.core.counts import counted
from mpps.readers.core.intervals import interval, is_bound
from mpps.readers.core.metrics import metric_of
from mpps.readers.core.nouns import COLUMNS, NUMBERS, Ignored, Options, Part, Row
from mpps.readers.core.numbers import empty, prefixed_value, quantity
from mpps.readers.core.source import Source
from mpps.readers.core.units import unit_of

#: A count that is plainly left empty; other words that stand for a missing value (x, nan, fail) may be a mistyped count.
_NO_COUNT = frozenset(("", "-", "--", "---", "–", "—", "n/a", "na", "n.a.", "none", "null"))


def is_tidy(source: Source, names: list[str], line: int, options: Options) -> bool:
    """Whether the names are those of a table with one value a row: a value column, and a count or a variant."""
    found = roles(source, line, names, options)
    named = "value" in found and (options.value is not None or folded_name(names[found["value"]]) != "total")
    return named and len({"variant", "metric", "unit", "dataset"} & set(found)) >= 1


def tidy_rows(source: Source, names: list[str], header_line: int, rows, decimal: str, options: Options) -> Part:
    """`rows` are (line, cells as text). Raises `DataError` for a cell that is no number and no hole."""
    found = roles(source, header_line, names, options)
    if "n several" in found:
        counting = [name for name in names if _counting(name)]
        raise source.wrong(
            header_line, ", ".join(names), f"one column of counts, not {len(counting)} ({', '.join(counting)})",
            f"say --n {counting[0]} or --n {counting[1]}" if len(counting) > 1 else "say --n",
        )  # fmt: skip
    if "value" not in found:
        raise source.wrong(
            header_line, ", ".join(names), "a column named value", "say which one it is with --value COLUMN"
        )
    heading, heading_unit = split_unit(names[found["value"]])
    if set(COLUMNS) <= set(names) and options == Options(unit=options.unit):
        # Our own form: every further column is one of the numbers by its exact name, or a label.
        found = {name: names.index(name) for name in (*COLUMNS, *NUMBERS) if name in names}
    used = set(found.values())
    own = set(COLUMNS) <= set(names)
    provenance = [
        place
        for place, name in enumerate(names)
        if place not in used and folded_name(name) in (("file", "line") if own else PROVENANCE)
    ]
    labels = [place for place in range(len(names)) if place not in used and place not in provenance and names[place]]
    out, ignored = [], []
    for line, cells in rows:
        row = _row(source, names, line, cells, found, labels, decimal, options, heading, heading_unit)
        if isinstance(row, Ignored):
            ignored.append(row)
        else:
            out.append(row)
    if not out:
        raise DataError(
            f"{source.file}, line {header_line}: found no row with a value: expected numbers in column "
            f"{names[found['value']]!r}; fill it, or name another with --value"
        )
    what = ", ".join(
        f"{role} from {names[place]!r}" for role, place in found.items() if folded_name(names[place]) != role
    )
    told = ["one value a row" + (f": {what}" if what else "")]
    if provenance:
        told.append("columns left aside: " + ", ".join(repr(names[place]) for place in provenance))
    return Part(tuple(out), tuple(told), ignored=tuple(ignored))


def _counting(name: str) -> bool:
    from mpps.readers.core.counts import counts_what

    return counts_what(name.replace("_", " ")) is not None


def _row(source, names, line, cells, found, labels, decimal, options, heading, heading_unit):
    def cell(role: str) -> str:
        return cells[found[role]].strip() if role in found else ""

    text = cell("value")
    if empty(text):
        return Ignored(source.file, line, ", ".join(cells), f"no value in column {names[found['value']]!r}")
    amount, span = quantity(text, decimal), None
    if amount is None and is_bound(text):
        return Ignored(source.file, line, ", ".join(cells), f"a bound, no value: {text!r}")
    if amount is None and (span := interval(text, decimal)):
        amount = span[0]
    if amount is None:
        raise source.wrong(
            line,
            text,
            "a number such as 49.40, 1,509,628 or 185k",
            "correct the cell, or leave it empty",
            names[found["value"]],
        )
    unit = cell("unit") or (amount.unit.name if amount.unit else "") or heading_unit or options.unit or ""
    known = unit_of(unit)
    unit = known.name if known else unit
    value, printed, unit = prefixed_value(amount, unit)
    n = None
    if "n" in found and cell("n").lower() not in _NO_COUNT:
        n = _count(source, line, cell("n"), decimal, names[found["n"]])
    numbers = {"lower": span[1].value, "upper": span[2].value} if span else {}
    for role in NUMBERS:
        if role in found and not empty(cell(role)):
            number = quantity(cell(role), decimal)
            if number is None and role == "repeat":
                continue
            if number is None:
                raise source.wrong(
                    line, cell(role), "a number", "correct the cell, or leave it empty", names[found[role]]
                )
            numbers[role] = int(number.value) if role == "repeat" else number.value
    return Row(
        dataset=cell("dataset") or source.stem,
        variant=cell("variant") or "measured",
        n=n,
        metric=cell("metric") or metric_of(unit, heading if heading_unit else ""),
        value=value,
        unit=unit,
        printed=printed,
        file=source.file,
        line=line,
        labels=tuple((names[place], cells[place].strip()) for place in labels if cells[place].strip()),
        **numbers,
    )


def _count(source: Source, line: int, text: str, decimal: str, column: str) -> float:
    amount = quantity(text, decimal)
    if amount is not None and amount.value >= 0 and amount.sign != "-":
        return amount.value
    if (found := counted(text)) is not None:
        return float(found[0])
    raise source.wrong(
        line,
        text,
        "a count, zero or above",
        "write how many cores, threads or queues the row is for, or leave the row out",
        column,
    )
