"""USL and Amdahl fits against published coefficients, and against optima found another way."""

import pathlib

import numpy as np
import pytest
import yaml
from scipy.optimize import least_squares

from mpps import laws
from mpps.baseline import fit_amdahl, fit_amdahl_batch, fit_usl, fit_usl_batch, fit_usl_transform
from mpps.errors import MppsError

REFERENCE = yaml.safe_load((pathlib.Path(__file__).parent / "reference" / "usl.yaml").read_text())
SPEC, RAY, CISCO = REFERENCE["specsdm91"], REFERENCE["raytracer"], REFERENCE["cisco"]
CISCO_N = np.arange(1, 33)


def parameters(case):
    return [case["rate_one"], case["contention"], case["coherence"]]


def noisy_table(rng, *, size=8, contention=0.05, coherence=5e-4, scatter=0.03):
    n = np.array([1, 2, 4, 8, 16, 24, 32, 48, 64][:size], dtype=float)
    return n, laws.usl(n, 1000, contention, coherence) * np.exp(rng.normal(0, scatter, size))


# Published fits


def test_specsdm91_parameters_errors_and_limits():
    fit = fit_usl(SPEC["n"], SPEC["rate"])

    np.testing.assert_allclose(fit.parameters, parameters(SPEC["refit"]), rtol=1e-5)
    np.testing.assert_allclose(fit.standard_errors, SPEC["refit"]["standard_errors"], rtol=1e-5)
    assert fit.residual_standard_error == pytest.approx(SPEC["refit"]["residual_standard_error"], rel=1e-5)
    assert fit.degrees_of_freedom == SPEC["printed"]["degrees_of_freedom"]
    half_of_the_last_digit = np.array([[0.005], [5e-6], [5e-9]])
    assert (abs(fit.limits(0.95) - SPEC["limits_95"]) <= half_of_the_last_digit).all()
    np.testing.assert_array_equal(np.round(fit.fitted), SPEC["printed"]["fitted"])
    np.testing.assert_allclose(fit.residuals, SPEC["printed"]["residuals"], atol=0.006)
    np.testing.assert_allclose(fit.efficiency, SPEC["printed"]["efficiency"], atol=6e-5)
    assert fit.at_bound == () and fit.notes == () and fit.physical


def test_specsdm91_band_is_not_the_published_constant_one():
    """At n = 1 the rate is rate_one alone, so its band is the limits of rate_one; it is wider where n matters more."""
    fit = fit_usl(SPEC["n"], SPEC["rate"])
    wrong = SPEC["wrong"]["band_half_width"]

    lower, upper = fit.interval(np.array(SPEC["n"]), 0.95, of="curve")

    np.testing.assert_allclose([lower[0], upper[0]], fit.limits(0.95)[0])
    half = (upper - lower) / 2
    assert half.max() > 2 * half.min()
    assert abs(half[0] / wrong - 1) > 0.5
    point_lower, point_upper = fit.interval(SPEC["n"], 0.95)
    assert (point_lower < lower).all() and (point_upper > upper).all()


def test_interval_equals_a_direct_propagation_of_errors():
    """Numerical derivatives of the prediction, instead of the analytic ones of the fit."""
    for scale in ("linear", "log"):
        fit = fit_usl(SPEC["n"], SPEC["rate"], scale=scale)
        lower, upper = fit.interval(50.0, 0.8, of="curve")
        slope = np.zeros(3)
        for index in range(3):
            step = np.zeros(3)
            step[index] = 1e-6 * fit.parameters[index]
            ends = [laws.usl(50.0, *(fit.parameters + sign * step)) for sign in (1, -1)]
            slope[index] = (np.log(ends[0] / ends[1]) if scale == "log" else ends[0] - ends[1]) / (2 * step[index])
        half = 1.5332062740589443 * np.sqrt(slope @ fit.covariance @ slope)  # t(4) at 0.9

        expected = np.exp([-half, half]) * fit.predict(50.0) if scale == "log" else fit.predict(50.0) + [-half, half]
        np.testing.assert_allclose([lower, upper], expected, rtol=1e-6)


def test_specsdm91_by_the_old_transform():
    refit = REFERENCE["specsdm91_transform"]["refit"]

    fit = fit_usl_transform(SPEC["n"], SPEC["rate"])

    assert fit.rate_one == SPEC["rate"][0]
    assert fit.contention == pytest.approx(refit["contention"], rel=1e-5)
    assert fit.coherence == pytest.approx(refit["coherence"], rel=1e-5)
    assert fit.residual_standard_error == pytest.approx(refit["residual_standard_error"], rel=1e-5)
    assert fit.degrees_of_freedom == refit["degrees_of_freedom"]


