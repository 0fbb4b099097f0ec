"""Weighted draws of a mechanism: against the integral over its whole range, added up on a grid."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from mpps.discrepancy import SCATTERS, cells, log_likelihoods
from mpps.table import MECHANISMS, broad_prior, learnt_prior, points
from mpps.table.posterior import explore

TABLES = {
    "bent": ([1, 2, 4, 8, 16], [1.5, 2.8, 4.1, 4.4, 4.2]),
    "two points": ([1, 2], [1.0, 1.9]),
    "corner": ([1, 2, 4, 8, 12, 16, 24, 32], [1, 2, 4, 7.9, 9, 9.8, 10.1, 10.0]),
    "repeats": ([1, 2, 4, 8] * 3, [1, 1.9, 3, 4, 1.003, 1.91, 3.02, 4.05, 0.998, 1.89, 2.99, 3.98]),
}
SMALL = [mechanism for mechanism in MECHANISMS if 1 <= len(mechanism.quantities) <= 2]


def repeats_say(found):
    """Log likelihood of the spread of repeats under each cell, half of its freedom counted."""
    ratio = found.spread / cells()[:, 0]
    return found.freedom / 2 * (np.log(ratio) - ratio**2 / 2) if found.freedom else 0.0


def integral(mechanism, found, prior, steps):
    """Log evidence, mean and standard deviation of the coordinates on a grid over all that the prior reaches."""
    center, width, _ = prior.of(mechanism)
    size, z = len(mechanism.quantities), np.linspace(-5.5, 5.5, steps)
    grid = np.array(np.meshgrid(*[z] * size, indexing="ij")).reshape(size, -1).T
    at = center + width * grid
    likely = log_likelihoods(found.n, found.log_rate - mechanism.log_rate(at, found.n), found.weight)
    log_weight = logsumexp(likely + prior.discrepancy.log_weights.ravel() + repeats_say(found), axis=1)
    log_weight += norm.logpdf(grid).sum(1) + size * np.log(z[1] - z[0])
    evidence = logsumexp(log_weight)
    mean = np.exp(log_weight - evidence) @ at
    return evidence, mean, np.sqrt(np.exp(log_weight - evidence) @ (at - mean) ** 2)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("mechanism", SMALL, ids=lambda mechanism: mechanism.name)
def test_evidence_and_means_are_those_of_the_integral(mechanism, name):
    found = points(*TABLES[name])
    prior = learnt_prior() if name == "corner" else broad_prior()
    evidence, mean, deviation = integral(mechanism, found, prior, 2001 if len(mechanism.quantities) == 1 else 181)
    draws = explore(mechanism, found, *prior.of(mechanism)[:2], prior.discrepancy, 3)
    share = np.exp(draws.log_weight - draws.log_evidence).sum(1)

    assert draws.log_evidence == pytest.approx(evidence, abs=0.2)
    assert share.sum() == pytest.approx(1, abs=1e-6)
    assert np.abs(share @ draws.coordinates - mean).max() < 0.3 * deviation.max()


def test_the_draws_are_right_on_average():
    """Over seeds the error of the evidence goes away: nothing is left out."""
    found, prior = points(*TABLES["corner"]), learnt_prior()
    mechanism = next(each for each in SMALL if each.name == "Amdahl under a ceiling")
    evidence, _, _ = integral(mechanism, found, prior, 301)
    each = [explore(mechanism, found, *prior.of(mechanism)[:2], prior.discrepancy, seed).log_evidence for seed in range(24)]

    assert np.mean(np.exp(np.array(each) - evidence)) == pytest.approx(1, abs=0.03)


def test_a_mechanism_without_quantities_has_one_draw():
    found, prior = points(*TABLES["bent"]), broad_prior()
    mechanism = next(each for each in MECHANISMS if not each.quantities)
    draws = explore(mechanism, found, np.zeros(0), np.ones(0), prior.discrepancy, 1)
    likely = log_likelihoods(found.n, found.log_rate[None] - np.log(found.n), found.weight)[0]

    assert draws.coordinates.shape == (1, 0)
    assert draws.log_evidence == pytest.approx(logsumexp(likely + prior.discrepancy.log_weights.ravel()))


def test_repeats_choose_the_scatter():
    """Repeats that differ by 8 % leave no weight to a scatter of 1 %, and the other way round."""
    mechanism = next(each for each in MECHANISMS if each.name == "Amdahl")
    rng = np.random.default_rng(6)
    for spread in (0.01, 0.08):
        n = np.repeat([1, 2, 4, 8], 12)
        found = points(n, n / (1 + 0.05 * (n - 1)) * np.exp(spread * rng.standard_normal(len(n))))
        draws = explore(mechanism, found, np.zeros(1), np.ones(1), broad_prior().discrepancy, 1)
        weight = np.exp(draws.log_weight - draws.log_evidence).sum(0).reshape(len(SCATTERS), -1).sum(1)

        assert SCATTERS[weight.argmax()] == spread
        assert weight[np.abs(np.log(SCATTERS / spread)) > 1.5].sum() < 0.01


def test_a_hopeless_mechanism_ends_early_and_loses():
    found, prior = points([1, 2, 4, 8, 16, 32], [1, 2, 4, 8, 16, 32.0], [0.002] * 6), broad_prior()
    mechanism = next(each for each in MECHANISMS if each.name == "ticket station")
    whole = explore(mechanism, found, *prior.of(mechanism)[:2], prior.discrepancy, 1)
    early = explore(mechanism, found, *prior.of(mechanism)[:2], prior.discrepancy, 1, best=whole.log_evidence + 500)

    assert early.log_evidence < whole.log_evidence + 480
