"""Before and after in a user's own table: which variants are such a pair, and what the answer says of curves that are known."""

import numpy as np
import pytest

from known_curves import mean_value_analysis
from mpps.answers.own import fit_table
from mpps.answers.own.comparing import crossing
from mpps.answers.own.pairs import Pair, pairs, role
from mpps.answers.own.series import Rates
from mpps.sentences.own import fit_table_text
from mpps.sentences.words import WIDTH

COUNTS = (1, 2, 4, 8, 16)


def network(think, section, counts=COUNTS):
    """Millions of laps a second, by the exact mean values of a closed network."""
    return 1e3 * mean_value_analysis(think, section, max(counts))[np.array(counts) - 1]


def table(folder, unit="Mpps", scatter=0.003, **variants):
    noise = np.random.default_rng(5)
    rows = [
        f"d,{name.replace('_', ' ')},{n},throughput,{rate * np.exp(scatter * noise.standard_normal()):.9g},{unit}"
        for name, rates in variants.items()
        for n, rate in zip(COUNTS, rates, strict=True)
    ]
    file = folder / "mine.csv"
    file.write_text("dataset,variant,n,metric,value,unit\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return file


def series(*names, dataset="d", unit="Mpps"):
    one = np.ones(1)
    return [Rates(dataset, name, "throughput", unit, one, one, np.full(1, np.nan)) for name in names]


# Which variants are before and after


@pytest.mark.parametrize(
    ("name", "rest", "which"),
    [
        ("before", "", "before"), ("After", "", "after"), ("GRO off, Before", "gro off", "before"), ("old_kernel", "", "before"),
        ("patched v2", "v2", "after"), ("4.19", "4.19", ""), ("4.19+patch", "4.19", "after"), ("6.1-rc2-patched", "6.1 rc2", "after"),
        ("unpatched", "", "before"), ("w/o patch", "", "before"), ("with-patch", "", "after"), ("Before patch", "", "before"),
        ("stock", "", "before"), ("no lock", "no lock", ""), ("newsched", "newsched", ""), ("base+patch", "base", "after"),
    ],
)  # fmt: skip
def test_the_role_of_a_name(name, rest, which):
    assert role(name) == (rest, which)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["after", "before"], [(1, 0)]),
        (["vanilla", "patched v2", "patched v3"], [(0, 1), (0, 2)]),
        (["GRO off, before", "GRO off, after", "GRO on, before", "GRO on, after"], [(0, 1), (2, 3)]),
        (["5.10", "5.10 + patch", "other"], [(0, 1)]),
        (["without", "with", "line rate"], [(0, 1)]),
        (["spinlock", "rwlock", "percpu"], []),
        (["one"], []),
    ],
)
def test_pairs_by_their_names(names, found):
    assert pairs(series(*names)) == [Pair(*each) for each in found]


def test_two_variants_are_a_pair_in_their_order_and_that_is_an_assumption():
    (pair,) = pairs(series("alpha", "beta"))

    assert (pair.before, pair.after) == (0, 1) and "'alpha' and 'beta' are the only two" in pair.assumed


@pytest.mark.parametrize(("names", "found"), [(("new", "alpha"), (1, 0)), (("alpha", "stock"), (1, 0)), (("stock", "alpha"), (0, 1))])
def test_one_name_that_says_its_role_places_the_other(names, found):
    (pair,) = pairs(series(*names))

    assert (pair.before, pair.after) == found and "'alpha' is the only other variant" in pair.assumed


def test_two_files_are_a_pair_by_their_names():
    both = series("measured", dataset="run-old") + series("measured", dataset="run-new")

    assert pairs(both) == [Pair(0, 1)]
    assert pairs(series("x", unit="Mpps") + series("y", unit="Gbit/s")) == []


# What it says of curves that are known


