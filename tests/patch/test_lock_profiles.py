"""Lock profiles: times of one packet, and whole curves from one profiled run, against exact closed networks."""

import json
import math
import shlex

import numpy as np
import pytest
from closed import locks, mean_values, rates

from mpps import cli
from mpps.answers.profiled import predict_profile
from mpps.errors import DataError, MppsError, UnknownNameError
from mpps.lock_forecast import forecast_run
from mpps.lock_levers import HALVED, REMOVED, lock_levers
from mpps.lock_profiles import lock_run
from mpps.readers import LockUse, Reading
from mpps.sentences.profiled import predict_profile_text
from mpps.simulation import simulate

COUNTS = [1, 2, 4, 8, 16, 32]
#: 10,000,000 packets in 2.5 s with 8 cores: 2,000 ns a lap, 400 of them waiting, 200 under the lock.
LOCK_STAT = """lock_stat version 0.4
-----------------------------------------------------------------------------------------------
                              class name    con-bounces    contentions   waittime-min   waittime-max waittime-total   waittime-avg    acq-bounces   acquisitions   holdtime-min   holdtime-max holdtime-total   holdtime-avg
-----------------------------------------------------------------------------------------------
                        &qdisc->lock:        900000        1000000           0.05          30.00      4000000.00           4.00        9000000       10000000           0.05          40.00      2000000.00           0.20
                        &other->lock:          9000          10000           0.05          30.00       100000.00          10.00        9000000       10000000           0.05          40.00       500000.00           0.05
"""
RUN = "--rate 4Mpps --seconds 2.5 --cores-used 8"


@pytest.fixture
def profile(tmp_path):
    file = tmp_path / "locks.txt"
    file.write_text(LOCK_STAT, encoding="utf-8")
    return str(file)


def run_of(think, demands, n, holds=True):
    reading, rate = locks(think, demands, n, holds=holds)
    return lock_run(reading, rate=rate, seconds=10.0, cores=n)


def test_times_are_those_of_one_packet(profile):
    found = lock_run(profile, rate=4e6, seconds=2.5, cores=8)

    assert [lock.name for lock in found.locks] == ["&qdisc->lock", "&other->lock"]
    assert math.isclose(found.locks[0].wait_ns, 400) and math.isclose(found.locks[0].hold_ns, 200)
    assert math.isclose(found.lap_ns, 2000)


def test_a_lock_is_found_by_a_part_of_its_name(profile):
    found = lock_run(profile, rate=4e6, seconds=2.5, cores=8)

    assert found.lock("qdisc").name == found.lock().name == "&qdisc->lock"
    for name in ("lock", "nothing", ""):
        with pytest.raises(UnknownNameError, match="known: &qdisc->lock, &other->lock"):
            found.lock(name)


def test_callers_of_one_name_are_summed():
    uses = (LockUse("a", 1, 5, 1000.0), LockUse("b", 2, 5, 1500.0), LockUse("a", 3, 5, 2000.0))
    found = lock_run(Reading((), (("x", "perf-lock", ""),), locks=uses), rate=10.0, seconds=1.0, cores=4)

    assert [(lock.name, lock.wait_ns, lock.hold_ns) for lock in found.locks] == [("a", 300.0, None), ("b", 150.0, None)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rate": 4e7}, "sum to 41 ns a packet, but 8 cores .* have only 20"),
        ({"cores": 1, "rate": 2.3e6}, "have only 435 ns"),
        ({"rate": 0.0}, "rate = 0: expected a positive number"),
        ({"seconds": math.inf}, "seconds = inf"),
        ({"cores": 2.5}, "cores used = 2.5: expected a whole number"),
    ],
)
def test_what_contradicts_the_waits_is_told(profile, change, words):
    if "rate" in change and change["rate"] == 4e7:
        change |= {"seconds": 2.5, "cores": 1}
        words = "but 1 cores .* have only 25 ns"
    with pytest.raises(MppsError, match=words):
        lock_run(profile, **({"rate": 4e6, "seconds": 2.5, "cores": 8} | change))


def test_a_file_without_locks_is_told():
    with pytest.raises(DataError, match="found no locks: expected the output of perf lock contention"):
        lock_run("data/examples/posted_table.txt", rate=1.0, seconds=1.0, cores=1)


@pytest.mark.parametrize("holds", [True, False], ids=["hold and wait", "wait alone"])
@pytest.mark.parametrize(
    ("think", "demands", "n"), [(800, [200, 60], 8), (900, [80, 20], 16), (500, [300, 290], 4), (2000, [20], 8)]
)
def test_the_curve_is_that_of_the_network(think, demands, n, holds):
    """From one run of an exact network: medians near, and every rate inside its 90 % interval."""
    truth = rates(think, demands, COUNTS)
    found = forecast_run(run_of(think, demands, n, holds), COUNTS)
    lower, median, upper = found.quantiles[[0, 2, 4]]

    assert (np.abs(median / truth - 1) < 0.1).all()
    assert ((lower < truth) & (truth < upper)).all()
    assert math.isclose(median[COUNTS.index(n)], truth[COUNTS.index(n)], rel_tol=0.02)


