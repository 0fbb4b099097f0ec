"""The validation page of a reports folder: written anew only when data or code have changed."""

import hashlib
import math
import pathlib

from mpps import heldout
from mpps.pages import validation
from mpps.pages.pairs import pair_sections
from mpps.root import data_folder
from mpps.tables import Column, Table
from mpps.text import number
from mpps.validate import validate
from mpps.validate.pairs import kept_pairs
from mpps.workbook.heldout import left_out_rows

_KINDS = {
    heldout.ONE: "one point",
    heldout.VARIANT: "one variant",
    heldout.LARGEST: "the largest count of each variant",
}


def write_scoreboard(folder, *, seed: int = 1, advance=None) -> pathlib.Path:
    """Write `validation.html` of the corpus into `folder`, unless the page there has the same data, code and seed.

    The first run forecasts every series of the corpus, which takes minutes; later ones keep what did not change.
    advance(done, total) is called as forecasts become ready.
    """
    digest = _digest(seed)
    if validation.written(folder) == digest:
        return pathlib.Path(folder) / f"{validation.NAME}.html"
    document = validate(seed=seed, advance=advance)
    changes = kept_pairs(seed=seed)
    found = [*pair_sections(changes), *sections(heldout.document(seed=seed))]
    return validation.write_validation_page(document, folder, sections=found, digest=digest, beside={"pairs": changes})


def sections(document: dict) -> list[validation.Section]:
    """What stands below the corpus: the code paths on points, variants and counts that their fits did not see.

    document: that of `mpps.heldout`.
    """
    from mpps import charts

    if not document["rows"]:
        return []
    rows = document["rows"]
    held = sum(row["lower"] <= row["observed"] <= row["upper"] for row in rows)
    chart = charts.left_out(
        left_out_rows(rows), title=f"{held} of {len(rows)} rows that a fit did not see lie inside its 90 % interval"
    )
    words = (
        "The code paths are fitted to their own tables. Here rows are taken away before the fit and predicted from the "
        "others: single points, whole variants, the largest count of every variant."
    )
    lists = [
        ("Badly predicted", [_case(row) for row in document["cases"]["worst"]]),
        ("Well predicted", [_case(row) for row in document["cases"]["best"]]),
        ("What cannot be left out", [f"{one['title']}: {' '.join(one['words'])}" for one in document["cannot"]]),
    ]
    made = validation.Section(
        "The code paths on rows they did not see",
        words,
        _table(document["summary"]),
        chart,
        tuple((heading, tuple(line.replace("`", "") for line in lines)) for heading, lines in lists if lines),
    )
    return [made]


def _table(summary: list[dict]) -> Table:
    """Error, coverage and width for each table and kind, the USL on the same rows beside them."""
    rows = [
        {
            **line,
            "kind": _KINDS[line["kind"]],
            "wide": _times(line["width"]),
            "usl_wide": _times(line.get("usl_width")),
            "usl_error": line.get("usl_error"),
            "usl_coverage": line.get("usl_coverage"),
        }
        for line in summary
    ]
    columns = (
        Column("dataset", "table"),
        Column("kind", "left out"),
        Column("points", "rows", "count"),
        Column("error", "error", "percent", 2),
        Column("coverage", "90 % held", "percent", 2),
        Column("coverage50", "50 % held", "percent", 2),
        Column("wide", "upper over lower", "figures"),
        Column("usl_error", "USL error", "percent", 2),
        Column("usl_coverage", "USL 90 % held", "percent", 2),
        Column("usl_wide", "USL upper over lower", "figures"),
    )
    return Table(columns, tuple(rows), "Relative root mean square error of rows left out", "rows_left_out")


def _times(width: float | None) -> str:
    return "" if width is None else number(math.exp(min(width, 50.0)), 3)


def _case(row: dict) -> str:
    return f"{row['dataset']}, {row['variant']} at {row['n']}. {row['reason']}"


def _digest(seed: int) -> str:
    """Hash of everything that the page can depend on."""
    here, digest = pathlib.Path(__file__).parent, hashlib.sha256(str(seed).encode())
    for file in sorted([*here.rglob("*"), *data_folder().rglob("*")]):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:20]