def test_raytracer_ends_on_the_bound_and_says_so():
    refit = RAY["refit"]

    fit = fit_usl(RAY["n"], RAY["rate"])

    assert fit.coherence == 0 and fit.at_bound == ("coherence",)
    assert any("coherence ended on its bound" in note for note in fit.notes)
    np.testing.assert_allclose(fit.parameters[:2], parameters(refit)[:2], rtol=1e-5)
    assert fit.residual_standard_error == pytest.approx(refit["residual_standard_error"], rel=1e-5)
    assert fit.degrees_of_freedom == refit["degrees_of_freedom"]
    limit = laws.usl_contention_limit(fit.rate_one, fit.contention)
    assert limit == pytest.approx(refit["contention_limit"], rel=1e-5)
    point = laws.usl_contention_point(fit.contention)
    assert point == pytest.approx(refit["contention_point"], rel=1e-5)
    assert fit.predict(point) == pytest.approx(refit["rate_at_contention_point"], rel=1e-5)
    for n, rate in refit["rate_at"].items():
        assert fit.predict(n) == pytest.approx(rate, rel=1e-5)


def test_raytracer_limits_differ_from_the_published_ones():
    """Their half width is 1.8125 standard errors, t of 10 degrees of freedom at 0.95: a 90 % interval, not 95 %."""
    fit = fit_usl(RAY["n"], RAY["rate"])
    printed = np.array(RAY["wrong"]["limits_95"])

    np.testing.assert_allclose((printed[:, 1] - printed[:, 0]) / 2, 1.8124611 * fit.standard_errors, rtol=3e-3)
    limits = fit.limits(0.95)
    assert limits[0, 0] < printed[0, 0] and limits[0, 1] > printed[0, 1]
    assert limits[1, 0] < printed[1, 0] and limits[1, 1] > printed[1, 1]
    assert limits[2, 0] == 0, "no negative coherence"


def test_limit_of_a_parameter_on_its_bound_is_where_the_fit_worsens_by_t_squared():
    fit = fit_usl(RAY["n"], RAY["rate"])
    end = fit.limits(0.95)[2, 1]

    def sum_of_squares(coherence):
        found = least_squares(
            lambda x: laws.usl(fit.n, x[0], x[1], coherence) - fit.rate, [20, 0.05], x_scale=[20, 0.05], xtol=1e-12
        )
        return 2 * found.cost

    one_sided = 1.8595480375228424  # t(8) at 0.95
    growth = sum_of_squares(end) - sum_of_squares(0.0)
    assert growth == pytest.approx((one_sided * fit.residual_standard_error) ** 2, rel=1e-5)


def test_raytracer_without_bounds_is_flagged_and_does_not_extrapolate():
    fit = fit_usl(RAY["n"], RAY["rate"], bounded=False)

    np.testing.assert_allclose(fit.parameters, parameters(RAY["unbounded"]), rtol=2e-3)
    assert not fit.physical
    assert any("coherence is negative" in note for note in fit.notes)
    assert fit.predict(30) > 0
    for outside in (65, [32, 128]):
        with pytest.raises(MppsError, match="no system has.*n = 1 to 64"):
            fit.predict(outside)


@pytest.mark.parametrize("rows", [6, 5])
def test_first_rows_of_raytracer(rows):
    expected = RAY["first_rows"][rows]

    fit = fit_usl(RAY["n"][:rows], RAY["rate"][:rows])

    np.testing.assert_allclose(fit.parameters, parameters(expected), rtol=2e-5)
    assert any("only 5 points" in note for note in fit.notes) == (rows == 5)
    if "peak_n" in expected:
        assert laws.usl_peak_n(fit.contention, fit.coherence) == pytest.approx(expected["peak_n"], rel=2e-5)


def test_synthetic_table_returns_its_parameters():
    case = REFERENCE["synthetic"]

    fit = fit_usl(case["n"], case["rate"])

    np.testing.assert_allclose(fit.parameters, parameters(case["refit"]), rtol=1e-5)


def test_cisco_agrees_with_the_book():
    fit = fit_usl(CISCO_N, CISCO["rate"])
    book = CISCO["book"]

    np.testing.assert_allclose(fit.parameters, parameters(CISCO["refit"]), rtol=1e-5)
    np.testing.assert_allclose(fit.parameters, parameters(book), rtol=book["tolerance"])
    assert laws.usl_peak_n(fit.contention, fit.coherence) == pytest.approx(CISCO["refit"]["peak_n"], rel=1e-5)


