"""Named priors for what a machine card does not state, and for what separates two machines.

Ranges are 90 % ranges over the rows of the same kind in published tables: clocks from vendor lists (20 parts, 2012 to
2023), line transfers from core-to-core matrices (20 parts), work per cycle from operations timed on several hosts
(`mpps validate --transfer` counts how many they hold). The sources are those that the cards in `data/machines/` cite.
"""

from mpps.machine.draws import Assumption

ONE_CORE_CLOCK = Assumption(
    "clock, one core", 3.5, 2.6, 4.7, "GHz", "one-core clocks of listed x86 server and desktop parts are 2.9 to 5.7"
)
BOOST_RATIO = Assumption(
    "one-core clock / base clock", 1.43, 1.15, 2.0, "ratio", "listed parts are 1.2 to 2.0 with median 1.43"
)
ALL_CORE_RATIO = Assumption(
    "all-core clock / one-core clock",
    0.85,
    0.7,
    1.0,
    "ratio",
    "all-core clocks are rarely published; the parts that give one have 0.92 to 1.0, many-core parts fall lower",
)
CLOCK_BEND = Assumption(
    "how early the clock falls with active cores", 1.0, 0.4, 2.5, "exponent", "1 is a straight line; tables have steps"
)
LINE_TRANSFER = {
    "smt_sibling": Assumption("line transfer, SMT sibling", 8.5, 4.3, 10.5, "ns", "listed x86 parts: 4.3 to 10.3"),
    "same_cluster": Assumption("line transfer, same cluster", 38.0, 16.0, 55.0, "ns", "listed x86 parts: 16 to 55"),
    "other_cluster": Assumption("line transfer, other cluster", 100.0, 73.0, 132.0, "ns", "listed parts: 73 to 132"),
    "other_socket": Assumption("line transfer, other socket", 130.0, 108.0, 304.0, "ns", "listed parts: 108 to 304"),
}
SOCKETS = Assumption("sockets", 1, 1, 2, "sockets", "one or two sockets, equally likely")
CORES = Assumption("cores per socket", 16, 4, 28, "cores", "any count of the range is equally likely")
THREADS = Assumption("threads per core", 1, 1, 2, "threads", "with or without SMT, equally likely")
OTHER_HOME = Assumption(
    "line transfer, other cluster, line homed on another socket",
    200.0,
    185.0,
    280.0,
    "ns",
    "two-socket AMD parts: 195 to 280 where two clusters of one socket take 103 to 132 with the line at home",
)
FIRST_SOCKET_IS_HOME = Assumption(
    "the lines in question are homed on the first socket",
    0.5,
    0.0,
    1.0,
    "probability",
    "where the memory of the lines lies is not known: each socket is equally likely",
)
OTHER_DESIGN = Assumption(
    "work per cycle",
    1.0,
    0.5,
    2.0,
    "ratio",
    "different microarchitectures without a common benchmark of this path; kernel operations timed on several hosts"
    " differ so much at equal clock",
)
UNKNOWN_DESIGN = Assumption(
    "work per cycle",
    1.0,
    0.4,
    2.5,
    "ratio",
    "different microarchitectures, one of them or its clock not stated; wider than between two that are",
)
RETURN_THUNKS_ON = Assumption(
    "return thunks against SRSO are on",
    0.5,
    0.0,
    1.0,
    "probability",
    "Zen parts have them by default in kernels since August 2023 unless switched off; the state is not stated",
)
RETURN_THUNKS = Assumption(
    "what return thunks multiply core work by",
    1.8,
    1.1,
    3.8,
    "ratio",
    "EPYC 9684X: 2.4 to 4.2 for operations that call functions, 1 for atomics and interrupt flags; a path mixes both"
    " (xdp-project, commit 539c25f)",
)
IN_ORDER = Assumption(
    "work per cycle of an in-order core, relative to an out-of-order one",
    0.12,
    0.06,
    0.3,
    "ratio",
    "same kernel paths, EspressoBin (Cortex-A53, 1.0 GHz) against Xeon E5-1650 v4 (3.6 GHz): XDP_DROP 1438 against"
    " 28 to 43 ns, iptables raw drop about 4700 against 198 ns (xdp-project, commit 539c25f)",
)
SMT_YIELD = Assumption(
    "throughput of a core with two busy threads, relative to one",
    1.25,
    1.15,
    1.35,
    "ratio",
    "SMT yield of packet work; nearer to 1 the more of a sender's time is spinning on a lock",
)
OPERATION = Assumption(
    "departure from the average work of a core",
    1.0,
    0.4,
    2.5,
    "ratio",
    "work of up to 30 ns, such as a lock pair, moves to another part less evenly than a whole packet does; the range of"
    " longer work shrinks with the root of its length (operations timed on ten hosts, mpps validate --transfer)",
)
#: Time in ns up to which one operation departs by the whole range of `OPERATION`.
OPERATION_NS = 30.0
MEMORY_TIME = Assumption(
    "memory and fabric time, relative",
    1.0,
    0.6,
    1.7,
    "ratio",
    "caches and memory of another part are slower or faster: L3 and DRAM latencies of listed servers differ so much",
)
MEMORY_SHARE = Assumption(
    "share of private work that does not follow the core clock",
    0.30,
    0.05,
    0.55,
    "fraction",
    "memory and fabric time; two clock settings or stall counters would measure it",
)