def test_a_shorter_section_is_told_with_its_gain_and_its_time(tmp_path):
    before, after = network(600, 100), network(600, 20)
    document = fit_table(table(tmp_path, before=before, after=after))
    (found,) = document["comparisons"]

    assert (found["before"], found["after"], found["assumed"]) == ("before", "after", None)
    assert found["verdict"] == "gains" and found["n"] == 16
    for row, truth in zip(found["gains"], after / before, strict=True):
        assert row["lower"] <= truth <= row["upper"]
    cost = found["cost"]
    assert cost["lower"] <= 16e3 / after[-1] - 16e3 / before[-1] <= cost["upper"] < 0
    stages = {row["stage"]: row for row in cost["stages"]}
    assert sum(row["ns"] for row in stages.values()) == pytest.approx(cost["ns"])
    assert stages["hand-off and waiting"]["is"] == "less" and stages["private work"]["is"] == "unclear"
    alone = found["cost_alone"]
    assert alone["lower"] <= -80 <= alone["upper"] < 0
    assert found["pays_from"]["median"] == 1 and found["pays_until"]["median"] is None
    said = " ".join(fit_table_text(document).split())
    assert "'before' to 'after': +" in said and "ns less of one core's time: hand-off and waiting -" in said


def test_a_change_that_costs_a_lone_core_pays_later(tmp_path):
    before, after = network(600, 100), network(760, 10)
    document = fit_table(table(tmp_path, vanilla=before, patched=after))
    (found,) = document["comparisons"]

    fine = np.arange(1, 17)
    ratio = network(760, 10, fine) / network(600, 100, fine)
    truth = crossing(np.log(1.01) - np.log(ratio)[None], fine)[0]
    assert 1 < found["pays_from"]["lower"] <= truth <= found["pays_from"]["upper"] < 8
    assert found["cost_alone"]["is"] == "more" and found["cost"]["is"] == "less"
    assert found["cost_alone"]["lower"] <= 70 <= found["cost_alone"]["upper"]
    assert "It pays (more than 1 %) from n = " in " ".join(fit_table_text(document).split())


def test_private_work_that_goes_is_told_where_nothing_is_shared(tmp_path):
    n = np.array(COUNTS)
    (found,) = fit_table(table(tmp_path, old=n / 0.6, new=n / 0.5))["comparisons"]

    stages = {row["stage"]: row["is"] for row in found["cost"]["stages"]}
    assert stages["private work"] == "less" and stages["hand-off and waiting"] == "unclear"
    assert found["cost"]["lower"] <= -100 <= found["cost"]["upper"]


def test_equal_curves_tell_nothing(tmp_path):
    document = fit_table(table(tmp_path, scatter=0.02, alpha=network(600, 100), beta=network(600, 100)))
    (found,) = document["comparisons"]

    assert found["verdict"] in ("unclear", "same") and found["assumed"]
    assert found["cost"]["is"] == "unclear" and found["cost_alone"]["is"] == "unclear"
    said = fit_table_text(document)
    assert "is not told" in said and "Assumed: 'alpha' and 'beta'" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= WIDTH


def test_the_other_way_round_it_loses(tmp_path):
    (found,) = fit_table(table(tmp_path, without=network(600, 20), **{"with": network(600, 100)}))["comparisons"]

    assert found["verdict"] == "loses" and found["pays_from"]["median"] is None
    assert found["gain"]["upper"] < 1 and found["cost"]["is"] == "more"


def test_a_rate_of_bits_has_a_gain_and_no_cost(tmp_path):
    document = fit_table(table(tmp_path, "Gbit/s", before=network(600, 100), after=network(600, 20)))
    (found,) = document["comparisons"]

    assert found["verdict"] == "gains" and found["cost"] is None
    assert "which cost went is not told" in " ".join(fit_table_text(document).split())


def test_variants_without_a_pair_are_not_compared(tmp_path):
    document = fit_table(table(tmp_path, a=network(600, 100), b=network(600, 20), c=network(500, 20)))

    assert document["comparisons"] == [] and "Before and after" not in fit_table_text(document)


def test_gains_are_asked_for_beyond_the_table_too(tmp_path):
    file = table(tmp_path, before=network(600, 100), after=network(600, 20))
    (found,) = fit_table(file, (32,))["comparisons"]
    last = found["gains"][-1]

    assert last["n"] == 32 and last["extrapolated"] and last["measured"] is None
    assert last["lower"] <= (network(600, 20, (32,)) / network(600, 100, (32,)))[0] <= last["upper"]
    assert found == fit_table(file, (32,))["comparisons"][0]
