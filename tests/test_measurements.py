"""Rounding of printed numbers, strict reading of tables and cards, and the series cut from them."""

import csv
import dataclasses
import hashlib
import io
import pathlib
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mpps.measurements
from mpps import units
from mpps.errors import DataError, UnknownNameError
from mpps.measurements import datasets, halves, load, load_files, read_card
from mpps.root import data_folder
from mpps.rounding import change_agrees, change_interval, common_interval, printed_change_interval, rounding_interval

FOLDER = data_folder() / "measurements"
HEADER = "dataset,variant,n,metric,value,unit"
ROWS = ["t,old,1,throughput,19.08,Gbit/s", "t,old,2,throughput,31.52,Gbit/s", "t,new,1,throughput,19.63,Gbit/s"]
CARD: dict = {
    "title": "a table",
    "kind": "made up",
    "mailing_list": "not stated",
    "date": "2024-02-29",
    "message_id": "not stated",
    "commit": "0123456",
    "measured": "nothing",
    "counts": "senders",
    "hardware": "a_machine",
    "kernel": "not stated",
    "packet_bytes": "1492",
    "packet_layer": "IP",
    "samples": {"count": "12", "boots": "not stated", "statistic": "median", "spread": "not stated"},
    "variants": {"old": "before", "new": "after"},
    "metrics": {"throughput": "all together"},
    "not_stated": ["much"],
    "traps": ["none"],
}
FACT = {"value": "3", "unit": "ns", "printed": "3 ns", "place": "somewhere"}
CHECK = {"before": "old", "after": "new", "metric": "throughput", "n": "1", "printed": "+2.89%"}


def write(folder, lines=(HEADER, *ROWS), card=CARD, name="t"):
    """A table and a card with the right checksum in a folder; the two paths."""
    table = folder / f"{name}.csv"
    table.write_bytes(lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode())
    text = (
        card
        if isinstance(card, str)
        else yaml.safe_dump(
            {"sha256": hashlib.sha256(table.read_bytes()).hexdigest(), **card}, sort_keys=False, allow_unicode=False
        )
    )
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return table, folder / f"{name}.yaml"


def failure(*paths):
    """The text of the error that reading the two files gives."""
    with pytest.raises(DataError) as caught:
        load_files(*paths)
    return str(caught.value)


# Rounding.


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("49.40", (49.395, 49.405)),
        ("700", (695, 705)),
        ("630", (625, 635)),
        ("35", (34.5, 35.5)),
        ("40", (35, 45)),
        ("867", (866.5, 867.5)),
        ("142.00", (141.995, 142.005)),
        ("7.537", (7.5365, 7.5375)),
        ("0", (-0.5, 0.5)),
        ("0.0", (-0.05, 0.05)),
        ("1.5e3", (1450, 1550)),
        ("7e2", (650, 750)),
        ("2e-3", (0.0015, 0.0025)),
    ],
)
def test_rounding_interval(text, ends):
    """Half of the last digit either way; 5 for an integer that ends in zero."""
    assert rounding_interval(text) == ends


@pytest.mark.parametrize(
    ("text", "ends"), [("15", (15, 16)), ("20", (20, 21)), ("7.537", (7.537, 7.538)), ("1e2", (100, 200))]
)
def test_cut_numbers_lie_above_their_print(text, ends):
    """A number that was cut lies between its print and the next one, whatever digit it ends in."""
    assert rounding_interval(text, truncated=True) == ends


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "1,000",
        "-1",
        "+1",
        " 1",
        "1 ",
        "nan",
        "inf",
        "1.",
        ".5",
        "0x10",
        "1_0",
        "٣",
        "1e",
        "9" * 41,
        "1e999",
        "1.79769e308",
    ],
)
def test_no_plain_number_is_an_error(text):
    """What no table of ours prints is refused, not guessed."""
    with pytest.raises(DataError, match="expected a plain number"):
        rounding_interval(text)


numbers = st.fractions(min_value=0, max_value=10**6, max_denominator=10**6)


def rounded(number, digits):
    """A fraction rounded to some decimals, or to tens for digits = -1, as text."""
    return placed(round(number * Fraction(10) ** digits), digits)


