"""Machine cards are strict and cited; draws follow the stated medians and ranges; topology counts pairs exactly."""

import itertools
import shutil

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mpps.errors import DataError, UnknownNameError
from mpps.machine import (
    LINE_CLASSES,
    class_shares,
    clock_ghz,
    core_counts,
    cross_share,
    has_cores,
    line_transfer_ns,
    load_machine,
    machines,
    memory_share,
    relative_core_speed,
    relative_line_transfer,
    sender_speed,
)
from mpps.machine.draws import draw_range
from mpps.root import data_folder

SOURCES = {"pppoe_e_core_guest", "mediatek_mt7622", "tun_2016_host", "xeon_8580", "packet_2013_host"}
TARGETS = {"epyc_9654", "xeon_8375c_2s", "intel_n100"}
DRAWS = 4000


def rng():
    return np.random.default_rng(7)


def median(result):
    return np.median(result[0], axis=0)


# cards


def test_sources_and_targets_ship():
    assert SOURCES | TARGETS <= set(machines())
    assert {name for name in machines() if load_machine(name).role == "source"} >= SOURCES


@pytest.mark.parametrize("slug", machines())
def test_every_fact_is_cited_assumed_or_missing(slug):
    machine = load_machine(slug)
    for name, fact in machine.facts.items():
        assert fact.source or fact.assumed or fact.not_stated, name
        assert set(fact.source) <= set(machine.sources), name
        if fact.assumed:
            assert len(fact.why) > 15, name
        if fact.not_stated:
            assert fact.value is None and not fact.source, name
    used = {key for fact in machine.facts.values() for key in fact.source}
    text = (data_folder() / "machines" / f"{slug}.yaml").read_text(encoding="utf-8")
    assert all(key in used or f"[{key}]" in text or f"({key})" in text for key in machine.sources)


def test_printed_facts():
    """Values as the vendor lists and the core-to-core matrices print them."""
    epyc, xeon, n100 = (load_machine(name) for name in ("epyc_9654", "xeon_8375c_2s", "intel_n100"))
    assert [epyc.line_transfer(name).value for name in LINE_CLASSES[1:]] == [27.1, 99.3, 191.6]
    assert (epyc["clock.one_core"].value, epyc["clock.all_cores"].value) == (3.7, 3.55)
    assert (epyc.threads, xeon.threads, n100.threads) == (192, 128, 4)
    assert xeon.line_transfer("other_socket").value == 107.8
    assert load_machine("pppoe_e_core_guest").threads == 16
    tsc = load_machine("xeon_8580")["clock.tsc"]
    for cycles, ns in ((15, 7.537), (20, 10.490), (30, 15.395)):  # printed cycles are truncated
        assert cycles <= ns * tsc.lower * 1.0001 and ns * tsc.upper <= (cycles + 1) * 1.0001


def test_hosts_with_nothing_stated_state_nothing():
    tun = load_machine("tun_2016_host")
    numbers = [fact for fact in tun.facts.values() if isinstance(fact.value, float)]
    assert numbers == []
    packet = load_machine("packet_2013_host")
    assert all(fact.assumed or fact.not_stated for fact in packet.facts.values())


def test_unknown_machine_names_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'epyc_9654'"):
        load_machine("epyc_9645")
    with pytest.raises(UnknownNameError, match="machine fact"):
        load_machine("epyc_9654")["clock.onecore"]


def broken(tmp_path, change):
    path = tmp_path / "mine.yaml"
    shutil.copy(data_folder() / "machines" / "epyc_9654.yaml", path)
    if isinstance(change, str):
        path.write_text(path.read_text(encoding="utf-8") + change, encoding="utf-8")
    else:
        card = yaml.safe_load(path.read_text(encoding="utf-8"))
        change(card)
        path.write_text(yaml.safe_dump(card), encoding="utf-8")
    with pytest.raises(DataError) as error:
        load_machine(path)
    assert "mine.yaml" in str(error.value)
    return str(error.value)


