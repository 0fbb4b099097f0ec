"""Competing mechanisms: how they are weighed, kept and held out, and the figures that the published tables must give."""

import ast
import pathlib
from dataclasses import replace

import numpy as np
import pytest

import synthetic
from mpps import compare, fit, paths, stored

TRANSMIT, PPPOE = paths.load_path("packet_transmit"), paths.load_path("pppoe_receive")


@pytest.fixture(scope="module")
def transmit():
    return compare.fit(TRANSMIT, TRANSMIT.scopes[0].name)


@pytest.fixture(scope="module")
def synchronous():
    return compare.fit(PPPOE, "synchronous")


@pytest.fixture(scope="module")
def without_variant(synchronous):
    """What the fit says of each lock variant from the other three."""
    return compare.hold_out(synchronous, compare.leave_variant_out(synchronous.points))


def error_of(one):
    return compare.relative_rms(one.fitted - one.points.value)


def fitted_gbit(one, name):
    index = [variant.name for variant in one.points.variants].index(name)
    rows = one.points.rows_of(index)
    return dict(zip(one.points.n[rows], np.exp(one.fitted[rows]) * PPPOE.packet_bytes * 8e-9, strict=True))


# Scores


def test_relative_rms():
    assert compare.relative_rms(np.log([1.1, 0.9])) == pytest.approx(0.1)
    assert compare.relative_rms(np.zeros(3)) == 0


def test_information_criterion():
    """n ln(chi2/n) + 2k + 2k(k+1)/(n-k-1) with k = 5 parameters and the scatter, n = 12."""
    one = synthetic.problem(noise=0.01, seed=1)
    solved = fit.solve(one)
    expected = 12 * np.log(solved.chi_square[0] / 12) + 2 * 6 + 2 * 6 * 7 / (12 - 6 - 1)

    assert compare.aicc(one, solved) == pytest.approx(expected, abs=1e-2)


def test_a_prior_that_says_it_all_costs_no_parameter():
    """One that the data ignore counts for nothing, and with it the criterion is that of the model without it."""
    one = synthetic.problem(synthetic.with_prior("section_ns", 90.0, 89.9999, 90.0001), noise=0.01, seed=1)
    solved = fit.solve(one)
    expected = 12 * np.log(solved.chi_square[0] / 12) + 2 * 5 + 2 * 5 * 6 / (12 - 5 - 1)

    assert compare.aicc(one, solved) == pytest.approx(expected, abs=1e-2)


def test_too_few_rows_have_no_criterion():
    one = synthetic.problem(counts=np.array([1, 2, 4]))

    assert compare.aicc(one, fit.solve(one)) == np.inf


# What a fit holds


def test_mechanisms_come_by_weight(transmit):
    weights = [one.weight for one in transmit.mechanisms]

    assert sum(weights) == pytest.approx(1)
    assert weights == sorted(weights, reverse=True) and transmit.best is transmit.mechanisms[0]
    assert {one.mechanism for one in transmit.mechanisms} == set(TRANSMIT.mechanisms)
    assert transmit.basis == "AICc"
    for one in transmit.mechanisms:
        assert one.error == pytest.approx(compare.relative_rms(one.solved.fitted[0] - transmit.points.value))
        assert one.solved.converged.all() and one.scale >= 1


def test_weights_are_tempered_evidence_times_odds(transmit):
    relative = {one.mechanism.name: one.mechanism.odds * np.exp(-one.aicc / 4) for one in transmit.mechanisms}
    total = sum(relative.values())

    assert {one.mechanism.name: one.weight for one in transmit.mechanisms} == {name: pytest.approx(v / total, abs=1e-12) for name, v in relative.items()}


def test_members_go_to_mechanisms_by_weight(transmit):
    for one in transmit.mechanisms:
        expected = round(compare.MEMBERS * one.weight) if one.weight >= 0.01 else 0
        assert len(one.members) == expected
        assert (one.members >= one.problem.lower - 1e-12).all() and (one.members <= one.problem.upper + 1e-12).all()
    assert {one.mechanism.name for one in transmit.kept} == {one.mechanism.name for one in transmit.mechanisms if one.weight >= 0.01}
    assert transmit.fitted == pytest.approx(sum(one.weight * one.solved.fitted[0] for one in transmit.mechanisms))


