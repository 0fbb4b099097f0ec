"""TUN receive: a written packet queued into the per-CPU backlog, or processed at once in the context of the caller."""

from mpps.path import CEILING, CodePath, Mechanism, Parameter, Prior, Scope, Stage, Variant
from mpps.units import to_rate_pps

PARAMETERS = (
    Parameter(
        "deliver_ns",
        "ns",
        20.0,
        3000.0,
        "everything that one packet costs on the writer's CPU, the backlog apart",
        "core",
        Prior(
            900.0,
            300.0,
            2700.0,
            "605 ns for a TAP write with PPPoE receive on another host (pppoe_receive_sync); half of it to four times, for Open vSwitch and an older kernel",
        ),
    ),
    Parameter("backlog_ns", "ns", 5.0, 3000.0, "enqueue, raising the softirq, dequeue of one packet"),
    Parameter("rest_ns", "ns", 20.0, 3000.0, "slowest other stage of the loop, when it is a pipeline"),
    Parameter(
        "slowdown",
        "ratio",
        1e-4,
        0.2,
        "each further stream slows the work of all: turbo, memory, shared lines",
        "none",
        Prior(
            0.015,
            0.004,
            0.05,
            "not measured here; 1.8 % per CPU in packet_transmit, about 1.7 % per sender in pppoe_receive_sync",
        ),
    ),
)

_SLOWED = "(1 + slowdown*(n - 1))"

STAGES = (
    Stage(
        "tun write to delivery", f"deliver_ns*{_SLOWED}", "write, skb, Open vSwitch, delivery, and back to the writer"
    ),
    Stage("backlog queue", f"backlog_ns*{_SLOWED}", "enqueue into the per-CPU backlog, raising the softirq, dequeue"),
    Stage(
        "rest of the loop", f"n*1e9/(rest_ns*{_SLOWED})", "the slowest stage on another CPU, one per stream", on=CEILING
    ),
)

_DIRECT = ("tun write to delivery", "rest of the loop")

VARIANTS = (
    Variant(
        "netif_rx",
        (*_DIRECT, "backlog queue"),
        "tun_receive",
        "netif_rx",
        words="before: packets wait in the per-CPU backlog",
    ),
    Variant(
        "netif_receive_skb",
        _DIRECT,
        "tun_receive",
        "netif_receive_skb",
        words="after: processed in the context of the caller",
    ),
)

MECHANISMS = (
    Mechanism(
        "one packet in flight on one CPU",
        "nothing overlaps, so the time of a packet is the sum of its stages, and the difference is the backlog's cost",
        without=("rest of the loop",),
        odds=2.0,
    ),
    Mechanism(
        "a pipeline: the slowest stage fell",
        "several packets in flight on several CPUs: the difference is how far the slowest stage fell, and since the rest "
        "of the loop kept pace afterwards, the backlog costs at least that",
    ),
)

PATH = CodePath(
    slug="tun_receive",
    title="TUN receive",
    question="What does the detour through the per-CPU backlog cost a packet, and on what does that figure rest?",
    machine="tun_2016_host",
    parameters=PARAMETERS,
    stages=STAGES,
    variants=VARIANTS,
    mechanisms=MECHANISMS,
    scopes=(Scope("all", tuple(v.name for v in VARIANTS), "the two points of the source"),),
    sender="stream",
    scatter=(("tun_receive", 0.02),),
    assumptions=(
        "How many packets are in flight is not stated; 'closed-loop single-stream' favours one at a time, at odds of 2 to 1, and a pipeline competes.",
        "The source states no spread; 2 % from run to run are assumed beside the rounding of the printed figures.",
        "Two points and as many parameters: they fix the two times per packet, and tell nothing of the explanations.",
        "More streams than one were not measured: each is taken to have a queue and a core of its own (in a pipeline, a core for each stage), slowed by a share that other paths show.",
        "Packet size, processor and clock are not stated.",
    ),
    tradeoffs=(
        (
            "backlog queue",
            "Processing in the context of the caller needs a deep stack: the patch leaves kernels with 4K stacks as they were (the source).",
        ),
    ),
)


def saved_ns(before, after, unit: str = "kpps"):
    """Time per packet that is gone between two rates in `unit`, in ns; broadcasts.

    It is the cost of what was removed while one packet is in flight on one CPU, and a lower bound of it in a pipeline.
    """
    return 1e9 / to_rate_pps(before, unit) - 1e9 / to_rate_pps(after, unit)
