"""Closed-form laws: identities, published values, and questions that have no answer."""

import itertools
import pathlib

import numpy as np
import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mpps import laws
from mpps.errors import MppsError

REFERENCE = yaml.safe_load((pathlib.Path(__file__).parent / "reference" / "usl.yaml").read_text())
CISCO = REFERENCE["cisco"]

repeatable = settings(derandomize=True, deadline=None, max_examples=100)
many_senders = st.floats(1, 1000)
share = st.floats(0, 1)
small = st.floats(0, 0.1)
rate_one = st.floats(1e-3, 1e9)
ns = st.floats(1, 5000)


def parameters(case):
    return case["rate_one"], case["contention"], case["coherence"]


# Amdahl, Gustafson, critical sections


@repeatable
@given(many_senders, share)
def test_amdahl_lies_between_one_and_linear_and_grows(n, contention):
    speedup = laws.amdahl(n, contention)

    assert 1 - 1e-12 <= speedup <= min(n, laws.amdahl_limit(contention)) * (1 + 1e-12)
    assert laws.amdahl(n + 1, contention) >= speedup * (1 - 1e-15)
    assert laws.amdahl_efficiency(n, contention) == pytest.approx(speedup / n)


@repeatable
@given(st.floats(1.01, 1000), share)
def test_questions_to_amdahl_have_amdahl_as_their_inverse(n, contention):
    speedup = laws.amdahl(n, contention)

    assert laws.amdahl_contention(n, speedup) == pytest.approx(contention, abs=1e-9)
    assume(contention < 0.99)
    assert laws.amdahl_n_for_speedup(speedup, contention) == pytest.approx(n, rel=1e-9)


def test_amdahl_at_its_limits():
    assert laws.amdahl(64, 0) == 64
    assert laws.amdahl(64, 1) == 1
    assert laws.amdahl_limit(0) == np.inf
    assert laws.amdahl_half_efficiency_n(0) == np.inf
    assert laws.amdahl_efficiency(laws.amdahl_half_efficiency_n(0.05), 0.05) == pytest.approx(0.5)
    np.testing.assert_array_equal(laws.amdahl_n_for_speedup([1, 19.9, 20, 21], [1, 0.05, 0.05, 0.05]) < np.inf,
                                  [True, True, False, False])  # fmt: skip


@repeatable
@given(many_senders, share)
def test_gustafson_is_amdahl_with_the_share_measured_on_one_sender(n, serial):
    speedup = laws.gustafson(n, serial)

    assert 1 - 1e-12 <= speedup <= n * (1 + 1e-12)
    assert laws.amdahl(n, laws.gustafson_amdahl_contention(n, serial)) == pytest.approx(speedup)
    assert laws.gustafson_efficiency(n, serial) >= 1 - serial - 1e-12
    assume(serial < 0.99)
    assert laws.gustafson_n_for_speedup(speedup, serial) == pytest.approx(n)


def test_gustafson_all_serial_reaches_nothing():
    assert laws.gustafson_n_for_speedup([1, 2], 1).tolist() == [1, np.inf]


@repeatable
@given(many_senders, share, share, share)
def test_critical_sections_lie_between_amdahl_with_and_without_them(n, serial, inside, probability):
    critical = (1 - serial) * inside

    speedup = laws.critical_section_speedup(n, serial, critical, probability)

    assert speedup <= laws.amdahl(n, serial) * (1 + 1e-9)
    assert speedup >= laws.amdahl(n, min(serial + critical, 1)) * (1 - 1e-9)
    assert speedup <= laws.critical_section_limit(serial, critical, probability) * (1 + 1e-9)
    assert laws.critical_section_time(1, serial, critical, probability) == pytest.approx(1)
    assert laws.critical_section_speedup(n, serial, critical, 0) == pytest.approx(laws.amdahl(n, serial))
    assert laws.critical_section_time(n, serial, critical, probability) == pytest.approx(1 / speedup)


