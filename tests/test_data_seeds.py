"""The shipped measurements against the text they come from, and against what rounding allows.

The source text lies beside the project, not in it; without it the tests that need it skip, with a line that says so.
"""

import collections
import dataclasses
import datetime
import email.utils
import hashlib
import itertools
import pathlib
import re

import numpy as np
import pytest

from mpps.measurements import (
    NOT_STATED,
    NUMBER_COLUMNS,
    OPTIONAL_KEYS,
    PACKET_LAYERS,
    REQUIRED_COLUMNS,
    REQUIRED_KEYS,
    Check,
    Fact,
    Reference,
    Samples,
    Statement,
    datasets,
    load,
    read_card,
)
from mpps.root import data_folder
from mpps.rounding import change_agrees, common_interval, rounding_interval
from mpps.units import known_units

FOLDER = data_folder() / "measurements"
SEEDS = pathlib.Path(__file__).resolve().parents[2] / "shared" / "seeds"
SOURCES = {
    "pppoe_receive_sync": "000_5697db51eed7d888.txt",
    "pppoe_receive_napi": "000_5697db51eed7d888.txt",
    "fraglist_gro": "001_e3c1a809a1402836.txt",
    "tun_receive": "002_4d16fc9302f185d4.txt",
    "page_pool_recycle": "003_fac228b08d229876.txt",
    "packet_transmit": "004_50f639b0f6bc9d4d.txt",
}
LOCKS = {"retained": ("both locks", "ppp lock only"), "removed": ("socket lock only", "no lock")}
WORDS = {0: "zero", 1: "one", 2: "two", 4: "four"}

needs_sources = pytest.mark.skipif(not SEEDS.is_dir(), reason="the source texts (../shared/seeds) are not here")
each_table = pytest.mark.parametrize("name", sorted(SOURCES))


def source(name):
    return (SEEDS / SOURCES[name]).read_text(encoding="utf-8")


def flat(text):
    return " ".join(text.split())


def message(name):
    """The source without the diff, whose line numbers are no measurements."""
    return re.split(r"^(?:> )?diff --git|> --- > drivers/", source(name), flags=re.MULTILINE)[0]


def stored(name):
    """Every printed value as (variant, labels, metric, n) -> text, checked to be unique."""
    points = [
        ((series.variant, *series.extra.values(), series.metric, int(n)), printed)
        for series in load(name).all_series
        for n, printed in zip(series.n, series.printed, strict=True)
    ]
    assert len(dict(points)) == len(points)
    return dict(points)


def test_the_six_tables_are_there():
    """Every table that the design promises loads by its name."""
    assert datasets() == tuple(sorted(SOURCES))


@each_table
def test_checksum_is_that_of_the_file(name):
    """The checksum of a card is that of its CSV, by another route than the loader's."""
    assert (
        read_card(FOLDER / f"{name}.yaml").sha256 == hashlib.sha256((FOLDER / f"{name}.csv").read_bytes()).hexdigest()
    )


@each_table
def test_hardware_is_a_machine_of_the_catalogue(name):
    """The machine that a card names has a file."""
    assert (data_folder() / "machines" / f"{load(name).card.hardware}.yaml").is_file()


# What the tables say, read from the text by code that knows nothing of the CSV.


@needs_sources
def test_synchronous_pppoe_tables_are_complete():
    """Both tables hold exactly the rows of the CSV, and the change column exactly the checks of the card."""
    rows = re.findall(r"^ +(\d+) +([\d.]+) +([\d.]+) +([+-][\d.]+%)$", message("pppoe_receive_sync"), re.MULTILINE)
    expected, changes = {}, []
    for place, (n, before, after, change) in enumerate(rows):
        first, second = LOCKS["retained" if place < 5 else "removed"]
        expected[first, "throughput", int(n)] = before
        expected[second, "throughput", int(n)] = after
        changes.append((first, second, "throughput", float(n), change))

    assert len(rows) == 10
    assert stored("pppoe_receive_sync") == expected
    checks = load("pppoe_receive_sync").card.checks
    assert [(check.before, check.after, check.metric, check.n, check.printed) for check in checks] == changes


