"""One fact of a machine card: what may stand there, how large it may be, and where it comes from."""

import difflib
import math
from dataclasses import dataclass

from mpps.errors import DataError

#: Where the two CPUs of a line transfer sit, nearest first.
LINE_CLASSES = ("smt_sibling", "same_cluster", "other_cluster", "other_socket")

#: Kind and unit of every fact that a card must speak about; a count is a whole number of at least one.
NEEDED = {
    "microarchitecture": ("text", ""),
    "core_class": ("text", ""),
    "mitigations": ("text", ""),
    "topology.sockets": ("count", "sockets"),
    "topology.cores_per_socket": ("count", "cores"),
    "topology.threads_per_core": ("count", "threads"),
    "topology.cluster_cores": ("count", "cores"),
    "topology.cluster_cache": ("text", ""),
    "clock.base": ("number", "GHz"),
    "clock.one_core": ("number", "GHz"),
    "clock.all_cores": ("number", "GHz"),
    "clock.tsc": ("number", "GHz"),
    **{f"line_transfer.{name}": ("number", "ns") for name in LINE_CLASSES},
    "device.name": ("text", ""),
    "device.link": ("number", "Gbit/s"),
    "device.packet_ceiling": ("number", "Mpps"),
}
#: Facts that a card may leave out: then they are not stated.
OPTIONAL = {
    "topology.numa_nodes": ("count", "nodes"),
    "clock.by_active_cores": ("table", "GHz"),
    "line_transfer.other_cluster_remote_home": ("number", "ns"),
    "relative_work_per_cycle": ("number", "ratio"),
}
_KEYS = ("value", "lower", "upper", "source", "assumed", "not_stated", "reason", "note")
# Smallest and largest number that a unit is believed for, and units that are mistaken for it: their size in this one.
_BELIEVED = {
    "GHz": (0.05, 8.0, {"MHz": 1e-3, "kHz": 1e-6, "Hz": 1e-9}),
    "ns": (0.5, 10_000.0, {"us": 1e3, "ps": 1e-3, "seconds": 1e9}),
    "ns per operation": (0.05, 1e6, {"us": 1e3, "ps": 1e-3, "seconds": 1e9}),
    "Gbit/s": (1e-3, 3200.0, {"Mbit/s": 1e-3, "kbit/s": 1e-6, "bit/s": 1e-9}),
    "Mpps": (1e-4, 5000.0, {"kpps": 1e-3, "packets/s": 1e-6}),
    "ratio": (0.01, 100.0, {}),
}
_MOST = 4096


@dataclass(frozen=True)
class Quantity:
    """One fact of a machine; `lower` and `upper` are the ends of its 90 % range, None when it is exact.

    `value` of `clock.by_active_cores` is ((active cores of a socket, GHz), ...), ascending in cores.
    """

    value: float | str | tuple | None
    lower: float | None
    upper: float | None
    unit: str
    source: tuple[str, ...]  # keys of the card's sources
    assumed: bool = False
    not_stated: bool = False
    why: str = ""  # the reason of an assumption, or a note
    against: str = ""  # the other machine of a ratio

    @property
    def how(self) -> str:
        """How the card knows it: `stated`, `assumed` or `missing`."""
        return "missing" if self.not_stated else "assumed" if self.assumed else "stated"


def parse_fact(file: str, name: str, raw, kind: str, unit: str, sources: dict) -> Quantity:
    """The fact that stands under `name` in a card; kind: text, count, number or table. Raises `DataError`."""
    where = f"{file}: {name}"
    if not isinstance(raw, dict):
        raise DataError(f"{where}: found {raw!r}, expected a mapping such as {{value: ..., source: ...}}")
    ratio = unit == "ratio"
    expect_keys(file, name, raw, (*_KEYS, "against") if ratio else _KEYS, required=())
    flags = {}
    for flag in ("assumed", "not_stated"):
        flags[flag] = raw.get(flag, False)
        if not isinstance(flags[flag], bool):
            raise DataError(f"{where}.{flag}: found {flags[flag]!r}, expected true or false")
    cited = cited_keys(where, raw.get("source", []), sources)
    why = " ".join(str(raw[key]) for key in ("reason", "note") if key in raw)
    if flags["not_stated"]:
        extra = sorted(set(raw) - {"not_stated", "note"})
        if extra:
            raise DataError(f"{where}: not_stated stands alone or with a note, found also {', '.join(extra)}")
        return Quantity(None, None, None, unit, (), not_stated=True, why=why)
    if "value" not in raw:
        raise DataError(f"{where}: value is missing; write not_stated: true when the source does not give it")
    if not (cited or flags["assumed"]):
        raise DataError(f"{where}: expected a source ({', '.join(sources)}) or assumed: true with a reason")
    ranged = kind not in ("text", "table")
    if flags["assumed"]:
        needed = ["reason", "lower", "upper"] if ranged else ["reason"]
        missing = [key for key in needed if key not in raw]
        if missing:
            raise DataError(f"{where}: an assumed value needs {', '.join(needed)}; missing: {', '.join(missing)}")
    if ("lower" in raw) != ("upper" in raw):
        raise DataError(f"{where}: lower and upper come together, found only one")
    if not ranged and "lower" in raw:
        raise DataError(f"{where}: a {'line of text' if kind == 'text' else kind} has no lower and upper")
    if kind == "text":
        if not isinstance(raw["value"], str) or not raw["value"].strip():
            raise DataError(f"{where}.value: found {raw['value']!r}, expected a line of text without a range")
        return Quantity(raw["value"], None, None, unit, cited, flags["assumed"], why=why)
    if kind == "table":
        return Quantity(_clock_table(where, raw["value"]), None, None, unit, cited, flags["assumed"], why=why)
    value, lower, upper = (
        number(f"{where}.{key}", raw[key], kind, unit) if key in raw else None for key in ("value", "lower", "upper")
    )
    if lower is not None and not lower <= value <= upper:
        raise DataError(f"{where}: expected lower <= value <= upper, found {lower:g}, {value:g}, {upper:g}")
    against = raw.get("against", "")
    if ratio and (not isinstance(against, str) or not against.strip()):
        raise DataError(f"{where}.against: expected the machine that the ratio is relative to, found {against!r}")
    return Quantity(value, lower, upper, unit, cited, flags["assumed"], why=why, against=against)


