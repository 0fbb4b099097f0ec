"""What a table says of parameters: profiles and draws, against tables whose truth is known."""

import numpy as np
import pytest

from known_curves import mean_value_analysis, usl
from mpps.discrepancy import SCATTERS
from mpps.table import MECHANISMS, fit
from mpps.table.parameters import LONE, drawn, enough, error, family, profiled, together, weighted_quantiles

BY_NAME = {mechanism.name: place for place, mechanism in enumerate(MECHANISMS)}
COUNTS = np.array([1, 2, 4, 8, 16, 32])


def estimates(parts):
    return {one.name: one for one in parts}


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_a_family_is_the_curve_of_its_mechanism(mechanism):
    n, middle = np.array([1.0, 2, 7, 30]), [np.sqrt(each.low * each.high) for each in mechanism.quantities]
    x = np.log([[5.0, *middle]])
    values = {each.name: np.array([[value]]) for each, value in zip(mechanism.quantities, middle)}

    np.testing.assert_allclose(
        family(mechanism).log_rate(x, n), np.log(5.0) + np.atleast_2d(mechanism.curve(values, n)), rtol=1e-12
    )


def test_profiles_find_a_station_for_tables_in_any_unit():
    rate = mean_value_analysis(7.0, 1.0, 32)[COUNTS - 1] * np.exp(0.01 * np.random.default_rng(2).standard_normal(6))
    tables = [fit(COUNTS, rate), fit(COUNTS, 1e7 * rate)]
    small, large = (estimates(each) for each in profiled(tables, MECHANISMS[BY_NAME["station"]]))

    assert small["section"].by == "yes" and small["section"].lower < 1 / 8 < small["section"].upper
    assert large["section"].lower == pytest.approx(small["section"].lower, rel=1e-6)
    for key in ("median", "lower", "upper"):
        assert getattr(large[LONE], key) == pytest.approx(1e7 * getattr(small[LONE], key), rel=1e-6)


def test_tables_profiled_together_say_what_each_says_alone():
    rng = np.random.default_rng(4)
    rates = [usl(0.05, c, COUNTS) * np.exp(0.01 * rng.standard_normal(6)) for c in (0.001, 0.01)]
    tables, mechanism = [fit(COUNTS, rate) for rate in rates], MECHANISMS[BY_NAME["USL"]]
    both = profiled(tables, mechanism)

    for table, together_ in zip(tables, both):
        alone = estimates(profiled([table], mechanism)[0])
        for one in together_:
            assert one.median == pytest.approx(alone[one.name].median, rel=1e-4)
            assert one.by == alone[one.name].by


def test_what_the_rows_do_not_show_is_open_on_a_side():
    """Without a trace of coherence traffic its coefficient has no lower end."""
    rate = usl(0.1, 0.0, COUNTS) * np.exp(0.01 * np.random.default_rng(8).standard_normal(6))
    found = estimates(profiled([fit(COUNTS, rate)], MECHANISMS[BY_NAME["USL"]])[0])

    assert found["coherence"].by == "one-sided" and found["coherence"].lower is None
    assert found["contention"].lower < 0.1 < found["contention"].upper


def test_a_table_without_scatter_is_not_believed_to_the_last_digit():
    found = estimates(profiled([fit(COUNTS, 2.0 * COUNTS)], MECHANISMS[BY_NAME["private work"]])[0])[LONE]

    assert found.upper / found.lower > 1 + SCATTERS[0]


def test_few_counts_have_no_profile():
    table = fit([1, 2, 4], [1.0, 1.8, 2.7])

    assert enough(table, MECHANISMS[BY_NAME["station"]])
    assert not enough(table, MECHANISMS[BY_NAME["USL"]])


def test_draws_say_when_only_the_prior_speaks():
    """Two counts that scale perfectly say nothing of the depth of a hand-off."""
    table = fit([1, 2], [1.0, 2.0])
    found = estimates(drawn(table, BY_NAME["saturating station"], np.ones(50)))

    assert found["depth"].by == "prior" and found["depth"].lower < found["depth"].upper


def test_draws_of_a_station_cover_its_section():
    rate = mean_value_analysis(7.0, 1.0, 32)[COUNTS - 1]
    found = estimates(drawn(fit(COUNTS, rate), BY_NAME["station"], np.ones(50)))["section"]

    assert found.by == "yes" and found.lower < 1 / 8 < found.upper


def test_the_error_is_that_of_the_best_curve():
    rate = mean_value_analysis(7.0, 1.0, 32)[COUNTS - 1]
    table = fit(COUNTS, rate)
    # Private work alone: the deviation of log rate from a line of slope one.
    off = np.log(rate / COUNTS)

    assert error(table, BY_NAME["private work"]) == pytest.approx(off.std(), rel=1e-9)
    assert error(table, BY_NAME["station"]) < 0.003


def test_parameters_known_only_together_are_told():
    """Section and ticket cost of a short station: what a few waiters show is their product."""
    found = [
        row
        for table in (fit([1, 2, 4, 8], [1.0, 1.99, 3.9, 7.0]),)
        for row in together(table, BY_NAME["ticket station"])
    ]

    assert all(row["spread"] <= 0.5 * min(row["alone"]) for row in found)
    assert all(set(row["names"]) == {"section", "per_waiter"} for row in found)


def test_weighted_quantiles_of_equal_weights_are_plain_ones():
    values = np.random.default_rng(1).standard_normal(2001)

    found = weighted_quantiles(values, np.full(2001, 1 / 2001), (0.05, 0.5, 0.95))
    np.testing.assert_allclose(found, np.quantile(values, (0.05, 0.5, 0.95)), atol=5e-3)
