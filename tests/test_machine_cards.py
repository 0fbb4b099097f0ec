"""What a card may say, what it may leave out, and that each of its facts moves only what depends on it."""

import json

import numpy as np
import pytest
import yaml

from mpps import cli
from mpps.errors import DataError
from mpps.machine import LINE_CLASSES, load_machine, machines
from mpps.machine.facts import NEEDED, OPTIONAL
from mpps.paths import load_path
from mpps.predict import predict
from mpps.root import data_folder

OPERATIONS = {
    "spin_lock_pair", "spin_lock_irqsave_pair", "local_bh_pair", "local_irq_pair", "local_irq_save_restore",
    "atomic_inc", "cmpxchg_local_line", "direct_call", "indirect_call", "page_pool_fast", "page_pool_napi_aware",
    "page_pool_ring", "page_pool_slow", "page_alloc_free", "page_alloc_free_bulk_64", "skb_alloc_free",
    "skb_alloc_free_bulk_16", "skb_clear", "l2_hit", "l3_hit",
}  # fmt: skip


def card_of(slug):
    return yaml.safe_load((data_folder() / "machines" / f"{slug}.yaml").read_text(encoding="utf-8"))


def own(folder, change=None, slug="epyc_9454_2s", name="mine"):
    """A copy of a shipped card in a file of the user's, with one change."""
    card = card_of(slug)
    if change:
        change(card)
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(card), encoding="utf-8")
    return path


def refusal(folder, change):
    with pytest.raises(DataError) as error:
        load_machine(own(folder, change))
    assert str(error.value).startswith("mine.yaml: ")
    return str(error.value)


def setting(name, fact):
    """Replaces one fact."""

    def change(card):
        group, _, member = name.partition(".")
        if member:
            card[group][member] = fact
        else:
            card[group] = fact

    return change


# Plausibility


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("clock.base", 2750, "looks like MHz: write 2.75"),
        ("clock.one_core", 3.8e9, "looks like Hz: write 3.8"),
        ("clock.tsc", 8.5, "found 8.5, expected 0.05 to 8 GHz"),
        ("line_transfer.same_cluster", 0.0265, "looks like us: write 26.5"),
        ("line_transfer.other_socket", 197600, "looks like ps: write 197.6"),
        ("line_transfer.other_socket", 10_001, "expected 0.5 to 10000 ns"),
        ("line_transfer.other_cluster_remote_home", 2e-7, "looks like seconds: write 200"),
        ("device.link", 100_000, "looks like Mbit/s: write 100"),
        ("device.packet_ceiling", 14_880_952, "looks like packets/s: write 14.881"),
        ("topology.sockets", 5000, "expected at most 4096"),
        ("topology.numa_nodes", 2.5, "whole number"),
        ("topology.cluster_cores", 64, "found 64 in a socket of 48 cores"),
        ("clock.all_cores", 3.9, "found 3.9 GHz above clock.one_core, 3.8 GHz"),
        ("clock.base", 10**400, "a number of 401 digits"),
        ("clock.base", float("inf"), "found inf"),
        ("clock.base", "2.75 GHz", "positive number in GHz"),
        ("clock.base", [2.75], "positive number in GHz"),
    ],
)
def test_a_number_of_the_wrong_size_says_what_it_looks_like(tmp_path, name, value, words):
    text = refusal(tmp_path, setting(name, {"value": value, "source": "A1"}))

    assert name in text and words in text


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([], "expected a list such as"),
        (3.8, "expected a list such as"),
        ([[1, 3.8], [2]], "row 2: found [2]"),
        ([[1, 3.8], [1, 3.7]], "row 2: found 1 after 1, expected ascending"),
        ([[1, 3.6], [8, 3.7]], "row 2: found 3.7 GHz with 8 active cores after 3.6 GHz with 1"),
        ([[0, 3.8]], "row 1, active cores"),
        ([[1, 3800]], "row 1, clock: found 3800, expected 0.05 to 8 GHz; 3800 looks like MHz"),
        ([[1, 3.8], [49, 3.6]], "found 49 active cores, more than a socket has"),
    ],
)
def test_a_table_of_clocks_is_checked(tmp_path, table, words):
    text = refusal(tmp_path, setting("clock.by_active_cores", {"value": table, "source": "A1"}))

    assert "clock.by_active_cores" in text and words in text


