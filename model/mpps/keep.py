"""Results that take long, kept between runs under the hash of everything that they depend on."""

import contextlib
import hashlib
import json
import pathlib

import numpy as np

from mpps.compare import Fit
from mpps.record import plain, write
from mpps.root import cache_folder, data_folder
from mpps.stored import alone

_HERE = pathlib.Path(__file__).parent
#: What published tables taught, below `data/`: every prediction rests on it.
_LEARNT = "calibration.json"


def kept(name: str, fitted: Fit, modules, compute, *, about=()):
    """What `compute()` returns, plain JSON, computed anew only when the fit, `about` or the code of `modules` changes.

    modules: glob patterns below the package for the code that the result depends on beside the fit itself.
    """
    file = cache_folder() / f"{name}-{_digest(fitted, modules, about)}.json"
    with alone(file):
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            pass  # absent, or damaged by another program: computed below
        found = plain(compute())
        with contextlib.suppress(OSError):
            write(file, found)
    return found


def _digest(fitted: Fit, modules, about) -> str:
    """Hash of a fit's path, points and estimates, of what is asked, of the code that answers and what it learnt."""
    digest = hashlib.sha256(repr((fitted.path, fitted.scope, fitted.seed, fitted.points.source, about)).encode())
    for one in fitted.mechanisms:
        digest.update(np.ascontiguousarray(one.solved.x).tobytes())
        digest.update(np.array([one.weight, one.scale]).tobytes())
    for array in (fitted.points.n, fitted.points.value, fitted.points.scatter):
        digest.update(np.ascontiguousarray(array).tobytes())
    for file in sorted(file for pattern in ("keep.py", *modules) for file in _HERE.glob(pattern)):
        digest.update(file.read_bytes())
    digest.update((data_folder() / _LEARNT).read_bytes())
    return digest.hexdigest()[:20]
