"""Forwarding to PPPoE on a small router: ordinary GRO with software segmentation, or GRO by fragment list."""

import numpy as np

from mpps.path import CEILING, STATION, CodePath, Mechanism, Parameter, Prior, Scope, Stage, Variant
from mpps.units import WIRE_OVERHEAD_BYTES, line_rate_pps

#: Largest IP packet on PPPoE (RFC 2516, section 7).
PACKET_BYTES = 1492
#: Its Ethernet frame: 6 bytes PPPoE and 2 bytes PPP (RFC 2516, section 4), 14 bytes header, 4 bytes FCS.
FRAME_BYTES = PACKET_BYTES + 8 + 18

_LINK_PPS = float(line_rate_pps(1e9, FRAME_BYTES))
_ALL_OVERHEAD = PACKET_BYTES / (FRAME_BYTES + WIRE_OVERHEAD_BYTES)

PARAMETERS = (
    Parameter("forwarding_ns", "ns", 2000.0, 80000.0, "work of one packet without segmentation, both cores together"),
    Parameter(
        "segmentation_ns", "ns", 100.0, 60000.0, "work of one packet that fragment lists save, both cores together"
    ),
    Parameter("busy_share", "ratio", 0.5, 1.0, "part of the forwarding that the busier core does", "none"),
    Parameter("segmentation_share", "ratio", 0.05, 1.0, "part of the segmentation that the busier core does", "none"),
    Parameter("limit_off_pps", "packets/s", 1e4, 1e6, "limit outside the CPUs while segmenting in software", "none"),
    Parameter("limit_on_pps", "packets/s", 1e4, 1e6, "limit outside the CPUs with fragment lists", "none"),
    Parameter(
        "link_pps",
        "packets/s",
        1e3,
        1e10,
        "frames with 1492 bytes of IP on PPPoE that the link carries",
        "device",
        Prior(
            _LINK_PPS,
            _LINK_PPS * 0.9999,
            _LINK_PPS * 1.0001,
            "gigabit Ethernet, not stated but taken from the shaper's rate; clocks may be 100 ppm off (IEEE 802.3)",
        ),
    ),
    Parameter(
        "shaper_gbit",
        "Gbit/s",
        1e-3,
        1e3,
        "IP bits that the shaper passes",
        "none",
        Prior(
            float(np.sqrt(_ALL_OVERHEAD)),
            _ALL_OVERHEAD,
            1.0,
            "cake set to 1 Gbit/s (the source); whether it counts the IP packet or all that the wire adds is not stated",
        ),
    ),
)

STAGES = (
    Stage(
        "forwarding",
        "forwarding_ns",
        "receive, GRO, NAT with flow offload, cake, transmit",
        on=STATION,
        share="busy_share",
    ),
    Stage(
        "software segmentation",
        "segmentation_ns",
        "merged packets are cut again for PPPoE, checksums computed anew",
        on=STATION,
        share="segmentation_share",
    ),
    Stage("limit outside the CPUs", "limit_on_pps", "shaper, TCP window or pacing", on=CEILING),
    Stage(
        "limit outside the CPUs while segmenting",
        "limit_off_pps",
        "the same limit, lower as long as packets are held up",
        on=CEILING,
        inside=("software segmentation",),
    ),
    Stage("link", "link_pps", "what PPPoE on Ethernet carries", on=CEILING),
    Stage("shaper", f"shaper_gbit*1e9/(8*{PACKET_BYTES})", "what the cake qdisc lets pass", on=CEILING),
)

_LIMITS = ("limit outside the CPUs", "limit outside the CPUs while segmenting")
_ON = ("forwarding", *_LIMITS, "link", "shaper")
_OBSERVE = (("throughput", "rate"), ("idle", "idle"))

VARIANTS = (
    Variant(
        "rx-gro-list off",
        (*_ON, "software segmentation"),
        "fraglist_gro",
        "rx-gro-list off",
        observe=_OBSERVE,
        words="ordinary GRO; merged packets are segmented in software before PPPoE",
    ),
    Variant(
        "rx-gro-list on",
        _ON,
        "fraglist_gro",
        "rx-gro-list on",
        observe=_OBSERVE,
        words="packets are chained whole and part again without touching their data",
    ),
)

