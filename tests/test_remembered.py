"""Arrays and answers kept between runs: the same as computed, anew when something changes, and never in the way."""

import numpy as np
import pytest

from mpps import remembered as module
from mpps.remembered import remembered, remembered_plain

NUMBERS = np.array([[1.5, np.nan], [np.inf, -0.0]])


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """How often something was computed, in a folder of its own."""
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "kept")
    return []


def asked(calls, parts="a", values=(1.0, 2.0), modules=("units.py",), numbers=NUMBERS):
    return remembered(parts, [("x", np.array(values))], modules, lambda: calls.append(1) or numbers)


def test_numbers_come_back_bit_by_bit_and_may_be_changed(calls):
    first, second = asked(calls), asked(calls)

    assert len(calls) == 1
    assert first.tobytes() == second.tobytes() == NUMBERS.tobytes() and second.shape == (2, 2)
    second[0, 0] = 7.0
    assert asked(calls)[0, 0] == 1.5


@pytest.mark.parametrize("change", [{"parts": "b"}, {"values": (1.0, 2.0 + 1e-15)}, {"modules": ("errors.py",)}])
def test_a_change_of_what_it_rests_on_computes_anew(calls, change):
    asked(calls)
    asked(calls, **change)

    assert len(calls) == 2


def test_answers_come_back_as_json_holds_them(calls):
    answer = [["name", None, 0.1 + 0.2], []]
    found = [remembered_plain("a", [], ("units.py",), lambda: calls.append(1) or answer) for _ in range(2)]

    assert found == [answer, answer] and len(calls) == 1


def test_a_damaged_file_is_made_anew(calls, tmp_path):
    asked(calls)
    (tmp_path / "kept" / "remembered.sqlite").write_bytes(b"no database at all" * 100)
    for _ in range(3):
        assert asked(calls).shape == (2, 2)

    # Once to find out, once to write; then it is kept again.
    assert 2 <= len(calls) <= 3


def test_without_a_folder_it_is_computed_each_time(calls, tmp_path):
    (tmp_path / "kept").write_text("a file where the folder should be", encoding="utf-8")
    assert [asked(calls).shape for _ in range(2)] == [(2, 2)] * 2 and len(calls) == 2


def test_the_oldest_go(calls, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 20)
    for value in range(41):
        asked(calls, values=(float(value), 0.0))
    before = len(calls)
    asked(calls, values=(40.0, 0.0))
    assert len(calls) == before
    asked(calls, values=(1.0, 0.0))
    assert len(calls) == before + 1
