"""The five baselines: the published numbers on the corpus, and widths from other sources alone."""

from dataclasses import replace

import numpy as np
import pytest

from mpps import corpus
from mpps.baseline import fit_amdahl, fit_usl
from mpps.validate import baselines
from mpps.validate.baselines import BASELINES, mean_interval_score, medians, quantiles, width_constants

#: Median over data sets of the error averaged within each, on the corpus, in percent: to 0.3 points.
PUBLISHED = {"usl": 19.4, "amdahl": 14.9, "last": 19.1, "loglog": 18.8, "damped": 13.8}


@pytest.fixture(scope="module")
def series():
    return corpus.load().series


@pytest.fixture(scope="module")
def found(series):
    return quantiles(series, ())


@pytest.mark.parametrize("name", BASELINES)
def test_median_errors_on_the_corpus(series, found, name):
    errors = {}
    for curve, ends in zip(series, found[name], strict=True):
        errors.setdefault(curve.dataset, []).extend(np.abs(ends[2] / curve.held_rate - 1))
    median = 100 * np.median([np.mean(each) for each in errors.values()])

    assert len(errors) == 20
    assert median == pytest.approx(PUBLISHED[name], abs=0.3)


def curve(rate, n=(1, 2, 4, 8, 16), dataset="t", source="t"):
    n, rate = np.array(n, dtype=float), np.array(rate, dtype=float)
    one = np.ones(len(n))
    return corpus.Curve(dataset, "a", "throughput", "pps", source, n, rate, one, one * np.nan, one * np.nan, n, rate)


def test_medians_by_hand():
    """Training 10, 20, 30 at n = 1, 2, 4; beyond it at 8 and 16."""
    got = medians(curve([10, 20, 30, 1, 1]))
    slope = np.log(1.5) / np.log(2)

    assert got["last"].tolist() == [30, 30]
    assert got["loglog"] == pytest.approx([45, 67.5])
    assert got["damped"] == pytest.approx(
        [30 * np.exp(0.2 * slope * (1 - 2.0**-5)), 30 * np.exp(0.2 * slope * (1 - 4.0**-5))]
    )


def test_the_damped_slope_is_clipped():
    assert medians(curve([1, 2, 100, 1, 1]))["damped"][0] == pytest.approx(100 * np.exp(0.2 * (1 - 2.0**-5)))
    assert medians(curve([100, 50, 1, 1, 1]))["damped"][0] == pytest.approx(np.exp(-0.2 * (1 - 2.0**-5)))


def test_a_cliff_between_neighbours_leaves_numbers():
    """A factor of a thousand from n = 100 to 101, followed to n = 1000, would leave the range of a double."""
    got = medians(curve([1, 1, 1000, 1, 1], n=(1, 100, 101, 500, 1000)))

    assert all(np.isfinite(one).all() and (one > 0).all() for one in got.values())


def test_laws_are_the_bounded_fits_of_their_training_points(series):
    """The batch fit against the fit of one table, on a series that turns and on one that does not."""
    for one in (series[0], series[30], series[-1]):
        got = medians(one)
        usl = fit_usl(one.train_n, one.train_rate, scale="log") if one.cut > 3 else None
        amdahl = fit_amdahl(one.train_n, one.train_rate, scale="log")

        assert got["amdahl"] == pytest.approx(amdahl.predict(one.held_n), rel=1e-6)
        if usl is not None:
            assert got["usl"] == pytest.approx(usl.predict(one.held_n), rel=1e-6)


def test_held_out_rates_do_not_enter(series):
    one = series[0]
    other = replace(one, rate=np.concatenate([one.train_rate, one.held_rate * 3]))

    for name, median in medians(one).items():
        assert medians(other)[name].tolist() == median.tolist()


@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_width_constants_are_the_best_there_are(alpha):
    """No point of a grid around the optimum has a lower score, and the program finds the same twice."""
    rng = np.random.default_rng(3)
    distance = rng.uniform(0, 3, 80)
    miss = np.abs(rng.normal(0, 0.1 + 0.3 * distance))
    weight = rng.uniform(0.5, 2, 80)
    a, b = width_constants(miss, distance, weight, alpha)
    best = mean_interval_score(miss, distance, weight, alpha, a, b)

    assert a >= 0 and b > 0
    for at_edge in np.linspace(0, 0.6, 61):
        for growth in np.linspace(0, 1.5, 61):
            assert mean_interval_score(miss, distance, weight, alpha, at_edge, growth) >= best - 1e-12


def test_widths_come_from_other_sources_alone():
    """A source's own misses change the widths of the others, never its own."""
    ours, theirs, third = (curve([10, 19, 33, 50, 60], dataset=name, source=name) for name in "abc")
    wild = replace(ours, rate=np.array([10, 19, 33, 5000, 6000.0]))
    before, after = (quantiles([one, theirs, third], ()) for one in (ours, wild))

    for name in BASELINES:
        assert after[name][0].tolist() == before[name][0].tolist()
        assert (np.log(after[name][1][4] / after[name][1][0]) > np.log(before[name][1][4] / before[name][1][0])).all()


def test_a_folder_of_one_source_takes_its_widths_from_the_corpus(series):
    ours = curve([10, 19, 33, 50, 60])
    got = quantiles([ours], series)

    assert all((np.diff(got[name][0], axis=0) > 0).all() for name in BASELINES)


def test_data_sets_weigh_the_same(monkeypatch):
    """Ten series of one data set do not outweigh a single one of another."""
    weights = []
    monkeypatch.setattr(baselines, "width_constants", lambda m, d, w, a: weights.append(w) or (0.1, 0.1))
    many = [replace(curve([10, 19, 33, 50, 60], dataset="many", source="m"), variant=str(k)) for k in range(10)]
    quantiles([curve([10, 19, 33, 50, 60])], [*many, curve([10, 19, 33, 50, 60], dataset="one", source="o")])

    assert weights[0][:20].sum() == pytest.approx(1) == weights[0][20:].sum()