def test_sections_and_private_work_are_those_of_the_network():
    found = forecast_run(run_of(900, [80, 20], 16), [16])

    assert found.private_ns[1] < 900 < found.private_ns[2]
    assert found.section_ns[0][1] < 80 < found.section_ns[0][2]
    assert found.section_ns[1][1] < 20 < found.section_ns[1][2]


def test_what_limits_is_the_busiest():
    found = forecast_run(run_of(900, [80, 20], 16), [1, 64])

    assert found.locks == ("lock 0", "lock 1")
    assert found.limits[:, 0].argmax() == 2 and found.limits[:, 1].argmax() == 0
    assert np.allclose(found.limits.sum(0), 1)


def test_a_hold_narrows_what_is_said_far_away():
    """Without it nobody knows how a section grows with its queue."""
    width = {
        holds: np.ptp(np.log(forecast_run(run_of(900, [80, 20], 8, holds), [64]).quantiles[[0, 4], 0]))
        for holds in (True, False)
    }

    assert width[True] < 0.8 * width[False]


def test_the_profiled_rate_is_the_rate_of_its_count():
    run = run_of(800, [200, 60], 8)
    document = predict_profile(run, [4, 8, 16])
    rows = {row["n"]: row for row in document["series"][0]["predictions"]}

    assert rows[8]["observed"] == pytest.approx(run.rate_pps) and not rows[8]["extrapolated"]
    assert rows[4]["observed"] is None and rows[4]["extrapolated"]
    assert rows[8]["upper"] / rows[8]["lower"] < rows[16]["upper"] / rows[16]["lower"]


def test_waits_of_the_profile_are_those_of_the_network():
    _, stay = mean_values(800, [200, 60], 8)[7]
    lock = predict_profile(run_of(800, [200, 60], 8), [8])["series"][0]["locks"][0]

    assert lock["lock"] == "lock 0" and lock["wait_ns"] == pytest.approx(stay[0] - 200)
    assert lock["hold_ns"] == pytest.approx(200)


# What removing or halving a lock would bring


def after(think, demands, place, change):
    """The network with one lock removed, its work private, or half as long."""
    if change == REMOVED:
        return think + demands[place], [each for k, each in enumerate(demands) if k != place] or [1e-9]
    return think, [each / 2 if k == place else each for k, each in enumerate(demands)]


@pytest.mark.parametrize("holds", [True, False], ids=["hold and wait", "wait alone"])
@pytest.mark.parametrize(("think", "demands", "n"), [(800, [200, 60], 8), (900, [80, 30], 16), (500, [300, 290], 4)])
def test_gains_are_those_of_the_network(think, demands, n, holds):
    """Every gain of the exact network inside its 90 % interval, medians near."""
    before = np.array(rates(think, demands, COUNTS))
    found = lock_levers(run_of(think, demands, n, holds), COUNTS)

    assert {(one.lock, one.change) for one in found} == {(f"lock {k}", change) for k in (0, 1) for change in (REMOVED, HALVED)}
    for one in found:
        truth = np.array(rates(*after(think, demands, int(one.lock[-1]), one.change), COUNTS)) / before
        lower, median, upper = one.quantiles[[0, 2, 4]]
        # Ends are told to a thousandth: a gain of one is met by rounding alone.
        assert ((lower < truth * 1.001) & (truth < upper * 1.001)).all()
        assert (np.abs(median / truth - 1) < 0.17).all()


def test_the_lock_that_limits_is_worth_most_and_the_next_one_limits_then():
    found = {(one.lock, one.change): one for one in lock_levers(run_of(800, [200, 60], 8), [1, 8, 32])}
    removed = found["lock 0", REMOVED]

    assert removed.quantiles[2, 2] > found["lock 0", HALVED].quantiles[2, 2] > found["lock 1", REMOVED].quantiles[2, 2]
    assert removed.probability[2] > 0.8 > 0.5 > found["lock 1", REMOVED].probability[2]
    assert removed.limits[:, 2].argmax() == 1 and np.allclose(removed.limits.sum(0), 1)
    # One core waits for nobody: without the lock it is as fast as before.
    assert removed.quantiles[2, 0] == pytest.approx(1, abs=0.03)


