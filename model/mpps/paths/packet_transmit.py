"""AF_PACKET transmit: straight to the driver, through the qdisc, and with every packet delivered to the other sockets."""

from mpps.path import CEILING, Check, CodePath, Mechanism, Parameter, Prior, Scope, Stage, Variant

_SLOWDOWN = "(1 + slowdown*(n - 1) + alone_extra*(1 - shared))"

PARAMETERS = (
    Parameter("driver_ns", "ns", 300.0, 1200.0, "send call, skb and driver of one packet"),
    Parameter("qdisc_ns", "ns", 10.0, 500.0, "the qdisc layer of one packet"),
    Parameter(
        "slowdown", "ratio", 1e-4, 0.1, "each further CPU slows the private work of all: turbo, memory, PCIe", "none"
    ),
    Parameter(
        "alone_extra", "ratio", 1e-3, 0.4, "what a CPU that sends alone pays on top: idle clocks, cold memory", "none"
    ),
    Parameter("device_pps", "packets/s", 8e6, 16e6, "packet ceiling of the device", "device"),
    Parameter("clone_ns", "ns", 1.0, 400.0, "first delivery to another socket: clone of the skb"),
    Parameter("delivery_ns", "ns", 50.0, 1000.0, "each further socket in the same package", "line"),
    Parameter(
        "cross_ratio",
        "ratio",
        1.0,
        8.0,
        "delivery to a socket of another package, relative to the same package",
        "none",
        Prior(
            2.95,
            2.0,
            3.9,
            "line transfer across packages over inside: 2.0 to 3.5 on X5650, E5-2690, E5-26xx v4, Gold 6242 (nviennot/core-to-core-latency; docs/modelling.md)",
        ),
    ),
)

STAGES = (
    Stage("send and driver", f"driver_ns*{_SLOWDOWN}", "system call, skb, driver transmit, doorbell"),
    Stage("qdisc layer", f"qdisc_ns*{_SLOWDOWN}", "enqueue and dequeue in a queue of the CPU's own"),
    Stage("first tap delivery", "clone_ns*shared", "the skb is cloned once there is another socket to deliver to"),
    Stage(
        "delivery to other sockets",
        "(n - 1)*delivery_ns*(1 + cross*(cross_ratio - 1))",
        "each sent packet is offered to the sockets of the n - 1 other senders",
    ),
    Stage("device ceiling", "device_pps", "what the device sends at most", on=CEILING),
)

_BYPASS = ("send and driver", "device ceiling")
_QDISC = ("send and driver", "qdisc layer", "device ceiling")
_TAP = (*_QDISC, "first tap delivery", "delivery to other sockets")

VARIANTS = (
    Variant("bypass", _BYPASS, "packet_transmit", "bypass", words="PACKET_QDISC_BYPASS: straight to the driver"),
    Variant(
        "qdisc", _QDISC, "packet_transmit", "qdisc", words="qdisc path, socket protocol 0, so nothing is delivered back"
    ),
    Variant(
        "qdisc with packet_rcv",
        _TAP,
        "packet_transmit",
        "qdisc with packet_rcv",
        words="qdisc path as most people use it",
    ),
)

_FAR_TAP = tuple(("qdisc with packet_rcv", n) for n in (9, 10, 11, 20))

CHECKS = (
    Check("fit", "fit", "all", 0.04),
    Check("each point from the other 35", "leave one out", "all"),
    Check("tap rows above 8 CPUs from the rows up to 8, median error", "median of held out", "all", 0.25, _FAR_TAP),
    Check("the same rows inside the 90 % interval", "inside", "all", 1.0, _FAR_TAP),
    Check(
        "the same with 8 CPUs a package, median error",
        "median of held out",
        "all",
        0.12,
        _FAR_TAP,
        mechanisms=("fan-out, 8 CPUs a package",),
        words="8 was chosen in hindsight",
    ),
    Check("qdisc layer of one packet", "parameter", "all", about="qdisc_ns"),
    Check("delivery to one more socket", "parameter", "all", about="delivery_ns"),
    Check("ceiling of the device", "parameter", "all", about="device_pps"),
)

PATH = CodePath(
    slug="packet_transmit",
    title="Packet transmit",
    question="What does the qdisc layer cost, why does delivery to taps collapse, and what does the bypass give up?",
    machine="packet_2013_host",
    parameters=PARAMETERS,
    stages=STAGES,
    variants=VARIANTS,
    mechanisms=tuple(
        Mechanism(
            f"fan-out, {size} CPUs a package",
            f"every packet goes to n - 1 other sockets; senders fill packages of {size} CPUs in turn",
            domain=size,
            domain_is="socket",
            odds=1.0 if size % 2 == 0 else 0.1,
        )
        for size in range(6, 13)
    ),
    scopes=(Scope("all", tuple(v.name for v in VARIANTS), "the whole table, 36 points"),),
    sender="CPU",
    scatter=(("packet_transmit", 0.02),),
    packet_bytes=64,
    assumptions=(
        "The source names no CPU; package sizes of 6 to 12 CPUs compete (odd ones at odds of 1 to 10, for no two-socket part of the time had them), and senders fill one package before the next.",
        "Beyond two packages' worth of senders, further ones are taken as siblings that add no third package.",
        "Whether 64 bytes include the frame check sequence is not stated: 10 Gbit/s carry 14.88 or 14.20 million packets a second.",
        "The ceiling belongs to the device: another device replaces it.",
        "CPUs 12 to 19 are elided in the source.",
    ),
    tradeoffs=(
        (
            "qdisc layer",
            "A bypass buffers nothing, ignores tc, loses more when queues are busy, and its packets are not visible to taps (the source).",
        ),
    ),
    checks=CHECKS,
)