@needs_sources
def test_napi_pppoe_tables_are_complete():
    """Both tables hold exactly the rows of the CSV, GRO off in the first pair of columns."""
    number = r" +([\d.]+)"
    rows = re.findall(rf"^ +(\d+){number * 4}$", message("pppoe_receive_napi"), re.MULTILINE)
    expected = {}
    for place, (n, *values) in enumerate(rows):
        pair = LOCKS["retained" if place < 5 else "removed"]
        for (gro, variant), text in zip(itertools.product(("off", "on"), pair), values, strict=True):
            expected[variant, gro, "throughput", int(n)] = text

    assert len(rows) == 10
    assert stored("pppoe_receive_napi") == expected


@needs_sources
def test_pppoe_tables_stand_in_the_assumed_order():
    """The PPP lock is retained in the first and third table, removed in the other two; GRO off comes first."""
    text = message("pppoe_receive_sync")
    heads = [match.start() for match in re.finditer("^ +Senders +Before", text, re.MULTILINE)]
    signs = [
        "is retained in both variants",
        "benchmark-only change that removes",
        "lock retained, in IP-layer",
        "lock removal:",
    ]
    places = [flat_find(text, sign) for sign in signs]

    assert sorted(heads + places) == [place for pair in zip(places, heads, strict=True) for place in pair]
    assert re.findall("GRO (off|on)", text[places[2] :])[:4] == ["off", "on", "off", "on"]


def flat_find(text, words):
    """Where words stand in a text, whatever the line breaks between them."""
    match = re.search(r"\s+".join(map(re.escape, words.split())), text)
    assert match is not None, words
    return match.start()


@needs_sources
def test_fraglist_lines_are_complete():
    """The two lines of the message are the four rows of the CSV."""
    lines = re.findall(r"^(rx-gro-list \w+): +(\d+) Mbit/s, CPU (\d+)% idle$", message("fraglist_gro"), re.MULTILINE)
    expected = {}
    for variant, throughput, idle in lines:
        expected[variant, "throughput", 2] = throughput
        expected[variant, "idle", 2] = idle

    assert len(lines) == 2
    assert stored("fraglist_gro") == expected


@needs_sources
def test_tun_sentence_is_complete():
    """The one sentence gives before, after and the change."""
    sentence = r"by about (\d+)%, from (\d+)k packets/second to (\d+)k packets/second"
    change, before, after = re.search(sentence, flat(message("tun_receive")).replace("> ", "")).groups()

    assert stored("tun_receive") == {
        ("netif_rx", "throughput", 1): before,
        ("netif_receive_skb", "throughput", 1): after,
    }
    assert [check.printed for check in load("tun_receive").card.checks] == [f"about {change}%"]


@needs_sources
def test_page_pool_lines_are_complete():
    """Every benchmark line of the message is a pair of rows."""
    variants = {"fast_path": "fast path", "napi_aware": "NAPI-aware", "ptr_ring": "ptr_ring"}
    pattern = r"Type:tasklet_page_pool\d+_(\w+) Per elem: (\d+) cycles\(tsc\) ([\d.]+) ns \(step:0\)"
    expected = {}
    for name, cycles, time in re.findall(pattern, flat(source("page_pool_recycle"))):
        expected[variants[name], "cycles", 1] = cycles
        expected[variants[name], "time", 1] = time

    assert source("page_pool_recycle").count("Per elem:") == 3
    assert stored("page_pool_recycle") == expected


