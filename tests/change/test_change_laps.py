"""Laps before and after a change: identities, and stations whose curves are known in closed form."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from mpps.change.laps import after, laps, room_for_second

N = np.array([1.0, 2, 4, 8, 16, 32])


def station(private, section, n=N):
    """Log rate of n senders of one section that keeps its length, in the bounds of the operational laws."""
    return np.log(np.minimum(n / (private + section), 1 / section))


@st.composite
def curves(draw):
    size = draw(st.integers(2, 9))
    n = np.cumsum(draw(st.lists(st.integers(1, 20), min_size=size, max_size=size))).astype(float)
    return n, np.array(draw(st.lists(st.floats(-8, 8), min_size=size, max_size=size)))


@hypothesis.given(curves())
def test_the_parts_make_the_lap(curve):
    n, log_rate = curve
    parts = laps(n, log_rate)

    assert parts.lap == pytest.approx(n / n[0] * np.exp(log_rate[0] - log_rate)[None], rel=1e-9)
    assert parts.faster * (1 + parts.plateau + parts.collapse) == pytest.approx(parts.lap, rel=1e-9)
    assert (parts.plateau >= 0).all() and (parts.collapse >= 0).all() and (parts.faster <= 1 + 1e-12).all()
    assert 0 < parts.longest[0, 0] <= 1
    assert parts.longest[0, 0] == pytest.approx(np.exp(log_rate[0] - log_rate.max()))


@hypothesis.given(curves(), st.floats(-5, 5))
def test_what_keeps_everything_gives_the_curve_before(curve, shift):
    """Also where the rate rises faster than n, and whatever else may grow."""
    n, log_rate = curve
    parts = laps(n, log_rate)
    growth = np.linspace(1, 40, len(n))[None]

    for more in (None, growth):
        assert after(parts, np.ones((1, 1)), 1.0, 1.0, more) == pytest.approx(parts.lap, rel=1e-9)
    assert laps(n, log_rate + shift).lap == pytest.approx(parts.lap, rel=1e-9)


@hypothesis.given(curves(), st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 3))
def test_more_kept_is_never_faster(curve, few, more, lone):
    parts, low, high = laps(*curve), min(few, more), max(few, more)
    one = np.full((1, 1), lone)

    assert (after(parts, one, low, low) <= after(parts, one, high, high) + 1e-12).all()
    assert (after(parts, one, low, high) >= parts.faster * lone - 1e-12).all()


def test_a_section_that_goes_leaves_private_work():
    parts = laps(N, station(0.7, 0.3))

    assert parts.longest[0, 0] == pytest.approx(0.3)
    assert parts.plateau[0] == pytest.approx(np.maximum(0.3 * N - 1, 0))
    assert parts.collapse[0] == pytest.approx(0, abs=1e-12)
    # A lap of 1 is 0.7 once the section is gone, whatever the count.
    assert after(parts, np.full((1, 1), 0.7), 0.0, 0.0)[0] == pytest.approx(0.7)


@pytest.mark.parametrize("second", [0.05, 0.15, 0.29])
def test_a_second_section_takes_over(second):
    """Long before and after its knee, the lap is what the remaining section says: n times it, less the private lap."""
    parts = laps(N, station(0.7, 0.3))
    many = N[-1:] * 1e6
    far = laps(np.append(N, many), station(0.7, 0.3, np.append(N, many)))

    found = after(far, np.full((1, 1), 0.7), second / 0.3, 0.0)[0, -1]
    assert found == pytest.approx(second * many[0], rel=1e-4)
    assert second / 0.3 <= room_for_second(parts.longest)[0, 0]


def test_a_collapse_is_apart_from_the_plateau():
    """Peak 2 at n = 2, then the rate halves with each doubling."""
    parts = laps([1, 2, 4, 8], np.log([1, 2, 1, 0.5]))

    assert parts.plateau[0] == pytest.approx([0, 0, 1, 3])
    assert parts.collapse[0] == pytest.approx([0, 0, 2, 12])
    assert after(parts, np.ones((1, 1)), 1.0, 0.0)[0] == pytest.approx([1, 1, 2, 4])


def test_counts_that_start_above_one_are_groups():
    of_one, of_four = laps([1, 2, 4], np.log([1, 1.5, 1.8])), laps([4, 8, 16], np.log([1, 1.5, 1.8]))

    assert of_four.lap == pytest.approx(of_one.lap) and of_four.plateau == pytest.approx(of_one.plateau)


def test_other_shared_work_never_exceeds_what_showed():
    parts, lone = laps(N, station(0.7, 0.3)), np.full((1, 1), 0.7)
    grown = after(parts, lone, 0.0, 0.0, N[None])

    assert (grown <= np.maximum(parts.lap, 0.7) + 1e-12).all() and grown[0, -1] == pytest.approx(parts.lap[0, -1])
    assert after(parts, lone, 0.0, 0.0, N[None], np.zeros((1, 1)))[0] == pytest.approx(np.minimum(0.7 * N, 1.0))
    assert after(parts, lone, 0.0, 0.0, np.ones((1, len(N))))[0] == pytest.approx(0.7)


@hypothesis.given(st.floats(0.001, 1))
def test_two_sections_share_a_lap(longest):
    second = longest * room_for_second(longest)

    assert 0 <= second <= longest and second + longest <= 1 + 1e-12