def placed(whole, digits):
    """The text of whole * 10**-digits."""
    return f"{Decimal(whole).scaleb(-digits):f}"


@given(numbers, st.integers(min_value=-1, max_value=4))
def test_interval_holds_the_number_behind_the_print(number, digits):
    """Whatever number was rounded to give the text lies in the interval of the text."""
    text = rounded(number, digits)
    lower, upper = rounding_interval(text)
    slack = 1e-9 * max(1, number)

    # A lone 0 is taken as a digit, not as a number rounded to tens.
    if text != "0" or digits == 0:
        assert lower - slack <= number <= upper + slack


@given(numbers, st.integers(min_value=0, max_value=4))
def test_interval_holds_the_number_that_was_cut(number, digits):
    """The same for a number that was cut."""
    lower, upper = rounding_interval(placed(int(number * 10**digits), digits), truncated=True)

    assert lower - 1e-9 <= number <= upper + 1e-9


@given(numbers.filter(lambda number: number > 1), numbers, st.integers(0, 3), st.integers(0, 3))
def test_printed_change_of_rounded_values_always_agrees(before, after, digits, percent_digits):
    """A change computed before rounding agrees with the values printed after it."""
    printed = rounded(abs(100 * (after / before - 1)), percent_digits)
    sign = "-" if after < before else "+"
    texts = rounded(before, digits), rounded(after, digits)

    assert change_agrees(f"{sign}{printed}%", *texts)
    lower, upper = change_interval(*texts)
    assert lower - 1e-6 <= 100 * (after / before - 1) <= upper + 1e-6


def test_change_interval_is_attained_at_its_ends():
    """The widest change goes from one end of the first value to the opposite end of the second."""
    assert change_interval("700", "867") == pytest.approx((100 * (866.5 / 705 - 1), 100 * (867.5 / 695 - 1)))
    assert printed_change_interval("about 23%") == (22, 24)
    assert printed_change_interval("-2.9%") == pytest.approx((-2.95, -2.85))
    assert change_agrees("about 23%", "700", "867")
    assert not change_agrees("about 21%", "700", "867")
    assert not change_agrees("+23.90%", "19.08", "19.63")


@pytest.mark.parametrize("text", ["", "%", "23 percent", "+-2%", "around 23%", "2,5%"])
def test_no_printed_change_is_an_error(text):
    """A change in another form is refused."""
    with pytest.raises(DataError, match="expected a printed change"):
        printed_change_interval(text)


def test_change_from_zero_is_an_error():
    """A first value whose rounding reaches zero has no change."""
    with pytest.raises(DataError, match="reaches zero"):
        change_interval("0", "5")


def test_common_interval():
    """The shared part of intervals, or an error that shows the contradiction."""
    assert common_interval([1, 2, 1.5], [4, 3, 5]) == (2, 3)
    with pytest.raises(DataError, match="share nothing"):
        common_interval([1, 3], [2, 4])


# Units.


def test_units_that_are_no_rates_are_known_and_refused():
    """A share is a known unit, and no rate."""
    assert {"percent", "cycles/element", *units.rate_units()} <= set(units.known_units())
    assert units.is_rate("kpps") and not units.is_rate("percent")
    assert units.counts_bits("Gbit/s") and not units.counts_bits("ns/element")
    with pytest.raises(ValueError, match="no rate"):
        units.to_rate_pps(1.0, "percent")


# Series.


def test_series_hold_values_in_ascending_n(tmp_path):
    """Order of the rows does not matter; lines of the file stay with their values."""
    straight = load_files(*write(tmp_path)).one(variant="old")
    turned = load_files(*write(tmp_path, [HEADER, *reversed(ROWS)])).one(variant="old")

    assert straight.n.tolist() == turned.n.tolist() == [1, 2]
    assert straight.value.tolist() == turned.value.tolist() == [19.08, 31.52]
    assert straight.printed == turned.printed == ("19.08", "31.52")
    assert straight.lower.tolist() == [19.075, 31.515] and straight.upper.tolist() == [19.085, 31.525]
    assert (straight.rows, turned.rows) == ((2, 3), (4, 3))
    assert (straight.dataset, straight.metric, straight.unit, straight.extra) == ("t", "throughput", "Gbit/s", {})


