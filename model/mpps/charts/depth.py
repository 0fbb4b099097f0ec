"""What happens at a lock: hand-off against queue depth, depth against cores, and what a change gains."""

import dataclasses

from mpps.charts import layout, panel, style
from mpps.charts.axes import cores_axes, linear_axes
from mpps.text import number, percent


@style.chart
def handoff(rows, *, title: str, measured_depth: float | None = None, series=()):
    """Time of a section with its hand-off against the waiters at the lock, for each mechanism or variant.

    `rows` have mechanism or variant, depth, section_ns, and optionally lower, upper, observed (a section time implied
    by a measurement). Beyond `measured_depth` no measurement reaches, and lines are dashed. `series`: see `scaling`.
    """
    made = []
    for row in layout.clean(rows):
        beyond = measured_depth is not None and row["depth"] > measured_depth
        made.append(
            {
                "observed": None,
                "lower": None,
                "upper": None,
                **row,
                "series": str(row.get("variant") or row.get("mechanism", "section")),
                "x": row["depth"],
                "median": row.get("section_ns"),
                "extrapolated": beyond,
            }
        )
    names, shown = layout.series_of(made, "series", series), layout.series_of(made, "series")
    order = {name: place for place, name in enumerate(names)}
    made.sort(key=lambda row: (order[row["series"]], row["x"]))
    axes = linear_axes(
        made,
        x_title="senders at the lock",
        y_title="ns per section, hand-off included",
        gutter=layout.gutter(shown),
        lifted=measured_depth is not None,
    )
    marks = panel.rule(measured_depth, axes, left="measured depths") if measured_depth is not None else []
    return style.finish(
        panel.stack(panel.layers(made, names, axes, unit="ns") + marks, axes),
        title=title,
        description="Section time against queue depth. " + _ends(made, shown, "ns", "senders"),
        key=(
            *(("points: implied by a measurement",) if _has(made, "observed") else ()),
            "line: model",
            "band: 90 % interval",
            *(("dashes: deeper than any measurement",) if _has(made, "extrapolated") else ()),
        ),
    )


@style.chart
def queue_depth(rows, *, title: str, series=(), x_title: str = "cores"):
    """Senders at the lock against cores, with the section time that this depth costs on top.

    `rows` have variant, n, depth, section_ns, and optionally extrapolated. `series`: see `scaling`.
    """
    import altair as alt

    rows = [
        {"lower": None, "upper": None, "observed": None, **row, "series": str(row["variant"]), "x": row["n"]}
        for row in layout.clean(rows)
    ]
    names, present = layout.series_of(rows, "series", series), layout.series_of(rows, "series")
    drawn = []
    shown = (("section_ns", "ns per section, hand-off included"), ("depth", "senders at the lock, mean"))
    for field, name in shown:
        part = [{**row, "median": row[field]} for row in rows if row.get(field) is not None]
        axes = cores_axes(part, y_title=name, x_title=x_title, log_y=False, gutter=layout.gutter(present), height=170)
        if field == "section_ns":
            axes = dataclasses.replace(axes, x_title="")
        drawn.append(panel.stack(panel.layers(part, names, axes), axes))
    last = [max((row for row in rows if row["series"] == name), key=lambda row: row["x"]) for name in present]
    words = "; ".join(f"{r['series']}: {number(r['depth'])} senders wait or hold at {r['x']:g} cores" for r in last)
    return style.finish(
        alt.vconcat(*drawn, spacing=34), title=title, description=words + ".", resize="children", room=60
    )


@style.chart
def whatif_gain(rows, *, title: str, change: str = "the change", x_title: str = "cores"):
    """Gain of a change against cores with its interval, and below it the probability that there is a gain at all.

    `rows` have n, gain (a fraction: 0.2 is 20 % more), lower, upper, p, and optionally extrapolated.
    """
    import altair as alt

    rows = [
        {"observed": None, "lower": None, "upper": None, **row, "series": change, "x": row["n"], "median": row["gain"]}
        for row in sorted(layout.clean(rows), key=lambda row: row["n"])
    ]
    axes = cores_axes(rows, y_title=f"gain by {change}", x_title=x_title, log_y=False, y_format="+.0%", height=220)
    axes_p = dataclasses.replace(
        axes, y_title="probability of a gain", y_domain=(0.0, 1.0), y_ticks=[0, 0.5, 1], y_format=".0%", height=80
    )
    axes = dataclasses.replace(axes, x_title="")
    marks = panel.layers(rows, [change], axes, labels=False) + panel.level(0.0, axes)
    bars = [{"x": row["x"], "p": row["p"], "text": percent(row["p"])} for row in rows if row.get("p") is not None]
    drawn = [panel.stack(marks, axes), panel.stack(_probability(bars, axes_p), axes_p)]
    gains = (f"{percent(row['gain'])} at {row['x']:g}" for row in rows)
    return style.finish(
        alt.vconcat(*drawn, spacing=34),
        title=title,
        description=f"Gain by {change}: " + "; ".join(gains) + ".",
        key=("line: median gain", "band: 90 % interval", "dashes: beyond the measured cores")[
            : 3 if _has(rows, "extrapolated") else 2
        ],
        resize="children",
        room=70,
    )


def _probability(bars, axes) -> list:
    tips = style.tooltip(**{axes.x_title: "x"}, probability="text")
    half = [{"median": 0.5}]
    return [
        style.layer(half, {"type": "rule", "strokeDash": [2, 3], "opacity": 0.5}, y=axes.y()),
        style.layer(bars, {"type": "line", "color": style.PALETTE[0], "strokeWidth": 1.5}, x=axes.x(), y=axes.y("p")),
        style.layer(
            bars,
            {"type": "point", "filled": True, "size": 45, "opacity": 1, "color": style.PALETTE[0]},
            x=axes.x(),
            y=axes.y("p"),
            tooltip=tips,
        ),
    ]


def _has(rows, field: str) -> bool:
    return any(row.get(field) not in (None, False) for row in rows)


def _ends(rows, names, unit: str, noun: str) -> str:
    parts = []
    for name in names:
        curve = [row for row in rows if row["series"] == name and row["median"] is not None]
        if curve:
            top = max(curve, key=lambda row: row["median"])
            parts.append(f"{name}: at most {number(top['median'])} {unit} at {number(top['x'])} {noun}")
    return "; ".join(parts) + "."
