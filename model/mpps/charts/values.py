"""What a fit found: values with their intervals, and the weight of each mechanism."""

from mpps.charts import layout, style
from mpps.text import interval, percent


@style.chart
def parameter_intervals(rows, *, title: str):
    """Values and 90 % intervals of the fitted parameters, one panel per unit; bounds are arrows.

    `rows` have name, median, lower, upper, unit, identified; an end that is None is open.
    """
    import altair as alt

    rows = [{**row, "name": layout.wrapped(row["name"])} for row in layout.clean(rows)]
    units = layout.series_of(rows, "unit")
    room = layout.gutter([_value(row) for row in rows], most=260)
    panels = [_intervals([row for row in rows if str(row.get("unit", "")) == unit], unit, room) for unit in units]
    words = "; ".join(f"{row['name']}: {_value(row)}" for row in rows).replace("\n", " ") + "."
    key = ("dot: median", "bar: 90 % interval", "arrow: bounded on one side only")
    one_sided = any((row.get("lower") is None) != (row.get("upper") is None) for row in rows)
    joined = alt.vconcat(*panels, spacing=20)
    return style.finish(
        joined,
        title=title,
        description=words,
        key=key[: 3 if one_sided else 2],
        resize="children",
        room=layout.gutter(layout.longest(row["name"] for row in rows), most=270),
    )


@style.chart
def mechanism_weights(rows, *, title: str):
    """Weight of each mechanism in the answer: `rows` have mechanism, weight, and optionally error (a fraction)."""
    import altair as alt

    rows = sorted(layout.clean(rows), key=lambda row: -(row["weight"] or 0))
    for row in rows:
        row["mechanism"] = layout.wrapped(row["mechanism"])
        row["said"] = (percent(row["weight"]) if row["weight"] >= 0.001 else "under 0.1 %") + (
            f", error {percent(row['error'])}" if row.get("error") is not None else ""
        )
    room = layout.gutter([row["said"] for row in rows])
    most = max((row["weight"] for row in rows), default=1) or 1
    x = {
        "type": "quantitative",
        "scale": {"domain": [0, most], "range": [0, style.expr(style.right_end(room))]},
        "axis": None,
    }
    y = {
        "field": "mechanism",
        "type": "nominal",
        "sort": [row["mechanism"] for row in rows],
        "axis": layout.names_axis(),
    }
    drawn = [
        style.layer(
            rows,
            {"type": "bar", "height": 14, "color": style.PALETTE[0]},
            x={"field": "weight", **x},
            y=y,
            tooltip=style.tooltip(mechanism="mechanism", weight="said"),
        ),
        style.layer(
            rows, {"type": "text", "align": "left", "dx": 6}, x={"field": "weight", **x}, y=y, text=style.text("said")
        ),
    ]
    words = "; ".join(f"{row['mechanism']}: {row['said']}" for row in rows).replace("\n", " ") + "."
    return style.finish(
        alt.layer(*drawn).properties(
            width=style.WIDTH - 150, height=layout.row_height([row["mechanism"] for row in rows], 26) * len(rows)
        ),
        title=title,
        description=words,
        resize="bars",
        room=layout.gutter(layout.longest(row["mechanism"] for row in rows), most=300),
    )


@style.chart
def sensitivity(rows, *, title: str, most: int = 5):
    """On what a prediction depends: share of its variance by input, one panel per variant, the largest `most` of each.

    `rows` have variant, name, first (explained by the input alone), total (interactions included), fractions.
    """
    import altair as alt

    rows = layout.clean(rows)
    variants, panels, words = layout.series_of(rows, "variant"), [], []
    top = max(1.0, *(row["total"] for row in rows))
    for variant in variants:
        part = sorted((row for row in rows if row["variant"] == variant), key=lambda row: -row["total"])[:most]
        part = [row for row in part if row["total"] >= 0.005] or part[:1]
        for row in part:
            row["name"], row["first"] = layout.wrapped(row["name"]), min(max(row["first"], 0.0), row["total"])
            row["said"] = f"{percent(max(row['total'], 0.0))}, alone {percent(row['first'])}"
        panels.append(_shares(part, top, variant if len(variants) > 1 else ""))
        words.append(f"{variant}: " + "; ".join(f"{row['name']} {row['said']}" for row in part))
    return style.finish(
        alt.vconcat(*panels, spacing=22),
        title=title,
        description=". ".join(words).replace("\n", " ") + ".",
        key=("dark: explained by the input alone", "light: with what it does together with others"),
        resize="children",
        room=layout.gutter(layout.longest(row["name"] for row in rows), most=270),
    )


