"""One panel of curves over cores or depth: bands, lines, points, labels at the line ends, marked ranges."""

import itertools
import math

from mpps.charts import layout, style
from mpps.charts.axes import Axes
from mpps.text import number

_LINE = 15  # pixels from one label to the next
_GREY = {"color": style.TEXT, "opacity": 0.45}


def layers(
    rows,
    names,
    axes: Axes,
    *,
    unit: str = "",
    baseline=(),
    labels: bool = True,
    ideal=None,
    regions=(),
    words_on_top=False,
):
    """The layers of a panel, back to front.

    `rows` have series, x, median, lower, upper, observed, extrapolated, hollow, source, sorted by x in each series.
    A series without any median is measured only: its points are joined by a thin line.
    `baseline` rows have series, x, median. `ideal` is the rate of one core. `regions` have low, high, label.
    """
    curves = [layout.thin([row for row in rows if row["series"] == name]) for name in names]
    bare = [curve for curve in curves if not any(row.get("median") is not None for row in curve)]
    joined = [{**row, "median": row["observed"]} for curve in bare for row in curve if row.get("observed") is not None]
    curves = [[row for row in curve if row.get("median") is not None] for curve in curves]
    ends = [curve[-1] for curve in curves if curve]
    ends += [[row for row in joined if row["series"] == name][-1] for name in layout.series_of(joined, "series")]
    return [
        *_regions(regions, axes, words_on_top),
        *(_ideal(ideal, axes) if ideal else ()),
        *_band([row for curve in curves for row in curve], names, axes),
        *_baseline(baseline, axes),
        *_joints(joined, names, axes),
        *_lines(curves, names, axes),
        *_points(rows, names, axes, unit),
        *(_labels(ends, names, axes) if labels else ()),
    ]


def rule(x: float, axes: Axes, *, left: str = "", right: str = "") -> list:
    """A vertical mark across the panel, with a word above it on either side."""
    made = [style.layer([{"x": x}], {"type": "rule", "strokeWidth": 1, "strokeDash": [2, 3], **_GREY}, x=axes.x())]
    for word, align, offset in ((left, "right", -6), (right, "left", 6)):
        if word:
            mark = {"type": "text", "align": align, "dx": offset, "baseline": "bottom", "fontSize": 11, "opacity": 0.75}
            made.append(style.layer([{"x": x, "text": word}], mark, x=axes.x(), y=style.value(-5), text=style.text()))
    return made


def level(y: float, axes: Axes, word: str = "") -> list:
    """A horizontal limit, with its name above it at the left."""
    low, high = axes.x_domain
    rows = [{"x": low, "x2": high, "median": y, "text": word}]
    line = {"type": "rule", "strokeWidth": 1.2, "color": style.TEXT, "opacity": 0.7}
    words = {"type": "text", "align": "left", "dx": 3, "dy": -7, "fontSize": 11, "opacity": 0.8}
    made = [style.layer(rows, line, x=axes.x(), x2={"field": "x2"}, y=axes.y())]
    return made + ([style.layer(rows, words, x=axes.x(), y=axes.y(), text=style.text())] if word else [])


def open_marks(rows, names, axes: Axes, unit: str = "") -> list:
    """Predictions at single counts: an open diamond on the bar of the 90 % interval. Rows have series, x, median, lower, upper."""
    rows = [
        {"series": row["series"], "x": row["x"], "median": row["median"], "tip": layout.said(row, unit)}
        | {end: axes.floor(row[end]) for end in ("lower", "upper")}
        for row in rows
    ]
    if not rows:
        return []
    tips = style.tooltip(series="series", **{axes.x_title or "x": "x"}, registered="tip")
    colour = style.colour(names)
    bar = {"type": "rule", "strokeWidth": 2, "opacity": 0.8}
    mark = {"type": "point", "shape": "diamond", "size": 90, "filled": False, "strokeWidth": 1.8, "opacity": 1}
    y2 = {"field": "upper"}
    return [
        style.layer(rows, bar, x=axes.x(), y=axes.y("lower"), y2=y2, color=colour),
        style.layer(rows, mark, x=axes.x(), y=axes.y(), color=colour, tooltip=tips),
    ]


