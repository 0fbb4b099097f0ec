"""Rows about changes: what removing a stage or setting a parameter gains, how surely, and what it gives up."""

from mpps.tables import Column, Table
from mpps.text import number, percent
from mpps.whatif import WhatIf
from mpps.workbook.studies import Study, rate_rows
from mpps.workbook.words import bullets, markdown


def gains(change: WhatIf) -> list[dict]:
    """Gain as a fraction with its interval, the probability of a gain, and whether it is beyond the measurements."""
    marks = change.before.extrapolated
    return [
        {
            **row,
            "gain": row["gain"] - 1,
            "lower": row["lower"] - 1,
            "upper": row["upper"] - 1,
            "extrapolated": bool(marks[k]),
        }
        for k, row in enumerate(change.rows())
    ]


def ends(gain: dict) -> tuple[float, float, float]:
    """A row of `gains` as a fraction with its interval."""
    return gain["gain"], gain["lower"], gain["upper"]


def gain_table(study: Study, change: WhatIf) -> Table:
    """Before, after, gain, probability, and what limits next."""
    before, after = rate_rows(study, change.before), rate_rows(study, change.after)
    lines = []
    for k, row in enumerate(gains(change)):
        limits = [item for item in change.next_bottleneck if item["n"] == row["n"]]
        lines.append(
            {
                "n": row["n"],
                "before": before[k]["median"],
                "before lower": before[k]["lower"],
                "before upper": before[k]["upper"],
                "after": after[k]["median"],
                "after lower": after[k]["lower"],
                "after upper": after[k]["upper"],
                "gain": f"{_signed(row['gain'])} % ({_signed(row['lower'])} to {_signed(row['upper'])})",
                "p": percent(row["p"]),
                "next": f"{limits[0]['resource']} ({percent(limits[0]['probability'])})",
                "extrapolated": row["extrapolated"],
            }
        )
    columns = (
        Column("n", study.senders, "count"),
        Column("before", f"before, {study.unit}", "interval", lower="before lower", upper="before upper"),
        Column("after", f"after, {study.unit}", "interval", lower="after lower", upper="after upper"),
        Column("gain", "gain (90 % interval)", "figures"),
        Column("p", "gain is probable", "figures"),
        Column("next", "limit afterwards (probability)"),
    )
    words = f"{change.change}{'; in italics: extrapolated' if any(line['extrapolated'] for line in lines) else ''}"
    return Table(columns, tuple(lines), words, f"{study.path.slug}_whatif")


def gives_up(change: WhatIf, *more: str):
    """What the change costs elsewhere, as Markdown."""
    items = [*change.tradeoffs, *more]
    return markdown(
        "What the change gives up:\n\n" + bullets(items)
        if items
        else "The source names nothing that the change gives up."
    )


def _signed(fraction: float) -> str:
    if abs(fraction) < 5e-4:
        return "0"
    return ("+" if fraction > 0 else "") + number(100 * fraction, 2).replace("-", "−")