def test_series_cannot_be_changed():
    """Measurements are facts: neither fields nor arrays can be assigned."""
    series = load("tun_receive").one(variant="netif_rx")
    for array in (series.n, series.value, series.lower, series.upper):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        series.unit = "Mpps"


def test_series_are_chosen_by_metric_variant_and_label():
    """One series for a full choice, several for a partial one, none for a combination that does not exist."""
    napi = load("pppoe_receive_napi")

    assert len(napi.series()) == 8 and len(napi.series("throughput", gro="on")) == 4
    assert napi.one(variant="no lock", gro="on").value[-1] == 142.89
    assert napi.one(variant="no lock", gro="on").label == "no lock, gro on"
    assert [series.extra["gro"] for series in napi.series(variant="no lock")] == ["off", "on"]
    assert napi.variants == ("both locks", "ppp lock only", "socket lock only", "no lock")
    assert load("fraglist_gro").metrics == ("throughput", "idle")


@pytest.mark.parametrize(
    ("choice", "hint"),
    [
        ({"variant": "both lock"}, "did you mean 'both locks'"),
        ({"metric": "thruput"}, "did you mean 'throughput'"),
        ({"gor": "on"}, "did you mean 'gro'"),
        ({"gro": "On"}, "did you mean 'on'"),
        ({"variant": None}, "known: both locks"),
    ],
)
def test_unknown_choice_names_the_nearest(choice, hint):
    """A name that does not exist is answered with those that do."""
    with pytest.raises(UnknownNameError, match=hint):
        load("pppoe_receive_napi").series(**choice)


def test_one_series_means_one():
    """Asking for one where there are several, or none, is an error that lists them."""
    with pytest.raises(DataError, match="found 2 series for no lock: expected one.*no lock, gro on"):
        load("pppoe_receive_napi").one(variant="no lock")


def test_combination_that_does_not_exist_is_empty(tmp_path):
    """Every name exists, their combination does not: no series, no error."""
    lines = [f"{HEADER},gro", f"{ROWS[0]},off", f"{ROWS[2]},on"]
    table = load_files(*write(tmp_path, lines, CARD | {"columns": {"gro": "off or on"}}))

    assert table.series(variant="old", gro="on") == ()
    with pytest.raises(DataError, match="found 0 series"):
        table.one(variant="old", gro="on")


def test_rates_in_packets_per_second():
    """Bits through the packet size of the card, or one that is named; times through their inverse."""
    sync, pages = (
        load("pppoe_receive_sync").one(variant="no lock"),
        load("page_pool_recycle").one("time", variant="ptr_ring"),
    )

    np.testing.assert_allclose(sync.rate_pps(), sync.value * 1e9 / 11936, rtol=1e-14)
    np.testing.assert_allclose(sync.rate_pps(1500), sync.value * 1e9 / 12000, rtol=1e-14)
    np.testing.assert_allclose(pages.rate_pps(), [1e9 / 15.395], rtol=1e-14)
    np.testing.assert_allclose(load("tun_receive").one(variant="netif_rx").rate_pps(), [700_000.0])


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.csv")))
def test_rate_intervals_hold_their_rates(name):
    """Ends in packets per second are ordered around the rate, for rates and for times per element."""
    for series in load(name).all_series:
        if units.is_rate(series.unit):
            lower, upper = series.rate_interval_pps(1000)
            assert np.all((lower <= series.rate_pps(1000)) & (series.rate_pps(1000) <= upper) & (lower < upper))


@pytest.mark.parametrize(
    ("name", "choice", "packet_bytes", "words"),
    [
        ("pppoe_receive_napi", {"variant": "no lock", "gro": "on"}, None, "states no packet size"),
        ("fraglist_gro", {"metric": "idle", "variant": "rx-gro-list on"}, 1492, "is no rate"),
        ("pppoe_receive_sync", {"variant": "no lock"}, 0, "above zero"),
        ("pppoe_receive_sync", {"variant": "no lock"}, float("nan"), "above zero"),
    ],
)
def test_rates_that_cannot_be_had(name, choice, packet_bytes, words):
    """No packet size, no rate, or a size that is none: said, not guessed."""
    with pytest.raises(DataError, match=words):
        load(name).one(**choice).rate_pps(packet_bytes)


