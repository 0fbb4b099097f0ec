"""Flows on queues: the simulated placement against the exact distribution, by counting, and in its limits."""

import itertools
import math

import numpy as np
import pytest

from mpps.errors import MppsError
from mpps.hashing import busiest_at_most, empty_share, full_queues


@pytest.mark.parametrize(("flows", "queues"), [(1, 3), (4, 2), (5, 3), (6, 4)])
def test_the_exact_distribution_is_that_of_all_placements(flows, queues):
    loads = [
        max(placed.count(queue) for queue in range(queues)) for placed in itertools.product(range(queues), repeat=flows)
    ]
    for most in range(flows + 1):
        expected = sum(load <= most for load in loads) / len(loads)
        assert busiest_at_most(flows, queues, most) == pytest.approx(expected, abs=1e-12)


def test_equal_flows_follow_the_exact_distribution():
    flows, queues, draws = 32, 16, 20_000
    busiest = flows / full_queues(flows, queues, "equal", draws, np.random.default_rng(1))
    for most in (3, 4, 5, 6):
        p = busiest_at_most(flows, queues, most)
        assert abs((busiest <= most + 0.5).mean() - p) < 4 * math.sqrt(p * (1 - p) / draws) + 1e-4


def test_greedy_flows_leave_the_expected_share_empty():
    flows, queues, draws = 20, 16, 20_000
    full = full_queues(flows, queues, "greedy", draws, np.random.default_rng(1))

    assert 1 - full.mean() / queues == pytest.approx(empty_share(flows, queues), abs=0.005)


@pytest.mark.parametrize("load", ["equal", "greedy"])
def test_limits(load):
    rng = np.random.default_rng(1)

    assert (full_queues(7, 1, load, 50, rng) == 1).all() and (full_queues(1, 9, load, 50, rng) == 1).all()
    assert full_queues(1_000_000, 8, load, 50, rng).min() > 7.9
    some = full_queues(24, 8, load, 2000, rng)
    assert some.min() >= 1 and some.max() <= 8


def test_equal_flows_never_do_better_than_greedy_ones():
    equal, greedy = (full_queues(30, 8, load, 500, np.random.default_rng(3)) for load in ("equal", "greedy"))

    assert (equal <= greedy).all()


@pytest.mark.parametrize(
    ("flows", "queues", "load", "words"),
    [(0, 2, "equal", "flows = 0"), (2, 1.5, "equal", "queues = 1.5"), (2, 2, "x", "load 'x'")],
)
def test_what_cannot_be_placed(flows, queues, load, words):
    with pytest.raises(MppsError, match=words):
        full_queues(flows, queues, load, 1, np.random.default_rng(1))
