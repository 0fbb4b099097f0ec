"""Posted tables in the layouts that people use; each text is small, and its values were read by eye."""

import pytest

from mpps.readers import read


@pytest.fixture
def text(tmp_path):
    """Reads a text as a file `run.txt`."""

    def run(content, name="run.txt", **choices):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return read(path, **choices)

    return run


def curves(reading):
    """Variant (and metric, where it is no throughput) -> {n: printed}."""
    return {
        series.variant if series.metric == "throughput" else f"{series.variant}: {series.metric}": dict(
            zip(map(float, series.n), series.printed, strict=True)
        )
        for series in reading.series()
    }


TABLES = {
    "markdown with a hole": (
        "Numbers in Mpps:\n\n| Cores | Base | Patched | Diff |\n|------:|-----:|--------:|-----:|\n"
        "| 1 | 1.20 | 1.25 | +4.2% |\n| 2 | 2.31 | n/a | |\n| 4 | 4.02 | 5.02 | +24.9% |\n",
        {"Base": {1: "1.20", 2: "2.31", 4: "4.02"}, "Patched": {1: "1.25", 4: "5.02"}},
        "Mpps",
    ),
    "counts across": (
        "threads:      1      2      4\nbefore    1.52M  2.90M  4.10M\nafter     1.55M  3.01M  5.70M\nchange      "
        "+2%    +4%   +39%\n",
        {"before": {1: "1520000", 2: "2900000", 4: "4100000"}, "after": {1: "1550000", 2: "3010000", 4: "5700000"}},
        "",
    ),
    "counted words": (
        "  1 thread:   1234567 ops/sec\n  2 threads:  2345678 ops/sec\n  4 threads:  3456789 ops/sec\n",
        {"measured": {1: "1234567", 2: "2345678", 4: "3456789"}},
        "ops/s",
    ),
    "dots for thousands": (
        "queues  one          two\n1       1.000.000    900.000\n2       1.900.000  1.700.000\n4       3.500.000  "
        "3.100.000\n",
        {"one": {1: "1000000", 2: "1900000", 4: "3500000"}, "two": {1: "900000", 2: "1700000", 4: "3100000"}},
        "",
    ),
    "decimal commas": (
        "cpus   alt    neu\n1      1,5    1,6\n2      2,9    3,1\n",
        {"alt": {1: "1.5", 2: "2.9"}, "neu": {1: "1.6", 2: "3.1"}},
        "",
    ),
    "spaces for thousands in a box": (
        "┌─────────┬────────┐\n│ threads │ mutex  │\n├─────────┼────────┤\n│ 1 │ 12 345 │\n│ 2 │ 20 100 "
        "│\n└─────────┴────────┘\n",
        {"mutex": {1: "12345", 2: "20100"}},
        "",
    ),
    "spaces for thousands in columns": (
        "threads     mutex      futex\n1          12 345     13 456\n2          20 100     24 900\n4           9 "
        "000     44 100\n",
        {"mutex": {1: "12345", 2: "20100", 4: "9000"}, "futex": {1: "13456", 2: "24900", 4: "44100"}},
        "",
    ),
    "underscores": ("cores  rate\n1  1_000_000\n2  1_900_000\n", {"measured": {1: "1000000", 2: "1900000"}}, ""),
    "suffixes of two sizes": (
        "threads   Mops\n1   900k ops/s\n2   1.7M ops/s\n4   3.1M ops/s\n".replace("Mops", "rate"),
        {"measured": {1: "900000", 2: "1700000", 4: "3100000"}},
        "ops/s",
    ),
    "tabs": (
        "#cores\tbefore\tafter\n1\t10\t11\n2\t19\t22\n",
        {"before": {1: "10", 2: "19"}, "after": {1: "11", 2: "22"}},
        "",
    ),
    "quoted reply with a mark": (
        "> Rates in kpps:\n>\n>  cpus  off   on\n>  1   700  867*\n>  2   1300 1600[1]\n>\n> [1] noisy\n",
        {"off": {1: "700", 2: "1300"}, "on": {1: "867", 2: "1600"}},
        "kpps",
    ),
    "unit behind the last value": (
        "streams   base     patched\n1         9.41     9.41 Gbps\n8         35.2     55.1 Gbps\n",
        {"base": {1: "9.41", 8: "35.2"}, "patched": {1: "9.41", 8: "55.1"}},
        "Gbit/s",
    ),
    "a remark behind a row": (
        "threads     base        B=4        delta\n  4      6.20 M/s   6.12 M/s    −1.3 %   (fits the fast cores)\n"
        "  8      6.94       6.43        −7 %\n 16      7.11       6.35        −11 %\n",
        {"base": {4: "6.20", 8: "6.94", 16: "7.11"}, "B=4": {4: "6.12", 8: "6.43", 16: "6.35"}},
        "M/s",
    ),
    "a trailing bar on a line of its own": (
        ">> | threads | one   | two \n>>  |\n>> | 1 | 1.7 Mpps | 2.0 Mpps \n>>  |\n>> | 2 | 3.3 Mpps | 3.9 Mpps "
        "\n>>  |\n",
        {"one": {1: "1.7", 2: "3.3"}, "two": {1: "2.0", 2: "3.9"}},
        "Mpps",
    ),
    "before and after over two tables": (
        "Before:\n\n cpus    pps\n 1       1000000\n 2       1900000\n\nAfter:\n\n cpus    pps\n 1       1100000\n "
        "2       2200000\n",
        {"Before": {1: "1000000", 2: "1900000"}, "After": {1: "1100000", 2: "2200000"}},
        "packets/s",
    ),
    "names between the values": (
        "N=1: vanilla 9.1 patched 9.3\nN=2: vanilla 17.0 patched 18.1\nN=4: vanilla 24.0 patched 33.9\n",
        {"vanilla": {1: "9.1", 2: "17.0", 4: "24.0"}, "patched": {1: "9.3", 2: "18.1", 4: "33.9"}},
        "",
    ),
    "rows left out": (
        "cpus   Mpps\n1      1.2\n2      2.3\n[...]\n16     9.1\n",
        {"measured": {1: "1.2", 2: "2.3", 16: "9.1"}},
        "Mpps",
    ),
    "a hole in the middle": (
        "threads   before   after\n1            100     110\n2                    220\n4            300     350\n",
        {"before": {1: "100", 4: "300"}, "after": {1: "110", 2: "220", 4: "350"}},
        "",
    ),
    "approximate values": ("threads  Mpps\n1  ~1.2\n2  ~2.1\n", {"measured": {1: "1.2", 2: "2.1"}}, "Mpps"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_layout(text, name):
    content, expected, unit = TABLES[name]

    reading = text(content)

    assert curves(reading) == {
        variant: {float(n): value for n, value in curve.items()} for variant, curve in expected.items()
    }
    assert {row.unit for row in reading.rows} == {unit}
    assert all(check.agrees for check in reading.checks)


@pytest.mark.parametrize("name", TABLES)
def test_windows_line_ends_change_nothing(text, name):
    content = TABLES[name][0]

    assert curves(text(content.replace("\n", "\r\n"))) == curves(text(content))


def test_two_metrics_a_variant_with_spreads(text):
    reading = text(
        "                Before                    After\n"
        "CPUs     Mpps     stddev   CPU%     Mpps   stddev   CPU%\n"
        "1        1.50     0.01     100      1.60   0.02     100\n"
        "2        2.90     0.05     200      3.20   0.03     199\n"
    )

    assert curves(reading) == {
        "Before": {1: "1.50", 2: "2.90"},
        "Before: CPU": {1: "100", 2: "200"},
        "After": {1: "1.60", 2: "3.20"},
        "After: CPU": {1: "100", 2: "199"},
    }
    spreads = {(row.variant, row.n): row.stdev for row in reading.rows if row.metric == "throughput"}
    assert spreads == {("Before", 1): 0.01, ("Before", 2): 0.05, ("After", 1): 0.02, ("After", 2): 0.03}


def test_smallest_and_largest_are_ends(text):
    reading = text("threads  min  avg  max\n1   95  100  105\n2  180  190  200\n4  300  310  330\n")

    assert [(row.n, row.value, row.lower, row.upper) for row in reading.rows] == [
        (1, 100, 95, 105),
        (2, 190, 180, 200),
        (4, 310, 300, 330),
    ]


def test_a_range_in_brackets_and_a_spread_in_percent(text):
    reading = text("threads  a             b\n1  1.2 [1.1, 1.3]   5.0 ± 2%\n2  2.2 [2.0, 2.5]   9.0 ± 1%\n")

    first, second = (row for row in reading.rows if row.n == 1)
    assert (first.lower, first.upper) == (1.1, 1.3)
    assert second.stdev == pytest.approx(0.1)


def test_rates_of_one_instance_are_a_metric_of_their_own(text):
    reading = text("Threads   Ops/sec     Ops/sec/thread\n1   1,000,000   1,000,000\n2   1,800,000     900,000\n")

    assert curves(reading) == {
        "measured": {1: "1000000", 2: "1800000"},
        "measured: throughput per thread": {1: "1000000", 2: "900000"},
    }


def test_a_second_key_names_variants_or_labels(text):
    one = text("threads  lock   ops/s\n1  mutex  100\n2  mutex  150\n1  spin  120\n2  spin  90\n")
    two = text(
        "threads  lock   before  after\n1  mutex  100  110\n2  mutex  150  190\n1  spin  120  121\n2  spin  90  160\n"
    )

    assert curves(one) == {"mutex": {1: "100", 2: "150"}, "spin": {1: "120", 2: "90"}}
    assert set(curves(two)) == {"before, lock mutex", "after, lock mutex", "before, lock spin", "after, lock spin"}


def test_the_same_count_again_is_a_repeat(text):
    reading = text("threads  Mpps\n1  1.20\n1  1.22\n2  2.3\n2  2.4\n")

    assert [(row.n, row.value, row.repeat) for row in reading.rows] == [
        (1, 1.2, 1),
        (1, 1.22, 2),
        (2, 2.3, 1),
        (2, 2.4, 2),
    ]


def test_numbered_runs_are_repeats_without_a_count(text):
    reading = text("run 1: 4.21 Mpps\nrun 2: 4.25 Mpps\nrun 3: 4.19 Mpps\n")

    assert [(row.n, row.printed, row.unit, row.repeat) for row in reading.rows] == [
        (None, "4.21", "Mpps", 1),
        (None, "4.25", "Mpps", 2),
        (None, "4.19", "Mpps", 3),
    ]


def test_a_printed_change_that_disagrees_is_named_with_its_line(text):
    reading = text("threads  before  after  change\n1  100  110  +10%\n2  200  260  +3%\n4  300  330  +10%\n")

    assert [check.agrees for check in reading.checks] == [True, False, True]
    (warning,) = [warning for warning in reading.warnings if "printed change" in warning]
    assert "line 3" in warning and "+3%" in warning and "from 200 to 260" in warning and "+30.00%" in warning


def test_a_table_without_counts_has_none(text):
    reading = text("test        before   after\nTCP_RR      34107    36012\nUDP_RR      41000    45500\n")

    assert {(row.variant, row.labels, row.n, row.printed) for row in reading.rows} == {
        ("before", (("test", "TCP_RR"),), None, "34107"),
        ("after", (("test", "TCP_RR"),), None, "36012"),
        ("before", (("test", "UDP_RR"),), None, "41000"),
        ("after", (("test", "UDP_RR"),), None, "45500"),
    }


def test_sizes_are_no_counts_unless_the_user_says_so(text):
    content = "size   before   after\n64     1000     1100\n128    1050     1150\n256    1100     1200\n"

    assert all(row.n is None for row in text(content).rows)
    assert [row.n for row in text(content, n="size").rows if row.variant == "before"] == [64, 128, 256]


def test_options_choose_columns_and_unit(text):
    content = "cores queues value other\n1 1 100 5\n2 1 190 6\n4 2 350 7\n"

    reading = text(content, n="cores", value="value", unit="kpps")

    assert [(row.n, row.printed, row.unit) for row in reading.rows] == [
        (1, "100", "kpps"),
        (2, "190", "kpps"),
        (4, "350", "kpps"),
    ]


def test_columns_of_a_tool_are_metrics_and_rows_repeats(text):
    reading = text(
        "procs -----------memory---------- ---swap--\n r  b   swpd   free   buff  cache   si   so\n"
        " 2  0      0 1234567  12345 987654    0    0\n 1  0      0 1234500  12345 987700    0    0\n"
    )

    assert reading.formats[0][1] == "columns"
    assert [(row.metric, row.printed, row.repeat, row.line) for row in reading.rows if row.metric in ("r", "free")] == [
        ("r", "2", 1, 3),
        ("free", "1234567", 1, 3),
        ("r", "1", 2, 4),
        ("free", "1234500", 2, 4),
    ]


def test_a_sentence_with_an_arrow(text):
    reading = text("The rate goes up, 1.2 Mpps -> 2.5 Mpps (+108%), with 8 threads on the box.\n")

    assert [(row.variant, row.n, row.printed, row.unit) for row in reading.rows] == [
        ("before", 8, "1.2", "Mpps"),
        ("after", 8, "2.5", "Mpps"),
    ]


def test_a_quoted_printable_mail(text):
    reading = text(
        "Subject: numbers\nFrom: sender\nContent-Transfer-Encoding: quoted-printable\n\nPreliminary results, "
        "compar=\ning two kernels in Mpps:\n=20\n"
        "    n_threads    before        after\n    1        661        663\n    2        1436        1225 (-15%)\n"
    )

    assert curves(reading) == {"before": {1: "661", 2: "1436"}, "after": {1: "663", 2: "1225"}}
    assert [row.line for row in reading.rows if row.n == 2] == [10, 10]
    assert [check.agrees for check in reading.checks] == [True]


def test_a_summary_below_the_rows_is_no_row(text):
    runs = text("run  before  after\n1    4.21    5.01\n2    4.25    5.11\navg  4.23    5.06\n")
    counts = text("threads  Mpps\n1        1.2\n2        2.3\ngeomean  1.7\n")

    assert [(row.variant, row.repeat, row.printed) for row in runs.rows] == [
        ("before", 1, "4.21"),
        ("after", 1, "5.01"),
        ("before", 2, "4.25"),
        ("after", 2, "5.11"),
    ]
    assert curves(counts) == {"measured": {1: "1.2", 2: "2.3"}}
    assert [[item.line for item in reading.ignored] for reading in (runs, counts)] == [[4], [4]]


def test_a_list_behind_a_name_is_the_same_measurement_again(text):
    reading = text("Runs of each kernel, in Mpps:\n\nbefore: 4.21 4.25 4.19\nafter:  5.01 5.11 4.99\n")

    assert [(row.variant, row.repeat, row.printed, row.unit) for row in reading.rows if row.repeat != 2] == [
        ("before", 1, "4.21", "Mpps"),
        ("before", 3, "4.19", "Mpps"),
        ("after", 1, "5.01", "Mpps"),
        ("after", 3, "4.99", "Mpps"),
    ]


def test_counts_in_the_sentences_over_several_tables(text):
    reading = text(
        "With 16 threads:\n  before   1.2 Mpps\n  after    2.4 Mpps\n\nWith 32 threads:\n  before   1.1 Mpps\n  "
        "after    3.9 Mpps\n"
    )

    assert curves(reading) == {"before": {16: "1.2", 32: "1.1"}, "after": {16: "2.4", 32: "3.9"}}
    assert any("n = 32 from line 5: '32 threads'" in told for told in reading.understood)


def test_bullets_are_no_cells(text):
    reading = text(" * 1 core : 10.5 Mpps\n * 2 cores: 19.9 Mpps\n * 4 cores: 31.0 Mpps\n")

    assert curves(reading) == {"measured": {1: "10.5", 2: "19.9", 4: "31.0"}}


def test_changes_in_parentheses_that_are_zero_for_the_first(text):
    reading = text(
        "                 vanilla              patched\n"
        "Hmean   1     319.24 (   0.00%)    321.20 (   0.61%)\nHmean   2     610.12 (   0.00%)    640.50 (   4.98%)\n"
        "Hmean   4    1100.50 (   0.00%)   1250.10 (  13.59%)\n"
    )

    assert curves(reading) == {
        "vanilla": {1: "319.24", 2: "610.12", 4: "1100.50"},
        "patched": {1: "321.20", 2: "640.50", 4: "1250.10"},
    }
    assert all(row.stdev is None for row in reading.rows)
    assert [check.agrees for check in reading.checks] == [True, True, True]


def test_profile_shares_without_more_are_shares(text):
    reading = text("  53.00%  native_queued_spin_lock_slowpath\n  37.01%  _raw_spin_lock\n")

    assert [(row.variant, row.metric, row.printed, row.unit) for row in reading.rows] == [
        ("native_queued_spin_lock_slowpath", "share", "53.00", "percent"),
        ("_raw_spin_lock", "share", "37.01", "percent"),
    ]


def test_two_values_a_line_behind_a_count(text):
    reading = text("1 thread(s): 12.5 Mops/s, 80 ns/op\n2 thread(s): 20.1 Mops/s, 99 ns/op\n")

    assert curves(reading) == {"measured": {1: "12.5", 2: "20.1"}, "measured: time": {1: "80", 2: "99"}}


def test_a_reply_between_the_lines_of_a_quoted_patch(text):
    reading = text(
        "Subject: Re: numbers\nFrom: sender\nDate: some day\n\n> Test results with A53 1.2GHz, in kpps:\n>\n> cpus "
        "  before  after\n"
        "> 1      100     110\n> 2      190     215\n>\n> ---\n> diff --git a/x.c b/x.c\n> @@ -819,6 +825,11 @@ "
        "static int x(void)\n>  \treturn 1;\n"
        "> +static int y(void)\n\nPlease, no inline in c files.\n\n> +{\n> +\treturn 2;\n> +#define PASS\t\t0\n> "
        "+#define DROP\t\t1\n>  static void z(void)\n"
    )

    assert curves(reading) == {"before": {1: "100", 2: "190"}, "after": {1: "110", 2: "215"}}
    assert reading.ignored == () and {row.unit for row in reading.rows} == {"kpps"}


def test_runs_out_of_a_spreadsheet(text):
    reading = text(
        "\tTransactions\tLatency P50 (s)\t\t\tThroughput (Mbit/s)\nRun 1\t2560252\t        0.00009087\t\tRun "
        "1\t15479.31\n"
        "Run 2\t2665517\t        0.00008575\t\tRun 2\t15162.48\n"
    )

    assert [(row.metric, row.printed, row.unit, row.repeat) for row in reading.rows if row.repeat == 2] == [
        ("throughput", "2665517", "", 2),
        ("Latency P50", "0.00008575", "s", 2),
        ("throughput", "15162.48", "Mbit/s", 2),
    ]


def test_two_tables_side_by_side_with_the_counts_in_each(text):
    reading = text(
        "Before              After\nCPUs  Mpps          CPUs  Mpps\n1     1.2           1     1.3\n2     2.3           2     2.5\n"
    )

    assert curves(reading) == {"Before": {1: "1.2", 2: "2.3"}, "After": {1: "1.3", 2: "2.5"}}


def test_counts_with_a_letter(text):
    assert curves(text("config   Mpps\n1T       1.2\n2T       2.3\n16T      9.9\n")) == {
        "measured": {1: "1.2", 2: "2.3", 16: "9.9"}
    }


def test_the_column_that_the_user_names_is_the_variant(text):
    content = "threads  size  before  after\n1  64  100  110\n2  64  190  215\n1  128  90  95\n2  128  170  180\n"

    reading = text(content, variant="size", unit="kpps")

    assert {row.variant for row in reading.rows} == {"before, 64", "after, 64", "before, 128", "after, 128"}


def test_rows_that_go_from_one_value_to_another(text):
    reading = text("1 core: 14.8 Mpps -> 17.2 Mpps (+16%)\n2 cores: 27.3 Mpps -> 31.9 Mpps (+17%)\n")

    assert curves(reading) == {"before": {1: "14.8", 2: "27.3"}, "after": {1: "17.2", 2: "31.9"}}
    assert [check.agrees for check in reading.checks] == [True, True]


def test_groups_between_bars_that_look_like_numbers(text):
    reading = text(
        "      |        4.19         |     4.19+patch      |\ncores | Mpps  |  cycles/pkt | Mpps  |  cycles/pkt |\n"
        "------+-------+-------------+-------+-------------+\n   1  | 11.7  |   306       | 12.9  |   277       |\n"
        "   2  | 22.0  |   326       | 25.1  |   286       |\n"
    )

    assert curves(reading) == {
        "4.19": {1: "11.7", 2: "22.0"},
        "4.19: cycles": {1: "306", 2: "326"},
        "4.19+patch": {1: "12.9", 2: "25.1"},
        "4.19+patch: cycles": {1: "277", 2: "286"},
    }
    assert reading.ignored == ()