def test_one_hot_critical_section_caps_the_speedup_at_its_share():
    """All work outside is parallel: in the end one section after the other runs."""
    assert laws.critical_section_speedup(1e9, 0, 0.1, 1) == pytest.approx(10)
    assert laws.critical_section_limit(0, 0, 1) == np.inf
    assert laws.critical_section_speedup([1, 8], 1, 0, 1).tolist() == pytest.approx([1, 1])


# Universal scalability law


@repeatable
@given(many_senders, rate_one, share, small)
def test_usl_reduces_to_amdahl_and_to_linear(n, one, contention, coherence):
    assert laws.usl(n, one, 0, 0) == pytest.approx(one * n)
    assert laws.usl(n, one, contention, 0) == pytest.approx(one * laws.amdahl(n, contention))
    assert laws.usl(1, one, contention, coherence) == one
    assert laws.usl(n, one, contention, coherence) <= one * laws.amdahl(n, contention) * (1 + 1e-12)


@repeatable
@given(many_senders, rate_one, share, small, st.floats(1e-6, 1e6))
def test_usl_does_not_depend_on_the_unit(n, one, contention, coherence, unit):
    rate = laws.usl(n, one, contention, coherence)

    assert laws.usl(n, one * unit, contention, coherence) == pytest.approx(rate * unit)
    assert laws.usl_peak_rate(one * unit, contention, coherence) == pytest.approx(
        laws.usl_peak_rate(one, contention, coherence) * unit
    )
    assert laws.usl_n_for_rate(rate * unit, one * unit, contention, coherence) == pytest.approx(
        laws.usl_n_for_rate(rate, one, contention, coherence), rel=1e-6
    )


@repeatable
@given(rate_one, share, st.floats(1e-7, 2), many_senders)
def test_usl_peak_is_the_maximum(one, contention, coherence, n):
    peak_n, peak = laws.usl_peak_n(contention, coherence), laws.usl_peak_rate(one, contention, coherence)

    assert laws.usl(peak_n, one, contention, coherence) == pytest.approx(peak)
    assert laws.usl(n, one, contention, coherence) <= peak * (1 + 1e-12)
    before, after = laws.usl(np.maximum([peak_n * 0.9, peak_n * 1.1], 1), one, contention, coherence)
    assert max(before, after) <= peak * (1 + 1e-12)
    assert laws.usl_knee(contention, coherence) * one == pytest.approx(peak)


@repeatable
@given(rate_one, share, small, many_senders)
def test_usl_rate_rises_before_the_peak_and_falls_after_it(one, contention, coherence, n):
    rate, next_rate = laws.usl([n, n * 1.01], one, contention, coherence)
    peak_n = laws.usl_peak_n(contention, coherence)

    if n * 1.01 <= peak_n:
        assert next_rate >= rate * (1 - 1e-12)
    if n >= peak_n:
        assert next_rate <= rate * (1 + 1e-12)


@repeatable
@given(many_senders, rate_one, share, small)
def test_usl_time_parts_add_up_and_follow_littles_law(n, one, contention, coherence):
    rate = laws.usl(n, one, contention, coherence)

    assert sum(laws.usl_overhead(n, contention, coherence)) == pytest.approx(one / rate)
    assert laws.usl_response_time(n, one, contention, coherence) * rate == pytest.approx(n)
    assert laws.usl_efficiency(n, contention, coherence) == pytest.approx(rate / (n * one))


@repeatable
@given(
    rate_one,
    st.one_of(st.floats(1e-9, 1), st.just(0.0)),
    st.one_of(st.floats(1e-12, 0.1), st.just(0.0)),
    st.floats(0.001, 1),
)
def test_n_for_rate_answers_with_the_rising_branch(one, contention, coherence, fraction):
    peak = laws.usl_peak_rate(one, contention, coherence)
    rate = fraction * (peak if np.isfinite(peak) else 1000 * one)
    assume(coherence > 0 or rate < 0.999 * peak)

    n = laws.usl_n_for_rate(rate, one, contention, coherence)

    assert 1 <= n <= laws.usl_peak_n(contention, coherence) * (1 + 1e-9)
    if rate > one:
        assert laws.usl(n, one, contention, coherence) == pytest.approx(rate, rel=1e-9)
    else:
        assert n == 1
    # Little's law below saturation: n packets stay for the response time.
    time = laws.usl_response_time_for_rate(rate, one, contention, coherence)
    assert time == pytest.approx(max(n / rate if rate > one else 0, 1 / one), rel=1e-9)


