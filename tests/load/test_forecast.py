"""Loads on code paths and tables: what follows from the predicted curve, documents, text, and errors of a user."""

import json

import numpy as np
import pytest

from mpps import paths
from mpps.cli import main
from mpps.errors import MppsError
from mpps.load import under_load
from mpps.load.forecast import MEASURES
from mpps.predict import predict
from mpps.units import line_rate_pps
from mpps.verbs_load import rates

TRANSMIT, TUN, PPPOE = (paths.load_path(name) for name in ("packet_transmit", "tun_receive", "pppoe_receive"))


def run(capsys, *line):
    status = main(list(line))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("slug", paths.names())
def test_every_variant_of_every_path_under_load(slug):
    """Half of what is carried is carried; one and a half is not, and a third of it is lost or more."""
    path = paths.load_path(slug)
    for variant in path.variants[:2]:
        rate = float(np.exp(np.median(predict(path, [2], variant=variant).curves)))
        found = under_load(path, [2], [rate / 2, 1.5 * rate], variant=variant)
        half, over = found.rows()

        assert half["p_carried"] > 0.9 and half["headroom"]["median"] == pytest.approx(0.5, abs=0.03)
        assert over["p_carried"] < 0.1 and over["dropped"]["median"] == pytest.approx(1 / 3, abs=0.04)
        for row in (half, over):
            assert all(
                row[name]["lower"] <= row[name]["median"] <= row[name]["upper"] for name in MEASURES if row[name]
            )


def test_capacity_is_the_predicted_rate():
    """With an even load the largest one that is carried is the rate at that count, draw by draw."""
    found = under_load(PPPOE, [4, 8], [1e6], variant="both locks")
    rate = np.exp(predict(PPPOE, [4, 8], variant="both locks").curves)

    for k in range(2):
        np.testing.assert_allclose(found.measures["capacity_pps"][k][:, 0], rate[:, k], rtol=1e-9)
    assert [what for what, _ in found.limiting] == ["receive lock", "receive lock"]


def test_a_collapsing_lock_has_a_metastable_load():
    """Eight senders carry less than four (the source): a load between what they carry and more holds until a burst."""
    low, high = under_load(PPPOE, [8], [3e6, 3.5e6], variant="both locks").rows()

    assert low["p_carried"] > 0.95 and low["p_metastable"] == 0
    assert high["p_metastable"] > 0.8 and high["all_busy_pps"]["upper"] < 3.5e6
    assert under_load(PPPOE, [8], [3.5e6], variant="no lock").rows()[0]["p_carried"] > 0.99


def test_a_ceiling_is_no_work_of_the_cores():
    """64 CPUs meet the ceiling of the device half idle."""
    (row,) = under_load(TRANSMIT, [64], [20e6], variant="bypass").rows()

    assert row["saturates"] == "device ceiling" and row["serving"]["upper"] < 0.6
    assert row["carried_pps"]["median"] == pytest.approx(11.5e6, rel=0.05)


def test_polling_cores_have_no_wake_up():
    woken, polling = (under_load(TUN, [4], [8e5], variant="netif_rx", wakes=wakes).rows()[0] for wakes in (True, False))

    assert polling["busy"] == polling["serving"] == woken["serving"]
    assert woken["busy"]["median"] > polling["busy"]["median"] + 0.05
    assert woken["delay_ns"]["median"] > polling["delay_ns"]["median"]


def test_queues_and_flows_say_which_cores_get_packets():
    plain, queued, uneven = (
        under_load(TUN, [8], [1e6], variant="netif_rx", **change).rows()[0]
        for change in ({}, {"changes": ["queues=4"]}, {"changes": ["queues=4", "flows=6"]})
    )
    four = under_load(TUN, [4], [1e6], variant="netif_rx").rows()[0]

    assert queued["capacity_pps"] == four["capacity_pps"] and queued["busy"]["median"] == pytest.approx(
        four["busy"]["median"] / 2
    )
    assert plain["headroom"]["median"] > queued["headroom"]["median"] > uneven["headroom"]["median"]
    assert uneven["busiest"]["median"] > uneven["busy"]["median"] and uneven["saturates"] == "the busiest core"


def test_a_link_clips_the_load():
    (row,) = under_load(PPPOE, [16], [5e6], variant="no lock", changes=["link_gbit=10"]).rows()

    assert row["capacity_pps"]["median"] == pytest.approx(line_rate_pps(10e9, 1492), rel=1e-6)
    assert row["saturates"] == "line rate of 10 Gbit/s"


def test_the_answer_does_not_depend_on_what_is_asked_with_it():
    alone = under_load(TRANSMIT, [4], [2e6], variant="qdisc").rows()[0]
    among = under_load(TRANSMIT, [2, 4, 8], [1e6, 2e6], variant="qdisc").rows()[3]

    for name in ("busy", "headroom", "delay_ns", "capacity_pps"):
        assert among[name]["median"] == pytest.approx(alone[name]["median"], rel=1e-3)


