"""Intervals hold the truth as often as they say: the short version of tests/slow/test_coverage.py."""

import numpy as np
import pytest
from scipy.special import ndtri

from mpps.profiles import coverage

LEVELS = (0.025, 0.975)


@pytest.mark.parametrize("truth", coverage.truths()[:3], ids=lambda truth: truth.name)
def test_95_percent_intervals_hold_the_truth(truth):
    """93 to 97 %, give or take four standard deviations of a count of 300."""
    rows = coverage.study([truth], repeats=300)

    assert len(rows) == 3 * len(coverage.quantities(truth, 8.0))
    for row in rows:
        assert 0.93 - 4 * row.error() <= row.coverage <= min(0.97 + 4 * row.error(), 1.0), row
    # All together they are far more than 300.
    assert np.mean([row.coverage for row in rows]) == pytest.approx(0.95, abs=0.015)


def test_without_a_visible_peak_its_upper_end_is_open():
    truth = coverage.truths()[1]
    (peak,) = (row for row in coverage.study([truth], {"short": (1, 2, 4, 8, 16, 32)}, repeats=200) if row.quantity == "peak")

    assert peak.true > 300 and peak.open > 0.8 and peak.width == np.inf


def test_a_forecaster_that_knows_the_truth_covers_and_one_that_lies_does_not():
    truth = coverage.truths()[0]

    def knowing(n, rate, at, levels):
        curve = truth.family.log_rate(truth.x[None], at.astype(float))[0]
        return np.exp(curve + 0.01 * ndtri(np.array(levels))[:, None])

    lying = lambda n, rate, at, levels: 2 * knowing(n, rate, at, levels)
    rows = coverage.forecast_study(knowing, [truth], repeats=400)
    wrong = coverage.forecast_study(lying, [truth], repeats=20)

    assert [row.quantity for row in rows[:2]] == ["measurement at 64", "measurement at 128"]
    assert all(abs(row.coverage - 0.95) < 4 * row.error() for row in rows)
    assert all(row.width == pytest.approx(0.0392, rel=1e-3) for row in rows)
    assert all(row.coverage == 0 for row in wrong)