@repeatable
@given(rate_one, st.one_of(share, st.just(0.0)), st.one_of(st.floats(1e-12, 3), st.just(0.0)), many_senders)
def test_n_for_response_time_inverts_the_response_time(one, contention, coherence, n):
    assume(contention + coherence > 1e-6)
    time = laws.usl_response_time(n, one, contention, coherence)

    found = laws.usl_n_for_response_time(time, one, contention, coherence)

    assert found == pytest.approx(n, rel=1e-7)
    assert laws.usl_rate_for_response_time(time, one, contention, coherence) == pytest.approx(n / time, rel=1e-7)


@repeatable
@given(share, small)
def test_half_efficiency_is_where_senders_do_half(contention, coherence):
    n = laws.usl_half_efficiency_n(contention, coherence)

    if contention + coherence == 0:
        assert n == np.inf
    elif n < 1e12:
        assert laws.usl_efficiency(n, contention, coherence) == pytest.approx(0.5)


def test_usl_without_limits_is_unbounded_and_never_nan():
    assert laws.usl_peak_n(0, 0) == laws.usl_peak_rate(1, 0, 0) == laws.usl_knee(0, 0) == np.inf
    assert laws.usl_contention_limit(7, 0) == laws.usl_contention_point(0) == np.inf
    assert laws.usl_n_for_response_time([1, 2], 1, 0, 0).tolist() == [np.inf, np.inf]
    assert laws.usl_rate_for_response_time(2, 1, 0, 0) == np.inf
    # All serial, or coherence so dear that a second sender slows the first: one sender is the best.
    assert laws.usl_peak_n([1, 1, 0.5], [0, 1, 0.6]).tolist() == [1, 1, 1]
    assert laws.usl_peak_rate(3, [1, 1, 0.5], [0, 1, 0.6]).tolist() == [3, 3, 3]
    assert laws.usl_n_for_rate([3, 3.1], 3, 1, 0).tolist() == [1, np.inf]


def test_usl_answers_arrays_of_mixed_cases_at_once():
    n = laws.usl_n_for_rate(np.array([[0.5], [5.0], [50.0]]), 1.0, [0.0, 0.05, 0.5], [0.0, 0.0, 0.01])

    assert n.shape == (3, 3)
    assert n[0].tolist() == [1, 1, 1]
    assert n[2].tolist() == [50, np.inf, np.inf]


# Published values (reference/usl.yaml)


def test_specsdm91_derived_values():
    case = REFERENCE["specsdm91"]
    one, contention, coherence = parameters(case["refit"])
    printed = case["printed"]

    assert laws.usl_peak_n(contention, coherence) == pytest.approx(case["refit"]["peak_n"], rel=1e-5)
    assert laws.usl_peak_rate(one, contention, coherence) == pytest.approx(case["refit"]["peak_rate"], rel=1e-5)
    assert laws.usl_contention_limit(one, contention) == pytest.approx(printed["contention_limit"], rel=1e-5)
    point = laws.usl_contention_point(contention)
    assert point == pytest.approx(printed["contention_point"], rel=1e-5)
    at_point = laws.usl(point, one, contention, coherence)
    assert at_point == pytest.approx(case["refit"]["rate_at_contention_point"], rel=1e-5)
    np.testing.assert_array_equal(np.round(laws.usl(case["n"], one, contention, coherence)), printed["fitted"])


