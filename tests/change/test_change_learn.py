"""What published pairs teach: planted populations come back, and what is left out is out."""

import json

import numpy as np
import pytest

from mpps.change import KINDS, learnt_population
from mpps.change.laps import after, laps
from mpps.change.learn import Lesson, learnt, lesson, lessons_of, populations, tried_elsewhere
from mpps.change.population import KEPT_COLLAPSE, KEPT_PLATEAU, draw_kept, draw_ratios, grid, write_populations
from mpps.corpus import Pair, load, pairs
from mpps.root import data_folder

N = np.array([1.0, 2, 4, 8, 16, 32])
RATE = np.array([10.0, 18, 28, 30, 24, 18])


def pair(dataset, kind="replacement", source=None):
    return Pair(dataset, "before", "after", kind, "made by hand", source or dataset)


class Tables:
    """A corpus of pairs whose changes keep what is planted."""

    def __init__(self, kept):
        self.rates = {name: self._after(*each) for name, each in kept.items()}
        self.cards = {}

    def _after(self, plateau, collapse):
        lap = after(laps(N, np.log(RATE)), np.ones((1, 1)), plateau, collapse)[0]
        return RATE[0] * N / lap

    def curve(self, dataset, variant):
        from mpps.corpus import Curve

        rate = RATE if variant == "before" else self.rates[dataset]
        one = np.ones(len(N))
        return Curve(dataset, variant, "throughput", "pps", dataset, N, rate, one, one, one, N, rate)


def mean_kept(weights):
    return weights @ grid()


@pytest.mark.parametrize("kept", [(0.2, 0.1), (0.5, 0.5), (1.0, 1.0), (0.8, 0.02)])
def test_the_likelihood_is_highest_at_what_was_planted(kept):
    found = lesson(pair("one"), Tables({"one": kept}))

    assert grid()[found.likelihood.argmax()] == pytest.approx(kept)
    assert found.likelihood.shape == (len(KEPT_PLATEAU) * len(KEPT_COLLAPSE),)


def test_a_planted_population_comes_back():
    """Half of the data sets keep a tenth of everything, half keep all: two hills as wide as the smoothing (a factor of
    1.4), and a valley between them."""
    kept = {f"set{place}": (0.1, 0.1) if place % 2 else (1.0, 1.0) for place in range(24)}
    tables = Tables(kept)
    weights = learnt([lesson(pair(name), tables) for name in kept]).weights["replacement"]
    plateau = weights.reshape(len(KEPT_PLATEAU), len(KEPT_COLLAPSE)).sum(1)

    assert weights.sum() == pytest.approx(1) and (weights >= 0).all()
    assert plateau[KEPT_PLATEAU <= 0.2].sum() == pytest.approx(0.5, abs=0.12)
    assert plateau[KEPT_PLATEAU >= 0.65].sum() == pytest.approx(0.5, abs=0.12)
    assert plateau[KEPT_PLATEAU == 0.35][0] < 0.03


def test_a_data_set_with_many_pairs_counts_once():
    tables = Tables({"many": (0.1, 0.1), "few": (1.0, 1.0)})
    many, few = lesson(pair("many"), tables), lesson(pair("few"), tables)

    once, often = (mean_kept(learnt([*[many] * times, few]).weights["replacement"]) for times in (1, 9))
    assert often == pytest.approx(once, abs=1e-9)


def test_controls_teach_what_replacements_and_costs_may_do_but_not_removals():
    tables = Tables({"none": (1.0, 1.0), "gone": (0.1, 0.1)})
    control, gone = lesson(pair("none", "control"), tables), lesson(pair("gone", "removal"), tables)
    found, alone = learnt([control, gone]), learnt([gone])

    assert mean_kept(found.weights["replacement"])[0] > mean_kept(alone.weights["replacement"])[0] + 0.1
    assert len(found.ratios["removal"][0]) == 1 and len(found.ratios["cost"][0]) == 1
    assert found.nothing == {"removal": pytest.approx(1 / 3), "replacement": 0.0, "cost": 0.0}


