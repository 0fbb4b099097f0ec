"""Levers: a parameter that moves, against what its formula says of the break-even and of the lock."""

import numpy as np
import pytest

from mpps import charts, compare, workbook
from mpps.errors import MppsError, UnknownNameError
from mpps.lever import lever
from mpps.paths import load_path

FACTORS = [2 ** (k / 4) for k in range(25)]


@pytest.fixture(scope="module")
def path():
    return load_path("pppoe_receive")


@pytest.fixture(scope="module")
def alone(path):
    return lever(path, "coalescing", FACTORS, 1, variant="both locks, GRO on", against="both locks, GRO off")


@pytest.fixture(scope="module")
def crowd(path):
    return lever(path, "coalescing", FACTORS, 16, variant="both locks, GRO on", against="both locks, GRO off")


def test_the_break_even_is_that_of_the_formula(path, alone):
    """A lone sender: what runs once per skb is shared by G packets, what GRO costs is paid for each. The times of a packet
    on both sides are equal at G = (after GRO + locks) / (saved before GRO + after GRO + locks - lookup)."""
    fitted = compare.fit(path, "all")
    even = []
    for one in fitted.kept:
        value = {name: each[:, 0] for name, each in one.member_values.items()}
        locks = 3 * value["lock_pair_ns"]
        after, departs = value["after_gro_ns"], value["gro_departure_1"]
        before = (value["napi_alone_ns"] - after) * departs
        even.append((after * departs + locks) / (value["napi_alone_ns"] + locks - before - value["gro_ns"]))
    even = np.concatenate(even)
    lower, middle, upper = np.quantile(even[even > 0], (0.05, 0.5, 0.95))

    assert alone.break_even.median == pytest.approx(middle, rel=0.03)
    assert alone.break_even.lower == pytest.approx(lower, rel=0.06) and alone.break_even.upper == pytest.approx(
        upper, rel=0.06
    )


def test_the_rate_breaks_even_there(alone):
    x = np.log(alone.break_even.median)
    gain = np.interp(x, np.log(alone.values), np.log(alone.gain[2]))

    assert abs(gain) < 0.005
    assert np.interp(x, np.log(alone.values), alone.p) == pytest.approx(0.5, abs=0.1)


def test_the_lock_lets_go_where_it_holds_in_half_of_the_draws(crowd):
    held = np.interp(np.log(crowd.free_from.median), np.log(crowd.values), crowd.held)

    assert crowd.held[0] == 1 and crowd.held[-1] == 0
    assert 0.1 < held < 0.9
    assert crowd.free_from.lower < crowd.free_from.median < crowd.free_from.upper


def test_a_lock_that_limits_carries_in_proportion(crowd):
    """Below the factor from which it lets go the rate grows like the factor, above it hardly."""
    slope = np.diff(np.log(crowd.rate[2])) / np.diff(np.log(crowd.values))

    assert 0.7 < slope[:3].mean() < 1.1 and abs(slope[-8:]).max() < 0.05


def test_a_lone_sender_is_never_held(alone):
    assert (alone.held == 0).all() and alone.free_from.median == alone.values[0]


def test_at_the_fitted_value_the_rate_is_the_prediction(path):
    """The factor of the fit lies between those asked for."""
    study = workbook.study("pppoe_receive", "all")
    expected = study.rate("both locks, GRO on", 8)[0]
    value = float(np.median(study.fitted.best.member_values["coalescing"]))
    found = lever(
        path,
        "coalescing",
        [value * 0.999, value * 1.001],
        8,
        variant="both locks, GRO on",
        against="both locks, GRO off",
    )

    assert study.shown(found.rate[2]).mean() == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("values", [[1.0], [0.0, 2.0], [1.0, float("nan")]])
def test_values_that_are_none(path, values):
    with pytest.raises(MppsError, match="expected two positive numbers"):
        lever(path, "coalescing", values, 4, variant="both locks, GRO on", against="both locks, GRO off")


def test_names_that_do_not_exist(path):
    with pytest.raises(UnknownNameError):
        lever(path, "coalesce", FACTORS, 4, variant="both locks, GRO on", against="both locks, GRO off")
    with pytest.raises(UnknownNameError):
        lever(path, "coalescing", FACTORS, 4, variant="GRO on", against="both locks, GRO off")


# Charts and rows


def test_the_chart_marks_where_the_lock_lets_go(crowd):
    study = workbook.study("pppoe_receive", "all")
    regions = workbook.lever_regions(crowd)
    chart = charts.lever(
        workbook.lever_rows(study, crowd), title="t", unit=study.unit, x_title="packets per skb", regions=regions
    )
    text = charts.to_svg(chart)

    assert [each["label"] for each in regions][-1] == "the lock lets go"
    assert "the lock lets go" in text and "both locks, GRO on" in text and "packets per skb" in text


def test_words_name_both_points(alone, crowd):
    assert "breaks" not in workbook.lever_words(alone, free=False)
    assert "it gains over 'both locks, GRO off' from 2." in workbook.lever_words(alone, free=False)
    assert "the lock no longer limits from 2." in workbook.lever_words(crowd, even=False)


def test_hashed_rates_lie_between_one_core_and_all():
    study = workbook.study("pppoe_receive")
    rows = workbook.hashed_rows(study, "no lock", 16, [1, 16, 100_000])
    one, full = study.rate("no lock", 1)[0], study.rate("no lock", 16)[0]
    rate = {(row["series"], row["x"]): row["median"] for row in rows}

    for load in ("equal flows", "greedy flows"):
        assert rate[load, 1.0] == pytest.approx(one, rel=0.02)
        assert one < rate[load, 16.0] < full
        assert rate[load, 100_000.0] == pytest.approx(full, rel=0.03)
    assert rate["equal flows", 16.0] < rate["greedy flows", 16.0]


def test_queues_may_move_instead():
    study = workbook.study("pppoe_receive")
    rows = [row for row in workbook.hashed_rows(study, "no lock", [1, 4, 16], 64) if row["series"] == "equal flows"]

    assert [row["x"] for row in rows] == [1.0, 4.0, 16.0]
    assert rows[0]["median"] < rows[1]["median"] < rows[2]["median"]


def test_a_mix_is_a_line_between_its_ways():
    from mpps.paths import page_pool_recycle as recycle

    members = recycle.recycle_times_ns(workbook.study("page_pool_recycle").fitted.best.member_values)
    part = np.array([0.0, 0.5, 1.0])
    rows = workbook.mixed_rows("x", part, recycle.mix_ns(np.stack([1 - part, 0 * part, part], -1), members))

    assert rows[0]["median"] == pytest.approx(np.median(members[..., 0]))
    assert rows[2]["median"] == pytest.approx(np.median(members[..., 2]))
    assert rows[1]["median"] == pytest.approx((rows[0]["median"] + rows[2]["median"]) / 2, rel=0.01)
    assert all(row["lower"] < row["median"] < row["upper"] for row in rows)
