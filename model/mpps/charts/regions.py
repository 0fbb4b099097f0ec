"""Which resource limits, as a map over two parameters."""

import itertools
import math

from mpps.charts import layout, panel, style
from mpps.charts.axes import Axes
from mpps.text import number, percent

#: A cell is this opaque when a resource limits in every draw: words in it stay readable, light and dark.
_OPAQUE = 0.42
#: Names of regions keep this part of the height away from marks.
_CLEAR = 0.09


@style.chart
def limit_map(rows, *, title: str, x_title: str, y_title: str, here=(), x_whole: bool = False):
    """What limits over two parameters, both on log scales: a colour and a name for each resource, a line where it changes.

    `rows` have x, y, limit (a resource) and share (its probability) at every point of a grid. A cell is the paler the less
    sure its limit is. `here` are marks (x, y, label), such as the fitted values. x_whole: x counts something.
    """
    rows = layout.clean(rows)
    xs, ys = (sorted({row[key] for row in rows}) for key in ("x", "y"))
    # private work has the first colour, blue, as in every chart of costs
    names = sorted(layout.series_of(rows, "limit"), key=lambda name: name != "private work")
    x_edges, y_edges = _edges(xs), _edges(ys)
    ticks = layout.core_ticks(xs) if x_whole else _powers(xs)
    axes = Axes((x_edges[0], x_edges[-1]), ticks, x_title, (y_edges[0], y_edges[-1]), layout.log_ticks(ys[0], ys[-1]), y_title,
                height=300)  # fmt: skip
    cells = [
        {
            "x": x_edges[xs.index(row["x"])],
            "x2": x_edges[xs.index(row["x"]) + 1],
            "y": y_edges[ys.index(row["y"])],
            "y2": y_edges[ys.index(row["y"]) + 1],
            "series": str(row["limit"]),
            "shade": _OPAQUE * (0.15 + 0.85 * row["share"] ** 2),
            "at": f"{number(row['x'])}, {number(row['y'])}",
            "said": f"{row['limit']} ({percent(row['share'])})",
        }
        for row in rows
    ]
    at = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    shade = {"field": "shade", "type": "quantitative", "legend": None, "scale": None}
    tips = style.tooltip(**{"at": "at"}, limits="said")
    drawn = [
        style.layer(
            cells,
            {"type": "rect"},
            x=axes.x(),
            y=axes.y("y"),
            **at,
            color=style.colour(names),
            opacity=shade,
            tooltip=tips,
        )
    ]
    lines = _borders({(row["x"], row["y"]): row["limit"] for row in rows}, xs, ys, x_edges, y_edges)
    if lines:
        mark = {"type": "rule", "strokeWidth": 2, "color": style.TEXT, "opacity": 0.8, "strokeCap": "square"}
        drawn.append(style.layer(lines, mark, x=axes.x(), y=axes.y("y"), **at))
    words = {"type": "text", "fontSize": 13, "fontWeight": 600}
    named = _labels(rows, xs, ys, here)
    for align, shift in (("left", 6), ("center", 0), ("right", -6)):
        some = [each for each in named if each["align"] == align]
        if some:
            mark = words | {"align": align, "dx": shift}
            drawn.append(style.layer(some, mark, x=axes.x(), y=axes.y("y"), text=style.text()))
    marks = [{"x": x, "y": y, "text": label} for x, y, label in here]
    if marks:
        point = {"type": "point", "shape": "diamond", "filled": True, "size": 110, "color": style.TEXT, "opacity": 1}
        beside = {"type": "text", "align": "left", "dx": 9, "fontSize": 12}
        drawn.append(style.layer(marks, point, x=axes.x(), y=axes.y("y")))
        drawn.append(style.layer(marks, beside, x=axes.x(), y=axes.y("y"), text=style.text()))
    said = "; ".join(f"{name} at {sum(row['limit'] == name for row in rows)} of {len(rows)} points" for name in names)
    return style.finish(
        panel.stack(drawn, axes),
        title=title,
        description=f"What most probably limits over {x_title} and {y_title}: {said}.",
        key=(
            "colour and name: what most probably limits",
            "paler: less sure",
            *(("line: where it changes",) if lines else ()),
            *(("diamond: " + ", ".join(label for *_, label in here),) if len(here) == 1 else ()),
        ),
    )


def _edges(values) -> list[float]:
    """Ends of the cells around values on a log scale."""
    if len(values) == 1:
        return [values[0] / 1.2, values[0] * 1.2]
    inner = [(a * b) ** 0.5 for a, b in itertools.pairwise(values)]
    return [values[0] ** 2 / inner[0], *inner, values[-1] ** 2 / inner[-1]]


def _powers(values) -> list[float]:
    return [2.0**k for k in range(-20, 40) if values[0] <= 2.0**k <= values[-1]]


def _borders(limit: dict, xs, ys, x_edges, y_edges) -> list[dict]:
    """Edges between neighbours that different resources limit."""
    lines = []
    for i, x in enumerate(xs):
        for j, y in enumerate(ys):
            if i + 1 < len(xs) and limit.get((x, y)) != limit.get((xs[i + 1], y)):
                edge = x_edges[i + 1]
                lines.append({"x": edge, "x2": edge, "y": y_edges[j], "y2": y_edges[j + 1]})
            if j + 1 < len(ys) and limit.get((x, y)) != limit.get((x, ys[j + 1])):
                edge = y_edges[j + 1]
                lines.append({"x": x_edges[i], "x2": x_edges[i + 1], "y": edge, "y2": edge})
    return lines


def _labels(rows, xs, ys, here) -> list[dict]:
    """The name of each resource at the point of its region that lies nearest to the region's middle, level with no mark.

    Near the sides of the map a name runs inwards (`align`), so that it stays in a narrow one.
    """
    found = []
    part = lambda value, all_of: math.log(value / all_of[0]) / (math.log(all_of[-1] / all_of[0]) or 1.0)
    marks = [part(y, ys) for _, y, _ in here]
    for name in dict.fromkeys(row["limit"] for row in rows):
        own = [row for row in rows if row["limit"] == name]
        middle = [math.exp(sum(math.log(row[key]) for row in own) / len(own)) for key in ("x", "y")]
        free = [row for row in own if all(abs(part(row["y"], ys) - mark) > _CLEAR for mark in marks)] or own
        near = min(free, key=lambda row: abs(math.log(row["x"] / middle[0])) + abs(math.log(row["y"] / middle[1])))
        place = part(near["x"], xs)
        align = "left" if place < 0.25 else "right" if place > 0.75 else "center"
        side = {"left": xs[0], "right": xs[-1]}.get(align)
        x = side if any((row["x"], row["y"]) == (side, near["y"]) for row in own) else near["x"]
        found.append({"x": x, "y": near["y"], "text": str(name), "align": align})
    return found