def test_what_is_left_out_is_out():
    """The population without a source is that of a corpus in which the source never was, whatever its pairs say."""
    kept = {f"set{place}": (0.2 + 0.1 * place, 0.3) for place in range(5)}
    listed = [pair(name, KINDS[place % 2], source=f"lab{place}") for place, name in enumerate(kept)]
    _, without = populations(listed, Tables(kept))
    _, others = populations(listed, Tables({**kept, "set2": (0.0, 1.25)}))
    there = learnt(lessons_of([each for each in listed if each.source != "lab2"], Tables(kept), "lab2"))

    for kind in KINDS:
        assert np.array_equal(without["lab2"].weights[kind], others["lab2"].weights[kind])
        assert np.array_equal(without["lab2"].weights[kind], there.weights[kind])
        assert not np.array_equal(without["lab1"].weights[kind], others["lab1"].weights[kind])


def test_two_common_counts_are_no_lesson():
    tables = Tables({"one": (0.5, 0.5)})
    short = type("Short", (), {"cards": {}, "curve": lambda self, *key: _first_two(tables.curve(*key))})()

    assert lesson(pair("one"), short) is None
    assert lesson(pair("unknown to anybody"), type("None_", (), {"cards": {}, "curve": lambda *_: None})()) is None


def _first_two(curve):
    import dataclasses

    return dataclasses.replace(curve, n=curve.n[:2], rate=curve.rate[:2])


def test_a_change_that_was_tried_elsewhere_weighs_more_than_others_of_its_kind():
    tables = Tables({**{f"set{place}": (0.2, 0.2) for place in range(6)}, "host": (1.0, 1.0)})
    others = learnt([lesson(pair(f"set{place}"), tables) for place in range(6)])
    found = tried_elsewhere(others, "replacement", [lesson(pair("host"), tables)])

    before, then = (mean_kept(each.weights["replacement"])[0] for each in (others, found))
    assert before < 0.45 and then > 0.65
    assert np.array_equal(found.weights["removal"], others.weights["removal"])


# What is stored.


def test_the_stored_populations_are_what_learning_gives(tmp_path):
    """data/changes.json is that of data/corpus/pairs.yaml and data/calibration.json; after a change of either:
    python -m mpps.change.learn"""
    write_populations(tmp_path / "changes.json", *populations(pairs(), load()), "2000-01-01")
    found, stored = (
        json.loads(file.read_text(encoding="utf-8"))
        for file in (tmp_path / "changes.json", data_folder() / "changes.json")
    )

    assert set(found["without"]) == set(stored["without"]) == {each.source for each in pairs()}
    for name, one in [("all", found["all"]), *found["without"].items()]:
        kept = stored["all"] if name == "all" else stored["without"][name]
        assert one["words"] == kept["words"] and one["nothing"] == kept["nothing"]
        for kind in KINDS:
            assert one["weights"][kind] == pytest.approx(kept["weights"][kind], abs=2e-4)
            assert one["ratios"][kind]["log"] == pytest.approx(kept["ratios"][kind]["log"], abs=1e-4)


def test_stored_populations_are_distributions():
    for source in (None, "rwsem", "pppoe", "a lab that published nothing"):
        found = learnt_population(source)
        for kind in KINDS:
            assert found.weights[kind].sum() == pytest.approx(1) and (found.weights[kind] >= 0).all()
            assert found.ratios[kind][1].sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_follow_the_population(kind):
    rng = np.random.default_rng(5)
    found = learnt_population()
    kept = draw_kept(found, kind, np.zeros(20_000), rng)

    assert kept.shape == (20_000, 2) and (kept >= 0).all() and np.isfinite(kept).all()
    if kind != "cost":
        assert kept.mean(0) == pytest.approx(mean_kept(found.weights[kind]) * np.exp(0.15**2 / 2), rel=0.03)
    values, weights = found.ratios[kind]
    assert draw_ratios(found, kind, 20_000, rng).mean() == pytest.approx(values @ weights, abs=0.02)


def test_a_cost_that_shows_alone_leaves_the_contended_time_between_all_and_its_own_share():
    rng = np.random.default_rng(5)
    kept = draw_kept(learnt_population(), "cost", np.full(20_000, np.log(2)), rng)
    between = (kept[:, 0] == kept[:, 1]) & (kept[:, 0] >= 0.5) & (kept[:, 0] <= 1)

    assert 0.7 < between.mean() < 0.8
    assert isinstance(lesson(pair("one"), Tables({"one": (0.5, 0.5)})), Lesson)
