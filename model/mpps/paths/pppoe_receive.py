"""PPPoE receive: a socket lock around a nested PPP receive lock, with and without GRO in front of them."""

from mpps.path import STATION, CodePath, Mechanism, Parameter, Prior, Scope, Stage, Variant

_LOCKS = ("ppp receive lock", "socket lock")

PARAMETERS = (
    Parameter("private_ns", "ns", 300.0, 1200.0, "private work of one packet, sender alone, synchronous TAP"),
    Parameter("shared_line_ns", "ns", 1.0, 500.0, "lines last written by another core: full effect with many senders"),
    Parameter("slowdown_ns", "ns", 0.1, 60.0, "turbo and fabric: each further sender slows all", "core"),
    Parameter("lock_pair_ns", "ns", 0.3, 60.0, "an uncontended lock and unlock"),
    Parameter("section_ns", "ns", 15.0, 300.0, "receive body under a lock, its data lines included, before any queue", "section"),
    Parameter("lock_line_ns", "ns", 0.5, 150.0, "fetching a lock's line that another core wrote", "line"),
    Parameter("napi_alone_ns", "ns", 500.0, 1500.0, "private work, threaded NAPI, sender and NAPI thread on one CPU"),
    Parameter("napi_private_ns", "ns", 600.0, 2000.0, "private work, threaded NAPI, two senders"),
    Parameter("napi_slowdown_ns", "ns", 1.0, 100.0, "threaded NAPI: each sender beyond two slows all"),
    Parameter(
        "after_gro_ns", "ns", 20.0, 1200.0, "work after GRO, once per skb", "core",
        Prior(300.0, 120.0, 750.0, "assumed share of the NAPI cycle that runs once per skb; the table fixes only its difference to the cost of GRO"),
    ),
    Parameter(
        "gro_ns", "ns", 5.0, 200.0, "GRO lookup and merge, once per packet", "core",
        Prior(30.0, 15.0, 60.0, "26 to 33 ns for GRO that finds nothing to merge: xdp-project areas/core, commit 539c25f (machines.md section 5)"),
    ),
    Parameter(
        "coalescing", "packets/skb", 1.0, 64.0, "input packets per PPP receive skb with GRO on", "none",
        Prior(4.11, 3.33, 5.07, "3.33 to 5.07 across measured samples (the source); throughput does not identify it"),
    ),
    *(
        Parameter(
            f"gro_departure_{n}", "ratio", 0.4, 2.5, f"how the GRO-on runs with {n} senders depart from the smooth cycle", "none",
            Prior(1.0, 0.82, 1.22, "GRO saved 57, 255, 103, 62 and 222 ns at 1 to 16 senders: no smooth law, so each count has its own departure"),
        )
        for n in (1, 2, 4, 8, 16)
    ),
)

_SYNC = "private_ns + shared_line_ns*(1 - 1/n) + slowdown_ns*(n - 1)"
_NAPI = "napi_alone_ns*(1 - shared) + (napi_private_ns + napi_slowdown_ns*(n - 2))*shared"
_LOCK = "(lock_line_ns*shared + lock_pair_ns*(1 - shared))"
_DEPARTURE = "*".join(f"gro_departure_{n}**at(n, {n})" for n in (1, 2, 4, 8, 16))

STAGES = (
    Stage("private work", f"{_SYNC} - section_ns", "TAP write, skb, PPPoE and PPP receive outside the section"),
    Stage("private work, NAPI", f"{_NAPI} - section_ns", "as above with a NAPI thread on the same CPUs"),
    Stage("before GRO", f"({_NAPI} - after_gro_ns)*{_DEPARTURE}", "TAP write, skb and NAPI poll, once per packet"),
    Stage("GRO", "gro_ns", "lookup and merge, once per packet"),
    Stage("after GRO", f"after_gro_ns*{_DEPARTURE} - section_ns", "protocol receive outside the section", per="skb"),
    Stage("receive body", "section_ns", "header pull, statistics, time stamp, backlog enqueue", per="skb", inside=_LOCKS),
    Stage("ppp receive lock", _LOCK, "the inner lock, around generic PPP receive", on=STATION, per="skb"),
    Stage("socket lock", f"2*{_LOCK}", "the outer lock and the receive helper of the socket", on=STATION, per="skb"),
)

