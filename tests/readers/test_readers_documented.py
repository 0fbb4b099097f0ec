"""Outputs written down from the documentation and the source of each tool, beyond the samples that people posted."""

import pytest

from mpps.readers import read


@pytest.fixture
def run(tmp_path):
    def read_text(content, **choices):
        path = tmp_path / "run.txt"
        path.write_text(content, encoding="utf-8")
        return read(path, **choices)

    return read_text


def points(reading, *metrics):
    return [
        (row.variant, row.n, row.metric, row.printed, row.unit)
        for row in reading.rows
        if not metrics or row.metric in metrics
    ]


def test_trafgen_draws_its_lines_over_each_other(run):
    reading = run(
        "\r     1000000 packets outgoing\n\r    64000000 bytes outgoing\n"
        "\r           1 sec, 500000 usec on CPU0 (600000 packets)\n\r           2 sec, 0 usec on CPU1 (400000 "
        "packets)\n"
    )

    assert reading.formats[0][1] == "trafgen"
    assert points(reading, "packets", "throughput") == [
        ("measured", None, "packets", "1000000", "packets"),
        ("measured", 2, "throughput", "500000", "packets/s"),
    ]
    assert any("1,000,000 packets in 2 s on 2 CPUs" in text for text in reading.understood)


def test_uprobe_benchmarks_count_in_parentheses(run):
    reading = run(
        "uprobe-nop      ( 1 cpus):    3.022 ± 0.004M/s  (  3.022M/s/cpu)\n"
        "uprobe-nop      ( 2 cpus):    5.702 ± 0.012M/s  (  2.851M/s/cpu)\n"
        "uretprobe-nop   ( 2 cpus):    3.413 ± 0.006M/s  (  1.707M/s/cpu)\n"
    )

    assert reading.formats[0][1] == "bpf-bench"
    assert points(reading, "throughput") == [
        ("uprobe-nop", 1, "throughput", "3.022", "M/s"),
        ("uprobe-nop", 2, "throughput", "5.702", "M/s"),
        ("uretprobe-nop", 2, "throughput", "3.413", "M/s"),
    ]
    assert points(reading, "throughput per cpu")[1] == ("uprobe-nop", 2, "throughput per cpu", "2.851", "M/s")


def test_the_raw_summary_of_a_bpf_benchmark(run):
    reading = run(
        "Setting up benchmark 'trig-base'...\nBenchmark 'trig-base' started.\n"
        "Iter   0 (-65.106us): hits  114.311M/s (114.311M/prod), drops    0.000M/s, total operations  114.311M/s\n"
        "Summary: hits  113.900 ±  0.402M/s (113.900M/prod), drops    0.000 ±  0.000M/s, total operations  113.900 "
        "±  0.402M/s\n"
    )

    assert points(reading, "throughput", "drops") == [
        ("measured", None, "throughput", "113.900", "M/s"),
        ("measured", None, "drops", "0.000", "M/s"),
    ]


def test_a_bpf_benchmark_in_a_quoted_printable_reply(run):
    rule = "=3D" * 24 + "=\n" + "=3D" * 10
    block = f"> {{}}:\n>\n> Ringbuf, multi-producer contention\n> {rule}\n> rb-libbpf nr_prod 1  {{}} =C2=B1 0.019M/s (drops 0.000 =C2=B1 0.000M/s)\n>\n"

    reading = run(block.format("Before (raw_spinlock_t)", "11.440") + block.format("After (rqspinlock_t)", "11.078"))

    assert points(reading, "throughput") == [
        ("Before (raw_spinlock_t), rb-libbpf", 1, "throughput", "11.440", "M/s"),
        ("After (rqspinlock_t), rb-libbpf", 1, "throughput", "11.078", "M/s"),
    ]
    assert {row.dataset for row in reading.rows} == {"Ringbuf, multi-producer contention"}


