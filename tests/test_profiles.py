"""Profile intervals: exact where the family is linear, the same as other tools' elsewhere, honest where nothing is known."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from scipy.optimize import least_squares
from scipy.special import stdtrit

from mpps import profiles
from mpps.laws import usl_knee, usl_peak_rate
from mpps.profiles import Family, Start, fit, intervals, parameter, rate_at
from mpps.profiles.families import station, station_coordinates, usl, usl_peak
from mpps.root import root

GRID = np.array([1.0, 2, 4, 8, 16, 32])
LINE = Family(
    "line",
    ("level", "slope"),
    ("rate", "1"),
    (-np.inf, -np.inf),
    (np.inf, np.inf),
    lambda x, n: x[:, :1] + x[:, 1:2] * np.log(n),
    (None, Start(-2.0, 2.0)),
)


def usl_tables(count=1, contention=0.03, coherence=1e-3, n=GRID, scatter=0.01, seed=1):
    curve = usl().log_rate(np.array([[np.log(1e6), contention, coherence]]), n)
    return np.exp(curve + scatter * np.random.default_rng(seed).standard_normal((count, len(n))))


def linear_answer(n, rate, at, level):
    """Estimate, half width of the curve and of a measurement at `at` for log rate = level + slope log n, from the textbook."""
    design = np.column_stack([np.ones(len(n)), np.log(n)])
    beta, squares, *_ = np.linalg.lstsq(design, np.log(rate), rcond=None)
    row = np.array([1, np.log(at)])
    variance, quantile = squares[0] / (len(n) - 2), stdtrit(len(n) - 2, 0.5 + level / 2)
    leverage = row @ np.linalg.inv(design.T @ design) @ row
    return row @ beta, quantile * np.sqrt(variance * leverage), quantile * np.sqrt(variance * (1 + leverage))


@pytest.mark.parametrize("rows", [3, 4, 6])
def test_a_linear_family_has_the_textbook_interval(rows):
    """Also with one degree of freedom, where Student's t is 12.7."""
    n, rate = GRID[:rows], usl_tables()[0, :rows]

    curve, measurement = intervals(fit(LINE, n, rate), [rate_at(LINE, 128), rate_at(LINE, 128, measured=True)], 0.95)

    center, half, wide = linear_answer(n, rate, 128, 0.95)
    for found, width in ((curve, half), (measurement, wide)):
        assert np.log(found.estimate[0]) == pytest.approx(center, abs=1e-6)
        assert np.log([found.lower[0], found.upper[0]]) == pytest.approx([center - width, center + width], abs=5e-3 * width)
        assert found.identified[0] == "yes"


def test_a_known_scatter_gives_the_normal_interval_and_repeats_lie_between():
    rate = usl_tables()[0]
    asked = [parameter(LINE, "slope")]
    half = lambda **known: float(np.diff([(one := intervals(fit(LINE, GRID, rate, **known), asked, 0.9)[0]).lower[0], one.upper[0]])[0] / 2)
    error = 1 / np.sqrt(((np.log(GRID) - np.log(GRID).mean()) ** 2).sum())
    own = np.sqrt(fit(LINE, GRID, rate).squares[0] / 4)

    assert half(scatter=0.02, freedom=np.inf) == pytest.approx(1.6449 * 0.02 * error, rel=5e-3)
    pooled = np.sqrt((4 * own**2 + 10 * 0.02**2) / 14)
    assert half(scatter=0.02, freedom=10) == pytest.approx(stdtrit(14, 0.95) * pooled * error, rel=5e-3)


def test_a_row_of_four_measurements_counts_as_four_rows():
    rate = usl_tables()[0]
    once, repeated = np.r_[np.ones(5), 4], np.r_[rate, [rate[5]] * 3]

    left = fit(LINE, GRID, rate, repeats=once, scatter=0.01, freedom=np.inf)
    right = fit(LINE, np.r_[GRID, [32.0] * 3], repeated, scatter=0.01, freedom=np.inf)

    for a, b in zip(*(intervals(one, [parameter(LINE, "level")], 0.9) for one in (left, right)), strict=True):
        assert (a.lower[0], a.upper[0]) == pytest.approx((b.lower[0], b.upper[0]), rel=1e-5)


