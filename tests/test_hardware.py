"""Choosing hardware: what the notebook's tables and sentences say, on a path whose answer is known from its curve."""

import csv
import io

import numpy as np
import pytest

from mpps.errors import MppsError
from mpps.machine import load_machine
from mpps.root import data_folder
from mpps.units import to_rate_pps
from mpps.workbook import hardware, hardware_words

ASKED = {"unit": "Mpps", "packet_bytes": 64, "today": "qdisc with packet_rcv", "later": "bypass", "sure": 0.9}
CANDIDATES = ("intel_n100=200", "xeon_8375c_2s=6000", "epyc_9654=9000")


@pytest.fixture(scope="module")
def choice():
    return hardware.choice("packet_transmit", rate=6.0, candidates=CANDIDATES, **ASKED)


def test_prices_are_read_with_their_machines():
    assert hardware.priced(["intel_n100=200", " epyc_9654 = 9e3"]) == {"intel_n100": 200.0, "epyc_9654": 9000.0}
    assert hardware.priced(["intel_n100:200", "epyc_9654: 9e3"]) == {"intel_n100": 200.0, "epyc_9654": 9000.0}
    for wrong, words in (
        (["intel_n100"], "expected machine:price"),
        (["intel_n100=cheap"], "expected machine:price"),
        (["intel_n100=-3"], "expected machine:price"),
        (["intel_n100=nan"], "expected machine:price"),
        (["intel_n100=1", "intel_n100=2"], "is there twice"),
        (["intel_n10=1"], "unknown machine"),
        ([], "at least one candidate"),
    ):
        with pytest.raises(MppsError, match=words):
            hardware.priced(wrong)


def test_taps_carry_it_nowhere_and_the_bypass_needs_the_cheapest_machine_that_is_large_enough(choice):
    """Delivery to taps peaks near 2 Mpps where it was measured; a bypass adds some 1.5 Mpps a CPU."""
    assert choice.rate_pps == 6e6
    assert choice.best(choice.today) is None
    best = choice.best(choice.later)
    assert best.machine.slug == "xeon_8375c_2s" and 3 <= best.enough <= 16
    first, second, third = hardware_words.verdict(choice)
    assert "no candidate suffices" in first and f"{best.enough} cores carry the rate" in second
    assert third == "Wait for the change from 'qdisc with packet_rcv' to 'bypass': without it no candidate suffices."


def test_rows_and_tables_say_the_same_as_the_answers(choice):
    rows = hardware.needed_rows(choice)
    assert [(row["machine"], row["series"]) for row in rows] == [
        (machine, variant)
        for machine in ("Intel N100", "Intel Xeon Platinum 8375C", "AMD EPYC 9654")
        for variant in ("qdisc with packet_rcv", "bypass")
    ]
    table = list(csv.DictReader(io.StringIO(hardware.needed_table(choice).csv())))
    for row, one in zip(table, choice.answers, strict=True):
        assert float(row["p"]) == one.p and row["at"] == (str(one.at) if one.enough else "")
    carried = hardware.carried_rows(choice, choice.later)
    at = {(row["series"], row["x"]): row["median"] for row in carried}
    best = choice.best(choice.later)
    assert at["Intel Xeon Platinum 8375C", best.enough] >= 90 > at["Intel Xeon Platinum 8375C", best.enough - 1]


def test_the_busy_share_is_what_the_rate_takes_of_the_cores(choice):
    """Each row is at the planned count; a core that is busy all the time cannot be more than busy."""
    table = hardware.loaded_table(choice)
    assert [row["cores"] for row in table.rows] == [one.enough for one in choice.answers if one.enough]
    for row in table.rows:
        assert 0 < row["busy_lower"] <= row["busy"] <= row["busy_upper"] <= 100.0 + 1e-9
        assert 0 < row["delay"] <= row["late"] and row["p_carried"] > 0.8