def test_unknown_data_set_names_the_nearest():
    """A name that does not exist is answered with the nearest."""
    with pytest.raises(UnknownNameError, match="did you mean 'tun_receive'"):
        load("tun_recieve")


def test_datasets_need_both_files(tmp_path):
    """A table without a card is not listed, and nor is a card without a table: asked for, they name what is missing."""
    write(tmp_path, name="t")
    (tmp_path / "bare.csv").write_text(HEADER)

    assert datasets(tmp_path) == ("t",)
    assert load("t", tmp_path).dataset == "t"
    with pytest.raises(DataError, match=r"bare\.csv: found no bare\.yaml"):
        load("bare", tmp_path)
    (tmp_path / "t.csv").unlink()
    assert halves(tmp_path) == (("bare.csv", "bare.yaml"), ("t.yaml", "t.csv"))
    with pytest.raises(DataError, match=r"t\.yaml: found no t\.csv"):
        load("t", tmp_path)
    with pytest.raises(UnknownNameError, match="known: none"):
        load("other", tmp_path)


def test_number_columns_go_with_their_rows(tmp_path):
    """Stated spreads and repeats are kept beside the values; repeats may share an n."""
    lines = [f"{HEADER},lower,upper,repeat", f"{ROWS[0]},18,20,2", f"{ROWS[0]},19,20,1", f"{ROWS[2]},19.63,19.63,1"]
    columns = {"lower": "least", "upper": "most", "repeat": "run"}
    series = load_files(*write(tmp_path, lines, CARD | {"columns": columns})).one(variant="old")

    assert series.n.tolist() == [1, 1] and series.extra == {} and series.rows == (3, 2)
    assert {name: column.tolist() for name, column in series.numbers.items()} == {
        "lower": [19, 18],
        "upper": [20, 20],
        "repeat": [1, 2],
    }


def test_changes_of_a_table(tmp_path):
    """A printed change is set beside its rows, and one that does not follow says so."""
    good, bad = CHECK, CHECK | {"printed": "+3.89%"}
    changes = load_files(*write(tmp_path, card=CARD | {"checks": [good, bad]})).changes()

    assert [change.agrees for change in changes] == [True, False]
    assert changes[0].lower < 100 * (19.63 / 19.08 - 1) < changes[0].upper


def test_windows_files_read_the_same(tmp_path):
    """Carriage returns and a byte order mark change nothing."""
    text = "\ufeff" + "".join(f"{line}\r\n" for line in (HEADER, *ROWS))
    table = load_files(*write(tmp_path, text.encode()))

    assert table.one(variant="old").printed == ("19.08", "31.52")


