"""Figures of points and their averages, against closed forms and numbers done by hand."""

import math

import numpy as np
import pytest

from mpps.validate import interval_score, point_scores
from mpps.validate.coverage import cluster_interval
from mpps.validate.scores import averaged, over_sets, without_worst

#: One point with quantiles 50, 80, 100, 125, 200.
FIVE = np.array([[50.0], [80.0], [100.0], [125.0], [200.0]])


@pytest.mark.parametrize(
    ("observed", "error", "inside", "inside50", "score"),
    [
        (100, 0, 1, 1, math.log(4)),
        (160, 0.375, 1, 0, math.log(4)),
        (50, 1, 1, 0, math.log(4)),
        (400, 0.75, 0, 0, math.log(4) + 20 * math.log(2)),
        (25, 3, 0, 0, math.log(4) + 20 * math.log(2)),
    ],
)
def test_figures_of_a_point(observed, error, inside, inside50, score):
    found = point_scores(FIVE, np.array([observed]))

    assert found["error"] == pytest.approx(error)
    assert (found["coverage"][0], found["coverage50"][0]) == (inside, inside50)
    assert found["width"] == pytest.approx(math.log(4))
    assert found["interval_score"] == pytest.approx(score)


def test_figures_do_not_depend_on_the_unit():
    observed = np.array([37.0])
    one, other = point_scores(FIVE, observed), point_scores(FIVE * 1e6, observed * 1e6)

    assert all(one[name] == pytest.approx(other[name]) for name in one)


@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_the_true_quantiles_have_the_lowest_score(alpha):
    """The score is proper: over standard normal values its minimum is at the quantiles, and its value there is known."""
    from scipy.stats import norm

    values = norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    end = norm.ppf(1 - alpha / 2)
    best = interval_score(-end, end, values, alpha).mean()

    # width 2 z plus 2 / alpha times 2 E(Z - z)+, and E(Z - z)+ = density(z) - z alpha / 2
    assert best == pytest.approx(4 / alpha * norm.pdf(end), rel=1e-4)
    for shift in (-0.3, 0.3):
        assert interval_score(-end - shift, end + shift, values, alpha).mean() > best
        assert interval_score(-end + shift, end + shift, values, alpha).mean() > best


def test_averages_count_points_within_a_set_and_sets_once():
    """Two series of 1 and 3 points weigh 1 to 3; two data sets weigh the same."""
    names = ("error", "coverage", "coverage50", "width", "interval_score")
    one, other = ({name: np.full(size, value) for name in names} for size, value in ((1, 1.0), (3, 5.0)))
    row = averaged([one, other])

    assert row["error"] == 4.0
    assert over_sets([row, dict.fromkeys(names, 10.0)], np.mean)["width"] == 7.0


def test_the_worst_sets_are_left_out():
    assert without_worst([5, 1, 100, 3, 50]) == 3.0
    assert without_worst([5, 1]) is None


def test_a_bootstrap_draws_whole_sources():
    """Two sources, all hits and all misses: a quarter of the draws has only the one, a quarter only the other."""
    hits, sources = [1, 1, 1, 0], ["a", "a", "a", "b"]

    assert cluster_interval(hits, sources, seed=1) == [0.0, 1.0]
    # the inner quartiles of 0, 3/4, 3/4, 1 are the share of both together
    assert cluster_interval(hits, sources, seed=1, level=0.4) == [0.75, 0.75]


def test_a_bootstrap_of_equal_sources_is_that_of_their_mean():
    """Thirty sources of ten points each: the interval is that of a mean of thirty shares."""
    rng = np.random.default_rng(5)
    shares = rng.uniform(0.5, 1.0, 30)
    hits = np.repeat(shares, 10)
    low, high = cluster_interval(hits, np.repeat(np.arange(30), 10), seed=2)
    half = 1.645 * shares.std() / math.sqrt(30)

    assert low == pytest.approx(shares.mean() - half, abs=0.006)
    assert high == pytest.approx(shares.mean() + half, abs=0.006)


def test_a_bootstrap_is_seeded_and_knows_its_limits():
    hits, sources = np.arange(12) % 3 > 0, np.arange(12) // 2

    assert cluster_interval(hits, sources, 3) == cluster_interval(hits, sources, 3)
    assert cluster_interval([], [], 1) is None
    assert cluster_interval([1, 0], ["a", "a"], 1) == [0.5, 0.5]
