"""Rows that a fit did not see: how far off each prediction was, and whether its interval held it."""

import numpy as np

from mpps.charts import layout, style
from mpps.text import number, percent


@style.chart
def left_out(rows, *, title: str):
    """Errors of single rows, one line of points for each test and method, on a log axis; hollow points missed their interval.

    `rows` have test, method, error (a fraction, absolute), inside (whether the 90 % interval held the row), width
    (log upper - log lower), and optionally what (the row in words).
    """
    import altair as alt

    rows = layout.clean(rows)
    methods = layout.series_of(rows, "method")
    for row in rows:
        row["line"] = layout.wrapped(f"{row['test']}, {row['method']}")
        row["said"], row["what"] = percent(row["error"]), row.get("what") or row["test"]
    lines = layout.series_of(rows, "line")
    domain = layout.log_domain([max(row["error"], 1e-3) for row in rows], 1.25)
    marks = []
    for line in lines:
        part = [row for row in rows if row["line"] == line]
        middle = float(np.median([row["error"] for row in part]))
        held = sum(bool(row["inside"]) for row in part)
        wide = float(np.median([row["width"] for row in part]))
        said = f"{percent(middle)}, {held} of {len(part)}, × {number(float(np.exp(wide)), 2)}"
        marks.append({"line": line, "middle": max(middle, domain[0]), "method": part[0]["method"], "said": said})
    for row in rows:
        row["shown"] = min(max(row["error"], domain[0]), domain[1])
    room = layout.gutter([mark["said"] for mark in marks], most=310)
    end = style.right_end(room)
    scale = {"type": "log", "domain": list(domain), "range": [0, style.expr(end)], "nice": False}
    axis = {
        "title": "error of a row left out",
        "values": layout.log_ticks(*domain, most=5),
        "format": "~%",
        "grid": True,
    }
    x = {"type": "quantitative", "scale": scale, "axis": axis}
    y = {"field": "line", "type": "nominal", "sort": lines, "axis": layout.names_axis()}
    shades = [style.PALETTE[0], *[style.QUIET] * (len(methods) - 1)]
    colour = {"field": "method", "type": "nominal", "legend": None, "scale": {"domain": methods, "range": shades}}
    drawn = [
        style.layer(
            marks, {"type": "tick", "thickness": 2.5, "size": 20}, x={"field": "middle", **x}, y=y, color=colour
        )
    ]
    for inside in (True, False):
        some = [row for row in rows if bool(row["inside"]) == inside]
        mark = {"type": "point", "size": 55, "filled": inside, "opacity": 0.55 if inside else 1}
        mark |= {"strokeWidth": 0 if inside else 1.8}
        tips = style.tooltip(row="what", method="method", error="said")
        if some:
            drawn.append(style.layer(some, mark, x={"field": "shown", **x}, y=y, color=colour, tooltip=tips))
    words = {"type": "text", "align": "left"}
    drawn.append(style.layer(marks, words, x=style.value(style.expr(f"{end} + 10")), y=y, text=style.text("said")))
    tall = layout.row_height(lines, 30) * len(lines)
    return style.finish(
        alt.layer(*drawn).properties(width=style.WIDTH - 100, height=tall),
        title=title,
        description="; ".join(f"{mark['line']}: {mark['said']}" for mark in marks).replace("\n", " ") + ".",
        key=(
            "point: a row left out",
            "hollow: outside its 90 % interval",
            "at the right: median error (bar), rows inside, upper over lower end of the interval",
        ),
        resize="bars",
        room=layout.gutter(layout.longest(lines), most=300),
    )