# Damaged tables: file, line, column, what was found, what was expected.


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], ["line 1", "empty file", "dataset,variant,n,metric,value,unit"]),
        ([HEADER], ["line 2", "no rows"]),
        (["dataset,variant,n,metric,val,unit", *ROWS], ["line 1", "'value'", "val", "rename or add"]),
        ([HEADER.replace("unit", "value"), *ROWS], ["line 1", "'unit'"]),
        ([f"{HEADER},gro,gro", f"{ROWS[0]},a,b"], ["line 1", "'gro'", "names that differ"]),
        ([f"{HEADER},", f"{ROWS[0]},a"], ["line 1", "not empty"]),
        ([f"{HEADER},gro", f"{ROWS[0]},off"], ["line 1", "'gro'", "does not explain", "add 'columns"]),
        ([HEADER, ROWS[0], ROWS[1][:-7]], ["line 3", "'unit'", "expected 6 cells", "not 5"]),
        ([HEADER, ROWS[0] + ",7"], ["line 2", "expected 6 cells", "not 7"]),
        ([HEADER, "", ROWS[0]], ["line 2", "6 cells"]),
        ([HEADER, ROWS[0].replace("19.08", "fast")], ["line 2", "'value'", "'fast'", "a number as printed"]),
        ([HEADER, ROWS[0].replace("19.08", "")], ["line 2", "'value'", "''"]),
        ([HEADER, ROWS[0].replace("19.08", "nan")], ["line 2", "'value'", "'nan'"]),
        ([HEADER, ROWS[0].replace("19.08", "1e999")], ["line 2", "'value'", "'1e999'"]),
        ([HEADER, ROWS[0].replace("19.08", "9" * 50)], ["line 2", "'value'"]),
        ([HEADER, ROWS[0].replace("19.08", '"1,908"')], ["line 2", "'value'", "'1,908'", "write 1908"]),
        ([HEADER, ROWS[0].replace("19.08", " 19.08")], ["line 2", "'value'", "write 19.08"]),
        ([HEADER, ROWS[0].replace("19.08", "-19.08")], ["line 2", "'value'", "not negative"]),
        ([HEADER, ROWS[0].replace("19.08", "0.00")], ["line 2", "'value'", "a rate above zero"]),
        ([HEADER, ROWS[0].replace("19.08,Gbit/s", "101,percent")], ["line 2", "'value'", "at most 100"]),
        ([HEADER, ROWS[0].replace(",1,", ",0,")], ["line 2", "'n'", "'0'", "a count above zero"]),
        ([HEADER, ROWS[0].replace(",1,", ",-4,")], ["line 2", "'n'", "'-4'", "not negative"]),
        ([HEADER, ROWS[0].replace(",1,", ",four,")], ["line 2", "'n'", "'four'"]),
        ([HEADER, ROWS[0].replace("Gbit/s", "Gbps")], ["line 2", "'unit'", "'Gbps'", "did you mean 'Gbit/s'"]),
        ([HEADER, ROWS[0], ROWS[1].replace("Gbit/s", "Mbit/s")], ["line 3", "'unit'", "'Gbit/s', as in line 2"]),
        ([HEADER, *ROWS, ROWS[0]], ["line 5", "'n'", "'1'", "line 2 has it", "remove one row"]),
        ([HEADER, *ROWS, ROWS[0].replace(",1,", ",1.0,")], ["line 5", "line 2 has it"]),
        ([HEADER, ROWS[0].replace("t,", "u,", 1)], ["line 2", "'dataset'", "'u'", "expected 't'"]),
        ([HEADER, ROWS[0].replace("old", "")], ["line 2", "'variant'", "a name"]),
        ([HEADER, ROWS[0].replace("old", "odl")], ["line 2", "'variant'", "'odl'", "did you mean 'old'"]),
        ([HEADER, ROWS[0].replace("throughput", "idle")], ["line 2", "'metric'", "'idle'", "known: throughput"]),
        ([HEADER, *ROWS[:2]], ["t.yaml", "'variants.new'", "does not hold", "rename or remove"]),
        ([HEADER, ROWS[0], '"t,old'], ["line 3", "no CSV", "close the quotes"]),
        (f"{HEADER}\n{ROWS[0]}\n".encode() + b"t,\xff", ["line 3", "0xff", "not UTF-8", "save the file"]),
        (f"{HEADER}\n{ROWS[0]}\n".encode("utf-16"), ["line 1", "not UTF-8"]),
    ],
)
def test_damaged_table_is_named(tmp_path, lines, words):
    """The message names the file, the line and column, what was found and what was expected."""
    text = failure(*write(tmp_path, lines))

    assert [word for word in ("t.csv", "expected", *words) if word not in text] == [], text


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("20,21", ["'lower'", "'20'", "at most the value"]),
        ("18,19", ["'upper'", "'19'", "at least the value"]),
        ("18,", ["'upper'", "''"]),
    ],
)
def test_damaged_spread_is_named(tmp_path, cells, words):
    """A stated spread lies around its value."""
    columns = {"lower": "least", "upper": "most"}
    lines = [f"{HEADER},lower,upper", f"{ROWS[0]},{cells}", f"{ROWS[2]},19,20"]
    text = failure(*write(tmp_path, lines, CARD | {"columns": columns}))

    assert [word for word in ("t.csv", "line 2", *words) if word not in text] == [], text


