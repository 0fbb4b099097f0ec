"""How busy each station is against cores, and which one limits."""

import dataclasses
import itertools

from mpps.charts import layout, panel, style
from mpps.charts.axes import cores_axes
from mpps.text import percent


@style.chart
def utilisation(rows, *, title: str, columns: int = 2, x_title: str | dict = "cores"):
    """How busy each station is against cores, per variant; the shade names the busiest, which limits where it is at 1.

    `rows` have variant, resource, n, utilisation (a fraction). `x_title` is what n counts, or that of each variant.
    """
    import altair as alt

    rows = [
        {"series": str(r["resource"]), "x": r["n"], "median": r["utilisation"], "variant": str(r["variant"])}
        for r in layout.clean(rows)
    ]
    names, variants = layout.series_of(rows, "series"), layout.series_of(rows, "variant")
    alone = len(variants) == 1
    size = (
        {"width": style.WIDTH, "height": 280}
        if alone
        else {"width": 230 + layout.gutter(names, most=110), "height": 170}
    )
    room = layout.gutter(names, most=140 if alone else 110)
    drawn = []
    for variant in variants:
        part = sorted((row for row in rows if row["variant"] == variant), key=lambda row: row["x"])
        axes = cores_axes(
            part,
            y_title="share of time busy" if alone else "",
            x_title=x_title if isinstance(x_title, str) else x_title[variant],
            log_y=False,
            y_format=".0%",
            gutter=room,
            fixed=not alone,
            **size,
        )
        axes = dataclasses.replace(axes, y_domain=(0.0, 1.14), y_ticks=[0, 0.25, 0.5, 0.75, 1.0])
        made = panel.layers(part, names, axes, regions=busiest(part), words_on_top=True) + panel.level(1.0, axes)
        drawn.append(panel.stack(made, axes, None if alone else panel.head(variant, "share of time busy")))
    joined = drawn[0] if alone else alt.concat(*drawn, columns=columns, spacing=28)
    words = "Share of time that each station is busy, by cores. " + "; ".join(
        f"{variant}: busiest at {last['x']:g} cores is {last['series']} with {percent(last['median'])}"
        for variant in variants
        for last in [max((r for r in rows if r["variant"] == variant), key=lambda r: (r["x"], r["median"]))]
    )
    return style.finish(
        joined,
        title=title,
        description=words + ".",
        key=("shade: the busiest station",),
        resize="container" if alone else "columns",
        room=310 + room,
    )


def busiest(rows) -> list[dict]:
    """Core ranges with the station that is busiest there: low, high, label; ends lie halfway between core counts."""
    counts = sorted({row["x"] for row in rows})
    top = [max((row for row in rows if row["x"] == n), key=lambda row: row["median"])["series"] for n in counts]
    edges = [counts[0] * 0.94, *((a * b) ** 0.5 for a, b in itertools.pairwise(counts)), counts[-1] * 1.04]
    regions: list[dict] = []
    for name, low, high in zip(top, edges, edges[1:]):
        if regions and regions[-1]["label"] == name:
            regions[-1]["high"] = high
        else:
            regions.append({"low": low, "high": high, "label": name})
    return regions if len({region["label"] for region in regions}) > 1 else []