@needs_sources
def test_packet_transmit_table_is_complete():
    """Every row of the table is there, and every number with thousands separators in the text is in the CSV."""
    row = r"^ *(\d+) CPUs? +== +([\d,]+) pps -- +([\d,]+) -- +([\d,]+)$"
    rows = re.findall(row, source("packet_transmit"), re.MULTILINE)
    expected = {
        (variant, "throughput", int(n)): text.replace(",", "")
        for n, *values in rows
        for variant, text in zip(("bypass", "qdisc", "qdisc with packet_rcv"), values, strict=True)
    }
    grouped = re.findall(r"\b\d{1,3}(?:,\d{3})+\b", source("packet_transmit"))

    assert len(rows) == 12
    assert stored("packet_transmit") == expected
    assert collections.Counter(text.replace(",", "") for text in grouped) == collections.Counter(expected.values())


@needs_sources
def test_rows_left_out_of_the_packet_transmit_table():
    """The mark for left-out rows stands between 11 and 20 CPUs, and the fact names exactly the counts in between."""
    left_out = re.findall(r" 11 CPUs ==[^\n]*\n +\[\.\.\.\]\n +20 CPUs ==", source("packet_transmit"))
    counts = load("packet_transmit").one(variant="bypass").n
    missing = sorted(set(range(1, 21)) - set(counts.astype(int)))
    fact = load("packet_transmit").card.facts["elided_cpus"]

    assert len(left_out) == 1
    assert missing == list(range(int(fact.ends[0]), int(fact.ends[1]) + 1))


# The other way round: the text holds no number with a unit or a point that the project lacks.


@needs_sources
def test_every_decimal_number_of_the_pppoe_message_is_stored():
    """Values, printed changes and facts together are all decimal numbers before the diff."""
    sync, napi = load("pppoe_receive_sync"), load("pppoe_receive_napi")
    kept = [text for table in (sync, napi) for series in table.all_series for text in series.printed]
    kept += [check.printed.strip("+%") for check in sync.card.checks]
    facts = [fact.printed for card in (sync.card, napi.card) for fact in card.facts.values()]
    kept += [number for printed in facts for number in re.findall(r"\d+\.\d+", printed)]
    found = re.findall(r"(?<![\d.])\d+\.\d+(?![\d.])", re.sub(r"\d{14}\.\d+", "", message("pppoe_receive_sync")))

    assert collections.Counter(found) == collections.Counter(kept)


UNITS = r"(?:\d[\d.]*) ?(?:Mbit/s|[GM]bps|Gbit/s|Mpps|%|ns\b|cycles|kpps|k packets|TCP streams|-core|comparisons?)"


@needs_sources
@pytest.mark.parametrize("name", ["fraglist_gro", "tun_receive", "page_pool_recycle"])
def test_every_number_with_a_unit_is_stored(name):
    """Each is the value of a row, a printed change, or stands in the words of a fact."""
    table = load(name)
    kept = {text for series in table.all_series for text in series.printed}
    words = [check.printed for check in table.card.checks] + [fact.printed for fact in table.card.facts.values()]
    kept |= {number for printed in words for number in re.findall(r"\d[\d.]*", printed)}
    found = {re.match(r"[\d.]+", text)[0] for text in re.findall(UNITS, flat(message(name)))}

    assert found
    assert found <= kept


# Cards.


def card_words(name):
    card = load(name).card
    return [(key, item) for group in (card.facts, card.statements) for key, item in group.items()]


@needs_sources
@each_table
def test_words_of_facts_and_statements_stand_in_the_source(name):
    """The words that prove a fact or a statement are in the text."""
    text = flat(source(name))
    missing = [(key, item.printed) for key, item in card_words(name) if item.printed not in text]

    assert not missing


@each_table
def test_values_of_facts_stand_in_their_words(name):
    """The number of a fact is in its own words, in digits or spelled out."""
    facts = load(name).card.facts
    special = {key for key in facts if key == "elided_cpus" or key.startswith("case_")}  # tested on their own
    for key in facts.keys() - special:
        numbers = set(map(float, re.findall(r"\d+(?:\.\d+)?", facts[key].printed)))
        spelled = {number for number, word in WORDS.items() if word in facts[key].printed.split()}
        assert set(facts[key].ends) <= numbers | spelled, key