def setter(*keys):
    """`setter("clock", "base", 3)` sets card["clock"]["base"] = 3."""

    def change(card):
        for key in keys[:-2]:
            card = card[key]
        card[keys[-2]] = keys[-1]

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (setter("clok", {}), ("clok", "did you mean 'clock'")),
        (setter("clock", "one_cores", {}), ("clock", "did you mean 'one_core'")),
        (setter("clock", "base", 2.4), ("clock.base", "expected a mapping")),
        (setter("clock", "base", {"value": 2.4}), ("clock.base", "expected a source")),
        (setter("clock", "base", {"value": "2.4 GHz", "source": "A1"}), ("clock.base.value", "positive number in GHz")),
        (setter("clock", "base", {"value": -2.4, "source": "A1"}), ("-2.4", "positive number")),
        (setter("clock", "base", {"value": True, "source": "A1"}), ("True", "positive number")),
        (setter("clock", "base", {"value": float("nan"), "source": "A1"}), ("nan", "positive number")),
        (setter("clock", "base", {"value": 2, "source": "A2"}), ("unknown key 'A2'", "expected one of A1")),
        (setter("clock", "base", {"value": 2, "source": "A1", "uper": 3}), ("uper", "did you mean 'upper'")),
        (setter("clock", "base", {"value": 2, "source": "A1", "upper": 3}), ("lower and upper come together",)),
        (setter("clock", "base", {"value": 2, "source": "A1", "lower": 3, "upper": 4}), ("lower <= value <= upper",)),
        (setter("clock", "base", {"value": 2, "assumed": True}), ("reason, lower, upper",)),
        (setter("clock", "base", {"value": 2, "assumed": "yes", "source": "A1"}), ("true or false",)),
        (setter("clock", "base", {"source": "A1"}), ("value is missing", "not_stated")),
        (setter("clock", "base", {"not_stated": True, "value": 2}), ("stands alone", "value")),
        (setter("topology", "sockets", {"value": 1.5, "source": "A1"}), ("topology.sockets", "whole number")),
        (setter("core_class", {"value": "fast", "source": "A1"}), ("core_class", "in-order, out-of-order")),
        (setter("role", "goal"), ("role", "source, target, own")),
        (setter("notes", "one"), ("notes", "list of sentences")),
        (setter("sources", {}), ("sources", "citations")),
        (lambda card: card.pop("device"), ("missing device",)),
        ("title: again\n", ("'title'", "written twice")),
        ("  : [\n", ("line", "not valid YAML")),
    ],
)
def test_damaged_card_says_where_and_what_was_expected(tmp_path, change, words):
    text = broken(tmp_path, change)
    for word in words:
        assert word in text


def test_missing_or_binary_card_is_an_error_without_traceback(tmp_path):
    with pytest.raises(DataError, match="none.yaml"):
        load_machine(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="UTF-8"):
        load_machine(tmp_path / "binary.yaml")


# topology


@given(n=st.integers(1, 60), size=st.integers(1, 20))
def test_cross_share_counts_pairs(n, size):
    domain = [i // size for i in range(n)]
    pairs = list(itertools.combinations(domain, 2))
    expected = sum(a != b for a, b in pairs) / len(pairs) if pairs else 0.0
    assert cross_share(n, size) == pytest.approx(expected, abs=1e-12)
    if n % size == 0 and n > 1:
        assert cross_share(n, size) == pytest.approx(1 - (size - 1) / (n - 1), abs=1e-12)


@given(n=st.integers(1, 60), domains=st.integers(1, 12))
def test_cross_share_spread_counts_pairs(n, domains):
    pairs = list(itertools.combinations([i % domains for i in range(n)], 2))
    expected = sum(a != b for a, b in pairs) / len(pairs) if pairs else 0.0
    assert cross_share(n, 1, domains=domains) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60)
