"""What-ifs of a table: predictions against exactly solvable removals, the verdict, documents, and bad input."""

import json
import math
import shlex

import numpy as np
import pytest
from closed import locks, rates, table

import mpps
from mpps import cli
from mpps.answers.patch import whatif_table
from mpps.answers.patch.verdict import measure_first, verdict
from mpps.change import GAIN, ChangeForecast, learnt_population
from mpps.errors import DataError, MppsError, UnknownNameError
from mpps.lock_profiles import lock_run
from mpps.sentences.patch import verdict_words
from mpps.table import points

COUNTS = [1, 2, 4, 8, 16]
SEED_TABLE = "data/measurements/pppoe_receive_sync.csv"
#: Think time, section of the lock that is removed, section of the one that stays (ns).
NETWORKS = [(800, 200, 60), (900, 80, 20), (500, 300, 290)]


def answer(think, first, second, **options):
    """The answer for the removal of the first of two stations, and the truth after it."""
    after = rates(think, [second], COUNTS)
    reading = table(COUNTS, before=rates(think, [first, second], COUNTS), after=after)
    return whatif_table(reading, start="before", change="removal", **options)["series"][0], after


def run(capsys, line):
    status = cli.main(shlex.split(line))
    return status, *capsys.readouterr()


# The prediction


@pytest.mark.parametrize("network", NETWORKS)
def test_a_removal_that_can_be_solved_lies_inside(network):
    """With the rate of a lone sender known: all five counts inside the 90 % interval."""
    lone = rates(network[0], [network[2]], [1])[0]
    series, truth = answer(*network, known={1: lone})
    inside = [row["lower"] <= rate <= row["upper"] for row, rate in zip(series["predictions"], truth, strict=True)]

    assert all(inside)


@pytest.mark.parametrize("network", NETWORKS)
def test_one_point_more_comes_nearer(network):
    """The rate at eight senders, known too: the median at sixteen is nearer, the interval narrower, the truth inside."""
    lone, eight = rates(network[0], [network[2]], [1, 8])
    few, truth = answer(*network, known={1: lone})
    more, _ = answer(*network, known={1: lone, 8: eight})
    off = [abs(math.log(series["predictions"][-1]["median"] / truth[-1])) for series in (few, more)]
    wide = [series["predictions"][-1]["upper"] / series["predictions"][-1]["lower"] for series in (few, more)]

    assert off[1] <= off[0] + 0.05 and wide[1] < wide[0]
    assert more["predictions"][-1]["lower"] <= truth[-1] <= more["predictions"][-1]["upper"]


def test_a_profile_makes_the_share_of_a_lock_data():
    """Two locks of nearly one length: the waits say that most of the contended time stays, and the interval shrinks."""
    think, first, second = 500, 300, 290
    lone = rates(think, [second], [1])[0]
    reading, rate = locks(think, [first, second], 16)
    profile = lock_run(reading, rate=rate, seconds=10.0, cores=16)
    series, truth = answer(think, first, second, known={1: lone}, profile=profile, lock="lock 0")
    last = series["profile"]["shrinks"][-1]

    assert last["n"] == 16 and last["with"] < 0.6 * last["without"]
    assert last["with"] == pytest.approx(series["predictions"][-1]["upper"] / series["predictions"][-1]["lower"])
    assert series["predictions"][-1]["lower"] <= truth[-1] <= series["predictions"][-1]["upper"]
    assert 0.4 < series["profile"]["share_of_waits"] < 0.7


def test_a_profile_of_the_lock_that_holds_all_waits_moves_the_median_up():
    think, first, second = 800, 200, 20
    lone = rates(think, [second], [1])[0]
    reading, rate = locks(think, [first, second], 16)
    without, truth = answer(think, first, second, known={1: lone})
    series, _ = answer(
        think, first, second, known={1: lone}, profile=lock_run(reading, rate=rate, seconds=10.0, cores=16)
    )

    assert series["profile"]["lock"] == "lock 0" and series["profile"]["share_of_waits"] > 0.95
    assert abs(math.log(series["predictions"][-1]["median"] / truth[-1])) < abs(
        math.log(without["predictions"][-1]["median"] / truth[-1])
    )


