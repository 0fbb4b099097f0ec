"""Intervals: exact where the model is linear, at their nominal rate where it is not, and honest about what is not known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit

import synthetic
from mpps import fit, uncertainty
from mpps.path import Parameter, Prior, Stage, Variant

WIDE = ("ns", 1.0, 1e6)
COUNTS = np.array([1, 2, 3, 4, 5, 6, 7, 8])


WORK = (Parameter("work_ns", *WIDE, "work"),)


def linear(demand="work_ns", parameters=WORK, *, noise=0.0, scatter=0.03, seed=0, truth=None):
    """Rows of log(n/demand): with one parameter in the demand a linear model of its logarithm."""
    path = synthetic.lock_path(parameters, stages=(Stage("work", demand, "work"),), variants=(Variant("free", ("work",)),))
    return synthetic.problem(path, {"work_ns": 500.0} | (truth or {}), scatter=scatter, noise=noise, seed=seed, counts=COUNTS)


def believed(median, lower, upper, name="work_ns"):
    return Parameter(name, *WIDE, "believed", prior=Prior(median, lower, upper, "believed"))


def test_slopes_of_a_linear_model():
    one = linear(parameters=(believed(500.0, 400.0, 600.0),))

    slope = uncertainty.sensitivity(one, np.log([500.0]))

    assert slope == pytest.approx(np.array([[-1.0]] * 8 + [[1.0]]))


def test_effective_parameters_are_the_share_that_the_data_decide():
    one = linear(parameters=(believed(500.0, 400.0, 600.0),))
    data, prior = 8 / 0.03**2, one.priors[2][0] ** -2

    assert uncertainty.effective_parameters(one, np.log([500.0])) == pytest.approx(data / (data + prior))
    assert uncertainty.effective_parameters(linear(), np.log([500.0])) == pytest.approx(1)
    assert uncertainty.effective_parameters(synthetic.problem(), synthetic.truth_of(synthetic.problem())) == pytest.approx(5, abs=1e-3)


def test_scatter_is_what_the_residuals_say_and_never_below_the_floor():
    quiet, loud = linear(noise=0.001, seed=1), linear(noise=0.09, seed=1)
    rows = loud.points.value - np.log(COUNTS)

    assert uncertainty.scatter_scale(quiet, fit.solve(quiet)) == 1
    assert uncertainty.scatter_scale(loud, fit.solve(loud)) == pytest.approx(rows.std(ddof=1) / 0.03, rel=1e-4)


def test_scatter_without_freedom_is_the_floor():
    one = linear(noise=0.5, seed=1)
    one = replace(one, points=one.points.keep(np.arange(8) == 3))

    assert uncertainty.scatter_scale(one, fit.solve(one)) == 1


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_the_interval_of_a_linear_model_is_the_normal_one(scale):
    """Student's t with 7 degrees of freedom where the scatter is estimated, that is above its floor."""
    one = linear(noise=0.03, seed=4)
    quantile = 1.645 if scale == 1 else stdtrit(7, 0.95)
    found = uncertainty.interval(one, fit.solve(one), scale, "work_ns")
    center, half_width = -(one.points.value - np.log(1e9 * COUNTS)).mean(), quantile * scale * 0.03 / np.sqrt(8)

    assert found.median == pytest.approx(np.exp(center), rel=1e-6)
    assert (found.lower, found.upper) == pytest.approx((np.exp(center - half_width), np.exp(center + half_width)), rel=1e-3)
    assert found.identified == "yes" and found.unit == "ns"


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_members_of_a_linear_model_are_its_posterior(scale):
    """Mean at the estimate, spread of data and prior together, also where the prior disagrees with the data."""
    one = linear(parameters=(believed(530.0, 510.0, 551.0),), noise=0.03, seed=4)
    solved = fit.solve(one)
    drawn = uncertainty.members(one, solved, scale, 4000, seed=1)[:, 0]
    precision = 8 / (0.03 * scale) ** 2 + one.priors[2][0] ** -2

    assert drawn.std() == pytest.approx(precision**-0.5, rel=0.05)
    assert drawn.mean() == pytest.approx(solved.x[0, 0], abs=5 * precision**-0.5 / np.sqrt(4000))


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_what_only_a_prior_knows_keeps_the_interval_of_the_prior(scale):
    """However much the rows scatter: the prior does not scatter with them."""
    one = linear("work_ns + 0*guess_ns", (Parameter("work_ns", *WIDE, "work"), believed(40.0, 20.0, 80.0, "guess_ns")), noise=0.03, truth={"guess_ns": 40.0})
    solved = fit.solve(one)

    found = uncertainty.interval(one, solved, scale, "guess_ns")
    drawn = np.exp(uncertainty.members(one, solved, scale, 4000, seed=2)[:, 1])

    assert (found.lower, found.upper) == pytest.approx((20, 80), rel=0.01)
    assert found.identified == "prior"
    assert np.quantile(drawn, [0.05, 0.95]) == pytest.approx([20, 80], rel=0.1)