@needs_sources
def test_three_cases_of_the_page_pool_patch():
    """Comparisons and calls before and after, counted from the text."""
    text = flat(source("page_pool_recycle")).replace("> ", "")
    block = text[text.index("1) napi_direct") : text.index("Case 1 & 2 are the slower")]
    cases = re.split(r"\d\) napi_direct", block)[1:]
    expected = {}
    for number, case in enumerate(cases, 1):
        for moment, part in zip(("before", "after"), case.split("- After:"), strict=True):
            comparisons = re.search(r"(\d) comparison", part)
            expected[f"case_{number}_comparisons_{moment}"] = float(comparisons[1]) if comparisons else 0.0
            expected[f"case_{number}_calls_{moment}"] = float("page_pool_napi_local()" in part)
    facts = load("page_pool_recycle").card.facts

    assert len(expected) == 12
    assert {key: fact.value for key, fact in facts.items() if key.startswith("case_")} == expected


@needs_sources
@each_table
def test_source_of_the_card_is_that_of_the_text(name):
    """Title, list, day, ids, packet size: what the text states is in the card, and what it does not is not stated."""
    card, text = load(name).card, source(name)
    header = re.search(r"^Date: (.+)$|Message-ID: Date: (.+?) Precedence:", text, re.MULTILINE)
    day = NOT_STATED
    if header:
        day = email.utils.parsedate_to_datetime(header[1] or header[2]).date().isoformat()
    message_id = re.search(r"^Message-ID: <(\d[\d.]*(?:-\d+)*)", text, re.MULTILINE)
    list_known = re.search(rf"{card.mailing_list}@vger|lore.kernel.org/{card.mailing_list}/|X-Mailing-List: bpf", text)

    assert card.title in flat(text)
    assert card.date == day
    assert card.message_id == (message_id[1] if message_id else NOT_STATED)
    assert bool(list_known) == (card.mailing_list != NOT_STATED)
    assert card.commit == NOT_STATED
    for reference in card.references:
        assert (reference.id in text) == (reference.found == "source")


@needs_sources
def test_packet_sizes_and_samples_are_those_of_the_text():
    """Packet size and samples of a card stand in its text; where a card gives none, the text gives none."""
    sizes = {name: load(name).card.packet_bytes for name in SOURCES}
    in_text = {name: set(re.findall(r"(\d+)[- ]bytes? (?:IPv4 )?packets", flat(message(name)))) for name in SOURCES}
    sync, napi = (load(name).card.samples for name in ("pppoe_receive_sync", "pppoe_receive_napi"))

    assert sizes == dict.fromkeys(SOURCES) | {"pppoe_receive_sync": 1492.0, "packet_transmit": 64.0}
    assert in_text.pop("packet_transmit") == {"64"}
    assert in_text.pop("pppoe_receive_sync") == in_text.pop("pppoe_receive_napi") == {"1492"}
    assert set().union(*in_text.values()) == set()
    assert "Median throughput over 12 samples per cell across four boots" in flat(source("pppoe_receive_sync"))
    assert "Medians use the same sample and boot counts" in flat(source("pppoe_receive_sync"))
    assert (sync.count, sync.boots, sync.statistic, sync.spread) == (12, 4, "median", NOT_STATED) and napi == sync
    assert all(load(name).card.samples.count is None for name in SOURCES if not name.startswith("pppoe"))


