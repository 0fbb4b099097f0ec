"""Scatter, drift and falls: against multivariate normal densities and conditioning written out in full."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from mpps.discrepancy import DRIFTS, SCATTERS, Discrepancy, broad, cells, clock, continued, falls, log_likelihoods

#: Variance of an offset that nothing is known of, beside residuals of about 1.
OPEN = 300.0


def table(count, seed=0):
    rng = np.random.default_rng(seed)
    n = np.sort(rng.choice(np.arange(1, 200), count, replace=False)).astype(float)
    return n, rng.normal(0, 0.3, (3, count)), rng.integers(1, 6, count).astype(float)


def covariance(n, weight, scatter, drift):
    """Of values that a Brownian motion in log2(n), which starts at 1, gives, and of their scatter."""
    found = np.diag(scatter**2 / weight)
    for row, one in enumerate(n):
        for column, other in enumerate(n):
            found[row, column] += drift**2 * np.log2(min(one, other))
    return found


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_the_likelihood_is_that_of_a_normal_with_an_open_offset(count):
    n, residual, weight = table(count)
    found = log_likelihoods(n, residual, weight)

    assert found.shape == (3, len(SCATTERS) * len(DRIFTS))
    for place, (scatter, drift) in enumerate(cells()):
        # scipy sees the differences to the first value: the covariance with an open offset is too badly scaled for it.
        full = covariance(n, weight, scatter, drift)
        ones = np.ones(count)
        away = np.eye(count)[1:] - np.eye(count)[0]
        if count > 1:
            contrast = multivariate_normal(np.zeros(count - 1), away @ full @ away.T)
            assert found[:, place] == pytest.approx(contrast.logpdf(residual @ away.T), rel=1e-8, abs=1e-7)
        else:
            assert found[:, place] == pytest.approx(0.0)  # an open offset explains any one value
        if scatter > 0.05:
            direct = multivariate_normal(np.zeros(count), full + OPEN * np.outer(ones, ones))
            assert found[:, place] == pytest.approx(direct.logpdf(residual) + 0.5 * np.log(2 * np.pi * OPEN), abs=1e-2)


def test_the_likelihood_does_not_see_the_unit():
    n, residual, weight = table(6)

    assert log_likelihoods(n, residual + 27.6, weight) == pytest.approx(log_likelihoods(n, residual, weight), rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("persistence", [1.0, 0.4])
@pytest.mark.parametrize("count", [1, 2, 6])
def test_what_continues_is_the_normal_given_the_residuals(count, persistence):
    n, residual, weight = table(count, seed=4)
    n = n + 3
    at = np.array([1.0, 2.0, n[0], (n[0] + n[-1]) / 2, n[-1], 2 * n[-1], 16 * n[-1]])
    scatter, drift = 0.05, 0.08
    mean, spread, capacity = continued(n, residual, weight, (scatter, drift), persistence, at)

    first, last = np.log2(n[0]), np.log2(n[-1])
    time = np.array([t if first <= t <= last else (last + persistence**2 * (t - last) if t > last else first + persistence**2 * (t - first)) for t in np.log2(at)])  # fmt: skip
    everything = np.concatenate([np.log2(n), time])
    joint = drift**2 * np.minimum(everything[:, None], everything[None, :]) + OPEN
    joint[np.diag_indices(count)] += scatter**2 / weight
    gain = joint[count:, :count] @ np.linalg.inv(joint[:count, :count])
    left = joint[count:, count:] - gain @ joint[:count, count:]

    assert mean == pytest.approx(residual @ gain.T, abs=1e-3)
    assert spread == pytest.approx(np.sqrt(np.diag(left)), rel=1e-3, abs=1e-5)
    precise = np.linalg.inv(covariance(n, weight, scatter, drift))
    assert capacity == pytest.approx(residual @ precise.sum(1) / precise.sum())
    assert clock(at, n, persistence) == pytest.approx(time)


def test_the_drift_grows_with_the_distance_and_slower_outside():
    n, at = np.array([1.0, 2, 4, 8]), np.array([8.0, 16, 64, 512])
    _, spread, _ = continued(n, np.zeros((1, 4)), np.ones(4), (0.01, 0.1), 0.5, at)
    _, full, _ = continued(n, np.zeros((1, 4)), np.ones(4), (0.01, 0.1), 1.0, at)

    assert (np.diff(spread) > 0).all()
    assert spread[1:] ** 2 - spread[0] ** 2 == pytest.approx(0.1**2 * 0.25 * np.array([1, 3, 6]))
    assert (full[1:] > spread[1:]).all() and full[0] == pytest.approx(spread[0])


def test_before_any_table_scatter_is_about_two_percent():
    found = broad()
    weight = np.exp(found.log_weights)

    assert isinstance(found, Discrepancy) and weight.sum() == pytest.approx(1)
    assert np.exp(weight.sum(1) @ np.log(SCATTERS)) == pytest.approx(0.02, rel=0.1)
    # The floor under the drift cuts the lower side, so the peak tells the centre.
    assert DRIFTS[weight.sum(0).argmax()] == 0.03
    assert [tuple(cell) for cell in cells()] == [(scatter, drift) for scatter in SCATTERS for drift in DRIFTS]


def test_falls_set_in_at_their_hazard_and_are_as_deep_as_said():
    uniform = np.random.default_rng(5).random((200_000, 2))
    n = np.array([4.0, 8.0, 16.0, 64.0])
    found = falls(n, 8.0, np.full((len(uniform), 4), 0.5), 0.3, 0.9, uniform)

    assert (found[:, :2] == 0).all()  # none where somebody measured
    happened = (found < 0).mean(0)
    assert happened[2:] == pytest.approx(1 - np.exp(-0.3 * 0.5 * np.array([1, 3])), abs=4 * norm.std() / np.sqrt(len(uniform)))
    assert -found[found[:, 3] < 0, 3].mean() == pytest.approx(0.9, rel=0.02)
    assert (found[found[:, 2] < 0, 3] == found[found[:, 2] < 0, 2]).all()  # for good


def test_what_is_private_does_not_fall():
    uniform = np.random.default_rng(5).random((1000, 2))

    assert (falls(np.array([1e6]), 2.0, np.zeros((1000, 1)), 5.0, 1.0, uniform) == 0).all()
