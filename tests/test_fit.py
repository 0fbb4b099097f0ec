"""Joint fits: rows as the tables print them, parameters recovered, and answers that depend on nothing incidental."""

import importlib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import least_squares

import synthetic
from mpps import fit, measurements, paths
from mpps.path import lap, rate_pps, sections
from mpps.simulation import simulate
from mpps.units import to_rate_pps

PATHS = {slug: paths.load_path(slug) for slug in paths.names()}
every_scope = pytest.mark.parametrize(("path", "scope"), [(p, s.name) for p in PATHS.values() for s in p.scopes])


def sorted_rows(points):
    order = sorted(range(len(points.n)), key=lambda k: points.source[k])
    return [(points.source[k], points.printed[k], points.n[k], points.value[k], points.scatter[k]) for k in order]


# Rows


@every_scope
def test_rows_are_the_printed_values(path, scope):
    points = fit.points_of(path, scope)

    expected = {}
    for variant in points.variants:
        if variant.dataset:
            table = measurements.load(variant.dataset)
            for metric, kind in variant.observe:
                for series in table.series(metric, variant=variant.series, **dict(variant.where)):
                    for n, value, printed, line in zip(series.n, series.value, series.printed, series.rows, strict=True):
                        busy = 1 - value / 100 if kind == "idle" else to_rate_pps(value, series.unit, path.packet_bytes)
                        expected[variant.name, metric, n] = (np.log(busy), printed, line, kind == "idle")
    found = {}
    for k, (_, _, metric, line) in enumerate(points.source):
        found[points.variants[points.variant[k]].name, metric, points.n[k]] = (points.value[k], points.printed[k], line, points.busy[k])

    assert found == {key: (pytest.approx(value), *rest) for key, (value, *rest) in expected.items()}
    keys = list(zip(points.variant, points.busy, points.n, strict=True))
    assert keys == sorted(keys)


@every_scope
def test_scatter_holds_what_is_assumed_and_the_rounding(path, scope):
    points = fit.points_of(path, scope)
    assumed = dict(path.scatter)

    for k, (dataset, *_) in enumerate(points.source):
        floor = assumed.get(dataset, fit.DEFAULT_SCATTER)
        assert points.scatter[k] == pytest.approx(np.hypot(floor, points.rounding[k] / np.sqrt(3)))
        assert 0 < points.rounding[k] < 0.2


@every_scope
def test_rows_of_a_variant_are_contiguous_and_a_mask_keeps_them(path, scope):
    points = fit.points_of(path, scope)
    mask = np.arange(len(points.n)) % 2 == 0
    kept = points.keep(mask)

    for index in range(len(points.variants)):
        assert (points.variant[points.rows_of(index)] == index).all()
        assert list(kept.n[kept.rows_of(index)]) == list(points.n[mask & (points.variant == index)])
    assert kept.printed == tuple(printed for printed, keep in zip(points.printed, mask, strict=True) if keep)
    assert len(kept.n) == mask.sum()



