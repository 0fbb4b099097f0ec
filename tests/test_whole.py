"""Files whole or not at all, also where the disk is full."""

import contextlib
import errno
import os
import pathlib

import pytest

from mpps import keep
from mpps.errors import MppsError
from mpps.whole import write_whole


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path):
    write_whole(tmp_path / "deep" / "a.html", b"one")
    write_whole(tmp_path / "deep" / "a.html", b"two")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.html"]
    assert (tmp_path / "deep" / "a.html").read_bytes() == b"two"


def test_a_full_disk_is_told_with_the_folder_and_what_was_there_stays(tmp_path, monkeypatch):
    write_whole(tmp_path / "a.html", b"old")
    write = pathlib.Path.write_bytes

    def half(self, content):
        write(self, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pathlib.Path, "write_bytes", half)
    with pytest.raises(MppsError) as told:
        write_whole(tmp_path / "a.html", b"a new and longer one")
    assert str(told.value).startswith(f"cannot write a.html into {tmp_path}: No space left on device")
    assert "--out" in str(told.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"] and (tmp_path / "a.html").read_bytes() == b"old"


def test_a_folder_that_is_a_file_is_told(tmp_path):
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with pytest.raises(MppsError, match="cannot write a.html into"):
        write_whole(tmp_path / "out" / "a.html", b"x")


def test_what_is_kept_only_to_save_time_is_computed_all_the_same(tmp_path, monkeypatch):
    """A cache that cannot be written costs time and nothing else."""
    (tmp_path / "cache").write_text("a file where a folder should be", encoding="utf-8")
    monkeypatch.setattr(keep, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(keep, "alone", lambda file: contextlib.nullcontext())
    monkeypatch.setattr(keep, "_digest", lambda *asked: "digest")

    assert keep.kept("shares", None, (), lambda: {"share": 0.5}) == {"share": 0.5}
