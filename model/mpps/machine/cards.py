"""Machine cards: one YAML file each in `data/machines/`, read strictly."""

import dataclasses
import difflib
import functools
import math
import pathlib
from types import MappingProxyType

from mpps.errors import DataError, unknown_name
from mpps.root import data_folder

#: Where the two CPUs of a line transfer sit, nearest first.
LINE_CLASSES = ("smt_sibling", "same_cluster", "other_cluster", "other_socket")

# Kind and unit of every fact; a count is a whole number of at least one.
_FACTS = {
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
_PLAIN = ("title", "role", "sources", "notes")
_FACT_KEYS = ("value", "lower", "upper", "source", "assumed", "not_stated", "reason", "note")
_ROLES = ("source", "target", "own")
_CORE_CLASSES = ("in-order", "out-of-order")


@dataclasses.dataclass(frozen=True)
class Quantity:
    """One fact of a machine; `lower` and `upper` are the ends of its 90 % range, None when it is exact."""

    value: float | str | None
    lower: float | None
    upper: float | None
    unit: str
    source: tuple[str, ...]  # keys of the card's sources
    assumed: bool = False
    not_stated: bool = False
    why: str = ""  # the reason of an assumption, or a note


@dataclasses.dataclass(frozen=True)
class Machine:
    """What a code path runs on. `facts` is keyed like the card: `clock.one_core`, `line_transfer.other_socket`, ..."""

    slug: str
    title: str
    role: str  # source: host of a published table; target: to predict for; own: a user's
    facts: MappingProxyType
    sources: MappingProxyType  # key -> what it cites
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Quantity:
        """The fact of that name; raises `UnknownNameError`."""
        if name not in self.facts:
            raise unknown_name("machine fact", name, self.facts)
        return self.facts[name]

    def line_transfer(self, line_class: str) -> Quantity:
        """Hand-off of a cache line within a class of `LINE_CLASSES`."""
        return self[f"line_transfer.{line_class}"]

    @property
    def threads(self) -> int:
        """CPUs that the card states or assumes (1 for every count that it does not give)."""
        counts = (self[f"topology.{name}"].value for name in ("sockets", "cores_per_socket", "threads_per_core"))
        return math.prod(int(count or 1) for count in counts)


def machines() -> tuple[str, ...]:
    """Slugs of the machines that ship with the workbook, in alphabetical order."""
    return tuple(sorted(path.stem for path in (data_folder() / "machines").glob("*.yaml")))


def load_machine(slug_or_path: str | pathlib.Path) -> Machine:
    """The machine of that slug, or of a user's own card when the name ends in `.yaml` or `.yml`.

    Raises `UnknownNameError` for an unknown slug and `DataError` for a card that cannot be taken as it is.
    """
    if str(slug_or_path).endswith((".yaml", ".yml")):
        path = pathlib.Path(slug_or_path)
    elif str(slug_or_path) in machines():
        path = data_folder() / "machines" / f"{slug_or_path}.yaml"
    else:
        raise unknown_name("machine", str(slug_or_path), machines())
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(f"{path.name}: cannot read the machine card: {reason}") from None
    return _parsed(path, text)


@functools.lru_cache(maxsize=64)
def _parsed(path: pathlib.Path, text: str) -> Machine:
    """A card is asked for hundreds of times in a notebook and parsed once for each text."""
    return _machine(path, _content(path, text))


def _content(path: pathlib.Path, text: str) -> dict:
    import yaml

    class Loader(yaml.SafeLoader):
        """Refuses a key that is written twice; plain YAML would keep the last one in silence."""

        def construct_mapping(self, node, deep=False):
            keys = [key.value for key, _ in node.value]
            for key in keys:
                if keys.count(key) > 1:
                    raise DataError(f"{path.name}: key {key!r} is written twice; keep one of them")
            return super().construct_mapping(node, deep)

    try:
        # The C loader would be faster, but cards are small and duplicates matter more.
        card = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DataError(f"{path.name}{where}: not valid YAML: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(card, dict):
        raise DataError(f"{path.name}: expected a mapping with the keys {', '.join(_PLAIN)} and the facts")
    return card


def _machine(path: pathlib.Path, card: dict) -> Machine:
    file = path.name
    groups = list(dict.fromkeys(name.split(".")[0] for name in _FACTS))
    _expect_keys(file, "", card, (*_PLAIN, *groups))
    sources = _sources(file, card["sources"])
    notes = card["notes"]
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise DataError(f"{file}: notes: expected a list of sentences ([] for none), found {notes!r}")
    if card["role"] not in _ROLES:
        raise DataError(f"{file}: role: found {card['role']!r}, expected one of {', '.join(_ROLES)}")
    if not isinstance(card["title"], str) or not card["title"].strip():
        raise DataError(f"{file}: title: expected a line of text, found {card['title']!r}")
    for group in groups:
        members = [name.split(".")[1] for name in _FACTS if name.startswith(group + ".")]
        if members:
            _expect_keys(file, group, card[group], members)
    facts = {}
    for name, (kind, unit) in _FACTS.items():
        group, _, member = name.partition(".")
        facts[name] = _quantity(file, name, card[group][member] if member else card[group], kind, unit, sources)
    if facts["core_class"].value not in (None, *_CORE_CLASSES):
        found = facts["core_class"].value
        raise DataError(f"{file}: core_class.value: found {found!r}, expected one of {', '.join(_CORE_CLASSES)}")
    return Machine(
        path.stem, card["title"], card["role"], MappingProxyType(facts), MappingProxyType(sources), tuple(notes)
    )


def _sources(file: str, sources) -> dict[str, str]:
    if not isinstance(sources, dict) or not sources:
        raise DataError(f"{file}: sources: expected a mapping of short keys to citations, found {sources!r}")
    for key, text in sources.items():
        if not isinstance(key, str) or not isinstance(text, str) or not text.strip():
            raise DataError(f"{file}: sources.{key}: expected a citation in words, found {text!r}")
    return dict(sources)


def _quantity(file: str, name: str, raw, kind: str, unit: str, sources: dict) -> Quantity:
    where = f"{file}: {name}"
    if not isinstance(raw, dict):
        raise DataError(f"{where}: found {raw!r}, expected a mapping such as {{value: ..., source: ...}}")
    _expect_keys(file, name, raw, _FACT_KEYS, required=())
    flags = {}
    for flag in ("assumed", "not_stated"):
        flags[flag] = raw.get(flag, False)
        if not isinstance(flags[flag], bool):
            raise DataError(f"{where}.{flag}: found {flags[flag]!r}, expected true or false")
    cited = raw.get("source", [])
    cited = tuple(cited) if isinstance(cited, list) else (cited,)
    for key in cited:
        if not isinstance(key, str) or key not in sources:
            raise DataError(f"{where}.source: {_nearest(key, sources)}")
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
    if flags["assumed"]:
        needed = ["reason"] if kind == "text" else ["reason", "lower", "upper"]
        missing = [key for key in needed if key not in raw]
        if missing:
            raise DataError(f"{where}: an assumed value needs {', '.join(needed)}; missing: {', '.join(missing)}")
    if ("lower" in raw) != ("upper" in raw):
        raise DataError(f"{where}: lower and upper come together, found only one")
    if kind == "text":
        if not isinstance(raw["value"], str) or not raw["value"].strip() or "lower" in raw:
            raise DataError(f"{where}.value: found {raw['value']!r}, expected a line of text without a range")
        return Quantity(raw["value"], None, None, unit, cited, flags["assumed"], why=why)
    value, lower, upper = (_number(f"{where}.{key}", raw.get(key), kind, unit) for key in ("value", "lower", "upper"))
    if lower is not None and not lower <= value <= upper:
        raise DataError(f"{where}: expected lower <= value <= upper, found {lower:g}, {value:g}, {upper:g}")
    return Quantity(value, lower, upper, unit, cited, flags["assumed"], why=why)


def _number(where: str, raw, kind: str, unit: str) -> float | None:
    if raw is None and not where.endswith(".value"):
        return None
    number = isinstance(raw, (int, float)) and not isinstance(raw, bool) and math.isfinite(raw)
    if not number or raw <= 0 or (kind == "count" and raw != int(raw)):
        expected = "a whole number of at least 1" if kind == "count" else f"a positive number in {unit}"
        raise DataError(f"{where}: found {raw!r}, expected {expected}")
    return float(raw)


def _expect_keys(file: str, where: str, mapping, known, required=None) -> None:
    prefix = f"{file}: {where}" if where else file
    if not isinstance(mapping, dict):
        raise DataError(f"{prefix}: found {mapping!r}, expected a mapping with the keys {', '.join(known)}")
    for key in mapping:
        if key not in known:
            raise DataError(f"{prefix}: {_nearest(key, known)}")
    missing = [key for key in (known if required is None else required) if key not in mapping]
    if missing:
        raise DataError(f"{prefix}: missing {', '.join(missing)}; write not_stated: true where the source is silent")


def _nearest(found, known) -> str:
    near = difflib.get_close_matches(str(found), [str(key) for key in known], n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"unknown key {found!r}: {hint}expected one of {', '.join(map(str, known))}"