def test_a_rate_of_each_sender_is_answered_as_such():
    """A table of rates per thread: everything, the known point too, in its own unit."""
    before = rates(800, [200, 60], COUNTS)
    whole = whatif_table(table(COUNTS, before=before), start="before", change="removal", known={1: before[0] * 1.1})
    per = table(COUNTS, before=[rate / n for rate, n in zip(before, COUNTS, strict=True)])
    rows = tuple(type(row)(**{**row.__dict__, "unit": "packets/s/thread"}) for row in per.rows)
    each = whatif_table(type(per)(rows, per.formats), start="before", change="removal", known={1: before[0] * 1.1})

    for one, other, n in zip(whole["series"][0]["predictions"], each["series"][0]["predictions"], COUNTS, strict=True):
        assert other["median"] * n == pytest.approx(one["median"], rel=1e-6)


def test_units_do_not_matter():
    before = rates(800, [200, 60], COUNTS)
    one = whatif_table(table(COUNTS, before=before), start="before", change="cost")["series"][0]
    other = whatif_table(table(COUNTS, before=[rate * 1e-6 for rate in before]), start="before", change="cost")[
        "series"
    ][0]

    assert [row["median"] * 1e-6 for row in one["predictions"]] == pytest.approx(
        [row["median"] for row in other["predictions"]]
    )


def test_what_is_known_of_a_published_pair_is_not_used_for_it():
    said = whatif_table(SEED_TABLE, start="both locks", change="removal")["assumptions"][0]["says"]

    assert "those of pppoe not among them" in said
    assert learnt_population("pppoe").words in said


# The verdict


def forecast(gain, n=(1.0, 2.0, 4.0), quantiles=None):
    """A forecast whose draws of the log gain are given, (K, P)."""
    gain = np.asarray(gain, float)
    rate = np.exp(np.quantile(gain, (0.05, 0.25, 0.5, 0.75, 0.95), axis=0)) if quantiles is None else quantiles
    limits = np.tile([[1.0], [0.0], [0.0], [0.0]], (1, len(n)))
    return ChangeForecast(
        np.array(n),
        rate,
        gain,
        np.ones(len(n)),
        np.ones(len(n), bool),
        np.ones((len(gain), 2)),
        limits,
        learnt_population(),
    )


TABLE = points([1, 2, 4], [1.0, 1.5, 1.8])


@pytest.mark.parametrize(
    ("middle", "spread", "kind"),
    [(0.5, 0.1, "gain"), (-0.5, 0.1, "loss"), (0.0, 0.001, "no gain"), (0.02, 0.2, "cannot tell"), (2.0, 1.0, "gain")],
)
def test_kinds_of_verdict(middle, spread, kind):
    draws = middle + spread * np.random.default_rng(1).standard_normal((4000, 3))
    found = verdict(forecast(draws), [0, 1, 2], "removal", TABLE, {})

    assert found["kind"] == kind
    assert found["probability"] == pytest.approx((draws[:, 2] > np.log(GAIN)).mean())
    assert found["wide"] == (spread == 1.0)


@pytest.mark.parametrize("known", [{}, {1.0: 1.0}])
@pytest.mark.parametrize(
    ("gains", "loses", "kind", "said"),
    [
        (0.92, 0.0, "gain", "The change gains more than 1 % from n = 1 on"),
        (0.87, 0.0, "probable gain", "The change probably gains more than 1 % from n = 1 on"),
        (0.72, 0.0, "cannot tell", "Cannot tell from this table"),
        (0.0, 0.92, "loss", "The change loses at n = 4"),
        (0.0, 0.87, "probable loss", "The change probably loses at n = 4"),
        (0.05, 0.5, "no gain", "The change gains nothing at n = 4"),
        (0.2, 0.5, "probably no gain", "The change probably gains nothing at n = 4"),
        (0.4, 0.5, "cannot tell", "Cannot tell from this table"),
    ],
)
def test_a_verdict_says_no_more_than_its_probability(gains, loses, kind, said, known):
    share = (np.arange(1000) + 0.5) / 1000
    # Draws that neither gain nor lose are at 0, so that the shares are exact.
    draws = np.where(share < gains, 0.5, np.where(share > 1 - loses, -0.5, 0.0))
    found = verdict(forecast(np.tile(draws[:, None], 3)), [0, 1, 2], "cost", TABLE, known)
    series = {"verdict": found, "gain_above": 0.01, "next_bottleneck": "private work", "next_bottleneck_probability": 1.0}

    assert found["kind"] == kind
    assert verdict_words(series | {"profile": None})[0].startswith(said)