def rewritten(monkeypatch, tmp_path, change):
    """Let fits read the tables as `change(lines of the CSV)` leaves them."""
    import hashlib

    import yaml

    def load(dataset, folder=None):
        source = measurements.loading.data_folder() / "measurements"
        lines = (source / f"{dataset}.csv").read_text(encoding="utf-8").splitlines()
        text = "\n".join([lines[0], *change(lines[0].split(","), lines[1:])]) + "\n"
        card = yaml.safe_load((source / f"{dataset}.yaml").read_text(encoding="utf-8"))
        card["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        (tmp_path / f"{dataset}.csv").write_text(text, encoding="utf-8")
        (tmp_path / f"{dataset}.yaml").write_text(yaml.safe_dump(card), encoding="utf-8")
        return measurements.load_files(tmp_path / f"{dataset}.csv", tmp_path / f"{dataset}.yaml")

    monkeypatch.setattr(fit.points, "load", load)


def test_the_order_of_rows_in_the_table_does_not_matter(monkeypatch, tmp_path):
    path = PATHS["packet_transmit"]
    expected = fit.points_of(path, path.scopes[0].name)

    rewritten(monkeypatch, tmp_path, lambda columns, rows: list(np.random.default_rng(3).permutation(rows)))
    found = fit.points_of(path, path.scopes[0].name)

    for name in ("variant", "n", "value", "scatter", "rounding", "busy"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert found.printed == expected.printed


def test_the_unit_of_the_table_does_not_matter(monkeypatch, tmp_path):
    path = PATHS["pppoe_receive"]
    expected = fit.points_of(path, "synchronous")

    def in_megabits(columns, rows):
        """Gbit/s as Mbit/s, as many digits as before."""
        value, unit = columns.index("value"), columns.index("unit")
        for row in rows:
            cells = row.split(",")
            if cells[unit] == "Gbit/s":
                cells[value], cells[unit] = f"{float(cells[value]) * 1000:.0f}", "Mbit/s"
            yield ",".join(cells)

    rewritten(monkeypatch, tmp_path, lambda columns, rows: list(in_megabits(columns, rows)))
    found = fit.points_of(path, "synchronous")

    assert set(found.unit) != set(expected.unit)
    assert found.value == pytest.approx(expected.value, abs=1e-12)


# The problem that the solver sees


def test_priors_are_rows_of_their_own():
    path = synthetic.with_prior("section_ns", 80.0, 30.0, 210.0)
    one = synthetic.problem(path)
    rows, column = len(one.points.n), one.names.index("section_ns")
    x = synthetic.truth_of(one)

    assert len(one.target) == len(one.weight) == rows + 1
    assert one.target[-1] == pytest.approx(np.log(80))
    # 90 % of a normal lies within 1.645 standard deviations.
    assert one.weight[-1] ** -0.5 == pytest.approx(np.log(210 / 30) / (2 * 1.645))
    assert one.model(x[None])[0, -1] == x[column]
    assert one.weight[:-1] == pytest.approx(np.full(rows, 0.01**-2))


def test_the_model_is_the_log_rate_of_each_variant():
    one = synthetic.problem()
    x = np.stack([synthetic.truth_of(one), synthetic.truth_of(one) + 0.1])

    found = one.model(x)

    for index, variant in enumerate(one.points.variants):
        rows = one.points.rows_of(index)
        assert found[:, rows] == pytest.approx(np.log(rate_pps(one.path, variant, one.mechanism, one.values(x), one.points.n[rows])))


def test_truth_is_recovered_from_a_clean_table():
    one = synthetic.problem()
    solved = fit.solve(one)

    assert solved.x[0] == pytest.approx(synthetic.truth_of(one), abs=1e-4)
    assert solved.fitted[0] == pytest.approx(one.points.value, abs=1e-6)
    assert solved.chi_square[0] == pytest.approx(0, abs=1e-6)
    assert solved.converged.all() and solved.reached > 0.2


def test_chi_square_counts_rows_and_priors():
    one = synthetic.problem(synthetic.with_prior("section_ns", 40.0, 30.0, 53.0), noise=0.02, seed=2)
    solved = fit.solve(one)
    prior = (solved.x[0, one.names.index("section_ns")] - np.log(40)) / one.priors[2][0]
    rows = (solved.fitted[0] - one.points.value) / one.points.scatter

    assert solved.chi_square[0] == pytest.approx((rows**2).sum() + prior**2)
    assert prior**2 > 0.1  # the prior and the table disagree


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_the_seed_of_the_starts_does_not_matter(seed):
    one = synthetic.problem(noise=0.01, seed=1)

    first, other = fit.solve(one), fit.solve(one, seed=seed)

    assert other.chi_square == pytest.approx(first.chi_square, rel=1e-6)
    assert other.x == pytest.approx(first.x, abs=1e-3)


def test_the_order_of_points_does_not_matter():
    one = synthetic.problem(noise=0.01, seed=1)
    order = np.concatenate([np.random.default_rng(k).permutation(6) + 6 * k for k in range(2)])
    points = one.points
    shuffled = replace(points, **{name: getattr(points, name)[order] for name in ("n", "value", "scatter", "rounding", "busy")})

    first, other = fit.solve(one), fit.solve(replace(one, points=shuffled))

    assert other.chi_square == pytest.approx(first.chi_square, rel=1e-6)
    assert other.x == pytest.approx(first.x, abs=1e-3)


def test_a_row_left_out_is_a_row_that_is_not_there():
    one = synthetic.problem(noise=0.02, seed=3)
    keep = np.ones((2, 12), bool)
    keep[0, 4], keep[1, 7:9] = False, False

    together = fit.solve(one, keep=keep)

    for fold in range(2):
        alone = fit.solve(replace(one, points=one.points.keep(keep[fold])))
        assert together.chi_square[fold] == pytest.approx(alone.chi_square[0], rel=1e-6)
        assert together.x[fold] == pytest.approx(alone.x[0], abs=1e-3)
        wild = replace(one, points=replace(one.points, value=np.where(keep[fold], one.points.value, 99.0)))
        assert fit.solve(wild, keep=keep[fold]).x[0] == pytest.approx(together.x[fold], abs=1e-6)


def test_several_targets_are_several_fits():
    one = synthetic.problem(noise=0.02, seed=3)
    targets = one.target + 0.01 * np.random.default_rng(8).standard_normal((3, 12))

    together = fit.solve(one, target=targets)

    for k in range(3):
        assert together.x[k] == pytest.approx(fit.solve(one, target=targets[k]).x[0], abs=1e-3)


def test_the_share_of_starts_that_reach_the_optimum_is_told():
    """Two valleys, the right one deeper: of five starts two roll into it and one begins there."""
    valleys = lambda x: np.concatenate([x**2 - 1, 0.3 * (x - 1)], axis=1)
    problem = SimpleNamespace(model=valleys, lower=np.array([-3.0]), upper=np.array([3.0]))
    first = np.array([[-2.0], [-1.5], [0.5], [2.0], [1.0]])
    solve_starts = importlib.import_module("mpps.fit.solve")._best_of_starts
    x, converged, reached = solve_starts(problem, first, np.zeros((1, 2)), np.ones((1, 2)))

    assert x[0, 0] == pytest.approx(1.0) and converged.all()
    assert reached == pytest.approx(3 / 5)


@pytest.mark.parametrize("name", ["hump, exponential", "constant, start 0.2"])
def test_scipy_finds_no_better_fit_of_a_published_table(name):
    path = PATHS["pppoe_receive"]
    one = fit.problem_of(path, "synchronous", next(m for m in path.mechanisms if m.name == name))
    solved = fit.solve(one, rounds=0)
    root, bounds = np.sqrt(one.weight), (one.lower, one.upper)

    def residual(x):
        return root * (one.model(x[None])[0] - one.target)

    away = np.random.default_rng(5).standard_normal((3, len(one.names))) * np.array([[0.0], [0.2], [0.4]])
    starts = np.clip(solved.x + away, *bounds)
    expected = min(2 * least_squares(residual, start, bounds=bounds, x_scale="jac").cost for start in starts)

    assert solved.chi_square[0] <= expected * (1 + 1e-6)


# The correction by simulation


LOW = replace(synthetic.HUMP, reading="start", variation=0.3)


@pytest.fixture(scope="module")
def low_variance():
    """A table whose rows are simulated with constant-like work, and its fit."""
    one = synthetic.problem(synthetic.lock_path(mechanism=LOW))
    truth = one.values(synthetic.truth_of(one)[None])
    value = np.array(one.points.value)
    offsets = [offset for offset, _ in fit.closure_offset(one.path, LOW, truth, [(variant, synthetic.COUNTS) for variant in one.points.variants])]
    value += np.concatenate([offset[0] for offset in offsets])
    one = replace(one, points=replace(one.points, value=value))
    return one, fit.solve(one)


def test_a_simulated_table_gives_its_parameters_back(low_variance):
    one, solved = low_variance

    assert solved.fitted[0] == pytest.approx(one.points.value, abs=0.01)
    assert solved.x[0] == pytest.approx(synthetic.truth_of(one), abs=0.1)
    assert np.abs(solved.offset).max() > 0.03  # the product form alone would have missed


def test_the_fitted_rates_are_those_of_the_fitted_parameters(low_variance):
    """What a fit reports is the corrected rate at its own parameters, and that is what an independent run simulates."""
    one, solved = low_variance
    values = one.values(solved.x)
    rows = one.points.rows_of(0)
    corrected = rate_pps(one.path, one.points.variants[0], LOW, values, synthetic.COUNTS, fit.closure_offsets(one, solved.x)[:, rows])
    numbers = lap(one.path, one.points.variants[0], LOW, values, synthetic.COUNTS)
    table = np.broadcast_to(sections(LOW, numbers, values, np.arange(1.0, 25)), (1, 6, 24))[0]
    independent = simulate(
        synthetic.COUNTS, numbers.think_ns[0], table, think_variation=0.3, section_variation=0.3, reading="start", sections=4000, seed=41
    )

    assert np.log(corrected) == pytest.approx(solved.fitted[:, rows], abs=1e-9)
    assert 1e9 / corrected[0] == pytest.approx(independent.period_ns, rel=0.03)


def test_nothing_is_corrected_where_the_product_form_is_exact():
    one = synthetic.problem()
    values = one.values(synthetic.truth_of(one)[None])

    exact = fit.closure_offset(one.path, synthetic.HUMP, values, [(synthetic.LOCKED, synthetic.COUNTS)])[0][0]
    free = fit.closure_offset(one.path, LOW, values, [(synthetic.FREE, synthetic.COUNTS)])[0][0]
    locked = fit.closure_offset(one.path, LOW, values, [(synthetic.LOCKED, synthetic.COUNTS)])[0][0]

    assert not exact.any() and not free.any()
    assert locked[0, 0] == 0 and (np.abs(locked[0, 1:]) > 0).all()


def test_beyond_the_simulated_crowd_its_correction_stays():
    one = synthetic.problem()
    values = one.values(synthetic.truth_of(one)[None])

    found = fit.closure_offset(one.path, LOW, values, [(synthetic.LOCKED, np.array([300, fit.SIMULATED_SENDERS, 64]))])[0][0][0]

    assert found[0] == found[1] == found[2] != 0