def test_the_only_lock_may_go():
    (removed, halved) = lock_levers(run_of(900, [150], 8), [8, 64])
    truth = np.array(rates(1050, [1e-9], [8, 64])) / rates(900, [150], [8, 64])

    assert (removed.change, halved.change) == (REMOVED, HALVED)
    assert ((removed.quantiles[0] < truth) & (truth < removed.quantiles[4])).all()
    assert removed.limits[1, 1] > 0.9


@pytest.mark.parametrize("variation", [0.0, 0.5, 1.0])
def test_gains_are_those_of_a_simulation(variation):
    """Senders that are simulated one by one, with sections that are constant, or vary as much as exponential ones."""
    think, section, counts = 900.0, 150.0, [4, 8, 16]

    def laps(section):
        found = simulate(
            counts, [think] * 3, np.full((3, 16), section), think_variation=1.0, section_variation=variation, reading="start"
        )
        return np.array(counts) * found.period_ns

    before = laps(section)
    rate, seconds = 8e9 / before[1], 10.0
    packets = rate * seconds
    use = LockUse("the lock", 1, packets, (before[1] - think - section) * packets, hold_total_ns=section * packets)
    run = lock_run(Reading((), (("x", "lock-stat", ""),), locks=(use,)), rate=rate, seconds=seconds, cores=8)
    removed, halved = lock_levers(run, counts)

    for one, truth in ((removed, before / (think + section)), (halved, before / laps(section / 2))):
        assert ((one.quantiles[0] < truth) & (truth < one.quantiles[4])).all()
    forecast = forecast_run(run, counts).quantiles
    truth = np.array(counts) * 1e9 / before
    assert ((forecast[0] < truth) & (truth < forecast[4])).all()


def test_gains_in_text_and_json(profile, capsys):
    assert cli.main(shlex.split(f"predict --lock-profile {profile} {RUN} --cores 1-32 --json")) == 0
    document = json.loads(capsys.readouterr().out)
    levers = document["series"][0]["levers"]

    assert [(each["lock"], each["change"]) for each in levers[:2]] == [("&qdisc->lock", REMOVED), ("&qdisc->lock", HALVED)]
    counts = [row["n"] for row in levers[0]["gains"]]
    assert counts[0] == 1 and counts[-1] == 32 and 8 in counts and len(counts) <= 13
    for row in levers[0]["gains"]:
        assert 0 < row["lower"] <= row["median"] <= row["upper"] and 0 <= row["probability_gain"] <= 1
    said = " ".join(predict_profile_text(document).split())
    assert "Removing &qdisc->lock would bring most with 32 cores: +" in said
    assert "n = 32 then limits at 32" in said
    assert any("leaves the work under it" in item["says"] for item in document["assumptions"])


# The command


def test_a_prediction_from_a_profile_alone(profile, capsys):
    assert cli.main(shlex.split(f"predict --lock-profile {profile} {RUN} --cores 1-32")) == 0
    said = " ".join(capsys.readouterr().out.split())

    assert "With 8 cores a packet takes 2,000 ns of a core: 400 waiting for &qdisc->lock and 2" in said
    assert "what limits there: &qdisc->lock" in said
    assert "One run with 8 cores is all that was measured" in said


def test_its_document(profile, capsys):
    assert cli.main(shlex.split(f"predict --lock-profile {profile} {RUN} --cores 1,8,64 --json --seed 3")) == 0
    document = json.loads(capsys.readouterr().out)
    (series,) = document["series"]

    assert document["schema"] == "mpps.predict/1" and document["seed"] == 3
    assert next(iter(document["data_sha256"].values()))
    assert {"dataset", "variant", "machine", "unit", "predictions"} <= set(series)
    assert [row["n"] for row in series["predictions"]] == [1, 8, 64]
    for row in series["predictions"]:
        assert 0 < row["lower"] < row["lower50"] < row["median"] < row["upper50"] < row["upper"]
    assert predict_profile_text(document)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--lock-profile {0} --cores 3", "needs --rate, --seconds, --cores-used too"),
        ("--lock-profile {0} --rate 4Gbit/s --seconds 1 --cores-used 8 --cores 3", "expected packets"),
        ("--lock-profile {0} --rate -4 --seconds 1 --cores-used 8 --cores 3", "expected packets"),
        ("tun_receive --lock-profile {0} " + RUN + " --cores 3", "leave one of them out"),
        ("--cores 3", "found no path and no file"),
        ("--lock-profile nothing.txt " + RUN + " --cores 3", "nothing.txt"),
    ],
)
def test_mistakes_are_one_paragraph(profile, capsys, line, words):
    assert cli.main(shlex.split("predict " + line.format(profile))) == 2
    out, err = capsys.readouterr()

    assert out == "" and words in err and len(err.strip().splitlines()) == 1
