"""Machine cards: one YAML file each in `data/machines/`, read strictly."""

import functools
import math
import pathlib
from dataclasses import dataclass
from types import MappingProxyType

from mpps.errors import DataError, unknown_name
from mpps.machine.costs import CostSet, parse_costs
from mpps.machine.facts import LINE_CLASSES, NEEDED, OPTIONAL, Quantity, expect_keys, parse_fact
from mpps.root import data_folder
from mpps.strict_yaml import parsed_yaml

__all__ = ["LINE_CLASSES", "CostSet", "Machine", "Quantity", "load_machine", "machine_from_text", "machines"]

_PLAIN = ("title", "role", "sources", "notes")
_ROLES = ("source", "target", "own")
_CORE_CLASSES = ("in-order", "out-of-order")
# CPUs that a Linux kernel counts at most on x86 (NR_CPUS in arch/x86/Kconfig).
_MOST_CPUS = 8192


@dataclass(frozen=True)
class Machine:
    """What a code path runs on. `facts` is keyed like the card: `clock.one_core`, `line_transfer.other_socket`, ..."""

    slug: str
    title: str
    role: str  # source: host of a published table; target: to predict for; own: a user's
    facts: MappingProxyType
    sources: MappingProxyType  # key -> what it cites
    notes: tuple[str, ...]
    costs: tuple[CostSet, ...] = ()

    def __getitem__(self, name: str) -> Quantity:
        """The fact of that name; raises `UnknownNameError`."""
        if name not in self.facts:
            raise unknown_name("machine fact", name, self.facts)
        return self.facts[name]

    def line_transfer(self, line_class: str) -> Quantity:
        """Hand-off of a cache line within a class of `LINE_CLASSES`."""
        return self[f"line_transfer.{line_class}"]

    def how_known(self) -> dict[str, int]:
        """How many of the facts that every card speaks about are `stated`, `assumed` and `missing`."""
        found = [self.facts[name].how for name in NEEDED]
        return {how: found.count(how) for how in ("stated", "assumed", "missing")}

    @property
    def threads(self) -> int:
        """CPUs that the card states or assumes (1 for every count that it does not give)."""
        counts = (self[f"topology.{name}"].value for name in ("sockets", "cores_per_socket", "threads_per_core"))
        return math.prod(int(count or 1) for count in counts)


def machines() -> tuple[str, ...]:
    """Slugs of the machines that ship with the workbook, in alphabetical order."""
    return tuple(sorted(path.stem for path in (data_folder() / "machines").glob("*.yaml")))


def load_machine(slug_or_path: str | pathlib.Path | Machine) -> Machine:
    """The machine of that slug, or of a user's own card when the name ends in `.yaml` or `.yml`; a machine is itself.

    Raises `UnknownNameError` for an unknown slug and `DataError` for a card that cannot be taken as it is.
    """
    if isinstance(slug_or_path, Machine):
        return slug_or_path
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


def machine_from_text(name: str, text: str) -> Machine:
    """The machine of a card that is in no file yet: `name` stands for the file's. Raises `DataError`."""
    return _parsed(pathlib.Path(name), text)


@functools.lru_cache(maxsize=64)
def _parsed(path: pathlib.Path, text: str) -> Machine:
    """A card is asked for hundreds of times in a notebook and parsed once for each text."""
    return _machine(path, _content(path, text))


def _content(path: pathlib.Path, text: str) -> dict:
    card = parsed_yaml(path.name, text)
    keys = f"expected a mapping with the keys {', '.join(_PLAIN)} and the facts"
    if card is None:
        raise DataError(f"{path.name}: the machine card is empty: {keys}")
    if not isinstance(card, dict):
        raise DataError(f"{path.name}: found {type(card).__name__} {str(card)[:40]!r}, {keys}")
    return card