def test_a_concurrent_run_of_time_bench(run):
    reading = run(
        "Type:tasklet_atomic CPU(0) 20 cycles(tsc) 5.123 ns (step:8)\nType:tasklet_atomic CPU(1) 22 cycles(tsc) "
        "5.623 ns (step:8)\n"
        "Sum Type:tasklet_atomic Average: 21 cycles(tsc) CPUs:2 step:8\n"
    )

    assert points(reading, "cycles") == [("tasklet_atomic", 2, "cycles", "21", "cycles/element")]
    assert [row.printed for row in reading.rows if row.metric == "time per cpu"] == ["5.123", "5.623"]


IPERF3 = """Connecting to host 192.0.2.20, port 5201
[  5] local 192.0.2.10 port 49620 connected to 192.0.2.20 port 5201
[  7] local 192.0.2.10 port 49622 connected to 192.0.2.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   560 MBytes  4.70 Gbits/sec    0   1.05 MBytes
[  7]   0.00-1.00   sec   561 MBytes  4.71 Gbits/sec    0   1.10 MBytes
[SUM]   0.00-1.00   sec  1.09 GBytes  9.41 Gbits/sec    0
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  5.48 GBytes  4.70 Gbits/sec    3             sender
[  5]   0.00-10.00  sec  5.47 GBytes  4.70 Gbits/sec                  receiver
[  7]   0.00-10.00  sec  5.48 GBytes  4.71 Gbits/sec    0             sender
[  7]   0.00-10.00  sec  5.47 GBytes  4.70 Gbits/sec                  receiver
[SUM]   0.00-10.00  sec  11.0 GBytes  9.41 Gbits/sec    3             sender
[SUM]   0.00-10.00  sec  10.9 GBytes  9.40 Gbits/sec                  receiver
"""


def test_iperf3_in_text(run):
    reading = run(IPERF3)

    assert points(reading, "throughput", "retransmits", "throughput of an interval") == [
        ("interval", 2, "throughput of an interval", "9.41", "Gbit/s"),
        ("sent", 2, "throughput", "9.41", "Gbit/s"),
        ("sent", 2, "retransmits", "3", "count"),
        ("received", 2, "throughput", "9.40", "Gbit/s"),
    ]
    assert [row.printed for row in reading.rows if row.metric == "throughput per stream"] == [
        "4.70",
        "4.70",
        "4.71",
        "4.70",
    ]


def test_iperf3_over_udp(run):
    reading = run(
        '{"start": {"test_start": {"num_streams": 4}}, "intervals": [],\n "end": {"sum": {"bits_per_second": 1048576.5,\n'
        '"jitter_ms": 0.012, "lost_percent": 1.5, "packets": 900}}}\n'
    )

    assert points(reading) == [
        ("sum", 4, "throughput", "1048576.5", "bit/s"),
        ("sum", 4, "jitter", "0.012", "ms"),
        ("sum", 4, "packets", "900", "packets"),
        ("sum", 4, "loss", "1.5", "percent"),
    ]


NETPERF_STREAM = """MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 198.51.100.1 () port 0 AF_INET
Recv   Send    Send
Socket Socket  Message  Elapsed
Size   Size    Size     Time     Throughput
bytes  bytes   bytes    secs.    10^6bits/sec

131072  16384  16384    10.00    9412.18
"""

NETPERF_RR = """MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 198.51.100.1 () port 0 AF_INET : first burst 0
Local /Remote
Socket Size   Request  Resp.   Elapsed  Trans.
Send   Recv   Size     Size    Time     Rate
bytes  Bytes  bytes    bytes   secs.    per sec

16384  131072 1        1       10.00    34025.17
16384  131072
"""

