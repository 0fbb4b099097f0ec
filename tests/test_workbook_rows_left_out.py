"""What pages show of rows left out, profiles, shares, registered predictions and break-even counts."""

import numpy as np
import pytest

from mpps import heldout, workbook
from mpps.explain import parameters


@pytest.fixture(scope="module")
def transmit():
    return workbook.study("packet_transmit")


@pytest.fixture(scope="module")
def left(transmit):
    return workbook.left_out(transmit)


def test_the_chart_gets_every_row_once_for_each_method(left):
    rows = workbook.left_out_rows(left)
    model = [row for row in rows if row["method"] == "model"]

    assert len(model) == len(left)
    assert len(rows) - len(model) == sum(row["usl"] is not None for row in left)
    assert sum(row["inside"] for row in model) == sum(row["lower"] <= row["observed"] <= row["upper"] for row in left)
    assert {row["test"] for row in rows} == {"one point", "one variant", "largest counts"}


def test_tests_of_several_tables_are_told_apart_by_what_their_names_differ_in(left):
    two = [row | {"dataset": f"packet_{name}"} for row in left[:2] for name in ("a", "b")]

    assert {row["test"] for row in workbook.left_out_rows(two)} == {"a: one point", "b: one point"}


def test_the_title_counts_the_rows(left):
    held = sum(row["lower"] <= row["observed"] <= row["upper"] for row in left)

    assert f"hold {held} of {len(left)} rows" in workbook.left_out_title(left)


def test_the_table_has_a_line_for_each_kind_and_no_baseline_where_it_says_nothing(transmit, left):
    table = workbook.left_out_table(transmit, left)
    cells = {row[1]: row for row in table.cells()}

    assert list(cells) == ["one point", "one variant", "largest counts"]
    assert cells["one variant"][-3:] == ["", "", ""] and cells["one point"][-3].endswith("%")


def test_cases_say_why_and_what_cannot_be_left_out(transmit, left):
    words = workbook.left_out_cases(transmit, left).data

    assert words.index("Badly predicted") < words.index("Well predicted") < words.index("What cannot be left out")
    assert "outside the 90\u00a0% interval" in words


def test_words_for_a_table_without_a_curve():
    words = workbook.cannot_words(workbook.study("tun_receive")).data

    assert "2 rows decide 2 parameters" in words
    assert heldout.curves(workbook.study("tun_receive").path) == ()


def test_profiles_fall_to_zero_at_the_estimate_and_cross_the_level_at_the_ends(transmit):
    """The ends of the profile intervals of parameters without prior, found by another search, are where the rows cross."""
    rows = workbook.profiles(transmit)
    known = {row["name"]: row for row in parameters(transmit.fitted)}
    for name in ("driver_ns", "qdisc_ns"):
        part = [row for row in rows if row["parameter"] == name]
        value, loss = (np.array([row[key] for row in part]) for key in ("value", "loss"))
        under = value[loss <= 2.71]

        assert loss.min() == 0 and value[loss.argmin()] == pytest.approx(known[name]["median"], rel=0.02)
        assert under.min() == pytest.approx(known[name]["lower"], rel=0.02)
        assert under.max() == pytest.approx(known[name]["upper"], rel=0.02)
    assert {row["parameter"] for row in rows} == set(known)


def test_shares_are_titled_by_what_leads_and_marked_hypothetical(transmit):
    rows = workbook.sensitivity(transmit)
    title = workbook.sensitivity_title(transmit, rows)
    table = str(workbook.sensitivity_table(transmit, rows))

    assert title.startswith("At 64 CPUs (hypothetical)") and "unseen bottleneck, for 3 of 3 variants" in title
    assert "hypothetical: packet_2013_host is not known to have them" in table
    near = workbook.sensitivity(transmit, "bypass", n=8)
    assert "hypothetical" not in workbook.sensitivity_title(transmit, near)


def test_registered_predictions_of_a_study_are_those_of_its_joint_fit():
    study = workbook.study("pppoe_receive", "synchronous")
    entry = workbook.registrations(study)[-1]
    table, words = workbook.registered_table(study, entry), workbook.registered_words(study, entry).data

    assert workbook.registrations(workbook.study("pppoe_receive", "all")) == []
    assert [row[0] for row in table.cells()] == ["5", "6", "7", "10", "12"]
    assert entry.content["sha256"] in words and entry.content["commit"][:12] in words
    assert "makes them again" in words and "hump" in words


def test_limits_and_break_even_in_sentences(transmit):
    words = workbook.limits_words(transmit).data
    change = transmit.whatif([4, 20], start="qdisc", without="qdisc layer")

    assert "bypass: the device ceiling limits from " in words and "The rate is highest with 9 CPUs (90 %: 8 to 9)" in words
    said = workbook.break_even(transmit, change, 4)
    assert said.startswith("it gains more than 1 % up to 10.") and said.endswith("has a probability above 99 %.")
