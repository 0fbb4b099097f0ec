"""From what a user has, a path, a fit, a file, to the model under the sliders."""

import hashlib
from pathlib import Path

from mpps.compare import Fit
from mpps.errors import DataError, MppsError, unknown_name
from mpps.explore.of_path import PathModel, given_only
from mpps.explore.of_table import TableModel
from mpps.path import CodePath
from mpps.paths import load_path, names
from mpps.readers import Reading


def opened(what, *, variant=None, machine=None, cores_max: int, seed: int, options: dict):
    """The model of `what`; see `mpps.explore.explore`."""
    if isinstance(what, str) and what in names():
        what = load_path(what)
    if isinstance(what, CodePath | Fit):
        if options:
            raise MppsError(
                f"{', '.join(sorted(options))}: options of reading a file, which a code path has no use for"
            )
        return _path_model(what, variant, machine, cores_max, seed)
    if machine is not None:
        raise MppsError("machine: a table of your own is not moved to another machine; choose a code path for that")
    if isinstance(what, dict):
        return _of_document(what, cores_max, options)
    return _of_file(what, variant, cores_max, seed, options)


def _path_model(what, variant, machine, cores_max, seed) -> PathModel:
    also = (machine,) if machine is not None else ()
    if isinstance(what, Fit):
        given_only(what, variant)
        return PathModel(what.path, fitted=what, cores_max=cores_max, seed=what.seed, also=also)
    return PathModel(what, cores_max=cores_max, seed=seed, also=also)


def _of_file(what, variant, cores_max, seed, options) -> TableModel:
    from mpps.answers.own.reading import read_for
    from mpps.answers.own.series import rates

    if isinstance(what, Reading):
        reading = what
    else:
        files = [_found(name) for name in ([what] if isinstance(what, str | Path) else what)]
        reading, _ = read_for(files, () if variant is None else (variant,), **options)
    series, _ = rates(reading)
    title = ", ".join(dict.fromkeys(Path(file).name for file, _, _ in reading.formats))
    model = TableModel(series, cores_max=cores_max, seed=seed, title=title)
    if variant is not None and variant not in model.series and variant not in _columns(reading):
        raise unknown_name("variant", variant, list(model.series))
    return model


def _columns(reading) -> str:
    """What the reading understood, where a column that was named as that of variants is told."""
    return " ".join(reading.understood)


def _found(name) -> str:
    """A file, or a data set of this project by its name."""
    from mpps.workbook.before import table_file

    found = table_file(str(name))
    if not Path(found).exists() and not Path(found).suffix:
        raise unknown_name("code path, data set or file", str(name), [*names()])
    return found


def _of_document(document: dict, cores_max: int, options: dict) -> TableModel:
    """The table behind an answer of `mpps.fit_table`: its files are read again, and must not have changed since."""
    read = document.get("read") or {}
    files = [each["file"] for each in read.get("files", [])] if isinstance(read, dict) else []
    if not files:
        raise MppsError(
            "this document names no file that was read: give what mpps.fit_table answers, or the file itself"
        )
    for file, digest in document.get("data_sha256", {}).items():
        path = Path(file)
        if path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise DataError(f"{path.name}: has changed since it was fitted: fit it again")
    model = _of_file(files, None, cores_max, document["seed"], options)
    asked = [each["variant"] for each in document["series"]]
    kept = {name: each for name, each in model.series.items() if each.variant in asked}
    if not kept:
        raise MppsError("the files give other series now: give the file with the options of reading it instead")
    model.series = kept
    return model
