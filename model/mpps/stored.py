"""Fits kept between runs, under the hash of the data, the path and the code behind them.

A folder that cannot be written costs time, not the answer: then nothing is kept.
"""

import contextlib
import fcntl
import hashlib
import json
import pathlib

import numpy as np

#: The modules that a fit depends on, below this folder.
CODE = (
    "compare.py",
    "fit/*.py",
    "leastsquares.py",
    "locks.py",
    "network.py",
    "normalising.py",
    "path/*.py",
    "simulation.py",
    "stored.py",
    "uncertainty.py",
)


def key(path, scope: str, points, seed: int) -> str:
    """Hash of everything a fit depends on: the data, the path, and the code that fits."""
    here = pathlib.Path(__file__).parent
    digest = hashlib.sha256()
    for part in (repr(path), scope, repr(points.source), str(seed)):
        digest.update(part.encode())
    for array in (points.n, points.value, points.scatter):
        digest.update(np.ascontiguousarray(array).tobytes())
    for file in sorted(file for part in CODE for file in here.glob(part)):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


@contextlib.contextmanager
def alone(file: pathlib.Path):
    """Hold the lock of a stored fit: of several processes that want it, one computes and the others read."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = file.with_suffix(".lock").open("w")
    except OSError:
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write(file: pathlib.Path, basis: str, rows) -> None:
    """Write (plain values, arrays by name) of each mechanism; another process never sees half a file."""
    arrays = {f"{index}_{name}": array for index, (_, parts) in enumerate(rows) for name, array in parts.items()}
    partial = file.with_suffix(f".{np.random.default_rng().integers(1 << 40)}.part")
    with contextlib.suppress(OSError):
        with partial.open("wb") as stream:
            np.savez_compressed(stream, plain=json.dumps([basis, [plain for plain, _ in rows]]), **arrays)
        partial.replace(file)


def read(file: pathlib.Path):
    """What `write` wrote: (basis, rows), or None when there is nothing or it is damaged."""
    try:
        with np.load(file) as data:
            basis, plain = json.loads(str(data["plain"]))
            names = {name.split("_", 1)[1] for name in data.files if name != "plain"}
            return basis, [(row, {name: data[f"{k}_{name}"] for name in names}) for k, row in enumerate(plain)]
    except (OSError, ValueError, KeyError, EOFError):
        return None
