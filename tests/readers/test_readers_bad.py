"""Bad input: the message names the line, shows it, says what was expected and which option settles it."""

import pytest

from mpps.errors import DataError, MppsError
from mpps.readers import read


@pytest.fixture
def run(tmp_path):
    def read_text(content, name="run.txt", **choices):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return read(path, **choices)

    return read_text


BAD = {
    "prose": ("Nothing was measured here.\nNot a single table.\n", r"run.txt: found no table and no output of a known tool in 3 lines: .*--format"),
    "empty": ("", r"run.txt, line 1: found an empty file"),
    "blank": ("\n \n\n", r"run.txt, line 1: found an empty file"),
    "binary": (b"\x7fELF\x02\x01\x01\x00\x00\x00 data 1 2 3\n", r"run.txt, line 1: found the byte 0x7f|run.txt, line 1: found the byte 0x02, so this is no text"),
    "two counts": ("cores queues value\n1 1 100\n2 1 190\n4 2 350\n", r"line 1: found 'cores  queues  value': expected one column of counts: 'cores' and 'queues' both could be it; say --n cores or --n queues"),
    "two counts without names": ("1 1\n2 2\n4 4\n", r"line 1: found '1 1': .*columns 1 and 2 both could be it, and no heading tells; say --n 1 or --n 2"),
    "percentages only": ("threads   change\n1   +3.2%\n2   +5.0%\n4   +12.0%\n", r"line 2: found '1   \+3.2%': expected values beside the changes: .* --value COLUMN"),
    "two units": ("threads   Mpps\n1   9.1 Gbps\n2   17.2 Gbps\n", r"line 2, column 'Mpps': found '9.1 Gbps': expected Mpps, .*--unit"),
    "two units in one column": ("threads   rate\n1   9.1 Gbps\n2   17.2 Mpps\n", r"line 3, column 'rate': found '17.2 Mpps': expected Gbit/s"),
    "cut JSON": ('{"start": {"test_start": {"num_streams": 1}},\n "intervals": [\n  {"sum": {"bits_per_second": 5', r"line 3: found .*expected the end of what opened in line \d: the JSON is cut off"),
    "broken JSON": ('{"n": 1,\n "value" 5}\n', r"line 2: found '5': expected ':' behind the name 'value'"),
    "deep JSON": ("[" * 500, r"expected at most 100 brackets"),
    "failed iperf3": ('{"start": {"tcp_mss_default": 0},\n "intervals": [], "end": {},\n "error": "unable to connect"}\n', r"line 3: found 'unable to connect': expected the results of a run"),
    "a long log": ("x 1\n" * 200_002, r"found 200,002 lines: expected at most 200,000; cut out the part with the results"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read(run, name):
    content, message = BAD[name]

    with pytest.raises(DataError, match=message):
        run(content)


CSV = {
    "a number that cannot be read": ("threads,before,after\n1,100,110\n2,12..5,220\n4,300,330\n", r"line 3, column 'before': found '12..5': expected a number such as 49.40"),
    "too few cells": ("threads,before,after\n1,100,110\n2,190\n4,300,330\n", r"line 3, column 'after': found '2,190': expected 3 cells, as the header in line 1 has, not 2"),
    "too many cells": ("threads,before,after\n1,100,110\n2,190,220,5\n4,300,330\n", r"line 3, column 'after': found '2,190,220,5': expected 3 cells"),
    "a column twice": ("threads,before,before\n1,100,110\n2,190,220\n", r"line 1, column 'before': found 'before': expected column names that differ"),
    "open quotes": ('variant,n,value\n"a,1,100\nb,2,190\n', r"line \d: found .*expected cells separated by ',' .*close the quotes"),
    "a word for a value": ("variant,n,value,unit\na,1,100,kpps\na,2,many,kpps\n", r"line 3, column 'value': found 'many': expected a number such as"),
    "a word for a count": ("variant,n,value,unit\na,1,100,kpps\na,many,5,kpps\n", r"line 3, column 'n': found 'many': expected a count"),
    "a negative count": ("variant,n,value,unit\na,1,100,kpps\na,-2,5,kpps\n", r"line 3, column 'n': found '-2': expected a count, zero or above"),
    "a cross for a count": ("variant,n,value,unit\na,1,100,kpps\na,x,5,kpps\n", r"line 3, column 'n': found 'x': expected a count, zero or above; write how many"),
    "no number for a count": ("variant,n,value,unit\na,1,100,kpps\na,NaN,5,kpps\n", r"line 3, column 'n': found 'NaN': expected a count, zero or above"),
    "two columns of counts": ("variant,cores,queues,value,unit\na,1,1,100,kpps\na,2,1,190,kpps\n", r"line 1: found .*: expected one column of counts, not 2 \(cores, queues\); say --n cores or --n queues"),
}  # fmt: skip


@pytest.mark.parametrize("name", CSV)
def test_a_csv_that_cannot_be_read(run, name):
    content, message = CSV[name]

    with pytest.raises(DataError, match=message):
        run(content, "run.csv")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"gone.txt: cannot be read \(No such file or directory\)"):
        read(tmp_path / "gone.txt")
    with pytest.raises(DataError, match=r"cannot be read \(Is a directory\)"):
        read(tmp_path)
    with pytest.raises(MppsError, match="found no file"):
        read([])


@pytest.mark.parametrize("option", ["n", "value", "variant"])
def test_a_column_that_is_not_there(run, option):
    with pytest.raises(
        MppsError, match=rf"line 1: --{option} 'nowhere': unknown column 'nowhere': known: threads, before, after"
    ):
        run("threads  before  after\n1  100  110\n2  190  220\n", **{option: "nowhere"})


def test_a_missing_unit_is_a_warning_that_names_the_option(run):
    (warning,) = run("threads  before\n1  100\n2  190\n").warnings

    assert "run.txt, line 2: the values of 'run' state no unit; say it with --unit" in warning
    assert run("threads  before\n1  100\n2  190\n", unit="kpps").warnings == ()


def test_a_missing_count_is_a_warning_that_names_the_option(run):
    (warning,) = run("Requests/sec: 1000.00\n").warnings

    assert "n stays empty; say --n-from name or --n-from content" in warning


def test_a_cell_that_is_no_number_is_left_out_with_its_line(run):
    reading = run(
        "threads   before  after\n1         100     110\n2         12..5   220\n4         300     crash\n", unit="kpps"
    )

    assert [(row.variant, row.n) for row in reading.rows] == [("before", 1), ("after", 1), ("after", 2), ("before", 4)]
    assert any("line 3, column 'before': found '12..5'" in warning for warning in reading.warnings)
    assert [(item.line, item.text) for item in reading.ignored] == [(3, "12..5"), (4, "crash")]


def test_a_row_with_too_many_cells_is_left_out_with_its_line(run):
    reading = run("threads  before  after\n1  100  110\n2  190  220  5  7\n4  300  330\n", unit="kpps")

    assert {row.n for row in reading.rows} == {1, 4}
    assert [item.line for item in reading.ignored] == [3]
    assert any("line 3" in warning and "the row is left out" in warning for warning in reading.warnings)


def test_lines_of_numbers_outside_a_table_are_listed(run):
    reading = run("threads  before\n1  100\n2  190\n\nsome prose between\n17   4711   12\n", unit="kpps")

    assert [(item.line, item.text) for item in reading.ignored] == [(6, "17   4711   12")]


def test_another_encoding_is_read_and_said(run):
    latin = run("threads  Mpps\n1  1.2 ± 0.1\n2  2.3 ± 0.1\n".encode("latin-1"))
    wide = run("threads  Mpps\n1  1.2\n2  2.3\n".encode("utf-16"))

    assert [row.stdev for row in latin.rows] == [0.1, 0.1]
    assert any(
        "line 2: found the byte 0xb1, which is not UTF-8: read as Latin-1" in warning for warning in latin.warnings
    )
    assert [row.value for row in wide.rows] == [1.2, 2.3]


def test_the_middle_of_a_mail_that_is_a_patch_is_not_read(run):
    reading = run("threads  Mpps\n1  1.2\n2  2.3\n\ndiff --git a/x b/x\n@@ -1,2 +1,2 @@\n 1 2 3\n-4 5 6\n+7 8 9\n")

    assert len(reading.rows) == 2 and reading.ignored == ()
    assert any("lines 5 to" in text and "are a patch" in text for text in reading.understood)


def test_tables_beyond_the_lines_that_are_searched_are_said(run):
    filler = "a line of prose without numbers\n" * 20_100

    reading = run("threads  Mpps\n1  1.2\n2  2.3\n\n" + filler)

    assert len(reading.rows) == 2
    assert any("tables are searched in the first 20,000 of 20,105 lines" in warning for warning in reading.warnings)


def test_two_formats_that_are_equally_sure_are_left_to_the_user(run, monkeypatch):
    from mpps.readers.core import registry
    from mpps.readers.core.nouns import Claim, Reader

    known = {
        name: Reader(name, name, lambda source, name=name: Claim(50, f"mark of {name}"), None)
        for name in ("one", "two")
    }
    monkeypatch.setattr(registry, "readers", lambda: known)

    with pytest.raises(
        DataError,
        match=r"found marks of two formats, one \(mark of one\) and two \(mark of two\): expected one; say --format one or --format two",
    ):
        run("1 2 3\n")
