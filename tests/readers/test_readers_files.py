"""Tables as files: tidy and wide CSV, JSON lines, Parquet, several files, and the way back out."""

import json

import pytest

from mpps.errors import DataError, MppsError, UnknownNameError
from mpps.measurements import datasets
from mpps.readers import csv_text, read
from mpps.root import data_folder


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def points(reading):
    return [(row.variant, row.n, row.metric, row.printed, row.unit) for row in reading.rows]


def test_every_table_of_the_project_reads_and_reads_again(tmp_path):
    for name in datasets():
        first = read(data_folder() / "measurements" / f"{name}.csv")
        (tmp_path / f"{name}.csv").write_text(csv_text(first), encoding="utf-8")
        again = read(tmp_path / f"{name}.csv")

        assert first.formats[0][1] == "tidy" and first.warnings == ()
        assert [(*point, row.labels, row.line) for point, row in zip(points(first), first.rows, strict=True)] == [
            (*point, row.labels, row.line) for point, row in zip(points(again), again.rows, strict=True)
        ]


def test_synonyms_of_the_tidy_columns(file):
    reading = read(file("a.csv", "Kernel,Threads,Throughput (Mpps),StdDev,run\nv6.1,1,1.2,0.1,1\nv6.1,2,2.3,0.2,1\n"))

    assert points(reading) == [("v6.1", 1, "throughput", "1.2", "Mpps"), ("v6.1", 2, "throughput", "2.3", "Mpps")]
    assert [(row.stdev, row.repeat) for row in reading.rows] == [(0.1, 1), (0.2, 1)]


def test_the_columns_that_the_user_names(file):
    path = file("a.csv", "box,what,a,b\nx,one,1,5\nx,one,2,9\n")

    reading = read(path, format="tidy", n="a", value="b", variant="what", unit="kpps")

    assert points(reading) == [("one", 1, "throughput", "5", "kpps"), ("one", 2, "throughput", "9", "kpps")]
    assert reading.rows[0].labels == (("box", "x"),)


def test_wide_with_semicolons_and_decimal_commas(file):
    reading = read(file("a.csv", "cpus;alt;neu;Unterschied %\n1;1,5;1,6;+6,7\n2;2,9;3,1;+6,9\n"))

    assert (
        points(reading)[:4]
        == [
            ("alt", 1, "throughput", "1.5", ""),
            ("neu", 1, "throughput", "1.6", ""),
        ]
        + points(reading)[2:4]
    )
    assert {row.variant for row in reading.rows if row.unit == ""} == {"alt", "neu"}


def test_wide_with_a_printed_change(file):
    reading = read(file("a.csv", "threads,before,after,change\n1,100,110,10%\n2,190,228,20%\n"))

    assert points(reading) == [
        ("before", 1, "throughput", "100", ""),
        ("after", 1, "throughput", "110", ""),
        ("before", 2, "throughput", "190", ""),
        ("after", 2, "throughput", "228", ""),
    ]
    assert [check.agrees for check in reading.checks] == [True, True]


def test_json_lines_tidy_and_wide(file):
    tidy = read(
        file(
            "a.jsonl",
            '{"n": 1, "variant": "a", "value": 3.50, "unit": "Mpps"}\n{"n": 2, "variant": "a", "value": 6.5, "unit": "Mpps"}\n',
        )
    )
    wide = read(file("b.json", '[{"threads": 1, "old": 3.5, "new": 4},\n {"threads": 2, "old": 7, "new": null}]\n'))

    assert points(tidy) == [("a", 1, "throughput", "3.50", "Mpps"), ("a", 2, "throughput", "6.5", "Mpps")]
    assert [(row.variant, row.n, row.printed, row.line) for row in wide.rows] == [
        ("old", 1, "3.5", 1),
        ("new", 1, "4", 1),
        ("old", 2, "7", 2),
    ]
    assert [item.line for item in wide.ignored] == [2]


def test_json_of_another_make_is_every_number_under_its_path(file):
    reading = read(file("a.json", '{"job": {"read": {"iops": 1200.5}},\n "n": 4}\n'))

    assert [(row.metric, row.printed, row.line) for row in reading.rows] == [
        ("job.read.iops", "1200.5", 1),
        ("n", "4", 2),
    ]