def _machine(path: pathlib.Path, card: dict) -> Machine:
    file = path.name
    groups = _groups(NEEDED)
    further = [group for group in (*_groups(OPTIONAL), "costs") if group not in groups]
    expect_keys(file, "", card, (*_PLAIN, *groups, *further), (*_PLAIN, *groups))
    sources = _sources(file, card["sources"])
    notes = card["notes"]
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise DataError(f"{file}: notes: expected a list of sentences ([] for none), found {notes!r}")
    if card["role"] not in _ROLES:
        raise DataError(f"{file}: role: found {card['role']!r}, expected one of {', '.join(_ROLES)}")
    if not isinstance(card["title"], str) or not card["title"].strip():
        raise DataError(f"{file}: title: expected a line of text, found {card['title']!r}")
    for group in groups:
        members, more = (_members(group, names) for names in (NEEDED, OPTIONAL))
        if members:
            expect_keys(file, group, card[group], (*members, *more), members)
    facts = {}
    for name, (kind, unit) in (NEEDED | OPTIONAL).items():
        group, _, member = name.partition(".")
        raw = (card[group] if member else card).get(member or group, {"not_stated": True})
        facts[name] = parse_fact(file, name, raw, kind, unit, sources)
    if facts["core_class"].value not in (None, *_CORE_CLASSES):
        found = facts["core_class"].value
        raise DataError(f"{file}: core_class.value: found {found!r}, expected one of {', '.join(_CORE_CLASSES)}")
    _fit_together(file, facts)
    against = facts["relative_work_per_cycle"].against
    if against and (against == path.stem or against not in machines()):
        raise DataError(
            f"{file}: relative_work_per_cycle.against: found {against!r}, expected another machine of `mpps list machines`:"
            f" {', '.join(name for name in machines() if name != path.stem)}"
        )
    costs = parse_costs(file, card.get("costs", []), sources)
    shown = MappingProxyType(facts), MappingProxyType(sources)
    return Machine(path.stem, card["title"], card["role"], *shown, tuple(notes), costs)


def _groups(names) -> list[str]:
    return list(dict.fromkeys(name.split(".")[0] for name in names))


def _members(group: str, names) -> list[str]:
    return [name.split(".")[1] for name in names if name.startswith(group + ".")]


def _fit_together(file: str, facts: dict) -> None:
    """Raises `DataError` for two facts that cannot both hold, whatever their ranges."""
    one, every, cores, cluster, table = (
        facts[name]
        for name in (
            "clock.one_core",
            "clock.all_cores",
            "topology.cores_per_socket",
            "topology.cluster_cores",
            "clock.by_active_cores",
        )
    )
    if _least(every) > _most(one):
        raise DataError(
            f"{file}: clock.all_cores: found {every.value:g} GHz above clock.one_core, {one.value:g} GHz; "
            "expected a clock that does not rise with active cores"
        )
    cpus = [facts[f"topology.{name}"] for name in ("sockets", "cores_per_socket", "threads_per_core")]
    if (
        found := math.prod(fact.value if fact.upper is None else fact.upper for fact in cpus if fact.value)
    ) > _MOST_CPUS:
        raise DataError(
            f"{file}: topology: found {found:,.0f} CPUs, sockets x cores_per_socket x threads_per_core; "
            f"expected at most {_MOST_CPUS:,}, as a kernel counts"
        )
    if _least(cluster) > _most(cores):
        raise DataError(
            f"{file}: topology.cluster_cores: found {cluster.value:g} in a socket of {cores.value:g} cores; "
            "expected at most as many, or not_stated: true when the whole socket shares a cache"
        )
    if table.value and table.value[-1][0] > _most(cores):
        raise DataError(
            f"{file}: clock.by_active_cores: found {table.value[-1][0]} active cores, more than a socket has; "
            "expected counts of one socket, up to cores_per_socket"
        )


def _least(fact: Quantity) -> float:
    return -math.inf if fact.not_stated else fact.value if fact.lower is None else fact.lower


def _most(fact: Quantity) -> float:
    return math.inf if fact.not_stated else fact.value if fact.upper is None else fact.upper


def _sources(file: str, sources) -> dict[str, str]:
    if not isinstance(sources, dict) or not sources:
        raise DataError(f"{file}: sources: expected a mapping of short keys to citations, found {sources!r}")
    for key, text in sources.items():
        if not isinstance(key, str) or not isinstance(text, str) or not text.strip():
            raise DataError(f"{file}: sources.{key}: expected a citation in words, found {text!r}")
    return dict(sources)