def test_a_prior_takes_its_share():
    """A Gaussian belief about the slope as sharp as the data's own halves its variance and meets it half-way."""
    rate = usl_tables()[0]
    free = fit(LINE, GRID, rate, scatter=0.05, freedom=np.inf)
    error = 0.05 / np.sqrt(((np.log(GRID) - np.log(GRID).mean()) ** 2).sum())
    family = replace(LINE, priors={"slope": (free.x[0, 1] + 0.02, error)})
    (found,) = intervals(fit(family, GRID, rate, scatter=0.05, freedom=np.inf), [parameter(family, "slope")], 0.9)

    assert found.estimate[0] == pytest.approx(free.x[0, 1] + 0.01, abs=1e-5)
    assert found.upper[0] - found.lower[0] == pytest.approx(2 * 1.6449 * error / np.sqrt(2), rel=5e-3)


def test_the_optimum_is_that_of_scipy():
    family, rate = usl(), usl_tables(20)
    fitted = fit(family, GRID, rate)

    for one, squares, x in zip(np.log(rate), fitted.squares, fitted.x, strict=True):
        best = min(
            (
                least_squares(
                    lambda y, one=one: family.log_rate(y[None], GRID)[0] - one,
                    [one[0], contention, coherence],
                    bounds=(family.lower, family.upper),
                    x_scale=(1, 0.01, 1e-3),
                    xtol=1e-14,
                    ftol=1e-14,
                    gtol=1e-14,
                )
                for contention in (0.01, 0.2)
                for coherence in (1e-4, 1e-2)
            ),
            key=lambda found: found.cost,
        )
        assert squares == pytest.approx(2 * best.cost, rel=1e-6)
        assert x == pytest.approx(best.x, rel=1e-3, abs=1e-7)


def test_the_ends_are_those_of_minos():
    """iminuit's MINOS follows the same profile one parameter at a time; its `errordef` is our t^2."""
    minuit = pytest.importorskip("iminuit")
    family, rate = usl(), usl_tables(3)
    fitted = fit(family, GRID, rate)
    found = intervals(fitted, [parameter(family, name) for name in family.names], 0.9)

    for table in range(3):
        cost = lambda a, b, c: float((fitted.residual(np.array([table]), np.array([[a, b / 100, c / 1e3]]), fitted.scatter[[table]]) ** 2).sum())  # noqa: B023
        one = minuit.Minuit(cost, *(fitted.x[table] * [1, 100, 1e3]))
        one.errordef, one.tol = stdtrit(3, 0.95) ** 2, 1e-3
        one.limits["b"], one.limits["c"] = (0, 100), (0, 1e3)
        one.migrad()
        one.minos()
        for interval, name, scale in zip(found, "abc", (1, 100, 1e3), strict=True):
            error = one.merrors[name]
            value = np.array([one.values[name] + error.lower, one.values[name] + error.upper]) / scale
            value = np.exp(value) if name == "a" else value
            center = interval.estimate[table]
            ours = np.array([interval.lower[table], interval.upper[table]])
            assert ours - center == pytest.approx(value - center, rel=1e-2)


def published(name):
    table = yaml.safe_load((root() / "tests/reference/usl.yaml").read_text(encoding="utf-8"))[name]
    n, rate = np.array(table["n"], float), np.array(table["rate"], float)
    # The published fits are least squares in the rate: as a family whose "log rate" is the rate itself, in thousands.
    family = replace(
        usl(),
        log_rate=lambda x, n: np.exp(usl().log_rate(x, n)) / 1e3,
        scale=None,
        starts=(Start(1.0, 8.0), Start(1e-3, 0.3, "log"), Start(1e-6, 0.01, "log")),
    )
    return table, family, n, np.exp(rate / 1e3)


def test_a_published_fit_and_its_limits():
    """R's package usl on specsdm91; the limits there are the estimate and t standard errors, close to a profile's."""
    table, family, n, rate = published("specsdm91")
    fitted = fit(family, n, rate)
    found = intervals(fitted, [parameter(family, name) for name in family.names] + [usl_peak()], 0.95)
    refit = table["refit"]

    assert [one.estimate[0] for one in found] == pytest.approx(
        [refit["rate_one"], refit["contention"], refit["coherence"], refit["peak_n"]], rel=1e-4
    )
    assert fitted.scatter[0] * 1e3 == pytest.approx(refit["residual_standard_error"], rel=1e-5)
    for one, (lower, upper), error in zip(found, table["limits_95"], refit["standard_errors"], strict=False):
        # A profile leans where the law bends; its width is that of the limits within a quarter.
        assert one.lower[0] == pytest.approx(lower, abs=1.0 * error) and one.upper[0] == pytest.approx(upper, abs=1.5 * error)
        assert one.identified[0] == "yes"


