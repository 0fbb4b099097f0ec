"""What published tables taught: how lessons become a prior, and that the stored one is whole."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mpps.corpus import NEEDED, load
from mpps.discrepancy import broad, cells
from mpps.root import data_folder
from mpps.table import MECHANISMS, broad_prior, learnt_prior, points
from mpps.table.calibrate import Lesson, combined, curve_points, held_out_density
from mpps.table.fitting import fit_points
from mpps.table.prior import _from_plain, _plain

STORED = json.loads((data_folder() / "calibration.json").read_text(encoding="utf-8"))
NAMES = [mechanism.name for mechanism in MECHANISMS]
#: Shape of the held-out density: persistences, hazards, falls.
GRID = (5, 6, 6)


def lesson(dataset, source, favourite, coordinate=0.0, density=None, cell=None):
    """A curve that one mechanism explains, with all coordinates at one place."""
    weights = np.eye(len(MECHANISMS))[NAMES.index(favourite)]
    at = tuple(np.full(len(mechanism.quantities), coordinate) for mechanism in MECHANISMS)
    seen = np.exp(broad().log_weights.ravel()) if cell is None else np.eye(len(cells()))[cell]
    density = np.zeros(GRID) if density is None else density
    return Lesson(dataset, source, weights, at, tuple(each**2 for each in at), seen, density)


def test_odds_are_shares_of_data_sets():
    """One data set more than the one that its prior stands for: twice the odds, three curves of it or one."""
    one = combined([lesson("a", "A", "USL")])
    three = combined([lesson("a", "A", "USL")] * 3)

    odds = np.array([mechanism.odds for mechanism in MECHANISMS])
    expected = odds + np.eye(len(odds))[NAMES.index("USL")]
    assert [np.exp(one.log_odds[name]) for name in NAMES] == pytest.approx(expected / expected.sum())
    assert three.log_odds == pytest.approx(one.log_odds)


def test_places_are_means_with_the_broad_prior_as_two_data_sets():
    found = combined([lesson(name, name, "Amdahl", 1.2) for name in "abcd"])

    assert found.center["Amdahl"] == pytest.approx([4 * 1.2 / 6])
    assert found.width["Amdahl"] == pytest.approx([np.sqrt((4 * 1.2**2 + 2) / 6 - 0.8**2)])
    # What explains none of them learns nothing.
    assert found.center["fan-out"] == pytest.approx([0, 0]) and found.width["fan-out"] == pytest.approx([1, 1])
    many = combined([lesson(str(each), "A", "Amdahl", 0.5) for each in range(500)])
    assert many.center["Amdahl"] == pytest.approx([0.5], abs=0.01) and many.width["Amdahl"] == pytest.approx([0.4])


def test_scatter_and_drift_go_where_the_curves_are():
    start = np.exp(broad().log_weights.ravel())
    place = 3 * 8 + 2
    found = combined([lesson(str(each), "A", "USL", cell=place) for each in range(100)])
    weight = np.exp(found.discrepancy.log_weights.ravel())

    assert weight.sum() == pytest.approx(1) and weight.argmax() == place
    assert weight[place] == pytest.approx((100 + 8 * start[place]) / 108)
    same = combined([lesson("a", "A", "USL")])
    assert np.exp(same.discrepancy.log_weights.ravel()) == pytest.approx(start)


def test_surprises_are_those_that_make_held_out_points_likely():
    density = np.full(GRID, -50.0)
    density[3, 1, 4] = 0.0
    found = combined([lesson("a", "A", "USL", density=density)]).discrepancy
    flat = combined([lesson("a", "A", "USL")]).discrepancy

    assert found.persistence == pytest.approx(np.geomspace(0.25, 1, 5)[3])
    assert found.hazard == pytest.approx(np.geomspace(0.025, 0.25, 6)[1])
    assert found.fall == pytest.approx(np.geomspace(0.4, 2.0, 6)[4])
    assert (flat.persistence, flat.hazard, flat.fall) == pytest.approx((0.5, np.sqrt(0.025 * 0.25), np.sqrt(0.8)))


def test_a_source_left_out_leaves_no_trace():
    density = np.random.default_rng(1).normal(0, 2, GRID)
    mine, theirs = [lesson("a", "A", "USL", 1.0)], [lesson(name, "B", "fan-out", -2.0, density, 5) for name in "bc"]
    without, never = combined(mine + theirs, "B"), combined(mine)

    assert _plain(without) == _plain(never) and _plain(without) != _plain(combined(mine + theirs))
    assert without.words == "1 published data sets of 1 sources"


def test_what_is_written_is_read():
    prior = combined([lesson("a", "A", "USL", 1.0), lesson("b", "B", "station", -0.3, np.random.default_rng(1).normal(size=GRID))])

    assert _plain(_from_plain(_plain(prior))) == _plain(prior)


def test_the_stored_calibration_knows_every_mechanism_and_source():
    sources = {curve.source for curve in load().curves if len(curve.n) >= 3}

    assert STORED["schema"] == "mpps.calibration/1" and set(STORED["without"]) == sources
    for document in (STORED["all"], *STORED["without"].values()):
        assert list(document["mechanisms"]) == NAMES
        for mechanism in MECHANISMS:
            found = document["mechanisms"][mechanism.name]
            assert len(found["center"]) == len(found["width"]) == len(mechanism.quantities)
            assert all(0.4 <= value <= 1.6 for value in found["width"])
        total = np.exp([each["log_odds"] for each in document["mechanisms"].values()]).sum()
        assert total == pytest.approx(1, abs=0.01)
        assert np.exp(document["log_weights"]).sum() == pytest.approx(1, abs=0.01)
        assert 0.25 <= document["persistence"] <= 1 and 0.025 <= document["hazard"] <= 0.25 and 0.4 <= document["fall"] <= 2


def test_a_stored_prior_without_a_source_is_another_one():
    everything = learnt_prior()

    for source in STORED["without"]:
        found = learnt_prior(source)
        assert found.words != everything.words
        assert any(found.log_odds[name] != everything.log_odds[name] for name in NAMES), source
    assert learnt_prior("nobody's").log_odds == everything.log_odds


def test_points_of_a_curve_carry_its_repeats_and_spread():
    curve = next(each for each in load().curves if np.isfinite(each.stated).any() and len(each.n) >= NEEDED)
    found = curve_points(curve, slice(None, curve.cut))

    assert found.n.tolist() == curve.train_n.tolist() and found.weight.tolist() == curve.repeats[: curve.cut].tolist()
    assert np.exp(found.log_rate) == pytest.approx(curve.train_rate) and found.freedom > 0


def test_the_density_of_held_out_points_is_that_of_the_forecast():
    """Added up over all log rates it is one; a prior with few surprises finds a straight continuation likelier."""
    n = np.array([1.0, 2, 4, 8])
    rate = n / (1 + 0.02 * (n - 1)) * [1, 1.3, 0.8, 1]
    fitted = fit_points(points(n, rate, [0.3] * 4), broad_prior(), count=60)
    grid = np.linspace(-7, 9, 161)
    density = np.exp([held_out_density(fitted, np.array([32.0]), np.array([each])) for each in grid])

    assert density.sum(0) * (grid[1] - grid[0]) == pytest.approx(np.ones(GRID), abs=0.01)
    straight, low = (density[np.abs(grid - at).argmin()] for at in (np.log(20), np.log(1.5)))
    assert straight[0, 0, 0] > straight[0, -1, 0] and low[0, 0, 2] < low[0, -1, 2]


def test_a_lesson_without_held_out_points_teaches_no_surprise():
    silent = replace(lesson("b", "B", "USL", density=np.zeros(GRID)), density=None)
    density = np.random.default_rng(1).normal(0, 3, GRID)
    both, one = (combined(each).discrepancy for each in ([silent, lesson("a", "A", "USL", density=density)], [lesson("a", "A", "USL", density=density)]))

    assert (both.persistence, both.hazard, both.fall) == (one.persistence, one.hazard, one.fall)
