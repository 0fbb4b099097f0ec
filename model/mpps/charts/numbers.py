"""The numbers that a chart draws, as a table that travels in the chart itself: columns, rows, unit.

A page shows it under the chart and offers it as CSV. The charts' own rows are the source, so that both say the same.
"""

from mpps.charts import layout

#: Field -> title and kind (`mpps.tables.Column`) in the order of a table; a column stands where a row has a value.
#: The title of `n`, `x`, `median` and `observed` follows the chart's own words.
_FIELDS = {
    "panel": ("path", "text"),
    "machine": ("machine", "text"),
    "variant": ("variant", "text"),
    "series": ("series", "text"),
    "mechanism": ("mechanism", "text"),
    "test": ("check", "text"),
    "method": ("method", "text"),
    "what": ("row", "text"),
    "parameter": ("parameter", "text"),
    "name": ("name", "text"),
    "model": ("model", "text"),
    "dataset": ("data set", "text"),
    "part": ("part", "text"),
    "level": ("interval", "percent"),
    "stage": ("stage", "text"),
    "resource": ("where", "text"),
    "link": ("link", "text"),
    "n": ("n", "count"),
    "x": ("x", "number"),
    "y": ("y", "number"),
    "depth": ("senders at the lock", "number"),
    "beyond": ("n over the largest training n", "number"),
    "value": ("value", "number"),
    "before": ("before", "number"),
    "median": ("model", "interval"),
    "gain": ("gain", "interval"),
    "section_ns": ("section", "interval"),
    "ns": ("time", "interval"),
    "cycles": ("cycles", "number"),
    "observed": ("measured", "exact"),
    "limit": ("what limits", "text"),
    "utilisation": ("busy", "percent"),
    "held": ("points inside", "interval"),
    "error": ("error", "percent"),
    "weight": ("weight", "percent"),
    "first": ("alone", "percent"),
    "total": ("with others", "percent"),
    "p": ("probability of a gain", "percent"),
    "share": ("probability", "percent"),
    "loss": ("deviance", "number"),
    "points": ("points", "count"),
    "inside": ("inside the interval", "text"),
    "width": ("log of upper over lower end", "number"),
    "unit": ("unit", "text"),
    "note": ("note", "text"),
    "source": ("source", "text"),
}
_ENDS = ("lower", "upper")
_MARKS = ("extrapolated", "hypothetical", "held out", "registered")
#: Units of fields that have one by themselves.
_UNITS = {"gain": "fraction", "section_ns": "ns", "ns": "ns", "utilisation": "fraction", "error": "fraction",
          "weight": "fraction", "total": "fraction", "held": "fraction", "loss": "deviance"}  # fmt: skip


def table_of(name: str, rows, options: dict) -> dict:
    """The table of the chart function `name` that was called with these rows and options.

    Returns `{"columns": [[field, title, kind, unit], ...], "rows": [{field: value}, ...], "unit"}`, JSON's own types only.
    """
    rows = _rows(name, rows, options)
    unit = options.get("unit") or ""
    fields = [field for field in _FIELDS if any(row.get(field) is not None for row in rows)]
    columns = []
    for field in fields:
        title, kind = _FIELDS[field]
        if field in ("n", "x"):
            title = options.get("x_title") or ("cores" if field == "n" else title)
        if field == "y":
            title = options.get("y_title") or title
        own = _UNITS.get(field) or (unit if field in ("median", "observed", "before") else "")
        if kind != "text" and any(isinstance(row.get(field), str) for row in rows):
            kind = "text"
        if kind == "interval" and (field != _main(fields) or not _has_ends(rows, field)):
            kind = "percent" if own == "fraction" else "number"
        columns.append([field, title, kind, own])
    taken = [*fields, *(end for end in _ENDS if any(row.get(end) is not None for row in rows))]
    kept = [{field: row[field] for field in taken if row.get(field) is not None} for row in rows]
    main = _main(fields)
    return {"columns": columns, "rows": kept, "unit": _UNITS.get(main, unit)}


def _main(fields) -> str | None:
    """The field whose interval `lower` and `upper` are."""
    return next((field for field in fields if _FIELDS[field][1] == "interval"), None)


def _has_ends(rows, field: str) -> bool:
    return any(row.get(field) is not None and any(row.get(end) is not None for end in _ENDS) for row in rows)


def _rows(name: str, rows, options: dict) -> list[dict]:
    if name == "overview":
        return [
            _noted({"unit": each["unit"], **row, "panel": each["title"]})
            for each in rows
            for row in layout.clean(each["rows"])
        ]
    made = [_noted(row, options.get("held_out", ())) for row in layout.clean(rows)]
    for extra, mark in (("baseline_rows", "USL"), ("registered", "registered")):
        made += [row | {"variant": f"{row['variant']}, {mark}"} for row in layout.clean(options.get(extra) or ())]
    return made


def _noted(row: dict, held_out=()) -> dict:
    """A row with its marks in words, without what a cell cannot hold."""
    row = {key: value for key, value in row.items() if value is None or isinstance(value, str | int | float)}
    hidden = row.get("n") in held_out or (row.get("variant"), row.get("n")) in held_out
    marks = [mark for mark in _MARKS if row.get(mark)] + (["held out"] if hidden else [])
    if marks and not row.get("note"):
        row["note"] = ", ".join(marks)
    if isinstance(row.get("inside"), bool):
        row["inside"] = "yes" if row["inside"] else "no"
    return row