def test_a_published_fit_on_its_bound():
    """R's package usl on raytracer: coherence 0 is an answer, its interval has one end, and there may be no peak."""
    table, family, n, rate = published("raytracer")
    coherence, peak, contention = intervals(
        fit(family, n, rate), [parameter(family, "coherence"), usl_peak(), parameter(family, "contention")], 0.95
    )

    assert contention.estimate[0] == pytest.approx(table["refit"]["contention"], rel=1e-4)
    assert (coherence.estimate[0], coherence.lower[0], coherence.identified[0]) == (0, 0, "one-sided")
    assert 0 < coherence.upper[0] < 1e-3 and coherence.of().lower is None
    assert (peak.estimate[0], peak.upper[0], peak.identified[0]) == (np.inf, np.inf, "one-sided")
    assert peak.lower[0] == pytest.approx(np.sqrt((1 - contention.estimate[0]) / coherence.upper[0]), rel=0.05)


def test_neither_order_nor_unit_nor_start_matters():
    family, rate = usl(), usl_tables(4)
    asked = [*(parameter(family, name) for name in family.names), usl_peak(), rate_at(family, 128, measured=True)]
    order = np.array([3, 0, 5, 1, 4, 2])
    plain = intervals(fit(family, GRID, rate), asked)

    shuffled = intervals(fit(family, GRID[order], rate[:, order]), asked)
    for a, b in zip(plain, shuffled, strict=True):
        assert (a.lower == b.lower).all() and (a.upper == b.upper).all()
    for unit in (1e-9, 1e6):
        for a, b in zip(plain, intervals(fit(family, GRID, rate * unit), asked), strict=True):
            scale = unit if a.name.startswith(("rate", "measurement")) else 1.0
            assert b.lower / scale == pytest.approx(a.lower, rel=2e-3)
            assert b.upper / scale == pytest.approx(a.upper, rel=2e-3)
    for a, b in zip(plain, intervals(fit(family, GRID, rate, starts=9), asked), strict=True):
        assert b.lower == pytest.approx(a.lower, rel=2e-3) and b.upper == pytest.approx(a.upper, rel=2e-3)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_too_few_rows_say_nothing(rows):
    """As many parameters as rows: no scatter, no end, no exception; a known scatter brings ends back."""
    family, n, rate = usl(), GRID[:rows], usl_tables()[0, :rows]
    asked = [parameter(family, "contention"), usl_peak(), rate_at(family, 64), rate_at(family, 64, measured=True)]

    for one in intervals(fit(family, n, rate), asked):
        assert one.identified[0] == "no" and np.isfinite(one.estimate[0]) | (one.name == "peak")
        assert one.lower[0] <= one.estimate[0] <= one.upper[0]
    known = intervals(fit(family, n, rate, scatter=0.01, freedom=20), asked)
    assert not known[2].lower_closed[0] or known[2].lower[0] < known[2].upper[0]
    assert known[2].upper_closed[0] == (rows >= 2) or rows == 1


def test_what_only_a_product_fixes_is_not_identified():
    twin = Family(
        "twin",
        ("level", "left", "right"),
        ("rate", "1", "1"),
        (-np.inf, 0.0, 0.0),
        (np.inf, 5.0, 5.0),
        lambda x, n: x[:, :1] + np.log(n) - np.log1p((x[:, 1:2] + x[:, 2:3]) * (n - 1)),
        (None, Start(1e-3, 1.0, "log"), Start(1e-3, 1.0, "log")),
    )
    total = profiles.Function("sum", "1", lambda x: x[:, 1] + x[:, 2], lowest=0.0, highest=10.0)
    rate = usl_tables(coherence=0.0)[0]
    left, right, both, ahead = intervals(
        fit(twin, GRID, rate), [parameter(twin, "left"), parameter(twin, "right"), total, rate_at(twin, 128)]
    )

    # Each may be anything from nothing to all of it.
    assert not left.lower_closed[0] and not right.lower_closed[0]
    assert left.upper[0] == pytest.approx(both.upper[0], rel=0.05)
    assert both.identified[0] == ahead.identified[0] == "yes" and both.contains(0.03)[0]


def test_perfect_data_have_narrow_intervals_around_the_truth():
    family, rate = usl(), usl_tables(scatter=0.0)
    for one, true in zip(intervals(fit(family, GRID, rate), [*(parameter(family, name) for name in family.names), usl_peak()]), (1e6, 0.03, 1e-3, np.sqrt(970)), strict=True):
        assert one.estimate[0] == pytest.approx(true, rel=1e-5)
        assert one.upper[0] - one.lower[0] < 1e-4 * true


