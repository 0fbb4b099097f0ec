"""PPPoE receive: a socket lock around a nested PPP receive lock, with and without GRO in front of them."""

from mpps.path import STATION, Check, CodePath, Mechanism, Parameter, Prior, Scope, Stage, Variant

_LOCKS = ("ppp receive lock", "socket lock")

PARAMETERS = (
    Parameter("private_ns", "ns", 300.0, 1200.0, "private work of one packet, sender alone, synchronous TAP"),
    Parameter("shared_line_ns", "ns", 1.0, 500.0, "lines last written by another core, once a second sender runs"),
    Parameter("slowdown_ns", "ns", 0.1, 60.0, "turbo and fabric: each further sender slows all", "core"),
    Parameter(
        "lock_pair_ns",
        "ns",
        0.5,
        60.0,
        "an uncontended lock and unlock",
        "core",
        Prior(
            11.0,
            5.0,
            24.0,
            "spin_lock and unlock 6 to 16 ns on six hosts (xdp-project, commit 539c25f; netoptimizer/prototype-kernel, commit 35b1716; perfbook, commit 4c69e89); E-cores not among them",
        ),
    ),
    Parameter(
        "section_ns",
        "ns",
        10.0,
        400.0,
        "receive body under a lock, its data lines included, before any queue",
        "section",
        Prior(60.0, 25.0, 150.0, "tens of ns of instructions and a line transfer or two of 45 ns (docs/modelling.md)"),
    ),
    Parameter(
        "lock_line_ns",
        "ns",
        0.5,
        250.0,
        "fetching a lock's line that another core wrote",
        "line",
        Prior(
            45.0,
            22.0,
            92.0,
            "44 to 50 ns between two E-cores of a Core i9-12900K (nviennot/core-to-core-latency); the guest's host is not named",
        ),
    ),
    Parameter("napi_alone_ns", "ns", 500.0, 1500.0, "private work, threaded NAPI, sender and NAPI thread on one CPU"),
    Parameter("napi_private_ns", "ns", 600.0, 2000.0, "private work, threaded NAPI, two senders"),
    Parameter("napi_slowdown_ns", "ns", 1.0, 100.0, "threaded NAPI: each sender beyond two slows all"),
    Parameter(
        "after_gro_ns",
        "ns",
        20.0,
        1200.0,
        "work after GRO, once per skb",
        "core",
        Prior(
            300.0,
            120.0,
            750.0,
            "assumed share of the NAPI cycle that runs once per skb; the table fixes only its difference to the cost of GRO",
        ),
    ),
    Parameter(
        "gro_ns",
        "ns",
        5.0,
        200.0,
        "GRO lookup and merge, once per packet",
        "core",
        Prior(
            30.0, 15.0, 60.0, "26 to 33 ns for GRO that finds nothing to merge: xdp-project areas/core, commit 539c25f"
        ),
    ),
    Parameter(
        "coalescing",
        "packets/skb",
        1.0,
        64.0,
        "input packets per PPP receive skb with GRO on",
        "none",
        Prior(4.11, 3.33, 5.07, "3.33 to 5.07 across measured samples (the source); throughput does not identify it"),
    ),
    *(
        Parameter(
            f"gro_departure_{n}",
            "ratio",
            0.4,
            2.5,
            f"how the GRO-on runs with {n} senders depart from the smooth cycle",
            "none",
            Prior(
                1.0,
                0.82,
                1.22,
                "GRO saved 57, 255, 103, 62 and 222 ns at 1 to 16 senders: no smooth law, so each count has its own departure",
            ),
        )
        for n in (1, 2, 4, 8, 16)
    ),
)

_SYNC = "private_ns + shared_line_ns*shared + slowdown_ns*(n - 1)"
_NAPI = "napi_alone_ns*(1 - shared) + (napi_private_ns + napi_slowdown_ns*(n - 2))*shared"
_LOCK = "(lock_line_ns*shared + lock_pair_ns*(1 - shared))"
_DEPARTURE = "*".join(f"gro_departure_{n}**at(n, {n})" for n in (1, 2, 4, 8, 16))

STAGES = (
    Stage("private work", f"{_SYNC} - section_ns", "TAP write, skb, PPPoE and PPP receive outside the section"),
    Stage("private work, NAPI", f"{_NAPI} - section_ns", "as above with a NAPI thread on the same CPUs"),
    Stage("before GRO", f"({_NAPI} - after_gro_ns)*{_DEPARTURE}", "TAP write, skb and NAPI poll, once per packet"),
    Stage("GRO", "gro_ns", "lookup and merge, once per packet"),
    Stage("after GRO", f"after_gro_ns*{_DEPARTURE} - section_ns", "protocol receive outside the section", per="skb"),
    Stage(
        "receive body", "section_ns", "header pull, statistics, time stamp, backlog enqueue", per="skb", inside=_LOCKS
    ),
    Stage("ppp receive lock", _LOCK, "the inner lock, around generic PPP receive", on=STATION, per="skb"),
    Stage("socket lock", f"2*{_LOCK}", "the outer lock and the receive helper of the socket", on=STATION, per="skb"),
    Stage(
        "line shared with data",
        "-3*lock_line_ns/4*shared",
        "most of the first lock's line is fetched for the data in it anyway",
        on=STATION,
        per="skb",
        inside=_LOCKS,
    ),
)