def test_a_table_of_clocks_is_read(tmp_path):
    fact = {"value": [[1, 3.8], [24, 3.7], [48, 3.65]], "source": "A1"}
    machine = load_machine(own(tmp_path, setting("clock.by_active_cores", fact)))

    assert machine["clock.by_active_cores"].value == ((1, 3.8), (24, 3.7), (48, 3.65))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the machine card is empty"),
        ("# only a comment\n", "the machine card is empty"),
        ("- a\n- b\n", "found list"),
        ("just words\n", "found str 'just words'"),
        ("? [a, b]\n: 1\n", "not valid YAML"),
        ("when: 2024-13-45\n", "not valid YAML"),
        ("[" * 5000, "not valid YAML"),
        ("{a: 1, a: 2}\n", "'a' is written twice"),
        ("title: \x07\n", "not valid YAML"),
    ],
)
def test_a_file_that_is_no_card(tmp_path, text, words):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="mine.yaml") as error:
        load_machine(path)
    assert words in str(error.value)


def test_a_group_that_is_missing_says_what_stands_in(tmp_path):
    assert "missing clock; write not_stated: true where the source is silent, and a named prior stands in" in refusal(
        tmp_path, lambda card: card.pop("clock")
    )
    assert "clock: missing tsc" in refusal(tmp_path, lambda card: card["clock"].pop("tsc"))


# Optional facts


def test_cards_without_the_optional_facts_are_taken(tmp_path):
    """A card from before these facts existed; what it leaves out is not stated."""

    def strip(card):
        card.pop("costs", None)
        for name in OPTIONAL:
            group, _, member = name.partition(".")
            (card[group] if member else card).pop(member or group, None)

    machine = load_machine(own(tmp_path, strip))

    assert all(machine[name].not_stated for name in OPTIONAL) and machine.costs == ()
    assert set(machine.facts) == {*NEEDED, *OPTIONAL}


def test_more_cpus_than_a_kernel_counts_are_refused(tmp_path):
    """Two sockets of 4096 cores with two threads each: tables of cores would not fit into memory."""
    text = refusal(tmp_path, setting("topology.cores_per_socket", {"value": 4096, "source": "A1"}))

    assert "topology: found 16,384 CPUs" in text and "expected at most 8,192" in text


def test_work_per_cycle_names_the_other_machine(tmp_path):
    fact = {"value": 1.2, "lower": 1.1, "upper": 1.3, "assumed": True, "reason": "same benchmark on both"}
    machine = load_machine(own(tmp_path, setting("relative_work_per_cycle", fact | {"against": "epyc_7763_2s"})))

    assert machine["relative_work_per_cycle"].against == "epyc_7763_2s"
    text = refusal(tmp_path, setting("relative_work_per_cycle", fact))
    assert "relative_work_per_cycle.against: expected the machine" in text
    for wrong in ("epyc_7763", "mine"):
        text = refusal(tmp_path, setting("relative_work_per_cycle", fact | {"against": wrong}))
        assert f"relative_work_per_cycle.against: found {wrong!r}, expected another machine" in text
    assert "unknown key 'against'" in refusal(
        tmp_path, setting("clock.base", {"value": 2, "source": "A1", "against": "epyc_9654"})
    )


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ({}, "expected a list of sets"),
        ([{"operations": {"a": 1}}], "costs, set 1: missing mitigations"),
        ([{"mitigations": "", "operations": {"a": 1}}], "costs, set 1.mitigations"),
        ([{"mitigations": "off", "operations": {}}], "expected operation: ns"),
        ([{"mitigations": "off", "operations": {"a": 1}}], "costs, set 1.a: expected a source"),
        ([{"mitigations": "off", "source": "ZZ", "operations": {"a": 1}}], "unknown key 'ZZ'"),
        ([{"mitigations": "off", "source": "A1", "operations": {"a": -1}}], "positive number in ns"),
        ([{"mitigations": "off", "source": "A1", "operations": {"a": 0.003}}], "looks like us: write 3"),
        ([{"mitigations": "off", "source": "A1", "operations": {"Spin lock": 3}}], "lower case"),
        (
            [{"mitigations": "off", "source": "A1", "operations": {"a": {"value": 3, "lower": 4, "upper": 5}}}],
            "lower <=",
        ),
        ([{"mitigations": "off", "source": "A1", "operations": {"a": 1}}] * 2, "stands twice"),
    ],
)
def test_cost_sets_are_checked(tmp_path, costs, words):
    assert words in refusal(tmp_path, setting("costs", costs))