def test_values_are_those_of_the_estimate_and_of_the_members(transmit):
    best = transmit.best

    assert list(best.values) == list(best.problem.names)
    assert [value.shape for value in best.values.values()] == [(1, 1)] * len(best.problem.names)
    assert np.log(np.concatenate(list(best.values.values()), axis=1)) == pytest.approx(best.solved.x)
    assert np.log(np.concatenate(list(best.member_values.values()), axis=1)) == pytest.approx(best.members)


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    """Fits kept in a folder of the test, and none in memory."""
    monkeypatch.setattr(compare, "cache_folder", lambda: tmp_path / "fits")
    compare.fit.cache_clear()
    yield tmp_path / "fits"
    compare.fit.cache_clear()


def test_a_kept_fit_is_the_fit(empty_cache):
    scope = TRANSMIT.scopes[0].name
    computed = compare.fit(TRANSMIT, scope)
    compare.fit.cache_clear()
    read = compare.fit(TRANSMIT, scope)

    assert read is not computed
    assert len(list(empty_cache.glob("*.npz"))) == 1
    assert not list(empty_cache.glob("*.part"))
    assert [one.mechanism for one in read.mechanisms] == [one.mechanism for one in computed.mechanisms]
    for one, other in zip(computed.mechanisms, read.mechanisms, strict=True):
        for name in ("weight", "aicc", "scale", "error"):
            assert getattr(one, name) == getattr(other, name)
        assert np.array_equal(one.members, other.members) and np.array_equal(one.anchors, other.anchors)
        assert np.array_equal(one.solved.x, other.solved.x) and np.array_equal(one.solved.fitted, other.solved.fitted)


def test_another_seed_is_another_fit_with_the_same_answer(empty_cache, transmit):
    other = compare.fit(TRANSMIT, TRANSMIT.scopes[0].name, seed=7)

    assert other.best.mechanism == transmit.best.mechanism
    assert other.best.solved.chi_square == pytest.approx(transmit.best.solved.chi_square, rel=1e-6)
    assert other.fitted == pytest.approx(transmit.fitted, abs=1e-4)
    assert not np.array_equal(other.best.members, transmit.best.members)


def test_what_a_fit_rests_on_is_in_its_name():
    """Path, scope, seed, rows and values each give another file."""
    points = fit.points_of(TRANSMIT, TRANSMIT.scopes[0].name)
    other = replace(points, value=points.value + 1e-9)
    changed = replace(TRANSMIT, parameters=(replace(TRANSMIT.parameters[0], upper=1201.0), *TRANSMIT.parameters[1:]))
    keys = [
        stored.key(TRANSMIT, "all", points, 1),
        stored.key(TRANSMIT, "all", points, 2),
        stored.key(TRANSMIT, "some", points, 1),
        stored.key(TRANSMIT, "all", other, 1),
        stored.key(changed, "all", points, 1),
        stored.key(TRANSMIT, "all", points.keep(np.arange(len(points.n)) > 0), 1),
    ]

    assert len(set(keys)) == len(keys)
    assert stored.key(TRANSMIT, "all", points, 1) == keys[0]


def imported(module, seen):
    """Files of the package that a module imports, however far down."""
    package = pathlib.Path(compare.__file__).parent
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mpps."):
            base = package.joinpath(*node.module.split(".")[1:])
            for file in (base.with_suffix(".py"), base / "__init__.py", *(base / f"{name.name}.py" for name in node.names)):
                if file.is_file() and file not in seen:
                    seen.add(file)
                    imported(file, seen)
    return seen


def test_all_code_that_fits_is_in_the_name_of_a_kept_fit():
    """The hash covers every module behind a fit but those whose result, the rows, is hashed itself."""
    package = pathlib.Path(compare.__file__).parent
    hashed = {file for part in stored.CODE for file in package.glob(part)}
    rows = {"errors.py", "root.py", "rounding.py", "units.py"}
    needed = {f for f in imported(package / "compare.py", set()) if f.name not in rows and "measurements" not in f.parts}

    assert package / "compare.py" in hashed and package / "simulation.py" in hashed
    assert needed <= hashed


# Rows held out