NETPERF_UDP = """UDP UNIDIRECTIONAL SEND TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 198.51.100.1 () port 0 AF_INET
Socket  Message  Elapsed      Messages
Size    Size     Time         Okay Errors   Throughput
bytes   bytes    secs            #      #   10^6bits/sec

212992   65507   10.00       18345      0     961.20
212992           10.00       18344            961.15
"""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (NETPERF_STREAM, [("9412.18", "Mbit/s")]),
        (NETPERF_RR, [("34025.17", "transactions/s")]),
        (NETPERF_UDP, [("961.20", "Mbit/s"), ("961.15", "Mbit/s")]),
        ("THROUGHPUT=34025.17\nTHROUGHPUT_UNITS=Trans/s\n", [("34025.17", "transactions/s")]),
    ],
)
def test_tables_of_netperf(run, content, expected):
    reading = run(content)

    assert reading.formats[0][1] == "netperf"
    assert [(row.printed, row.unit) for row in reading.rows if row.metric == "throughput"] == expected


def test_neper_streams_name_their_unit(run):
    reading = run("num_flows=8\nnum_threads=4\nutime_start=0.1\nthroughput=9411.53\nthroughput_units=Mbit/s\n")

    assert points(reading, "throughput") == [("neper", 8, "throughput", "9411.53", "Mbit/s")]


def test_several_runs_of_wrk_are_a_curve(run):
    block = "Running 10s test @ http://192.0.2.1/\n  {0} threads and {0}0 connections\nRequests/sec: {1}.25\n"

    (series,) = run("".join(block.format(n, 1000 * n) for n in (1, 2, 4))).series()

    assert list(series.n) == [1, 2, 4] and list(series.value) == [1000.25, 2000.25, 4000.25]


def test_outputs_under_before_and_after_are_variants(run):
    block = "{}:\n\n  4 threads and 64 connections\nRequests/sec: {}.5\n\n"

    assert points(run(block.format("Before", 7000) + block.format("After", 9000))) == [
        ("Before, wrk", 4, "throughput", "7000.5", "requests/s"),
        ("After, wrk", 4, "throughput", "9000.5", "requests/s"),
    ]


def test_ethtool_counters_and_the_newer_changes(run):
    counters = run("NIC statistics:\n     rx_packets: 12345\n     rx_bytes: 987654\n     rx_queue_0_packets: 5\n")
    changes = run(
        "Ethtool(ice4    ) stat:     17,186,036 <= tx_size_64.nic /sec\nEthtool(ice4    ) stat:     17,185,670 <= "
        "tx_packets /sec\n"
    )

    assert points(counters) == [
        ("ethtool", None, "rx_packets", "12345", "count"),
        ("ethtool", None, "rx_bytes", "987654", "bytes"),
        ("ethtool", None, "rx_queue_0_packets", "5", "count"),
    ]
    assert points(changes, "tx_packets") == [("ice4", None, "tx_packets", "17185670", "packets/s")]


def test_nstat_as_json(run):
    assert points(run('{"kernel":{"IpInReceives":3326983,\n"UdpNoPorts":12}}\n')) == [
        ("kernel", None, "IpInReceives", "3326983", "count"),
        ("kernel", None, "UdpNoPorts", "12", "count"),
    ]


def test_mpstat_in_a_locale_with_decimal_commas(run):
    reading = run(
        "Linux 6.1.0 (host-a)  28.03.2019  _x86_64_  (2 CPU)\n\n"
        "21:36:09     CPU    %usr   %nice    %sys   %idle\n21:36:10     all    2,54    0,00    1,65   95,81\n"
        "21:36:10       0    2,49    0,00    1,65   95,86\n\nDurchschn.:  CPU    %usr   %nice    %sys   "
        "%idle\nDurchschn.:  all    2,50    0,00    1,60   95,90\n"
    )

    assert points(reading, "idle") == [
        ("cpu all", None, "idle", "95.81", "percent"),
        ("cpu 0", None, "idle", "95.86", "percent"),
        ("cpu all", None, "idle", "95.90", "percent"),
    ]
    assert [row.labels for row in reading.rows if row.metric == "idle"] == [(), (), (("of", "average"),)]


