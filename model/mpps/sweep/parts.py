"""The folder of the parts: a file for each chunk that is done, whole or not there, whatever ends the sweep.

A part is named by its place, the sweep's key and the hash of its own bytes, so that a damaged one and one of another
sweep are seen. It is written beside its name, flushed to the disk, and renamed.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re

from mpps.errors import MppsError

_NAME = re.compile(r"(\d{8})-([0-9a-f]{16})-([0-9a-f]{16})\.parquet")
_MANIFEST, _LOCK = "sweep.json", "lock"


class Parts:
    """The parts of one sweep in `folder`, held by this process alone while it is open."""

    def __init__(self, folder: pathlib.Path, key: str):
        self.folder, self.key = folder, key
        self._lock = None

    def open(self, identity: dict, *, force: bool = False) -> dict[int, pathlib.Path]:
        """Make or take over the folder: place -> file of the parts that are there and whole.

        Raises `MppsError` for a folder that cannot be written, that another process holds, or whose parts are of another
        sweep, which `force` removes.
        """
        with written(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / _LOCK).open("a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()  # and so `close` leaves the folder alone
            raise MppsError(
                f"{self.folder}: another sweep is at work on these parts: wait for it, or write to another --out"
            ) from None
        files = {name: _NAME.fullmatch(name) for name in os.listdir(self.folder)}
        others = [name for name, match in files.items() if match and match[2] != self.key]
        if others and not force:
            raise MppsError(self._other(identity, len(others)))
        for name in files:
            if name in others or name.endswith(".new"):
                (self.folder / name).unlink()
        write(self.folder / _MANIFEST, json.dumps(identity | {"key": self.key}, indent=1).encode())
        found = {}
        for name in sorted(name for name, match in files.items() if match and match[2] == self.key):
            file = self.folder / name
            if _digest(file.read_bytes()) == files[name][3]:
                found[int(files[name][1])] = file
            else:
                file.unlink()
        return found

    def _other(self, identity: dict, count: int) -> str:
        try:
            before = json.loads((self.folder / _MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            before = {}
        words = {"spec": "the spec", "data": "the data", "code": "the code", "versions": "versions", "chunk": "chunks"}
        changed = [word for name, word in words.items() if before.get(name) != identity[name]]
        return (
            f"{self.folder}: found {count:,} parts of another sweep ({', '.join(changed) or 'its record is gone'} differ): finish "
            "that one with its own spec, write to another --out, or drop them with --force"
        )

    def add(self, index: int, content: bytes) -> pathlib.Path:
        """Keep a part; raises `MppsError` when the disk is full or the folder cannot be written."""
        file = self.folder / f"{index:08d}-{self.key}-{_digest(content)}.parquet"
        write(file, content)
        return file

    def note(self, name: str, content: dict) -> None:
        """Keep what is known of a cell."""
        write(self.folder / name, json.dumps(content, ensure_ascii=False).encode())

    def noted(self, name: str) -> dict | None:
        """What `note` kept, None when it did not."""
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def remove(self) -> None:
        """Remove the folder and all that this module put there."""
        for name in os.listdir(self.folder):
            if _NAME.fullmatch(name) or name.endswith((".json", ".new")):
                (self.folder / name).unlink()
        (self.folder / _LOCK).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # somebody else's files stay
            self.folder.rmdir()

    def close(self, whole: bool = True) -> None:
        """Let go of the folder; without `whole` also remove it where it holds no part."""
        if self._lock is None or self._lock.closed:
            return
        if not whole and self.folder.is_dir() and not any(map(_NAME.fullmatch, os.listdir(self.folder))):
            self.remove()
        self._lock.close()


def write(file: pathlib.Path, content: bytes) -> None:
    """Write a file whole or not at all: beside its name, flushed, renamed."""
    new = file.with_name(f"{file.name}.new")
    with written(file):
        try:
            with new.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(file)
            flush_folder(file.parent)
        except BaseException:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
            raise


def flush_folder(folder: pathlib.Path) -> None:
    """Let a rename reach the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def written(file: pathlib.Path):
    """An operating system's refusal to write, in words."""
    try:
        yield
    except OSError as error:
        import errno

        reasons = {
            errno.ENOSPC: "the disk is full",
            errno.EDQUOT: "the quota is used up",
            errno.EFBIG: "the file is too large",
        }
        reason = reasons.get(error.errno, error.strerror or str(error))
        raise MppsError(
            f"{file}: cannot be written ({reason}): make room or write to another --out; what is done is kept, and the same "
            "command goes on from there"
        ) from None


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()
