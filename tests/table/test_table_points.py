"""What a fit sees of rows: repeats, thinning, and mistakes by row."""

import numpy as np
import pytest

from mpps.errors import DataError
from mpps.table import points
from mpps.table.points import MOST_COUNT, MOST_POINTS, asked


def test_equal_counts_are_repeats():
    found = points([4, 1, 4, 1, 2], [9.0, 3.0, 11.0, 3.3, 5.0])

    assert found.n.tolist() == [1, 2, 4] and found.weight.tolist() == [2, 1, 2]
    assert np.exp(found.log_rate) == pytest.approx([3.15, 5.0, 10.0])
    squares = sum(np.log(value / mean) ** 2 for value, mean in ((9, 10), (11, 10), (3, 3.15), (3.3, 3.15)))
    assert found.spread == pytest.approx(np.sqrt(squares / 2)) and found.freedom == 2


def test_stated_spreads_count_like_repeats():
    found = points([1, 2, 4], [1.0, 2.0, 3.0], [0.01, np.nan, 0.03])

    assert found.spread == pytest.approx(np.sqrt((0.01**2 + 0.03**2) / 2)) and found.freedom == 2
    assert points([1, 2], [1.0, 2.0], [np.nan, np.nan]).freedom == 0


@pytest.mark.parametrize("times", [2, 3, 7])
def test_equal_repeats_say_nothing_of_the_scatter(times):
    found = points([1, 2, 5] * times, [0.1, 0.7, 1.3] * times)

    assert found.freedom == 0 and found.spread == 0
    assert found.weight.tolist() == [times] * 3
    assert found.log_rate == pytest.approx(np.log([0.1, 0.7, 1.3]), abs=1e-14)


def test_the_order_of_rows_changes_no_digit():
    rng = np.random.default_rng(2)
    n, rate, spread = rng.integers(1, 40, 300), 10.0 ** rng.uniform(-9, 12, 300), rng.uniform(0, 0.1, 300)
    order = rng.permutation(300)
    one, other = points(n, rate, spread), points(n[order], rate[order], spread[order])

    for name in ("n", "log_rate", "weight", "spread", "freedom"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_rates_of_any_size_are_kept():
    found = points([1, 2, 4, 4], [1e-100, 1e12, 1e-9, 1e100])

    assert found.log_rate == pytest.approx(np.log([1e-100, 1e12, 0.5e100]))


def test_ten_thousand_rows_are_thinned_along_the_logarithm_of_n():
    rng = np.random.default_rng(1)
    n = rng.integers(1, 5000, 10_000)
    found = points(n, 3.0 * n**0.7)

    assert len(found.n) <= MOST_POINTS and found.weight.sum() == 10_000
    assert (np.diff(found.n) > 0).all() and np.isin(found.n, n).all()
    assert found.n[0] == 1 and found.n[-1] > 4500
    assert found.log_rate == pytest.approx(np.log(3.0 * found.n**0.7), abs=0.02)


def test_few_counts_are_never_thinned():
    n = np.repeat(np.arange(1, MOST_POINTS + 1), 100)

    assert points(n, 1.0 * n).n.tolist() == list(range(1, MOST_POINTS + 1))


@pytest.mark.parametrize(
    ("n", "rate", "said"),
    [
        ([1, 2, 0], [1, 2, 3], "row 3, n: found 0"),
        ([1, -2], [1, 2], "row 2, n: found -2"),
        ([1, 2.5], [1, 2], "row 2, n: found 2.5"),
        ([np.nan, 2], [1, 2], "row 1, n: found nan"),
        ([1, np.inf], [1, 2], "row 2, n: found inf"),
        ([1, 10 * MOST_COUNT], [1, 2], "row 2, n: found 1e+08"),
        ([1, 2], [1, 0], "row 2, value: found 0"),
        ([1, 2], [-1, 1], "row 1, value: found -1"),
        ([1, 2], [1, np.nan], "row 2, value: found nan"),
        ([1, 2], [np.inf, 1], "row 1, value: found inf"),
        ([1, 2], [1e-200, 1], "row 1, value: found 1e-200"),
        ([1, 2], [1], "2 counts and 1 rates"),
        ([], [], "no rows"),
    ],
)
def test_a_mistake_names_its_row(n, rate, said):
    with pytest.raises(DataError, match="^mine") as caught:
        points(n, rate, of="mine")

    assert said in str(caught.value) and "expected" in str(caught.value)


def test_counts_of_a_forecast():
    assert asked([16, 2, 16]).tolist() == [2, 16]
    for wrong in (0, 1.5, np.nan, 2.0 * MOST_COUNT):
        with pytest.raises(DataError, match="whole number"):
            asked([4, wrong])