def stack(made, axes: Axes, head: dict | None = None):
    """The layers as one Altair chart, with a head when it is one panel of several."""
    import altair as alt

    more = {"title": head} if head else {}
    return alt.layer(*made).properties(width=axes.width, height=axes.height, **more)


def head(name: str, unit: str) -> dict:
    """Title of a small panel, with the unit of its axis below."""
    return {"text": name, "subtitle": unit, "fontSize": 13, "offset": 10}


def runs(curve: list[dict]) -> list[tuple[bool, list[dict]]]:
    """A curve cut into stretches, dashed where one end of a piece is extrapolated; neighbours share their end."""
    cut: list[tuple[bool, list[dict]]] = []
    for here, there in itertools.pairwise(curve):
        dashed = bool(here.get("extrapolated") or there.get("extrapolated"))
        if cut and cut[-1][0] == dashed:
            cut[-1][1].append(there)
        else:
            cut.append((dashed, [here, there]))
    return cut


def _regions(regions, axes: Axes, words_on_top: bool) -> list:
    rows, words = [], []
    pixels = (axes.width - axes.gutter) / _length(*axes.x_domain, axes.log_x)
    for i, region in enumerate(regions):
        low, high = max(region["low"], axes.x_domain[0]), min(region["high"], axes.x_domain[1])
        rows.append({"x": low, "x2": high, "label": region["label"], "shade": (0.04, 0.10)[i % 2]})
        if layout.gutter([region["label"]], least=0) - 20 < _length(low, high, axes.log_x) * pixels:
            words.append({"x": (low * high) ** 0.5 if axes.log_x else (low + high) / 2, "label": region["label"]})
    if not rows:
        return []
    shade = {"field": "shade", "type": "quantitative", "legend": None, "scale": None}
    mark = {"type": "text", "fontSize": 11, "opacity": 0.85, "fontStyle": "italic"}
    mark["baseline"], place = ("top", 4) if words_on_top else ("bottom", axes.height - 5)
    tips = style.tooltip(limits="label")
    return [
        style.layer(
            rows, {"type": "rect", "color": style.TEXT}, x=axes.x(), x2={"field": "x2"}, opacity=shade, tooltip=tips
        ),
        style.layer(words, mark, x=axes.x(), y=style.value(place), text=style.text("label")),
    ]


def _length(low: float, high: float, log: bool) -> float:
    return math.log(high / low) if log else high - low


def _ideal(rate: float, axes: Axes) -> list:
    low, high = max(axes.x_domain[0], axes.y_domain[0] / rate), min(axes.x_domain[1], axes.y_domain[1] / rate)
    if high <= low:
        return []
    ends = [{"x": x, "median": x * rate, "text": "ideal"} for x in (low, high)]
    words = {"type": "text", "align": "right", "dx": -12, "dy": 1, "fontSize": 11, "opacity": 0.7}
    return [
        style.layer(ends, {"type": "line", "strokeWidth": 1.2, **_GREY}, x=axes.x(), y=axes.y()),
        style.layer(ends[1:], words, x=axes.x(), y=axes.y(), text=style.text()),
    ]


def _band(rows, names, axes: Axes) -> list:
    rows = [
        {"series": row["series"], "x": row["x"], "lower": axes.floor(row["lower"]), "upper": axes.floor(row["upper"])}
        for row in rows
        if row.get("lower") is not None and row.get("upper") is not None
    ]
    y2 = {"field": "upper"}
    mark = {"type": "area", "opacity": 0.18}
    return [style.layer(rows, mark, x=axes.x(), y=axes.y("lower"), y2=y2, color=style.colour(names))] if rows else []


def _baseline(rows, axes: Axes) -> list:
    (left, right), (low, high) = axes.x_domain, axes.y_domain
    rows = [
        {"series": row["series"], "x": row["x"], "median": row["median"]}
        for row in rows
        if row.get("median") is not None and low <= row["median"] <= high and left <= row["x"] <= right
    ]
    mark = {"type": "line", "strokeWidth": 1.4, "strokeDash": [1.5, 3], "color": style.TEXT, "opacity": 0.7}
    return [style.layer(rows, mark, x=axes.x(), y=axes.y(), detail=style.text("series"))] if rows else []