def _shares(rows, top: float, name: str):
    import altair as alt

    room = layout.gutter([row["said"] for row in rows], most=200)
    scale = {"domain": [0, top], "range": [0, style.expr(style.right_end(room))]}
    x = {"type": "quantitative", "scale": scale, "axis": None}
    names = [row["name"] for row in rows]
    y = {"field": "name", "type": "nominal", "sort": names, "axis": layout.names_axis()}
    tips = style.tooltip(input="name", share="said")
    drawn = [
        style.layer(
            rows,
            {"type": "bar", "height": 13, "color": style.PALETTE[0], "opacity": opacity},
            x={"field": field, **x},
            y=y,
            tooltip=tips,
        )
        for field, opacity in (("total", 0.35), ("first", 0.9))
    ]
    text = {"type": "text", "align": "left", "dx": 6}
    drawn.append(style.layer(rows, text, x={"field": "total", **x}, y=y, text=style.text("said")))
    more = {"title": {"text": name, "fontSize": 13, "offset": 6}} if name else {}
    tall = layout.row_height(names, 24) * len(rows)
    return alt.layer(*drawn).properties(width=style.WIDTH - 150, height=tall, **more)


def _intervals(rows, unit: str, room: int):
    import altair as alt

    known = [
        row.get(key)
        for row in rows
        for key in ("median", "lower", "upper")
        if row.get("identified", True) or key != "median"
    ]
    domain = layout.log_domain(known, 1.3)
    end = style.right_end(room)
    x_scale = {"type": "log", "domain": list(domain), "range": [0, style.expr(end)], "nice": False}
    axis = {"title": unit or None, "values": layout.log_ticks(*domain, most=6), "format": ",~g", "grid": True}
    x = {"type": "quantitative", "scale": x_scale, "axis": axis}
    y = {
        "field": "name",
        "type": "nominal",
        "sort": [row["name"] for row in rows],
        "axis": layout.names_axis(),
    }
    bars, arrows, dots, said = [], [], [], []
    for row in rows:
        low, high = row.get("lower"), row.get("upper")
        said.append({"name": row["name"], "said": _value(row)})
        if low is None and high is None:
            bars.append({"name": row["name"], "low": domain[0], "high": domain[1], "open": 1})
            continue
        bars.append(
            {"name": row["name"], "low": max(low or 0, domain[0]), "high": min(high or domain[1], domain[1]), "open": 0}
        )
        if low is None or high is None:
            arrows.append(
                {"name": row["name"], "x": domain[0] if low is None else domain[1], "way": -90 if low is None else 90}
            )
        if row.get("median") and low is not None and high is not None:
            dots.append({"name": row["name"], "x": row["median"]})
    dash = {"field": "open", "type": "nominal", "legend": None, "scale": {"domain": [0, 1], "range": [[1, 0], [2, 4]]}}
    made = [
        style.layer(
            bars,
            {"type": "rule", "strokeWidth": 3, "color": style.PALETTE[0], "opacity": 0.55},
            x={"field": "low", **x},
            x2={"field": "high"},
            y=y,
            strokeDash=dash,
        )
    ]
    if arrows:
        turn = {"field": "way", "type": "quantitative", "scale": None}
        mark = {
            "type": "point",
            "shape": "triangle",
            "filled": True,
            "size": 90,
            "opacity": 1,
            "color": style.PALETTE[0],
        }
        made.append(style.layer(arrows, mark, x={"field": "x", **x}, y=y, angle=turn))
    if dots:
        mark = {"type": "point", "filled": True, "size": 80, "opacity": 1, "color": style.PALETTE[0]}
        made.append(style.layer(dots, mark, x={"field": "x", **x}, y=y))
    words = {"type": "text", "align": "left"}
    made.append(style.layer(said, words, x=style.value(style.expr(f"{end} + 12")), y=y, text=style.text("said")))
    tall = layout.row_height([row["name"] for row in rows], 28)
    return alt.layer(*made).properties(width=style.WIDTH - 150, height=tall * len(rows))


def _value(row: dict) -> str:
    if row.get("identified") is False and row.get("lower") is None and row.get("upper") is None:
        return "not identified"
    said = interval(row.get("median"), row.get("lower"), row.get("upper"))
    return said if said == "not identified" else f"{said} {row.get('unit', '')}".strip()
