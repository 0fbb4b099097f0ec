"""Closed networks for tables: against the exact networks of `mpps.network`, also for large counts."""

import numpy as np
import pytest

from mpps import network
from mpps.table.stations import depth_cells, log_rate_one_station, log_rate_two_stations

HANDOFFS = {
    "constant": lambda depth: 0 * depth,
    "ticket": lambda depth: 0.4 * (depth - 1),
    "slow ticket": lambda depth: 0.003 * (depth - 1),
    "contended": lambda depth: 7.0 * (depth > 1),
    "saturating": lambda depth: -20.0 * np.expm1(-(depth - 1) / 35),
    "hump": lambda depth: 9.0 * (depth - 1) / 18 * np.exp(1 - (depth - 1) / 18),
}
THINK = np.array([0.001, 0.3, 2.0, 15.0, 100.0, 330.0])[:, None]


def sections(handoff, depth):
    return np.log1p(np.broadcast_to(HANDOFFS[handoff](depth), (len(THINK), len(depth))))


@pytest.mark.parametrize("handoff", HANDOFFS)
def test_one_station_is_the_closed_network(handoff):
    n = np.arange(1, 65)
    found = log_rate_one_station(THINK, lambda depth, count: sections(handoff, depth), n)
    exact = network.curve(THINK[:, 0], np.exp(sections(handoff, np.arange(1.0, 65))), 64)

    assert np.exp(found) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("handoff", HANDOFFS)
def test_cells_of_depths_are_as_good_as_every_depth(handoff):
    """Also where senders that think are few beside those that queue: 330 of 2,000."""
    n = np.array([257, 400, 700, 1500, 2000, 3000])
    found = log_rate_one_station(THINK, lambda depth, count: sections(handoff, depth), n)
    exact = network.throughput(n, THINK, np.exp(sections(handoff, np.arange(1.0, n[-1] + 1)))[:, None, :])

    assert np.exp(found) == pytest.approx(exact, rel=3e-4)


def test_private_work_may_differ_from_count_to_count():
    n = np.array([1, 4, 300])
    think = np.array([[2.0, 3.0, 5.0], [10.0, 20.0, 400.0]])
    found = log_rate_one_station(think, lambda depth, count: np.log1p(0.1 * (depth - 1)) + np.zeros((2, 1)), n)
    exact = network.throughput(n, think, np.broadcast_to(1 + 0.1 * np.arange(300), (2, 1, 300)))

    assert np.exp(found) == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("n", [1, 5, 256, 257, 258, 300, 2304, 2305, 100_000, 10_000_000])
def test_cells_cover_every_depth_once(n):
    middle, width = depth_cells(n)
    edges = np.concatenate([[0.5], middle + width / 2])

    assert width.sum() == n and (width >= 1).all()
    assert middle - width / 2 == pytest.approx(edges[:-1], abs=1e-6)
    assert len(middle) < 700


def test_two_stations_are_mean_value_analysis():
    think, first, second = (np.array(each)[:, None] for each in ([0.0, 0.5, 0.9, 0.98], [0.6, 0.3, 0.06, 0.01], [0.4, 0.2, 0.059, 0.01]))
    think = np.maximum(think, 1e-6)
    n = np.array([1, 2, 3, 16, 200, 2048])
    found = log_rate_two_stations(think, first, second, n)
    exact = network.mean_value_analysis(2048, think[:, 0], np.hstack([first, second]))

    assert np.exp(found) == pytest.approx(exact[:, n - 1], rel=1e-12)


def test_two_stations_with_thousands_of_senders():
    """Beyond 2,048 the equation of Schweitzer, whose error has vanished by then."""
    demands = np.array([[0.3, 0.2], [0.3, 0.299], [0.0004, 0.0003]])
    think = np.array([0.5, 0.4, 1.0])
    n = np.array([2049, 3000, 5000])
    found = log_rate_two_stations(think[:, None], demands[:, :1], demands[:, 1:], n)
    exact = network.mean_value_analysis(5000, think, demands)

    assert np.exp(found) == pytest.approx(exact[:, n - 1], rel=2e-3)
