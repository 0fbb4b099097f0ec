"""Text that is dear to make and depends on its inputs alone, kept between runs: pictures, and vega in one script.

Each file is named by the hash of what it was made from, vl-convert's version included. A folder that cannot be written
costs time, not the page; what nobody asked for in a month is removed.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import pathlib
import time

from mpps.root import cache_folder

_MONTH = 30 * 24 * 3600


def kept(kind: str, basis: str, make) -> str:
    """`make()`, or what it returned for the same kind and basis before."""
    digest = hashlib.sha256("\0".join((_maker(), kind, basis)).encode()).hexdigest()
    file = _folder() / f"{kind}-{digest[:32]}.txt"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = file.read_text(encoding="utf-8")
        os.utime(file)
        return text
    text = make()
    with contextlib.suppress(OSError):
        partial = file.with_suffix(f".{os.getpid()}.part")
        partial.write_text(text, encoding="utf-8")
        partial.replace(file)
    return text


@functools.cache
def _folder() -> pathlib.Path:
    folder = cache_folder().parent / "pages"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            if time.time() - file.stat().st_mtime > _MONTH:
                file.unlink(missing_ok=True)
    return folder


@functools.cache
def _maker() -> str:
    """What makes the text beside its inputs: vl-convert, and our own dressing of its pictures."""
    show = pathlib.Path(__file__).parents[1] / "charts" / "show.py"
    return importlib.metadata.version("vl-convert-python") + hashlib.sha256(show.read_bytes()).hexdigest()
