"""What a run found: tables on the terminal, JSON, and one chart of the ratios."""

import json
import os
import pathlib
import platform


def print_rows(rows) -> None:
    """work, model, ours, peer, ratio, goal, reached."""
    head = ("work", "model", "ours", "peer", "ratio", "goal", "reached")
    table = [head]
    for row in rows:
        reached = "left out" if "left_out" in row else {True: "yes", False: "no", None: ""}[row["reached"]]
        ratio = (
            ""
            if row["ratio"] is None
            else f"{row['ratio']:,.1f} x"
            if row["ratio"] < 1000
            else f"{row['ratio']:,.0f} x"
        )
        table.append(
            (
                row["work"],
                row["model"],
                amount(row["ours"], row["unit"]),
                amount(row["peer"], row["unit"]),
                ratio,
                row["goal"] or "",
                reached,
            )
        )
    _print(table)
    for row in rows:
        if row["reached"] is False:
            print(f"  missed: {row['work']} ({row['model']}): {shortfall(row)}")
        if "left_out" in row:
            print(f"  left out: {row['work']}: {row['left_out']}")
        if "note" in row:
            print(f"  {row['work']}: {row['note']}")


def shortfall(row) -> str:
    """By how much a row misses its goal, and what a quiet machine would leave of it."""
    parts = []
    goal, points = row["goal_ours"], row["unit"].endswith("/s")
    if goal is not None and (row["ours"] < goal if points else row["ours"] > goal):
        factor = goal / row["ours"] if points else row["ours"] / goal
        parts.append(f"{factor:.2g} times off the goal")
        if "ours_cpu" in row:
            cpu = f"{amount(row['ours_cpu'], row['unit'])}" + (" for each CPU second" if points else " of CPU")
            parts[-1] += f"; {cpu}, so the rest is waiting for a core"
    if row["goal_ratio"] is not None and (row["ratio"] or 0) < row["goal_ratio"]:
        parts.append(f"{row['ratio'] or 0:.3g} of {row['goal_ratio']:g} times the peer")
    if "why" in row:
        parts.append(row["why"])
    return "; ".join(parts)


def print_growth(rows) -> None:
    """Sizes, seconds and memory of each work, with the order of growth."""
    for row in rows:
        told = "within" if row["within"] else "ABOVE"
        print(f"{row['work']}, by {row['of']}: order {row['order']:.2f}, {told} the expected {row['expected']}")
        _print(
            [
                (row["of"], "seconds", "peak MB"),
                *(
                    (f"{n:,}", f"{s:.4g}", f"{m:.3g}")
                    for n, s, m in zip(row["sizes"], row["seconds"], row["memory_mb"], strict=True)
                ),
            ]
        )


def print_coverage(rows) -> None:
    """Coverage and width of intervals on synthetic tables."""
    head = ("method", "truth", "measured at", "quantity", "level", "covered", "error of that", "width", "open")
    _print([
        head,
        *(
            (row["method"], row["truth"], row["grid"], row["quantity"], f"{row['level']:.0%}", f"{row['coverage']:.1%}", f"{row['error']:.1%}",
             "open" if row["width"] is None else f"{row['width']:.3f}", f"{row['open']:.0%}")
            for row in rows
        ),
    ])  # fmt: skip


def write_json(file: pathlib.Path, rows, growth, coverage) -> None:
    """Everything, with the machine that it was measured on."""
    import importlib.metadata

    packages = ("numpy", "scipy", "lmfit", "iminuit", "line-solver", "ciw", "papermill")
    machine = {
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "system": platform.system(),
    }
    content = {
        "schema": "mpps.bench/1", "machine": machine, "versions": {name: importlib.metadata.version(name) for name in packages},
        "rows": rows, "growth": growth, "coverage": coverage,
    }  # fmt: skip
    file.write_text(json.dumps(content, indent=1, default=float) + "\n", encoding="utf-8")


def write_chart(file: pathlib.Path, rows) -> None:
    """How many times faster than the peer, with the goals, as SVG."""
    import altair

    from mpps.charts import style
    from mpps.charts.show import save

    altair.theme.register("mpps", enable=True)(style.theme)
    shown = [
        {
            "work": row["work"],
            "model": row["model"],
            "ratio": row["ratio"],
            "goal": row["goal_ratio"],
            "peer": row.get("peer_name", ""),
        }
        for row in rows
        if row["ratio"]
    ]
    for one in shown:
        one["label"] = f"{one['work']} / {one['model'][:48]} / against {one['peer']}"
    scale = altair.Scale(type="log", domain=[0.5, 10**6])
    base = altair.Chart(altair.Data(values=shown)).encode(
        y=altair.Y(
            "label:N",
            sort=None,
            title=None,
            axis=altair.Axis(
                labelLimit=640, labelExpr="split(datum.label, ' / ')", labelFontSize=11, grid=False, labelAlign="right"
            ),
        ),
    )
    bars = base.mark_rule(strokeWidth=3, color=style.PALETTE[0]).encode(
        x=altair.X(
            "ratio:Q",
            scale=scale,
            title="times faster than the peer (log scale)",
            axis=altair.Axis(tickCount=6, format="~s", grid=True),
        ),
        x2=altair.datum(1.0),
    )
    dots = base.mark_point(filled=True, size=90, color=style.PALETTE[0]).encode(x="ratio:Q")
    goals = (
        base.transform_filter("isValid(datum.goal)")
        .mark_point(shape="diamond", size=110, color=style.PALETTE[1], strokeWidth=2)
        .encode(x="goal:Q")
    )
    chart = (bars + dots + goals).properties(
        width=560,
        height=58 * len(shown),
        title=altair.Title(
            "Against the peers", subtitle="Dots: measured; diamonds: goal. Ours and the peer took turns in one series."
        ),
    )
    save(chart, file)


def amount(value, unit) -> str:
    """A time or a throughput for the eye."""
    if value is None:
        return ""
    if unit.endswith("/s"):
        return f"{value / 1e6:.1f} M/s" if value >= 1e5 else f"{value:.0f} /s"
    if unit != "s":
        return f"{value:.3g} {unit}"
    return (
        f"{value:.1f} s"
        if value >= 10
        else f"{value:.2f} s"
        if value >= 1
        else f"{value * 1e3:.3g} ms"
        if value >= 1e-3
        else f"{value * 1e6:.0f} us"
    )


def _print(table) -> None:
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print()
