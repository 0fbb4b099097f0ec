"""What a packet costs: bars by stage, and budgets of a link."""

import itertools

from mpps.charts import layout, style
from mpps.text import interval, number

_BAR = 26  # pixels of a row of bars


@style.chart
def packet_cost(rows, *, title: str, thing: str = "packet"):
    """Where the time of a packet goes: one bar per variant and core count, or a waterfall of stages for a single one.

    `rows` have variant, n, stage, resource (private, serial, wait, ceiling), ns, and optionally cycles; stages in the
    order of the path. `thing` is what the time is of.
    """
    rows = layout.clean(rows)
    bars = list(dict.fromkeys((str(row["variant"]), row["n"]) for row in rows))
    counts = {n for _, n in bars}
    for row in rows:
        bar = str(row["variant"]) if len(counts) == 1 else f"{row['variant']}, {row['n']:g} cores"
        row["bar"], row["stage"] = layout.wrapped(bar), layout.wrapped(row["stage"])
        row["said"] = _time(row["ns"], row.get("cycles"))
    words = f"Time of {_a(thing)} by stage. " + "; ".join(
        f"{bar}: {_time(sum(r['ns'] for r in part), _cycles(part))}"
        for bar in layout.series_of(rows, "bar")
        for part in [[row for row in rows if row["bar"] == bar]]
    )
    drawn = _waterfall(rows, thing) if len(bars) == 1 else _stacked(rows, thing)
    return style.finish(
        drawn,
        title=title,
        description=words.replace("\n", " ") + ".",
        key=_cost_key(rows, len(bars) == 1),
        resize="bars",
        room=layout.gutter(layout.longest(layout.series_of(rows, "stage" if len(bars) == 1 else "bar")), most=270),
    )


@style.chart
def budget(rows, budgets, *, title: str, unit: str = "ns"):
    """Time per packet against the time that a link leaves for one: a point right of a mark cannot keep up on one core.

    `rows` have name, ns, and optionally lower, upper; `budgets` have link (such as `100G`) and ns.
    """
    import altair as alt

    rows, budgets = layout.clean(rows), layout.clean(budgets)
    domain = layout.log_domain(
        [row.get(k) for row in rows for k in ("ns", "lower", "upper")] + [b["ns"] for b in budgets], 1.25
    )
    for row in rows:
        row["said"], row["name"] = _said(row, unit), layout.wrapped(row["name"])
    room = layout.gutter([row["said"] for row in rows], most=220)
    end = style.right_end(room)
    scale = {"type": "log", "domain": list(domain), "range": [0, style.expr(end)], "nice": False}
    axis = {"title": f"{unit} per packet", "values": layout.log_ticks(*domain, most=9), "format": ",~g"}
    x = {"type": "quantitative", "scale": scale, "axis": axis}
    y = _rows_channel("name", [row["name"] for row in rows])
    tips = style.tooltip(name="name", cost="said")
    line = {"type": "rule", "strokeWidth": 1.2, "strokeDash": [4, 3], "opacity": 0.6}
    made = [
        style.layer(budgets, line, x={"field": "ns", **x}),
        # Neighbours stand at two heights, or they would touch on a phone.
        *(
            style.layer(
                sorted(budgets, key=lambda one: one["ns"])[first::2],
                {"type": "text", "dy": -4 - 12 * first, "fontSize": 11, "baseline": "bottom"},
                x={"field": "ns", **x},
                y=style.value(0),
                text=style.text("link"),
            )
            for first in range(min(2, len(budgets)))
        ),
        *_whiskers(rows, x, y),
        style.layer(
            rows,
            {"type": "point", "filled": True, "size": 110, "opacity": 1, "color": style.PRIVATE},
            x={"field": "ns", **x},
            y=y,
            tooltip=tips,
        ),
        style.layer(
            rows,
            {"type": "text", "align": "left"},
            x=style.value(style.expr(f"{end} + 14")),
            y=y,
            text=style.text("said"),
        ),
    ]
    drawn = alt.layer(*made).properties(
        width=style.WIDTH - 100, height=layout.row_height([r["name"] for r in rows], 32) * len(rows)
    )
    words = "; ".join(f"{row['name']} {row['said']}" for row in rows).replace("\n", " ")
    words = f"Time per packet: {words}. Budgets: "
    words += "; ".join(f"{b['link']} {number(b['ns'])} {unit}" for b in budgets) + "."
    return style.finish(
        drawn,
        title=title,
        description=words,
        key=(
            f"point: time per packet{', bar: 90 % interval' if any(row.get('lower') is not None for row in rows) else ''}",
            "dashed: what the link leaves for one packet",
        ),
        resize="bars",
        room=layout.gutter(layout.longest(row["name"] for row in rows), most=270),
    )