def test_changed_table_is_noticed(tmp_path):
    """One digit changed after the card was written: both checksums and what to do."""
    table, card = write(tmp_path)
    table.write_text(table.read_text().replace("31.52", "31.53"))
    text = failure(table, card)

    assert hashlib.sha256(table.read_bytes()).hexdigest() in text
    assert read_card(card).sha256 in text
    assert "t.csv" in text and "'sha256'" in text and "restore the table" in text


def test_missing_files_are_named(tmp_path):
    """A path that is not there, or a folder, is a message."""
    table, card = write(tmp_path)

    assert "gone.csv: cannot be read" in failure(tmp_path / "gone.csv", card)
    assert "gone.yaml: cannot be read" in failure(table, tmp_path / "gone.yaml")
    assert "cannot be read" in failure(tmp_path, card)


# Damaged cards: file, line, key, what was found, what was expected.


def without(key):
    return {name: value for name, value in CARD.items() if name != key}


@pytest.mark.parametrize(
    ("card", "words"),
    [
        *((without(key), [f"missing key {key!r}", "line 1"]) for key in CARD),
        (CARD | {"titel": "x"}, ["'titel'", "did you mean 'title'"]),
        (CARD | {"title": ""}, ["'title'", "a text"]),
        (CARD | {"title": None}, ["'title'", "a text"]),
        (CARD | {"title": ["x"]}, ["'title'", "found a list", "a text"]),
        (CARD | {"traps": "x"}, ["'traps'", "found 'x'", "a list"]),
        (CARD | {"traps": [{"a": "b"}]}, ["'traps[0]'", "found keys with values", "a text"]),
        (CARD | {"variants": ["old"]}, ["'variants'", "found a list", "keys with values"]),
        (CARD | {"variants": {"old": "x", "new": ["y"]}}, ["'variants.new'", "a text"]),
        (CARD | {"date": "29 February 2024"}, ["'date'", "YYYY-MM-DD"]),
        (CARD | {"date": "2023-02-29"}, ["'date'", "a date"]),
        (CARD | {"packet_bytes": "1,492"}, ["'packet_bytes'", "'1,492'", "a number"]),
        (CARD | {"packet_bytes": "0"}, ["'packet_bytes'", "above zero"]),
        (CARD | {"packet_bytes": ["1492"]}, ["'packet_bytes'", "a number"]),
        (CARD | {"packet_layer": "Ethernet with fcs"}, ["'packet_layer'", "did you mean 'Ethernet with FCS'"]),
        (CARD | {"samples": "12"}, ["'samples'", "keys with values"]),
        (CARD | {"samples": CARD["samples"] | {"count": "many"}}, ["'samples.count'", "a number"]),
        (CARD | {"samples": CARD["samples"] | {"count": "1.5"}}, ["'samples.count'", "a whole number"]),
        (CARD | {"samples": {"count": "12"}}, ["'samples'", "missing key 'boots'"]),
        (CARD | {"samples": CARD["samples"] | {"sprad": "x"}}, ["'samples.sprad'", "did you mean 'spread'"]),
        (CARD | {"facts": {"x": FACT | {"value": "three"}}}, ["'facts.x.value'", "'three'", "a number"]),
        (CARD | {"facts": {"x": FACT | {"value": ["5", "3"]}}}, ["'facts.x.value'", "the lower one first"]),
        (CARD | {"facts": {"x": FACT | {"value": ["1", "2", "3"]}}}, ["'facts.x.value'", "two ends"]),
        (CARD | {"facts": {"x": FACT | {"unit": "nanos"}}}, ["'facts.x.unit'", "unknown unit 'nanos'"]),
        (CARD | {"facts": {"x": {"value": "3"}}}, ["'facts.x'", "missing key 'unit'"]),
        (CARD | {"statements": {"x": {"says": "a", "printed": "b"}}}, ["'statements.x'", "missing key 'place'"]),
        (
            CARD | {"references": [{"id": "a", "what": "b", "found": "there"}]},
            ["'references[0].found'", "known: source"],
        ),
        (CARD | {"checks": [CHECK | {"printed": "more"}]}, ["'checks[0].printed'", "a printed change"]),
        (CARD | {"checks": [CHECK | {"before": "odl"}]}, ["'checks[0]'", "did you mean 'old'"]),
        (CARD | {"checks": [CHECK | {"metric": "idle"}]}, ["'checks[0]'", "unknown metric"]),
        (CARD | {"checks": [CHECK | {"n": "3"}]}, ["'checks[0]'", "expected n = 3 once"]),
        (CARD | {"checks": [CHECK | {"where": {"gro": "on"}}]}, ["'checks[0]'", "unknown label 'gro'"]),
        (CARD | {"columns": {"gro": "off or on"}}, ["'columns.gro'", "does not hold", "rename or remove"]),
        (CARD | {"truncated": {"cycles": "cut"}}, ["'truncated.cycles'", "throughput"]),
        (CARD | {"metrics": CARD["metrics"] | {"idle": "x"}}, ["'metrics.idle'", "does not hold"]),
        (CARD | {"sha256": "0" * 63}, ["'sha256'", "64 hexadecimal digits"]),
        (CARD | {"sha256": "0" * 64}, ["'sha256'", "0" * 64, "restore the table"]),
        ("", ["empty file"]),
        ("# nothing\n", ["empty file"]),
        ("- a\n- b\n", ["line 1", "found a list", "keys with values"]),
        ("title: a: b\n", ["line 1", "no valid YAML"]),
        ("title: a\ntitle: b\n", ["line 2", "'title'", "every key once"]),
        ("[a]: b\n", ["line 1", "keys that are words"]),
        ("? \n: b\n", ["line 1", "keys that are words"]),
        ("traps: &a [*a]\n", ["line 1", "missing key 'title'"]),
        (
            yaml.safe_dump(CARD | {"sha256": "0" * 64, "traps": []}).replace("traps: []", "traps: &a [*a]"),
            ["'traps[0]'", "a text"],
        ),
        ("[" * 5000, ["t.yaml", "no valid YAML"]),
        ("title: \x07\n", ["t.yaml", "no valid YAML"]),
        ("a: 1\n---\nb: 2\n", ["no valid YAML"]),
    ],
)
def test_damaged_card_is_named(tmp_path, card, words):
    """The message names the file, the line, the key, what was found and what was expected or known."""
    text = failure(*write(tmp_path, card=card))

    assert [word for word in ("t.yaml", *words) if word not in text] == [], text


