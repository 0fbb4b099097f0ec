"""What coalescing does to the cost of a packet, and what a full wire leaves per packet. Times in ns."""

import numpy as np

from mpps import laws_generated as generated
from mpps.laws.domain import senders, within


def coalesced_time_ns(per_packet_ns, lookup_ns, per_skb_ns, coalescing):
    """Time per packet when `coalescing` packets share one skb: per packet + lookup + per skb / coalescing.

    lookup_ns is what GRO spends on a packet whether or not it finds one to merge with.
    """
    packet, lookup, skb = _costs(per_packet_ns, lookup_ns, per_skb_ns)
    return generated.coalescing_time_ns(packet, lookup, skb, within("coalescing", coalescing, 1))


def coalescing_gain_ns(lookup_ns, per_skb_ns, coalescing):
    """Time per packet that coalescing saves, per_skb (1 - 1 / coalescing) - lookup; negative when it costs."""
    _, lookup, skb = _costs(0.0, lookup_ns, per_skb_ns)
    return generated.coalescing_gain_ns(lookup, skb, within("coalescing", coalescing, 1))


def coalescing_break_even(lookup_ns, per_skb_ns):
    """Packets per skb from which coalescing pays, per_skb / (per_skb - lookup); inf when it never does."""
    _, lookup, skb = np.broadcast_arrays(*_costs(0.0, lookup_ns, per_skb_ns))
    pays = lookup < skb
    return np.where(
        pays, generated.coalescing_break_even(np.where(pays, lookup, 0.0), np.where(pays, skb, 1.0)), np.inf
    )


def critical_coalescing(n, section_ns, per_packet_ns, per_skb_ns=0.0):
    """Packets per skb below which n senders saturate a lock that is taken once per skb; 1 when they never do.

    section_ns: time under the lock; the cycle outside it is per_packet_ns + per_skb_ns / coalescing.
    ((n - 1) section - per skb) / per packet; inf when there is no work per packet and the lock is saturated.
    """
    n, section = senders(n), within("section_ns", section_ns)
    packet, _, skb = _costs(per_packet_ns, 0.0, per_skb_ns)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        factor = generated.coalescing_critical(n, packet, 0.0, skb, section)
    # No work per packet and sections that exactly fill the cycle: on the edge for any factor.
    return np.maximum(np.where(np.isnan(factor), 1.0, factor), 1.0)


def budget_ns(bits_per_second, frame_bytes=64):
    """Time between packets on a full Ethernet wire; `frame_bytes` counts the FCS, not preamble and gap.

    67.2 ns at 10 Gbit/s and 64 bytes. Source: IEEE 802.3 clauses 3.1.1 and 4.4.2 (20 bytes around a frame).
    """
    return generated.line_rate_budget_ns(*_wire(bits_per_second, frame_bytes))


def cores_needed(time_ns, bits_per_second, frame_bytes=64):
    """Whole cores that carry a full wire when each spends `time_ns` on a packet and they scale linearly."""
    time = within("time_ns", time_ns, above=True)
    # Shaved by more than rounding and less than any measurement, so that time = budget needs one core.
    return generated.line_rate_cores(*_wire(bits_per_second, frame_bytes), time * (1 - 1e-12))


def _costs(per_packet_ns, lookup_ns, per_skb_ns):
    packet, lookup = within("per_packet_ns", per_packet_ns), within("lookup_ns", lookup_ns)
    return packet, lookup, within("per_skb_ns", per_skb_ns)


def _wire(bits_per_second, frame_bytes):
    return within("bits_per_second", bits_per_second, above=True), within("frame_bytes", frame_bytes, above=True)
