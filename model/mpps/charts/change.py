"""One change: the curve before it, what was measured after it, and what was predicted from the first."""

from mpps.charts import layout, panel, style
from mpps.charts.axes import cores_axes
from mpps.text import number

_MISSED = style.PALETTE[1]


@style.chart
def change_case(rows, *, title: str, unit: str, x_title: str = "n", height: int = 210):
    """A grey line before the change, points after it, the prediction as a dashed line with its bands.

    `rows` have n, before, observed (after the change; may be missing), and where it was predicted median, lower, upper,
    lower50, upper50; a row without these is known.
    """
    rows = [{"series": "rate", "x": row["n"], **row} for row in layout.clean(rows)]
    ahead = [row for row in rows if row.get("median") is not None]
    # The bands start at the known point, where nothing is left to predict.
    start = [row for row in rows if row.get("median") is None and row.get("observed") is not None][:1]
    ends = ("median", "lower", "upper", "lower50", "upper50")
    fan = [*({"x": row["x"], **dict.fromkeys(ends, row["observed"])} for row in start), *ahead]
    # The scale holds the curve before too.
    every = [*rows, *({"x": row["x"], "observed": row["before"]} for row in rows)]
    axes = cores_axes(every, y_title=unit, x_title=x_title, height=height)
    blue, names = style.PALETTE[0], style.tooltip(**{x_title.replace(" ", "_"): "x"}, before="said")
    made = [
        style.layer(
            [{"x": row["x"], "before": row["before"], "said": f"{number(row['before'])} {unit}"} for row in rows],
            {"type": "line", "strokeWidth": 1.6, "color": style.QUIET, "point": {"size": 18, "color": style.QUIET}},
            x=axes.x(),
            y=axes.y("before"),
            tooltip=names,
        )
    ]
    for low, high, opacity in (("lower", "upper", 0.16), ("lower50", "upper50", 0.25)):
        band = [{"x": row["x"], "low": axes.floor(row[low]), "high": axes.floor(row[high])} for row in fan]
        mark = {"type": "area"} if len(band) > 1 else {"type": "rule", "strokeWidth": 6}
        mark |= {"color": blue, "opacity": opacity}
        made.append(style.layer(band, mark, x=axes.x(), y=axes.y("low"), y2={"field": "high"}))
    line = [{"x": row["x"], "median": axes.floor(row["median"])} for row in fan]
    mark = {"type": "line", "strokeWidth": 2, "strokeDash": [6, 4], "color": blue}
    made.append(style.layer(line, mark, x=axes.x(), y=axes.y()))
    for kind in ("known", "inside", "outside"):
        some = [_told(row, unit) for row in rows if row.get("observed") is not None and _kind(row) == kind]
        look = {"filled": kind == "known", "color": _MISSED if kind == "outside" else blue}
        mark = {"type": "point", "size": 70, "opacity": 1, "strokeWidth": 0 if kind == "known" else 2, **look}
        tips = style.tooltip(**{x_title.replace(" ", "_"): "x"}, measured="measured", predicted="predicted")
        if some:
            made.append(style.layer(some, mark, x=axes.x(), y=axes.y("observed"), tooltip=tips))
    words = "; ".join(
        f"n = {row['x']:g}: before {number(row['before'])}, after {number(row.get('observed'))}, predicted {layout.said(row)}"
        for row in ahead
    )
    return style.finish(panel.stack(made, axes), title=title, description=f"In {unit}. {words}.")


def _kind(row: dict) -> str:
    if row.get("median") is None:
        return "known"
    return "inside" if row["lower"] <= row["observed"] <= row["upper"] else "outside"


def _told(row: dict, unit: str) -> dict:
    kind = _kind(row)
    return {
        "x": row["x"],
        "observed": row["observed"],
        "measured": f"{number(row['observed'])} {unit}" + (" (given)" if kind == "known" else ""),
        "predicted": "-" if kind == "known" else layout.said(row, unit),
    }
