"""Where the workbook's data, notebooks and reports are: the clone, or the folder that a wheel carries along."""

import os
import pathlib

_HERE = pathlib.Path(__file__).resolve().parent


def root() -> pathlib.Path:
    """The folder that holds `data/` and `notebooks/`."""
    clone = _HERE.parent.parent
    return clone if (clone / "data").is_dir() else _HERE / "share"


def data_folder() -> pathlib.Path:
    """`data/`: measurements, machines and their cards."""
    return root() / "data"


def notebooks_folder() -> pathlib.Path:
    """`notebooks/`: thin, without outputs."""
    return root() / "notebooks"


def reports_folder() -> pathlib.Path:
    """`reports/` of a clone; `reports/` in the current folder for an installed wheel."""
    return root() / "reports" if root() == _HERE.parent.parent else pathlib.Path.cwd() / "reports"


def cache_folder() -> pathlib.Path:
    """Where fits are kept between runs: `.cache/fits` of a clone, the user's cache folder for an installed wheel.

    Every file carries the hash of the data and the code behind it, so the folder may be deleted at any time.
    """
    clone = _HERE.parent.parent
    if (clone / "data").is_dir():
        return clone / ".cache" / "fits"
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "mpps" / "fits"
