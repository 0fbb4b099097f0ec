"""The scorecard of a path for a page: rows that a fit did not see, and the USL on the same rows."""

from mpps.scorecard import Figure, scorecard
from mpps.tables import Column, Table
from mpps.text import interval, number, percent
from mpps.workbook.studies import Study
from mpps.workbook.words import readable

#: Kinds of checks whose value is an error on rows that the fit did not see.
UNSEEN = ("leave one out", "leave variant out", "held out", "median of held out", "largest of held out")
_SHARES = ("inside", "order")


def scores(study: Study) -> list[Figure]:
    """All figures by which the path's fits are to be judged; computed once, then kept."""
    return scorecard(study.path, seed=study.seed)


def score(figures, name: str) -> Figure:
    """The figure of the check with that name."""
    found = [figure for figure in figures if figure.check.name == name]
    if not found:
        raise KeyError(f"no figure is called {name!r}: there are {', '.join(figure.check.name for figure in figures)}")
    return found[0]


def errors(figures, *names: str) -> list[float]:
    """Values of several checks."""
    return [score(figures, name).value for name in names]


def unseen_rows(figures) -> list[dict]:
    """Errors on rows that the fit did not see, the model's and the USL's: test, method, error, points."""
    rows = []
    for figure in figures:
        if figure.check.kind in UNSEEN and not figure.check.pins:
            common = {"test": figure.check.name.replace("`", ""), "points": figure.note.partition(",")[0]}
            rows.append(common | {"method": "model", "error": figure.value})
            if figure.usl is not None:
                rows.append(common | {"method": "USL", "error": figure.usl})
    return rows


def score_table(study: Study, figures) -> Table:
    """Every figure with its goal, whether it is met, and the baseline beside it."""
    lines = []
    for figure in figures:
        share = figure.check.kind in _SHARES
        goal = "" if figure.check.goal is None else f"{'≥' if share else '≤'} {percent(figure.check.goal)}"
        lines.append(
            {
                "name": figure.check.name.replace("`", ""),
                "value": _value(figure),
                "goal": goal,
                "met": {None: "", True: "yes", False: "no"}[figure.met],
                "usl": "" if figure.usl is None else percent(figure.usl),
                "note": figure.note,
            }
        )
    columns = (
        Column("name", "figure"),
        Column("value", "value", "figures"),
        Column("goal", "goal", "figures"),
        Column("met", "met"),
        Column("usl", "USL", "figures"),
        Column("note", "note"),
    )
    used = tuple(column for column in columns if any(line[column.field] for line in lines))
    return Table(used, tuple(lines), "", f"{study.path.slug}_scorecard")


def _value(figure: Figure) -> str:
    if not figure.unit:
        return (
            percent(figure.value)
            if figure.lower is None
            else f"{interval(*(100 * part for part in (figure.value, figure.lower, figure.upper)))} %"
        )
    unit, (value, lower, upper) = readable(figure.unit, figure.value, figure.lower, figure.upper)
    said = number(value) if lower is None and upper is None else interval(value, lower, upper)
    return f"{said} {unit}"
