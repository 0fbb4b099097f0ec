"""The five messages behind data/measurements/ read directly, and give the values that people copied by hand."""

import pathlib

import pytest

from mpps.measurements import load
from mpps.readers import read

SAMPLES = pathlib.Path(__file__).parent / "samples"


def values(rows):
    return sorted((row.n, row.value, row.unit) for row in rows)


def tidy(*names):
    return sorted(
        (float(n), float(value), series.unit)
        for name in names
        for series in load(name).all_series
        for n, value in zip(series.n, series.value, strict=True)
    )


@pytest.mark.parametrize(
    ("message", "names", "format"),
    [
        ("seed_pppoe.txt", ("pppoe_receive_sync", "pppoe_receive_napi"), "posted"),
        ("seed_fraglist.txt", ("fraglist_gro",), "posted"),
        ("seed_tun.txt", ("tun_receive",), "posted"),
        ("seed_page_pool.txt", ("page_pool_recycle",), "time-bench"),
        ("seed_packet.txt", ("packet_transmit",), "posted"),
    ],
)
def test_a_message_reads_to_the_same_n_value_and_unit(message, names, format):
    reading = read(SAMPLES / message)

    assert reading.formats[0][1] == format
    assert values(reading.rows) == tidy(*names)


def test_the_four_tables_keep_their_headings_and_their_changes_are_checks():
    reading = read(SAMPLES / "seed_pppoe.txt")

    datasets = dict.fromkeys(row.dataset for row in reading.rows)
    assert len(datasets) == 4 and next(iter(datasets)).startswith("Median throughput over 12 samples")
    first, third = ([row for row in reading.rows if row.dataset == list(datasets)[place]] for place in (0, 2))
    assert {row.variant for row in first} == {"Before", "After"}
    assert {row.variant for row in third} == {"GRO off, Before", "GRO off, After", "GRO on, Before", "GRO on, After"}
    assert len(reading.checks) == 10 and all(check.agrees for check in reading.checks)
    assert reading.warnings == ()


def test_every_value_stands_on_the_line_that_its_row_names():
    lines = (SAMPLES / "seed_packet.txt").read_text().splitlines()

    for row in read(SAMPLES / "seed_packet.txt").rows:
        assert row.printed in lines[row.line - 1].replace(",", "")


def test_units_that_a_table_does_not_state_itself_come_with_their_line():
    understood = read(SAMPLES / "seed_pppoe.txt").understood

    assert sum("unit Gbit/s from line 7" in text for text in understood) == 2
    assert sum("unit Gbit/s from line 28" in text for text in understood) == 2


def test_what_stood_in_for_a_count_is_said():
    assert any("n = 2 from line 6: '2 TCP streams'" in text for text in read(SAMPLES / "seed_fraglist.txt").understood)
    assert any("n = 1 from line 8: 'single-stream'" in text for text in read(SAMPLES / "seed_tun.txt").understood)


def test_a_printed_change_in_a_sentence_is_checked():
    (check,) = read(SAMPLES / "seed_tun.txt").checks

    assert check.agrees and check.printed == "about 23%" and (check.before, check.after) == ("700", "867")


def test_rows_that_the_source_leaves_out_and_its_patch_are_said():
    understood = " ".join(read(SAMPLES / "seed_packet.txt").understood)

    assert "leaves out rows at line 17" in understood and "lines 22 to 29 are a patch" in understood
