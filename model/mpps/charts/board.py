"""The scoreboard in pictures: errors of data sets by model, coverage, sharpness, and single series with their forecast."""

from mpps.charts import layout, panel, style
from mpps.charts.axes import cores_axes
from mpps.text import interval, number, percent

_MISSED = style.PALETTE[1]


@style.chart
def error_distribution(rows, *, title: str):
    """Errors of data sets, one line per model: a dot for each data set, a bar from the median to the 80th percentile.

    `rows` have model (the own one first), dataset, error (a fraction).
    """
    import altair as alt
    import numpy as np

    rows = [row for row in layout.clean(rows) if row.get("error") is not None]
    models = layout.series_of(rows, "model")
    domain = layout.log_domain([max(row["error"], 1e-3) for row in rows], 1.25)
    marks = []
    for row in rows:
        row["shown"], row["said"] = max(row["error"], domain[0]), percent(row["error"])
    for model in models:
        errors = [row["shown"] for row in rows if row["model"] == model]
        marks.append({"model": model, "median": float(np.median(errors)), "tail": float(np.quantile(errors, 0.8))})
    for mark in marks:
        mark["said"] = f"{percent(mark['median'])}, {percent(mark['tail'])}"
    axis = {"title": "error of a data set", "values": layout.log_ticks(*domain), "format": "~%", "grid": True}
    room = layout.gutter([mark["said"] for mark in marks])
    span = {"domain": list(domain), "range": [0, style.expr(style.right_end(room))], "type": "log", "nice": False}
    x = {"type": "quantitative", "scale": span, "axis": axis}
    y = {"field": "model", "type": "nominal", "sort": models, "axis": layout.names_axis()}
    greys = [style.PALETTE[0], *[style.QUIET] * (len(models) - 1)]
    colours = {"field": "model", "type": "nominal", "legend": None, "scale": {"domain": models, "range": greys}}
    bar = {"type": "rule", "strokeWidth": 7, "opacity": 0.45, "strokeCap": "butt"}
    tick = {"type": "tick", "thickness": 3, "size": 20, "opacity": 1}
    dot = {"type": "point", "filled": True, "size": 45, "opacity": 0.55}
    words = {"type": "text", "align": "left"}
    beside = style.value(style.expr(f"{style.right_end(room)} + 10"))
    drawn = [
        style.layer(marks, bar, x={"field": "median", **x}, x2={"field": "tail"}, y=y, color=colours),
        style.layer(
            rows,
            dot,
            x={"field": "shown", **x},
            y=y,
            color=colours,
            tooltip=style.tooltip(model="model", data_set="dataset", error="said"),
        ),
        style.layer(marks, tick, x={"field": "median", **x}, y=y, color=colours),
        style.layer(marks, words, x=beside, y=y, text=style.text("said")),
    ]
    said = "; ".join(
        f"{mark['model']}: median {percent(mark['median'])}, 80th percentile {percent(mark['tail'])}" for mark in marks
    )
    return style.finish(
        alt.layer(*drawn).properties(width=style.WIDTH - 130, height=38 * len(models)),
        title=title,
        description=said + ".",
        key=("dots: data sets", "tick: median", "bar: to the 80th percentile", "at the right: both"),
        resize="bars",
        room=layout.gutter(models, most=200),
    )


@style.chart
def coverage(rows, *, title: str):
    """Share of held-out points inside their intervals, with its bootstrap interval, against the nominal level.

    `rows` have part, level (0.9 or 0.5), held, lower, upper (fractions), points.
    """
    import altair as alt

    rows = [row for row in layout.clean(rows) if row.get("held") is not None]
    parts = layout.series_of(rows, "part")
    for row in rows:
        row["name"] = f"{row['part']}, {percent(row['level'])} intervals"
        row["said"] = (
            f"{interval(100 * row['held'], 100 * row['lower'], 100 * row['upper'])} %, {row['points']:,} points"
        )
        row["colour"] = f"{100 * row['level']:.0f}"
    names = [row["name"] for row in rows]
    room = layout.gutter([row["said"] for row in rows])
    axis = {"title": "share of points inside", "values": [0, 0.25, 0.5, 0.75, 0.9, 1], "format": ".0%", "grid": True}
    scale = {"domain": [0, 1], "range": [0, style.expr(style.right_end(room))]}
    x = {"type": "quantitative", "scale": scale, "axis": axis}
    y = {"field": "name", "type": "nominal", "sort": names, "axis": layout.names_axis()}
    colours = {
        "field": "colour",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": ["90", "50"], "range": [style.PALETTE[0], style.PALETTE[2]]},
    }
    aim = {"type": "tick", "thickness": 2, "size": 22, "color": style.TEXT, "opacity": 0.8}
    bar = {"type": "rule", "strokeWidth": 4, "opacity": 0.5}
    dot = {"type": "point", "filled": True, "size": 90, "opacity": 1}
    beside = style.value(style.expr(f"{style.right_end(room)} + 10"))
    drawn = [
        style.layer(rows, bar, x={"field": "lower", **x}, x2={"field": "upper"}, y=y, color=colours),
        style.layer(rows, aim, x={"field": "level", **x}, y=y),
        style.layer(rows, dot, x={"field": "held", **x}, y=y, color=colours),
        style.layer(rows, {"type": "text", "align": "left"}, x=beside, y=y, text=style.text("said")),
    ]
    return style.finish(
        alt.layer(*drawn).properties(width=style.WIDTH - 180, height=30 * len(names)),
        title=title,
        description="; ".join(f"{row['name']}: {row['said']}" for row in rows) + f". Parts: {', '.join(parts)}.",
        key=("dot: share inside", "bar: 90 % bootstrap interval over sources", "tick: what the interval promises"),
        resize="bars",
        room=layout.gutter(names, most=260),
    )


