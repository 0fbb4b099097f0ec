"""The page of a user's own table: notebook 07 with the file and the options of `mpps fit` as its parameters."""

from pathlib import Path

from mpps.answers.own.reading import read_for
from mpps.answers.own.series import rates
from mpps.errors import MppsError
from mpps.readers import Reading
from mpps.readers.core.output import write_csv

NOTEBOOK = "07_your_own_table"
#: Counts that the page looks to without counts asked for: four times the largest, and so many at least.
_AT_LEAST = 64
_MOST = 100_000
#: Options of `mpps.read` that the notebook has too.
_PARAMETERS = {"n", "value", "unit"}


def page(files, out, *, at=(), variants=(), how: dict, seed: int = 1, progress: bool = True):
    """Execute the notebook for a table and write its page into the folder `out`: `mpps.report.BatchResult`.

    how: options of `mpps.read`, None where not given. Several files, standard input, and a file
    whose format or count must be told, become one tidy table in `out` first. Everything is read before a kernel starts: raises `MppsError` as `mpps.read` and `fit_table` do.
    """
    from mpps.report import report

    given = {name: value for name, value in how.items() if value is not None}
    reading, chosen = read_for(files, variants, **given)
    found, _ = rates(reading)
    largest = int(max(each.n.max() for each in found if not chosen or each.variant in chosen))
    asked = max(at) if len(tuple(at)) else max(_AT_LEAST, 4 * largest)
    out = Path(out)
    if len(files) == 1 and files[0] != "-" and set(given) <= _PARAMETERS:
        values = {"file": str(Path(files[0]).resolve()), "variants": list(variants)} | given
    else:
        values = {"file": str(_joined(reading, out).resolve()), "variants": list(chosen)}
    return report(
        [NOTEBOOK], parameters=values | {"cores_max": min(int(asked), _MOST), "seed": seed}, out=out, workers=1, progress=progress
    )


def _joined(reading: Reading, out: Path) -> Path:
    """The rows of a reading as one tidy table in the folder of the page."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MppsError(f"cannot write into {out}: {error.strerror}; choose another folder with --out") from None
    write_csv(reading, out / "table.csv")
    return out / "table.csv"