def test_a_sum_alone_bounds_each_part_on_one_side():
    parts = (Parameter("work_ns", *WIDE, "one part"), Parameter("rest_ns", *WIDE, "the other"))
    one = linear("work_ns + rest_ns", parts, noise=0.02, truth={"rest_ns": 300.0})
    solved = fit.solve(one)

    for name in ("work_ns", "rest_ns"):
        found = uncertainty.interval(one, solved, 1.0, name)
        # Neither can be more than the sum, 800 ns; a little less than nothing cannot be told from nothing.
        assert found.identified == "one-sided"
        assert found.lower is None and 780 < found.upper < 840


def test_a_product_alone_bounds_nothing():
    factors = (Parameter("work_ns", *WIDE, "one factor"), Parameter("ratio", "ratio", 1e-3, 1e3, "the other"))
    one = linear("work_ns*ratio", factors, noise=0.02, truth={"ratio": 1.0})

    found = uncertainty.interval(one, fit.solve(one), 1.0, "work_ns")

    assert found.identified == "no"
    assert found.lower is None and found.upper is None


def test_an_estimate_on_its_bound_still_has_an_interval():
    bounded = (Parameter("work_ns", "ns", 520.0, 5000.0, "work, at least 520"),)
    one = linear(parameters=bounded, scatter=0.1)
    found = uncertainty.interval(one, fit.solve(one), 1.0, "work_ns")

    assert found.median == pytest.approx(520, rel=1e-6)
    assert found.lower is None
    assert 520 < found.upper < 500 * np.exp(1.645 * 0.1 / np.sqrt(8)) * 1.06


@pytest.mark.parametrize("name", list(synthetic.TRUTH))
def test_a_profile_is_lowest_at_the_estimate_and_rises(name):
    one = synthetic.problem(noise=0.01, seed=6)
    solved = fit.solve(one)
    grid, rise = uncertainty.profile(one, solved, 1.0, name)
    column = one.names.index(name)

    assert (np.diff(grid) > 0).all() and grid.min() >= one.lower[column] and grid.max() <= one.upper[column]
    assert rise.min() == 0
    assert grid[rise.argmin()] == pytest.approx(solved.x[0, column], abs=1e-3)
    assert (np.diff(rise[: rise.argmin() + 1]) <= 1e-3).all() and (np.diff(rise[rise.argmin() :]) >= -1e-3).all()


def test_intervals_are_those_of_minos():
    """MINOS of iminuit walks along the same profile, on its own and one parameter at a time."""
    from iminuit import Minuit

    one = synthetic.problem(noise=0.01, seed=6)
    solved = fit.solve(one)
    cost = lambda x: float((one.weight * (one.model(np.asarray(x)[None])[0] - one.target) ** 2).sum())
    found = uncertainty.intervals(one, solved, 1.0, one.names)

    minuit = Minuit(cost, solved.x[0], name=one.names)
    minuit.limits = list(zip(one.lower, one.upper, strict=True))
    minuit.errordef = uncertainty.RISE
    minuit.migrad()
    minuit.minos(cl=1)

    assert [each.name for each in found] == list(one.names)
    for each in found:
        ends = minuit.merrors[each.name]
        low, high = minuit.values[each.name] + np.array([ends.lower, ends.upper])
        assert each.lower == pytest.approx(np.exp(low), rel=5e-3)
        assert each.upper == pytest.approx(np.exp(high), rel=5e-3)


def test_the_intervals_of_all_parameters_are_those_of_each():
    one = synthetic.problem(noise=0.01, seed=8)
    solved = fit.solve(one)

    together = uncertainty.intervals(one, solved, 1.2, one.names)

    for each in together:
        alone = uncertainty.interval(one, solved, 1.2, each.name)
        assert (each.lower, each.upper) == (pytest.approx(alone.lower), pytest.approx(alone.upper))
        assert (each.median, each.identified) == (alone.median, alone.identified)
    assert uncertainty.intervals(one, solved, 1.0, []) == []


def test_intervals_hold_the_truth_at_about_their_rate():
    """20 tables with 1 % scatter, refitted: 100 intervals of 90 %. A scatter that is never below its floor errs to the wide side."""
    held = []
    for seed in range(20):
        one = synthetic.problem(noise=0.01, seed=seed)
        solved = fit.solve(one, starts=4)
        scale = uncertainty.scatter_scale(one, solved)
        for name, truth in zip(one.names, synthetic.truth_of(one), strict=True):
            found = uncertainty.interval(one, solved, scale, name)
            lower, upper = (default if end is None else end for end, default in ((found.lower, 0.0), (found.upper, np.inf)))
            held.append(lower <= np.exp(truth) <= upper)

    assert 0.85 <= np.mean(held) <= 0.98


def test_members_spread_as_the_estimates_of_many_tables_do():
    """Refits of other tables from the same truth scatter about it as the members of one fit scatter about the estimate."""
    estimates = np.concatenate([fit.solve(synthetic.problem(noise=0.01, seed=seed), starts=3).x for seed in range(100, 140)])
    one = synthetic.problem(noise=0.01, seed=1)
    drawn = uncertainty.members(one, fit.solve(one), 1.0, 400, seed=3)

    ratio = drawn.std(axis=0) / estimates.std(axis=0)
    assert (0.65 < ratio).all() and (ratio < 1.5).all()