@style.chart
def sharpness(rows, *, title: str):
    """How wide each 90 % interval was, by how far beyond the training points, and whether it held.

    `rows` have series, n, beyond (n over the last training n), width (log upper - log lower), inside (a truth value).
    """
    import math

    rows = [
        {
            "series": row["series"],
            "n": row["n"],
            "beyond": row["beyond"],
            "factor": math.exp(min(row["width"], 50.0)),
            "inside": "inside" if row["inside"] else "outside",
            "said": f"upper end {number(math.exp(min(row['width'], 50.0)), 2)} times the lower",
        }
        for row in layout.clean(rows)
    ]
    low, high = layout.log_domain([row["factor"] for row in rows], 1.15)
    far = max(row["beyond"] for row in rows)
    ticks = [tick for tick in (1.1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16) if tick <= far * 1.05]
    x = {
        "field": "beyond",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [1.0, far * 1.06], "nice": False},
        "axis": {"title": "n over the largest training n", "values": ticks, "format": "~r"},
    }
    y = {
        "field": "factor",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [max(low, 1.0), high], "nice": False},
        "axis": {"title": "upper end over lower end", "values": layout.log_ticks(max(low, 1.0), high), "format": ",~r"},
    }
    tips = style.tooltip(series="series", n="n", interval="said", point="inside")
    drawn = []
    for inside, colour in (("inside", style.PALETTE[0]), ("outside", _MISSED)):
        some = [row for row in rows if row["inside"] == inside]
        mark = {"type": "point", "size": 55, "color": colour, "opacity": 0.5 if inside == "inside" else 0.95}
        mark |= {"filled": True, "strokeWidth": 0} if inside == "inside" else {"filled": False, "strokeWidth": 2}
        if some:
            drawn.append(style.layer(some, mark, x=x, y=y, tooltip=tips))
    mark = {"type": "rule", "strokeDash": [2, 3], "opacity": 0.5}
    drawn.append(style.layer([{"beyond": 2.0}], mark, x=x))
    import altair as alt

    missed = sum(row["inside"] == "outside" for row in rows)
    return style.finish(
        alt.layer(*drawn).properties(width=style.WIDTH, height=300),
        title=title,
        description=f"{len(rows)} points, {missed} outside their interval.",
        key=("filled: measured value inside", "hollow: outside", "dotted line: twice the training range"),
    )


@style.chart
def forecast_case(rows, *, title: str, unit: str, x_title: str = "n", height: int = 210):
    """One series: training points filled, held-out points hollow, the forecast as a dashed line with its bands.

    `rows` have n, observed, and beyond the training points median, lower, upper, lower50, upper50.
    """
    rows = [{"series": "rate", "x": row["n"], **row} for row in layout.clean(rows)]
    ahead = [row for row in rows if row.get("median") is not None]
    axes = cores_axes(rows, y_title=unit, x_title=x_title, height=height)
    blue = style.PALETTE[0]
    made = []
    for low, high, opacity in (("lower", "upper", 0.16), ("lower50", "upper50", 0.25)):
        band = [{"x": row["x"], "low": axes.floor(row[low]), "high": axes.floor(row[high])} for row in ahead]
        mark = (
            {"type": "area", "opacity": opacity, "color": blue} if len(band) > 1 else {"type": "rule", "strokeWidth": 6}
        )
        mark |= {"color": blue, "opacity": opacity}
        made.append(style.layer(band, mark, x=axes.x(), y=axes.y("low"), y2={"field": "high"}))
    line = [{"x": row["x"], "median": axes.floor(row["median"])} for row in ahead]
    mark = {"type": "line", "strokeWidth": 2, "strokeDash": [6, 4], "color": blue}
    made.append(style.layer(line, mark, x=axes.x(), y=axes.y()))
    train = [{"x": row["x"], "observed": row["observed"]} for row in rows if row.get("median") is None]
    made.append(
        style.layer(
            train, {"type": "line", "strokeWidth": 1, "opacity": 0.5, "color": blue}, x=axes.x(), y=axes.y("observed")
        )
    )
    for kind in ("training", "inside", "outside"):
        some = [_told(row, unit) for row in rows if _kind(row) == kind]
        look = {"filled": kind == "training", "color": _MISSED if kind == "outside" else blue}
        mark = {"type": "point", "size": 70, "opacity": 1, "strokeWidth": 0 if kind == "training" else 2, **look}
        tips = style.tooltip(**{x_title.replace(" ", "_"): "x"}, measured="measured", forecast="forecast")
        if some:
            made.append(style.layer(some, mark, x=axes.x(), y=axes.y("observed"), tooltip=tips))
    words = "; ".join(
        f"n = {row['x']:g}: measured {number(row['observed'])}, forecast {layout.said(row)}" for row in ahead
    )
    return style.finish(panel.stack(made, axes), title=title, description=f"In {unit}. {words}.")


def _kind(row: dict) -> str:
    if row.get("median") is None:
        return "training"
    return "inside" if row["lower"] <= row["observed"] <= row["upper"] else "outside"


def _told(row: dict, unit: str) -> dict:
    kind = _kind(row)
    return {
        "x": row["x"],
        "observed": row["observed"],
        "measured": f"{number(row['observed'])} {unit} ({'training' if kind == 'training' else 'held out'})",
        "forecast": "-" if kind == "training" else layout.said(row, unit),
    }