_COMMON = ("receive body",)
_LOCKED = {
    "both locks": _LOCKS,
    "ppp lock only": ("ppp receive lock",),
    "socket lock only": ("socket lock",),
    "no lock": (),
}
_GRO_OFF = ("private work, NAPI", *_COMMON)
_GRO_ON = ("before GRO", "GRO", "after GRO", *_COMMON)

VARIANTS = (
    *(Variant(name, ("private work", *_COMMON, *locks), "pppoe_receive_sync", name) for name, locks in _LOCKED.items()),
    *(
        Variant(f"{name}, GRO off", (*_GRO_OFF, *locks), "pppoe_receive_napi", name, (("gro", "off"),))
        for name, locks in _LOCKED.items()
    ),
    *(
        Variant(f"{name}, GRO on", (*_GRO_ON, *locks), "pppoe_receive_napi", name, (("gro", "on"),), packets_per_lap="coalescing")
        for name, locks in _LOCKED.items()
    ),
)

#: Low variance and the moment at which depth is read are choices that the table cannot make, so they compete.
_READINGS = (("start", 0.1), ("start", 0.3), ("start", 0.5), ("current", 0.1), ("current", 0.3), ("current", 0.5), ("exponential", 1.0))

MECHANISMS = (
    *(
        Mechanism(
            f"hump{' relative' if relative else ''}, {reading}" + ("" if reading == "exponential" else f" {variation:g}"),
            "hand-off peaks at a medium depth and a deep queue hides it"
            + (", in proportion to the section" if relative else ""),
            "hump", relative, reading, variation,
        )
        for relative in (False, True)
        for reading, variation in _READINGS
    ),
    *(
        Mechanism(f"{form}, start 0.3", words, form, False, "start", 0.3)
        for form, words in (
            ("saturating", "hand-off grows with depth and stays"),
            ("step", "hand-off sets in at one depth"),
            ("ticket", "each waiter adds to every hand-off"),
            ("constant", "one section, whatever the depth"),
        )
    ),
    Mechanism("topology, start 0.3", "hand-off between modules of four cores costs more", "topology", False, "start", 0.3, domain=4),
)

_SYNC_NAMES = tuple(v.name for v in VARIANTS if v.dataset == "pppoe_receive_sync")
_OFF_NAMES = tuple(v.name for v in VARIANTS if v.name.endswith("GRO off"))
_ON_NAMES = tuple(v.name for v in VARIANTS if v.name.endswith("GRO on"))

PATH = CodePath(
    slug="pppoe_receive",
    title="PPPoE receive",
    question="Why are eight senders slower than four, and what does removing either lock give?",
    machine="pppoe_e_core_guest",
    parameters=PARAMETERS,
    stages=STAGES,
    variants=VARIANTS,
    mechanisms=MECHANISMS,
    scopes=(
        Scope("synchronous", _SYNC_NAMES, "the synchronous table alone, 20 points"),
        Scope("GRO off", (*_SYNC_NAMES, *_OFF_NAMES), "both tables with GRO off, 40 points"),
        Scope("all", (*_SYNC_NAMES, *_OFF_NAMES, *_ON_NAMES), "both tables, GRO off and on, 60 points"),
    ),
    station="receive lock",
    scatter={"pppoe_receive_sync": 0.01, "pppoe_receive_napi": 0.02},
    packet_bytes=1492,
    assumptions=(
        "The socket lock covers every visit to the PPP lock, so both are one serial station (one session).",
        "The socket lock adds twice what the PPP lock adds: the two steps of the saturated period are nearly equal, a coincidence of this table.",
        "The packet size of the threaded NAPI table is not stated; 1492 bytes are assumed.",
        "Where the guest's CPUs lie on the host is not stated.",
    ),
)
