"""The mixture of a table and its forecast: what must not change it, and widths that admit what nobody knows."""

import numpy as np
import pytest
from hypothesis import given, settings

from mpps.errors import DataError
from mpps.table import MECHANISMS, broad_prior, fit, forecast, forecast_points, learnt_prior, points
from mpps.table.fitting import COUNT, fit_points
from mpps.uncertainty import LEVELS
from random_tables import few_draws, sound, tables

N, RATE = [1, 2, 4, 8, 16], [1.5, 2.8, 4.1, 4.4, 4.2]
AT = [1, 3, 16, 32, 64]


@pytest.fixture(scope="module")
def fitted():
    return fit(N, RATE)


@pytest.fixture(scope="module")
def answer(fitted):
    return forecast_points(fitted, AT)


def width(found):
    """Width of the 90 % interval, log rate, at each count."""
    return np.log(found.quantiles[4] / found.quantiles[0])


def test_weights_are_those_of_the_evidence(fitted):
    total = np.array([draws.log_evidence + fitted.prior.of(draws.mechanism)[2] for draws in fitted.draws])

    assert [draws.mechanism for draws in fitted.draws] == list(MECHANISMS)
    assert fitted.weights.sum() == pytest.approx(1)
    assert np.log(fitted.weights / fitted.weights.max()) == pytest.approx(total - total.max())


def test_the_mixture_holds_each_mechanism_by_its_weight(fitted):
    """Systematic sampling: to one draw in COUNT."""
    share = np.bincount(fitted.mechanism, minlength=len(MECHANISMS)) / COUNT

    assert np.abs(share - fitted.weights).max() < 2 / COUNT
    for place, draws in enumerate(fitted.draws):
        mine = fitted.mechanism == place
        if mine.any():
            assert fitted.draw[mine].max() < len(draws.coordinates)
            assert (draws.log_weight[fitted.draw[mine], fitted.cell[mine]] > -np.inf).all()
            if fitted.weights[place] > 0.1:
                mean = np.exp(draws.log_weight - draws.log_evidence).sum(1) @ draws.coordinates
                assert draws.coordinates[fitted.draw[mine]].mean(0) == pytest.approx(mean, abs=0.05)


def test_quantiles_are_those_of_the_noisy_curves(answer):
    assert answer.n.tolist() == AT and answer.quantiles.shape == (5, 5)
    assert sound(answer.quantiles)
    assert np.log(answer.quantiles) == pytest.approx(np.quantile(answer.noisy, LEVELS, axis=0))
    assert (answer.noisy.std(0) > answer.curves.std(0)).all()


def test_the_fit_goes_through_the_points_and_widens_beyond(answer):
    assert answer.quantiles[2, [0, 2]] == pytest.approx([1.5, 4.2], rel=0.05)
    assert (answer.quantiles[0, [0, 2]] < [1.5, 4.2]).all() and (answer.quantiles[4, [0, 2]] > [1.5, 4.2]).all()
    assert (np.diff(width(answer)[2:]) > 0).all()


def test_a_count_is_answered_alike_whatever_is_asked_beside_it(fitted, answer):
    alone = forecast_points(fitted, [32])

    assert np.array_equal(alone.quantiles[:, 0], answer.quantiles[:, 3])
    with pytest.raises(DataError, match="at: found 0"):
        forecast_points(fitted, [0, 4])


def test_another_seed_changes_little(answer):
    others = [forecast(N, RATE, AT, seed=seed) for seed in (2, 3, 4)]

    for found in others:
        away = np.abs(np.log(found.quantiles / answer.quantiles)) / width(answer)
        assert away[1:4].max() < 0.05 and away.max() < 0.15
    again = forecast(N, RATE, AT)
    assert np.array_equal(again.quantiles, answer.quantiles)


@pytest.mark.parametrize("factor", [8.0, 1e9, 1e-12, 1 / 3, 12_345.678])
def test_the_unit_does_not_matter(answer, factor):
    found = forecast(N, np.array(RATE) * factor, AT)

    assert found.quantiles / factor == pytest.approx(answer.quantiles, rel=1e-6)


def test_the_order_of_rows_changes_no_digit():
    n, rate = np.array(N * 2), np.array([*RATE, 1.45, 2.9, 4.0, 4.5, 4.1])
    order = np.random.default_rng(1).permutation(len(n))

    assert np.array_equal(forecast(n, rate, AT).quantiles, forecast(n[order], rate[order], AT).quantiles)


def test_rows_written_twice_are_points_of_twice_the_weight():
    """They narrow the scatter of a point, never by more than that, and shift no median far."""
    once, twice = forecast(N, RATE, AT), forecast(N * 2, RATE * 2, AT)

    assert (width(twice) > 0.6 * width(once)).all() and (width(twice) < 1.1 * width(once)).all()
    assert np.abs(np.log(twice.quantiles[2] / once.quantiles[2])).max() < 0.1


def test_one_point_gives_what_physics_and_published_tables_allow():
    found = forecast([4], [10.0], [1, 4, 32])

    assert found.quantiles[2, 1] == pytest.approx(10, rel=0.05)
    assert found.quantiles[0, 2] < 10 and found.quantiles[4, 2] > 40
    assert width(found)[2] > np.log(4) and width(found)[0] > np.log(1.5)


def test_contradicting_repeats_and_a_change_of_unit_widen_everything():
    plain = forecast([1, 2, 4, 8], [1, 2, 4, 8.0], [16])
    contradicting = forecast([1, 2, 4, 4, 8], [1, 2, 0.4, 40.0, 8.0], [16])
    changed = forecast([1, 2, 4, 8], [1, 2, 4000, 8000.0], [16])

    assert width(contradicting)[0] > 3 * width(plain)[0]
    assert width(changed)[0] > 3 * width(plain)[0] and changed.quantiles[4, 0] > 8000 > changed.quantiles[0, 0] / 2


def test_all_equal_values_are_a_plateau():
    found = forecast([1, 2, 4, 8], [5.0] * 4, [16, 1_000])

    assert found.quantiles[2, 0] == pytest.approx(5, rel=0.1)
    assert sound(found.quantiles)


def test_ten_thousand_rows_and_a_hundred_thousand_senders():
    rng = np.random.default_rng(4)
    n = rng.integers(1, 100_000, 10_000)
    rate = 1e12 * n / (1 + 0.001 * (n - 1)) * np.exp(0.02 * rng.standard_normal(len(n)))
    with few_draws():
        found = forecast(n, rate, [50_000, 1_000_000])

    assert sound(found.quantiles)
    assert found.quantiles[2, 0] == pytest.approx(1e12 * 50_000 / (1 + 0.001 * 49_999), rel=0.1)


def test_the_prior_may_be_another_one():
    assert fit(N, RATE, prior=broad_prior()).prior.words.startswith("broad")
    # The name of no source is that of a table of the user's own: everything published may teach.
    assert fit(N, RATE, source="mine").prior.words == fit(N, RATE).prior.words


@settings(max_examples=200)
@given(tables())
def test_any_table_gets_an_answer(table):
    with few_draws(64, 2):
        found = forecast_points(fit_points(points(*table), learnt_prior(), count=500), [1, 2 * table[0].max()])

    assert sound(found.quantiles)
