"""Cores that a rate needs, machine by machine: median and interval against the CPUs that each has."""

from mpps.charts import layout, style


@style.chart
def cores_needed(rows, *, title: str, x_title: str = "cores", series=()):
    """One row a machine, one mark a series: median and 90 % interval of the cores needed, and where the machine ends.

    `rows` have machine, series, median, lower, upper (None where the machine ends before), cpus, and said, the words at
    the right. A median that is None has no mark: more draws than not are beyond the machine.
    """
    rows = layout.clean(rows)
    names = layout.series_of(rows, "series", series)
    machines = [layout.wrapped(name, 30) for name in layout.series_of(rows, "machine")]
    last = max(row["cpus"] for row in rows)
    for row in rows:
        row["machine"] = layout.wrapped(row["machine"], 30)
        row["bar_from"] = row["lower"]
        row["bar_to"] = row["cpus"] if row["upper"] is None else row["upper"]
        row["open"] = row["upper"] is None and row["lower"] is not None
    room = layout.gutter([row["said"] for row in rows], most=260)
    scale = {"type": "log", "base": 2, "domain": [0.93, last * 1.07], "range": [0, style.expr(style.right_end(room))]}
    axis = {"title": x_title, "values": [2**k for k in range(int(last).bit_length())], "format": "d", "grid": True}
    x = {"type": "quantitative", "scale": scale, "axis": axis}
    y = {"field": "machine", "type": "nominal", "sort": machines, "axis": layout.names_axis()}
    beside = {"field": "series", "type": "nominal", "sort": names}
    tips = style.tooltip(machine="machine", variant="series", cores_needed="said", CPUs="cpus")
    colour, shape = style.colour(names), style.shape(names)
    ends = list({row["machine"]: {"machine": row["machine"], "cpus": row["cpus"]} for row in rows}.values())
    bars = [row for row in rows if row["bar_from"] is not None]
    drawn = [
        style.layer(
            ends,
            {"type": "tick", "orient": "vertical", "thickness": 3, "color": style.QUIET, "bandSize": 30},
            x={"field": "cpus", **x},
            y=y,
            tooltip=style.tooltip(machine="machine", CPUs_of_the_machine="cpus"),
        )
    ]
    if bars:
        drawn += [
            style.layer(
                bars,
                {"type": "rule", "strokeWidth": 4, "opacity": 0.45},
                x={"field": "bar_from", **x},
                x2={"field": "bar_to"},
                y=y,
                yOffset=beside,
                color=colour,
                tooltip=tips,
            ),
            style.layer(
                [row for row in bars if row["open"]],
                {"type": "point", "shape": "triangle-right", "filled": True, "size": 60},
                x={"field": "bar_to", **x},
                y=y,
                yOffset=beside,
                color=colour,
                tooltip=tips,
            ),
            style.layer(
                [row for row in rows if row["median"] is not None],
                {"type": "point", "filled": True, "size": 90, "opacity": 1},
                x={"field": "median", **x},
                y=y,
                yOffset=beside,
                color=colour,
                shape=shape,
                tooltip=tips,
            ),
        ]
    drawn.append(
        style.layer(
            rows,
            {"type": "text", "align": "left", "fontSize": 12},
            x=style.value(style.expr(f"{style.right_end(room)} + 10")),
            y=y,
            yOffset=beside,
            text=style.text("said"),
            color=colour,
        )
    )
    import altair as alt

    height = max(30, 24 * len(names)) + 6
    words = "; ".join(f"{row['machine']}, {row['series']}: {row['said']}" for row in rows).replace("\n", " ")
    key = ["dot: median", "bar: 90 % interval", "grey mark: the CPUs that the machine has"]
    key += ["arrow: goes on beyond them"] if any(row["open"] for row in rows) else []
    return style.finish(
        alt.layer(*drawn).properties(width=style.WIDTH - 150, height=height * len(machines)),
        title=title,
        description=f"{words}.",
        key=key,
        resize="bars",
        room=layout.gutter(layout.longest(machines), most=230),
    )
