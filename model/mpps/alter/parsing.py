"""Changes as they are written: mappings of a sweep's YAML, or texts of the command line."""

import difflib
import math
from dataclasses import dataclass

from mpps.errors import MppsError, UnknownNameError
from mpps.hashing import LOADS

#: Every kind of change, with an example as text.
KINDS = {
    "remove": "remove=socket lock",
    "add": "add=qdisc layer",
    "scale": "scale:receive body=0.5",
    "set": "set:section_ns=90",
    "mix": "mix:fast path=0.7",
    "bypass": "bypass=yes",
    "coalescing": "coalescing=8",
    "packet_bytes": "packet_bytes=64",
    "link_gbit": "link_gbit=100",
    "batch": "batch=16",
    "queues": "queues=8",
}
#: Keys that go with another one.
_WITH = {"flows": "queues", "hashing": "queues", "per_byte_ns": "packet_bytes", "batch_from": "batch"}
#: Kinds that hold one value for each name.
_NAMED = ("scale", "set", "mix", "add")
_WHOLE = ("queues", "flows")
_AT_MOST = {"packet_bytes": 65535.0, "queues": 1024, "flows": 10_000_000, "coalescing": 65536.0, "batch": 65536.0, "link_gbit": 1e6}


@dataclass(frozen=True)
class Change:
    """One change: its kind, a name of `KINDS`, and its value: a text, a number, or pairs (name, value)."""

    kind: str
    value: object

    @property
    def pairs(self) -> dict:
        """The value of a kind that holds names or keys."""
        return dict(self.value)


def parse_changes(changes) -> tuple[Change, ...]:
    """Changes from a list of mappings and texts, or one of them.

    Names of one kind, and keys that belong together (queues and flows), may stand in one mapping or in several.
    Raises `MppsError` naming the change, what was found and what was expected.
    """
    if isinstance(changes, (str, dict, Change)):
        changes = [changes]
    found: dict[str, object] = {}
    for item in changes:
        if isinstance(item, Change):
            pairs = _of_change(item)
        elif isinstance(item, dict):
            pairs = list(item.items())
        elif isinstance(item, str):
            pairs = [_of_text(item)]
        else:
            raise MppsError(f"change {item!r}: expected a mapping or a text, as {KINDS['scale']!r}")
        for key, value in pairs:
            _take(found, _known(str(key)), value)
    for key, needs in _WITH.items():
        if key in found and needs not in found:
            raise MppsError(f"change {key}: it goes with {needs}: name both, as {KINDS[needs]!r} and {key}")
    return tuple(
        Change(kind, found[kind] if kind not in _WITH.values() else _group(found, kind))
        if not isinstance(found[kind], dict)
        else Change(kind, tuple(found[kind].items()))
        for kind in KINDS
        if kind in found
    )


def _of_change(change: Change) -> list:
    """A change that was read before, as it would be written."""
    if change.kind in ("remove", "add"):
        # Names alone are a list, new stages a mapping.
        new = {name: dict(zip(("ns", "on", "per"), each, strict=False)) for name, each in change.value if each}
        known = [name for name, each in change.value if not each]
        return [(change.kind, part) for part in (known, new) if part]
    if change.kind in _NAMED:
        return [(change.kind, change.pairs)]
    return [(change.kind, change.value or "yes")] if isinstance(change.value, (str, float)) else list(change.value)


def _group(found, kind) -> tuple:
    return ((kind, found[kind]), *((key, found[key]) for key, needs in _WITH.items() if needs == kind and key in found))


def _of_text(text: str):
    head, colon, rest = text.partition(":")
    if colon and head.strip() in _NAMED:
        name, equals, value = rest.rpartition("=")
        if head.strip() == "add" and not equals:
            return "add", rest.strip()
        if not (equals and name.strip()):
            raise MppsError(f"change {text!r}: expected {head.strip()}:NAME=NUMBER, as {KINDS[head.strip()]!r}")
        return head.strip(), {name.strip(): value.strip()}
    key, equals, value = text.partition("=")
    if not equals:
        if key.strip() == "bypass":
            return "bypass", "yes"
        raise MppsError(f"change {text!r}: expected KIND=VALUE, as {', '.join(map(repr, KINDS.values()))}")
    key, value = key.strip(), value.strip()
    if key == "mix":
        shares = [part.rpartition("=") for part in value.split(",")]
        return "mix", {name.strip(): share.strip() for name, _, share in shares}
    if key in ("scale", "set"):
        name, _, number = value.rpartition("=")
        return key, {name.strip(): number.strip()}
    return key, value