def test_a_device_that_does_not_carry_the_rate_is_no_cheapest_machine():
    """Graviton3's card names a device of 1 to 5 million packets a second; its cores carry 6 million through the bypass of a
    path without a device of its own."""
    found = hardware.choice(
        "pppoe_receive", rate=6.0, unit="Mpps", packet_bytes=64, candidates=["graviton3:10", "xeon_8375c_2s:6000"],
        today="no lock", later="no lock", sure=0.9,
    )  # fmt: skip
    slow, fast = found.answers
    assert slow.enough and slow.device_p < 0.1 and 0.9e6 < slow.device.lower < slow.device.upper < 5.5e6
    assert fast.enough and fast.device_p == 1.0
    assert found.best("no lock") is fast and found.best("no lock", any_device=True) is slow
    (wired,) = hardware.choice(
        "pppoe_receive", rate=6.0, unit="Mpps", packet_bytes=1492, candidates=["ryzen_9_7950x:10"],
        today="no lock", later="no lock", sure=0.9,
    ).answers  # fmt: skip
    assert wired.device.upper == wired.device.lower == pytest.approx(10e9 / 8 / (1492 + 20))
    assert hardware_words._device_words(wired) == "0.827 Mpps"
    (words,) = hardware_words.verdict(found)
    assert (
        "cheapest sufficient machine is Intel Xeon Platinum 8375C" in words
        and "of AWS Graviton3 (price 10.00) would" in words
    )
    assert "AWS Graviton3 (1.2 (" in hardware_words.nic_words(found)
    assert "Xeon Platinum 8375C" in hardware_words.needed_title(found)
    prices = [row["price"] for row in hardware.needed_table(found).rows]
    assert prices == [None, 6000.0]


def test_a_path_without_a_packet_size_and_a_card_of_ones_own(tmp_path):
    """The path says nothing of sizes, so that the size asked for only turns bits into packets; the card is a copy."""
    mine = tmp_path / "mine.yaml"
    mine.write_text((data_folder() / "machines" / "xeon_8375c_2s.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    found = hardware.choice(
        "tun_receive", rate=2.0, unit="Mpps", packet_bytes=512, candidates=[f"{mine}:100", "xeon_8375c_2s:300"],
        today="netif_rx", later="netif_receive_skb", sure=0.9,
    )  # fmt: skip
    assert list(found.prices.items()) == [("mine", 100.0), ("xeon_8375c_2s", 300.0)]
    assert found.best("netif_rx").machine.slug == "mine"
    mine_first, other = found.of("netif_receive_skb")
    np.testing.assert_allclose(mine_first.carried, other.carried, atol=0.1)
    assert hardware.candidates_table(found).rows[0]["machine"] == "Intel Xeon Platinum 8375C"


def test_a_count_that_most_draws_do_not_need_is_not_told_as_enough(choice):
    """Delivery to taps: no count carries it, and the words say so instead of naming the count of the luckiest draws."""
    for row, one in zip(hardware.needed_table(choice).rows, choice.answers, strict=True):
        if one.p < 0.05:
            assert row["needed"] == "not carried"
        elif one.cores.median is None:
            assert row["needed"].startswith("no count in ")
        else:
            assert row["needed"].startswith(str(int(one.cores.median)))
            assert ("no count in" in row["needed"]) == (one.cores.upper is None)


def test_what_the_numbers_rest_on_is_told_at_the_planned_count(choice):
    best = choice.best(choice.later)
    table = hardware_words.hardware_assumptions(choice)
    assert table.caption == f"Intel Xeon Platinum 8375C, bypass, {best.enough} cores"


def test_words_on_the_rate_and_on_links(choice):
    assert "6.0 Mpps of 64-byte packets are 6.0 million" in hardware_words.budget_words(choice).replace("6.00", "6.0")
    assert "Intel N100 (3.7 (1.5 to 3.7) Mpps)" in hardware_words.nic_words(choice)
    assert (
        to_rate_pps(2.5, "Gbit/s", 84) < 6e6 < to_rate_pps(load_machine("epyc_9654")["device.link"].value, "Gbit/s", 84)
    )


def test_a_change_that_changes_nothing_is_not_worth_waiting_for():
    same = hardware.choice("packet_transmit", rate=2.0, candidates=CANDIDATES, **(ASKED | {"today": "bypass"}))
    assert same.today == same.later and len(hardware_words.verdict(same)) == 1
    slower = hardware.choice(
        "packet_transmit", rate=2.0, candidates=CANDIDATES, **(ASKED | {"today": "bypass", "later": "qdisc"})
    )
    assert "saves no money and no cores" in hardware_words.verdict(slower)[-1]


def test_what_cannot_be_asked_is_told():
    for bad, words in (
        ({"rate": 0.0}, "rate: found 0"),
        ({"packet_bytes": 0}, "packet_bytes"),
        ({"later": "x"}, "unknown variant"),
    ):
        with pytest.raises(MppsError, match=words):
            hardware.choice("packet_transmit", **({"rate": 6.0, "candidates": CANDIDATES} | ASKED | bad))
