"""Moves to other machines: exact where nothing differs, closed forms, directions, and ranges that hold."""

import dataclasses
import itertools
from types import MappingProxyType

import numpy as np
import pytest

from mpps import compare
from mpps.errors import MppsError
from mpps.influence import by_influence, share_of_variance, with_influence
from mpps.machine import (
    PLACEMENTS,
    Assumption,
    Quantity,
    Streams,
    clock_ghz,
    line_transfer_ns,
    load_machine,
    machines,
    relative_line_transfer,
    sender_speed,
)
from mpps.machine.draws import draw_assumption
from mpps.machine.relative import call_work, departure, relative_work_time, work_per_cycle
from mpps.machine.topology import core_counts, first_socket_share, socket_counts
from mpps.paths import load_path, names
from mpps.predict import predict
from mpps.transfer import Move, factors_of, moved, time_factor
from mpps.whatif import whatif

DRAWS = 4000


def streams(seed=7, draws=DRAWS):
    return Streams([seed], draws)


def changed(slug, as_slug=None, **facts):
    """A card with facts replaced by exact ones; name them with __ for the dot."""
    card = load_machine(slug)
    found = dict(card.facts)
    for name, value in facts.items():
        name = name.replace("__", ".")
        unit = found[name].unit if name in found else ""
        found[name] = Quantity(value, None, None, unit, ("test",))
    return dataclasses.replace(card, slug=as_slug or slug, facts=MappingProxyType(found))


def exact(slug="exact", ghz=3.0, line=50.0, **facts):
    """A single cluster of 64 cores with nothing left open: one design, one clock, one line transfer."""
    facts = {
        "microarchitecture": "Test",
        "core_class": "out-of-order",
        "mitigations": "off",
        "topology__sockets": 1.0,
        "topology__cores_per_socket": 64.0,
        "topology__threads_per_core": 1.0,
        "topology__cluster_cores": 64.0,
        "clock__one_core": ghz,
        "clock__all_cores": ghz,
        "line_transfer__smt_sibling": 8.0,
        "line_transfer__same_cluster": line,
        "line_transfer__other_cluster": 2 * line,
        "line_transfer__other_socket": 4 * line,
    } | facts
    return changed("tun_2016_host", slug, **facts)


# the same machine


@pytest.mark.parametrize("slug", ["packet_transmit", "page_pool_recycle"])
def test_the_source_itself_is_not_moved(slug):
    path = load_path(slug)
    variant = path.variants[0].name
    here = predict(path, [1, 4, 20, 64], variant=variant)
    named = predict(path, [1, 4, 20, 64], variant=variant, machine=path.machine, placement="packed")
    np.testing.assert_array_equal(here.curves, named.curves)
    assert here.assumptions == named.assumptions
    values = {path.parameters[0].name: np.full((3, 1), 5.0)}
    source = load_machine(path.machine)
    same, mechanism, listed = moved(path, values, path.mechanisms[0], source, source, np.array([1]), streams())
    assert same is values and mechanism is path.mechanisms[0] and listed == []


def test_an_equal_card_under_another_name_changes_nothing_of_the_work():
    """Two cards of one design with the same exact numbers: every time keeps its length, whatever the draws."""
    move = Move(exact("one"), exact("two"), np.array([1, 8, 64]), 50, streams(draws=50))
    factors, _ = factors_of(move, {"core", "line"})
    np.testing.assert_allclose(factors["line"], 1.0)
    memory = factors["core"]
    # All that is left is the memory of another part.
    np.testing.assert_allclose(np.ptp(memory, axis=1), 0.0, atol=1e-12)
    assert 0.7 < memory.min() < 1.0 < memory.max() < 2.0


def test_scaling_all_clocks_of_both_machines_changes_nothing():
    for factor in (0.5, 2.0):
        pairs = [(exact("one", 3.0), exact("two", 4.2)), (exact("one", 3.0 * factor), exact("two", 4.2 * factor))]
        found = [relative_work_time(*pair, 200, streams(draws=200))[0] for pair in pairs]
        np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


# closed forms


def test_work_moves_by_clock_and_memory_as_the_formula_says():
    """T = C/f + M: with the shares and ratios that were drawn, by hand."""
    rng = streams()
    time, notes = relative_work_time(exact("one", 2.0), exact("two", 4.0), DRAWS, rng)
    share = rng.kept["share of private work that does not follow the core clock"]
    memory = rng.kept["memory and fabric time, relative"]
    np.testing.assert_allclose(time[:, 0], (1 - share) / 2 + share * memory)
    assert {"share of private work that does not follow the core clock", "memory and fabric time, relative"} <= {
        note.name for note in notes
    }


