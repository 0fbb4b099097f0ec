"""Times with a unit of their own, as profiles print them."""

from mpps.readers.core.tool import digits

NS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "sec": 1e9, "m": 60e9, "min": 60e9}


def in_ns(text: str, unit: str) -> float | None:
    """`text` in `unit` as nanoseconds, None when it is no number."""
    printed = digits(text)
    return float(printed) * NS[unit] if printed is not None and unit in NS else None
