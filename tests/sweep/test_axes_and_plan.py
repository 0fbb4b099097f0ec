"""Parameter sets and chunks: every combination once, any stretch the same, distributions as asked."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mpps.sweep import plan_of, read_spec
from mpps.sweep.axes import BLOCK, Axes, Drawn, _permuted

NETWORK = {
    "network": "hump",
    "cores": "1-8",
    "parameters": {"private_ns": 500, "section_ns": [40, 60], "handoff_peak_ns": 50, "handoff_depth": 3},
    "outputs": ["peak_rate"],
}
FOUND = read_spec(NETWORK)
GRIDS = st.lists(st.integers(1, 5), min_size=0, max_size=4)


def axes_of(lengths, draws=0, stratified=False, seed=1):
    grid = tuple((f"p{k}", tuple(float(v + 1) for v in range(length))) for k, length in enumerate(lengths))
    drawn = (Drawn("u", "uniform", 2.0, 4.0), Drawn("l", "lognormal", 10.0, 0.5)) if draws else ()
    names = tuple(name for name, _ in grid) + tuple(one.name for one in drawn)
    return Axes(names, grid, drawn, max(draws, 1), stratified, seed)


@given(GRIDS, st.integers(0, 7), st.booleans())
def test_every_combination_stands_once_and_in_order(lengths, draws, stratified):
    axes = axes_of(lengths, draws, stratified)
    found = axes.take(0, axes.size)
    rows = list(zip(*(found[name] for name, _ in axes.grid), strict=True)) if lengths else [()] * axes.size

    wanted = [row for row in itertools.product(*(values for _, values in axes.grid)) for _ in range(axes.draws)]
    assert rows == wanted
    # Every point of the grid sees the same draws, so what two points share cancels.
    for one in axes.drawn:
        by_point = found[one.name].reshape(-1, axes.draws)
        assert (by_point == by_point[0]).all() and len(set(by_point[0])) == axes.draws


@given(GRIDS, st.integers(0, 7), st.booleans(), st.data())
def test_any_stretch_is_that_part_of_the_whole(lengths, draws, stratified, data):
    axes = axes_of(lengths, draws, stratified)
    first = data.draw(st.integers(0, axes.size - 1))
    last = data.draw(st.integers(first + 1, axes.size))

    whole, part = axes.take(0, axes.size), axes.take(first, last)

    assert list(part) == list(axes.names)
    for name in axes.names:
        np.testing.assert_array_equal(part[name], whole[name][first:last])


def test_stretches_across_blocks_of_draws_are_the_same():
    axes = axes_of([2], 2 * BLOCK + 17)
    whole = axes.take(BLOCK - 5, BLOCK + 5)

    for name in axes.names:
        parts = [axes.take(k, k + 1)[name] for k in range(BLOCK - 5, BLOCK + 5)]
        np.testing.assert_array_equal(np.concatenate(parts), whole[name])


@pytest.mark.parametrize("stratified", [False, True])
def test_draws_follow_their_distribution(stratified):
    found = axes_of([], 20_000, stratified).take(0, 20_000)

    assert stats.kstest(found["u"], stats.uniform(2, 2).cdf).pvalue > 0.01
    assert stats.kstest(np.log(found["l"]), stats.norm(np.log(10), 0.5).cdf).pvalue > 0.01
    # One parameter says nothing of the other.
    assert abs(stats.spearmanr(found["u"], found["l"]).statistic) < 0.03


@pytest.mark.parametrize("count", [1, 2, 3, 100, 1000])
def test_a_latin_hypercube_has_one_draw_in_each_stratum(count):
    found = axes_of([], count, True).take(0, count)

    for name, kind in (("u", stats.uniform(2, 2)), ("l", stats.lognorm(0.5, scale=10))):
        strata = np.floor(kind.cdf(found[name]) * count + 1e-9).astype(int)
        assert sorted(strata) == list(range(count))


@given(st.integers(1, 3000), st.integers(0, 5))
@settings(max_examples=30)
def test_a_permutation_takes_every_index_to_another_place(count, seed):
    found = _permuted(np.arange(count), count, (seed, 0))

    assert sorted(found) == list(range(count))


def test_another_seed_draws_other_sets():
    first, other = (axes_of([], 50, True, seed).take(0, 50)["u"] for seed in (1, 2))

    assert not np.isclose(first, other).any()


def test_lognormal_ends_are_those_of_the_middle_ninety_percent():
    ranges = {"distribution": "lognormal", "median": 100, "lower": 50, "upper": 200, "draws": 50_000}
    spec = read_spec(NETWORK | {"parameters": NETWORK["parameters"] | {"section_ns": ranges}})
    found = spec.axes.take(0, spec.axes.size)["section_ns"]

    np.testing.assert_allclose(np.quantile(found, [0.05, 0.5, 0.95]), [50, 100, 200], rtol=0.02)


@given(
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 3),
    st.lists(st.integers(1, 60), min_size=0, max_size=3),
    st.integers(1, 50),
)
def test_chunks_partition_the_sets_of_every_cell(variants, machines, changes, lengths, step):
    spec = replace(
        FOUND,
        variants=tuple(f"v{k}" for k in range(variants)),
        machines=tuple(f"m{k}" for k in range(machines)),
        changes=tuple(() for _ in range(changes)),
        axes=axes_of(lengths),
    )
    plan = replace(plan_of(spec), step=min(step, spec.axes.size))
    seen = [(one.cell, index) for one in map(plan.chunk, range(plan.chunks)) for index in range(one.first, one.last)]

    # The order of the rows, each once.
    assert seen == [(cell, index) for cell in range(plan.cells) for index in range(spec.axes.size)]
    assert plan.cells == variants * machines * changes == len(set(spec.keys))


def test_a_chunk_holds_a_bounded_number_of_rows_and_rates():
    many = {
        "private_ns": {"from": 300, "to": 900, "steps": 100_000},
        "section_ns": {"from": 30, "to": 90, "steps": 900},
    }
    for outputs in (["rate"], ["peak_rate"]):
        spec = read_spec(NETWORK | {"cores": "1-64", "outputs": outputs, "parameters": NETWORK["parameters"] | many})
        plan = plan_of(spec)
        assert plan.rates == 90_000_000 * 64 and plan.chunks <= 20_000
        assert plan.step * plan.rows_of_a_set <= 1 << 20


def test_the_key_is_that_of_what_is_computed():
    key = lambda **other: plan_of(read_spec(NETWORK | other)).key

    assert key() == key(limit=1e9) == key(draws=0)
    others = [key(seed=2), key(cores="1-9"), key(outputs=["peak_cores"]), key(network="saturating")]
    assert len({key(), *others}) == 5
