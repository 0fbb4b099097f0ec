"""The table of the numbers below a chart, and the same as CSV with a column for the unit."""

import csv
import dataclasses
import html
import io

from mpps.tables import Column

#: Rows that a page shows of a chart's numbers; the CSV has all of them.
MOST_ROWS = 60
_RIGHT = ("number", "count", "exact", "interval", "percent")


@dataclasses.dataclass(frozen=True)
class Numbers:
    """Columns, rows and the unit of a chart's table (see `mpps.charts.numbers`)."""

    columns: tuple[Column, ...]
    rows: tuple[dict, ...]
    unit: str = ""

    def markup(self) -> str:
        """The table as HTML, values as people read them; empty without rows."""
        if not self.rows:
            return ""
        right = [column.kind in _RIGHT for column in self.columns]
        heads = (f'<th scope="col"{_side(r)}>{html.escape(c.title)}' for c, r in zip(self.columns, right))
        lines = [f"<table><thead><tr>{''.join(heads)}<tbody>"]
        for row in self.rows[:MOST_ROWS]:
            cells = (f"<td{_side(r)}>{html.escape(c.cell(row))}" for c, r in zip(self.columns, right))
            lines.append(f"<tr>{''.join(cells)}")
        more = len(self.rows) - MOST_ROWS
        words = f"<p>{more} more rows stand in the CSV.</p>" if more > 0 else ""
        return "\n".join(lines) + f"</table>{words}"

    def csv(self) -> str:
        """Every row with exact values; the column `unit` is that of the value whose interval the row has.

        Columns that `mpps read` would take for names of curves have the names that it knows: the source of a row is `row`.
        """
        fields = list(dict.fromkeys(field for column in self.columns for field in column.fields()))
        fields += [] if "unit" in fields or not self.unit else ["unit"]
        out = io.StringIO()
        writer = csv.DictWriter(out, fields, extrasaction="ignore", restval="", lineterminator="\n")
        known = {"source": "row"} | ({} if "median" in fields else {"observed": "value"})
        writer.writerow({field: known.get(field, field) for field in fields})
        writer.writerows({"unit": self.unit} | row for row in self.rows)
        return out.getvalue()


def numbers_of(spec: dict) -> Numbers:
    """The numbers of a chart: the table that it carries, which is taken out of `spec`, or the rows of its first layer."""
    own = (spec.get("usermeta") or {}).get("mpps") or {}
    made = own.pop("table", None)
    if made is None:
        return _plain_rows(spec)
    columns = []
    for field, title, kind, unit in made["columns"]:
        shown = "" if unit in ("", "fraction", "deviance") else f", {unit}"
        words = f"{title}{shown}" + (" (90 % interval)" if kind == "interval" else "")
        columns.append(Column(field, words, kind))
    return Numbers(tuple(columns), tuple(made["rows"]), made["unit"])


def _plain_rows(spec: dict) -> Numbers:
    rows = (spec.get("data") or {}).get("values")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return Numbers((), ())
    fields = dict.fromkeys(key for row in rows for key, value in row.items() if isinstance(value, str | int | float))
    kinds = {field: "number" if all(_is_number(row.get(field, 0)) for row in rows) else "text" for field in fields}
    return Numbers(tuple(Column(field, field.replace("_", " "), kinds[field]) for field in fields), tuple(rows))


def _is_number(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _side(right: bool) -> str:
    return " class=r" if right else ""