@given(
    n=st.integers(1, 40),
    shape=st.tuples(st.integers(1, 3), st.integers(1, 9), st.integers(1, 2), st.integers(1, 5)),
    placement=st.sampled_from(["packed", "spread"]),
)
def test_class_shares_are_a_distribution_over_pairs(n, shape, placement):
    """Against counting pairs of senders by hand, wherever the counts place them."""
    counts = core_counts(n, *shape, placement)[0]
    sockets, _, threads, cluster = shape
    per_socket = len(counts) // sockets
    assert counts.sum() == n and counts.max() <= threads
    seats = [core for core, busy in enumerate(counts) for _ in range(busy)]
    expected = np.zeros(4)
    for a, b in itertools.combinations(seats, 2):
        far = a // per_socket != b // per_socket
        clusters = [(core // per_socket, core % per_socket // cluster) for core in (a, b)]
        expected[0 if a == b else 3 if far else 1 if clusters[0] == clusters[1] else 2] += 1
    shares = class_shares(n, *shape, placement)[0]
    np.testing.assert_allclose(shares, expected / max(expected.sum(), 1), atol=1e-12)


def test_packed_and_spread_placement():
    """Two sockets of two clusters of two cores with SMT."""
    shape = (2, 4, 2, 2)
    np.testing.assert_array_equal(core_counts(3, *shape)[0], [1, 1, 1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(core_counts(10, *shape)[0], [2, 2, 1, 1, 1, 1, 1, 1])
    np.testing.assert_array_equal(core_counts(3, *shape, "spread")[0], [1, 0, 1, 0, 1, 0, 0, 0])
    with pytest.raises(ValueError, match="packed, spread"):
        core_counts(3, *shape, "random")


def test_has_cores_is_what_the_card_gives():
    np.testing.assert_array_equal(has_cores(load_machine("intel_n100"), [1, 4, 5]), [True, True, False])
    assert has_cores(load_machine("pppoe_e_core_guest"), 16) and not has_cores(load_machine("pppoe_e_core_guest"), 24)
    assert not has_cores(load_machine("tun_2016_host"), 2)


# draws


def test_draw_range_has_the_three_quantiles():
    values = draw_range(30.0, 20.0, 70.0, 200_000, rng())
    np.testing.assert_allclose(np.quantile(values, [0.05, 0.5, 0.95]), [20, 30, 70], rtol=0.01)
    assert np.all(draw_range(5.0, 5.0, 5.0, 10, rng()) == 5.0)


@pytest.mark.parametrize("slug", machines())
def test_draws_are_positive_reproducible_and_listed(slug):
    machine = load_machine(slug)
    n = [1, 2, 3, 8, 33, 200]
    clock, clock_notes = clock_ghz(machine, n, 200, rng())
    transfer, transfer_notes = line_transfer_ns(machine, n, "packed", 200, rng())
    assert clock.shape == transfer.shape == (200, 6)
    assert np.all(clock > 0) and np.all(transfer[:, 0] == 0) and np.all(transfer[:, 1:] > 0)
    np.testing.assert_array_equal(clock, clock_ghz(machine, n, 200, rng())[0])
    np.testing.assert_array_equal(transfer, line_transfer_ns(machine, n, "packed", 200, rng())[0])
    for note in (*clock_notes, *transfer_notes):
        assert note.lower <= note.median <= note.upper and note.why and note.unit and slug in note.name
    for values, notes in ((clock, clock_notes), (transfer[:, 1:], transfer_notes)):
        varies = np.ptp(values, axis=0).max() > 0
        measured = any(fact.lower is not None and not fact.assumed for fact in machine.facts.values())
        assert notes or measured or not varies


def test_exact_facts_do_not_vary_and_need_no_assumption():
    clock, notes = clock_ghz(load_machine("mediatek_mt7622"), [1, 2], 50, rng())
    assert np.all(clock == 1.35) and notes == []
    clock, notes = clock_ghz(load_machine("epyc_9654"), 1, 50, rng())
    assert np.all(clock == 3.7) and notes == []


def test_clock_falls_from_one_core_to_all_cores_and_stays():
    clock, _ = clock_ghz(load_machine("epyc_9654"), [1, 2, 48, 96, 150, 400], DRAWS, rng())
    assert np.all(np.diff(clock, axis=1) <= 1e-12)
    np.testing.assert_allclose(clock[:, 3:], 3.55)
    assert np.median(clock[:, 2]) == pytest.approx((3.7 + 3.55) / 2, abs=0.02)


def test_missing_all_core_clock_uses_the_prior_above_the_base_clock():
    machine = load_machine("xeon_8375c_2s")
    clock, notes = clock_ghz(machine, 64, DRAWS, rng())
    assert clock.min() == pytest.approx(2.9) and clock.max() <= 3.5
    assert np.median(clock) == pytest.approx(0.85 * 3.5, rel=0.02)
    assert any("all-core clock" in note.name and "not stated" in note.name for note in notes)


def test_line_transfer_mixes_the_classes_by_pair_share():
    epyc = load_machine("epyc_9654")
    values = median(line_transfer_ns(epyc, [2, 8, 96], "packed", DRAWS, rng()))
    crossing = cross_share(96, 8)
    np.testing.assert_allclose(values, [27.1, 27.1, (1 - crossing) * 27.1 + crossing * 99.3], rtol=0.03)
    assert median(line_transfer_ns(epyc, 2, "spread", DRAWS, rng())) == pytest.approx(99.3, rel=0.02)


def test_missing_line_transfer_is_a_named_prior_only_where_a_pair_needs_it():
    machine = load_machine("tun_2016_host")
    _, notes = line_transfer_ns(machine, 2, "packed", 200, rng())
    names = " ".join(note.name for note in notes)
    assert "same cluster (not stated)" in names and "other socket" not in names


def test_a_machine_relative_to_itself_is_exactly_one():
    for slug in machines():
        machine = load_machine(slug)
        n = np.array([1, 4, 16])
        speed, _ = relative_core_speed(machine, machine, 300, rng(), n, n)
        transfer, _ = relative_line_transfer(machine, machine, 300, rng(), n, n)
        np.testing.assert_array_equal(speed, 1.0)
        np.testing.assert_array_equal(transfer, 1.0)


def test_relative_speed_reverses_in_the_median():
    here, there = load_machine("xeon_8375c_2s"), load_machine("graviton3")
    forth, notes = relative_core_speed(here, there, DRAWS, rng())
    back, _ = relative_core_speed(there, here, DRAWS, np.random.default_rng(8))
    assert np.median(forth) * np.median(back) == pytest.approx(1, rel=0.05)
    assert any("work per cycle" in note.name for note in notes)
    low, high = np.quantile(forth, [0.05, 0.95])
    assert high / low == pytest.approx(2.0 / 0.5, rel=0.1)


def test_same_design_scales_by_clock_alone(tmp_path):
    path = tmp_path / "epyc_slow.yaml"
    card = yaml.safe_load((data_folder() / "machines" / "epyc_9654.yaml").read_text(encoding="utf-8"))
    card["clock"]["one_core"]["value"] = card["clock"]["all_cores"]["value"] = 1.85
    path.write_text(yaml.safe_dump(card), encoding="utf-8")
    speed, notes = relative_core_speed(load_machine("epyc_9654"), load_machine(path), 50, rng())
    np.testing.assert_allclose(speed, 0.5)
    assert notes == []


def test_unknown_source_machine_widens_the_answer():
    target = load_machine("epyc_9654")

    def width(source):
        low, high = np.quantile(relative_core_speed(load_machine(source), target, DRAWS, rng())[0], [0.05, 0.95])
        return np.log(high / low)

    assert width("tun_2016_host") > width("pppoe_e_core_guest") > width("xeon_8375c_2s")


def test_machines_differ_for_the_stated_reason():
    """From the E-core guest: crossing clusters and sockets costs, a larger clock gains, an in-order core loses."""
    guest = load_machine("pppoe_e_core_guest")
    transfer = {
        name: np.median(relative_line_transfer(guest, load_machine(name), DRAWS, rng(), 64, 64)[0]) for name in TARGETS
    }
    assert transfer["intel_n100"] < 1.2 < transfer["xeon_8375c_2s"] < transfer["epyc_9654"]
    speed = {
        name: np.median(relative_core_speed(guest, load_machine(name), DRAWS, rng(), 16, 16)[0])
        for name in (*TARGETS, "mediatek_mt7622", "core_i9_12900k_p")
    }
    assert speed["mediatek_mt7622"] < 0.15 < speed["intel_n100"] < speed["core_i9_12900k_p"]


def test_sender_speed_falls_only_when_siblings_fill():
    machine = load_machine("epyc_9654")
    speed, notes = sender_speed(machine, [1, 96, 120, 192], DRAWS, rng())
    np.testing.assert_allclose(speed[:, :2], 1.0)
    assert np.median(speed[:, 3]) == pytest.approx(1.25 / 2, rel=0.01)
    np.testing.assert_allclose(120 * speed[:, 2], 96 + 24 * (2 * speed[:, 3] - 1))
    assert any("two busy threads" in note.name for note in notes)
    assert sender_speed(machine, [1, 96], 10, rng())[1] == []


def test_memory_share_is_a_fraction_with_the_stated_range():
    share, notes = memory_share(100_000, rng())
    assert np.all((share > 0) & (share < 1)) and len(notes) == 1
    np.testing.assert_allclose(np.quantile(share, [0.05, 0.5, 0.95]), [0.05, 0.30, 0.55], rtol=0.02)


def test_a_machine_that_was_read_is_itself():
    machine = load_machine("epyc_9654")
    assert load_machine(machine) is machine
