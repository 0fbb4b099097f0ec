"""Units as people write them, brought to one spelling each; a unit that nobody knows keeps its own.

`mpps.units` knows those of rates that convert into packets per second; a user's table may hold any other.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

#: Longest text that can be a unit.
_LONGEST = 40

_FACTORS = {
    "": 1.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}

_SECOND = r"(?:/ ?(?:s|sec|secs|second)| per (?:s|sec|second))"
_PACKETS = re.compile(
    rf"([kKmMgG]|[Kk]ilo|[Mm]ega|million )? ?(?:[pP][pP][sS]|[pP]/s|(?:[pP]kts?|[pP]ackets?|frames){_SECOND})"
)
_BITS = re.compile(rf"([kKmMgGtT]i?|[Kk]ilo|[Mm]ega|[Gg]iga)?-? ?(?:[bB][pP][sS]|b{_SECOND}|[bB]its?{_SECOND})")
_BYTES = re.compile(rf"([kKmMgGtT]i?)? ?(?:B{_SECOND}|[bB]ytes?{_SECOND}|Bps)")
_PER_SECOND = re.compile(rf"([kKMG]|million )? ?([A-Za-z_]{{1,24}}?)s?{_SECOND}")
_BARE_SECOND = re.compile(r"([kKMG])?(?:/s|/sec|/second)")
_TIME = re.compile(r"(n|u|µ|μ|m)?(?:s|secs?|seconds?)")
_TIME_WORDS = {
    "nanoseconds": "ns",
    "microseconds": "us",
    "milliseconds": "ms",
    "minutes": "min",
    "min": "min",
    "mins": "min",
}
_COST = re.compile(
    r"(ns|nsec|nanosec|us|usec|µs|ms|cycles?|cyc|instructions?|insns?|bytes)(?:\(tsc\))?(?: ?/ ?"
    r"| per )([A-Za-z_]{1,20})"
)
_PER_INSTANCE = re.compile(
    r"(.+?)(?: ?/ ?| per[- ])(cpus?|cores?|threads?|senders?|producers?|prod|process(?:es)?|queues?|streams?"
    r"|clients?|tasks?|flows?|connections?|vcpus?|workers?)",
    re.IGNORECASE,
)

#: Rates with a name of their own.
_NAMED = {
    "qps": "queries/s", "rps": "requests/s", "req/s": "requests/s", "tps": "transactions/s", "cps": "connections/s",
    "iops": "IOPS", "kiops": "kIOPS", "miops": "MIOPS", "k iops": "kIOPS",
    "mops": "Mops/s", "kops": "kops/s", "gops": "Gops/s", "mtps": "Mtransactions/s", "ktps": "ktransactions/s",
    "kqps": "kqueries/s", "mqps": "Mqueries/s", "krps": "krequests/s", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "ghz": "GHz",
    "%": "percent", "pct": "percent", "percent": "percent", "per cent": "percent",
    "cycles": "cycles", "cycle": "cycles", "ns/packet": "ns/packet",
    "b": "bytes", "bytes": "bytes", "byte": "bytes", "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB",
    "kib": "KiB", "mib": "MiB", "gib": "GiB", "packets": "packets", "pkts": "packets",
}  # fmt: skip

#: Nouns of a rate in their usual spelling; others keep the printed one.
_NOUNS = {
    "op": "ops", "operation": "ops", "request": "requests", "req": "requests", "trans": "transactions",
    "tran": "transactions", "transaction": "transactions", "query": "queries", "querie": "queries", "lookup": "lookups",
    "event": "events", "call": "calls", "iteration": "iterations", "iter": "iterations", "loop": "loops", "msg": "messages",
    "message": "messages", "connection": "connections", "conn": "connections", "item": "items", "hit": "hits",
    "fault": "faults", "lock": "locks", "acquisition": "acquisitions", "txn": "transactions", "syscall": "syscalls",
    "wakeup": "wakeups", "update": "updates", "insert": "inserts", "insertion": "insertions", "deletion": "deletions",
    "flow": "flows", "session": "sessions", "file": "files", "create": "creates", "switche": "switches", "rule": "rules",
    "transfer": "transfers", "io": "IO", "irq": "irqs", "interrupt": "interrupts", "sample": "samples", "cycle": "cycles",
}  # fmt: skip

_THINGS = {"pkt": "packet", "pkts": "packet", "packets": "packet", "elem": "element", "elements": "element", "ops": "op",
           "operation": "op", "frames": "frame", "calls": "call", "iter": "iteration", "loops": "loop"}  # fmt: skip


@dataclass(frozen=True)
class Unit:
    """A unit in its one spelling. `family` groups what converts; `factor` brings a value to the base of the family."""

    name: str
    family: str
    factor: float = 1.0
    per_instance: str = ""  # "thread" when each of the n has such a rate

    @property
    def is_rate(self) -> bool:
        """Whether the unit counts something in a second."""
        return self.family in ("packets", "bits", "bytes per second") or self.family.startswith("rate of ")


@lru_cache(maxsize=4096)
def unit_of(text: str) -> Unit | None:
    """The unit that `text` is, None when it is none that is known: `Gbps` and `Gbit/sec` are `Gbit/s`."""
    text = " ".join(text.strip().strip("()[]{}").replace("\u2215", "/").split())
    if not text or len(text) > _LONGEST:
        return None
    found = _plain_unit(text)
    if found is not None:
        return found
    match = _PER_INSTANCE.fullmatch(text)
    base = _plain_unit(match[1].strip()) if match else None
    if base is None or not base.is_rate:
        return None
    return Unit(base.name, base.family, base.factor, per_instance=match[2].lower().rstrip("s"))


def rate_name(noun: str) -> str:
    """The one spelling of a rate of `noun`: `requests/s` for req, request, requests."""
    bare = noun.lower()
    return f"{_NOUNS.get(bare) or _NOUNS.get(bare.removesuffix('s')) or noun}/s"


def prefixed(prefix: str, unit: Unit) -> Unit | None:
    """`unit` behind a number with the suffix k, M or G, where that has a name in the field: k and packets/s are kpps."""
    if unit.factor != 1.0 or unit.per_instance:
        return None
    if unit.family == "packets":
        return _packets(prefix)
    if unit.family == "bits":
        return _bits(prefix)
    return None


def _plain_unit(text: str) -> Unit | None:
    lower = text.lower()
    if match := _PACKETS.fullmatch(text):
        return _packets(_prefix(match[1]))
    if match := _BYTES.fullmatch(text):
        prefix = _prefix(match[1], binary=True)
        return Unit(f"{prefix}B/s", "bytes per second", _FACTORS[prefix])
    if match := _BITS.fullmatch(text):
        return _bits(_prefix(match[1], binary=True))
    if lower in _NAMED:
        name = _NAMED[lower]
        if name == "percent":
            return Unit(name, "share")
        if name.endswith(("/s", "IOPS")):
            prefix, noun = (name[0], name[1:]) if name[0] in "kMG" and not name.startswith("MIO") else ("", name)
            if name == "MIOPS":
                prefix, noun = "M", "IOPS"
            return Unit(name, f"rate of {noun}", _FACTORS[prefix])
        return Unit(name, name)
    if match := _BARE_SECOND.fullmatch(text):
        prefix = _prefix(match[1])
        return Unit(f"{prefix}/s" if prefix else "1/s", "rate of 1/s", _FACTORS[prefix])
    if lower in _TIME_WORDS:
        return _time(_TIME_WORDS[lower])
    if (match := _TIME.fullmatch(lower)) and lower not in ("s",):
        return _time({None: "s", "µ": "us", "μ": "us"}.get(match[1], f"{match[1]}s"))
    if lower == "s":
        return _time("s")
    if match := _COST.fullmatch(text):
        thing = _THINGS.get(match[2].lower(), match[2].lower())
        if thing in ("s", "sec", "second"):
            return None
        head = match[1].lower()
        amount = {"nsec": "ns", "nanosec": "ns", "usec": "us", "µs": "us", "cycle": "cycles", "cyc": "cycles", "insn": "instructions",
                  "insns": "instructions", "instruction": "instructions"}.get(head, head)  # fmt: skip
        scale = {"ns": 1.0, "us": 1e3, "ms": 1e6}.get(amount, 1.0)
        kind = "time" if amount in ("ns", "us", "ms") else amount
        return Unit(f"{amount}/{thing}", f"{kind} per {thing}", scale)
    if match := _PER_SECOND.fullmatch(text):
        prefix, noun = _prefix(match[1]), match[2]
        if not _NOUNS.get(noun.lower()) and text[match.end(2) : match.end(2) + 1] == "s":
            noun += "s"  # a noun that nobody knows keeps its plural
        # "kops" in one word: the prefix belongs to a noun that is known.
        if not prefix and noun[:1] in "kKMG" and _NOUNS.get(noun[1:].lower().removesuffix("s")):
            prefix, noun = _prefix(noun[0]), noun[1:]
        name = rate_name(noun)
        return Unit(f"{prefix}{name}", f"rate of {name}", _FACTORS[prefix])
    return None


def _prefix(text: str | None, binary: bool = False) -> str:
    text = (text or "").strip()
    if binary and text[1:] == "i":
        return text[0].upper() + "i"
    short = {"kilo": "k", "mega": "M", "giga": "G", "million": "M"}.get(text.lower(), text)
    return "k" if short in ("k", "K") else short.upper()


def _packets(prefix: str) -> Unit:
    return Unit(f"{prefix}pps" if prefix else "packets/s", "packets", _FACTORS[prefix])


def _bits(prefix: str) -> Unit:
    return Unit(f"{prefix}bit/s", "bits", _FACTORS[prefix])


def _time(name: str) -> Unit:
    return Unit(name, "time", {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9}[name])
