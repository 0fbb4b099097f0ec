"""Wake-up against the measured idle time of a core: fitted, left out, from one program to the other, and the straight line."""

import csv

import numpy as np
import pytest

from mpps.load.wake import MODERATION, WAKE, fit_wake, idle_share
from mpps.root import data_folder

#: Loads in Mpps at which nothing is idle any more (notes of the card).
FULL = {"xdp_drop": 24.8, "iptables_raw_drop": 5.05}


@pytest.fixture(scope="module")
def measured():
    with open(data_folder() / "corpus" / "cpu_idle_vs_offered_load.csv", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if float(row["n"]) > 0]
    found = {}
    for name, full in FULL.items():
        mine = [row for row in rows if row["variant"] == name and float(row["n"]) <= full]
        arrival, idle = (np.array([float(row[column]) for row in mine]) for column in ("n", "value"))
        found[name] = (arrival * 1e6, idle / 100, 1e3 / full)
    return found


def error(arrival, idle, service, wake):
    return idle_share(arrival * service / 1e9, arrival, *wake) - idle


def root(errors):
    return np.sqrt(np.mean(np.square(errors)))


@pytest.mark.parametrize("name", FULL)
def test_two_numbers_fit_where_a_straight_line_does_not(measured, name):
    arrival, idle, service = measured[name]

    assert root(error(arrival, idle, service, fit_wake(arrival, idle, service))) < 0.015
    assert root(error(arrival, idle, service, (0.0, 0.0))) > 0.15


@pytest.mark.parametrize("name", FULL)
def test_points_that_the_fit_did_not_see(measured, name):
    arrival, idle, service = measured[name]
    left = []
    for k in range(len(arrival)):
        rest = np.arange(len(arrival)) != k
        wake = fit_wake(arrival[rest], idle[rest], service)
        left.append(error(arrival[k : k + 1], idle[k : k + 1], service, wake)[0])

    assert root(left) < 0.02


@pytest.mark.parametrize(("name", "other"), [("xdp_drop", "iptables_raw_drop"), ("iptables_raw_drop", "xdp_drop")])
def test_from_one_program_to_the_other_in_times_of_a_packet(measured, name, other):
    """The prior takes wake-up in proportion to a packet's time: held out, it beats the straight line four times."""
    wake = np.array(fit_wake(*measured[other])) / measured[other][2]

    assert root(error(*measured[name], wake * measured[name][2])) < 0.04


def test_the_priors_are_the_fits_in_times_of_a_packet(measured):
    found = np.array([np.array(fit_wake(*each)) / each[2] for each in measured.values()])

    for prior, fits in zip((WAKE, MODERATION), found.T, strict=True):
        assert prior.median == pytest.approx(np.sqrt(fits.prod()), rel=0.03)
        assert prior.lower < fits.min() and fits.max() < prior.upper


def test_a_core_that_gets_nothing_idles_and_a_full_one_does_not():
    assert idle_share(0.0, 0.0, 300.0, 300.0) == 1.0
    assert idle_share(1.0, 1e6, 300.0, 300.0) == 0.0