def _joints(rows, names, axes: Axes) -> list:
    """A thin line through measured points that no model runs through, to show which belong together."""
    rows = [{"series": row["series"], "x": row["x"], "median": row["median"]} for row in rows]
    mark = {"type": "line", "strokeWidth": 1, "opacity": 0.6}
    return [style.layer(rows, mark, x=axes.x(), y=axes.y(), color=style.colour(names))] if rows else []


def _lines(curves, names, axes: Axes) -> list:
    rows = {False: [], True: []}
    for curve in curves:
        for run, (dashed, points) in enumerate(runs(curve)):
            rows[dashed] += [
                {"series": row["series"], "x": row["x"], "median": axes.floor(row["median"]), "run": run}
                for row in points
            ]
    return [
        style.layer(
            rows[dashed],
            {"type": "line", "strokeWidth": 2.2, "strokeDash": dash},
            x=axes.x(),
            y=axes.y(),
            color=style.colour(names),
            detail=style.text("run"),
        )
        for dashed, dash in ((False, [1, 0]), (True, [6, 4]))
        if rows[dashed]
    ]


def _points(rows, names, axes: Axes, unit: str) -> list:
    tips = style.tooltip(
        series="series", **{axes.x_title or "x": "x"}, model="tip", measured="measured", source="source"
    )
    model = [
        {"series": row["series"], "x": row["x"], "median": axes.floor(row["median"]), **_words(row, unit)}
        for row in rows
        if row.get("median") is not None
    ]
    made = []
    if model:  # unseen, but the pointer finds them
        mark = {"type": "point", "opacity": 0, "size": 160}
        made.append(style.layer(model, mark, x=axes.x(), y=axes.y(), tooltip=tips))
    colours = {"color": style.colour(names), "shape": style.shape(names)}
    for hollow in (False, True):
        some = [
            {"series": row["series"], "x": row["x"], "observed": row["observed"], **_words(row, unit)}
            for row in rows
            if row.get("observed") is not None and bool(row.get("hollow")) == hollow
        ]
        mark = {"type": "point", "size": 75, "opacity": 1, "filled": not hollow, "strokeWidth": 2 if hollow else 0}
        if some:
            made.append(style.layer(some, mark, x=axes.x(), y=axes.y("observed"), tooltip=tips, **colours))
    return made


def _words(row: dict, unit: str) -> dict:
    said = layout.said(row, unit) if row.get("median") is not None else "-"
    measured = "-" if row.get("observed") is None else f"{number(row['observed'])} {unit}".strip()
    return {
        "tip": said + (" (extrapolated)" if row.get("extrapolated") else ""),
        "measured": measured + (" (held out)" if row.get("hollow") and measured != "-" else ""),
        "source": row.get("source") or "-",
    }


def legend(shown, names, axes: Axes) -> list:
    """Names of the series beside the plot, from the top down, where points have no line that ends there."""
    low, high = axes.y_domain
    step = (high - low) * 18 / axes.height
    return _beside([{"series": name, "median": high - step * (i + 1)} for i, name in enumerate(shown)], names, axes)


def _labels(ends, names, axes: Axes) -> list:
    # more series than lines of text: every k-th is named, the pointer names them all
    ends = ends[:: -(-len(ends) * _LINE // axes.height) or 1]
    placed = layout.spread_on_scale([row["median"] for row in ends], axes.y_domain, axes.height, axes.log_y, _LINE)
    return _beside([{"series": row["series"], "median": place} for row, place in zip(ends, placed)], names, axes)


def _beside(rows, names, axes: Axes) -> list:
    colours = {"color": style.colour(names), "shape": style.shape(names)}
    symbol = {"type": "point", "size": 60, "filled": True, "opacity": 1, "strokeWidth": 0}
    words = {"type": "text", "align": "left", "limit": axes.gutter - 18}
    return [
        style.layer(rows, symbol, x=axes.label_x(10), y=axes.y(), **colours),
        style.layer(rows, words, x=axes.label_x(20), y=axes.y(), text=style.text("series")),
    ]