def test_rounded_table_is_fitted_to_the_end():
    """The printed fit of the source stopped 19 short of the least sum of squares."""
    case = REFERENCE["rounded"]
    printed = case["wrong"]["printed"]

    fit = fit_usl(case["n"], case["rate"])

    np.testing.assert_allclose(fit.parameters, parameters(case["refit"]), rtol=1e-5)
    squares = np.sum(fit.residuals**2)
    assert squares == pytest.approx(case["refit"]["sum_of_squares"], rel=1e-5)
    theirs = np.sum((fit.rate - laws.usl(fit.n, *parameters(printed))) ** 2)
    assert theirs == pytest.approx(printed["sum_of_squares"], rel=1e-3)
    assert squares < theirs
    assert abs(fit.contention / printed["contention"] - 1) > 0.01


# The optimum


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("seed", range(6))
def test_no_bounded_start_finds_less_than_the_fit(scale, seed):
    """SciPy's trust region inside the bounds, from random starts, on tables that end on either bound or on none."""
    rng = np.random.default_rng(seed)
    truth = [(0.05, 5e-4), (0.0, 1e-3), (0.3, 0.0), (0.0, 0.0), (0.9, 0.0), (0.02, 0.05)][seed]
    n, rate = noisy_table(rng, contention=truth[0], coherence=truth[1], scatter=0.08)
    fit = fit_usl(n, rate, scale=scale)

    def miss(x):
        model = laws.usl(n, *x)
        return np.log(model / rate) if scale == "log" else (model - rate) / rate.max()

    ours = np.sum(miss(fit.parameters) ** 2)
    assert 0 <= fit.contention <= 1 and fit.coherence >= 0
    for _ in range(5):
        start = [rate[0] * rng.uniform(0.5, 2), rng.uniform(0, 0.9), 10 ** rng.uniform(-6, -1)]
        other = least_squares(
            miss, start, bounds=([1e-9, 0, 0], [np.inf, 1, np.inf]), x_scale=[rate[0], 0.1, 1e-3], xtol=1e-12
        )
        assert ours <= 2 * other.cost * (1 + 1e-9)


@pytest.mark.parametrize("fit", [fit_usl, fit_amdahl])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_answer_depends_neither_on_the_unit_nor_on_the_order(fit, scale):
    n, rate = noisy_table(np.random.default_rng(3))
    shuffled = np.random.default_rng(4).permutation(len(n))

    one = fit(n, rate, scale=scale)
    other = fit(n[shuffled], rate[shuffled] * 1e-6, scale=scale)

    np.testing.assert_allclose(other.parameters, one.parameters * [1e-6, 1, 1], rtol=1e-7)
    np.testing.assert_allclose(other.standard_errors, one.standard_errors * [1e-6, 1, 1], rtol=1e-6)


def test_amdahl_is_usl_with_coherence_held_at_zero():
    n, rate = noisy_table(np.random.default_rng(5), contention=0.1, coherence=0.0)

    fit = fit_amdahl(n, rate)

    assert fit.coherence == 0 and fit.at_bound == () and fit.degrees_of_freedom == len(n) - 2
    assert fit.standard_errors[2] == 0 and fit.limits()[2].tolist() == [0, 0]
    usl = fit_usl(n, rate)
    assert np.sum(usl.residuals**2) <= np.sum(fit.residuals**2) * (1 + 1e-12)
    assert fit.limits(0.9)[1, 0] < 0.1 < fit.limits(0.9)[1, 1]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_exact_tables_return_their_law(scale):
    n = [1, 2, 4, 8, 16, 32]
    for truth in ([3.0, 0.1, 0.002], [3.0, 0.0, 0.0], [3.0, 1.0, 0.0], [3.0, 0.0, 0.4]):
        fit = fit_usl(n, laws.usl(n, *truth), scale=scale)
        np.testing.assert_allclose(fit.parameters, truth, rtol=1e-6, atol=1e-9)


def test_better_than_linear_ends_on_no_contention():
    fit = fit_usl([1, 2, 4, 8], [1, 2.1, 4.6, 9.7])

    assert fit.contention == 0 and fit.coherence == 0
    assert set(fit.at_bound) == {"contention", "coherence"}
    limits = fit.limits()
    assert (limits[1:, 0] == 0).all() and (limits[1:, 1] > 0).all()
    assert not fit_usl([1, 2, 4, 8], [1, 2.1, 4.6, 9.7], bounded=False).physical


def test_limits_hold_the_truth_as_often_as_they_say():
    """300 tables: the share of 80 % limits that hold each parameter lies within 4 standard errors of 80 %."""
    rng = np.random.default_rng(11)
    truth = np.array([1000, 0.05, 5e-4])
    held = np.zeros(3)
    for _ in range(300):
        fit = fit_usl(*noisy_table(rng, size=9), scale="log")
        limits = fit.limits(0.8)
        held += (limits[:, 0] <= truth) & (truth <= limits[:, 1])

    assert (abs(held / 300 - 0.8) < 4 * np.sqrt(0.8 * 0.2 / 300)).all(), held / 300


