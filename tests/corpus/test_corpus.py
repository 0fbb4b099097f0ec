"""The corpus: its tables and cards, its series against an independent reading, folders of others."""

import collections
import csv
import math
import re
import shutil

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from mpps import corpus
from mpps.errors import DataError
from mpps.measurements import datasets, load
from mpps.root import data_folder

FOLDER = data_folder() / "corpus"
TABLES = sorted(path.stem for path in FOLDER.glob("*.csv"))
HEADER = "dataset,variant,n,metric,value,unit"

#: What the hold-out protocol counts as a rate that is scored, and what it leaves out by name.
RATES = {
    *("throughput", "throughput_median", "throughput_total", "throughput_at_n_users", "tx_rate", "tx_rate_run1"),
    *("drop_rate", "redirect_rate", "packet_rate", "forward_rate", "lookups", "lock_rate", "total_ops_1e7_per_run"),
    *("bandwidth", "creates", "iops_at_n_jobs", "events"),
}
LEFT_OUT = {"xdp_drop_stream_count_mlx5", "haproxy_stktable_shards_80threads", "udp_reuseport_group_size"}


def protocol(folder):
    """The series of the hold-out protocol, read anew: key -> (training n, held-out n, mean rate by n)."""
    found = {}
    for path in sorted(folder.glob("*.csv")):
        if path.stem in LEFT_OUT or path.stem.startswith("sp_"):
            continue
        points = collections.defaultdict(lambda: collections.defaultdict(list))
        with path.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                if row["metric"] in RATES:
                    points[row["variant"], row["metric"]][float(row["n"])].append(float(row["value"]))
        for (variant, metric), values in points.items():
            n = sorted(values)
            if len(n) >= 5:
                cut = max(3, math.ceil(len(n) * 0.6))
                found[path.stem, variant, metric] = n[:cut], n[cut:], {at: np.mean(values[at]) for at in n}
    return found


def write(folder, name, *rows, header=HEADER):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return folder


def rising(name, metric="throughput", unit="ops_per_s", variant="a", counts=(1, 2, 4, 8, 16)):
    return [f"{name},{variant},{n},{metric},{10 * n},{unit}" for n in counts]


def assert_same_series(found, wanted):
    assert [series.key for series in found] == list(wanted)
    for series in found:
        train, held, rate = wanted[series.key]
        assert series.train_n.tolist() == train and series.held_n.tolist() == held
        assert series.rate.tolist() == [rate[n] for n in (*train, *held)]


# The tables of this project.


def test_the_series_are_those_of_the_protocol():
    """The same 85 series of 20 data sets, with the same points in training and held out."""
    found, wanted = corpus.load(), protocol(FOLDER)

    assert len(wanted) == 85 and len({key[0] for key in wanted}) == 20
    assert_same_series(found.series, wanted)
    assert len(found.sources) == 14


def test_without_cards_the_series_are_the_same(tmp_path):
    """Names and units say as much as the cards do; sources come from the project."""
    for name in TABLES:
        shutil.copy(FOLDER / f"{name}.csv", tmp_path)
    found = corpus.load(tmp_path)

    assert_same_series(found.series, protocol(FOLDER))
    assert found.sources == corpus.load().sources
    assert {"userspace_lock_bench_i5", "ovs_mpsc_queue_producers"} <= {curve.dataset for curve in found.apart}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_accounted_for(name):
    """Each variant of each metric is a series, is scored apart, or is skipped with a reason."""
    found = corpus.load()
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        there = {(row["variant"], row["metric"]) for row in csv.DictReader(stream)}
    known = [*found.series, *found.apart, *found.skipped]
    said = {(one.variant, one.metric.partition(" in ")[0]) for one in known if one.dataset == name}

    assert said == there
    assert all(one.why for one in found.skipped)
    assert found.cards[name].title and f"{name}.csv" in found.sha256


