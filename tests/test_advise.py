"""What to measure next: candidates, what a measurement promises against what it gives, and the answers in words."""

import json
import math
import re
import shlex

import numpy as np
import pytest

from advice_study import cases, weights_after, width_at
from mpps import cli, compare, paths
from mpps.advise import advise, advise_path, candidates_for
from mpps.advise.weighing import Believed, weighed
from mpps.errors import DataError, MppsError, UnknownNameError
from mpps.table import fit

N, RATE = [1, 2, 4, 8, 16], [1.5, 2.8, 4.1, 4.4, 4.2]


@pytest.fixture(scope="module")
def told():
    return advise(fit(N, RATE), 64)


# Candidates


@pytest.mark.parametrize(
    ("measured", "target", "top"),
    [([1, 2, 4, 8], 64, 16), ([1, 2, 4, 8], 12, 9), ([1, 2, 4, 8], 9, 8), ([1, 2, 4, 8], 6, 8), ([3], 100, 6), ([1], 2, 1)],
)
def test_candidates_lie_around_the_measured_counts(measured, target, top):
    found = candidates_for(measured, target)

    assert found == sorted(set(found)) and len(found) <= 24
    assert found[0] == 1 and found[-1] == top and set(measured) <= set(found)


def test_candidates_of_long_tables_are_few_and_evenly_spread():
    found = np.array(candidates_for(range(1, 2000), 8000))

    assert 12 <= len(found) <= 24 and found[-1] == 3998
    assert np.diff(np.log(found)).max() < 2.2


# Weighing


def believed(here, there, label, scatter=0.05, gain=0.0):
    outcomes = here + scatter * np.random.default_rng(3).standard_normal(len(here))
    spread = np.full(len(here), scatter)
    return Believed(label, outcomes, here, spread, there, np.full(len(here), gain), spread)


def test_a_normal_belief_is_known_after_a_measurement_as_conditioning_says():
    """Draws that are normal at the candidate and at the target: the width afterwards is that of the conditional normal."""
    rng = np.random.default_rng(2)
    there = rng.normal(0, 0.5, 4000)
    here = 0.8 * there + rng.normal(0, 0.2, 4000)
    label = np.zeros(4000, int)
    before = np.exp(np.quantile(there + 0.05 * rng.standard_normal(4000), (0.05, 0.25, 0.5, 0.75, 0.95)))
    found = weighed("", 8, before, ["only"], [("", 4, 0)], [believed(here, there, label)], 4, 1)

    covariance, variance = 0.8 * 0.25, 0.64 * 0.25 + 0.04 + 0.05**2
    expected = 2 * 1.6449 * np.sqrt(0.25 - covariance**2 / variance + 0.05**2)
    assert found.best.width == pytest.approx(expected, rel=0.05)
    assert found.width == pytest.approx(2 * 1.6449 * np.sqrt(0.25 + 0.05**2), rel=0.05)
    assert found.best.disagreement == pytest.approx(np.sqrt(0.64 * 0.25 + 0.04), rel=0.05)
    assert found.apart == 1 and found.leading == (("only", 1.0),)


def test_two_explanations_are_told_apart_as_often_as_their_normals_overlap():
    label = np.repeat([0, 1], [2400, 1600])
    here = np.where(label, 0.1, 0.0)
    before = np.array([0.5, 0.8, 1, 1.2, 2.0])
    far, near = (believed(here * factor, here, label) for factor in (10, 1))
    found = weighed("", 8, before, ["one", "other"], [("", 4, 1), ("", 5, 0)], [near, far], 4, 1)

    looks = {look.n: look for look in found.looks}
    assert found.leading == (("one", 0.6), ("other", 0.4)) and found.apart == pytest.approx(0.6)
    assert looks[5].apart == pytest.approx(1.0, abs=1e-3) and found.best.n == 5
    # Best guess with odds 0.6 to 0.4 of normals two standard deviations apart: the sum of the two tails.
    edge = 1 + math.log(0.6 / 0.4) / 2
    tail = lambda z: 0.5 * math.erfc(z / math.sqrt(2))
    assert looks[4].apart == pytest.approx(1 - 0.6 * tail(edge) - 0.4 * tail(2 - edge), abs=0.03)


