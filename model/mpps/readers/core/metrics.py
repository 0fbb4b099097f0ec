"""Names of metrics: what a value of some unit under some heading measures."""

from mpps.readers.core.units import Unit, unit_of

#: What a value of a unit is called where the source only names the unit.
_BY_FAMILY = {"share": "share", "time": "time", "cycles": "cycles", "bytes": "size"}

#: Headings that say "the rate" and no more.
_RATE_WORDS = frozenset(
    [
        "throughput",
        "rate",
        "tput",
        "bandwidth",
        "bw",
        "goodput",
        "performance",
        "perf",
        "speed",
        "score",
        "result",
        "results",
        "value",
        "avg",
        "average",
        "mean",
        "median",
        "total",
    ]
)


def metric_of(unit: str, heading: str = "") -> str:
    """`throughput` for a rate, `time` for ns, `cycles`; the heading itself where it names something else."""
    bare = " ".join(heading.lower().replace("_", " ").split())
    known = unit_of(unit) if unit else None
    if bare and bare not in _RATE_WORDS:
        return heading.strip()
    return by_unit(known)


def by_unit(unit: Unit | None) -> str:
    """What a value of this unit is called; a value without a unit counts as a throughput."""
    if unit is None or unit.is_rate:
        return "throughput per instance" if unit is not None and unit.per_instance else "throughput"
    family = unit.family.partition(" per ")[0]
    return _BY_FAMILY.get(family, family)
