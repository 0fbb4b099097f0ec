"""Laws of packet work: bounds of closed networks, their smooth minimum, coalescing, line rate."""

from sympy import Integer, Min, ceiling

from mpps.symbolic.form import Form, Law, quantity
from mpps.units import NS_PER_SECOND, WIRE_OVERHEAD_BYTES

_N = quantity("n", "n", "active senders, one per core", "1", "n >= 1")
_PRIVATE = quantity("private_ns", "private", "work of a lap on the sender's own core", "ns", ">= 0")
_TOTAL = quantity("total_ns", "total", "work of a lap at all serial stations together", "ns", ">= 0")
_LARGEST = quantity("largest_ns", "largest", "work of a lap at the busiest serial station", "ns", "<= total")
_AVERAGE = quantity("average_ns", "average", "total divided by the number of serial stations", "ns", "<= largest")
_FIRST = quantity("first", "first", "one upper bound", "any", "> 0")
_SECOND = quantity("second", "second", "another upper bound", "as the first", "> 0")
_SHARPNESS = quantity("sharpness", "p", "larger is closer to the hard minimum", "1", "> 0")
_PACKET = quantity("per_packet_ns", "per packet", "work per packet before coalescing", "ns", ">= 0")
_LOOKUP = quantity("lookup_ns", "lookup", "what looking for a packet to merge with costs", "ns", ">= 0")
_SKB = quantity("per_skb_ns", "per skb", "work once per skb, after coalescing", "ns", ">= 0")
_COALESCING = quantity("coalescing", "G", "packets per skb", "1", ">= 1")
_SECTION = quantity("section_ns", "section", "time under the lock, once per skb", "ns", ">= 0")
_BITS = quantity("bits_per_second", "bit rate", "bit rate of the wire", "bit/s", "> 0")
_FRAME = quantity("frame_bytes", "frame", "frame with its FCS", "bytes", "> 0")
_TIME = quantity("time_ns", "time", "time that one core spends on a packet", "ns", ">= 0")


def smooth_minimum() -> Law:
    """Two upper bounds with a rounded passage between them."""
    a, b, p = _FIRST.symbol, _SECOND.symbol, _SHARPNESS.symbol
    return Law(
        "smooth_minimum",
        "What is reached under two upper bounds when the passage between them is rounded?",
        (_FIRST, _SECOND, _SHARPNESS),
        (
            Form("value", (a**-p + b**-p) ** (-1 / p), "rounded minimum of both bounds", "as the bounds"),
            Form("crossing", Integer(2) ** (-1 / p), "its ratio to the bounds where they are equal, the lowest", "1"),
        ),
        "p-norm of the two periods; the choice of the passage is a convention, the bounds are not",
    )


def asymptotic() -> Law:
    """Upper and lower bounds of any closed network, and where the two upper ones meet."""
    n, z, d, m = _N.symbol, _PRIVATE.symbol, _TOTAL.symbol, _LARGEST.symbol
    return Law(
        "asymptotic",
        "Which rate can no closed network of n senders exceed, and which does it reach at least?",
        (_N, _PRIVATE, _TOTAL, _LARGEST),
        (
            Form("upper", Min(n / (z + d), 1 / m), "highest rate", "packets/ns"),
            Form("lower", n / (z + n * d), "lowest rate: all senders arrive at once", "packets/ns"),
            Form("knee", (z + d) / m, "senders where both parts of the upper bound meet", "1", "largest > 0"),
        ),
        "Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 5",
    )


def balanced() -> Law:
    """Bounds of a closed network of exponential stations, nearer than the asymptotic ones."""
    n, z, d, m, a = _N.symbol, _PRIVATE.symbol, _TOTAL.symbol, _LARGEST.symbol, _AVERAGE.symbol
    return Law(
        "balanced",
        "Between which rates lies a closed network of exponential serial stations?",
        (_N, _PRIVATE, _TOTAL, _LARGEST, _AVERAGE),
        (
            Form("upper", Min(1 / m, n / (z + d + (n - 1) * a * d / (z + d))), "highest rate", "packets/ns"),
            Form("lower", n / (z + d + (n - 1) * m * n * d / (z + n * d)), "lowest rate", "packets/ns"),
        ),
        "Zahorjan, Sevcik, Eager, Galler, CACM 25(2) 1982, balanced-job bounds with think time",
    )


def coalescing() -> Law:
    """Time of a packet when GRO joins several into one skb, with what that saves and where it breaks even."""
    n, p, g, c, factor = _N.symbol, _PACKET.symbol, _LOOKUP.symbol, _SKB.symbol, _COALESCING.symbol
    s = _SECTION.symbol
    return Law(
        "coalescing",
        "What does a packet cost when GRO joins several packets into one skb?",
        (_N, _PACKET, _LOOKUP, _SKB, _COALESCING, _SECTION),
        (
            Form("time_ns", p + g + c / factor, "time per packet", "ns"),
            Form("gain_ns", c * (1 - 1 / factor) - g, "time per packet that coalescing saves", "ns"),
            Form("limit_ns", p + g, "time per packet in an endless skb", "ns"),
            Form("break_even", c / (c - g), "packets per skb from which coalescing pays", "1", "lookup < per skb"),
            Form(
                "critical",
                ((n - 1) * s - c) / (p + g),
                "packets per skb below which the lock is saturated: the sections of the other n - 1 senders "
                "fill the cycle outside the lock, (n - 1) section / G = per packet + lookup + per skb / G",
                "1",
                "per packet + lookup > 0",
            ),
        ),
        "amortisation by counting; the condition on the lock is the knee of the asymptotic bound solved for G",
    )


def line_rate() -> Law:
    """Packets that a wire carries, the time that each may take, and the cores that it needs."""
    rate, frame, time = _BITS.symbol, _FRAME.symbol, _TIME.symbol
    bits = 8 * (frame + WIRE_OVERHEAD_BYTES)
    budget = Integer(int(NS_PER_SECOND)) * bits / rate
    return Law(
        "line_rate",
        "How long may a packet take on one core when the wire is full, and how many cores does it need?",
        (_BITS, _FRAME, _TIME),
        (
            Form("budget_ns", budget, "time between packets on a full wire", "ns"),
            Form("rate_pps", rate / bits, "packets on a full wire", "packets/s"),
            Form("cores", ceiling(time / budget), "cores that carry a full wire, if they scale linearly", "1"),
        ),
        "IEEE 802.3 clauses 3.1.1 and 4.4.2: 8 bytes of preamble and 12 of gap around a frame",
    )