def test_folds_hold_each_row_out_once(transmit):
    points = transmit.points

    for folds in (compare.leave_one_out(points), compare.leave_variant_out(points)):
        assert np.array_equal(sum(np.asarray(mask, int) for mask in folds.values()), np.ones(len(points.n)))
    assert list(compare.leave_variant_out(points)) == [variant.name for variant in points.variants]
    assert len(compare.leave_one_out(points)) == len(points.n)


def test_rows_can_be_chosen_by_variant_and_count(transmit):
    points, name = transmit.points, transmit.points.variants[1].name

    assert list(points.n[compare.rows_of(points, ((name, 4),))]) == [4]
    assert np.array_equal(compare.rows_of(points, ((name, None),)), points.variant == 1)
    assert compare.rows_of(points, ((name, 4), (name, 20))).sum() == 2


def test_a_fit_without_rows_does_not_see_them(empty_cache):
    name = TRANSMIT.variants[-1].name
    found = compare.fit(TRANSMIT, TRANSMIT.scopes[0].name, held_out=((name, 20),))

    assert len(found.points.n) == 35
    assert not ((found.points.n == 20) & (found.points.variant == 2)).any()


def test_held_out_values_do_not_enter_their_prediction(transmit):
    mask = compare.rows_of(transmit.points, ((TRANSMIT.variants[-1].name, None),))
    expected = compare.hold_out(transmit, {"tap": mask})["tap"]
    points = replace(transmit.points, value=np.where(mask, 3.0, transmit.points.value))
    mechanisms = tuple(replace(one, problem=replace(one.problem, points=points)) for one in transmit.mechanisms)
    blind = compare.hold_out(replace(transmit, points=points, mechanisms=mechanisms), {"tap": mask})["tap"]

    assert blind.predicted == pytest.approx(expected.predicted, abs=1e-9)
    assert blind.weights == pytest.approx(expected.weights)
    assert list(expected.rows) == list(np.flatnonzero(mask))
    assert expected.observed == pytest.approx(transmit.points.value[mask])
    assert sum(expected.weights.values()) == pytest.approx(1)
    mixed = sum(expected.weights[name] * expected.by_mechanism[name] for name in expected.weights)
    assert expected.predicted == pytest.approx(mixed)
    assert expected.error == pytest.approx(compare.relative_rms(expected.predicted - expected.observed))


def test_rows_that_say_nothing_leave_the_odds(transmit):
    """With every row but one held out the odds decide between mechanisms that all meet it."""
    mask = np.arange(len(transmit.points.n)) > 0
    found = compare.hold_out(transmit, {"nearly all": mask}, threshold=0.0)["nearly all"]
    odds = {one.mechanism.name: one.mechanism.odds for one in transmit.mechanisms}

    assert found.weights == pytest.approx({name: value / sum(odds.values()) for name, value in odds.items()}, rel=0.05)


# The figures that the published tables must give (issue of the five code paths, point 4)


def test_synchronous_table(synchronous):
    assert len(synchronous.points.n) == 20
    assert error_of(synchronous) <= 0.02
    assert synchronous.best.error <= 0.02
    assert all(len(one.problem.parameters) <= 8 for one in synchronous.kept)


def test_eight_and_sixteen_senders_are_slower_than_four_while_a_lock_remains(synchronous):
    for name in ("both locks", "ppp lock only", "socket lock only"):
        rate = fitted_gbit(synchronous, name)
        assert rate[8] < rate[4] and rate[16] < rate[4]
        assert rate[8] < rate[16]
    free = fitted_gbit(synchronous, "no lock")
    assert free[4] < free[8] < free[16]


@pytest.mark.parametrize(("name", "goal"), [("both locks", 0.04), ("ppp lock only", 0.025), ("socket lock only", 0.025)])
def test_a_lock_variant_is_predicted_from_the_other_three(without_variant, name, goal):
    assert without_variant[name].error <= goal


def test_transmit_table(transmit):
    assert len(transmit.points.n) == 36
    assert error_of(transmit) <= 0.04 and transmit.best.error <= 0.04
    assert all(len(one.problem.parameters) <= 9 for one in transmit.kept)


def test_both_synchronous_and_threaded_tables():
    found = compare.fit(PPPOE, "GRO off")

    assert len(found.points.n) == 40
    assert error_of(found) <= 0.035