_COMMON = ("receive body", "line shared with data")
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
        Variant(
            f"{name}, GRO on",
            (*_GRO_ON, *locks),
            "pppoe_receive_napi",
            name,
            (("gro", "on"),),
            packets_per_lap="coalescing",
        )
        for name, locks in _LOCKED.items()
    ),
)

#: How variable the work is and when the depth is read are choices that the table cannot make, so they compete. A packet
#: path varies little (coefficient of variation 0.1 or 0.2; the exponential network for comparison).
_START, _LOOSE_START, _CURRENT, _LOOSE_CURRENT = ("start", 0.1), ("start", 0.2), ("current", 0.1), ("current", 0.2)
_HUMPS = {
    ("early hump", False): (_START, _LOOSE_START, _CURRENT, _LOOSE_CURRENT),
    ("hump", False): (_START, _LOOSE_START, _CURRENT, _LOOSE_CURRENT, ("exponential", 1.0)),
    ("early hump", True): (_START, _LOOSE_START, _CURRENT),
    ("hump", True): (_START, _LOOSE_START, _CURRENT, ("exponential", 1.0)),
}
#: A hand-off is paid when the section starts, so a section that follows the depth while it lasts is half as likely.
_ODDS = {"start": 1.0, "current": 0.5, "exponential": 0.5}
_WORDS = {
    "hump": "the hand-off costs most at a medium depth, and a deep queue hides it",
    "early hump": "the first waiter already pays for the hand-off, and a deep queue hides it",
}

MECHANISMS = (
    *(
        Mechanism(
            f"{form}{' relative' if relative else ''}, {reading}"
            + ("" if reading == "exponential" else f" {variation:g}"),
            _WORDS[form] + (", in proportion to the section" if relative else ""),
            form,
            relative,
            reading,
            variation,
            odds=_ODDS[reading],
        )
        for (form, relative), readings in _HUMPS.items()
        for reading, variation in readings
    ),
    *(
        Mechanism(f"{form}, start 0.2", words, form, False, "start", 0.2)
        for form, words in (
            ("saturating", "hand-off grows with depth and stays"),
            ("step", "hand-off sets in at one depth"),
            ("ticket", "each waiter adds to every hand-off"),
            ("constant", "one section, whatever the depth"),
        )
    ),
    Mechanism(
        "topology, start 0.2",
        "hand-off between modules of four cores costs more",
        "topology",
        False,
        "start",
        0.2,
        domain=4,
    ),
)

_SYNC_NAMES = tuple(v.name for v in VARIANTS if v.dataset == "pppoe_receive_sync")
_OFF_NAMES = tuple(v.name for v in VARIANTS if v.name.endswith("GRO off"))
_ON_NAMES = tuple(v.name for v in VARIANTS if v.name.endswith("GRO on"))

_LOCK_NAMES = tuple(name for name, locks in _LOCKED.items() if locks)
_ON_LOCKS = tuple((name, None) for name in _ON_NAMES if not name.startswith("no lock"))
_ON_CROWD = tuple((name, n) for name, _ in _ON_LOCKS for n in (8, 16))

CHECKS = (
    Check("fit, synchronous table", "fit", "synchronous", 0.02),
    Check("each point from the other 19", "leave one out", "synchronous", 0.035),
    *(
        Check(f"`{name}` from the other three variants", "leave variant out", "synchronous", goal, ((name, None),))
        for name, goal in (
            ("both locks", 0.04),
            ("ppp lock only", 0.025),
            ("socket lock only", 0.025),
            ("no lock", None),
        )
    ),
    Check(
        "8 and 16 senders slower than 4 while a lock remains, faster when none does",
        "order",
        "synchronous",
        1.0,
        (
            *(row for name in _LOCK_NAMES for n in (8, 16) for row in ((name, n), (name, 4))),
            *(row for n in (8, 16) for row in (("no lock", 4), ("no lock", n))),
        ),
    ),
    Check("fit, both tables with GRO off", "fit", "GRO off", 0.035),
    Check(
        "GRO on: lock rows at 8 and 16 senders from the lock-free row, largest error",
        "largest of held out",
        "all",
        0.05,
        _ON_CROWD,
        _ON_LOCKS,
    ),
    Check(
        "GRO on: the same rows without it, inside the 90 % interval",
        "inside",
        "all",
        1.0,
        _ON_CROWD,
        tuple((name, None) for name in _ON_NAMES),
    ),
    Check("GRO on: all lock rows from the lock-free row", "held out", "all", None, _ON_LOCKS),
    Check(
        "GRO on: the same if nothing coalesced",
        "held out",
        "all",
        None,
        _ON_LOCKS,
        pins=(("coalescing", 1.0),),
        words="so the table rejects that nothing coalesces; it cannot tell 3.3 from 5.1 packets per skb",
    ),
)

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
    scatter=(("pppoe_receive_sync", 0.02), ("pppoe_receive_napi", 0.02)),
    packet_bytes=1492,
    assumptions=(
        "The socket lock covers every visit to the PPP lock, so both are one serial station (one session).",
        "Three quarters of the first lock's line are needed for its data even without a lock; hold-outs cannot tell half from all beyond 1 %.",
        "The socket lock adds twice what the PPP lock adds: the two steps of the saturated period are nearly equal, a coincidence of this table.",
        "The packet size of the threaded NAPI table is not stated; 1492 bytes are assumed.",
        "Where the guest's CPUs lie on the host is not stated.",
    ),
    tradeoffs=(("socket lock", "The patch skips the check of the socket filter together with the lock (the source)."),),
    checks=CHECKS,
)