@needs_sources
def test_no_person_and_no_address_is_named():
    """No name or address from a header or a signature of the sources stands in the data."""
    texts = "".join((SEEDS / file).read_text(encoding="utf-8") for file in set(SOURCES.values()))
    addresses = set(re.findall(r"[\w.+-]+@[\w.-]+\.\w+", texts))
    signed = re.findall(r"([A-Z][\w.]+(?: [A-Z]\.?)?(?: [A-Z]\w+)+)\"? ?[<,]", texts)
    names = {word for name in signed for word in name.split() if len(word) > 3} - {"Then", "XDP_DROP."}
    data = "".join(path.read_text(encoding="utf-8") for path in [*FOLDER.iterdir(), data_folder() / "README.md"])

    assert len(addresses) > 20 and len(names) > 20
    assert "@" not in data
    assert not names & set(re.findall(r"\w+", data))


@each_table
def test_card_tells_what_is_open(name):
    """Every card says what the source leaves open and what is easily misread, and dates the source where it can."""
    card = load(name).card

    assert len(card.not_stated) >= 3 and len(card.traps) >= 3
    if card.date != NOT_STATED:
        assert datetime.date(2010, 1, 1) < datetime.date.fromisoformat(card.date) < datetime.date(2026, 12, 31)


# What the printed numbers imply for each other.


def test_printed_changes_follow_from_the_rows():
    """Each printed change is one that the rounding of its two rows and of itself allows; there are eleven."""
    changes = [change for name in SOURCES for change in load(name).changes()]

    assert len(changes) == 11
    for change in changes:
        assert change.agrees, change
        assert change.lower <= change.printed_upper and change.printed_lower <= change.upper


def test_printed_changes_tell_rows_apart():
    """With the row of any other n, or with the two rows swapped, no printed change would agree."""
    table = load("pppoe_receive_sync")
    for check in table.card.checks:
        before, after = (table.one(variant=name) for name in (check.before, check.after))
        pairs = {n: pair for n, *pair in zip(before.n, before.printed, after.printed, strict=True)}
        for n, (first, second) in pairs.items():
            assert change_agrees(check.printed, first, second) == (n == check.n)
            assert not change_agrees(check.printed, second, first)


def frequencies(lower_cycles, upper_cycles, lower_ns, upper_ns):
    return common_interval(np.divide(lower_cycles, upper_ns), np.divide(upper_cycles, lower_ns))


def test_page_pool_cycles_and_times_agree_on_one_clock():
    """Cut cycles over time give one frequency of the time-stamp counter, [1.990, 2.002) GHz.

    Taking the printed ns as exact suffices. The figure is the same, to three decimals, with the ns cut as the
    benchmark cuts them (what the series hold) and with the ns rounded.
    """
    table = load("page_pool_recycle")
    cycles = [table.one("cycles", variant=variant) for variant in table.variants]
    times = [table.one("time", variant=variant) for variant in table.variants]
    low, high = (np.concatenate([getattr(one, end) for one in cycles]) for end in ("lower", "upper"))
    printed = np.concatenate([one.value for one in times])
    cut = [np.concatenate([getattr(one, end) for one in times]) for end in ("lower", "upper")]

    assert np.array_equal(high - low, np.ones(3)) and np.allclose(cut[1] - cut[0], 0.001)
    for ends in ((printed, printed), cut, (printed - 0.0005, printed + 0.0005)):
        interval = frequencies(low, high, *ends)
        assert tuple(round(end, 3) for end in interval) == (1.990, 2.002)
        assert interval[0] < 2.0 < interval[1]


def test_page_pool_cycles_taken_as_rounded_would_mislead():
    """Read as rounded, the cycles would give [1.924, 1.954] GHz and exclude the 2.0 GHz that they were counted at."""
    table = load("page_pool_recycle")
    value, time = (
        np.concatenate([table.one(metric, variant=variant).value for variant in table.variants])
        for metric in ("cycles", "time")
    )
    interval = frequencies(value - 0.5, value + 0.5, time, time)

    assert tuple(round(end, 3) for end in interval) == (1.924, 1.954)


