"""Ten thousand random tables: an answer for each, and the same one in another order and unit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpps.table import forecast_points, learnt_prior, points
from mpps.table.fitting import fit_points
from random_tables import few_draws, sound, tables

pytestmark = pytest.mark.slow


def answer(n, rate, count=200):
    return forecast_points(fit_points(points(n, rate), learnt_prior(), count=count), [1, n.max(), 4 * n.max()]).quantiles


@settings(max_examples=9_700)
@given(tables())
def test_every_table_gets_an_answer(table):
    with few_draws(64, 2):
        assert sound(answer(*table))


@settings(max_examples=200)
@given(tables(), st.floats(-6, 6), st.randoms(use_true_random=False))
def test_neither_order_nor_unit_changes_it(table, power, random):
    n, rate = table
    order = list(range(len(n)))
    random.shuffle(order)
    with few_draws():
        found = answer(n, rate)
        assert np.array_equal(answer(n[order], rate[order]), found)
        # Few draws leave steps between quantiles, which rounding may take at another draw.
        again = answer(n, rate * 10.0**power) / 10.0**power
        assert np.mean(np.abs(again / found - 1) < 1e-6) > 0.8


@settings(max_examples=100)
@given(tables())
def test_with_all_draws_too(table):
    assert sound(answer(*table, count=4000))
