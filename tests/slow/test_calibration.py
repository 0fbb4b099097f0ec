"""data/calibration.json is what data/corpus teaches: minutes."""

import json

import pytest

from mpps.root import data_folder
from mpps.table import calibrate

pytestmark = pytest.mark.slow


def numbers(node, place=""):
    if isinstance(node, dict):
        for name, each in node.items():
            yield from numbers(each, f"{place}/{name}")
    elif isinstance(node, list):
        for index, each in enumerate(node):
            yield from numbers(each, f"{place}/{index}")
    elif not isinstance(node, str):
        yield place, node


def test_the_stored_calibration_is_learnt_again(monkeypatch, tmp_path):
    monkeypatch.setattr(calibrate, "data_folder", lambda: tmp_path)
    assert calibrate.main() == 0
    found, stored = (json.loads((folder / "calibration.json").read_text(encoding="utf-8")) for folder in (tmp_path, data_folder()))

    # Four digits are stored; other processors round differently on the way.
    assert dict(numbers(found)) == pytest.approx(dict(numbers(stored)), abs=2e-3)
    assert {name: each["words"] for name, each in found["without"].items()} == {
        name: each["words"] for name, each in stored["without"].items()
    }
