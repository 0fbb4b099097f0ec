"""Hand-off forms: what they say in words is what they compute, and each has the shape that its name promises."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpps import path
from mpps.locks import FORMS, cross_share, handoff_ns

examples = settings(max_examples=60)
VALUES = {"handoff_peak_ns": 150.0, "handoff_depth": 5.0, "handoff_per_waiter_ns": 12.0}
forms = pytest.mark.parametrize("name", FORMS)


@st.composite
def values(draw, name):
    return {parameter: draw(st.floats(low, high)) for parameter, _, low, high, _ in FORMS[name].parameters}


@forms
@examples
@given(st.data(), st.floats(1, 300), st.floats(0, 1))
def test_the_formula_is_what_is_computed(name, data, depth, cross):
    given = data.draw(values(name))

    expected = path.evaluate(FORMS[name].formula, given | {"depth": depth, "cross": cross})

    assert handoff_ns(name, depth, given, cross) == pytest.approx(expected, rel=1e-9, abs=1e-9 * max(given.values(), default=1.0))


@forms
@examples
@given(st.data())
def test_no_form_is_negative_or_above_its_peak(name, data):
    given = data.draw(values(name))
    depth = np.concatenate([np.linspace(1, 40, 200), [100, 4096]])

    extra = handoff_ns(name, depth, given, 0.7)

    assert np.isfinite(extra).all() and (extra >= 0).all()
    if name != "ticket":
        assert (extra <= given.get("handoff_peak_ns", 0.0) * (1 + 1e-9)).all()
    if name != "topology":
        assert extra[0] == pytest.approx(0, abs=1e-9)
        assert handoff_ns(name, 0.3, given) == pytest.approx(0, abs=1e-9)


@forms
def test_every_form_is_described(name):
    form = FORMS[name]

    assert form.name == name and form.source
    for parameter, unit, low, high, meaning in form.parameters:
        assert parameter in form.formula and parameter.startswith("handoff_")
        assert 0 < low < high and unit in ("ns", "waiters") and meaning
        assert parameter.endswith("_ns") == (unit == "ns")


def test_constant_and_ticket():
    depth = np.arange(1.0, 9)

    assert list(handoff_ns("constant", depth, VALUES)) == [0] * 8
    assert handoff_ns("ticket", depth, VALUES) == pytest.approx(12 * np.arange(8))


@pytest.mark.parametrize("name", ["hump", "early hump"])
def test_humps_peak_at_their_depth_and_fade(name):
    depth = np.linspace(1, 200, 19901)

    extra = handoff_ns(name, depth, VALUES)
    top = extra.argmax()

    assert depth[top] == pytest.approx(6.0, abs=0.02)
    assert extra[top] == pytest.approx(150.0)
    assert (np.diff(extra[: top + 1]) > 0).all() and (np.diff(extra[top:]) <= 0).all()
    assert extra[-1] < 1e-3 * 150


def test_the_early_hump_charges_the_first_waiter_more():
    depth = np.arange(2.0, 16)
    depth = depth[depth != 6]

    assert (handoff_ns("early hump", depth, VALUES) > handoff_ns("hump", depth, VALUES)).all()


@pytest.mark.parametrize("name", ["saturating", "step"])
def test_forms_that_grow_and_stay(name):
    extra = handoff_ns(name, np.arange(1.0, 200), VALUES)

    assert (np.diff(extra) >= 0).all()
    assert extra[-1] == pytest.approx(150.0, rel=1e-4)


def test_a_step_is_one_waiter_wide_at_its_depth():
    assert handoff_ns("step", np.array([5.0, 6.0, 7.0]), VALUES) == pytest.approx([150 * 0.119, 75, 150 * 0.881], abs=0.3)


def test_topology_charges_the_crossings():
    assert handoff_ns("topology", np.arange(1.0, 4), VALUES, 0.4) == pytest.approx([60, 60, 60])


@forms
def test_parameters_broadcast_against_depth(name):
    sets = {key: value * np.array([[1.0], [1.5], [0.4]]) for key, value in VALUES.items()}
    depth = np.linspace(1, 30, 7)

    together = np.broadcast_to(handoff_ns(name, depth, sets, 0.3), (3, 7))

    for k in range(3):
        assert together[k] == pytest.approx(handoff_ns(name, depth, {key: value[k, 0] for key, value in sets.items()}, 0.3))


def test_an_unknown_form_names_the_known_ones():
    with pytest.raises(KeyError, match="unknown hand-off form 'hmup'.*hump"):
        handoff_ns("hmup", np.ones(1), VALUES)


@pytest.mark.parametrize("domain", [1, 4, 7, 9])
@pytest.mark.parametrize("domains", [1, 2, np.inf])
def test_cross_share_counts_pairs(domain, domains):
    """Beyond the last domain there are siblings only, which change nothing."""
    for n in range(2, 30):
        home = np.arange(min(n, domain * domains)) // domain
        pairs = list(itertools.combinations(home, 2))
        assert cross_share(n, domain, domains) == pytest.approx(np.mean([a != b for a, b in pairs]) if pairs else 0)


def test_cross_share_of_few_and_of_full_domains():
    """The rule for full domains: 1 - (m - 1)/(n - 1) (docs/modelling.md)."""
    assert list(cross_share(np.array([1, 2, 8]), 8)) == [0, 0, 0]
    assert cross_share(np.array([16, 24, 64]), 8) == pytest.approx([1 - 7 / 15, 1 - 7 / 23, 1 - 7 / 63])
    assert cross_share(np.array([16, 24, 64]), 8, 2) == pytest.approx([1 - 7 / 15] * 3)


@examples
@given(st.integers(1, 4096), st.floats(1, 64), st.sampled_from([1, 2, np.inf]))
def test_cross_share_is_a_probability(n, domain, domains):
    assert 0 <= cross_share(n, domain, domains) <= 1
