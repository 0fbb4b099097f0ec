"""The units inside: time in nanoseconds, rates in packets per second, frames in bytes.

Measured tables carry other units too; `known_units` lists all that a table or a card may name.
"""

NS_PER_SECOND = 1e9

#: Bytes that Ethernet adds on the wire to a frame counted with its FCS: 8 preamble + 12 inter-frame gap
#: (IEEE 802.3 clause 3.1.1 and 4.4.2).
WIRE_OVERHEAD_BYTES = 20

_PER_UNIT = {
    "packets/s": ("packet", 1.0),
    "kpps": ("packet", 1e3),
    "Mpps": ("packet", 1e6),
    "bit/s": ("bit", 1.0),
    "Mbit/s": ("bit", 1e6),
    "Gbit/s": ("bit", 1e9),
    "ns/element": ("time", 1.0),
}

#: Units of measured values that are no rate: shares, cycles, and what the facts of a card are counted in.
_NO_RATE = {
    "percent": "share",
    "cycles/element": "cycles",
    "ns": "time",
    "bytes": "size",
    "packets/skb": "ratio",
    "count": "count",
}


def rate_units() -> tuple[str, ...]:
    """Units that `to_rate_pps` understands."""
    return tuple(_PER_UNIT)


def known_units() -> tuple[str, ...]:
    """Units that a table of measurements or the facts of a card may name: those of rates first."""
    return (*_PER_UNIT, *_NO_RATE)


def is_rate(unit: str) -> bool:
    """Whether a value in `unit` is a rate, or a time per element, that `to_rate_pps` converts."""
    return unit in _PER_UNIT


def counts_bits(unit: str) -> bool:
    """Whether `unit` counts bits, so that a rate in packets needs the bytes of a packet."""
    return unit in _PER_UNIT and _PER_UNIT[unit][0] == "bit"


def to_rate_pps(value, unit: str, packet_bytes: float | None = None):
    """Rate in packets per second of `value` in `unit`.

    `packet_bytes` is needed for bit rates: the bytes of a packet at the layer that the rate counts.
    Raises `ValueError` for an unknown unit or a bit rate without packet size.
    """
    kind, factor = _kind(unit, packet_bytes)
    if kind == "time":
        return NS_PER_SECOND / (value * factor)
    return value * factor / (packet_bytes * 8 if kind == "bit" else 1.0)


def from_rate_pps(rate_pps, unit: str, packet_bytes: float | None = None):
    """The inverse of `to_rate_pps`."""
    kind, factor = _kind(unit, packet_bytes)
    if kind == "time":
        return NS_PER_SECOND / (rate_pps * factor)
    return rate_pps * (packet_bytes * 8 if kind == "bit" else 1.0) / factor


def line_rate_pps(bits_per_second, frame_bytes):
    """Packets per second that a wire carries; `frame_bytes` counts the FCS (84 bytes on the wire at 64)."""
    return bits_per_second / (8.0 * (frame_bytes + WIRE_OVERHEAD_BYTES))


def _kind(unit: str, packet_bytes: float | None) -> tuple[str, float]:
    if unit in _NO_RATE:
        raise ValueError(f"{unit!r} is no rate: rates are in {', '.join(_PER_UNIT)}")
    if unit not in _PER_UNIT:
        raise ValueError(f"unknown unit {unit!r}: known are {', '.join(_PER_UNIT)}")
    kind, factor = _PER_UNIT[unit]
    if kind == "bit" and not packet_bytes:
        raise ValueError(f"a rate in {unit} needs the packet size in bytes")
    return kind, factor