def test_a_gain_begins_where_it_stays():
    """Sure at 1 and at 4 but not at 2: it begins at 4."""
    rng = np.random.default_rng(1)
    draws = np.array([0.5, 0.0, 0.5]) + 0.1 * rng.standard_normal((4000, 3))

    assert verdict(forecast(draws), [0, 1, 2], "cost", TABLE, {})["gain_from"] == 4


def test_the_count_to_measure_first_is_the_one_that_tells():
    """The draws at 2 hold the answer at 4, those at 1 nothing: measure at 2, which leaves what they leave."""
    rng = np.random.default_rng(1)
    two = rng.standard_normal(4000)
    draws = np.stack([rng.standard_normal(4000), two, two + 0.1 * rng.standard_normal(4000)], 1)
    found = measure_first(forecast(draws), [0, 1, 2], TABLE)

    assert found["n"] == 2
    assert found["factor"] == pytest.approx(np.exp(2 * 1.645), rel=0.1)
    assert found["left"] == pytest.approx(np.exp(2 * 1.645 * np.hypot(0.1, 0.03)), rel=0.15)


def test_a_known_count_is_not_asked_for_again():
    rng = np.random.default_rng(1)
    two = rng.standard_normal(4000)
    draws = np.stack([rng.standard_normal(4000), two, two], 1)

    assert measure_first(forecast(draws), [0, 1, 2], TABLE, {2.0: 1.0})["n"] == 1
    assert measure_first(forecast(draws), [0, 1, 2], TABLE, {1.0: 1.0, 2.0: 1.0, 4.0: 1.0}) is None


def test_the_two_locks_from_the_curve_with_both():
    """One lone rate more cannot part the patches; eight senders do: one lock only moves the limit, none sets it free."""
    found = {}
    for name, known in (("ppp lock only", {1: 19.63, 8: 51.5}), ("no lock", {1: 19.89, 8: 123.76})):
        first = whatif_table(SEED_TABLE, start="both locks", change="removal", known={1: known[1]}, compare=name)[
            "series"
        ][0]
        assert first["verdict"]["kind"] == "cannot tell" and first["verdict"]["measure_first"]["n"] == 8
        found[name] = whatif_table(SEED_TABLE, start="both locks", change="removal", known=known, compare=name)[
            "series"
        ][0]
    one, none = found["ppp lock only"], found["no lock"]

    assert one["predictions"][-1]["upper"] < none["predictions"][-1]["lower"]
    for series in (one, none):
        row = series["predictions"][-1]
        assert row["n"] == 16 and row["lower"] < row["observed"] < row["upper"]
    assert one["next_bottleneck"] != "private work" and none["next_bottleneck"] == "private work"
    assert none["verdict"]["kind"] == "gain"


# Documents


