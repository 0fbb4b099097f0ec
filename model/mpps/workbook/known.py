"""What a table fixes of its parameters, in words and as profiles, and on what a far prediction depends."""

from collections import Counter

import numpy as np

from mpps import explain
from mpps import sensitivity as shares
from mpps.tables import Column, Table
from mpps.text import count, percent
from mpps.uncertainty import RISE
from mpps.uncertainty import profiles as curves
from mpps.workbook.studies import Study
from mpps.workbook.words import bullets, markdown, readable, sentence


def known_words(study: Study, rows):
    """Which parameters the table fixes, which only together, which not at all, as Markdown; rows: of `parameters`."""
    by_name = {row["name"]: row["how"] for row in rows}
    plain = [row | {"identified": by_name[row["name"]]} for row in rows]
    return markdown(bullets(explain.known_words(explain.known(study.fitted, plain))).replace(" %", "\u00a0%"))


def profiles(study: Study) -> list[dict]:
    """Rows of `charts.profile` for every parameter of the most probable mechanism: parameter, value, unit, loss. They are
    those of the table alone, without the parameter's own prior."""
    one, rows = study.fitted.best, []
    names = one.problem.names
    rough = curves(one.problem, one.solved, one.scale, [(name, False, None) for name in names])
    asked = []
    for name, (grid, rise) in zip(names, rough, strict=True):
        near = grid[rise < 3 * RISE]
        step = np.diff(grid).max() if len(near) < 2 else 0.0
        asked.append((name, False, np.linspace(near.min() - step, near.max() + step, 33)))
    found = curves(one.problem, one.solved, one.scale, asked)
    for parameter, (grid, rise) in zip(one.problem.parameters, found, strict=True):
        unit, _ = readable(parameter.unit, float(np.exp(grid.max())))
        factor = 1.0 if unit == parameter.unit else 1e-6
        rows += [
            {"parameter": parameter.name, "value": float(np.exp(x)) * factor, "unit": unit, "loss": float(loss)}
            for x, loss in zip(grid, rise, strict=True)
        ]
    return rows


def sensitivity(study: Study, *variants: str, n: int = shares.CORES) -> list[dict]:
    """Shares of the variance of the prediction at n by input: rows of variant, n, machine, hypothetical, name, meaning,
    first, total and their ends."""
    rows = []
    for name in variants or study.variants:
        found = shares.ranking(study.fitted, study.variant(name), n)
        common = {key: found[key] for key in ("variant", "n", "machine", "hypothetical", "spread")}
        rows += [common | row for row in found["inputs"]]
    return rows


def sensitivity_title(study: Study, rows) -> str:
    """The input that leads for most variants, and its shares, as a title."""
    names = list(dict.fromkeys(row["variant"] for row in rows))
    first = [max((row for row in rows if row["variant"] == name), key=lambda row: row["total"]) for name in names]
    count_of = Counter(row["name"] for row in first)
    lead = count_of.most_common(1)[0][0]
    shares = [min(row["total"], 1.0) for row in first if row["name"] == lead]
    size = sentence("{s:%}", s=shares[0])
    if round(100 * min(shares)) < round(100 * max(shares)):
        size = sentence("{a:%} to {b:%}", a=min(shares), b=max(shares))
    where = " (hypothetical)" if rows[0]["hypothetical"] else ""
    return sentence("At {at}{where} {size} of the variance is the {lead}, for {k} of {n} variants",
        at=count(rows[0]["n"], study.path.sender), where=where, size=size, lead=lead, k=len(shares), n=len(names))  # fmt: skip


def sensitivity_table(study: Study, rows, least: float = 0.01) -> Table:
    """Inputs against variants: share of the variance with all interactions, and the standard deviation of the log rate."""
    lines: dict[str, dict] = {}
    names = list(dict.fromkeys(row["variant"] for row in rows))
    for row in sorted(rows, key=lambda row: -row["total"]):
        line = lines.setdefault(row["name"], {"name": row["name"], "meaning": row["meaning"], "most": 0.0})
        line[row["variant"]] = percent(row["total"]) if row["total"] >= 0.01 else "under 1 %"
        line["most"] = max(line["most"], row["total"])
    spread = {row["variant"]: row["spread"] for row in rows}
    total = {"name": "standard deviation of the rate", "meaning": ""} | {
        name: percent(np.expm1(spread[name])) for name in names
    }
    columns = (
        Column("name", "input"),
        *(Column(name, name, "figures") for name in names),
        Column("meaning", "meaning"),
    )
    n, hypothetical = rows[0]["n"], rows[0]["hypothetical"]
    caption = f"Share of the variance at {count(n, study.path.sender)}" + (
        f", hypothetical: {rows[0]['machine']} is not known to have them" if hypothetical else ""
    )
    kept = [line for line in lines.values() if line["most"] >= least]
    return Table(columns, (*kept, total), caption, f"{study.path.slug}_sensitivity")