def test_values_that_follow_the_measurement_are_known_from_it():
    rng = np.random.default_rng(2)
    here = rng.normal(0, 1e-6, 4000)
    one = believed(here, here, np.zeros(4000, int), scatter=0.3, gain=1.0)
    one = Believed(one.label, one.outcomes, one.here, one.here_spread, one.there, one.gain, np.full(4000, 0.1))
    found = weighed("", 8, np.exp([-0.5, -0.2, 0, 0.2, 0.5]), ["only"], [("", 4, 0)], [one], 4, 1)

    assert found.best.width == pytest.approx(2 * 1.6449 * 0.1, rel=0.05)


# Tables


def test_the_advice_is_where_explanations_part(told):
    assert told.target == 64 and told.largest == 16
    assert told.best.n == 32 and told.best.repeats == 0
    assert told.shrinks(told.best) > 0.4 and told.shrinks(told.within) < 0.1
    assert told.within.n <= 16
    assert [look.width for look in told.looks] == sorted(look.width for look in told.looks)
    by_count = {look.n: look for look in told.looks}
    assert by_count[8].repeats == 1 and by_count[32].disagreement > 5 * by_count[8].disagreement


def test_the_advice_is_the_same_again(told):
    again = advise(fit(N, RATE), 64)

    assert again.looks == told.looks and np.array_equal(again.quantiles, told.quantiles)
    assert advise(fit(N, RATE)).target == 64


def test_the_advice_does_not_depend_on_the_unit(told):
    other = advise(fit(N, np.array(RATE) * 8), 64)

    assert other.quantiles / 8 == pytest.approx(told.quantiles, rel=1e-9)
    assert [look.width for look in other.looks] == pytest.approx([look.width for look in told.looks], rel=1e-6)


def test_candidates_may_be_chosen():
    found = advise(fit(N, RATE), 64, [3, 6, 6])

    assert sorted(look.n for look in found.looks) == [3, 6]
    for wrong, error in (([], MppsError), ([0], DataError)):
        with pytest.raises(error):
            advise(fit(N, RATE), 64, wrong)


@pytest.mark.parametrize(("n", "rate"), [([4], [3.0]), ([1, 2], [1.0, 1.8]), ([1, 2, 4, 8], [5.0] * 4), ([1, 50_000], [1, 9.0])])
def test_any_table_gets_advice(n, rate):
    found = advise(fit(n, rate))

    assert all(np.isfinite([look.width, look.disagreement, look.scatter, look.apart]).all() for look in found.looks)
    assert found.shrinks(found.best) > 0


def test_the_promised_width_is_the_one_that_comes(told):
    """Measurements drawn from what the fit believes at the advised count, and the fit anew with each."""
    from mpps.table import forecast_points

    drawn = forecast_points(fit(N, RATE), [told.best.n]).noisy[::400, 0]
    widths = [width_at(fit([*N, told.best.n], [*RATE, np.exp(value)]), 64) for value in drawn]

    assert told.best.width == pytest.approx(np.mean(widths), rel=0.15)


def test_the_advised_count_finds_the_family():
    """A small part of tests/slow/test_advice.py."""
    names = "USL", "saturating station"
    found = cases(names, [1, 2, 4, 8, 16], 12, 3)
    weights = [weights_after(case, names, advise(case.fit, 64, [3, 6, 8, 12, 16, 32]), 7) for case in found]
    advised, others = (np.mean(part) for part in zip(*((each[0], np.median(each[1:])) for each in weights), strict=True))

    assert advised > others + 0.1


# Code paths


@pytest.fixture(scope="module")
def transmit():
    return compare.fit(paths.load_path("packet_transmit"), "all")