def test_line_of_a_damaged_key_is_named(tmp_path):
    """The line is that of the value, in a card of many lines."""
    _, card = write(tmp_path)
    lines = card.read_text().splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("packet_layer"))
    lines[place] = "packet_layer: Ethernet"
    card.write_text("\n".join(lines))

    with pytest.raises(
        DataError, match=rf"line {place + 1}, key 'packet_layer': unknown layer 'Ethernet': did you mean"
    ):
        read_card(card)


def test_pure_python_parser_gives_the_same(monkeypatch, tmp_path):
    """Without pyyaml's C extension cards read the same, and deep nesting is still a message."""
    fast = read_card(FOLDER / "page_pool_recycle.yaml")
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    (tmp_path / "t.yaml").write_text("[" * 5000)

    assert read_card(FOLDER / "page_pool_recycle.yaml") == fast
    with pytest.raises(DataError, match="nested too deeply"):
        read_card(tmp_path / "t.yaml")


# Random tables and cards.

few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
names = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12).filter(
    lambda text: text not in ("~", "null")
)
printed = st.one_of(
    st.integers(1, 10**12).map(str),
    st.decimals(min_value="0.001", max_value="1e6", places=3).map(str),
    st.floats(1e-9, 1e12).map(repr),
)
counts = st.lists(st.integers(1, 4096), min_size=1, max_size=6, unique=True)
tables = st.dictionaries(
    st.tuples(names, names, names),
    st.lists(st.tuples(st.integers(1, 512), printed), min_size=1, max_size=5, unique_by=lambda point: point[0]),
    min_size=1,
    max_size=5,
)