def test_elapsed_times_are_rates_and_stay_apart():
    """Work that grows with n gives n / time, fixed work 1 / time; neither is among the series."""
    found = corpus.load()
    apart = {(curve.dataset, curve.variant): curve for curve in found.apart}
    growing = apart["userspace_lock_bench_i5", "Heap_cas_default_custom_spin_lock_manual"]
    fixed = apart["ovs_mpsc_queue_producers", "mpsc_queue"]

    assert growing.rate[:2].tolist() == [1 / 77.0364, 2 / 612.087]
    assert fixed.rate[0] == 1 / 167
    assert {curve.dataset for curve in found.apart} == {"userspace_lock_bench_i5", "ovs_mpsc_queue_producers"}
    assert not {curve.dataset for curve in found.series} & {curve.dataset for curve in found.apart}


def test_a_stated_deviation_is_the_scatter_of_its_points():
    found = corpus.load().curve("cna_locktorture_4socket", "stock_mcs")

    assert found.stated[0] == 0.088 / 2.675
    assert np.isfinite(found.stated).all() and np.isnan(found.scatter).all()


def test_pairs_name_what_exists():
    """Both variants of a pair are curves of the corpus or variants of a seed, and sources agree."""
    found = corpus.load()
    pairs = corpus.pairs()

    assert len(pairs) == 31 and {pair.kind for pair in pairs} == {"removal", "replacement", "cost", "control"}
    for pair in pairs:
        if pair.dataset in datasets():
            assert {pair.before, pair.after} <= set(load(pair.dataset).variants)
            continue
        both = [found.curve(pair.dataset, variant) for variant in (pair.before, pair.after)]
        assert {curve.source for curve in both} == {pair.source}


def test_the_dictionary_names_every_table_and_kind():
    text = (data_folder() / "README.md").read_text(encoding="utf-8")
    words = [*TABLES, *corpus.KINDS, *corpus.CorpusCard.__dataclass_fields__]

    assert [word for word in words if f"`{word}`" not in text] == []