def test_the_document_has_what_programs_rely_on():
    document = whatif_table(
        SEED_TABLE, [4, 8, 32], start="both locks", change="removal", known={1: 19.63}, compare="ppp lock only"
    )
    (series,) = document["series"]

    assert document["schema"] == "mpps.whatif/1" and document["seed"] == 1
    assert {"versions", "data_sha256", "assumptions", "warnings"} <= set(document)
    keys = {
        "dataset",
        "from",
        "change",
        "unit",
        "gain_probability",
        "next_bottleneck",
        "predictions",
        "gain",
        "limits",
        "before",
        "verdict",
        "rests_on",
    }
    assert keys <= set(series)
    assert [row["n"] for row in series["predictions"]] == [4, 8, 32] == [row["n"] for row in series["gain_probability"]]
    assert [row["observed"] for row in series["predictions"]] == [63.48, 51.5, None]
    assert [row["extrapolated"] for row in series["predictions"]] == [False, False, True]
    for row in series["predictions"]:
        assert 0 < row["lower"] < row["lower50"] < row["median"] < row["upper50"] < row["upper"]
    assert all(0 <= row["p"] <= 1 for row in series["gain_probability"])
    for n in (4, 8, 32):
        assert sum(row["probability"] for row in series["limits"] if row["n"] == n) == pytest.approx(1)
    assert series["next_bottleneck"] == next(row["resource"] for row in series["limits"] if row["n"] == 32)
    shares = [value for key, value in series["rests_on"].items() if key != "n"]
    assert sum(shares) == pytest.approx(1) and min(shares) >= 0
    json.dumps(document, allow_nan=False)


def test_a_seed_is_kept_and_another_one_agrees():
    first, same, other = (
        whatif_table(SEED_TABLE, start="both locks", change="removal", seed=seed)["series"][0]["predictions"]
        for seed in (1, 1, 2)
    )

    assert first == same and first != other
    assert all(a["median"] == pytest.approx(b["median"], rel=0.05) for a, b in zip(first, other, strict=True))


def test_a_comparison_does_not_change_the_prediction():
    plain = whatif_table(SEED_TABLE, start="both locks", change="removal")["series"][0]
    beside = whatif_table(SEED_TABLE, start="both locks", change="removal", compare="no lock")["series"][0]

    assert [row["median"] for row in plain["predictions"]] == [row["median"] for row in beside["predictions"]]


def test_the_top_level_name():
    assert mpps.whatif_table is whatif_table


def test_a_table_without_contention_is_told():
    document = whatif_table(table(COUNTS, before=[1e6 * n for n in COUNTS]), start="before", change="removal")

    assert any("nothing in this table is contended" in text for text in document["warnings"])
    assert document["series"][0]["verdict"]["kind"] != "gain"


# The command and bad input


def test_the_command_answers_as_the_library(capsys):
    status, out, err = run(
        capsys, f'whatif {SEED_TABLE} --from "both locks" --change removal --known 1=19.63 --cores 1,16 --seed 5 --json'
    )
    expected = whatif_table(SEED_TABLE, [1, 16], start="both locks", change="removal", known={1: 19.63}, seed=5)

    assert status == 0 and err == ""
    assert json.loads(out) == json.loads(json.dumps(expected))


def test_the_answer_in_words(capsys):
    status, out, _ = run(
        capsys, f'whatif {SEED_TABLE} --from "both locks" --change removal --known 1=19.63 --compare "ppp lock only"'
    )
    said = " ".join(out.split())

    assert status == 0
    assert "Cannot tell from this table: at n = 16 a gain above 1 % has probability" in said
    assert "Measure the after variant at n = 8 first" in said
    assert "measured: ppp lock only" in said and "61.33" in said