@pytest.mark.parametrize(
    ("cores", "loads", "options", "says"),
    [
        ([0], [1e6], {}, "whole numbers from 1"),
        ([], [1e6], {}, "whole numbers from 1"),
        ([1], [0], {}, "positive packets/s"),
        ([1], [np.nan], {}, "positive packets/s"),
        ([1], [], {}, "positive packets/s"),
        ([1], [1e6], {"room": 0}, "room = 0"),
        ([1], [1e6], {"flows": 0}, "flows = 0"),
    ],
)
def test_bad_values_say_what_was_expected(cores, loads, options, says):
    with pytest.raises(MppsError, match=says):
        under_load(TUN, cores, loads, variant="netif_rx", **options)


def test_the_command_answers_in_words_and_as_a_document(capsys):
    line = ("predict", "packet_transmit", "--cores", "4,16", "--load", "3Mpps,9Mpps", "--variant", "qdisc")
    status, out, _ = run(capsys, *line)
    told = " ".join(out.split())
    assert (
        status == 0
        and "qdisc, 3 Mpps on 16 cores: each of 16 cores is" in told
        and "first full: the device ceiling" in told
    )

    _, out, _ = run(capsys, *line, "--json")
    document = json.loads(out)
    series = document["series"][0]
    assert document["schema"] == "mpps.predict/1" and series["load_unit"] == "Mpps" and series["room"] == 1024
    assert [(row["n"], row["load"]) for row in series["load"]] == [(4, 3), (4, 9), (16, 3), (16, 9)]
    first = series["load"][0]
    assert 0 < first["utilisation"]["lower"] < first["utilisation"]["upper"] <= 1
    assert first["capacity"]["median"] == pytest.approx(series["predictions"][0]["median"] / 1e6, rel=0.01)
    assert any("wake" in item["says"] or "waking" in item["says"] for item in document["assumptions"])


def test_loads_in_bits_count_the_packets_of_the_path(capsys):
    _, out, _ = run(
        capsys,
        "predict",
        "pppoe_receive",
        "--cores",
        "4",
        "--load",
        "20",
        "--unit",
        "Gbit/s",
        "--variant",
        "no lock",
        "--json",
    )
    (row,) = json.loads(out)["series"][0]["load"]

    assert row["load"] == 20
    assert row["serving"]["median"] == pytest.approx(20 / row["capacity"]["median"], abs=0.12)


def test_a_table_of_the_users_own_under_load(capsys, tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text("cores,rate (Mpps)\n1,1.0\n2,1.9\n4,3.5\n8,5.2\n")
    status, out, err = run(capsys, "predict", str(table), "--cores", "4,8", "--load", "2Mpps,7000kpps", "--json")
    assert status == 0, err
    rows = json.loads(out)["series"][0]["load"]
    assert rows[0]["p_carried"] > 0.9 and rows[3]["p_carried"] < 0.1
    assert rows[0]["capacity"]["median"] == pytest.approx(3.5, rel=0.1)
    assert 1e2 < rows[0]["delay_ns"]["median"] < 1e5

    status, _, err = run(capsys, "predict", str(table), "--cores", "4", "--load", "2Gbit/s")
    assert status == 2 and "the table's rates are in Mpps" in err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--load 0", "expected a positive rate"),
        ("--load=-1", "expected a positive rate"),
        ("--load nan", "expected a positive rate"),
        ("--load 1,,2", "found ''"),
        ("--load 3furlongs", "unknown unit 'furlongs'"),
        ("--load 3 --unit foo", "unknown unit 'foo'"),
        ("--load 1Gbit/s", "does not say how large its packets are"),
        ("--load 1Mpps --room 0", "--room '0': expected a whole number"),
        ("--load 1Mpps --flows x", "--flows 'x': expected a whole number"),
        ("--room 5", "--room goes with an offered load"),
        ("--unit Mpps", "--unit says how to read a file"),
    ],
)
def test_a_mistyped_load_is_told_apart(capsys, options, says):
    status, out, err = run(capsys, "predict", "tun_receive", "--cores", "1", *options.split())

    assert status == 2 and out == "" and says in err


def test_rates_with_and_without_units():
    assert rates("2Mpps, 40 Gbit/s,1e6") == [(2.0, "Mpps"), (40.0, "Gbit/s"), (1e6, None)]


def test_a_load_of_next_to_nothing_is_answered_without_a_warning():
    (row,) = under_load(paths.load_path("packet_transmit"), [8], [1e-300], variant="qdisc").rows()

    assert row["busy"]["median"] < 1e-9 and row["p_carried"] == 1.0