def test_parquet(tmp_path):
    import polars

    tidy = polars.DataFrame(
        {"variant": ["a", "a"], "n": [1, 2], "metric": ["rate"] * 2, "value": [1.5, 2.75], "unit": ["Mpps"] * 2}
    )
    tidy.write_parquet(tmp_path / "tidy.parquet")
    polars.DataFrame({"threads": [1, 2], "old": [10, 19], "new": [11.5, None]}).write_parquet(tmp_path / "wide.parquet")

    assert points(read(tmp_path / "tidy.parquet")) == [
        ("a", 1, "rate", "1.5", "Mpps"),
        ("a", 2, "rate", "2.75", "Mpps"),
    ]
    assert [(row.variant, row.n, row.printed) for row in read(tmp_path / "wide.parquet").rows] == [
        ("old", 1, "10"),
        ("new", 1, "11.5"),
        ("old", 2, "19"),
    ]
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "tidy.parquet").read_bytes()[:200])
    with pytest.raises(DataError, match="cut.parquet: found Parquet that cannot be read"):
        read(tmp_path / "cut.parquet")


PKTGEN = "Device: eth0@0\nResult: OK: 41725871(c41679853+d46018) usec, 100000000 (60byte,0frags)\n  {}pps 1150Mb/sec (1150365120bps) errors: 0\n"


def test_files_of_one_run_each_make_one_table(file):
    paths = [
        file(f"{name}-{n}.txt", f"rate: {100 * n + shift} kpps\nloss: 0.5 %\n")
        for name, shift in (("before", 0), ("after", 7))
        for n in (1, 2, 4)
    ]

    reading = read(paths, n_from="name")

    rates = {(row.variant, row.n): row.printed for row in reading.rows if row.unit == "kpps"}
    assert {key[1] for key in rates} == {1, 2, 4} and len(rates) == 6
    assert {value for key, value in rates.items() if "after" in key[0]} == {"107", "207", "407"}
    assert any("n = 4 from its name" in text for text in reading.understood)


def test_the_number_that_differs_among_names_is_the_count(file):
    paths = [file(f"2024-01-05-run-{n}.txt", PKTGEN.format(1000000 * n)) for n in (1, 2, 8)]

    assert [row.n for row in read(paths, n_from="name").rows if row.metric == "throughput"] == [1, 2, 8]


def test_a_count_from_the_content(file):
    path = file("a.txt", "started with 8 threads\nthroughput=47426.00\nnum_transactions=484453\nutime_start=0.3\n")

    assert {row.n for row in read(path).rows} == {None}
    assert {row.n for row in read(path, n_from="content").rows} == {8}


@pytest.mark.parametrize(
    ("name", "content", "n_from", "message"),
    [
        (
            "run.txt",
            PKTGEN.format(5),
            "name",
            "run.txt: found no number in the name: expected a count, as in run-8.txt",
        ),
        ("run-3-of-5.txt", PKTGEN.format(5), "name", r"found several numbers in the name \(3, 5\)"),
        (
            "run-8.txt",
            "threads  rate\n1  5\n2  9\n",
            "name",
            r"run-8.txt: found counts of its own \(1, 2\): .* leave --n-from out",
        ),
        ("a.txt", "throughput=1\nnum_samples=2\n", "content", "found no count in the text"),
        ("a.txt", "8 threads, 4 cores\nthroughput=1\nnum_samples=2\n", "content", "found several counts"),
    ],
)
def test_a_count_that_cannot_be_told(file, name, content, n_from, message):
    with pytest.raises(DataError, match=message):
        read(file(name, content), n_from=n_from)


def test_several_threads_of_pktgen_are_summed_and_said_so(file):
    text = "".join(PKTGEN.replace("eth0@0", f"eth0@{cpu}").format(1000 + cpu) for cpu in range(3))

    reading = read(file("a.txt", text))

    (total,) = [row for row in reading.rows if row.metric == "throughput"]
    assert (total.n, total.value) == (3, 3003)
    assert [row.value for row in reading.rows if row.metric == "throughput per thread"] == [1000, 1001, 1002]
    assert any("3 threads of one run, summed" in text for text in reading.understood)