def test_specsdm91_overhead_adds_up_unlike_the_printed_one():
    """The source prints half of the coherence term, with which the parts miss the time per unit of work."""
    case = REFERENCE["specsdm91"]
    one, contention, coherence = parameters(case["refit"])
    printed = case["printed"]["overhead"]

    overhead = laws.usl_overhead(printed["n"], contention, coherence)

    np.testing.assert_allclose(overhead.parallel, printed["parallel"], atol=5e-6)
    np.testing.assert_allclose(overhead.contention, printed["contention"], atol=5e-5)
    np.testing.assert_allclose(overhead.coherence / 2, printed["half_coherence"], atol=5e-7)
    time = one / laws.usl(printed["n"], one, contention, coherence)
    np.testing.assert_allclose(sum(overhead), time)
    short = np.add(printed["parallel"], printed["contention"]) + printed["half_coherence"]
    assert (short < 0.99 * time).all()


def test_specsdm91_what_ifs():
    one, contention, _ = parameters(REFERENCE["specsdm91"]["refit"])
    better_coherence, better_both = REFERENCE["specsdm91"]["what_if"]

    coherence = better_coherence["coherence"]
    assert laws.usl_peak_n(contention, coherence) == pytest.approx(better_coherence["peak_n"], rel=1e-5)
    assert laws.usl_peak_rate(one, contention, coherence) == pytest.approx(better_coherence["peak_rate"], rel=1e-5)

    contention, coherence = better_both["contention"], better_both["coherence"]
    assert laws.usl_peak_n(contention, coherence) == pytest.approx(better_both["peak_n"], rel=1e-5)
    assert laws.usl_contention_limit(one, contention) == pytest.approx(better_both["contention_limit"], rel=1e-5)


def test_cisco_rates_and_response_times():
    law = parameters(CISCO["refit"])

    for n, rate in CISCO["rate_at"].items():
        assert laws.usl(n, *law) == pytest.approx(rate, rel=1e-5)
    for n, time in CISCO["response_time_at"].items():
        assert laws.usl_response_time(n, *law) == pytest.approx(time, rel=1e-5)
    assert laws.usl_peak_n(*law[1:]) == pytest.approx(CISCO["refit"]["peak_n"], rel=1e-5)
    assert np.floor(laws.usl_peak_n(*law[1:])) == CISCO["book"]["whole_peak_n"]
    # The source's own test passes on a tolerance of 1e-5 for a value of 1e-3; it is off by 2.8e-5 of it.
    wrong = CISCO["wrong"]["response_time_at_1"]
    assert abs(laws.usl_response_time(1, *law) / wrong - 1) > 2e-5


def test_cisco_inverse_questions_differ_from_the_published_wrong_answers():
    law = parameters(CISCO["refit"])
    wrong = CISCO["wrong"]

    for rate, n in CISCO["n_at_rate"].items():
        answer = laws.usl_n_for_rate(rate, *law)
        assert answer == pytest.approx(n, rel=1e-5)
        assert laws.usl(answer, *law) == pytest.approx(rate)
        assert abs(answer / wrong["n_at_rate"][rate] - 1) > 0.2
        assert abs(laws.usl(wrong["n_at_rate"][rate], *law) / rate - 1) > 0.1, "the printed n does not reach the rate"
    for rate, time in CISCO["response_time_at_rate"].items():
        answer = laws.usl_response_time_for_rate(rate, *law)
        assert answer == pytest.approx(time, rel=1e-5)
        assert abs(answer / wrong["response_time_at_rate"][rate] - 1) > 0.02


def test_round_model_rate_at_a_response_time():
    law = parameters(CISCO["round_model"])

    for time, rate in CISCO["round_model_rate_at_response_time"].items():
        assert laws.usl_rate_for_response_time(time, *law) == pytest.approx(rate, rel=1e-7)
    assert laws.usl_peak_rate(*law) == pytest.approx(CISCO["round_model"]["peak_rate"], rel=1e-5)


def test_a_rate_above_the_highest_one_is_never_reached():
    """The source answers 0.059 to 0.235; there is no n at all."""
    law = parameters(CISCO["round_model"])
    asked = list(CISCO["wrong"]["round_model_response_time_at_rate"])

    assert np.isinf(laws.usl_response_time_for_rate(asked, *law)).all()
    assert np.isinf(laws.usl_n_for_rate(asked, *law)).all()


