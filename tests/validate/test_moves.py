"""Checks of moves: the SCION figures as published arithmetic gives them, operations, and hosts held out."""

import numpy as np
import pytest

from mpps.machine import load_machine
from mpps.sentences.transfer import goals_table, index_table, outside
from mpps.table import fit_points, learnt_prior, points
from mpps.validate.transfer.board import OWN
from mpps.validate.transfer.curves import Case, forecasts, learnt
from mpps.validate.transfer.hosts import HostCurve, curves, machine_of, operations
from mpps.validate.transfer.moving import moved_curves
from mpps.validate.transfer.operations import moved_operations
from mpps.validate.transfer.scion import constant_without, index, miss, scion

# SCION


def test_the_index_as_printed():
    """Reference case H1: index with M = 1 and with M = 400."""
    found = [[index(constant, name) for name in ("APU2", "laptop", "CI machine")] for constant in (1.0, 400.0)]
    np.testing.assert_allclose(found[0], [14.940, 21.453, 25.710], atol=6e-4)
    np.testing.assert_allclose(found[1], [28.05, 32.78, 32.03], atol=6e-3)


def test_a_constant_without_the_held_platform_misses():
    """Re-estimated it misses by +19, -9 and +29 %; tuned on all three, APU2 is still 15.5 % off."""
    held = ("APU2", "laptop", "CI machine")
    assert [round(100 * miss(name, constant_without(name))) for name in held] == [19, -9, 29]
    assert 100 * miss("APU2", 400.0) == pytest.approx(15.5, abs=0.05)
    for name in held:
        others = [index(constant_without(name), other) for other in held if other != name]
        assert others[0] == pytest.approx(others[1], rel=1e-12)


def test_the_prior_covers_all_three_platforms_both_ways():
    found = scion()
    assert len(found["moved"]) == 6 and found["covered"]
    assert all(row["lower"] < row["median"] < row["upper"] < 5 * row["lower"] for row in found["moved"])
    assert "+28.8 %" in str(index_table(found)) and "+15.5 %" in str(index_table(found))


# operations


@pytest.fixture(scope="module")
def found():
    return moved_operations()


def test_published_operations_are_inside_about_as_often_as_said(found):
    low, high = found["coverage_interval"]
    assert found["points"] == len(found["rows"]) > 100 and low < 0.9 < high
    assert 0.85 <= found["points_inside"] / found["points"] <= 0.95
    assert found["median_error"] < found["copied_median_error"]
    assert sum(row["inside"] for row in found["rows"]) == found["points_inside"]
    assert len(outside(found)) == found["points"] - found["points_inside"]


def test_page_pool_from_the_measured_host(found):
    """Fast path 7.54 ns on the Xeon 8580: 5.40 ns on Broadwell, 3.80 or 14.2 ns on the EPYC 9684X by its mitigations."""
    rows = [row for row in found["rows"] if row["operation"].startswith(OWN) and row["from"] == "xeon_8580"]
    seen = {(row["operation"], row["observed"]) for row in rows}
    assert {("page_pool_fast", 5.4), ("page_pool_fast", 14.2), ("page_pool_fast", 3.8)} <= seen
    assert all(row["inside"] for row in rows) and len(rows) == 6
    medians = {row["observed"]: row["median"] for row in rows if row["operation"] == "page_pool_fast"}
    assert medians[14.2] > 1.4 * medians[3.8]


def test_an_operation_runs_on_a_machine_in_a_state():
    listed = operations()
    assert {one.host for one in listed} >= {"epyc_9684x", "xeon_8580", "xeon_e5_1650_v4", "macchiatobin"}
    assert all(one.ns > 0 and one.source for one in listed)
    assert machine_of("epyc_9684x", "no return thunks")["mitigations"].value == "no return thunks"
    assert machine_of("epyc_9684x") == load_machine("epyc_9684x")
    host = machine_of("ivybridge_8s")
    assert host.threads == 240 and host["clock.one_core"].not_stated
    assert len({one.host for one in curves()}) >= 8


# hosts held out


def test_a_curve_on_the_same_machine_stays_where_it_is():
    n, rate = np.array([1, 2, 4, 8, 16, 32]), np.array([10.0, 18.0, 30.0, 36.0, 33.0, 30.0])
    machine = load_machine("mediatek_mt7622")
    fitted = fit_points(points(n, rate), learnt_prior(), count=400)
    found = moved_curves(fitted, machine, machine, n, 1)
    assert np.abs(np.median(np.exp(found), axis=0) / rate - 1).max() < 0.1


def _case(rng, level, shape, place):
    n = np.array([1, 2, 4, 8, 16])
    truth = level * rng.standard_normal() + shape * np.sqrt(np.log2(n)) * rng.standard_normal()
    # What others say of it, with a spread of its own.
    moved = np.log(n) + 0.1 * rng.standard_normal((400, 1)) + 0.02 * rng.standard_normal((400, 5))
    noise = 0.1 * rng.standard_normal() + 0.02 * rng.standard_normal(5)
    of = HostCurve(f"b{place}", f"h{place}", "d", "v", f"s{place % 12}")
    return Case(of, ("other",), n, np.log(n) + truth + noise, moved, np.log(n)[None])


@pytest.mark.parametrize(("level", "shape"), [(0.0, 0.0), (0.45, 0.2), (0.9, 0.1)])
def test_the_spread_that_is_learnt_is_the_one_that_made_the_hosts(level, shape):
    """Curves drawn with a known spread: it is found again within a step, and the interval holds what it says."""
    rng = np.random.default_rng([5, int(100 * level)])
    cases = [_case(rng, level, shape, place) for place in range(72)]
    got = learnt(cases, 1)
    assert abs(got[0] - level) <= 0.26 and abs(got[1] - shape) <= 0.11
    inside = []
    for case in cases:
        quantiles = np.log(forecasts(case, *got, 1)["moved"])
        inside.append(np.mean((quantiles[0] <= case.observed) & (case.observed <= quantiles[4])))
    assert np.mean(inside) == pytest.approx(0.9, abs=0.08)


def test_goals_say_what_is_missed():
    goals = [
        {"name": "hosts: interval score", "goal": "below 2", "value": 3.0, "reached": False, "distance": 1.0},
        {"name": "inside", "goal": "all", "value": 1.0, "reached": True, "distance": 0.0},
    ]
    said = str(goals_table({"goals": goals}))
    assert "MISSED by 1.00" in said and "reached" in said and "100 %" in said