def test_budget_of_the_page_pool_source_is_that_of_the_wire():
    """148 Mpps, cut, and 6.72 ns belong to 64-byte frames with 20 bytes of overhead at 100 Gbit/s."""
    facts = load("page_pool_recycle").card.facts
    rate_pps = facts["target_link"].value * 1e9 / (8 * (64 + 20))

    assert int(rate_pps / 1e6) == facts["target_rate"].value
    assert round(1e9 / rate_pps, 2) == facts["target_budget"].value


def test_backlog_time_from_rounding_alone():
    """The two tun figures differ by 275 ns a packet: 265 to 285 from rounding to 700k, a little more with both."""
    before, after = (load("tun_receive").one(variant=name) for name in ("netif_rx", "netif_receive_skb"))
    (before_low, before_high), (after_low, after_high) = before.rate_interval_pps(), after.rate_interval_pps()
    after_ns = 1e9 / after.rate_pps()[0]

    assert 1e9 / before.rate_pps()[0] - after_ns == pytest.approx(275.2, abs=0.05)
    assert 1e9 / before_high[0] - after_ns == pytest.approx(265.0, abs=0.05)
    assert 1e9 / before_low[0] - after_ns == pytest.approx(285.4, abs=0.06)
    assert 1e9 / before_high[0] - 1e9 / after_low[0] == pytest.approx(264.4, abs=0.05)
    assert 1e9 / before_low[0] - 1e9 / after_high[0] == pytest.approx(286.1, abs=0.05)


def test_slower_beyond_four_senders_while_a_lock_remains():
    """The order that the PPPoE source states in words holds in its rows."""
    for variant in load("pppoe_receive_sync").variants:
        _, _, four, eight, sixteen = load("pppoe_receive_sync").one(variant=variant).value
        assert (max(eight, sixteen) < four) == (variant != "no lock")


# The data dictionary.


def test_dictionary_names_everything():
    """The README of the data names every table, column, variant, metric, unit, layer and card key."""
    text = (data_folder() / "README.md").read_text(encoding="utf-8")
    words = {
        *SOURCES,
        *REQUIRED_COLUMNS,
        *NUMBER_COLUMNS,
        *PACKET_LAYERS,
        *known_units(),
        *REQUIRED_KEYS,
        *OPTIONAL_KEYS,
    }
    for name in SOURCES:
        words |= {*load(name).variants, *load(name).metrics, *load(name).card.columns}
    for part in (Samples, Check, Fact, Statement, Reference):
        words |= {field.name for field in dataclasses.fields(part)}

    assert [word for word in sorted(words) if f"`{word}`" not in text] == []


def test_dictionary_gives_true_rounding_examples():
    """The intervals that the README names are those that the library computes."""
    text = (data_folder() / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Rounding")[2].partition("## ")[0]
    examples = re.findall(r"`([\d.]+)` is ([\d.]+) to ([\d.]+\d)(, the upper end excluded)?", section)

    assert len(examples) == 5
    for printed, lower, upper, truncated in examples:
        assert rounding_interval(printed, truncated=bool(truncated)) == (float(lower), float(upper))


def test_dictionary_counts_the_rows():
    """The row counts that the README gives are those of the data."""
    text = (data_folder() / "README.md").read_text(encoding="utf-8").partition("\n## Corpus")[0]
    counts = dict(re.findall(r"^\| `(\w+)` \| .* \| (\d+) \|$", text, re.MULTILINE))

    assert counts == {name: str(sum(len(series.n) for series in load(name).all_series)) for name in SOURCES}


def test_example_of_the_dictionary_runs():
    """The lines of Python in the README do what they say."""
    text = (data_folder() / "README.md").read_text(encoding="utf-8").partition("\n## Corpus")[0]
    lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    names = {}
    exec("\n".join(lines[:-1]), names)

    rates = eval(lines[-1], names)
    assert rates[-1] == pytest.approx(142.89e9 / (1492 * 8))
