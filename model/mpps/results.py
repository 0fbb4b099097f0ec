"""The results of all code paths as tables: what was found, how well it holds, and how forecasts do on the corpus.

    python -m mpps.results paths
    python -m mpps.results scorecard
    python -m mpps.results validation

`--markdown` writes them as the README has them.
"""

import sys
from dataclasses import replace

from mpps.answers import fit_for, measured
from mpps.answers.found import limits
from mpps.path import CodePath
from mpps.paths import load_path, names
from mpps.scorecard import Figure, scorecard
from mpps.tables import Column, Table
from mpps.text import interval, number


def results_table(*, seed: int = 1) -> Table:
    """One row for each variant of a path's first table: what limits, from where on, what a packet takes and most of it."""
    rows = [row for name in names() for row in _path_rows(load_path(name), seed)]
    columns = (
        Column("path", "code path"),
        Column("variant", "variant"),
        Column("limit", "what limits"),
        Column("time", "time of a packet"),
        Column("most", "most of it"),
    )
    return Table(columns, tuple(rows))


def scorecard_table(*, seed: int = 1) -> Table:
    """One row for each figure of each path: value, goal, the USL beside it, and what belongs to it."""
    rows = []
    for name in names():
        figures = [_figure_row(figure) for figure in scorecard(load_path(name), seed=seed)]
        rows += [row | {"path": "" if place else name} for place, row in enumerate(figures)]
    columns = (
        Column("path", "code path"),
        Column("figure", "figure"),
        Column("value", "value"),
        Column("goal", "goal"),
        Column("usl", "USL"),
        Column("note", "what belongs to it"),
    )
    return Table(columns, tuple(rows))


def validation_table(*, seed: int = 1) -> Table:
    """One row for each model of the scoreboard; the forecasts take minutes the first time."""
    from mpps.sentences.scoreboard import summary_table
    from mpps.validate import validate

    return summary_table(validate(seed=seed))


def pairs_table(*, seed: int = 1) -> Table:
    """One row for each model of the scoreboard of pairs."""
    from mpps.sentences.pairs import summary_table
    from mpps.validate.pairs import kept_pairs

    return summary_table(kept_pairs(seed=seed))


def _path_rows(path: CodePath, seed: int) -> list[dict]:
    rows = []
    for variant in (each for each in measured(path) if each.dataset == measured(path)[0].dataset):
        found = limits(fit_for(path, variant, seed), variant)
        cost = found["packet_cost"]
        most = max(cost["stages"], key=lambda row: row["ns"])
        rows.append(
            {
                "path": "" if rows else path.slug,
                "variant": variant.name,
                "limit": _limit(path, found),
                "time": f"{number(cost['ns'])} ns with {cost['n']} {path.sender}{'' if cost['n'] == 1 else 's'}",
                "most": f"{most['stage']}: {interval(most['ns'], most['lower'], most['upper'])}",
            }
        )
    return rows


def _limit(path: CodePath, found: dict) -> str:
    name, knee = found["bottleneck"], found["knee_cores"]
    if name.startswith("private work"):
        stage = name.partition(": ")[2]
        return f"work of each {path.sender}" + (f", above all {stage}" if stage not in ("", "private work") else "")
    if knee["median"] is None or knee["upper"] is None:
        return name
    return f"{name}, from {interval(knee['median'], knee['lower'], knee['upper'])} {path.sender}s on"


def _figure_row(figure: Figure) -> dict:
    check, share = figure.check, figure.unit == ""
    if figure.unit == "packets/s":
        figure = replace(
            figure, value=figure.value / 1e6, lower=figure.lower / 1e6, upper=figure.upper / 1e6, unit="Mpps"
        )
    if figure.lower is None or figure.upper is None:
        value = _percent(figure.value) if share else f"{number(figure.value)} {figure.unit}"
    else:
        value = f"{interval(figure.value, figure.lower, figure.upper)} {figure.unit}".strip()
    goal = ""
    if check.goal is not None:
        wanted = (
            f"at least {_percent(check.goal)}"
            if check.kind in ("inside", "order")
            else f"at most {_percent(check.goal)}"
        )
        goal = f"{wanted.replace('at least 100.0 %', 'all')}: {'met' if figure.met else 'MISSED'}"
    return {
        "figure": check.name,
        "value": value,
        "goal": goal,
        "usl": "" if figure.usl is None else _percent(figure.usl),
        "note": "; ".join(part for part in (figure.note, check.words) if part),
    }


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f} %"


if __name__ == "__main__":
    _tables = {
        "paths": results_table,
        "scorecard": scorecard_table,
        "validation": validation_table,
        "pairs": pairs_table,
    }
    _table = _tables[sys.argv[1]]()
    print(_table._repr_markdown_() if "--markdown" in sys.argv else _table)