def test_a_path_is_advised_over_its_variants(transmit):
    found = advise_path(transmit, 80)

    assert {look.variant for look in found.looks} == {"bypass", "qdisc", "qdisc with packet_rcv"}
    assert found.best.variant == found.variant and found.best.repeats == 0
    assert 0.1 < found.shrinks(found.best) < 0.9
    machine_has = 32
    assert max(look.n for look in found.looks) <= machine_has
    fixed = advise_path(transmit, 80, [4, 20], variant="bypass")
    assert fixed.variant == "bypass" and {look.n for look in fixed.looks} == {4, 20}
    assert {look.repeats for look in fixed.looks} == {1}


def test_mistakes_of_a_path(transmit):
    with pytest.raises(MppsError, match="no count to measure"):
        advise_path(transmit, 80, [])
    with pytest.raises(UnknownNameError, match="bypass"):
        advise_path(transmit, 80, variant="bypas")


# The command


def run(capsys, line):
    status = cli.main(shlex.split(line))
    out, err = capsys.readouterr()
    return status, out, err


def test_a_table_in_words_and_as_a_document(capsys, tmp_path):
    file = tmp_path / "mine.csv"
    rows = [f"{variant},{n},rate,{rate * factor},Mpps" for variant, factor in (("before", 1), ("after", 1.5)) for n, rate in zip(N, RATE)]
    file.write_text("variant,n,metric,value,unit\n" + "\n".join(rows) + "\n", encoding="utf-8")
    status, out, err = run(capsys, f"advise {file} --at 64")
    said = " ".join(out.split())

    assert status == 0 and err == ""
    for variant in ("before", "after"):
        assert re.search(f"Measure '{variant}' at 32: the 90 % interval of '{variant}' at 64 is [01].* Mpps, a factor of ", said)
    assert "Up to 16, the largest so far" in said or "No count up to 16, the largest so far, narrows it." in said

    status, out, _ = run(capsys, f"advise {file} --at 64 --variant after --json")
    document = json.loads(out)
    series = document["series"][0]
    assert status == 0 and document["schema"] == "mpps.advise/1" and document["best"] == 0
    assert [name.rpartition("/")[2] for name in document["data_sha256"]] == ["mine.csv"] and document["seed"] == 1
    assert (series["variant"], series["n"], series["unit"], series["largest"]) == ("after", 64, "Mpps", 16)
    assert series["now"]["factor"] == pytest.approx(series["now"]["upper"] / series["now"]["lower"])
    assert series["next"] == series["candidates"][0] and series["next"]["n"] == 32
    assert series["next"]["factor"] == pytest.approx(series["now"]["factor"] ** (1 - series["next"]["shrinks"]))
    assert series["within"]["n"] <= 16


def test_a_path_in_words(capsys):
    status, out, err = run(capsys, "advise fraglist_gro --at 8")
    said = " ".join(out.split())

    assert status == 0 and err == ""
    assert "Measure 'rx-gro-list off' at 1: the 90 % interval of 'rx-gro-list off' at 8 is" in said
    assert "Mbit/s, a factor of 1." in said and "it names the right one with probability" in said


def test_nothing_more_to_learn_is_said(capsys):
    _, out, _ = run(capsys, "advise tun_receive")

    assert "No single measurement narrows what is known by more than 3 %" in " ".join(out.split())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("advise tun_recieve", "did you mean 'tun_receive'"),
        ("advise tun_receive --at 4,8", "found 2 counts"),
        ("advise tun_receive --at 0", "found '0'"),
        ("advise tun_receive --variant netif_rc", "did you mean 'netif_rx'"),
        ("advise tun_receive --variant netif_rx --variant netif_receive_skb", "found 2 variants"),
        ("advise tun_receive --unit Mpps", "--unit"),
        ("advise", "PATH|FILE"),
    ],
)
def test_a_mistake_is_one_paragraph(capsys, line, said):
    status, out, err = run(capsys, line)

    assert status == 2 and out == ""
    assert said in err and err.startswith("mpps: ") and err.count("\n") == 1
