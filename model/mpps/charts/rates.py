"""Rate against cores: per variant, per machine, and side by side."""

from mpps.charts import layout, panel, style
from mpps.charts.axes import cores_axes

_MEANS = {
    "points": "points: measured",
    "hollow": "hollow: held out",
    "line": "line: model median",
    "band": "band: 90 % interval",
    "dashes": "dashes: beyond the measured cores",
    "usl": "dotted: USL",
    "registered": "open diamond with bar: registered before it was measured, 90 % interval",
}


@style.chart
def scaling(
    rows,
    *,
    title: str,
    unit: str,
    baseline_rows=None,
    held_out=(),
    facet_by_variant: bool = False,
    regions=(),
    ideal: bool = True,
    log_rate: bool = True,
    series=(),
    x_title: str = "cores",
    registered=(),
):
    """Rate against cores: how far each variant scales, with its interval and what nobody measured.

    `rows` have variant, n, median, lower, upper, observed, extrapolated in one `unit` (as `mpps fit --json` gives them), and
    optionally `source` (the row of the table) and `hypothetical` (the machine has not that many cores).
    `baseline_rows` (variant, n, median) are the USL. `held_out` are core counts, or pairs of variant and core count.
    `regions` (low, high, label) shade core ranges by what limits there. `series` names all series of a page in order,
    so that each keeps its colour and shape in a chart that shows some of them. `x_title` is what n counts.
    `registered` rows (variant, n, median, lower, upper) are predictions that were registered before a measurement.
    """
    rows = _rows(rows, "variant", held_out, series)
    registered = _rows(registered, "variant", ())
    names, shown = layout.series_of(rows, "series", series), layout.series_of(rows, "series")
    baseline = _rows(baseline_rows or (), "variant", ())
    key = _key(rows, baseline, registered)
    words = _scaling_words(rows, shown, unit)
    if facet_by_variant and len(shown) > 1:
        return style.finish(
            _side_by_side(rows, shown, names, baseline, unit, ideal, log_rate, x_title, registered),
            title=title,
            description=words,
            key=key,
            resize="columns",
            room=430 if len(shown) in (2, 4) else 300,
        )
    lifted = any(row.get("extrapolated") or row.get("hypothetical") for row in rows)
    axes = cores_axes(rows, y_title=unit, x_title=x_title, log_y=log_rate, gutter=layout.gutter(shown), lifted=lifted)
    return style.finish(
        _one(rows, shown, names, baseline, axes, unit, ideal, regions, registered=registered),
        title=title,
        description=words,
        key=key,
    )


@style.chart
def machine_comparison(
    rows, *, title: str, unit: str, columns: int = 2, log_rate: bool = True, series=(), x_title: str = "cores"
):
    """Rate against cores, one panel per machine on the same axes, with the first machine's curves dotted in the others.

    `rows`, `series` and `x_title` as for `scaling`, rows with `machine`; the machine that was measured comes first.
    """
    import altair as alt

    machines = layout.series_of(rows, "machine")
    rows = _rows(rows, "variant", (), series)
    names, shown = layout.series_of(rows, "series", series), layout.series_of(rows, "series")
    room = layout.gutter(shown, most=150) if len(shown) > 1 else 0
    size = {"width": 250 + room, "height": 190, "gutter": room, "fixed": True}
    axes = cores_axes(rows, y_title="", x_title=x_title, log_y=log_rate, **size)
    drawn = []
    for machine in machines:
        part = [row for row in rows if str(row.get("machine", "")) == machine]
        first = [] if machine == machines[0] else [row for row in rows if str(row.get("machine", "")) == machines[0]]
        made = _one(part, shown, names, first, axes, unit, False, (), labels=bool(room))
        drawn.append(made.properties(title=panel.head(machine, unit)))
    key = _key(rows, ()) + ([f"dotted: {machines[0]}"] if len(machines) > 1 else [])
    words = " ".join(
        f"On {machine}: {_scaling_words([row for row in rows if str(row.get('machine', '')) == machine], shown, unit)}"
        for machine in machines
    )
    joined = alt.concat(*drawn, columns=columns, spacing=24)
    return style.finish(joined, title=title, description=words, key=key, resize="columns", room=300 + room)