def test_options_of_read_are_taken(capsys, tmp_path):
    file = tmp_path / "odd.csv"
    file.write_text(
        "what;k;speed\nold;1;1.0\nold;2;1.6\nold;4;2.1\nnew;1;1.1\nnew;2;2.1\nnew;4;3.9\n", encoding="utf-8"
    )
    status, out, err = run(
        capsys,
        f"whatif {file} --n k --value speed --variant what --unit Mpps --from old --change removal --compare new --json",
    )

    assert status == 0, err
    assert [row["observed"] for row in json.loads(out)["series"][0]["predictions"]] == [1.1, 2.1, 3.9]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ('--from "both lock" --change removal', "unknown variant 'both lock': did you mean 'both locks'"),
        (
            '--from "both locks" --change removal --known 1=1050kpps',
            "found '1=1050kpps': units are not taken here: expected the bare number, in the unit of the table, Gbit/s",
        ),
        (
            '--from "both locks" --change removal --known "2=30,1=19 Gbit/s"',
            "found '1=19 Gbit/s': units are not taken here",
        ),
        ('--from nobody --change removal --known 1=2Mpps', "in the unit of the table; convert the rate"),
        ('--from "both locks" --change remove', "unknown kind of change 'remove': did you mean 'removal'"),
        ('--from "both locks"', "nothing changes: say with --change"),
        ('--from "both locks" --change removal --without "socket lock"', "--without needs a code path"),
        ('--from "both locks" --change removal --machine epyc_9654', "--machine needs a code path"),
        ('--from "both locks" --change removal --known 3=20', "has no n = 3: expected one of 1, 2, 4, 8, 16"),
        (
            '--from "both locks" --change removal --known 1=194.5',
            "above what one core can do: before the change n = 1 carries 19.08",
        ),
        ('--from "both locks" --change removal --known 1=19.4,4=200', "what one core can do"),
        ('--from "both locks" --change removal --known 1=1,1=2', "n = 1 is given twice"),
        ('--from "both locks" --change removal --known 1.5=2', "expected count=rate after the change"),
        ('--from "both locks" --change removal --known 1:2', "expected count=rate after the change"),
        ('--from "both locks" --change removal --compare new', "unknown variant to compare with 'new'"),
        ('--from "both locks" --change removal --lock x', "--lock names a lock of a profile"),
        ('--from "both locks" --change removal --lock-profile x', "needs --rate, --seconds, --cores-used too"),
        ('--from "both locks" --change removal --json --text', "--json and --text at once"),
        ('--from "both locks" --change removal --cores 0-4', "expected core counts from 1"),
    ],
)
def test_mistakes_are_one_paragraph(capsys, options, words):
    status, out, err = run(capsys, f"whatif {SEED_TABLE} {options}")

    assert status == 2 and out == ""
    assert words in err and err.startswith("mpps: ") and len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ('--from "both locks" --without lock', "unknown stage 'lock'"),
        ('--from "both locks" --change removal', "--change is for a table of your own"),
        ('--from "both locks" --without "socket lock" --known 1=2', "--known is for a table of your own"),
        ('--from "both locks" --without "socket lock" --n k', "--n says how to read a file"),
    ],
)
def test_mistakes_with_a_path_too(capsys, options, words):
    status, out, err = run(capsys, f"whatif pppoe_receive {options}")

    assert status == 2 and out == "" and words in err


def test_one_count_says_nothing_of_a_change():
    with pytest.raises(DataError, match="found one count .*: how a change acts follows from two counts at least"):
        whatif_table(table([4], before=[1e6]), start="before", change="removal")


def test_counts_below_the_table_are_told():
    with pytest.raises(DataError, match="n = 1 lies below the smallest count of the table, 2"):
        whatif_table(table([2, 4], before=[1e6, 1.5e6]), [1, 4], start="before", change="removal")


def test_a_profile_of_a_count_outside_the_table_is_told():
    reading, rate = locks(800, [200, 60], 32)
    profile = lock_run(reading, rate=rate, seconds=10.0, cores=32)

    with pytest.raises(MppsError, match="used 32 cores: expected a count"):
        answer(800, 200, 60, profile=profile)


def test_a_profile_of_another_run_is_told():
    reading, rate = locks(100, [200, 60], 16)
    profile = lock_run(reading, rate=rate * 0.5, seconds=20.0, cores=16)
    document = whatif_table(
        table(COUNTS, before=rates(800, [200, 60], COUNTS)), start="before", change="removal", profile=profile
    )

    assert any("times the rate of the table at n = 16" in text for text in document["warnings"])


def test_a_lock_that_the_profile_has_not_is_told():
    reading, rate = locks(800, [200, 60], 16)
    with pytest.raises(UnknownNameError, match="unknown lock of the profile 'x'"):
        answer(800, 200, 60, profile=lock_run(reading, rate=rate, seconds=10.0, cores=16), lock="x")
