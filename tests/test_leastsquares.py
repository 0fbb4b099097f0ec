"""The solver against published optima and against scipy, with bounds, weights, held parameters and models that break."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from mpps.leastsquares import minimise

FREE = np.inf


def misra(q):
    """NIST StRD Misra1a, b1 (1 - exp(-b2 x)), in the logarithms of its parameters."""
    volume = np.array([77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0])
    return np.exp(q[:, :1]) * -np.expm1(-np.exp(q[:, 1:]) * volume)


MISRA = np.array([10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78])


def rosenbrock(q):
    return np.stack([10 * (q[:, 1] - q[:, 0] ** 2), 1 - q[:, 0]], axis=-1)


def kowalik(q):
    """NIST StRD MGH09 (Kowalik and Osborne)."""
    x = np.array([4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
    return q[:, :1] * (x * x + x * q[:, 1:2]) / (x * x + x * q[:, 2:3] + q[:, 3:4])


KOWALIK = np.array([0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])


def bard(q):
    u = np.arange(1.0, 16)
    return q[:, :1] + u / ((16 - u) * q[:, 1:2] + np.minimum(u, 16 - u) * q[:, 2:3])


BARD = np.array([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39])

#: model, target, starts (the two of NIST, or the classical one), certified parameters, certified residual sum of squares
CERTIFIED = {
    "Misra1a": (misra, MISRA, np.log([[500, 1e-4], [250, 5e-4]]), np.log([238.94212918, 5.5015643181e-4]), 1.2455138894e-1),
    "MGH09": (
        kowalik,
        KOWALIK,
        [[25, 39, 41.5, 39], [0.25, 0.39, 0.415, 0.39]],
        [0.19280693458, 0.19128232873, 0.12305650693, 0.13606233068],
        3.0750560385e-4,
    ),
    "Bard": (bard, BARD, [[1.0, 1.0, 1.0]], [0.08241056, 1.13303609, 2.34369517], 8.214877307e-3),
    "Rosenbrock": (rosenbrock, np.zeros(2), [[-1.2, 1.0], [5.0, -5.0]], [1.0, 1.0], 0.0),
}


@pytest.mark.parametrize("name", CERTIFIED)
def test_published_optima(name):
    model, target, starts, parameters, cost = CERTIFIED[name]

    found = minimise(model, target, starts, -FREE, FREE, max_steps=2000, tolerance=1e-13)

    assert found.converged.all()
    assert found.cost == pytest.approx(np.full(len(starts), cost), rel=1e-7, abs=1e-20)
    assert found.parameters == pytest.approx(np.tile(parameters, (len(starts), 1)), rel=1e-3)
    assert not found.at_lower.any() and not found.at_upper.any()


BOXES = {
    "corner": (rosenbrock, np.zeros(2), [-1.2, 1.0], [-2.0, -2.0], [0.5, 2.0]),
    "edge above": (rosenbrock, np.zeros(2), [1.7, 2.0], [1.5, -2.0], [3.0, 2.0]),
    "edge": (rosenbrock, np.zeros(2), [-1.0, -1.0], [-2.0, -2.0], [2.0, 0.3]),
    "free": (rosenbrock, np.zeros(2), [-1.0, -1.0], [-2.0, -2.0], [2.0, 2.0]),
    "held back": (misra, MISRA, [5.0, -8.0], [4.0, -10.0], [5.3, -6.0]),
    "pushed": (bard, BARD, [1.0, 1.5, 1.0], [0.1, 1.3, 0.1], [3.0, 3.0, 2.0]),
}


@pytest.mark.parametrize("name", BOXES)
def test_scipy_finds_the_same_in_a_box(name):
    model, target, start, lower, upper = BOXES[name]

    found = minimise(model, target, [start], lower, upper, max_steps=1000)
    expected = least_squares(lambda q: model(q[None])[0] - target, start, bounds=(lower, upper), xtol=1e-15, ftol=1e-15, gtol=1e-15)

    assert found.converged[0]
    assert found.cost[0] == pytest.approx(2 * expected.cost, rel=1e-6, abs=1e-12)
    assert (found.parameters >= lower).all() and (found.parameters <= upper).all()
    assert list(found.at_lower[0]) == [bool(flag) for flag in np.isclose(expected.x, lower, rtol=1e-6)]
    assert list(found.at_upper[0]) == [bool(flag) for flag in np.isclose(expected.x, upper, rtol=1e-6)]


def wave(q):
    """Amplitude, decay and offset of a decaying curve at eight points."""
    return np.exp(q[:, :1] - np.exp(q[:, 1:2]) * np.arange(8.0)) + q[:, 2:3]


@settings(max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.floats(-1, 1),
    st.floats(-2, 0.5),
    st.floats(-1, 1),
)
def test_scipy_is_no_better_on_random_problems(seed, amplitude, decay, offset):
    rng = np.random.default_rng(seed)
    target = wave(np.array([[amplitude, decay, offset]]))[0] + 0.05 * rng.standard_normal(8)
    lower, upper = np.array([-2.0, -3.0, -2.0]), np.array([2.0, 1.0, 2.0])
    starts = rng.uniform(lower, upper, (6, 3))

    found = minimise(wave, target, starts, lower, upper)
    expected = min(least_squares(lambda q: wave(q[None])[0] - target, start, bounds=(lower, upper)).cost for start in starts)

    assert found.cost.min() <= 2 * expected * (1 + 1e-6)
    assert (found.parameters >= lower).all() and (found.parameters <= upper).all()
    assert found.cost == pytest.approx((found.residual**2).sum(axis=1))
    assert found.residual == pytest.approx(wave(found.parameters) - target)


def line(q):
    return q[:, :1] + q[:, 1:] * np.arange(5.0)


LINE = np.array([1.0, 2.9, 5.1, 7.0, 9.05])


@pytest.mark.parametrize("left_out", [0, 3])
@pytest.mark.parametrize("value", [0.0, 1e9, np.nan, np.inf])
def test_weight_zero_leaves_a_row_out_whatever_its_value(left_out, value):
    weight, target = np.ones(5), LINE.copy()
    weight[left_out], target[left_out] = 0.0, value
    kept = np.arange(5) != left_out

    found = minimise(line, target, [[0.0, 0.0]], -FREE, FREE, weight=weight)

    assert found.converged[0]
    assert found.parameters[0][::-1] == pytest.approx(np.polyfit(np.arange(5)[kept], LINE[kept], 1), rel=1e-6)
    assert found.residual[0, left_out] == 0


def test_a_weight_counts_like_repetitions():
    found = minimise(line, LINE, [[0.0, 0.0]], -FREE, FREE, weight=[1, 1, 3, 1, 1])

    assert found.parameters[0][::-1] == pytest.approx(np.polyfit([0, 1, 2, 2, 2, 3, 4], LINE[[0, 1, 2, 2, 2, 3, 4]], 1), rel=1e-6)


def test_a_held_parameter_stays_even_outside_its_bounds():
    found = minimise(line, LINE, [[7.0, 0.0], [1.5, 0.0]], -2.0, 5.0, fixed=[[True, False], [False, False]])
    slope = (np.arange(5) * (LINE - 7)).sum() / (np.arange(5) ** 2).sum()

    assert found.parameters[0] == pytest.approx([7.0, slope], rel=1e-6)
    assert found.parameters[1][::-1] == pytest.approx(np.polyfit(np.arange(5), LINE, 1), rel=1e-6)


def test_everything_held_is_no_step():
    found = minimise(line, LINE, [[1.0, 2.0]], -FREE, FREE, fixed=[[True, True]])

    assert found.converged[0]
    assert list(found.parameters[0]) == [1, 2]
    assert found.cost[0] == pytest.approx(((line(np.array([[1.0, 2.0]]))[0] - LINE) ** 2).sum())


def test_a_batch_is_a_loop():
    """Targets, weights, starts, bounds and held parameters that differ do not touch each other."""
    rng = np.random.default_rng(4)
    starts = rng.uniform(-1, 0.5, (7, 3))
    target = wave(rng.uniform(-1, 0.5, (7, 3))) + 0.02 * rng.standard_normal((7, 8))
    weight = rng.uniform(0.5, 2, (7, 8)) * (rng.random((7, 8)) > 0.2)
    lower, upper = rng.uniform(-3, -1, (7, 3)), rng.uniform(0.5, 2, (7, 3))
    fixed = rng.random((7, 3)) < 0.2

    together = minimise(wave, target, starts, lower, upper, weight=weight, fixed=fixed)

    for k in range(7):
        alone = minimise(wave, target[k], starts[k], lower[k], upper[k], weight=weight[k], fixed=fixed[k : k + 1])
        assert together.parameters[k] == pytest.approx(alone.parameters[0], rel=1e-9)
        assert together.cost[k] == pytest.approx(alone.cost[0], rel=1e-9)
        assert together.converged[k] == alone.converged[0]


def test_members_that_have_converged_are_not_evaluated_again():
    """One call a step for the steps of all that move, one for all their slopes; nobody is asked outside the bounds."""
    rng = np.random.default_rng(9)
    starts = rng.uniform(-1, 0.5, (40, 3))
    target = wave(rng.uniform(-1, 0.5, (40, 3)))
    lower, upper = np.full(3, -1.2), np.full(3, 0.6)
    asked = []

    def counted(q):
        asked.append(len(q))
        assert (q >= lower).all() and (q <= upper + 1e-12).all()
        return wave(q)

    found = minimise(counted, target, starts, lower, upper, max_steps=500)

    slopes, trials = np.array(asked[1::2]), np.array(asked[2::2])
    assert found.converged.all()
    assert len(asked) == 1 + 2 * found.steps and (slopes == 3 * trials).all()
    assert trials[0] == 40 and trials[-1] < 10 and (np.diff(trials) <= 0).all()


@pytest.mark.parametrize("bounds", [(-FREE, FREE), (0.0, FREE), (-FREE, 10.0), ([0.0, -FREE], [FREE, 10.0])])
def test_infinite_bounds_are_silent(bounds):
    found = minimise(line, LINE, [[2.0, 3.0]], *bounds)

    assert found.parameters[0][::-1] == pytest.approx(np.polyfit(np.arange(5), LINE, 1), rel=1e-6)
    assert not found.at_lower.any() and not found.at_upper.any()


def breaking(q):
    """log(x - 1), which has no value below 1, infinite beyond 8."""
    with np.errstate(all="ignore"):
        value = np.log(q[:, :1] - 1)
    return np.where(q[:, :1] > 8, np.inf, value)


@pytest.mark.parametrize("start", [1 + 1e-12, 1.0000005, 3.0, 8 - 5e-7, 8.0])
def test_steps_into_the_void_are_taken_back(start):
    found = minimise(breaking, np.array([-2.0]), [[start]], -FREE, FREE)

    assert found.converged[0]
    assert found.parameters[0, 0] == pytest.approx(1 + np.exp(-2), rel=1e-6)


def test_a_start_in_the_void_is_refused():
    with pytest.raises(ValueError, match="not finite at a start"):
        minimise(breaking, np.array([0.0]), [[3.0], [0.5]], -FREE, FREE)


def test_a_target_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="target that counts is not finite"):
        minimise(line, np.array([1.0, np.nan, 5, 7, 9]), [[0.0, 0.0]], -FREE, FREE)


def island(q):
    """Finite at 1 alone."""
    return np.where(q == 1.0, q, np.nan)


def test_a_start_with_nothing_around_it_stays_where_it_is():
    found = minimise(island, np.array([0.0]), [[1.0]], -FREE, FREE)

    assert found.parameters[0, 0] == found.cost[0] == 1


def needle(q):
    """Finite at 1/2, and where the slope is taken; nowhere else."""
    return np.where((q == 0.5) | (np.abs(q - 0.5 - 1e-6) < 1e-12), q, np.nan)


def test_a_problem_whose_steps_all_fail_is_not_called_converged():
    assert not minimise(needle, np.array([0.0]), [[0.5]], -FREE, FREE).converged[0]