def test_perf_stat_in_english_with_times_and_gaps(run):
    reading = run(
        " Performance counter stats for 'sleep 1' (3 runs):\n\n"
        "          1,234.56 msec task-clock                       #    0.998 CPUs utilized            ( +-  0.50% )\n"
        "     4,803,541,867      cycles                           #    3.891 GHz                      ( +-  0.01% "
        ")  (83.33%)\n"
        "   <not supported>      stalled-cycles-frontend\n"
        "            1.2370 +- 0.0021 seconds time elapsed  ( +-  0.17% )\n"
    )

    assert points(reading) == [
        ("sleep 1", None, "task-clock", "1234.56", "ms"),
        ("sleep 1", None, "cycles", "4803541867", "count"),
        ("sleep 1", None, "time elapsed", "1.2370", "s"),
    ]
    assert [item.why for item in reading.ignored] == ["not supported"]
    assert [row.stdev for row in reading.rows] == pytest.approx([6.1728, 480354.1867, 0.0021029])


def test_perf_stat_for_programs(run):
    csv = run("3803541867,,cycles,1000123,100.00,,\n7181656680,,instructions,1000123,100.00,1.89,insn per cycle\n")
    json = run(
        '{"counter-value" : "3803541867.000000", "unit" : "", "event" : "cycles"}\n{"counter-value" : "12.5", "unit" : "msec", "event" : "task-clock"}\n'
    )

    assert points(csv) == [
        ("perf stat", None, "cycles", "3803541867", "count"),
        ("perf stat", None, "instructions", "7181656680", "count"),
    ]
    assert points(json) == [
        ("perf stat", None, "cycles", "3803541867.000000", "count"),
        ("perf stat", None, "task-clock", "12.5", "ms"),
    ]


LOCKS = """ contended   total wait     max wait     avg wait            address   symbol

        15      2.57 ms    187.89 us    171.09 us   ffffa64fdb3f11b8    (mutex)
         9     66.01 us     10.37 us      7.33 us   ffffa105becb45c0   mmap_lock (rwsem)

 contended   total wait     max wait     avg wait          pid   comm

         1    199.45 us    199.45 us    199.45 us      1091507   kworker/2:0

 contended   total wait     max wait     avg wait   cgroup

       214      9.24 ms    338.39 us     43.18 us   /sys

 contended   total wait     max wait     avg wait         type   caller

     39412      1.58 s     123.50 us     40.15 us     rwlock:W   ep_done_scan+0x2d
                        0xffffffff9d0407c0  _raw_spin_lock+0x30

=== output for debug ===

bad: 0, total: 14
"""


def test_all_views_of_perf_lock_contention(run):
    reading = run(LOCKS)

    assert [(lock.name, lock.contended, lock.kind) for lock in reading.locks] == [
        ("ffffa64fdb3f11b8 (mutex)", 15, "mutex"),
        ("mmap_lock (rwsem)", 9, "rwsem"),
        ("kworker/2:0", 1, ""),
        ("/sys", 214, ""),
        ("ep_done_scan+0x2d", 39412, "rwlock:W"),
    ]
    assert [lock.wait_total_ns for lock in reading.locks] == pytest.approx([2.57e6, 66010, 199450, 9.24e6, 1.58e9])


def test_perf_lock_contention_for_programs(run):
    reading = run(
        "# output: contended, total wait, max wait, avg wait, type, caller\n12, 66933, 10717, 6085, spinlock, "
        "remove_wait_queue+0x14\n"
    )

    (lock,) = reading.locks
    assert (lock.name, lock.contended, lock.wait_total_ns, lock.kind) == (
        "remove_wait_queue+0x14",
        12,
        66933,
        "spinlock",
    )


def test_perf_lock_report_with_units(run):
    reading = run(
        "                Name   acquired  contended     avg wait   total wait     max wait     min wait \n\n"
        "           rcu_state         12          3      1.18 us      3.54 us      2.00 us       500 ns\n"
    )

    (lock,) = reading.locks
    assert (lock.name, lock.acquired, lock.contended) == ("rcu_state", 12, 3)
    assert (lock.wait_total_ns, lock.wait_max_ns) == pytest.approx((3540, 2000))


