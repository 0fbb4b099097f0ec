"""Files that are written whole or not at all."""

import contextlib
import os
import pathlib
import threading

from mpps.errors import MppsError


class CannotWrite(MppsError, OSError):
    """No room or no right to write. An `OSError` too: what is kept only to save time passes over it as over any other."""


def write_whole(path: pathlib.Path, content: bytes) -> None:
    """Write a file so that a reader sees the old one or the new one, never half of it.

    Raises `CannotWrite` where there is no room or no right; nothing is left behind then.
    """
    part = path.with_name(f".{path.name[-60:]}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise CannotWrite(
            f"cannot write {path.name} into {path.parent}: {error.strerror}; what stands there is whole: make room, or choose "
            "another folder with --out"
        ) from None
