"""Several code paths side by side: small panels, one line of a table for each, one bar for each change."""

from mpps import explain
from mpps.tables import Column, Table
from mpps.text import count, interval, number, percent
from mpps.whatif import WhatIf
from mpps.workbook.changes import ends, gains
from mpps.workbook.costs import cost, knee, limit, total_ns
from mpps.workbook.curves import at, counts_to, curves, short_title, usl_error
from mpps.workbook.fits import error
from mpps.workbook.studies import Study
from mpps.workbook.words import listed


def panel(study: Study, last: int, *variants: str) -> dict:
    """A panel of `charts.overview`: the variants up to `last`."""
    rows = curves(study, counts_to(last), *variants)
    return {"title": study.path.title, "unit": study.unit, "x_title": study.senders, "rows": rows}


def source_table(studies) -> Table:
    """How much was measured on each path, and where."""
    lines = [
        {
            "path": study.path.title,
            "figures": len(study.fitted.points.n),
            "variants": len(study.variants),
            "counts": f"{listed(study.counts())} {study.path.sender if study.counts() == [1] else study.senders}",
            "machine": short_title(study.path.machine),
        }
        for study in studies
    ]
    columns = (
        Column("path", "path"),
        Column("figures", "figures", "count"),
        Column("variants", "variants", "count"),
        Column("counts", "measured with"),
        Column("machine", "machine"),
    )
    return Table(columns, tuple(lines), "", "sources")


def moved_table(asked, machine: str) -> Table:
    """Rates of (study, variant, count) where they were measured and on another machine."""
    lines = []
    for study, variant, n in asked:
        here, there = study.rate(variant, n), study.rate(variant, n, machine=machine)
        lines.append(
            {
                "path": f"{study.path.title}: {variant}, {count(n, study.path.sender)}",
                "unit": study.unit,
                "here": interval(*here),
                "there": interval(*there),
            }
        )
    columns = (
        Column("path", "path"),
        Column("here", "where it was measured", "figures"),
        Column("there", f"on {short_title(machine)}", "figures"),
        Column("unit", "unit"),
    )
    return Table(columns, tuple(lines), "Median and 90 % interval", "another_machine")


def datasets(studies) -> list[str]:
    """The tables behind several studies, each once."""
    return list(dict.fromkeys(name for study in studies for name in study.datasets))


def work_bar(study: Study, variant: str, n: int = 1) -> dict:
    """A row of `charts.budget`: work of one packet with n senders, without waiting, as the sum of its stages."""
    rows = [
        row
        for row in explain.packet_cost(study.fitted, study.variant(variant), n)
        if row["resource"] in ("private", "serial")
    ]
    return {"name": f"{study.path.title}, {variant}"} | {
        key: sum(row[key] for row in rows) for key in ("ns", "lower", "upper")
    }


def summary(study: Study, change: WhatIf, n: int) -> dict:
    """What limits the path before a change, from where on, what a packet costs there, what the change gives, how sure."""
    variant = change.before.variant
    gain = at(gains(change), n=n)
    low, high = (number(100 * gain[key], 2) for key in ("lower", "upper"))
    found = knee(study, variant)
    points = len(study.fitted.points.n)
    few = points <= len(study.fitted.best.problem.parameters)
    sure = (
        f"{count(points, 'figure')}, {study.fitted.basis}"
        if few
        else f"{count(points, 'figure')}, error {percent(error(study))} (USL {percent(usl_error(study))})"
    )
    return {
        "path": f"{study.path.title}: {variant}, {count(n, study.path.sender)}",
        "limit": limit(study, variant, n),
        "from": "any count"
        if found.median is None
        else f"{interval(found.median, found.lower, found.upper)} {study.senders}",
        "cost": number(total_ns(cost(study, n, variant), variant)),
        "change": change.change,
        "gain": f"{number(100 * gain['gain'], 2)} % ({low} to {high})",
        "sure": sure,
    }


def summary_table(rows) -> Table:
    """The lines of `summary` as a table."""
    columns = (
        Column("path", "path, as it was"),
        Column("limit", "what limits"),
        Column("from", "private work limits up to"),
        Column("cost", "ns a packet", "figures"),
        Column("change", "change"),
        Column("gain", "what it gives", "figures"),
        Column("sure", "resting on"),
    )
    return Table(columns, tuple(rows), "", "five_paths")


def gain_bar(study: Study, change: WhatIf, n: int) -> dict:
    """A bar of `charts.parameter_intervals`: what a change gives, in percent."""
    median, lower, upper = ends(at(gains(change), n=n))
    words = f"{study.path.title}: {change.change}"
    return {"name": words, "median": 100 * median, "lower": 100 * lower, "upper": 100 * upper, "unit": "% more"}