def _stacked(rows, thing: str):
    import altair as alt

    bars, stages = layout.series_of(rows, "bar"), layout.series_of(rows, "stage")
    ends, totals = dict.fromkeys(bars, 0.0), []
    for row in rows:
        row["start"], ends[row["bar"]] = ends[row["bar"]], ends[row["bar"]] + row["ns"]
        row["end"], row["middle"] = ends[row["bar"]], (row["start"] + ends[row["bar"]]) / 2
    most = max(ends.values())
    for bar in bars:
        part = [row for row in rows if row["bar"] == bar]
        totals.append({"bar": bar, "end": ends[bar], "said": _time(ends[bar], _cycles(part))})
    inks = {stage: style.ink(shade) for stage, shade in style.series_colours(stages).items()}
    inside = [
        {**row, "text": number(row["ns"]), "ink": inks[row["stage"]], "share": row["ns"] / most}
        for row in rows
        if row["ns"] > 0.1 * most
    ]
    room = layout.gutter([total["said"] for total in totals], most=220)
    x = _even(most, room, f"ns per {thing}")
    y = _rows_channel("bar", bars)
    colours = {
        **style.colour(stages, "stage"),
        "legend": {"columns": _columns(stages), "symbolType": "square", "symbolStrokeWidth": 0},
    }
    made = [
        style.layer(
            rows,
            {"type": "bar", "height": 20, "stroke": None},
            x={"field": "start", **x},
            x2={"field": "end"},
            y=y,
            color=colours,
            tooltip=style.tooltip(stage="stage", variant="bar", on="resource", cost="said"),
        ),
        style.layer(
            inside,
            {"type": "text", "fontSize": 11, "fontWeight": 600},
            x={"field": "middle", **x},
            y=y,
            text=style.text(),
            color={"field": "ink", "type": "nominal", "scale": None},
            opacity={
                "condition": {"test": f"datum.share * {style.right_end(room)} > 8 * length(datum.text)", "value": 1},
                "value": 0,
            },
        ),
        style.layer(
            totals, {"type": "text", "align": "left", "dx": 6}, x={"field": "end", **x}, y=y, text=style.text("said")
        ),
    ]
    return alt.layer(*made).properties(width=style.WIDTH - 100, height=layout.row_height(bars, _BAR + 8) * len(bars))


def _columns(names) -> int:
    """Columns of a legend above the chart: one line when it fits, else two or more even ones."""
    wide = sum(layout.gutter([name], least=0) + 12 for name in names)
    return -(-len(names) // max(1, -(-wide // style.WIDTH)))


def _waterfall(rows, thing: str):
    import altair as alt

    total = 0.0
    for row in rows:
        row["start"], total = total, total + row["ns"]
        row["end"], row["right"] = total, max(row["start"], total)
    last = {
        "stage": _a(thing),
        "start": 0.0,
        "end": total,
        "right": total,
        "said": _time(total, _cycles(rows)),
        "resource": "total",
        "ns": total,
    }
    every = [*rows, last]
    stages = [row["stage"] for row in every]
    room = layout.gutter([row["said"] for row in every], most=230)
    x, y = _even(total, room, f"ns per {thing}"), _rows_channel("stage", stages)
    kinds = list(style.RESOURCE_COLOURS)
    scale = {"domain": [*kinds, "total"], "range": [*style.RESOURCE_COLOURS.values(), style.QUIET]}
    colours = {"field": "resource", "type": "nominal", "legend": None, "scale": scale}
    joints = [
        {"x": row["end"], "stage": row["stage"], "next": after["stage"]} for row, after in itertools.pairwise(every)
    ]
    made = [
        style.layer(
            joints,
            {"type": "rule", "opacity": 0.35},
            x={"field": "x", **x},
            y={**y, "field": "stage"},
            y2={"field": "next"},
        ),
        style.layer(
            every,
            {"type": "bar", "height": 18},
            x={"field": "start", **x},
            x2={"field": "end"},
            y=y,
            color=colours,
            tooltip=style.tooltip(stage="stage", on="resource", cost="said"),
        ),
        style.layer(
            every, {"type": "text", "align": "left", "dx": 6}, x={"field": "right", **x}, y=y, text=style.text("said")
        ),
    ]
    return alt.layer(*made).properties(width=style.WIDTH - 120, height=layout.row_height(stages, _BAR + 4) * len(every))


def _cost_key(rows, single: bool) -> list[str]:
    words = {
        "private": "blue: on the sender's own core",
        "serial": "red: one sender at a time",
        "ceiling": "grey: the device",
    }
    present = {row["resource"] for row in rows}
    if "wait" in present:
        words["serial"] = "red: waiting and work that one sender at a time does"
        present.add("serial")
    return [word for kind, word in words.items() if kind in present] if single else []


def _even(most: float, room: int, name: str) -> dict:
    scale = {"domain": [0, most], "range": [0, style.expr(style.right_end(room))], "nice": False}
    return {
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": name, "format": ",~r", "tickCount": 6, "grid": True},
    }


def _rows_channel(field: str, names) -> dict:
    """One row of the chart per name, in their order, names written in full."""
    return {"field": field, "type": "nominal", "sort": list(names), "axis": layout.names_axis()}


def _whiskers(rows, x: dict, y: dict) -> list:
    known = [row for row in rows if row.get("lower") is not None and row.get("upper") is not None]
    mark = {"type": "rule", "strokeWidth": 3, "color": style.PRIVATE, "opacity": 0.5}
    return [style.layer(known, mark, x={"field": "lower", **x}, x2={"field": "upper"}, y=y)] if known else []


def _said(row: dict, unit: str) -> str:
    if row.get("lower") is None or row.get("upper") is None:
        return f"{number(row['ns'])} {unit}"
    return f"{interval(row['ns'], row['lower'], row['upper'])} {unit}"


def _a(thing: str) -> str:
    return f"{'an' if thing[0] in 'aeiou' else 'a'} {thing}"


def _time(ns: float, cycles) -> str:
    return f"{number(ns)} ns" + (f", {number(cycles)} cycles" if cycles is not None else "")


def _cycles(rows):
    return None if any(row.get("cycles") is None for row in rows) else sum(row["cycles"] for row in rows)