def test_a_response_time_below_that_of_one_sender_is_refused():
    law = parameters(CISCO["refit"])

    with pytest.raises(MppsError, match="one sender alone takes .* 0.00100437"):
        laws.usl_n_for_response_time([0.002, 0.0005], *law)
    with pytest.raises(MppsError, match="no n has a response time of 0.0005"):
        laws.usl_rate_for_response_time(0.0005, *law)


def test_first_ten_cisco_rows_answer_with_n_for_a_response_time():
    """With the parameters of a fit to those rows, as published: see test_baseline for the fit itself."""
    from mpps.baseline import fit_usl

    fit = fit_usl(np.arange(1, 11), CISCO["rate"][:10])

    for time, n in CISCO["first_ten_n_at_response_time"].items():
        assert laws.usl_n_for_response_time(time, *fit.parameters) == pytest.approx(n, rel=1e-5)


# Bounds


def exact_throughput_pps(n, private_ns, demands_ns):
    """Mean value analysis of exponential stations, Reiser and Lavenberg 1980: an independent truth for the bounds."""
    queue = np.zeros(len(demands_ns))
    for population in range(1, n + 1):
        times = np.array(demands_ns) * (1 + queue)
        rate = population / (private_ns + times.sum())
        queue = rate * times
    return rate * 1e9


@repeatable
@given(st.integers(1, 60), st.floats(0, 5000), st.lists(ns, min_size=1, max_size=5))
def test_bounds_enclose_the_exact_network_in_order(n, private_ns, demands_ns):
    total, largest, count = sum(demands_ns), max(demands_ns), len(demands_ns)
    exact = exact_throughput_pps(n, private_ns, demands_ns)

    chain = [
        laws.lower_bound_pps(n, private_ns, total),
        laws.balanced_lower_pps(n, private_ns, total, largest),
        exact,
        laws.balanced_upper_pps(n, private_ns, total, largest, count),
        laws.upper_bound_pps(n, private_ns, total, largest),
    ]

    for lower, upper in itertools.pairwise(chain):
        assert lower <= upper * (1 + 1e-9)


@repeatable
@given(many_senders, ns, ns)
def test_lower_bound_is_amdahls_law_and_knee_is_where_the_upper_bound_turns(n, private_ns, section_ns):
    one = 1e9 / (private_ns + section_ns)
    contention = section_ns / (private_ns + section_ns)

    assert laws.lower_bound_pps(n, private_ns, section_ns) == pytest.approx(one * laws.amdahl(n, contention))
    knee = laws.bound_knee_n(private_ns, section_ns)
    assert laws.upper_bound_pps(knee, private_ns, section_ns) == pytest.approx(1e9 / section_ns)
    assert laws.upper_bound_pps(max(1, knee / 2), private_ns, section_ns) <= 1e9 / section_ns * (1 + 1e-12)


@repeatable
@given(many_senders, ns, ns, st.floats(0, 3))
def test_sections_that_grow_with_all_arriving_at_once_make_the_usl(n, private_ns, section_ns, growth):
    """Gunther's theorem: synchronous arrivals, section (1 + growth (n - 1)), gives coherence section growth / lap."""
    lap = private_ns + section_ns
    rate = laws.lower_bound_pps(n, private_ns, section_ns * (1 + growth * (n - 1)))

    expected = laws.usl(n, 1e9 / lap, section_ns / lap, growth * section_ns / lap)

    assert rate == pytest.approx(expected)


