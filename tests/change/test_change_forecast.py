"""Forecasts of the curve after a change: what is known is kept, what does not matter changes nothing."""

import numpy as np
import pytest

from mpps.change import KINDS, LIMITS, forecast_change
from mpps.change.drift import brownian, conditioned
from mpps.errors import DataError, UnknownNameError
from mpps.table import points

N, RATE = [1, 2, 4, 8, 16], [10, 18, 25, 26, 24]
TABLE = points(N, RATE)


def width(found):
    return np.log(found.quantiles[4] / found.quantiles[0])


def sound(found):
    quantiles = found.quantiles
    return np.isfinite(quantiles).all() and (quantiles > 0).all() and (np.diff(quantiles, axis=0) >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_known_rate_is_where_the_curve_starts(kind):
    found = forecast_change(TABLE, kind, known={1: 12.0})

    assert sound(found) and found.n.tolist() == N and found.measured.all()
    assert found.quantiles[2, 0] == pytest.approx(12, rel=0.02)
    assert found.before == pytest.approx(RATE)
    assert (np.diff(width(found)) > 0).all()  # less sure with every doubling
    assert found.limits.shape == (len(LIMITS), len(N)) and found.limits.sum(0) == pytest.approx(1)


@pytest.mark.parametrize(("known", "at"), [({8: 60.0}, 8), ({1: 10.0, 8: 60.0}, 8), ({1: 10.0, 2: 19.0, 16: 90.0}, 16)])
def test_known_rates_at_other_counts_are_kept(known, at):
    """Far from what was expected too: the band closes around the point, and opens again beside it."""
    place = N.index(at)
    free = forecast_change(TABLE, "removal", known={1: 10.0})
    found = forecast_change(TABLE, "removal", known=known)

    assert sound(found)
    for count, rate in known.items():
        assert found.quantiles[2, N.index(count)] == pytest.approx(rate, rel=0.03)
    assert width(found)[place] < width(free)[place] / 3
    assert width(found)[place - 1] > width(found)[place]
    # A higher point pulls its neighbours up.
    assert (found.quantiles[2, place - 1 :] > free.quantiles[2, place - 1 :]).all()


def test_conditioned_drift_is_that_of_theory():
    """A flat curve whose drift is known at n = 4: at 2 half of the step, with the variance of a bridge."""
    n = np.array([1.0, 2, 4, 8])
    draws = 20_000
    curves, motion = np.zeros((draws, 4)), brownian(n, draws, 1)
    drift, scatter = np.full(draws, 0.2), np.full(draws, 0.01)
    rng = np.random.default_rng(1)
    _, found = conditioned(curves, motion, n, {4.0: np.exp(0.6)}, scatter, drift, draws, rng)

    gain = 2 * 0.04 / (2 * 0.04 + 0.01**2)
    assert found.mean(0) == pytest.approx([0, 0.3 * gain, 0.6 * gain, 0.6 * gain], abs=0.01)
    assert found[:, 1].std() == pytest.approx(0.2 * np.sqrt(0.5), rel=0.05)
    assert found[:, 3].std() == pytest.approx(0.2, rel=0.05)
    assert found[:, 2].std() == pytest.approx(0.01, rel=0.1)


def test_known_points_choose_between_curves():
    """Two curves of equal weight, two apart at the known count: the posterior odds are those of the densities."""
    n, draws = np.array([1.0, 2]), 20_000
    curves = np.zeros((draws, 2))
    curves[: draws // 2, 1] = 0.3
    drift, scatter = np.full(draws, 0.1), np.full(draws, 0.05)
    chosen, _ = conditioned(
        curves, brownian(n, draws, 1), n, {2.0: np.exp(0.2)}, scatter, drift, draws, np.random.default_rng(2)
    )
    density = np.exp(-0.5 * np.array([0.1, 0.2]) ** 2 / (0.1**2 + 0.05**2))

    assert (chosen < draws // 2).mean() == pytest.approx(density[0] / density.sum(), abs=0.01)


def test_wide_scatter_is_no_advantage():
    """Draws with more scatter spread their density: for a point that fits, they count less."""
    n, draws = np.array([1.0, 2]), 10_000
    scatter = np.where(np.arange(draws) < draws // 2, 0.01, 0.1)
    chosen, _ = conditioned(
        np.zeros((draws, 2)), brownian(n, draws, 1), n, {2.0: 1.0}, scatter, np.zeros(draws), draws,
        np.random.default_rng(3),
    )  # fmt: skip

    assert (chosen < draws // 2).mean() == pytest.approx(10 / 11, abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", [1e-6, 1e9])
def test_the_unit_changes_nothing(kind, factor):
    known = {1: 11.0, 8: 40.0}
    one = forecast_change(TABLE, kind, known=known)
    other = forecast_change(
        points(N, np.array(RATE) * factor), kind, known={count: rate * factor for count, rate in known.items()}
    )

    assert other.quantiles == pytest.approx(one.quantiles * factor, rel=1e-6)
    assert other.gain == pytest.approx(one.gain, abs=1e-9)


def test_neither_the_order_of_rows_nor_that_of_known_points_matters():
    one = forecast_change(TABLE, "removal", known={1: 11.0, 8: 40.0})
    other = forecast_change(points(N[::-1], RATE[::-1]), "removal", known={8: 40.0, 1: 11.0})

    assert np.array_equal(other.quantiles, one.quantiles)


def test_the_same_seed_gives_the_same_and_another_nearly():
    one, same, other = (forecast_change(TABLE, "removal", known={1: 11.0}, seed=seed) for seed in (1, 1, 2))

    assert np.array_equal(one.quantiles, same.quantiles) and not np.array_equal(one.quantiles, other.quantiles)
    assert np.abs(np.log(other.quantiles / one.quantiles)).max() < 0.1


def test_counts_beyond_the_table_are_answered_and_change_nothing_at_the_others():
    known = {1: 11.0}
    inside = forecast_change(TABLE, "removal", known=known)
    found = forecast_change(TABLE, "removal", known=known, at=[32, 64, 4])

    assert found.n.tolist() == [*N, 32, 64] and found.measured.tolist() == [True] * 5 + [False] * 2
    assert sound(found) and np.array_equal(found.quantiles[:, :5], inside.quantiles)
    assert (width(found)[5:] > width(inside)[-1]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n", "rate"),
    [
        (N, [5, 5, 5, 5, 5]),
        (N, [10, 20, 40, 80, 160]),
        (N, [10, 21, 45, 95, 210]),
        (N, [1000, 100, 10, 1, 0.1]),
        ([1, 2], [10, 15]),
        ([4, 240], [7, 3]),
        ([3, 6, 12], [9, 9, 3]),
        ([1, 10_000_000], [1, 5]),
    ],
)
def test_tables_of_any_shape_have_numbers(kind, n, rate):
    for known in ({n[0]: rate[0] * 1.1}, {n[-1]: rate[-1] * 1.1}, None):
        assert sound(forecast_change(points(n, rate), kind, known=known))


def test_a_table_without_contention_has_nothing_to_gain():
    """The rate after a change follows the lone sender; it is no gain where that is none."""
    for kind in KINDS:
        found = forecast_change(points(N, np.array(N) * 10.0), kind, known={1: 10.0})
        assert found.quantiles[2] == pytest.approx(np.array(N) * 10.0, rel=0.03)
        assert ((found.gain > np.log(1.01)).mean(0) < 0.5).all()


def test_a_rate_that_was_measured_once_is_no_certain_gain():
    """2 % more at the known count is within what measurements scatter; 50 % is not."""
    little, much = (forecast_change(TABLE, "cost", known={1: rate}) for rate in (10.2, 15.0))

    assert 0.4 < (little.gain[:, 0] > np.log(1.01)).mean() < 0.9
    assert (much.gain[:, 0] > np.log(1.01)).mean() > 0.99


def test_a_higher_known_rate_is_a_higher_curve():
    found = [forecast_change(TABLE, "cost", known={1: rate}).quantiles[2] for rate in (9.0, 11.0, 14.0)]

    assert (np.diff(found, axis=0) > 0).all()


def test_nothing_learnt_leaves_a_number():
    """A source that is none of the published ones leaves everything in."""
    one, other = (forecast_change(TABLE, "removal", known={1: 10.0}, source=name) for name in (None, "nobody's"))
    without = forecast_change(TABLE, "removal", known={1: 10.0}, source="rwsem")

    assert np.array_equal(one.quantiles, other.quantiles) and not np.array_equal(one.quantiles, without.quantiles)


# What a user may get wrong.


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({3: 9.0}, r"no n = 3: expected one of 1, 2, 4, 8, 16; leave the point out"),
        ({1: 0.0}, "above zero.*correct it"),
        ({1: -4.0}, "above zero"),
        ({1: float("nan")}, "above zero"),
        ({8: float("inf")}, "above zero"),
        ({8: 26e6}, "says 26 there before the change.*correct the rate or its unit"),
        ({1: 400.0}, "400 for each sender, and the table has 10.*at most 30 times"),
        ({16: 8000.0}, "500 for each sender"),
        ({1: 10.0, 8: 200.0}, "rises by a factor of 20 with 8 times.*correct one of the two"),
    ],
)
def test_a_known_rate_that_the_table_cannot_have(known, words):
    with pytest.raises(DataError, match=words):
        forecast_change(TABLE, "removal", known=known)


def test_a_table_that_rises_faster_than_n_may_do_so_after_the_change():
    table = points([1, 2, 4], [1, 3, 7])

    assert sound(forecast_change(table, "removal", known={1: 1.0, 2: 3.2, 4: 7.4}))


@pytest.mark.parametrize("at", [[0], [0.5], [-3], [float("nan")], [1e9]])
def test_counts_that_are_none(at):
    with pytest.raises(DataError, match="whole number"):
        forecast_change(TABLE, "removal", at=at)


def test_counts_below_the_table():
    with pytest.raises(DataError, match="expected counts from 2 on.*measure before the change at n = 1"):
        forecast_change(points([2, 4], [1, 2]), "removal", at=[1])


def test_one_count_is_no_curve():
    with pytest.raises(DataError, match="found 1 count.*measure another"):
        forecast_change(points([4], [3]), "removal")


def test_another_kind_is_named():
    with pytest.raises(UnknownNameError, match="remove.*removal"):
        forecast_change(TABLE, "remove")