def _known(key: str) -> str:
    names = (*KINDS, *_WITH)
    if key not in names:
        near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownNameError(f"unknown change {key!r}: {hint}known: {', '.join(names)}")
    return key


def _take(found: dict, key: str, value) -> None:
    if key in _NAMED or key == "remove":
        _take_names(found, key, value)
        return
    if key in found:
        raise MppsError(f"change {key}: given twice; keep one")
    if key == "bypass":
        found[key] = "" if value is True or str(value).lower() in ("yes", "true", "") else str(value)
    elif key == "hashing":
        if value not in LOADS:
            raise MppsError(f"change hashing: found {value!r}: expected one of {', '.join(LOADS)}")
        found[key] = str(value)
    else:
        found[key] = number_of(key, value)


def _take_names(found, key, value) -> None:
    if key == "remove" or (key == "add" and not isinstance(value, dict)):
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) and name.strip() for name in names):
            raise MppsError(f"change {key}: found {value!r}: expected the name of a stage, as {KINDS[key]!r}")
        value = dict.fromkeys((name.strip() for name in names), "")
        if len(value) < len(names):
            raise MppsError(f"change {key}: a stage is named twice; keep one")
    if not isinstance(value, dict) or not value:
        raise MppsError(f"change {key}: found {value!r}: expected names with numbers, as {KINDS[key]!r}")
    own = found.setdefault(key, {})
    for name, each in value.items():
        name = str(name).strip()
        if name in own:
            raise MppsError(f"change {key} {name!r}: named twice; keep one")
        own[name] = _value_of(key, name, each)


def _value_of(key, name, value):
    if key == "remove" or (key == "add" and value in ("", None)):
        return ""
    if key == "add" and isinstance(value, dict):
        return _new_stage(name, value)
    if key == "mix":
        share = number_of(f"mix {name!r}", value, zero=True)
        if share > 1:
            raise MppsError(f"change mix {name!r}: found {share:g}: expected a share from 0 to 1")
        return share
    number = number_of(f"{key} {name!r}", value)
    return (number, "core", "packet") if key == "add" else number


def _new_stage(name, value) -> tuple:
    known = {"ns": None, "on": ("core", "station"), "per": ("packet", "skb")}
    for part, each in value.items():
        if part not in known:
            raise MppsError(f"change add {name!r}: unknown key {part!r}: expected {', '.join(known)}")
        if known[part] and each not in known[part]:
            raise MppsError(f"change add {name!r}: {part} is {each!r}: expected {' or '.join(known[part])}")
    if "ns" not in value:
        raise MppsError(f"change add {name!r}: expected ns, the time that it takes, as {{ns: 50}}")
    return (
        number_of(f"add {name!r}", value["ns"]),
        value.get("on", "core"),
        value.get("per", "packet"),
    )


def number_of(what: str, value, zero: bool = False) -> float:
    """A positive number (0 too with `zero`), of a number or a text; `MppsError` naming the change otherwise."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    most = _AT_MOST.get(what, math.inf)
    whole = what in _WHOLE
    if not (math.isfinite(number) and (number > 0 or (zero and number == 0)) and number <= most) or (
        whole and number != int(number)
    ):
        expected = "a whole number from 1" if whole else "a number of at least 0" if zero else "a positive number"
        upto = f" to {most:,.0f}" if whole else f" up to {most:,.0f}" if math.isfinite(most) else ""
        raise MppsError(f"change {what}: found {value!r}: expected {expected}{upto}")
    if what in ("coalescing", "batch", "batch_from", "packet_bytes") and number < 1:
        raise MppsError(f"change {what}: found {value!r}: expected a number of at least 1")
    return number
