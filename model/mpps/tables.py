"""Rows as tables: aligned and rounded for people, exact as CSV for programs."""

import csv
import dataclasses
import html
import io
import urllib.parse

from mpps.text import interval, number, percent

#: What a page shows of a table; the download has all of it.
MOST_ROWS, MOST_COLUMNS = 100, 40
_RIGHT = ("figures", "number", "count", "exact", "interval", "percent", "change")


@dataclasses.dataclass(frozen=True)
class Column:
    """One column: the field it shows, its title, and how its values are written.

    `kind` is text, figures (text of digits, set to the right), number (significant `digits`), count, exact (all digits
    of the value), percent (of a fraction), change (a fraction with its sign), or interval (fields `field`, `lower`,
    `upper`).
    """

    field: str
    title: str
    kind: str = "text"
    digits: int = 3
    lower: str = "lower"
    upper: str = "upper"

    def cell(self, row: dict) -> str:
        """The value of a row as people read it; empty when there is none."""
        value = row.get(self.field)
        if self.kind == "interval":
            return self._interval(row, value)
        if value is None:
            return ""
        write = {
            "number": lambda: number(value, self.digits),
            "count": lambda: f"{value:,.10g}",
            "exact": lambda: f"{value:,.12g}",
            "percent": lambda: percent(value, self.digits),
            "change": lambda: f"{100 * value:+.1f} %",
        }
        return write.get(self.kind, lambda: str(value))()

    def _interval(self, row: dict, value) -> str:
        ends = row.get(self.lower), row.get(self.upper)
        if ends != (None, None) or row.get("identified") is False:
            return interval(value, *ends)
        return "" if value is None else number(value, self.digits)

    def fields(self) -> tuple[str, ...]:
        """The fields that the column takes from a row."""
        return (self.field, self.lower, self.upper) if self.kind == "interval" else (self.field,)