def test_a_label_can_be_the_count(file):
    wrk = "  12 threads and {} connections\nRequests/sec: {}.00\n"
    path = file("a.txt", wrk.format(100, 5000) + wrk.format(400, 9000))

    assert [row.n for row in read(path).rows] == [12, 12]
    assert [row.n for row in read(path, n="connections").rows] == [100, 400]


def test_labels_that_go_with_the_count_part_no_series(file):
    wrk = "  {} threads and {} connections\nRequests/sec: {}.00\n"
    reading = read(file("a.txt", wrk.format(1, 10, 5000) + wrk.format(2, 20, 9000)))

    (series,) = reading.series()
    assert list(series.n) == [1, 2] and list(series.value) == [5000, 9000]


def test_series_are_sorted_and_hold_lines(file):
    reading = read(
        file(
            "a.csv",
            "dataset,variant,n,metric,value,unit,gro\nd,a,4,throughput,9,Mpps,on\nd,a,1,throughput,3,Mpps,on\nd,a,1"
            ",throughput,2,Mpps,off\n",
        )
    )

    on, off = reading.series()
    assert (on.variant, list(on.n), list(on.value), on.lines) == ("a, gro on", [1, 4], [3, 9], (3, 2))
    assert (off.variant, list(off.value)) == ("a, gro off", [2])
    with pytest.raises(ValueError, match="read-only"):
        on.value[0] = 1.0


def test_the_json_document_reads_back(file, tmp_path):
    from mpps.readers.core.output import document

    first = read(file("a.csv", "threads,before,after\n1,100,110\n2,190,215\n"))
    (tmp_path / "b.json").write_text(json.dumps(document(first, {})), encoding="utf-8")

    again = read(tmp_path / "b.json")

    assert points(again) == points(first)


def test_an_unknown_format_names_the_nearest(file):
    with pytest.raises(UnknownNameError, match="unknown format 'pktgn': did you mean 'pktgen'"):
        read(file("a.txt", "1 2\n"), format="pktgn")


@pytest.mark.parametrize("heading", ["speed", "rate", "foo"])
def test_a_table_in_long_form_names_variants_by_its_column_alone(file, heading):
    """The heading of the only values says what they are, not which variant."""
    table = file("long.csv", f"what,k,{heading}\nold,1,2.5\nold,2,4\nnew,1,3\nnew,2,6\n")

    assert [(row.variant, row.n, row.value) for row in read(table, variant="what", n="k", value=heading).rows] == [
        ("old", 1, 2.5), ("old", 2, 4), ("new", 1, 3), ("new", 2, 6),
    ]  # fmt: skip


def test_it_needs_no_option_where_the_headings_say_enough(file):
    table = file("long.csv", "what,threads,speed\nold,1,2.5\nold,2,4\nnew,1,3\nnew,2,6\n")

    assert [series.variant for series in read(table).series()] == ["old", "new"]


def test_values_of_two_columns_keep_both_names(file):
    table = file("long.csv", "size,threads,before,after\nsmall,1,2.5,3\nsmall,2,4,5\nlarge,1,2,2.5\nlarge,2,3,4\n")

    names = {series.variant for series in read(table, variant="size").series()}
    assert names == {"before, small", "after, small", "before, large", "after, large"}


def test_a_file_is_named_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "variant,n,value,unit\na,1,100,kpps\na,2,190,kpps\n"
    for name in ("one.csv", "copy.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")

    with pytest.raises(MppsError, match="one.csv: found the file twice: expected each file once"):
        read(["one.csv", "one.csv"])
    with pytest.raises(MppsError, match=r"twice \(as one.csv and ./one.csv\)"):
        read(["one.csv", "./one.csv"])
    found = read(["one.csv", "copy.csv"])
    assert len(found.rows) == 4
    assert any("one.csv and copy.csv hold the same" in warning for warning in found.warnings)