@style.chart
def overview(panels, *, title: str, columns: int = 3):
    """Small multiples, one per code path: each of `panels` has title, unit, rows (as for `scaling`), and
    optionally series and x_title.

    Every panel has its own rate axis, since the paths count in different units.
    """
    import altair as alt

    drawn, every = [], []
    curves = [_rows(each["rows"], each.get("series", "variant"), each.get("held_out", ())) for each in panels]
    room = max(layout.gutter(layout.series_of(rows, "series"), most=150) for rows in curves)
    for each, rows in zip(panels, curves):
        names = layout.series_of(rows, "series")
        count = each.get("x_title", "cores")
        axes = cores_axes(rows, y_title="", x_title=count, width=210 + room, height=170, gutter=room, fixed=True)
        head = panel.head(each["title"], each["unit"])
        drawn.append(_one(rows, names, names, (), axes, each["unit"], False, ()).properties(title=head))
        every += rows
    words = "Panels: " + "; ".join(f"{each['title']} in {each['unit']}" for each in panels) + "."
    joined = alt.concat(*drawn, columns=columns, spacing=28).resolve_scale(color="independent", shape="independent")
    return style.finish(joined, title=title, description=words, key=_key(every, ()), resize="columns", room=270 + room)


def _one(rows, shown, names, baseline, axes, unit, ideal, regions, labels=True, registered=()):
    shown_rows = [row for row in rows if row["series"] in shown]
    single = [row["observed"] or row["median"] for row in rows if row["x"] == 1 and (row["observed"] or row["median"])]
    made = panel.layers(
        shown_rows,
        names,
        axes,
        unit=unit,
        baseline=[row for row in baseline if row["series"] in shown],
        labels=labels,
        ideal=max(single) if ideal and single else None,
        regions=regions,
    )
    made += panel.open_marks([row for row in registered if row["series"] in shown], names, axes, unit)
    return panel.stack(made + _edges(shown_rows, axes, words=not axes.fixed), axes)


def _edges(rows, axes, words: bool):
    """Where the measurements end and where the machine ends."""
    measured = max((row["x"] for row in rows if row["observed"] is not None), default=None)
    beyond = measured is not None and any(row.get("extrapolated") and row["x"] > measured for row in rows)
    real = max((row["x"] for row in rows if not row.get("hypothetical")), default=None)
    ends = real is not None and any(row.get("hypothetical") for row in rows)
    made = []
    if ends and beyond and real == measured:
        made += panel.rule(real, axes, left="measured", right="hypothetical") if words else panel.rule(real, axes)
    else:
        if beyond:
            made += panel.rule(measured, axes, left="measured" if words else "")
        if ends:
            made += panel.rule(real, axes, right="hypothetical" if words else "")
    return made


def _side_by_side(rows, shown, names, baseline, unit, ideal, log_rate, x_title, registered):
    import altair as alt

    columns = 2 if len(shown) in (2, 4) else 3
    width = (style.WIDTH + 120) // columns
    axes = cores_axes(rows, y_title="", x_title=x_title, log_y=log_rate, width=width, height=200, fixed=True)
    drawn = [
        _one(rows, [name], names, baseline, axes, unit, ideal, (), labels=False, registered=registered).properties(
            title=panel.head(name, unit)
        )
        for name in shown
    ]
    return alt.concat(*drawn, columns=columns, spacing=24)


def _rows(rows, series: str, held_out, first=()) -> list[dict]:
    hidden = set(held_out)
    made = []
    for row in layout.clean(rows):
        name, n = str(row.get(series, "")), row["n"]
        hollow = n in hidden or (name, n) in hidden
        made.append(
            {
                "observed": None,
                "median": None,
                "lower": None,
                "upper": None,
                **row,
                "series": name,
                "x": n,
                "hollow": hollow,
            }
        )
    order = {name: place for place, name in enumerate(layout.series_of(made, "series", first))}
    return sorted(made, key=lambda row: (order[row["series"]], row["x"]))


def _key(rows, baseline, registered=()) -> list[str]:
    present = {
        "points": any(row["observed"] is not None for row in rows),
        "hollow": any(row["observed"] is not None and row["hollow"] for row in rows),
        "line": any(row.get("median") is not None for row in rows),
        "band": any(row["lower"] is not None for row in rows),
        "dashes": any(row.get("extrapolated") for row in rows),
        "usl": bool(baseline),
        "registered": bool(registered),
    }
    return [_MEANS[name] for name, shown in present.items() if shown]


def _scaling_words(rows, names, unit: str) -> str:
    """For each series its first and last value: what a reader who cannot see the chart needs first."""
    parts = []
    for name in names:
        curve = [row for row in rows if row["series"] == name and row.get("median") is not None]
        if curve:
            first, last = curve[0], curve[-1]
            parts.append(
                f"{name}: {layout.said(first, unit)} at {first['x']:g}, {layout.said(last, unit)} at {last['x']:g}"
            )
    return "Rate against cores. " + "; ".join(parts) + "."
