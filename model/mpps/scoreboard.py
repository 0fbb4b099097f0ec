"""The validation page of a reports folder: written anew only when data or code have changed."""

import hashlib
import pathlib

from mpps.pages import validation
from mpps.results import scorecard_table
from mpps.root import data_folder
from mpps.tables import Table
from mpps.validate import validate

#: Checks of a code path that score rows which the fit did not see.
_HELD_OUT = ("leave one out", "leave variant out", "held out", "median of held out", "largest of held out", "inside")


def write_scoreboard(folder, *, seed: int = 1, advance=None) -> pathlib.Path:
    """Write `validation.html` of the corpus into `folder`, unless the page there has the same data, code and seed.

    The first run forecasts every series of the corpus, which takes minutes; later ones keep what did not change.
    advance(done, total) is called as forecasts become ready.
    """
    digest = _digest(seed)
    if validation.written(folder) == digest:
        return pathlib.Path(folder) / f"{validation.NAME}.html"
    document = validate(seed=seed, advance=advance)
    return validation.write_validation_page(document, folder, sections=sections(seed), digest=digest)


def sections(seed: int = 1) -> list[validation.Section]:
    """What stands below the corpus: the figures of the seeds on points, variants and counts that their fits did not see."""
    words = (
        "The code paths are fitted to their own tables. These figures are of rows that a fit did not see: single points, "
        "whole variants, the largest counts. Errors are relative root mean squares unless the name says otherwise."
    )
    table = scorecard_table(seed=seed, kinds=_HELD_OUT)
    plain = [{key: str(value).replace("`", "") for key, value in row.items()} for row in table.rows]
    return [
        validation.Section(
            "The code paths on rows they did not see", words, Table(table.columns, tuple(plain), "", "paths")
        )
    ]


def _digest(seed: int) -> str:
    """Hash of everything that the page can depend on."""
    here, digest = pathlib.Path(__file__).parent, hashlib.sha256(str(seed).encode())
    for file in sorted([*here.rglob("*"), *data_folder().rglob("*")]):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:20]