def cited_keys(where: str, raw, sources: dict) -> tuple[str, ...]:
    """The source keys that a fact names, one or a list; raises `DataError` for one that the card does not have."""
    cited = tuple(raw) if isinstance(raw, list) else (raw,)
    for key in cited:
        if not isinstance(key, str) or key not in sources:
            raise DataError(f"{where}.source: {nearest(key, sources)}")
    return cited


def number(where: str, raw, kind: str, unit: str) -> float:
    """A positive number in `unit`, of a size that is believed; raises `DataError`, naming the unit it looks like."""
    expected = "a whole number of at least 1" if kind == "count" else f"a positive number in {unit}"
    if not isinstance(raw, (int, float)) or isinstance(raw, bool):
        raise DataError(f"{where}: found {raw!r}, expected {expected}")
    if isinstance(raw, int) and abs(raw) > 10**18:
        raise DataError(f"{where}: found a number of {len(str(abs(raw)))} digits, expected {expected}")
    if not math.isfinite(raw) or raw <= 0 or (kind == "count" and raw != int(raw)):
        raise DataError(f"{where}: found {raw!r}, expected {expected}")
    if kind == "count":
        if raw > _MOST:
            raise DataError(f"{where}: found {raw:g}, expected at most {_MOST}")
        return float(raw)
    least, most, mistaken = _BELIEVED[unit]
    if not least <= raw <= most:
        plain = unit.removesuffix(" per operation")
        likely = [other for other, size in mistaken.items() if least <= raw * size <= most]
        hint = f"; {raw:g} looks like {likely[0]}: write {raw * mistaken[likely[0]]:g}" if likely else ""
        raise DataError(f"{where}: found {raw!r}, expected {least:g} to {most:g} {plain}{hint}")
    return float(raw)


def _clock_table(where: str, raw) -> tuple[tuple[int, float], ...]:
    if not isinstance(raw, list) or not raw:
        raise DataError(f"{where}.value: found {raw!r}, expected a list such as [[1, 3.7], [96, 3.4]]: cores, GHz")
    rows = []
    for row, pair in enumerate(raw, 1):
        if not isinstance(pair, list) or len(pair) != 2:
            raise DataError(f"{where}.value, row {row}: found {pair!r}, expected [active cores, GHz]")
        active = int(number(f"{where}.value, row {row}, active cores", pair[0], "count", "cores"))
        clock = number(f"{where}.value, row {row}, clock", pair[1], "number", "GHz")
        if rows and active <= rows[-1][0]:
            raise DataError(
                f"{where}.value, row {row}: found {active} after {rows[-1][0]}, expected ascending active cores"
            )
        if rows and clock > rows[-1][1]:
            raise DataError(
                f"{where}.value, row {row}: found {clock:g} GHz with {active} active cores after {rows[-1][1]:g} GHz "
                f"with {rows[-1][0]}, expected a clock that does not rise with active cores"
            )
        rows.append((active, clock))
    return tuple(rows)


def expect_keys(file: str, where: str, mapping, known, required=None) -> None:
    """Raises `DataError` unless `mapping` is one, with no key beyond `known` and all of `required` (all known ones)."""
    prefix = f"{file}: {where}" if where else file
    if not isinstance(mapping, dict):
        raise DataError(f"{prefix}: found {mapping!r}, expected a mapping with the keys {', '.join(known)}")
    for key in mapping:
        if key not in known:
            raise DataError(f"{prefix}: {nearest(key, known)}")
    missing = [key for key in (known if required is None else required) if key not in mapping]
    if missing:
        raise DataError(
            f"{prefix}: missing {', '.join(missing)}; write not_stated: true where the source is silent, "
            "and a named prior stands in"
        )


def nearest(found, known) -> str:
    """`unknown key ...`, with the nearest known one and all of them."""
    near = difflib.get_close_matches(str(found), [str(key) for key in known], n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"unknown key {found!r}: {hint}expected one of {', '.join(map(str, known))}"
