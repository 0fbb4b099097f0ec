"""Rows that the fits did not see, for a page: a table of figures, a chart, the cases with the reason in words."""

import os

import numpy as np

from mpps import compare, heldout
from mpps.tables import Column, Table
from mpps.text import number
from mpps.workbook.studies import Study
from mpps.workbook.words import bullets, markdown, sentence

_SAID = {heldout.ONE: "one point", heldout.VARIANT: "one variant", heldout.LARGEST: "largest counts"}


def left_out(study: Study, *datasets: str) -> list[dict]:
    """Rows of `mpps.heldout` of these tables; of all tables of the path with a curve when none is named."""
    return heldout.path_rows(study.path, datasets=datasets or None, seed=study.seed)


def left_out_rows(rows) -> list[dict]:
    """The rows as `charts.left_out` takes them: the model's and the USL's, one test for each table and kind."""
    tables = list(dict.fromkeys(row["dataset"] for row in rows))
    # What all names of the tables begin with says nothing on one page.
    common_words = os.path.commonprefix(tables).rpartition("_")[0] if len(tables) > 1 else ""
    made = []
    for row in rows:
        table = row["dataset"].removeprefix(common_words).strip("_")
        test = f"{table}: {_SAID[row['kind']]}" if len(tables) > 1 else _SAID[row["kind"]]
        common = {"test": test, "what": f"{row['variant']} at {row['n']}"}
        for method, keys in (
            ("model", ("median", "lower", "upper")),
            ("USL", ("usl", "usl_lower", "usl_upper")),
        ):
            middle, lower, upper = (row[key] for key in keys)
            if middle is not None:
                made.append(
                    common
                    | {
                        "method": method,
                        "error": abs(middle / row["observed"] - 1),
                        "inside": lower <= row["observed"] <= upper,
                        "width": float(np.log(upper / max(lower, 1e-300))),
                    }
                )
    return made


def left_out_title(rows) -> str:
    """How many rows left out the intervals hold, and how wide they are beside those of the USL, as a title."""
    held = {end: sum(row[f"lower{end}"] <= row["observed"] <= row[f"upper{end}"] for row in rows) for end in ("", "50")}
    known = [row for row in rows if row["usl"] is not None]
    wide, usl = (
        float(np.exp(np.median([np.log(row[f"{key}upper"] / row[f"{key}lower"]) for row in known])))
        for key in ("", "usl_")
    )
    return sentence(
        """The 90 % intervals hold {a} of {n} rows left out, the 50 % ones {b}; they are {w:2} times wide, those of the USL
        {u:2} times""",
        a=held[""], b=held["50"], n=len(rows), w=wide, u=usl,
    )  # fmt: skip


def left_out_table(study: Study, rows) -> Table:
    """Error, coverage and width by table and kind, the USL on the same rows beside it."""
    lines = []
    for line in heldout.summary(rows):
        lines.append(
            line
            | {
                "kind": _SAID[line["kind"]],
                "wide": f"{number(float(np.exp(line['width'])))} times",
                "usl_wide": f"{number(float(np.exp(line['usl_width'])))} times" if line["usl_points"] else None,
                "usl_error": line.get("usl_error"),
                "usl_coverage": line.get("usl_coverage"),
            }
        )
    columns = (
        Column("dataset", "table"),
        Column("kind", "left out"),
        Column("points", "rows", "count"),
        Column("error", "error", "percent"),
        Column("coverage", "inside 90 %", "percent"),
        Column("coverage50", "inside 50 %", "percent"),
        Column("wide", "90 % interval, upper over lower", "figures"),
        Column("usl_error", "USL, error", "percent"),
        Column("usl_coverage", "USL, inside 90 %", "percent"),
        Column("usl_wide", "USL, upper over lower", "figures"),
    )
    return Table(
        columns, tuple(lines), "Relative root mean square error of rows left out", f"{study.path.slug}_left_out"
    )


def left_out_cases(study: Study, rows, shown: int = 3):
    """The worst and the best predicted rows with the reason, and what cannot be left out, as Markdown."""
    found = heldout.cases(rows, shown)
    parts = []
    for name, head in (("worst", "Badly predicted"), ("best", "Well predicted")):
        if found[name]:
            parts += [f"{head}:", bullets(_case(study, row) for row in found[name])]
    if closed := _closed(study, rows):
        parts += ["What cannot be left out:", bullets(closed)]
    return markdown("\n\n".join(parts).replace(" %", "\u00a0%"))


def cannot_words(study: Study):
    """What of a table cannot be held out, as Markdown."""
    return markdown(bullets(heldout.cannot(study.fitted)))


def _case(study: Study, row: dict) -> str:
    many = {heldout.ONE: "", heldout.VARIANT: ", variant left out", heldout.LARGEST: ", largest counts left out"}
    words = heldout.reason(row, study.path.sender)
    return f"{row['variant']} at {row['n']}{many[row['kind']]}. {words}"


def _closed(study: Study, rows) -> list[str]:
    scopes = dict.fromkeys(row["scope"] for row in rows)
    return [words for scope in scopes for words in heldout.cannot(compare.fit(study.path, scope, seed=study.seed))]