def test_all_rates_equal():
    family = usl()
    asked = [*(parameter(family, name) for name in family.names), usl_peak(), rate_at(family, 128)]
    for one in intervals(fit(family, GRID, np.full(6, 5.0)), asked):
        assert not np.isnan([one.lower[0], one.upper[0], one.estimate[0]]).any()


def test_rates_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        fit(usl(), GRID, np.r_[1.0, 2, 0, 3, 4, 5])


def test_peak_rate_and_knee_are_those_of_the_law():
    family = usl()
    fitted = fit(family, GRID, usl_tables(scatter=0.0))
    top = profiles.peak_rate(family, 128).coordinate(fitted.x)[0]
    assert np.exp(top) == pytest.approx(usl_peak_rate(1e6, 0.03, 1e-3), rel=1e-4)
    assert np.exp(profiles.knee(family, 128).coordinate(fitted.x)[0]) == pytest.approx(usl_knee(0.03, 1e-3), rel=1e-4)


def test_the_peak_on_a_grid_is_continuous_and_goes_on_beyond_it():
    """The same interval as the closed form, also where the peak is as good as not there."""
    family, n = usl(), np.arange(1.0, 9)
    for coherence, measured in ((1e-3, n), (1e-3, GRID), (0.02, n)):
        fitted = fit(family, measured, usl_tables(5, coherence=coherence, n=measured, seed=3))
        reach = int(4 * measured.max())
        closed, grid = (intervals(fitted, [one])[0] for one in (usl_peak(), profiles.peak_position(family, reach)))
        for side in ("lower", "upper"):
            exact = getattr(closed, side)
            inside = exact < 0.9 * reach
            assert getattr(grid, side)[inside] == pytest.approx(exact[inside], rel=0.01)
            assert np.isinf(getattr(grid, side)[exact > reach]).all()


def test_a_second_valley_belongs_to_the_interval():
    """One station seen up to 8 senders: no collapse, and one that waits right behind the data, both explain the table."""
    family, n = station("ticket"), np.arange(1.0, 9)
    truth = station_coordinates(1e6, 0.04, 0.004)
    noise = 0.01 * np.random.default_rng(1).standard_normal((200, 8))
    rate = np.exp(family.log_rate(truth[None], n) + noise)[[3, 5, 17, 20]]

    (found,) = intervals(fit(family, n, rate), [rate_at(family, 16)], 0.95)

    # The best fits collapse at once; following their valley alone the interval ends short of the truth.
    true = float(np.exp(family.log_rate(truth[None], np.array([16.0])))[0, 0])
    assert (found.estimate < true / 10).any() and found.contains(true).all()


def test_quantiles_rise_and_agree_with_intervals():
    family = usl()
    fitted = fit(family, GRID, usl_tables(3))
    asked = [rate_at(family, 128, measured=True)]
    found = profiles.quantiles(fitted, asked)
    (ninety,) = intervals(fitted, asked, 0.9)

    assert found.shape == (1, 3, 5) and (np.diff(found, axis=2) > 0).all()
    assert found[0, :, 0] == pytest.approx(ninety.lower) and found[0, :, 4] == pytest.approx(ninety.upper)


def test_a_profile_reaches_the_threshold_at_the_ends():
    family = usl()
    fitted = fit(family, GRID, usl_tables(2))
    asked = parameter(family, "coherence")
    (found,) = intervals(fitted, [asked], 0.9)
    for table in range(2):
        ends = [found.lower[table], found.estimate[table], found.upper[table]]
        rise = profiles.profile(fitted, asked, ends)[table]
        assert rise == pytest.approx([stdtrit(3, 0.95) ** 2, 0, stdtrit(3, 0.95) ** 2], rel=1e-2, abs=1e-4)


def test_near_a_bound_the_threshold_is_lower():
    """A coherence that is 0 in truth: t^2 holds it 97.5 % of the time, the threshold of the bound does so less often."""
    fitted = fit(usl(), GRID, usl_tables(600, contention=0.05, coherence=0.0, seed=5))
    asked = [parameter(usl(), "coherence")]
    plain, calibrated = (intervals(fitted, asked, 0.95, calibrated=c)[0] for c in (False, True))

    assert (calibrated.lower >= plain.lower * (1 - 5e-3)).all() and (calibrated.upper <= plain.upper * (1 + 5e-3)).all()
    assert calibrated.lower_closed.sum() > plain.lower_closed.sum()