# Refusals


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fit_usl([1, 2, 4], [1, 2, 3]), "3 points at 3 different n are too few for a fit of usl"),
        (lambda: fit_usl([1, 1, 2, 2], [1, 1, 2, 2]), "4 points at 2 different n"),
        (lambda: fit_amdahl([1, 2], [1, 2]), "needs 3 points at 2 different n"),
        (lambda: fit_usl([1, 2, 4, 8], [1, 2, -3, 4]), "point 3: rate is -3"),
        (lambda: fit_usl([1, 2, 4, 8], [1, 2, np.nan, 4]), "point 3: rate is nan"),
        (lambda: fit_usl([0, 2, 4, 8], [1, 2, 3, 4]), "point 1: n is 0, expected a number at least 1"),
        (lambda: fit_usl([1, 2, 4], [1, 2, 3, 4]), "two lists of one length"),
        (lambda: fit_usl([1, 2, 4, 8], [1, 2, 3, 4], scale="cubic"), "scale is 'cubic'"),
        (lambda: fit_usl(SPEC["n"], SPEC["rate"]).interval(4, of="line"), "of is 'line'"),
        (lambda: fit_usl(np.arange(50, 60), np.arange(49, 59) ** -1.5), "do not tell the parameters of usl apart"),
        (lambda: fit_usl_transform([2, 4, 8, 16], [1, 2, 3, 4]), "0 points at n = 1"),
        (
            lambda: fit_usl_batch([1, 2, 4, 8], np.zeros((2, 4)), [[1, 1, 1, 1], [1, 0, 0, 1]]),
            "series 2 .* 2 different",
        ),
        (lambda: fit_usl_batch([1, 2, 4], [[0, np.nan, 0]]), "series 1, point 2"),
        (lambda: fit_usl_batch([1, 2, 4], [0, 0]), r"\(k,\)"),
        (lambda: fit_amdahl_batch([1, 2, 4], [0, 0, 0], [1, -1, 1]), "weight is negative"),
    ],
)
def test_tables_that_cannot_be_fitted_are_refused_in_words(call, words):
    with pytest.raises(MppsError, match=words):
        call()


# Many at once


def test_batch_agrees_with_single_fits():
    rng = np.random.default_rng(7)
    tables = [
        noisy_table(rng, contention=contention, coherence=coherence, scatter=scatter)
        for contention in (0.0, 0.1, 0.8)
        for coherence in (0.0, 1e-4, 0.05)
        for scatter in (0.01, 0.15)
    ]
    n = tables[0][0]
    rates = np.array([rate for _, rate in tables])

    for batch, single in ((fit_usl_batch, fit_usl), (fit_amdahl_batch, fit_amdahl)):
        found = batch(n, np.log(rates))
        assert found.shape == (len(tables), 3)
        for got, rate in zip(found, rates, strict=True):
            fit = single(n, rate, scale="log")
            least = np.sum(fit.residuals**2)
            assert np.sum(np.log(laws.usl(n, *got) / rate) ** 2) == pytest.approx(least, rel=1e-7)
            np.testing.assert_allclose(laws.usl(n, *got), fit.fitted, rtol=1e-5)


def test_batch_leaves_out_points_of_weight_zero_whatever_they_are():
    n, rate = noisy_table(np.random.default_rng(8))
    log_rate = np.log(rate)
    weight = np.ones((2, len(n)))
    weight[1, -2:] = 0
    spoiled = np.stack([log_rate, log_rate])
    spoiled[1, -2:] = np.nan

    found = fit_usl_batch(n, spoiled, weight)

    np.testing.assert_allclose(found[1], fit_usl(n[:-2], rate[:-2], scale="log").parameters, rtol=1e-4)
    np.testing.assert_allclose(found[0], fit_usl(n, rate, scale="log").parameters, rtol=1e-4)


def test_batch_takes_three_points_and_the_first_of_a_series():
    """Hold-outs train on three points: the law passes through them when it can."""
    n = np.array([1, 2, 4, 8, 16.0])
    truth = np.array([5e5, 0.05, 0.004])

    found = fit_usl_batch(n, np.log(laws.usl(n, *truth))[None], [[1, 1, 1, 0, 0]])

    np.testing.assert_allclose(found[0], truth, rtol=1e-3)


def test_batch_weights_count_like_repeats():
    n, rate = noisy_table(np.random.default_rng(9), size=6)
    repeated = np.concatenate([n, n[:2]])

    weighted = fit_usl_batch(n, np.log(rate)[None], [2, 2, 1, 1, 1, 1])[0]

    fit = fit_usl(repeated, np.concatenate([rate, rate[:2]]), scale="log")
    np.testing.assert_allclose(weighted, fit.parameters, rtol=1e-4)
