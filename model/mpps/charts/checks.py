"""How far to trust a fit: residuals, profiles, held-out points."""

import dataclasses

from mpps.charts import layout, panel, style
from mpps.charts.axes import cores_axes, linear_axes
from mpps.text import number, percent


@style.chart
def residuals(rows, *, title: str, held_out=(), series=(), x_title: str = "cores"):
    """Measured over predicted, minus one, against cores; bars are the 90 % interval, hollow points were held out.

    `rows` are predictions with `observed` (variant, n, median, lower, upper, observed). `series`, `x_title`: see `scaling`.
    """
    rows = [row for row in layout.clean(rows) if row.get("observed") is not None and row.get("median")]
    hidden, names = set(held_out), layout.series_of(rows, "variant", series)
    shown = layout.series_of(rows, "variant")
    made = []
    for row in rows:
        place = (shown.index(str(row["variant"])) - (len(shown) - 1) / 2) * 0.055
        low, high = row.get("lower"), row.get("upper")
        made.append(
            {
                "series": str(row["variant"]),
                "n": row["n"],
                "x": row["n"] * 2**place,
                "median": row["observed"] / row["median"] - 1,
                "lower": None if low is None else low / row["median"] - 1,
                "upper": None if high is None else high / row["median"] - 1,
                "hollow": row["n"] in hidden or (row["variant"], row["n"]) in hidden,
                "said": percent(row["observed"] / row["median"] - 1),
                "source": row.get("source") or "-",
            }
        )
    room = layout.gutter(shown)
    axes = cores_axes(
        made, y_title="measured / model - 1", x_title=x_title, log_y=False, y_format="+.0%", gutter=room, height=260
    )
    counts = [row["n"] for row in rows]
    axes = dataclasses.replace(axes, x_ticks=layout.core_ticks(counts), x_domain=(min(counts) / 1.2, max(counts) * 1.2))
    colours = {"color": style.colour(names), "shape": style.shape(names)}
    tips = style.tooltip(series="series", **{x_title: "n"}, residual="said", source="source")
    bars = [row for row in made if row["lower"] is not None and row["upper"] is not None]
    drawn = panel.level(0.0, axes)
    if bars:
        mark = {"type": "rule", "strokeWidth": 5, "opacity": 0.22}
        drawn.append(
            style.layer(bars, mark, x=axes.x(), y=axes.y("lower"), y2={"field": "upper"}, color=style.colour(names))
        )
    for hollow in (False, True):
        some = [row for row in made if row["hollow"] == hollow]
        mark = {"type": "point", "size": 70, "filled": not hollow, "opacity": 1, "strokeWidth": 2 if hollow else 0}
        if some:
            drawn.append(style.layer(some, mark, x=axes.x(), y=axes.y(), tooltip=tips, **colours))
    drawn += panel.legend(shown, names, axes)
    size = (sum(row["median"] ** 2 for row in made) / max(len(made), 1)) ** 0.5
    inside = sum(row["lower"] <= row["median"] <= row["upper"] for row in bars)
    words = (
        f"{len(made)} residuals, root mean square {percent(size)}, {inside} of {len(bars)} inside the 90 % interval."
    )
    key = (
        "points: measured",
        *(("hollow: held out",) if any(row["hollow"] for row in made) else ()),
        "bars: 90 % interval",
    )
    return style.finish(panel.stack(drawn, axes), title=title, description=words, key=key)


@style.chart
def profile(rows, *, title: str, level: float = 2.71, columns: int = 3):
    """How much worse the fit becomes when one parameter is held: the interval is where the curve stays under the line.

    `rows` have parameter, value, unit, loss (deviance above its least; `level` 2.71 bounds a 90 % interval).
    A curve that stays under the line on one side is a parameter that the data bound on one side only.
    """
    import altair as alt

    rows, drawn, words = layout.clean(rows), [], []
    names = layout.series_of(rows, "parameter")
    for name in names:
        part = sorted((row for row in rows if str(row["parameter"]) == name), key=lambda row: row["value"])
        unit = part[0].get("unit", "")
        # far above the level the height says nothing more
        curve = [
            {"series": "deviance", "x": row["value"], "median": row["loss"]} for row in part if row["loss"] <= 3 * level
        ]
        axes = linear_axes(
            [*curve, {"x": (curve or [{"x": part[0]["value"]}])[0]["x"], "median": 2 * level}],
            x_title=unit,
            y_title="",
            width=190,
            height=130,
            fixed=True,
        )
        inside = [row["value"] for row in part if row["loss"] <= level]
        made = panel.layers(curve, ["deviance"], axes, labels=False) + panel.level(level, axes, "90 %")
        drawn.append(panel.stack(made, axes, panel.head(name, "deviance")))
        words.append(f"{name}: {number(min(inside))} to {number(max(inside))} {unit}" if inside else f"{name}: none")
    joined = alt.concat(*drawn, columns=columns, spacing=28)
    return style.finish(
        joined, title=title, description="Under the line: " + "; ".join(words) + ".", resize="columns", room=200
    )


@style.chart
def holdout(rows, *, title: str):
    """Error on points that the fit did not see: model against USL, one row per test, on a log axis.

    `rows` have test, method (the model's first), error (a fraction), and optionally points.
    """
    import altair as alt

    rows = [{**row, "test": layout.wrapped(row["test"])} for row in layout.clean(rows) if row.get("error") is not None]
    tests, methods = layout.series_of(rows, "test"), layout.series_of(rows, "method")
    domain = layout.log_domain([max(row["error"], 1e-4) for row in rows], 1.25)
    for row in rows:
        row["shown"], row["said"] = max(row["error"], domain[0]), percent(row["error"])
    spans = []
    for test in tests:
        errors = [row["shown"] for row in rows if row["test"] == test]
        spans.append({"test": test, "low": min(errors), "high": max(errors)})
    axis = {"title": "error on held-out points", "values": layout.log_ticks(*domain), "format": "~%", "grid": True}
    x = {"type": "quantitative", "scale": {"type": "log", "domain": list(domain), "nice": False}, "axis": axis}
    y = {"field": "test", "type": "nominal", "sort": tests, "axis": layout.names_axis()}
    greys = [style.PALETTE[0], *[style.QUIET] * (len(methods) - 1)]
    legend = {"symbolSize": 80, "symbolStrokeWidth": 0}
    colours = {"field": "method", "type": "nominal", "scale": {"domain": methods, "range": greys}, "legend": legend}
    drawn = [
        style.layer(
            spans,
            {"type": "rule", "strokeWidth": 1.5, "opacity": 0.3},
            x={"field": "low", **x},
            x2={"field": "high"},
            y=y,
        ),
        style.layer(
            rows,
            {"type": "point", "filled": True, "size": 90, "opacity": 1},
            x={"field": "shown", **x},
            y=y,
            color=colours,
            shape={**style.shape(methods, "method"), "legend": legend},
            tooltip=style.tooltip(test="test", method="method", error="said", points="points"),
        ),
    ]
    words = "; ".join(f"{row['test']}, {row['method']}: {row['said']}" for row in rows).replace("\n", " ") + "."
    return style.finish(
        alt.layer(*drawn).properties(width=style.WIDTH - 180, height=layout.row_height(tests, 28) * len(tests)),
        title=title,
        description=words,
        resize="bars",
        room=layout.gutter(layout.longest(tests), most=300),
    )