def test_a_section_is_its_lines_and_its_body():
    rng = streams()
    move = Move(exact("one", 3.0, 40.0), exact("two", 3.0, 120.0), np.array([16]), DRAWS, rng)
    factors, _ = factors_of(move, {"section"})
    part = rng.kept["share of a section that is line transfers"][:, None]
    found, slowed = time_factor(factors, "section")
    np.testing.assert_allclose(found, 3.0 * part + (1 - part) * factors["core"])
    np.testing.assert_allclose(slowed * found, (1 - part) * factors["core"])


def test_a_stated_ratio_of_work_per_cycle_takes_the_place_of_the_prior():
    source = exact("one", microarchitecture="Other")
    stated = Quantity(1.4, 1.3, 1.5, "ratio", ("test",), against="one")
    target = exact("two")
    target = dataclasses.replace(
        target, facts=MappingProxyType(dict(target.facts) | {"relative_work_per_cycle": stated})
    )
    ratio, notes = work_per_cycle(source, target, DRAWS, streams())
    np.testing.assert_allclose(np.quantile(ratio, [0.05, 0.5, 0.95]), [1.3, 1.4, 1.5], rtol=0.01)
    assert notes == []
    back, _ = work_per_cycle(target, source, DRAWS, streams())
    np.testing.assert_allclose(np.median(back), 1 / 1.4, rtol=0.01)
    assert work_per_cycle(source, exact("three"), DRAWS, streams())[1][0].name.startswith("work per cycle, three")


def test_the_published_list_of_clocks_wins():
    listed = ((1, 4.0), (8, 3.6), (64, 3.0))
    card = exact("one")
    fact = Quantity(listed, None, None, "GHz", ("test",))
    card = dataclasses.replace(card, facts=MappingProxyType(dict(card.facts) | {"clock.by_active_cores": fact}))
    clock, notes = clock_ghz(card, [1, 4, 8, 36, 64, 100], 10, streams(draws=10))
    np.testing.assert_allclose(clock, np.broadcast_to([4.0, 4.0 - 0.4 * 3 / 7, 3.6, 3.3, 3.0, 3.0], (10, 6)))
    assert notes == []


# topology, placement and home


