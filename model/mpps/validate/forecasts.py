"""Forecasts of many curves: two processes, and kept between runs under the hash of the data and the code behind them."""

import concurrent.futures
import contextlib
import hashlib
import json
import multiprocessing
import os
import pathlib
import sys

import numpy as np

from mpps.corpus import Curve, Training
from mpps.errors import MppsError
from mpps.record import write
from mpps.root import cache_folder, data_folder
from mpps.stored import alone
from mpps.validate.scores import LEVELS

#: Parts of the package that show results and cannot change a forecast; everything else counts as its code.
_SHOW = (
    "change",
    "charts",
    "cli.py",
    "engine",
    "listing.py",
    "options.py",
    "pages",
    "progress.py",
    "readers",
    "report.py",
    "results.py",
)
_SHOW += ("sentences", "share", "solver", "tables.py", "tasks.py", "templates", "validate", "waiting.py", "workbook")

_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def table_forecaster(seed: int):
    """The forecaster of the product: the `table` code path, its priors learnt without the source of the curve."""
    from mpps.table import forecast

    def forecaster(training: Training, at: np.ndarray) -> np.ndarray:
        stated = training.stated[np.searchsorted(training.n, training.row_n)]
        found = forecast(training.row_n, training.row_rate, at, spread=stated, source=training.source, seed=seed)
        return found.quantiles

    return forecaster


def forecasts(curves, forecaster=None, *, seed: int, workers: int = 2, advance=None) -> list:
    """Quantiles (5, P) at the held-out n of each curve, or the `MppsError` that its forecast ended with, in order.

    forecaster(training, at) -> (5, P), as of `mpps.corpus.Training`, runs here, one curve after the other, and nothing is kept. Without one the table
    forecaster runs in `workers` processes (in this one when 1), and what it found is kept.
    advance() is called after every curve.
    """
    advance = advance or (lambda: None)
    if forecaster is not None:
        return [_one(curve, forecaster, advance) for curve in curves]
    file = cache_folder() / f"validate-{_digest(seed)}.json"
    with alone(file):
        known = _kept(file)
        missing = [curve for curve in curves if _key(curve) not in known]
        for _ in range(len(curves) - len(missing)):
            advance()
        try:
            for curve, found in _computed(missing, seed, workers):
                known[_key(curve)] = {"error": str(found)} if isinstance(found, MppsError) else found.tolist()
                advance()
        finally:
            if missing:
                with contextlib.suppress(OSError):
                    write(file, known)
    return [_read(known[_key(curve)]) for curve in curves]


def checked(found, at) -> np.ndarray:
    """Quantiles as an array (5, P); raises `MppsError` unless they are positive, finite and in order."""
    found = np.asarray(found, dtype=float)
    if found.shape != (len(LEVELS), len(at)):
        raise MppsError(f"a forecast has shape {found.shape}: expected ({len(LEVELS)}, {len(at)})")
    if not (np.isfinite(found) & (found > 0)).all() or (np.diff(found, axis=0) < 0).any():
        raise MppsError("a forecast holds quantiles that are no positive numbers in ascending order")
    return found


def _one(curve: Curve, forecaster, advance):
    try:
        return checked(forecaster(curve.training(), curve.held_n), curve.held_n)
    except MppsError as error:
        return error
    finally:
        advance()


def _computed(curves, seed: int, workers: int):
    """(curve, quantiles or error) in the order in which they are ready."""
    if workers == 1 or len(curves) < 2 or not _can_spawn():
        forecaster = table_forecaster(seed) if curves else None
        yield from ((curve, _one(curve, forecaster, lambda: None)) for curve in curves)
        return
    # A fresh process: forking after vl-convert's V8 or a pool of threads has started can hang.
    context = multiprocessing.get_context("spawn")
    with _one_thread(), concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as pool:
        waiting = {pool.submit(_in_worker, curve, seed): curve for curve in curves}
        try:
            for future in concurrent.futures.as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _can_spawn() -> bool:
    """Whether a fresh process finds the running program again: not one that was typed into a pipe."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return file is None or pathlib.Path(file).exists()


def _in_worker(curve: Curve, seed: int):
    return _one(curve, table_forecaster(seed), lambda: None)


@contextlib.contextmanager
def _one_thread():
    """Children of this process calculate with one thread each: they share the cores."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update({name: "1" for name in _ONE_THREAD})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def code_digest() -> str:
    """Hash of the code that a forecast can depend on, and of all data, from which its priors are learnt."""
    here, digest = pathlib.Path(__file__).parent.parent, hashlib.sha256()
    code = [file for file in here.rglob("*") if file.relative_to(here).parts[0] not in _SHOW]
    data = [file for file in data_folder().rglob("*") if file.suffix not in (".md", ".txt")]
    for file in (*sorted(code), *sorted(data), pathlib.Path(__file__)):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def _digest(seed: int) -> str:
    return hashlib.sha256(f"{code_digest()} {seed}".encode()).hexdigest()[:20]


def _key(curve: Curve) -> str:
    """Hash of what a forecaster sees of a curve."""
    digest = hashlib.sha256(curve.source.encode())
    for array in (curve.n, curve.train_rate, curve.stated, curve.row_n, curve.training().row_rate):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:20]


def _kept(file: pathlib.Path) -> dict:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # absent, or damaged by another program: computed again


def _read(found):
    return MppsError(found["error"]) if isinstance(found, dict) else np.array(found)
