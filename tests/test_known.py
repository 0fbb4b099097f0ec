"""What a table fixes: against models in which one knows which combination the rows see."""

import types

import numpy as np
import pytest

import synthetic
from mpps import compare, explain, fit, paths
from mpps.explain.known import information
from mpps.path import Parameter, Stage, Variant

COUNTS = np.array([1, 2, 3, 4, 5, 6, 7, 8])


def fitted(demand, *names, scatter=0.02, truth=None):
    """A fit of log(n/demand), the parameters free over wide bounds."""
    parameters = tuple(Parameter(name, "ns" if name.endswith("ns") else "ratio", 1e-3, 1e6, name) for name in names)
    path = synthetic.lock_path(parameters, stages=(Stage("work", demand, "work"),), variants=(Variant("free", ("work",)),))
    one = synthetic.problem(path, truth, scatter=scatter, counts=COUNTS)
    # At the truth itself: where along an open combination a search ends is of no interest.
    solved = types.SimpleNamespace(x=np.log([[(truth or {}).get(name, synthetic.TRUTH.get(name)) for name in names]]))
    best = types.SimpleNamespace(problem=one, solved=solved, scale=1.0, mechanism=one.mechanism)
    return types.SimpleNamespace(best=best)


def test_information_of_one_parameter_is_that_of_its_rows():
    one = fitted("work_ns", "work_ns")

    assert information(one.best) == pytest.approx(np.array([[8 / 0.02**2]]))
    (row,) = explain.combinations(one)
    assert row["spread"] == pytest.approx(1.645 * 0.02 / np.sqrt(8), rel=1e-3)
    assert row["words"] == "work_ns" and explain.together(one) == []


def test_scatter_above_its_floor_widens():
    one = fitted("work_ns", "work_ns")
    one.best.scale = 2.0

    assert explain.combinations(one)[0]["spread"] == pytest.approx(2 * 1.645 * 0.02 / np.sqrt(8), rel=1e-3)


@pytest.mark.parametrize(
    ("demand", "kind", "value"),
    [("work_ns + rest_ns", "sum", 800.0), ("work_ns*rest_ns/100", "product", 100_000.0), ("100*work_ns/rest_ns", "ratio", 2.5)],
)
def test_two_parameters_that_only_act_together(demand, kind, value):
    one = fitted(demand, "work_ns", "rest_ns", truth={"work_ns": 500.0, "rest_ns": 200.0 if kind != "sum" else 300.0})
    (pair,) = explain.together(one)

    assert (pair["kind"], pair["names"]) == (kind, ["work_ns", "rest_ns"])
    assert pair["value"] == pytest.approx(value)
    assert pair["spread"] == pytest.approx(1.645 * 0.02 / np.sqrt(8), rel=0.02)
    assert min(pair["alone"]) > 10 * pair["spread"]
    sharp, blunt = explain.combinations(one)
    assert sharp["spread"] < 0.05 and np.isinf(blunt["spread"])
    assert np.sign(list(sharp["exponents"].values())).tolist() == ([1, -1] if kind == "ratio" else [1, 1])


def test_a_parameter_that_no_row_sees():
    one = fitted("work_ns + 0*rest_ns", "work_ns", "rest_ns", truth={"work_ns": 500.0, "rest_ns": 300.0})
    rows = [
        {"name": "work_ns", "identified": "yes", "lower": 494.0, "upper": 506.0},
        {"name": "rest_ns", "identified": "no", "lower": None, "upper": None},
    ]
    found = explain.known(one, rows)
    words = " ".join(explain.known_words(found))

    assert found["fixed"] == ["work_ns"] and found["unknown"] == ["rest_ns"] and found["together"] == []
    assert "fixes work_ns" in words and "nothing of rest_ns" in words and "do not depend on rest_ns" in words


def test_rows_at_many_counts_part_what_one_count_holds_together():
    """A slope over the counts is known apart from the first value; at a single count only their sum is."""
    truth = {"work_ns": 500.0, "rest_ns": 100.0}
    apart = fitted("work_ns + rest_ns*(n - 1)", "work_ns", "rest_ns", truth=truth)

    assert explain.together(apart) == []
    assert all(row["spread"] < 0.2 for row in explain.combinations(apart))


def test_the_words_for_a_real_table():
    path = paths.load_path("packet_transmit")
    full = compare.fit(path, "all")
    found = explain.known(full, explain.parameters(full))
    listed = [name for key in ("fixed", "loose", "one_sided", "prior", "unknown") for name in found[key]]

    assert sorted(listed) == sorted(full.best.problem.names)
    assert "driver_ns" in found["fixed"] and "clone_ns" in found["one_sided"]
    spreads = [row["spread"] for row in found["combinations"]]
    assert spreads == sorted(spreads) and len(spreads) == len(listed)


def test_section_and_hand_off_are_known_by_their_sum():
    """The saturated period is what the lock rows fix, as the page on this path says."""
    full = compare.fit(paths.load_path("pppoe_receive"), "synchronous")
    pair = next(each for each in explain.together(full) if "section_ns" in each["names"])

    assert pair["kind"] == "sum" and "handoff_peak_ns" in pair["names"]
    assert pair["spread"] < 0.5 * min(pair["alone"])


def test_a_solved_problem_and_its_information_agree_on_the_spread():
    """Members of a fit, which redraw the rows, spread as the inverse of the information says."""
    from mpps.uncertainty import members

    one = fitted("work_ns + rest_ns*(n - 1)", "work_ns", "rest_ns", truth={"work_ns": 500.0, "rest_ns": 100.0})
    drawn = members(one.best.problem, fit.solve(one.best.problem), 1.0, 2000, 1)

    assert np.cov(drawn.T) == pytest.approx(np.linalg.inv(information(one.best)), rel=0.15)
