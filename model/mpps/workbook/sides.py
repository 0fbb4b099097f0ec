"""Several code paths side by side: small panels, one line of a table for each, one bar for each change."""

from mpps import explain
from mpps.tables import Column, Table
from mpps.text import count, interval, number, percent
from mpps.whatif import WhatIf
from mpps.workbook.changes import ends, gains
from mpps.workbook.costs import cost, knee, limit, total_ns
from mpps.workbook.curves import at, counts_to, curves, usl_error
from mpps.workbook.fits import error
from mpps.workbook.studies import Study


def panel(study: Study, last: int, *variants: str) -> dict:
    """A panel of `charts.overview`: the variants up to `last`."""
    rows = curves(study, counts_to(last), *variants)
    return {"title": study.path.title, "unit": study.unit, "x_title": study.senders, "rows": rows}


def work_ns(study: Study, variant: str, n: int) -> tuple[float, float, float]:
    """Work of one packet with n senders, without waiting: median and 90 % ends of the sum of its stages, ns."""
    rows = [row for row in explain.packet_cost(study.fitted, study.variant(variant), n) if row["resource"] in ("private", "serial")]
    return tuple(sum(row[key] for row in rows) for key in ("ns", "lower", "upper"))


def summary(study: Study, change: WhatIf, n: int) -> dict:
    """What limits the path before a change, from where on, what a packet costs there, what the change gives, how sure."""
    variant = change.before.variant
    gain = at(gains(change), n=n)
    low, high = (number(100 * gain[key], 2) for key in ("lower", "upper"))
    found = knee(study, variant)
    points = len(study.fitted.points.n)
    misses = "" if points <= len(study.fitted.best.problem.parameters) else f", missed by {percent(error(study))} (USL {percent(usl_error(study))})"
    return {
        "path": study.path.title, "variant": variant, "n": count(n, study.path.sender),
        "limit": limit(study, variant, n),
        "from": "any count" if found.median is None else f"{interval(found.median, found.lower, found.upper)} {study.senders}",
        "cost": number(total_ns(cost(study, n, variant), variant)),
        "change": change.change, "gain": f"{number(100 * gain['gain'], 2)} % ({low} to {high})", "p": percent(gain["p"]),
        "sure": f"{count(points, 'figure')}{misses}; weights by {study.fitted.basis}",
    }


def summary_table(rows) -> Table:
    """The lines of `summary` as a table."""
    columns = (
        Column("path", "path"), Column("variant", "as it was"), Column("n", "with"), Column("limit", "what limits"), Column("from", "private work limits up to"),
        Column("cost", "ns a packet", "figures"), Column("change", "change"), Column("gain", "what it gives", "figures"), Column("p", "gain is probable", "figures"), Column("sure", "resting on"),
    )
    return Table(columns, tuple(rows), "", "five_paths")


def gain_bar(study: Study, change: WhatIf, n: int) -> dict:
    """A bar of `charts.parameter_intervals`: what a change gives, in percent."""
    median, lower, upper = ends(at(gains(change), n=n))
    words = f"{study.path.title}, {change.change}, {count(n, study.path.sender)}"
    return {"name": words, "median": 100 * median, "lower": 100 * lower, "upper": 100 * upper, "unit": "% more"}