@repeatable
@given(st.lists(st.floats(1e-3, 1e9), min_size=2, max_size=5), st.floats(0.5, 200))
def test_smooth_minimum_is_below_the_bound_by_a_known_factor_at_most(bounds, sharpness):
    result = laws.smooth_minimum(*bounds, sharpness=sharpness)

    assert result <= min(bounds) * (1 + 1e-12)
    assert result >= min(bounds) * len(bounds) ** (-1 / sharpness) * (1 - 1e-9)
    assert laws.smooth_minimum(*bounds[::-1], sharpness=sharpness) == pytest.approx(result)
    assert laws.smooth_minimum(*bounds, sharpness=2 * sharpness) >= result * (1 - 1e-12)
    assert laws.smooth_minimum(result, np.inf, sharpness=sharpness) == pytest.approx(result)
    direct = sum((bound / min(bounds)) ** -sharpness for bound in bounds) ** (-1 / sharpness) * min(bounds)
    assert result == pytest.approx(direct)


def test_smooth_minimum_of_equal_and_of_absent_bounds():
    assert laws.smooth_minimum(1e7, 1e7, sharpness=32) == pytest.approx(1e7 * 2 ** (-1 / 32))
    assert laws.smooth_minimum(np.inf, np.inf, sharpness=32) == np.inf
    assert laws.smooth_minimum(1e300, 1e-300, sharpness=200) == 1e-300


@repeatable
@given(many_senders, ns, ns, st.floats(1, 64))
def test_smooth_bound_is_the_p_norm_of_both_periods(n, private_ns, section_ns, sharpness):
    rate = laws.smooth_bound_pps(n, private_ns, section_ns, sharpness=sharpness)

    rising, level = (private_ns + section_ns) / n, section_ns
    top = max(rising, level)
    period = top * ((rising / top) ** sharpness + (level / top) ** sharpness) ** (1 / sharpness)
    assert 1e9 / rate == pytest.approx(period)
    assert rate <= laws.upper_bound_pps(n, private_ns, section_ns) * (1 + 1e-12)


def test_networks_without_stations_or_without_work():
    assert laws.upper_bound_pps(4, 100, 0) == pytest.approx(4e7)
    assert laws.bound_knee_n(100, 0) == np.inf
    assert laws.balanced_upper_pps(4, 100, 0, 0, 1) == laws.balanced_lower_pps(4, 100, 0, 0) == pytest.approx(4e7)
    assert laws.smooth_bound_pps(4, 100, 0, sharpness=8) == pytest.approx(4e7)
    assert laws.balanced_upper_pps(4, 0, 0, 0, 1) == np.inf
    assert laws.bound_knee_n(1.0, 0.1) == pytest.approx(11), "machine repairman with think time 1, service 0.1"


# Coalescing and line rate


@repeatable
@given(ns, st.floats(0, 500), ns, st.floats(1, 64))
def test_coalescing_pays_exactly_from_break_even_on(per_packet, lookup, per_skb, factor):
    gain = laws.coalescing_gain_ns(lookup, per_skb, factor)

    assert laws.coalesced_time_ns(per_packet, lookup, per_skb, factor) + gain == pytest.approx(per_packet + per_skb)
    break_even = laws.coalescing_break_even(lookup, per_skb)
    assert break_even >= 1
    if factor > break_even * (1 + 1e-9):
        assert gain > 0
    elif factor < break_even * (1 - 1e-9):
        assert gain < 0


def test_coalescing_that_merges_nothing_costs_the_lookup():
    assert laws.coalescing_gain_ns(30, 200, 1) == -30
    assert laws.coalescing_break_even([0, 50, 200, 300], 200).tolist() == pytest.approx([1, 4 / 3, np.inf, np.inf])


def test_critical_coalescing_of_the_threaded_napi_table():
    """16 senders, a cycle of 1337 ns, sections of 200 to 255 ns: 2.2 to 2.9, below the measured 3.33 to 5.07."""
    np.testing.assert_allclose(laws.critical_coalescing(16, [200, 255], 1337), [2.2, 2.9], atol=0.05)


@repeatable
@given(st.integers(2, 128), ns, ns, st.floats(0, 3000))
def test_at_the_critical_factor_the_other_senders_sections_fill_the_cycle(n, section, per_packet, per_skb):
    factor = laws.critical_coalescing(n, section, per_packet, per_skb)

    cycle = laws.coalesced_time_ns(per_packet, 0, per_skb, factor)
    if factor > 1:
        assert (n - 1) * section / factor == pytest.approx(cycle)
    else:
        assert (n - 1) * section <= cycle * (1 + 1e-9)


