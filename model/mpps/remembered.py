"""Small arrays and answers that take long, kept in one file between runs: the newest, under the hash of what they rest on.

Unlike `keep`, which writes a file for each answer, this is for thousands of them, as a sweep asks for. A file that
cannot be read or written costs time, not the answer.
"""

import contextlib
import functools
import hashlib
import json
import pathlib

import numpy as np

from mpps.root import cache_folder

_FILE = "remembered.sqlite"
#: Rows of the file, about 300 bytes each; the oldest go when a tenth more has come.
MOST = 20_000
_TABLE = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, shape TEXT, numbers BLOB)"


def remembered(parts, arrays, modules, compute) -> np.ndarray:
    """What `compute()` returns, an array of floats, computed anew only when something below changes.

    parts: objects whose repr says all of them; arrays: (name, array) pairs; modules: glob patterns below the package
    for the code that computes.
    """
    key = _key(parts, arrays, modules)
    known = _read(key)
    if known is not None:
        with contextlib.suppress(ValueError):
            return np.frombuffer(known[1]).reshape([int(size) for size in known[0].split()]).copy()
    found = np.asarray(compute(), float)
    _write(key, " ".join(map(str, found.shape)), np.ascontiguousarray(found).tobytes())
    return found


def remembered_plain(parts, arrays, modules, compute):
    """As `remembered`, for what JSON holds: lists, names, numbers, None."""
    key = _key(parts, arrays, modules)
    known = _read(key)
    if known is not None:
        with contextlib.suppress(ValueError):
            return json.loads(known[1])
    text = json.dumps(compute())
    _write(key, "json", text.encode())
    return json.loads(text)


def _key(parts, arrays, modules) -> str:
    digest = hashlib.sha256(repr(parts).encode() + code(tuple(modules)))
    for name, array in arrays:
        digest.update(f"{name} {np.shape(array)}".encode())
        digest.update(np.ascontiguousarray(array, float).tobytes())
    return digest.hexdigest()[:32]


@functools.cache
def code(modules: tuple) -> bytes:
    """Hash of the text of `modules`, read once in a process, as Python reads it."""
    here = pathlib.Path(__file__).parent
    digest = hashlib.sha256()
    for file in sorted(file for pattern in modules for file in here.glob(pattern)):
        digest.update(file.read_bytes())
    return digest.digest()


@contextlib.contextmanager
def _open():
    """The file, opened for this call alone: threads and forked processes each have their own."""
    import sqlite3

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(folder / _FILE, timeout=2.0, isolation_level=None)) as file:
        file.execute("PRAGMA synchronous = OFF")  # what a power cut takes is computed again
        yield file


def _read(key: str) -> tuple[str, bytes] | None:
    with _whatever_happens(), _open() as file:
        return file.execute("SELECT shape, numbers FROM kept WHERE key = ?", (key,)).fetchone()
    return None


def _write(key: str, shape: str, numbers: bytes) -> None:
    with _whatever_happens(), _open() as file:
        file.execute(_TABLE)
        file.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (key, shape, numbers))
        last = file.execute("SELECT max(rowid) FROM kept").fetchone()[0]
        if last % (MOST // 10) == 0:
            file.execute("DELETE FROM kept WHERE rowid <= ?", (last - MOST,))


@contextlib.contextmanager
def _whatever_happens():
    """Nothing that goes wrong with the file is told: no SQLite, no room, a damaged or a locked file."""
    try:
        yield
    except ImportError:
        return
    except (OSError, ValueError):
        return
    except Exception as problem:
        if type(problem).__module__ != "sqlite3":
            raise
        if type(problem).__name__ == "DatabaseError":  # no database at all
            with contextlib.suppress(OSError):
                (cache_folder() / _FILE).unlink()