def test_the_dictionary_counts_the_rows_and_its_example_runs():
    text = (data_folder() / "README.md").read_text(encoding="utf-8").partition("\n## Corpus")[2]
    counts = dict(re.findall(r"^\| `(\w+)` \| .* \| (\d+) \|$", text, re.MULTILINE))
    assert counts == {
        name: str(len((FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()) - 1) for name in TABLES
    }

    lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    names = {}
    exec("\n".join(lines[:-1]), names)
    train, held = eval(lines[-1], names)
    assert train[-1] < names["found"].series[0].held_n[0] and len(held) > 0


# Curves.


@pytest.mark.parametrize(("count", "train"), [(4, 3), (5, 3), (6, 4), (8, 5), (10, 6), (12, 8), (20, 12)])
def test_the_lowest_sixty_percent_train(count, train):
    assert corpus.training_points(count) == train


def test_repeats_are_averaged_and_their_spread_kept(tmp_path):
    rows = [*rising("t"), "t,a,2,throughput,24,ops_per_s"]
    (curve,) = corpus.load(write(tmp_path / "f", "t", *rows)).series

    assert curve.rate.tolist() == [10, 22, 40, 80, 160]
    assert curve.repeats.tolist() == [1, 2, 1, 1, 1]
    assert curve.scatter[1] == pytest.approx(math.sqrt(8) / 22)  # 20 and 24: variance 8
    assert np.isnan(np.delete(curve.scatter, 1)).all()
    assert curve.row_n.tolist() == [1, 2, 2, 4, 8, 16] and curve.row_rate.tolist() == [10, 20, 24, 40, 80, 160]
    assert curve.training().row_rate.tolist() == [10, 20, 24, 40]


def test_order_of_rows_does_not_matter(tmp_path):
    straight = corpus.load(write(tmp_path / "a", "t", *rising("t"))).series[0]
    turned = corpus.load(write(tmp_path / "b", "t", *reversed(rising("t")))).series[0]

    assert straight.n.tolist() == turned.n.tolist() and straight.rate.tolist() == turned.rate.tolist()


def test_training_holds_nothing_of_what_is_held_out():
    curve = corpus.load().series[0]
    training = curve.training()

    assert training.n.tolist() == curve.train_n.tolist() and training.rate.tolist() == curve.train_rate.tolist()
    assert {len(value) for value in vars(training).values() if isinstance(value, np.ndarray)} == {curve.cut}


def test_labels_and_data_sets_split_series(tmp_path):
    """Optional columns, and a file that holds several data sets, make series of their own."""
    rows = [
        f"{name},a,{n},throughput,{n},pps,{gro}" for name in ("x", "y") for gro in ("on", "off") for n in range(1, 6)
    ]
    found = corpus.load(write(tmp_path / "f", "t", *rows, header=f"{HEADER},gro"))

    assert [one.variant for one in found.series] == ["x, a, gro on", "x, a, gro off", "y, a, gro on", "y, a, gro off"]
    assert {one.dataset for one in found.series} == {"t"}


def test_a_folder_may_name_its_sources(tmp_path):
    write(tmp_path / "f", "t", *rising("t"))
    write(tmp_path / "f", "u", *rising("u"))
    (tmp_path / "f" / "sources.yaml").write_text("t: lab\n", encoding="utf-8")

    assert {one.dataset: one.source for one in corpus.load(tmp_path / "f").series} == {"t": "lab", "u": "u"}


@pytest.mark.parametrize("name", ["xdp_drop_stream_count_mlx5", "sp_many_points"])
def test_tables_that_the_protocol_leaves_out_are_told(tmp_path, name):
    write(tmp_path / "f", name, *rising(name))
    found = corpus.load(write(tmp_path / "f", "t", *rising("t")))

    assert (
        [one.dataset for one in found.series]
        == ["t"]
        == list(dict.fromkeys(key[0] for key in protocol(tmp_path / "f")))
    )
    assert [(one.dataset, one.why) for one in found.skipped] == [(name, "the hold-out protocol leaves this table out")]


# What a metric is without a card.


@pytest.mark.parametrize(
    ("metric", "unit", "kind", "convert"),
    [
        ("throughput", "M_per_s", "throughput", ""),
        ("anything", "requests/s", "throughput", ""),
        ("events", "ms", "throughput", ""),
        ("total_ops_1e7_per_run", "1e7_ops", "throughput", ""),
        ("iops_at_n_jobs", "kIOPS", "throughput", ""),
        ("throughput_per_producer", "M_per_s", "per instance", "n * value"),
        ("rate", "Mpps/core", "per instance", "n * value"),
        ("elapsed_1M_items", "ms", "elapsed time", "1 / value"),
        ("elapsed_1M_items_per_thread", "ms", "elapsed time", "n / value"),
        ("latency_p99", "us", "cost", ""),
        ("microbench", "cycles_per_elem", "cost", ""),
        ("idle", "percent", "utilisation", ""),
        ("speedup", "x", "utilisation", ""),
        ("drops", "pps", "cost", ""),
        ("colour", "blue", "cost", ""),
    ],
)
def test_names_and_units_tell_the_kind(metric, unit, kind, convert):
    found = corpus.guessed(metric, unit)

    assert (found.kind, found.convert) == (kind, convert)
    assert bool(found.left_out) == (kind in ("cost", "utilisation"))


def test_a_deviation_belongs_to_its_metric():
    assert corpus.guessed("throughput_stdev", "pps").of == "throughput"


def test_a_total_beside_rates_of_one_is_enough(tmp_path):
    """Rates of one of n are left out where the table has the total, and become a total where it has none."""
    one = rising("t", "throughput_per_thread")
    alone = corpus.load(write(tmp_path / "a", "t", *one))
    beside = corpus.load(write(tmp_path / "b", "t", *one, *rising("t")))

    assert alone.series == () and alone.apart[0].rate.tolist() == [10, 40, 160, 640, 2560]
    assert [curve.metric for curve in beside.series] == ["throughput"] and beside.apart == ()
    assert "the throughput itself" in beside.skipped[0].why


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("t,a,32,throughput,0,ops_per_s", "line 7: value is 0"),
        ("t,a,32,throughput,-4,ops_per_s", "line 7: value is -4"),
        ("t,a,0,throughput,5,ops_per_s", "line 7: n is 0"),
        ("t,a,0.5,throughput,5,ops_per_s", "line 7: n is 0.5"),
    ],
)
def test_what_is_no_rate_is_skipped_by_line(tmp_path, row, why):
    found = corpus.load(write(tmp_path / "f", "t", *rising("t"), row))

    assert found.series == () and why in found.skipped[0].why