def test_critical_coalescing_without_work_per_packet_or_without_rivals():
    assert laws.critical_coalescing([1, 2, 3], 100, 0, 100).tolist() == [1, 1, np.inf]
    assert laws.critical_coalescing(1, 100, 500) == 1


def test_line_rate_budgets_of_64_byte_frames():
    """84 bytes on the wire at 10 to 400 Gbit/s, as "The calculations: 10Gbit/s wirespeed" prints, and 148.8 million packets a second at 100."""
    budgets = laws.budget_ns(np.array([10, 25, 40, 100, 200, 400]) * 1e9)

    np.testing.assert_allclose(budgets, [67.2, 26.9, 16.8, 6.72, 3.36, 1.68], rtol=1e-3)
    assert 1e9 / laws.budget_ns(100e9) == pytest.approx(148.81e6, rel=1e-4)
    assert laws.budget_ns(10e9, 1518) == pytest.approx(1230.4)


def test_cores_needed_are_whole_and_do_not_round_a_full_core_up():
    cores = laws.cores_needed([6.72, 6.73, 7.537, 15.395, 0.1], 100e9)

    assert cores.tolist() == [1, 2, 2, 3, 1]
    assert laws.cores_needed(3 * laws.budget_ns(25e9, 128), 25e9, 128) == 3


# Refusals


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: laws.amdahl(0.5, 0.1), "n is 0.5: expected a number of at least 1"),
        (lambda: laws.amdahl([1, 2, np.nan], 0.1), "n is nan"),
        (lambda: laws.amdahl(4, [0.1, 1.2]), "contention is 1.2: .* at most 1"),
        (lambda: laws.gustafson(4, -0.1), "serial is -0.1"),
        (lambda: laws.amdahl_contention(1, 1), "n is 1: expected a number above 1"),
        (lambda: laws.critical_section_time(4, 0.5, 0.6, 1), r"serial \+ critical is 0.5 \+ 0.6"),
        (lambda: laws.usl(4, 0, 0.1, 0), "rate_one is 0: expected a number above 0"),
        (lambda: laws.usl(np.inf, 1, 0.1, 0), "n is inf"),
        (lambda: laws.usl_peak_n(0.1, -1e-4), "coherence is -0.0001"),
        (lambda: laws.usl_n_for_rate(-1, 1, 0.1, 0), "rate is -1"),
        (lambda: laws.smooth_minimum(1, 0, sharpness=2), "bound is 0"),
        (lambda: laws.smooth_minimum(1, 2, sharpness=0), "sharpness is 0"),
        (lambda: laws.upper_bound_pps(4, 100, 10, 20), "largest_ns is above total_ns"),
        (lambda: laws.balanced_upper_pps(4, 100, 30, 10, 2), "less than total_ns"),
        (lambda: laws.coalesced_time_ns(1, 1, 1, 0.5), "coalescing is 0.5"),
        (lambda: laws.budget_ns(0), "bits_per_second is 0"),
        (lambda: laws.cores_needed(0, 1e9), "time_ns is 0"),
    ],
)
def test_arguments_outside_the_domain_are_refused_in_words(call, words):
    with pytest.raises(MppsError, match=words):
        call()


def test_negative_parameters_are_taken_until_the_rate_would_be_infinite():
    """Unbounded fits produce them: inside the measured range they describe it, beyond it they explode."""
    assert laws.usl(64, 24.77, 0.0781, -2.01e-4) == pytest.approx(64 * 24.77 / (1 + 0.0781 * 63 - 2.01e-4 * 64 * 63))
    with pytest.raises(MppsError, match="no finite rate up to n = 500"):
        laws.usl([64, 500], 24.77, 0.0781, -2.01e-4)
    # Positive at both ends and negative between them: the curve passes through infinity twice.
    with pytest.raises(MppsError, match="no finite rate"):
        laws.usl(30, 1, -0.2, 0.008)
