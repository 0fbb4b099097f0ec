"""Outputs of tools: the values were copied by hand from the samples, with the line that each stands on."""

import pathlib

import pytest

from mpps.errors import DataError
from mpps.readers import formats, read

SAMPLES = pathlib.Path(__file__).parent / "samples"

# file, format, number of rows, values: (variant, labels, n, metric, printed, unit, line)
EXPECTED = [
    ("pktgen_queue_xmit_result.txt", "pktgen", 16, [
        ("pktgen_bench_xmit_mode_queue_xmit", {}, 1, "throughput", "2396594", "packets/s", 6),
        ("pktgen_bench_xmit_mode_queue_xmit", {}, 1, "errors", "1417469", "count", 6),
        ("second run, other kernel", {}, 1, "bit rate", "1190385600", "bit/s", 11),
        ("Before", {}, None, "throughput", "4730418", "packets/s", 14),
        ("After + nft", {}, None, "throughput", "3714546", "packets/s", 20),
    ]),
    ("will_it_scale_page_fault1.csv", "will-it-scale", 96, [
        ("processes", {}, 1, "throughput", "216394", "ops/s", 3),
        ("threads", {}, 24, "throughput", "4683531", "ops/s", 26),
        ("threads", {}, 7, "idle", "70.83", "percent", 9),
    ]),
    ("bpf_bench_ringbuf.txt", "bpf-bench", 14, [
        ("rb-libbpf", {}, 1, "throughput", "11.440", "M/s", 3),
        ("rb-libbpf", {}, 16, "throughput", "1.988", "M/s", 9),
        ("rb-libbpf", {}, 12, "drops", "0.000", "M/s", 8),
    ]),
    ("bench_page_pool_dmesg_timestamps.txt", "time-bench", 18, [
        ("for_loop", {}, 1, "time", "0.543", "ns/element", 2),
        ("no-softirq-page_pool03", {}, 1, "cycles", "92", "cycles/element", 10),
        ("tasklet_page_pool03_slow", {}, 1, "time", "37.607", "ns/element", 17),
    ]),
    ("xdp_rxq_info_1_core.txt", "xdp-stats", 6, [
        ("XDP_DROP", {"of": "XDP-RX"}, 1, "throughput", "25583300", "packets/s", 4),
        ("XDP_DROP", {"of": "rx_queue_index"}, 1, "throughput", "25583303", "packets/s", 8),
        ("XDP_DROP", {"of": "XDP-RX", "cpu": "0"}, None, "throughput per cpu", "25583300", "packets/s", 3),
    ]),
    ("iperf3_tcp_client.json", "iperf3-json", 9, [
        ("sent", {}, 1, "throughput", "485003843.3946745", "bit/s", 180),
        ("received", {}, 1, "throughput", "470738445.5448883", "bit/s", 188),
        ("sent", {}, 1, "retransmits", "1024", "count", 181),
    ]),
    ("netperf_tcp_rr_interim.txt", "netperf", 5, [
        ("TCP_RR", {}, None, "throughput", "34107.16", "transactions/s", 2),
        ("TCP_RR", {}, None, "throughput", "34049.66", "transactions/s", 6),
    ]),
    ("neper_tcp_crr_client.txt", "neper", 11, [
        ("neper", {}, None, "throughput", "47426.00", "transactions/s", 11),
        ("neper", {}, None, "latency_mean", "1.546521274", "s", 8),
    ]),
    ("wrk.txt", "wrk", 5, [
        ("wrk", {"threads": "12", "connections": "400"}, 12, "throughput", "748868.53", "requests/s", 7),
        ("wrk", {"threads": "12", "connections": "400"}, 12, "latency", "635.91", "us", 4),
        ("wrk", {"threads": "12", "connections": "400"}, 12, "throughput per thread", "56200", "requests/s", 5),
        ("wrk", {"threads": "12", "connections": "400"}, 12, "transfer", "606.33", "MB/s", 8),
    ]),
    ("ethtool_stats_delta_6_queues.txt", "ethtool", 45, [
        ("eth0", {}, None, "ch0_arm", "34585", "1/s", 2),
        ("eth0", {}, None, "rx0_xdp_drop", "14334335", "packets/s", 25),
        ("eth0", {}, None, "rx_bytes_phy", "6286927774", "B/s", 37),
        ("eth0", {}, None, "rx_xdp_drop", "86114444", "packets/s", 46),
    ]),
    ("nstat_udp_drop.txt", "nstat", 10, [
        ("kernel", {}, None, "IpInReceives", "3326983", "count", 3),
        ("kernel", {}, None, "IpExtInNoECTPkts", "3327010", "count", 12),
    ]),
    ("mpstat_cpu_load.json", "mpstat", 30, [
        ("cpu all", {}, None, "idle", "95.46", "percent", 14),
        ("cpu 1", {}, None, "soft", "0.09", "percent", 16),
    ]),
    ("perf_stat_locale_comma.txt", "perf-stat", 10, [
        ("CPU(s) 5", {}, None, "cycles", "3803541867", "count", 5),
        ("CPU(s) 5", {}, None, "cache-misses", "956", "count", 8),
        ("CPU(s) 5", {}, None, "l2_rqsts.all_code_rd", "94326", "count", 11),
    ]),
    ("perf_lock_contention_bench.txt", "perf-lock", 12, [
        ("remove_wait_queue+0x14", {"type": "spinlock"}, None, "total wait", "669.31", "us", 8),
        ("try_to_wake_up+0x1f5", {"type": "spinlock"}, None, "contended", "186", "count", 10),
    ]),
    ("perf_lock_contention_by_address.txt", "perf-lock", 24, [
        ("pack_mutex (mutex)", {"address": "ffffffff851c0940"}, None, "avg wait", "5.00", "us", 3),
        ("text_mutex (mutex)", {"address": "ffffffff84a8b3a0"}, None, "total wait", "561", "ns", 8),
    ]),
    ("perf_lock_report.txt", "perf-lock", 12, [
        ("&(&pgdat->lru_lo...", {}, None, "contended", "7", "count", 4),
        ("&(&pgdat->lru_lo...", {}, None, "avg wait", "12728", "ns", 4),
        ("&(ptlock_ptr(pag...", {}, None, "acquired", "22", "count", 2),
    ]),
    ("proc_lock_stat.txt", "lock-stat", 63, [
        ("vmap_area_lock", {}, None, "waittime-total", "11719647.67", "us", 6),
        ("vmap_area_lock", {}, None, "holdtime-avg", "1.19", "us", 6),
        ("vmap_area_lock", {"caller": "alloc_vmap_area+0x1c7/0x910"}, None, "contention point", "1297948", "count", 8),
        ("purge_vmap_area_lock", {}, None, "acquisitions", "1515078", "count", 34),
    ]),
    ("lock_benchmark_log.txt", "pairs", 12, [
        ("global_pthread_spinlock_test", {}, 12, "total time", "7323.76", "", 1),
        ("global_pthread_spinlock_test", {}, 1, "total time", "22.9491", "", 12),
    ]),
    ("table_boxed_ascii.txt", "posted", 24, [
        ("v5.17+", {}, 1, "throughput", "159960", "", 4),
        ("patched", {}, 55, "throughput", "778913", "", 26),
    ]),
    ("table_grouped_by_second_key.txt", "posted", 20, [
        ("Before", {"Lock": "wlock"}, 1, "throughput", "30659", "", 3),
        ("After", {"Lock": "rlock"}, 16, "throughput", "24607", "", 13),
    ]),
    ("table_k_suffix_and_cpu_percent.txt", "posted", 12, [
        ("measured", {}, 1, "throughput", "185000", "ops/s", 2),
        ("measured", {}, 8, "client-cpu", "800", "percent", 5),
        ("measured", {}, 8, "server-cpu", "659", "percent", 5),
    ]),
    ("table_mpps_suffix_delta.txt", "posted", 10, [
        ("unpatched", {}, 1, "throughput", "2.60", "Mpps", 2),
        ("patched", {}, 16, "throughput", "2.23", "Mpps", 6),
    ]),
    ("table_org_pipe_four_variants.txt", "posted", 24, [
        ("rx1024", {}, 1, "throughput", "8649872", "", 3),
        ("rx128", {}, 6, "throughput", "43376903", "", 8),
    ]),
    ("table_stdev_in_parentheses.txt", "posted", 20, [
        ("stock", {}, 1, "throughput", "1.605", "", 2),
        ("CNA", {}, 142, "throughput", "3.894", "", 11),
    ]),
    ("table_two_level_header_thousands_commas.txt", "posted", 20, [
        ("Before Patch, wlock", {}, 1, "throughput", "30659", "", 4),
        ("Before Patch, rlock", {}, 16, "throughput", "25240", "", 8),
        ("After Patch, wlock", {}, 2, "throughput", "9884", "", 5),
        ("After Patch, rlock", {}, 16, "throughput", "24607", "", 8),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "format", "size", "values"), EXPECTED, ids=[item[0] for item in EXPECTED])
def test_a_sample_reads_to_the_values_copied_by_hand(name, format, size, values):
    reading = read(SAMPLES / name)

    assert reading.formats[0][1] == format
    assert len(reading.rows) == size
    found = {(row.variant, row.labels, row.n, row.metric, row.printed, row.unit, row.line) for row in reading.rows}
    for variant, labels, n, metric, printed, unit, line in values:
        assert (variant, tuple(labels.items()), n, metric, printed, unit, line) in found


@pytest.mark.parametrize("name", [item[0] for item in EXPECTED])
def test_every_printed_value_stands_on_its_line(name):
    """No value is computed; separators and suffixes apart, its digits stand where the row says."""
    lines = (SAMPLES / name).read_text(encoding="utf-8").splitlines()

    for row in read(SAMPLES / name).rows:
        digits = row.printed.lstrip("-")
        bare = lines[row.line - 1].replace(",", "").replace(".", "")
        assert digits.replace(".", "").rstrip("0") in bare, (row, lines[row.line - 1])


def test_a_format_without_numbers_is_no_measurement():
    with pytest.raises(DataError, match=r"line 1: found .*: expected the summary of trafgen with numbers, such as"):
        read(SAMPLES / "trafgen_summary_format.txt")


def test_every_sample_is_named_here():
    named = {item[0] for item in EXPECTED} | {"trafgen_summary_format.txt"}

    assert {path.name for path in SAMPLES.iterdir() if not path.name.startswith("seed_")} == named


def test_spreads_are_kept_in_the_unit_of_the_value():
    rows = {(row.metric, row.n): row for row in read(SAMPLES / "bpf_bench_ringbuf.txt").rows}
    assert rows["throughput", 2.0].stdev == 0.010

    rows = {row.metric: row for row in read(SAMPLES / "perf_stat_locale_comma.txt").rows}
    assert rows["cache-misses"].stdev == pytest.approx(956 * 0.6812)

    rows = {(row.variant, row.n): row for row in read(SAMPLES / "table_stdev_in_parentheses.txt").rows}
    assert (rows["stock", 142.0].stdev, rows["CNA", 1.0].stdev) == (0.124, 0.005)


def test_printed_changes_agree_and_are_no_rows():
    for name, size in (
        ("table_boxed_ascii.txt", 12),
        ("table_mpps_suffix_delta.txt", 5),
        ("table_stdev_in_parentheses.txt", 10),
    ):
        checks = read(SAMPLES / name).checks
        assert len(checks) == size and all(check.agrees for check in checks)


def test_locks_of_profiles_are_in_ns():
    locks = {lock.name: lock for lock in read(SAMPLES / "proc_lock_stat.txt").locks}
    lock = locks["vmap_area_lock"]
    assert (lock.contended, lock.acquired) == (2554276, 3005712)
    assert lock.wait_total_ns == pytest.approx(11719647.67e3) and lock.hold_total_ns == pytest.approx(3573323.37e3)

    locks = {lock.name: lock for lock in read(SAMPLES / "perf_lock_contention_by_address.txt").locks}
    assert locks["text_mutex (mutex)"].wait_total_ns == 561.0
    assert locks["pack_mutex (mutex)"].wait_total_ns == pytest.approx(14990.0)

    locks = {lock.name: lock for lock in read(SAMPLES / "perf_lock_report.txt").locks}
    assert (locks["&(&pgdat->lru_lo..."].acquired, locks["&(&pgdat->lru_lo..."].wait_total_ns) == (9, 89096)


def test_every_format_says_what_it_reads():
    assert all(len(title) > 10 for title in formats().values()) and len(formats()) > 20