def test_return_thunks_multiply_calls_and_leave_atomics_alone():
    """EPYC 9684X with and without return thunks, as published."""
    thunks, without = load_machine("epyc_9684x").costs
    ratio = {name: fact.value / without.operations[name].value for name, fact in thunks.operations.items()}

    assert "SRSO" in thunks.mitigations and "no return thunks" in without.mitigations
    assert all(ratio[name] > 2 for name in ("spin_lock_pair", "local_bh_pair", "direct_call", "page_pool_fast"))
    assert all(
        ratio[name] == pytest.approx(1, abs=0.05) for name in ("atomic_inc", "cmpxchg_local_line", "local_irq_pair")
    )
    assert (thunks.operations["page_pool_fast"].value, without.operations["page_pool_fast"].value) == (14.2, 3.80)


def test_shipped_cost_sets_are_cited_and_their_operations_explained():
    text = (data_folder() / "machines" / "README.md").read_text(encoding="utf-8")
    found = {slug: load_machine(slug) for slug in machines()}
    shown = {name for machine in found.values() for each in machine.costs for name in each.operations}

    assert sum(bool(machine.costs) for machine in found.values()) >= 3
    assert shown == OPERATIONS and all(f"`{name}`" in text for name in OPERATIONS)
    for machine in found.values():
        for each in machine.costs:
            assert each.mitigations and all(
                set(fact.source) <= set(machine.sources) for fact in each.operations.values()
            )
            assert all(fact.source and fact.value > 0 for fact in each.operations.values())


@pytest.mark.parametrize(("operation", "variant"), [("page_pool_fast", "fast path"), ("page_pool_ring", "ptr_ring")])
@pytest.mark.parametrize("slug", ["xeon_e5_1650_v4", "epyc_9684x"])
def test_published_costs_lie_in_what_is_predicted_from_another_machine(slug, operation, variant):
    """Fitted on a Xeon Platinum 8580; the other machines were measured with the mitigations that their cards state."""
    costs = load_machine(slug).costs[0]
    assert costs.mitigations == load_machine(slug)["mitigations"].value
    forecast = predict(load_path("page_pool_recycle"), [1], variant=variant, machine=slug)

    assert forecast.lower[0] < 1e9 / costs.operations[operation].value < forecast.upper[0]


# Shipped cards


def test_there_is_a_choice_of_machines():
    """Servers of both makers and ARM, routers, desktops; two-socket AMD with the line at home and away."""
    assert len(machines()) >= 22
    designs = {load_machine(slug)["microarchitecture"].value for slug in machines()}
    assert {"Zen 3", "Zen 4", "Ice Lake-SP", "Sapphire Rapids", "Neoverse N1", "Neoverse V1", "Gracemont"} <= designs
    for slug in ("epyc_7763_2s", "epyc_7r13_2s", "epyc_9454_2s"):
        machine = load_machine(slug)
        near, far = machine.line_transfer("other_cluster"), machine["line_transfer.other_cluster_remote_home"]
        assert 1.8 < far.value / near.value < 2.3


def test_printed_line_transfers():
    """Medians as the published matrices give them."""
    expected = {
        "epyc_7763_2s": [10.2, 24.9, 124.2, 303.6],
        "epyc_7r13_2s": [9.8, 22.7, 107.6, 197.2],
        "xeon_8275cl_2s": [7.6, 46.6, None, 134.1],
        "xeon_e5_2690_2s": [8.9, 32.4, None, 114.3],
        "core_i9_12900k_p": [4.3, 35.1, None, None],
        "core_i9_12900k_e": [None, 50.2, 44.2, None],
        "ryzen_9_7950x": [5.3, 15.7, 72.7, None],
        "graviton3": [None, 46.4, None, None],
        "ampere_altra_q80_30": [None, 93.3, 180.0, None],
        "lx2160a": [None, 60.0, 260.0, None],
    }
    for slug, values in expected.items():
        assert [load_machine(slug).line_transfer(name).value for name in LINE_CLASSES] == values


