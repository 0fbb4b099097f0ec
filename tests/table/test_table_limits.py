"""Knees, peaks, what limits and where a lap goes, against closed forms."""

import numpy as np
import pytest

from known_curves import mean_value_analysis, usl
from mpps.table import fit
from mpps.table.limits import (
    PRIVATE,
    between,
    curves,
    grid,
    knee,
    lap_parts,
    limiting,
    limits_of,
    peak_cores,
    quantity_of,
    serial_shares,
)


def test_the_knee_of_a_station_is_lap_over_section():
    n = grid(64)
    rate = mean_value_analysis(9.0, 1.0, 1024)
    near, far = np.log(rate[n.astype(int) - 1] / rate[0])[None], np.log(rate[[255, 1023]] / rate[0])[None]

    assert knee(near, far, 64, np.array([False])) == pytest.approx([10.0], rel=1e-3)
    assert knee(near, far, 64, np.array([True])) == [np.inf]
    assert knee(near, far, 8, np.array([False])) == [np.inf]


def test_the_peak_of_the_universal_law_lies_between_the_counts_that_are_looked_at():
    n = grid(256)
    for contention, coherence in ((0.02, 0.004), (0.1, 0.0005), (0.3, 0.02)):
        found = peak_cores(np.log(usl(contention, coherence, n))[None], n)
        assert found == pytest.approx([np.sqrt((1 - contention) / coherence)], rel=0.03)


def test_a_curve_that_never_falls_has_no_peak():
    n = grid(256)
    rising, level = np.log(n), np.minimum(np.log(n), np.log(7.3))

    assert np.isinf(peak_cores(np.stack([rising, level]), n)).all()


def test_a_curve_that_only_falls_peaks_at_one():
    n = grid(64)

    assert peak_cores(-0.1 * np.log(n)[None], n) == [1.0]


def test_what_limits_is_counted_over_the_draws():
    rows = limiting(np.array([2.0, 8.0, np.inf, 3.0]), ["lock", "lock", PRIVATE, "ceiling"], [1, 4, 16])

    assert rows == [
        {"n": 1, "resource": PRIVATE, "probability": 1.0},
        {"n": 4, "resource": PRIVATE, "probability": 0.5},
        {"n": 4, "resource": "ceiling", "probability": 0.25},
        {"n": 4, "resource": "lock", "probability": 0.25},
        {"n": 16, "resource": "lock", "probability": 0.5},
        {"n": 16, "resource": "ceiling", "probability": 0.25},
        {"n": 16, "resource": PRIVATE, "probability": 0.25},
    ]


def test_the_parts_of_a_lap_add_up_to_littles_law():
    n = np.array([1, 2, 4, 8, 16])
    rate = mean_value_analysis(0.8, 0.2, 16)[n - 1]
    parts = lap_parts(np.array([0.2]), np.array([0.0]), np.log(rate)[None], n)[0]

    np.testing.assert_allclose(parts.sum(1), n / rate, rtol=1e-12)
    np.testing.assert_allclose(parts[:, 0], 0.8)
    np.testing.assert_allclose(parts[:, 2], 0.2)
    assert parts[0, 3] == pytest.approx(0.0, abs=1e-12) and (np.diff(parts[:, 3]) > 0).all()


def test_slowed_laps_show_the_slowdown_and_no_waiting():
    n, sharing = np.array([1, 2, 8]), 0.5
    relative = np.log(n / (1 + sharing * (1 - 1 / n)))
    parts = lap_parts(np.array([0.0]), np.array([sharing]), relative[None], n)[0]

    np.testing.assert_allclose(parts[:, 1], sharing * (1 - 1 / n), atol=1e-12)
    np.testing.assert_allclose(parts[:, 3], 0.0, atol=1e-12)


def test_infinite_draws_leave_an_end_open():
    few = np.concatenate([np.arange(1.0, 92.0), np.full(9, np.inf)])
    most = np.concatenate([np.full(40, 3.0), np.full(60, np.inf)])

    assert between(few)["upper"] is None and between(few)["median"] == 50.0
    assert between(most) == {"median": None, "lower": 3.0, "upper": None}
    assert between(np.full(5, np.inf)) == {"median": None, "lower": None, "upper": None}


TABLES = {
    "station": ([1, 2, 4, 8, 16, 32], lambda n: mean_value_analysis(7.0, 1.0, 32)[n - 1], "serial station", 8.0),
    "private work": ([1, 2, 4, 8, 16], lambda n: 3.0 * n, PRIVATE, None),
    "ceiling": ([1, 2, 3, 4, 6, 8, 12, 16, 24, 32], lambda n: np.minimum(n, 10.3), "ceiling", 10.3),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_limit_of_a_table_whose_truth_is_known(name):
    n, truth, resource, cores = TABLES[name]
    n = np.array(n)
    scattered = truth(n) * np.exp(0.005 * np.random.default_rng(3).standard_normal(len(n)))
    found = limits_of(fit(n, scattered))
    last = limiting(found.knees, found.names, [n[-1]])

    assert last[0]["resource"] == resource and last[0]["probability"] > 0.6
    ends = between(found.knees)
    if cores is None:
        assert ends["median"] is None and ends["upper"] is None and ends["lower"] > n[-1]
    else:
        assert ends["lower"] <= cores <= ends["upper"]
    assert between(found.lone)["lower"] <= truth(np.array([1]))[0] <= between(found.lone)["upper"]


def test_the_peak_of_a_table_with_a_known_peak_is_covered():
    n = np.array([1, 2, 4, 8, 16, 32, 64])
    rate = usl(0.03, 0.002, n) * np.exp(0.01 * np.random.default_rng(5).standard_normal(len(n)))
    found = limits_of(fit(n, rate))
    cores, height = between(found.peaks), between(found.peak_rates)
    truth = np.sqrt(0.97 / 0.002)

    assert cores["lower"] <= truth <= cores["upper"]
    assert height["lower"] <= usl(0.03, 0.002, truth) <= height["upper"]


def test_curves_pass_near_what_was_measured():
    n, rate = np.array([1, 2, 4, 8]), np.array([1.5, 2.8, 4.1, 4.4])
    found = curves(fit(n, rate), n)

    assert np.median(np.exp(found.middle), axis=0) == pytest.approx(rate, rel=0.03)
    assert (found.spread >= 0).all()


def test_values_of_quantities_stay_in_their_ranges():
    table = fit([1, 2, 4, 8], [1.0, 1.9, 3.0, 3.4])
    section, serial = quantity_of(table, "section"), serial_shares(table)

    given = np.isfinite(section)
    assert 0 < given.sum() < len(given)
    assert ((section[given] > 0) & (section[given] < 1)).all() and ((serial >= 0) & (serial <= 1)).all()
