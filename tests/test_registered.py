"""Registered predictions: the hash holds the content, the code makes them again, nothing is written over."""

import copy

import numpy as np
import pytest
import yaml

from mpps import compare, paths, registered
from mpps.errors import DataError, MppsError, UnknownNameError
from mpps.predict import predict

NAMES = registered.names()
TUN = paths.load_path("tun_receive")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(registered, "_folder", lambda: tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def content():
    return registered.register(paths.load_path("packet_transmit"), "all", [13, 15], date="2026-11-30", commit="0" * 40)


def test_there_are_registered_predictions():
    """The mixture for the counts between the measured ones, of all variants, on the machine that has them."""
    (name,) = [each for each in NAMES if "2026-11-30" in each]
    found = registered.load(name)

    assert sorted({row["n"] for row in found.rows}) == [5, 6, 7, 10, 12]
    assert {row["variant"] for row in found.rows} == {"both locks", "ppp lock only", "socket lock only", "no lock"}
    assert len(found.rows) == 20 and found.content["unit"] == "Gbit/s"
    for key, least in (("family", 2), ("reading", 2), ("variation", 2)):
        assert len(found.shares(key)) >= least and sum(found.shares(key).values()) == pytest.approx(1, abs=0.02)
    assert all(np.all(np.diff(row["quantiles"]) > 0) for row in found.content["predictions"])


@pytest.mark.parametrize("name", NAMES)
def test_the_code_makes_them_again(name):
    assert registered.agrees(registered.load(name))


def test_the_hash_is_that_of_the_canonical_text(content):
    """By hand: keys in order, no spaces, without the hash itself; the order of keys in the file does not matter."""
    import hashlib
    import json

    rest = {key: content[key] for key in sorted(content, reverse=True) if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))

    assert content["sha256"] == registered.digest(rest) == hashlib.sha256(text.encode()).hexdigest()


def test_written_and_read_again(folder, content):
    file = registered.write(content)

    assert file.name == "packet_transmit_all_2026-11-30.yaml"
    assert registered.load(file.stem).content == content
    assert registered.names("packet_transmit") == (file.stem,) and registered.names("tun_receive") == ()
    with pytest.raises(MppsError, match="not written over"):
        registered.write(content)


@pytest.mark.parametrize("change", ["prediction", "date", "weight"])
def test_a_changed_prediction_is_refused(folder, content, change):
    moved = copy.deepcopy(content)
    if change == "prediction":
        moved["predictions"][0]["quantiles"][2] *= 1.000001
    elif change == "date":
        moved["date"] = "2026-11-29"
    else:
        moved["mixture"][0]["weight"] += 1e-6
    (folder / "x.yaml").write_text(yaml.safe_dump(moved), encoding="utf-8")

    with pytest.raises(DataError, match="x.yaml: sha256 is .* register a new one"):
        registered.load("x")


def test_a_file_that_lacks_a_field_and_an_unknown_name_are_errors(folder, content):
    (folder / "x.yaml").write_text(yaml.safe_dump({"path": "tun_receive"}), encoding="utf-8")

    with pytest.raises(DataError, match="x.yaml: lacks title"):
        registered.load("x")
    with pytest.raises(UnknownNameError):
        registered.load("y")


def test_only_counts_that_can_be_measured_there_are_registered():
    with pytest.raises(MppsError, match="has no 64 streams"):
        registered.register(TUN, "all", [1, 64], date="2026-11-30", commit="0" * 40)


def test_other_draws_agree_and_another_prediction_does_not(content):
    """The tolerance is that of the draws: other seeds of scatter and structure stay inside it, a third of the interval more
    does not."""
    path = paths.load_path("packet_transmit")
    fitted = compare.fit(path, "all")
    rows = {(row["variant"], row["n"]): row for row in content["predictions"]}
    off = []
    for seed in (2, 3, 4):
        for name in ("bypass", "qdisc"):
            again = predict(path, [13, 15], variant=name, fitted=fitted, seed=seed).quantiles
            off += [registered._beside(rows[name, n], again[:, k], content["draws"])["off"] for k, n in enumerate((13, 15))]
    row = content["predictions"][0]
    width = np.log(row["quantiles"][4] / row["quantiles"][0])
    shifted = np.array(row["quantiles"]) * np.exp(0.35 * width)

    assert 0 < max(off) <= registered.TOLERANCE
    assert registered._beside(row, shifted, content["draws"])["off"] > registered.TOLERANCE


def test_another_table_is_not_the_one_that_was_used(content):
    other = copy.deepcopy(content)
    other["data_sha256"] = {"packet_transmit.csv": "0" * 64}

    with pytest.raises(DataError, match="not the table that it was made from"):
        registered.made_again(registered.Registered("x", other))