@pytest.mark.parametrize(("sockets", "cores", "cluster"), [(2, 8, 4), (2, 6, 2), (1, 8, 2), (3, 4, 2)])
@pytest.mark.parametrize("placement", ["packed", "spread"])
def test_socket_counts_and_home_pairs_by_hand(sockets, cores, cluster, placement):
    for n in (1, 2, 3, 5, sockets * cores, sockets * cores + 3):
        counts = core_counts(n, sockets, cores, 2, cluster, placement)[0].reshape(sockets, -1)
        busy = (counts[:, :cores] > 0).sum(axis=1)
        np.testing.assert_array_equal(socket_counts(n, sockets, cores, placement)[0], busy)
        seats = [(s, c // cluster) for s in range(sockets) for c in range(cores) for _ in range(counts[s, c])]
        pairs = [a[0] for a, b in itertools.combinations(seats, 2) if a[0] == b[0] and a[1] != b[1]]
        expected = pairs.count(0) / len(pairs) if pairs else 0.0
        assert first_socket_share(n, sockets, cores, 2, cluster, placement)[0] == pytest.approx(expected)


def test_two_senders_on_a_two_socket_part_by_placement():
    """Packed they share a cluster, spread they sit on two sockets."""
    epyc = load_machine("epyc_9454_2s")
    packed, spread = (
        np.median(line_transfer_ns(epyc, 2, placement, DRAWS, streams())[0]) for placement in ("packed", "spread")
    )
    assert packed == pytest.approx(26.5, rel=0.02) and spread == pytest.approx(197.6, rel=0.02)


def test_where_the_memory_of_a_line_lies_is_mixed():
    """Packed into the first socket: two clusters take 103 ns or 200 ns, each in half of the draws; spread, in between."""
    epyc = load_machine("epyc_9454_2s")
    shares = 1 - 5 / 11  # twelve senders in two clusters of six
    rng = streams()
    values, notes = line_transfer_ns(epyc, 12, "packed", DRAWS, rng)
    across = (values[:, 0] - (1 - shares) * 26.5) / shares
    assert np.mean(across > 150) == pytest.approx(0.5, abs=0.01)
    np.testing.assert_allclose(
        [np.median(across[across < 150]), np.median(across[across > 150])], [103.4, 200.1], rtol=0.03
    )
    assert any("homed on the first socket" in note.name for note in notes)
    one = load_machine("epyc_9654")
    assert not any("homed" in note.name for note in line_transfer_ns(one, 12, "packed", 50, streams(draws=50))[1])


def test_a_placement_that_nobody_knows_is_an_error():
    with pytest.raises(MppsError, match="packed or spread"):
        predict(load_path("tun_receive"), [1], variant="netif_rx", placement="scattered")


def test_spread_senders_pay_for_crossing_sockets():
    path = load_path("packet_transmit")
    tap = "qdisc with packet_rcv"
    rates = {
        placement: predict(path, [2, 16], variant=tap, machine="xeon_8375c_2s", placement=placement).median
        for placement in ("packed", "spread")
    }
    assert np.all(rates["spread"] < 0.9 * rates["packed"])
    alone = {p: predict(path, [16], variant="qdisc", machine="graviton3", placement=p).median for p in rates}
    assert alone["packed"] == pytest.approx(alone["spread"], rel=1e-9)


def test_the_command_takes_a_placement(capsys):
    import json

    from mpps.cli import main

    line = ["predict", "packet_transmit", "--cores", "2", "--variant", "qdisc", "--machine", "epyc_9454_2s"]
    assert main([*line, "--placement", "spread"]) == 0
    assert "CPUs spread over its clusters and sockets" in " ".join(capsys.readouterr().out.split())
    assert main([*line, "--placement", "spread", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["series"][0]["placement"] == "spread"
    shares = [item["influence"] for item in document["assumptions"] if "name" in item]
    assert shares == sorted(shares, reverse=True) and 0.3 < shares[0] <= 1
    assert main([*line, "--placement", "heap"]) == 2
    assert "packed or spread" in capsys.readouterr().err


def test_another_placement_on_a_machine_of_unknown_size_takes_no_clock_from_it():
    """The host of this path states nothing: both placements run its cores at one clock, whatever it is, but for sockets."""
    path = load_path("tun_receive")
    fitted = compare.fit(path, path.scopes[0].name)
    packed, spread = (
        np.exp(predict(path, [1, 2], variant="netif_rx", fitted=fitted, placement=how).curves) for how in PLACEMENTS
    )
    np.testing.assert_allclose(spread[:, 0], packed[:, 0], rtol=1e-9)
    assert np.all(spread[:, 1] >= packed[:, 1] * (1 - 1e-9))


# siblings


def test_the_yield_of_siblings_goes_to_one_as_they_spin():
    card = exact("one", topology__threads_per_core=2.0)
    speeds = [np.median(sender_speed(card, 128, DRAWS, streams(), spinning)[0]) for spinning in (0.0, 0.5, 1.0)]
    np.testing.assert_allclose(speeds, [1.25 / 2, 1.125 / 2, 1.0 / 2], rtol=0.01)


# mitigations


def test_return_thunks_by_their_state():
    source = load_machine("xeon_8375c_2s")
    on, off = (changed("epyc_9654", mitigations=words) for words in ("SRSO return thunks", "no return thunks"))
    np.testing.assert_array_equal(call_work(source, off, DRAWS, streams())[0], 1.0)
    factor, _ = call_work(source, on, DRAWS, streams())
    np.testing.assert_allclose(np.quantile(factor, [0.05, 0.5, 0.95]), [1.1, 1.8, 3.8], rtol=0.01)
    open_, notes = call_work(source, load_machine("epyc_9654"), DRAWS, streams())
    assert np.mean(open_ == 1.0) == pytest.approx(0.5, abs=0.01) and len(notes) == 2
    assert call_work(source, load_machine("graviton3"), DRAWS, streams())[1] == []


@pytest.mark.parametrize(
    ("printed", "on"),
    [
        # What kernels print in /sys/devices/system/cpu/vulnerabilities/spec_rstack_overflow.
        ("spec_rstack_overflow: Mitigation: Safe RET", True),
        ("spec_rstack_overflow: Mitigation: safe RET", True),
        ("spec_rstack_overflow: Vulnerable: Safe RET, no microcode", True),
        ("spec_rstack_overflow: Vulnerable: Microcode, no safe RET", False),
        ("spec_rstack_overflow: Vulnerable", False),
        ("spec_rstack_overflow: Mitigation: IBPB", False),
        ("spec_rstack_overflow: Mitigation: IBPB on VMEXIT only; spectre_v2: Mitigation: Retpolines", False),
        ("retbleed: Mitigation: untrained return thunk; SMT enabled with STIBP protection", True),
        ("mitigations=off", False),
        ("spectre_v2: Mitigation: Retpolines", None),
    ],
)
def test_return_thunks_as_kernels_print_them(printed, on):
    """Words that say nothing of them leave the prior: half of the draws."""
    factor, notes = call_work(
        load_machine("xeon_8375c_2s"), changed("epyc_9654", mitigations=printed), DRAWS, streams()
    )
    expected = 0.5 if on is None else float(on)
    assert np.mean(factor != 1.0) == pytest.approx(expected, abs=0.01)
    assert len(notes) == (2 if on is None else int(on))


# every machine predicts every path


@pytest.mark.parametrize("slug", [name for name in names() if name != "pppoe_receive"])
def test_every_machine_predicts(slug):
    path = load_path(slug)
    fitted = compare.fit(path, path.scopes[0].name)
    for machine in machines():
        found = predict(path, [1, 2, 24], variant=path.variants[-1], machine=machine, fitted=fitted)
        assert np.all(np.isfinite(found.quantiles)) and np.all(found.quantiles > 0)
        assert np.all(np.diff(found.quantiles, axis=0) >= 0)
        listed = [item.influence for item in found.assumptions]
        assert listed == sorted(listed, reverse=True)
        if machine != path.machine:
            assert all(found.extrapolated) and listed


def to_epyc(path, value):
    """Parameters that are all `value` (K, 1) on an EPYC 9654, and what was assumed."""
    values = {p.name: value for p in path.parameters}
    source, target = load_machine(path.machine), load_machine("epyc_9654")
    found, _, listed = moved(path, values, path.mechanisms[0], source, target, np.array([2]), streams(draws=len(value)))
    return found, listed


def test_a_wire_limits_a_device_that_could_do_more():
    """1518-byte frames on 100 Gbit/s are 8.13 million a second, whatever the device's own ceiling."""
    path = load_path("fraglist_gro")
    found, _ = to_epyc(path, np.full((8, 1), 1000.0))
    np.testing.assert_allclose(found["link_pps"], 100e9 / 8 / (1492 + 8 + 18 + 20))


def test_the_ceiling_of_a_device_is_drawn_from_its_range():
    path = load_path("packet_transmit")
    found, listed = to_epyc(path, np.full((400, 1), 100.0))
    np.testing.assert_allclose(np.quantile(found["device_pps"], [0.05, 0.5, 0.95]), [70e6, 108.6e6, 115.8e6], rtol=0.02)
    assert any("packet ceiling" in item.name for item in listed)


def test_faster_clocks_and_lines_never_slow_a_path():
    path = load_path("packet_transmit")
    tap = "qdisc with packet_rcv"
    fitted = compare.fit(path, path.scopes[0].name)
    rate = lambda card: predict(path, [1, 8, 32], variant=tap, machine=card, fitted=fitted).curves
    for slow, fast in ((exact("m", 2.0), exact("m", 3.0)), (exact("m", line=120.0), exact("m", line=40.0))):
        assert np.all(rate(fast) >= rate(slow) - 1e-12)


# what draws share


def test_streams_are_stratified_and_the_same_for_a_name():
    one, other = streams(draws=400), streams(draws=400)
    other.normal("something else")
    np.testing.assert_array_equal(one.normal("a"), other.normal("a"))
    np.testing.assert_array_equal(np.sort((one.uniform("b") * 400).astype(int)), np.arange(400))
    part = Streams([7], 400, slice(100, 150))
    np.testing.assert_array_equal(part.normal("a"), one.normal("a")[100:150])
    assert abs(np.corrcoef(one.normal("a"), one.normal("c"))[0, 1]) < 0.15


def test_gains_stay_sure_where_rates_are_not():
    """Both sides of a change move with the same draws: the gain is far narrower than either rate."""
    found = whatif(load_path("packet_transmit"), [4], start="qdisc", without="qdisc layer", machine="xeon_8375c_2s")
    width = lambda low, high: float(np.log(high / low))
    rate = width(found.before.lower[0], found.before.upper[0])
    assert width(found.gain[0, 0], found.gain[4, 0]) < 0.3 * rate


def test_draws_do_not_depend_on_the_other_counts():
    path = load_path("tun_receive")
    few, many = (predict(path, counts, variant="netif_rx", machine="epyc_9654") for counts in ([8], [1, 8, 64]))
    np.testing.assert_allclose(few.curves[:, 0], many.curves[:, 1], rtol=1e-12)


# influence


def test_shares_of_variance_in_closed_form():
    """y = 2 a + b + c^2, independent normals: shares 4/7, 1/7 and 2/7; a coin of height 1 beside noise of 1: 1/5."""
    rng = np.random.default_rng(3)
    a, b, c, d = rng.standard_normal((4, 20_000))
    y = 2 * a + b + c**2
    found = [share_of_variance(y, each) for each in (a, b, c, d)]
    np.testing.assert_allclose(found, [4 / 7, 1 / 7, 2 / 7, 0.0], atol=0.03)
    coin = rng.random(20_000) < 0.5
    assert share_of_variance(coin + a, coin) == pytest.approx(0.2, abs=0.015)
    assert share_of_variance(np.exp(a), a) == share_of_variance(np.exp(a), np.exp(3 * a))
    assert share_of_variance(y, np.ones(20_000)) == 0.0 and share_of_variance(np.ones(9), a[:9]) == 0.0


def test_an_effect_that_may_be_absent_counts_beyond_whether_it_is_there():
    """log rate = fall in half of the draws + noise: with E the mean fall, V its variance, whether it falls is E^2/4 of the
    variance, how far V/2, the noise the rest; together 1."""
    rng = np.random.default_rng(2)
    there, far, noise = rng.random(40_000) < 0.5, rng.normal(1.0, 0.6, 40_000), rng.normal(0.0, 0.5, 40_000)
    drawn = {"there": there, "how far": np.where(there, far, 0.0), "noise": noise}
    items = [Assumption(name, 1.0, 0.5, 2.0, "", "") for name in drawn]
    found = {item.name: item.influence for item in with_influence(items, drawn, drawn["how far"] + noise)}
    total = 0.25 + 0.18 + 0.25
    assert found["there"] == pytest.approx(0.25 / total, abs=0.03)
    assert found["how far"] == pytest.approx(0.18 / total, abs=0.05)
    assert sum(found.values()) == pytest.approx(1.0, abs=0.05)


def test_influence_not_width_orders_assumptions():
    rng = np.random.default_rng(4)
    wide, narrow = (
        Assumption(name, 1.0, low, 1 / low, "ratio", "test") for name, low in (("wide", 0.1), ("narrow", 0.9))
    )
    fixed = Assumption("fixed", 1.0, 1.0, 1.0, "ratio", "test")
    drawn = {"wide": rng.standard_normal(400), "narrow": rng.standard_normal(400)}
    found = by_influence(with_influence([fixed, wide, narrow, wide], drawn, drawn["narrow"]))
    assert [item.name for item in found] == ["narrow", "wide", "fixed"]
    assert found[0].influence == pytest.approx(1.0, abs=0.02) and found[2].influence == 0.0


# ranges hold on what was drawn from them


def test_ranges_cover_a_truth_drawn_from_the_priors():
    """True machines drawn from the same priors: the 90 % interval of a moved time holds about 90 % of them."""
    source, target = load_machine("xeon_8375c_2s"), load_machine("epyc_7763_2s")
    n = np.array([24])

    def section(seed, draws):
        rng = streams(seed, draws)
        factors, _ = factors_of(Move(source, target, n, draws, rng), {"section"})
        return 80.0 * time_factor(factors, "section", departure("section", 80.0, draws, rng)[0][:, None])[0][:, 0]

    lower, upper = np.quantile(section(1, 400), [0.05, 0.95])
    truth = section(2, 3000)
    assert np.mean((lower <= truth) & (truth <= upper)) == pytest.approx(0.9, abs=0.03)


def test_the_line_ratio_reverses():
    one, other = load_machine("xeon_8375c_2s"), load_machine("epyc_9654")
    forth, _ = relative_line_transfer(one, other, DRAWS, streams(), 16, 16)
    back, _ = relative_line_transfer(other, one, DRAWS, streams(), 16, 16)
    np.testing.assert_allclose(forth * back, 1.0, rtol=1e-12)


def test_longer_work_departs_less():
    widths = []
    for ns in (5.0, 30.0, 120.0, 3000.0):
        values, notes = departure("x", ns, DRAWS, streams())
        widths.append(np.log(np.quantile(values, 0.95)))
        assert notes[0].upper == pytest.approx(np.quantile(values, 0.95), rel=0.01)
    np.testing.assert_allclose(widths, np.log(2.5) * np.array([1, 1, 0.5, 0.1]), rtol=0.02)
    np.testing.assert_array_equal(
        draw_assumption(Assumption("x", 1.0, 1.0, 1.0, "ratio", ""), 5, streams(draws=5)), 1.0
    )
