"""A lever: what is gained while one parameter moves, with break-even and limits as shaded ranges."""

import math

from mpps.charts import layout, panel, style
from mpps.charts.axes import Axes, linear_axes
from mpps.text import number


@style.chart
def lever(
    rows,
    *,
    title: str,
    unit: str,
    x_title: str,
    regions=(),
    levels=(),
    log_x: bool = True,
    log_rate: bool = False,
    series=(),
    line: str = "median",
):
    """A quantity against a parameter that moves evenly: medians and 90 % bands, one line a series.

    `rows` have series, x, median, lower, upper in `unit`, and optionally observed. `regions` (dicts of low, high, label,
    and at, where a mark stands) shade ranges of the parameter, such as the interval of a break-even; `levels` (value, label) are horizontal marks.
    `line` is what the line means, in the key.
    """
    rows = [
        {"observed": None, "hollow": False, "extrapolated": False, "source": None} | row for row in layout.clean(rows)
    ]
    names = layout.series_of(rows, "series", series)
    shown = layout.series_of(rows, "series")
    rows = sorted(rows, key=lambda row: (names.index(row["series"]), row["x"]))
    room = layout.gutter(shown) if len(shown) > 1 else 40
    marked = [{"x": rows[0]["x"], "median": value} for value, _ in levels]
    axes = _axes([*rows, *marked], unit, x_title, log_x, log_rate, room, any("at" in each for each in regions))
    low, high = axes.x_domain
    shaded = [each for each in regions if each["low"] < high and each["high"] > low]
    drawn = panel.layers(rows, names, axes, unit=unit, labels=len(shown) > 1, regions=shaded)
    for each in shaded:
        if "at" in each:
            drawn += panel.rule(each["at"], axes, right=each["label"])
    for value, label in levels:
        drawn += panel.level(value, axes, label)
    words = []
    for name in shown:
        first, last = ([row for row in rows if row["series"] == name][k] for k in (0, -1))
        words.append(
            f"{name}: {layout.said(first, unit)} at {number(first['x'])}, {layout.said(last, unit)} at {number(last['x'])}"
        )
    bands = any(row.get("lower") is not None for row in rows)
    key = [f"line: {line}", *(["band: 90 % interval"] if bands else [])]
    return style.finish(panel.stack(drawn, axes), title=title, description="; ".join(words) + ".", key=key)


def _axes(rows, unit, x_title, log_x, log_rate, room, lifted) -> Axes:
    if not log_x:
        return linear_axes(rows, x_title=x_title, y_title=unit, gutter=room, height=260, lifted=lifted)
    xs = [row["x"] for row in rows]
    values = [row.get(key) for row in rows for key in ("median", "lower", "upper", "observed")]
    values = [value for value in values if value is not None]
    domain = layout.log_domain(values, 1.05) if log_rate else (min([0, *values]), max(values) * 1.06)
    ticks = [2**k for k in range(math.ceil(math.log2(min(xs))), math.floor(math.log2(max(xs))) + 1)]
    return Axes((min(xs), max(xs)), ticks, x_title, domain, layout.log_ticks(*domain) if log_rate else None, unit, True, log_rate,
                gutter=room, height=260, lifted=lifted)  # fmt: skip