def test_lock_stat_without_averages(run):
    reading = run(
        "lock_stat version 0.3\n"
        "class name    con-bounces    contentions   waittime-min   waittime-max waittime-total    acq-bounces   "
        "acquisitions   holdtime-min   holdtime-max holdtime-total\n"
        "&mm->mmap_sem-W:            46             84           0.26         939.10       16371.53          47291 "
        "       2922365           0.16     2220301.69 17464026916.32\n"
        "               ---------------\n"
        "               &mm->mmap_sem              1          [<ffffffff811502a7>] khugepaged_scan_mm_slot+0x57/0x280\n"
    )

    (lock,) = reading.locks
    assert (lock.name, lock.contended, lock.acquired) == ("&mm->mmap_sem-W", 84, 2922365)
    assert (lock.wait_total_ns, lock.hold_total_ns) == pytest.approx((16371530, 17464026916320))


def test_a_profile_of_perf_report(run):
    reading = run(
        "# Samples: 12K of event 'cycles'\n# Overhead  Command   Shared Object      Symbol\n# ........  .......\n#\n"
        "    12.34%  iperf3    [kernel.kallsyms]  [k] copy_user_generic\n     5.01%  iperf3    libc.so.6          "
        "[.] memcpy\n"
    )

    assert points(reading) == [
        ("copy_user_generic", None, "share", "12.34", "percent"),
        ("memcpy", None, "share", "5.01", "percent"),
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("@usecs: \n[0]                   5 |@@@@                |\n[2, 4)               30 |@@@@@@@@@@@@@@@@@@@@|\n[1K, 2K)              1 |                    |\n",
         [("usecs", "0", "0", "5"), ("usecs", "2", "4", "30"), ("usecs", "1K", "2K", "1")]),
        ("     usecs               : count     distribution\n         0 -> 1          : 12       |********            |\n         2 -> 3          : 30       |********************|\n",
         [("usecs", "0", "1", "12"), ("usecs", "2", "3", "30")]),
    ],
)  # fmt: skip
def test_histograms(run, content, expected):
    reading = run(content)

    assert reading.formats[0][1] == "histogram"
    assert [
        (row.variant, dict(row.labels)["from"], dict(row.labels)["to"], row.printed) for row in reading.rows
    ] == expected


def test_xdp_bench(run):
    reading = run(
        "xdp-bench drop eth0\nDropping packets on interface eth0 (ifindex 5; driver ice)\n"
        "Summary                   684,781 rx/s                  0 err/s\nSummary                   675,746 rx/s   "
        "               0 err/s\n"
        "eth1->?                 9,427,705 rx/s                  0 err,drop/s\n  receive total         9,427,705 "
        "pkt/s                 0 drop/s                0 error/s\n"
        "    cpu:17              9,427,705 pkt/s                 0 drop/s                0 error/s\n"
    )

    assert [(row.labels[0][1], row.printed, row.repeat) for row in reading.rows if row.metric == "throughput"] == [
        ("Summary", "684781", None),
        ("Summary", "675746", 2),
        ("eth1->?", "9427705", None),
    ]


def test_xdp_redirect_cpu(run):
    reading = run(
        "Running XDP/eBPF prog_num:5\nXDP-cpumap      CPU:to  pps            drop-pps    extra-info\n"
        "XDP-RX          0       2,733,302      0           0          \nXDP-RX          1       1,000,000      0  "
        "         0          \n"
        "XDP-RX          total   3,733,302      0          \n"
    )

    total = [row for row in reading.rows if row.metric == "throughput"]
    assert [(row.n, row.printed, row.unit) for row in total] == [(2, "3733302", "packets/s")]


