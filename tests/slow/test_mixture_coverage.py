"""Coverage of the product's forecasts, which are not told the family, on synthetic tables with 1 % scatter."""

import numpy as np
import pytest

from mpps.profiles import coverage
from mpps.table import forecast

pytestmark = pytest.mark.slow

REPEATS = 100


def mixture(n, rate, at, levels):
    return np.exp(np.quantile(forecast(n, rate, at).noisy, levels, axis=0))


@pytest.mark.parametrize("truth", coverage.truths(), ids=lambda truth: truth.name)
def test_95_percent_intervals_of_the_mixture_hold_at_least_93_percent(truth):
    """Up to four times the largest n; three standard deviations of the count are allowed for."""
    rows = coverage.forecast_study(mixture, [truth], repeats=REPEATS, seed=7)

    for row in rows:
        assert row.coverage >= 0.93 - 3 * row.error(), row
        assert 0 < row.width < 6, row
    assert np.mean([row.coverage for row in rows]) >= 0.93
