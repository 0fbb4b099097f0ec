"""Counts from which, and up to which, a change gains: against the probabilities at whole counts."""

import json

import pytest

from mpps import answers, paths
from mpps.sentences import whatif_text
from mpps.sentences.words import break_even_words
from mpps.whatif import GAIN, whatif

TRANSMIT = paths.load_path("packet_transmit")
TAP = ("first tap delivery", "delivery to other sockets")


def gains(change):
    return {row["n"]: row["p"] for row in change.rows()}


def test_a_gain_that_ends_at_a_ceiling():
    """Half of the draws still gain just below the median count, fewer than half just above; the ends likewise."""
    change = whatif(TRANSMIT, range(6, 16), start="qdisc", without="qdisc layer")
    chance, end = gains(change), change.gain_until

    assert chance[int(end.median)] >= 0.5 >= chance[int(end.median) + 1]
    assert chance[int(end.lower)] >= 0.9 and chance[int(end.upper) + 1] <= 0.1
    assert (change.gain_from.median, change.gain_from.upper) == (1, 1)
    assert change.searched == 80


def test_a_gain_that_begins_with_the_second_sender():
    change = whatif(TRANSMIT, [1, 2, 20], start="qdisc with packet_rcv", without=TAP)

    assert gains(change)[1] == 0 and gains(change)[2] == 1
    assert 1 < change.gain_from.lower <= change.gain_from.upper < 2
    assert change.gain_until.median is None and change.gain_until.lower is None


def test_a_change_that_never_gains_has_no_break_even():
    change = whatif(TRANSMIT, [1, 8], start="bypass", settings={"driver_ns": 2000.0})

    assert change.gain_from.median is None and change.gain_until.median is None
    assert "does not gain more than 1 % with any count up to 80 CPUs" in break_even_words(TRANSMIT, _series(change))


def _series(change):
    return {
        "gain_from": change.gain_from.as_dict(),
        "gain_until": change.gain_until.as_dict(),
        "gain_above": round(GAIN - 1, 9),
        "searched_to": change.searched,
    }


def test_the_answer_says_it_in_words_and_numbers():
    document = json.loads(
        json.dumps(answers.whatif_answer(TRANSMIT, start="qdisc", without=["qdisc layer"]), allow_nan=False)
    )
    (series,) = document["series"]
    text = " ".join(whatif_text(TRANSMIT, document).split())

    assert set(series["gain_until"]) == {"median", "lower", "upper"} and series["searched_to"] == 80
    assert "It gains more than 1 % up to 10." in text and " CPUs (90 %: " in text


@pytest.mark.parametrize(
    ("start", "stop", "said"),
    [
        ((1, 1, 1), (None, None, None), "with any count up to 64 CPUs."),
        ((1.02, 1.01, 1.03), (None, None, None), "from 2 CPUs on."),
        ((5.13, 4.6, 5.8), (None, None, None), "from 5.1 CPUs on (90 %: 4.6 to 5.8)."),
        ((5.13, 4.6, None), (None, None, None), "from 5.13 CPUs on (90 %: 4.60 or more)."),
        ((1, 1, 1), (10.44, 9.8, 10.93), "up to 10.4 CPUs (90 %: 9.8 to 10.9)."),
        ((1, 1, 1), (None, 16.7, None), "up to 64 CPUs and beyond (90 %: 16.7 or more)."),
        ((5.13, 4.6, 5.8), (10.44, 9.8, 10.93), "from 5.1 CPUs on (90 %: 4.6 to 5.8) and up to 10.4 CPUs (90 %: 9.8 to 10.9)."),
    ],
)  # fmt: skip
def test_sentences(start, stop, said):
    keys = ("median", "lower", "upper")
    series = {"gain_from": dict(zip(keys, start)), "gain_until": dict(zip(keys, stop)), "gain_above": 0.01, "searched_to": 64}

    assert break_even_words(TRANSMIT, series) == f"It gains more than 1 % {said}"