@few
@given(tables, st.randoms(use_true_random=False))
def test_what_is_written_is_read(tmp_path, table, random):
    """Any names and any printed numbers come back as they were, in ascending n, whatever the order of the rows."""
    rows = [
        ("t", variant, n, metric, value, "kpps", label)
        for (variant, metric, label), points in table.items()
        for n, value in points
    ]
    random.shuffle(rows)
    text = io.StringIO()
    csv.writer(text).writerows([[*HEADER.split(","), "label"], *rows])
    explained = {
        "variants": {row[1]: "x" for row in rows},
        "metrics": {row[3]: "x" for row in rows},
        "columns": {"label": "x"},
    }
    read = load_files(*write(tmp_path, text.getvalue().encode(), CARD | explained))

    assert {(series.variant, series.metric, series.extra["label"]) for series in read.all_series} == set(table)
    for (variant, metric, label), points in table.items():
        (series,) = read.series(metric, variant=variant, label=label)
        assert list(zip(series.n, series.printed, strict=True)) == sorted(points)
        assert series.value.tolist() == [float(value) for _, value in sorted(points)]
        assert np.all((series.lower >= 0) & (series.lower <= series.value) & (series.value <= series.upper))


def shipped(name):
    return [(FOLDER / f"{name}.{kind}").read_bytes() for kind in ("csv", "yaml")]


edits = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 3),
        st.one_of(
            st.binary(max_size=3),
            st.sampled_from(
                [b",", b"\n", b'"', b"-", b"0", b":", b" ", b"{", b"[", b"&a ", b"*a", b"\xef\xbb\xbf", b"nan", b"1e9"]
            ),
        ),
    ),
    min_size=1,
    max_size=4,
)


@few
@given(st.sampled_from(["tun_receive", "fraglist_gro", "page_pool_recycle"]), st.sampled_from(["csv", "yaml"]), edits)
def test_damaged_files_never_end_in_another_error(tmp_path, name, kind, changes):
    """Bytes of a table or a card replaced at random: it reads, or the message is a `DataError` with the file's name."""
    table, card = shipped(name)
    raw = table if kind == "csv" else card
    for where, removed, inserted in changes:
        place = int(where * len(raw))
        raw = raw[:place] + inserted + raw[place + removed :]
    table, card = (raw, card) if kind == "csv" else (table, raw)
    # With the checksum mended, damage is found by reading and not by the checksum alone.
    old, new = (hashlib.sha256(content).hexdigest().encode() for content in (shipped(name)[0], table))
    (tmp_path / f"{name}.csv").write_bytes(table)
    (tmp_path / f"{name}.yaml").write_bytes(card.replace(old, new))

    try:
        read = load_files(tmp_path / f"{name}.csv", tmp_path / f"{name}.yaml")
    except DataError as error:
        assert f"{name}." in str(error)
    else:
        assert all(np.isfinite(series.value).all() and (series.n > 0).all() for series in read.all_series)


@few
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_arbitrary_bytes_never_end_in_another_error(tmp_path, table, card):
    """Any bytes for both files."""
    paths = tmp_path / "t.csv", tmp_path / "t.yaml"
    for path, raw in zip(paths, (b"dataset,variant,n,metric,value,unit\n" + table, card), strict=True):
        path.write_bytes(raw)

    assert failure(*paths).startswith(str(tmp_path))


# What reading costs.


def test_reading_needs_no_heavy_library():
    """Importing needs not even pyyaml, and loading every table nothing heavier."""
    heavy = ("polars", "pandas", "scipy", "sympy", "pydantic")
    program = f"""
import sys, mpps.measurements as measurements
print([name for name in ("yaml", *{heavy}) if name in sys.modules])
tables = [measurements.load(name) for name in measurements.datasets()]
print(len(tables), [name for name in {heavy} if name in sys.modules])
"""
    environment = {"PYTHONPATH": str(pathlib.Path(mpps.measurements.__file__).resolve().parents[2])}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)

    assert run.stdout.splitlines() == ["[]", f"{len(datasets())} []"]