def test_sar_names_its_interfaces(run):
    reading = run(
        "12:00:01 AM     IFACE   rxpck/s   txpck/s    rxkB/s   %ifutil\n12:00:02 AM      eth0 1200345.00   12.00  "
        "76543.12      5.10\n"
        "Average:         eth0 1250345.00   12.50  81543.12      5.60\n"
    )

    assert reading.formats[0][1] == "columns"
    assert points(reading, "rxpck/s", "%ifutil")[:2] == [
        ("eth0", None, "rxpck/s", "1200345.00", "rxpck/s"),
        ("eth0", None, "%ifutil", "5.10", "percent"),
    ]


def test_a_summary_of_wrk_that_somebody_put_into_a_table(run):
    reading = run("| Metric | Value |\n| --- | --- |\n| Requests/sec | 31,542.32 |\n| Avg Latency | 18.61ms |\n")

    assert points(reading) == [
        ("measured", None, "throughput", "31542.32", "requests/s"),
        ("measured", None, "Avg Latency", "18.61", "ms"),
    ]


def test_neper_prints_its_options_first(run):
    reading = run(
        "test_length=10\nnum_threads=4\nnum_flows=8\ntotal_run_time=10\nutime_start=0.2\nthroughput=9411.53\nthroug"
        "hput_units=Mbit/s\nlocal_throughput=9411530000\n"
    )

    assert points(reading) == [
        ("neper", 8, "utime_start", "0.2", "s"),
        ("neper", 8, "throughput", "9411.53", "Mbit/s"),
        ("neper", 8, "local_throughput", "9411530000", "bit/s"),
    ]


def test_a_benchmark_with_throughput_and_latency(run):
    reading = run(
        "Hashmap Control\n===============\nnum keys: 10\nhashmap sequential  get:  hits throughput: 20.900 ± 0.334 M ops/s, hits latency: 47.847 ns/op, important_hits throughput: 20.900 ± 0.334 M ops/s\n"
    )

    assert [(row.dataset, row.metric, row.printed, row.unit) for row in reading.rows] == [
        ("Hashmap Control", "throughput", "20.900", "Mops/s"),
        ("Hashmap Control", "important_hits", "20.900", "Mops/s"),
        ("Hashmap Control", "time", "47.847", "ns/op"),
    ]


def test_named_values_with_a_unit_in_brackets(run):
    reading = run(
        "# Running 'sched/messaging' benchmark:\n\n     Total time: 0.167 [sec]\n     Total usage: 12.5 [us]\n"
    )

    assert [(row.metric, row.printed, row.unit) for row in reading.rows] == [
        ("Total time", "0.167", "s"),
        ("Total usage", "12.5", "us"),
    ]


def test_a_report_of_the_kernel_test_robot(run):
    reading = run(
        "commit:\n  aaaa (\"base\")\n  bbbb (\"patch\")\n\n0123456789abcdef 89abcdef0123456789abcdef012\n"
        "---------------- ---------------------------\n         %stddev     %change         %stddev\n             \\          |                \\\n"
        "   2345678 ±  2%     +12.3%    2634567        will-it-scale.104.threads\n"
        "     22554 ±  2%     +12.3%      25332 ±  1%  will-it-scale.per_thread_ops\n"
        "      0.10 ± 12%      +0.0        0.14 ±  9%  mpstat.cpu.all.soft%\n"
    )  # fmt: skip

    assert points(reading)[:4] == [
        ("0123456789ab", 104, "will-it-scale", "2345678", "ops/s"),
        ("89abcdef0123", 104, "will-it-scale", "2634567", "ops/s"),
        ("0123456789ab", None, "will-it-scale.per_thread_ops", "22554", "ops/s"),
        ("89abcdef0123", None, "will-it-scale.per_thread_ops", "25332", "ops/s"),
    ]
    assert [check.agrees for check in reading.checks] == [True, True]
    assert reading.rows[0].stdev == pytest.approx(46913.56)
