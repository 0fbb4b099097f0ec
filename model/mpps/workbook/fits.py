"""Rows about a fit: parameters and what identifies them, mechanisms and their weight, residuals, held-out rows."""

import numpy as np

from mpps import compare, explain
from mpps.tables import Column, Table
from mpps.text import count, interval
from mpps.workbook.curves import beside, curves
from mpps.workbook.studies import Study
from mpps.workbook.words import listed, readable

_WHY = {"yes": "the table", "one-sided": "the table on one side", "prior": "its prior", "no": "nothing: not identified"}


def parameters(study: Study, *, mechanism: str | None = None) -> list[dict]:
    """Parameters of the most probable (or the named) mechanism with 90 % profile intervals, for charts and tables."""
    rows = []
    for row in explain.parameters(study.fitted, mechanism=mechanism):
        unit, (median, lower, upper) = readable(row["unit"], row["median"], row["lower"], row["upper"])
        shown = {"unit": unit, "median": median, "lower": lower, "upper": upper}
        both = row["identified"] == "one-sided" and None not in (lower, upper)
        by = _WHY[row["identified"]] + (", its prior on the other" if both else "")
        rows.append({**row, **shown, "identified": row["identified"] != "no", "how": row["identified"], "by": by})
    return rows


def parameter_table(study: Study, rows) -> Table:
    """Parameters with their meaning, interval, and what fixes them."""
    lines = [{**row, "value": _value(row)} for row in rows]
    columns = (
        Column("name", "parameter"),
        Column("value", "value (90 % interval)", "figures"),
        Column("meaning", "meaning"),
        Column("by", "fixed by"),
        Column("prior", "prior"),
    )
    return Table(columns, tuple(lines), "", f"{study.path.slug}_parameters")


def identified(rows) -> str:
    """Which parameters the table fixes, which it bounds, which it leaves to a prior or open: one sentence."""
    groups = {how: [row["name"] for row in rows if row["how"] == how] for how in _WHY}
    fixed = len(groups["yes"])
    words = [f"The table fixes {'all' if fixed == len(rows) else f'{fixed} of'} {len(rows)} parameters"]
    for how, said in (
        ("one-sided", "bounds {} on one side"),
        ("prior", "leaves {} to priors"),
        ("no", "says nothing of {}"),
    ):
        if names := groups[how]:
            words.append(said.format(listed(names)))
    return listed(words)


def weights(study: Study, least: float = 0.005) -> list[dict]:
    """Mechanisms with their weight and their error in the fit; those below `least` become one row."""
    kept = [one for one in study.fitted.mechanisms if one.weight >= least]
    rows = [
        {
            "mechanism": one.mechanism.name,
            "weight": one.weight,
            "error": one.error if one.error > 1e-6 else 0.0,
            "words": one.mechanism.words,
        }
        for one in kept
    ]
    others = [one for one in study.fitted.mechanisms if one.weight < least]
    if others:
        names = ", ".join(one.mechanism.name for one in others)
        best = min(one.error for one in others)
        rows.append(
            {
                "mechanism": f"{len(others)} others together",
                "weight": sum(one.weight for one in others),
                "error": best,
                "words": names,
            }
        )
    return rows


def residuals(study: Study, *variants: str) -> list[dict]:
    """Predictions at the measured counts beside the measured values."""
    rows = []
    for name in variants or study.variants:
        rows += curves(study, study.counts(name), name)
    return rows


def inside(rows) -> tuple[int, int]:
    """How many measured points lie in their 90 % interval, and how many there are."""
    known = [row for row in rows if row["observed"] is not None]
    return sum(row["lower"] <= row["observed"] <= row["upper"] for row in known), len(known)


def inside_words(rows) -> str:
    """How many measured points lie in their 90 % interval, as a title."""
    hit, total = inside(rows)
    return (
        f"{hit} of {count(total, 'measured point')} {'lies' if total == 1 else 'lie'} inside their 90\u00a0% interval"
    )


def error(study: Study) -> float:
    """Relative root mean square of predicted/observed - 1 of the fit, all mechanisms averaged."""
    return compare.relative_rms(study.fitted.fitted - study.fitted.points.value)


def error_of(rows) -> float:
    """Relative root mean square of median/observed - 1 over the rows that were measured."""
    off = [row["median"] / row["observed"] - 1 for row in rows if row["observed"] is not None]
    return float(np.sqrt(np.mean(np.square(off))))


def held_out_table(study: Study, tests: dict[str, Study], variants, crowded: int) -> Table:
    """What fits that did not see some rows say of these variants: error at all counts and from `crowded` on, and how
    many points lie in the 90 % interval. tests: what a fit knew -> that fit."""
    lines = []
    for name, other in tests.items():
        rows = beside(study, [row for v in variants for row in curves(other, study.counts(v), v)])
        hit, total = inside(rows)
        lines.append(
            {
                "knew": name,
                "all": error_of(rows),
                "crowded": error_of([row for row in rows if row["n"] >= crowded]),
                "inside": f"{hit} of {total}",
            }
        )
    columns = (
        Column("knew", "the fit"),
        Column("all", "error, all counts", "percent"),
        Column("crowded", f"error from {crowded} on", "percent"),
        Column("inside", "inside the 90 % interval"),
    )
    return Table(columns, tuple(lines), "", f"{study.path.slug}_held_out")


def _value(row: dict) -> str:
    said = interval(row["median"], row["lower"], row["upper"])
    return said if said == "not identified" else f"{said} {row['unit']}"