@dataclasses.dataclass(frozen=True)
class Table:
    """Columns over plain rows; notebooks show it as HTML, terminals as text, documents as Markdown."""

    columns: tuple[Column, ...]
    rows: tuple[dict, ...]
    caption: str = ""
    name: str = "table"  # of the file that a page offers for download
    unit: str = ""  # of the rates, where all have the same: a column of the CSV

    def cells(self) -> list[list[str]]:
        """The body as people read it."""
        return [[column.cell(row) for column in self.columns] for row in self.rows]

    def csv(self) -> str:
        """Exact values: every field that a column shows, intervals as three columns, and the unit of the rates."""
        fields = list(dict.fromkeys(field for column in self.columns for field in column.fields()))
        more = {"unit": self.unit} if self.unit and "unit" not in fields else {}
        out = io.StringIO()
        writer = csv.DictWriter(out, [*fields, *more], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({field: _exact(row.get(field)) for field in fields} | more for row in self.rows)
        return out.getvalue()

    def download(self) -> str:
        """An HTML link that saves the CSV from the page itself, without a server."""
        data = urllib.parse.quote(self.csv())
        name = html.escape(f"{self.name}.csv", quote=True)
        return f'<a class="download" download="{name}" href="data:text/csv;charset=utf-8,{data}">{name}</a>'

    def __str__(self) -> str:
        body = [[column.title for column in self.columns], *self.cells()]
        widths = [max(len(row[i]) for row in body) for i in range(len(self.columns))]
        lines = [
            "  ".join(
                cell.rjust(width) if column.kind in _RIGHT else cell.ljust(width)
                for cell, width, column in zip(row, widths, self.columns)
            ).rstrip()
            for row in body
        ]
        lines.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join(([self.caption] if self.caption else []) + lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        def line(cells):
            return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

        rule = ["---:" if column.kind in _RIGHT else "---" for column in self.columns]
        head = [line(column.title for column in self.columns), "| " + " | ".join(rule) + " |"]
        return "\n".join(([self.caption, ""] if self.caption else []) + head + [line(row) for row in self.cells()])

    def _repr_html_(self) -> str:
        columns, rows = self.columns[:MOST_COLUMNS], self.rows[:MOST_ROWS]
        body = [[column.cell(row) for column in columns] for row in rows]
        looks = [_look(column, [row[i] for row in body]) for i, column in enumerate(columns)]
        heads = (f'<th scope="col"{look}>{html.escape(c.title)}</th>' for c, look in zip(columns, looks))
        parts = [
            '<div class="mpps-table"><table>',
            f"<caption><span>{html.escape(self.caption)}</span></caption>" if self.caption else "",
        ]
        parts += ["<thead><tr>", *heads, "</tr></thead><tbody>"]
        for row, cells in zip(rows, body):
            look = ' class="extrapolated" style="font-style:italic"' if row.get("extrapolated") else ""
            shown = "".join(f"<td{look}>{html.escape(cell)}</td>" for cell, look in zip(cells, looks))
            parts.append(f"<tr{look}>{shown}</tr>")
        return "".join(parts) + f"</tbody></table><p>{self._left_out()}{self.download()}</p></div>"

    def _left_out(self) -> str:
        more = [
            f"{len(every) - most} more {what}"
            for every, most, what in ((self.rows, MOST_ROWS, "rows"), (self.columns, MOST_COLUMNS, "columns"))
            if len(every) > most
        ]
        return f"{' and '.join(more)} in " if more else ""


def _look(column: Column, cells) -> str:
    """Attributes of a column's cells: figures to the right; words keep a width at which they can be read."""
    if column.kind in _RIGHT:
        return ' class="number" style="text-align:right"'
    longest = max((len(cell) for cell in cells), default=0)
    width = "wide" if longest > 30 else "mid" if longest > 14 else "short"
    return f' class="{width}" style="text-align:left"'


def table(rows, columns=None, *, caption: str = "", name: str = "table") -> Table:
    """A table of plain rows; without `columns`, one for each field, numbers rounded to three digits.

    `columns` holds `Column`s, or pairs of field and title.
    """
    rows = tuple(dict(row) for row in rows)
    if columns is None:
        columns = [(field, field.replace("_", " ")) for field in dict.fromkeys(key for row in rows for key in row)]
    made = tuple(each if isinstance(each, Column) else Column(*each, _kind(rows, each[0])) for each in columns)
    return Table(made, rows, caption, name)


def predictions(rows, *, unit: str, series: str = "variant", caption: str = "", name: str = "predictions") -> Table:
    """Predicted and measured rates: rows as `mpps fit --json` gives them; what nobody measured or no machine has is marked."""
    made = []
    for row in rows:
        marks = [word for word in ("extrapolated", "hypothetical") if row.get(word)]
        observed, median = row.get("observed"), row.get("median")
        off = observed / median - 1 if observed is not None and median else None
        made.append({**row, "off": off, "note": ", ".join(marks)})
    columns = [
        Column(series, series),
        Column("n", "cores", "count"),
        Column("median", f"model, {unit} (90 % interval)", "interval"),
        Column("observed", f"measured, {unit}", "exact"),
        Column("off", "measured / model - 1", "change"),
        Column("note", "note"),
        Column("source", "source"),
    ]
    return Table(_used(columns, made, series), tuple(made), caption, name, unit)


def by_cores(
    rows, *, unit: str, series: str = "variant", counts: str = "cores", caption: str = "", name: str = "by_cores"
) -> Table:
    """One line per core count (`counts` is what n counts), one column per variant, each cell the model's median with its 90 % interval."""
    names = list(dict.fromkeys(str(row[series]) for row in rows))
    lines = {}
    for row in sorted(rows, key=lambda row: row["n"]):
        line = lines.setdefault(row["n"], {"n": row["n"], "extrapolated": False, "hypothetical": False})
        for mark in ("extrapolated", "hypothetical"):
            line[mark] = line[mark] or bool(row.get(mark))
        for key in ("median", "lower", "upper"):
            line[_end(row[series], key)] = row.get(key)
    for line in lines.values():
        line["note"] = ", ".join(mark for mark in ("extrapolated", "hypothetical") if line[mark])
    columns = [
        Column("n", counts, "count"),
        *(
            Column(str(each), f"{each}, {unit}", "interval", lower=_end(each, "lower"), upper=_end(each, "upper"))
            for each in names
        ),
        Column("note", "note"),
    ]
    return Table(_used(columns, lines.values(), "n"), tuple(lines.values()), caption, name, unit)


def parameters(rows, *, caption: str = "", name: str = "parameters") -> Table:
    """Fitted values with intervals; open ends are bounds and what the data cannot tell is "not identified"."""
    columns = [
        Column("name", "parameter"),
        Column("median", "value (90 % interval)", "interval"),
        Column("unit", "unit"),
    ]
    return Table(tuple(columns), tuple(rows), caption, name)


def assumptions(items, *, caption: str = "", name: str = "assumptions") -> Table:
    """What an answer rests on that no source fixes: rows or objects with name, median, lower, upper, unit, why."""
    rows = [dict(item) if isinstance(item, dict) else dataclasses.asdict(item) for item in items]
    columns = [
        Column("name", "assumption"),
        Column("median", "value (90 % range)", "interval"),
        Column("unit", "unit"),
        Column("why", "why"),
    ]
    return Table(tuple(columns), tuple(rows), caption, name)


def _end(series, key: str) -> str:
    return str(series) if key == "median" else f"{series} {key}"


def _used(columns, rows, always: str) -> tuple[Column, ...]:
    """The columns that say anything."""
    return tuple(c for c in columns if c.field in (always, "n") or any(c.cell(row) for row in rows))


def _kind(rows, field: str) -> str:
    values = [row[field] for row in rows if row.get(field) is not None]
    return (
        "number" if values and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values) else "text"
    )


def _exact(value):
    return "" if value is None else value