MECHANISMS = (
    Mechanism(
        "one core is the bottleneck",
        "the busier core never idles; idle time belongs to the other one",
        reading="bound",
        without=_LIMITS,
        odds=3.0,
    ),
    Mechanism(
        "a limit outside the CPUs",
        "shaper, TCP window or pacing: both cores have idle time, and the table tells only the total work of a packet",
        reading="spread",
    ),
)

PATH = CodePath(
    slug="fraglist_gro",
    title="Forwarding to PPPoE with fragment lists",
    question="What does software segmentation cost a packet, why did idle time rise with throughput, and where does the gain end?",
    machine="mediatek_mt7622",
    parameters=PARAMETERS,
    stages=STAGES,
    variants=VARIANTS,
    mechanisms=MECHANISMS,
    scopes=(Scope("all", tuple(v.name for v in VARIANTS), "throughput and idle time of both settings, 4 points"),),
    station="busiest core",
    sender="core",
    scatter=(("fraglist_gro", 0.03),),
    packet_bytes=PACKET_BYTES,
    frame_bytes=FRAME_BYTES,
    assumptions=(
        "Packets of 1492 bytes, and Mbit/s counted on the IP packet: the source states neither.",
        "That one core never idles is an assumption, at odds of 3 to 1: throughput rose as work fell, which a limit outside the CPUs explains only if the limit moved as well (a TCP window does, as delay falls).",
        "Idle time is taken as the mean of both cores.",
        "What fragment lists save is booked as software segmentation, less the socket lookup that they add.",
        "The source states no spread; 3 % from run to run are assumed, as TCP through a router varies, beside the rounding (630 is 625 to 635 Mbit/s, 40 % idle is 35 to 45 %).",
        "Two TCP streams keep two cores busy at most: more cores change nothing, and four points tell nothing of other core counts.",
        "Gigabit Ethernet is assumed: PPPoE on it carries 970 Mbit/s of IP; on a faster link the shaper holds at 970 to 1000.",
    ),
    tradeoffs=(
        (
            "software segmentation",
            "Fragment lists serve packets that pass through: the heuristic keeps ordinary GRO where an established socket of the device's namespace matches, and may miss other namespaces (the source).",
        ),
    ),
)


def cpu_ns_per_packet(rate_mbit, idle_percent, packet_bytes=PACKET_BYTES, cores=2):
    """CPU time of one packet in ns, all cores together: busy cores over packet rate (utilisation law); broadcasts.

    rate_mbit counts `packet_bytes` a packet; idle_percent is the mean over `cores`.
    """
    return _busy_cores(idle_percent, cores) * 8e3 * np.asarray(packet_bytes, float) / rate_mbit


def core_ns_per_bit(rate_mbit, idle_percent, cores=2):
    """CPU time of one bit in ns on the busier core and on the others together, if one core never idles; broadcasts."""
    busiest = 1e3 / np.asarray(rate_mbit, float)
    return busiest, (_busy_cores(idle_percent, cores) - 1) * busiest


def even_split_mbit(rate_mbit, idle_percent, clamp_mbit=np.inf):
    """Rate if all cores shared the work evenly and none idled, at most `clamp_mbit`; broadcasts."""
    return np.minimum(rate_mbit / (1 - np.asarray(idle_percent, float) / 100), clamp_mbit)


def link_mbit(bits_per_second=1e9, payload_bytes=PACKET_BYTES):
    """Mbit/s that full-sized packets carry over PPPoE on Ethernet, counted on `payload_bytes` of each.

    970 at the IP layer of gigabit Ethernet; 936 of TCP payload (1440 bytes: 20 IPv4, 32 TCP with time stamps).
    """
    return line_rate_pps(bits_per_second, FRAME_BYTES) * payload_bytes * 8 / 1e6


def _busy_cores(idle_percent, cores):
    return cores * (1 - np.asarray(idle_percent, float) / 100)