@pytest.mark.parametrize("path", ["packet_transmit", "page_pool_recycle"])
def test_every_machine_predicts(path):
    """Every shipped machine and the first variant of a path; tests/slow/test_machines.py has all paths."""
    path = load_path(path)
    for slug in machines():
        forecast = predict(path, [1, 64], variant=path.variants[0].name, machine=slug)
        assert np.all(np.isfinite(forecast.quantiles)) and np.all(forecast.quantiles > 0), slug
        assert np.all(np.diff(forecast.quantiles, axis=0) >= 0), slug


# One fact changes what depends on it


def rates(folder, change=None, variant="qdisc", cores=(1, 32, 96)):
    machine = load_machine(own(folder, change, name="same"))
    return predict(load_path("packet_transmit"), cores, variant=variant, machine=machine).median


def test_a_faster_clock_speeds_one_core_up(tmp_path):
    def faster(card):
        for name in ("one_core", "all_cores"):
            card["clock"][name]["value"] *= 1.5

    gain = rates(tmp_path, faster) / rates(tmp_path)
    assert 1.2 < gain[0] < 1.5  # memory's share of the work does not follow


def test_a_nearer_line_helps_only_where_it_moves(tmp_path):
    """Deliveries move a line between clusters with 32 cores, and between sockets with 96; one core moves none."""

    def scaled(name, by):
        def change(card):
            for key in ("value", "lower", "upper"):
                card["line_transfer"][name][key] *= by

        return change

    plain, cluster, socket = (
        rates(tmp_path, change, variant="qdisc with packet_rcv")
        for change in (None, scaled("other_cluster", 0.25), scaled("other_socket", 0.25))
    )

    assert cluster[0] == socket[0] == plain[0]
    assert cluster[1] > 1.2 * plain[1] and socket[1] == pytest.approx(plain[1], rel=0.02)
    assert cluster[2] > 1.02 * plain[2] and socket[2] > 1.02 * plain[2]


def test_the_device_limits_only_where_the_cores_reach_it(tmp_path):
    def slow(card):
        card["device"]["link"] = {"value": 10, "source": "X2"}
        card["device"]["packet_ceiling"] = {"value": 14.88, "source": "X2"}

    plain, limited = rates(tmp_path, variant="bypass"), rates(tmp_path, slow, variant="bypass")

    assert limited[0] == pytest.approx(plain[0], rel=0.01)
    assert limited[2] < 15e6 and plain[2] > 3e7


# List


def test_list_shows_what_helps_to_choose(capsys):
    assert cli.main(["list", "machines"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: line for line in lines[: len(machines())]}

    assert head.split() == ["machine", "CPUs", "GHz", "line", "ns", "Gbit/s", "facts"]
    assert tuple(rows) == machines()
    row = rows["epyc_9454_2s"]
    assert "2 x 48 x 2" in row and "2.75 3.8 3.65" in row and "26.5 / 103.4 / 197.6" in row and "~100" in row
    machine = load_machine("epyc_9454_2s")
    how = [fact.how for name, fact in machine.facts.items() if name in NEEDED]
    assert f"  {how.count('stated')} {how.count('assumed')} {how.count('missing')}  AMD" in row
    assert "- x - x -" in rows["tun_2016_host"]


def test_list_as_json_has_every_fact_with_its_source(capsys):
    assert cli.main(["list", "machines", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = {each["name"]: each for each in document["machines"]}

    assert document["schema"] == "mpps.list/1" and tuple(found) == machines()
    fact = found["epyc_9454_2s"]["facts"]["line_transfer.other_cluster"]
    assert (fact["value"], fact["lower"], fact["upper"], fact["unit"], fact["how"]) == (
        103.4,
        95.9,
        107.9,
        "ns",
        "stated",
    )
    assert set(fact["source"]) <= set(found["epyc_9454_2s"]["sources"])
    assert found["tun_2016_host"]["facts"]["clock.base"]["how"] == "missing"
    assert found["epyc_9684x"]["costs"][1]["operations"]["page_pool_fast"]["value"] == 3.80
    assert cli.main(["list", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"schema", "paths", "machines", "datasets", "notebooks"}