CELLS = st.one_of(
    st.sampled_from(
        ["t", "a", "b", "throughput", "elapsed", "idle", "pps", "ms", "percent", "", "nan", "-1", "1e400", "0"]
    ),
    st.floats(allow_nan=True).map(str),
    st.integers(-2, 70).map(str),
    st.text(max_size=6).filter(lambda text: not set(text) & set('",\r\n')),
)


@hypothesis.given(st.lists(st.lists(CELLS, min_size=6, max_size=6), min_size=1, max_size=12))
def test_any_table_is_read_or_refused_in_words(tmp_path_factory, rows):
    """No table ends in anything but curves of positive numbers or a `DataError` that names the file."""
    folder = tmp_path_factory.mktemp("any")
    write(folder, "t", *(",".join(row) for row in rows))
    try:
        found = corpus.load(folder)
    except DataError as error:
        assert "t.csv" in str(error)
        return
    for curve in (*found.curves, *found.apart):
        assert (curve.n >= 1).all() and (curve.rate > 0).all() and np.isfinite(curve.rate).all()
        assert (np.diff(curve.n) > 0).all()


# Folders that cannot stand.


def test_a_folder_without_tables_is_named(tmp_path):
    with pytest.raises(DataError, match=r"gone: found no such folder"):
        corpus.load(tmp_path / "gone")
    with pytest.raises(DataError, match=r"found an empty folder: expected a folder of tidy CSVs"):
        corpus.load(tmp_path)
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(DataError, match=r"found no CSV"):
        corpus.load(tmp_path)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("t,a,32,throughput,many,ops_per_s", r"t\.csv, line 7, column 'value': found 'many'"),
        ("t,a,x,throughput,1,ops_per_s", r"t\.csv, line 7, column 'n': found 'x'"),
        ("t,a,32,throughput,nan,ops_per_s", r"t\.csv, line 7, column 'value': found 'nan'"),
        ('t,a,32,throughput,"1,000",ops_per_s', r"line 7, column 'value': .* write 1000"),
        ("t,,32,throughput,1,ops_per_s", r"line 7, column 'variant': found ''"),
        ("t,a,32,throughput,1,", r"line 7, column 'unit': found ''"),
        ("t,a,32,throughput", r"line 7, column 'value'.*expected 6 cells"),
    ],
)
def test_a_broken_cell_is_named_by_file_row_and_column(tmp_path, row, words):
    with pytest.raises(DataError, match=words):
        corpus.load(write(tmp_path / "f", "t", *rising("t"), row))


def test_a_table_that_changed_under_its_card_is_refused(tmp_path):
    for ending in (".csv", ".yaml"):
        shutil.copy(FOLDER / f"usl_raytracer{ending}", tmp_path)
    assert corpus.load(tmp_path).cards["usl_raytracer"].counts == "CPUs"
    table = tmp_path / "usl_raytracer.csv"
    table.write_text(table.read_text(encoding="utf-8").replace(",78,", ",79,"), encoding="utf-8")

    with pytest.raises(DataError, match=r"usl_raytracer\.csv: found a table with the checksum .* key 'sha256'"):
        corpus.load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("kind: throughput", "kind: thruput", r"usl_raytracer\.yaml, line \d+.*thruput"),
        ("kind: throughput", "kind: elapsed time", r"expected 'convert' or 'left_out'"),
        ("  throughput:", "  goodput:", r"found the metric 'goodput'"),
        ("counts: CPUs\n", "", r"missing key 'counts'"),
    ],
)
def test_a_card_that_does_not_fit_is_named(tmp_path, old, new, words):
    for ending in (".csv", ".yaml"):
        shutil.copy(FOLDER / f"usl_raytracer{ending}", tmp_path)
    card = tmp_path / "usl_raytracer.yaml"
    text = card.read_text(encoding="utf-8")
    assert old in text
    card.write_text(text.replace(old, new), encoding="utf-8")

    with pytest.raises(DataError, match=words):
        corpus.load(tmp_path)
