"""Pictures and scripts kept between runs: made once for each input, and never from half a file."""

import os

import pytest

from mpps.pages import kept as module
from mpps.pages.kept import kept


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "fits")
    module._folder.cache_clear()
    yield tmp_path / "pages"
    module._folder.cache_clear()


def test_text_is_made_once_for_each_kind_and_basis(folder):
    calls = []
    make = lambda: calls.append(1) or f"made {len(calls)}"

    assert [kept("a", "x", make), kept("a", "x", make), kept("a", "y", make), kept("b", "x", make)] == [
        "made 1", "made 1", "made 2", "made 3",
    ]  # fmt: skip
    assert len(list(folder.iterdir())) == 3


def test_what_cannot_be_made_is_not_kept(folder):
    with pytest.raises(ValueError, match="no such chart"):
        kept("a", "x", lambda: (_ for _ in ()).throw(ValueError("no such chart")))
    assert kept("a", "x", lambda: "now") == "now"


def test_without_a_folder_text_is_made_each_time(tmp_path, monkeypatch):
    (tmp_path / "pages").write_text("a file where the folder should be")
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "fits")
    module._folder.cache_clear()

    assert [kept("a", "x", lambda: "one"), kept("a", "x", lambda: "two")] == ["one", "two"]
    module._folder.cache_clear()


def test_what_nobody_asked_for_in_a_month_goes(folder):
    kept("a", "old", lambda: "old")
    kept("a", "new", lambda: "new")
    for file in folder.iterdir():
        if file.read_text() == "old":
            os.utime(file, (0, 0))
    module._folder.cache_clear()

    kept("a", "new", lambda: "again")

    assert [file.read_text() for file in folder.iterdir()] == ["new"]
