"""Lock profiles of the run before the change, against queueing networks solved exactly."""

import numpy as np
import pytest

from mpps.change import Profile, forecast_change
from mpps.change.profile import named_share, profiled
from mpps.errors import DataError
from mpps.table import points

N = np.array([1, 2, 4, 8, 16, 32])


def network(private, sections, most=32):
    """Rates and waits of 1 to `most` senders by mean value analysis: (most,), (most, stations)."""
    sections = np.array(sections, float)
    queue, rates, waits = np.zeros(len(sections)), [], []
    for n in range(1, most + 1):
        stay = sections * (1 + queue)
        rate = n / (private + stay.sum())
        queue = rate * stay
        rates.append(rate)
        waits.append(stay - sections)
    return np.array(rates), np.array(waits)


def before(private, sections, n):
    """Table in packets/us, and the profile of the first station at n; times of the network in us."""
    rates, waits = network(private, sections)
    profile = Profile(waits[n - 1, 0] * 1000, sections[0] * 1000, n, rates[n - 1] * 1e6)
    return points(N, rates[N - 1]), profile


@pytest.mark.parametrize("n", [8, 16, 32])
@pytest.mark.parametrize("second", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_the_second_station_is_inside_what_the_profile_says(n, second):
    table, profile = before(0.7 - 0.25 * second, [0.3, 0.3 * second], n)
    rng = np.random.default_rng(1)
    shares, most = profiled(np.ones((4000, 2)), "removal", profile, table, 0.3, rng)

    assert np.quantile(shares[:, 0], 0.02) <= second <= np.quantile(most, 0.98)


def test_a_lock_that_is_all_there_is_leaves_nothing():
    """Profile and table agree that nothing else is waited for."""
    table, profile = before(0.6, [0.4], 8)
    share, contended, section, speedup = named_share(profile, table)
    rates = network(0.6, [0.4])[0]

    assert share == pytest.approx(1, abs=1e-9) and section == pytest.approx(0.4)
    assert contended == pytest.approx(8 / rates[7] - 1) and speedup == pytest.approx(rates[7])


@pytest.mark.parametrize("second", [0.1, 0.5, 0.9])
def test_profiles_move_the_forecast_towards_the_truth(second):
    """After a removal the truth is the network without the station: nearer with the profile, and inside."""
    table, profile = before(1 - 0.3 - 0.3 * second, [0.3, 0.3 * second], 8)
    truth = network(1 - 0.3 - 0.3 * second, [0.3 * second])[0][N - 1]
    known = {1: truth[0]}
    plain = forecast_change(table, "removal", known=known)
    found = forecast_change(table, "removal", known=known, profile=profile)

    assert ((found.quantiles[0] <= truth) & (truth <= found.quantiles[4])).all()
    width = lambda one: np.log(one.quantiles[4] / one.quantiles[0])[1:].mean()
    assert width(found) < width(plain)
    error = lambda one: np.abs(np.log(one.quantiles[2] / truth)).mean()
    assert error(found) < error(plain) + 0.03


@pytest.mark.parametrize("kind", ["removal", "replacement"])
def test_a_lock_that_nobody_waits_for_changes_nothing(kind):
    table, profile = before(0.4, [0.3, 0.3], 8)
    idle = Profile(0.0, 0.0, profile.n, profile.rate_pps)
    found = forecast_change(table, kind, known={1: float(np.exp(table.log_rate[0]))}, profile=idle)

    assert found.kept == pytest.approx(np.ones_like(found.kept), abs=1e-12)
    assert found.quantiles[2] == pytest.approx(np.exp(table.log_rate), rel=0.02)
    assert ((found.gain > np.log(1.01)).mean(0) < 0.6).all()


def test_more_waiting_at_the_lock_is_more_to_gain():
    table, profile = before(0.4, [0.3, 0.3], 16)
    lap_ns = profile.n / profile.rate_pps * 1e9
    medians = [
        forecast_change(table, "removal", known={1: 1.0}, profile=Profile(wait, 0.0, 16, profile.rate_pps)).quantiles[2]
        for wait in (0.0, 0.3 * lap_ns, 0.6 * lap_ns, 0.9 * lap_ns)
    ]

    assert (np.diff([one[-1] for one in medians]) > 0).all()


@pytest.mark.parametrize("factor", [1e-3, 8e6])
def test_the_unit_of_the_table_does_not_matter(factor):
    """Gbit/s beside packets/s: the profile has its own clock."""
    table, profile = before(0.4, [0.3, 0.3], 8)
    other = points(N, np.exp(table.log_rate) * factor)

    assert named_share(profile, other) == pytest.approx(named_share(profile, table), rel=1e-9)


def test_a_table_without_contention_has_nothing_to_share_out():
    flat = points([1, 2, 4], [1, 2, 4])
    found = forecast_change(flat, "removal", known={1: 1.0}, profile=Profile(100, 0, 4, 4e6))

    assert named_share(Profile(100, 0, 4, 4e6), flat)[0] == 0
    assert found.quantiles[2] == pytest.approx([1, 2, 4], rel=0.03)


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        (Profile(5000, 40, 16, 24e6), "16 senders at 2.4e.07 packets/s take 666.7 ns for one: expected less; divide"),
        (Profile(500, 40, 32, 24e6), "from n = 1 to 16: expected a profile of one of its runs"),
        (Profile(100, 100, 16, 24e6), "held 240 % of the time"),
        (Profile(float("nan"), 40, 16, 24e6), "profile, wait_ns: found nan"),
        (Profile(-1, 40, 16, 24e6), "profile, wait_ns: found -1"),
        (Profile(1, float("inf"), 16, 24e6), "profile, hold_ns"),
        (Profile(1, 40, 16, 0.0), "profile, rate_pps: found 0"),
    ],
)
def test_a_profile_that_is_not_one_of_this_run(profile, words):
    with pytest.raises(DataError, match=words):
        forecast_change(points([1, 2, 4, 8, 16], [10, 18, 25, 26, 24]), "removal", profile=profile)
