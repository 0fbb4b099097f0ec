"""Hosts of `data/corpus/moves.yaml` as machines, and what ran on them."""

import functools
from dataclasses import dataclass, replace
from types import MappingProxyType

from mpps.machine import Machine, Quantity, load_machine, machines
from mpps.root import data_folder

#: A card that states nothing: what is not known of a host is a prior.
BLANK = "tun_2016_host"


@dataclass(frozen=True)
class Operation:
    """Time of one operation on one core of a host, ns; state: of the mitigations, where a card tells several apart."""

    operation: str
    host: str
    ns: float
    source: str
    state: str = ""


@dataclass(frozen=True)
class HostCurve:
    """One benchmark on one host: a variant of a data set of the corpus."""

    benchmark: str
    host: str
    dataset: str
    variant: str
    source: str


def operations() -> tuple[Operation, ...]:
    """The operations of the cards in `data/machines/`, then those of `moves.yaml`."""
    found = []
    for slug in machines():
        card = load_machine(slug)
        for costs in card.costs:
            for name, fact in costs.operations.items():
                said = "; ".join(card.sources[key] for key in fact.source)
                found.append(Operation(name, slug, fact.value, said, costs.mitigations))
    return (*found, *(Operation(**row) for row in _file()["operations"]))


def curves() -> tuple[HostCurve, ...]:
    """The curves of `moves.yaml`."""
    return tuple(HostCurve(**row) for row in _file()["curves"])


def machine_of(host: str, state: str = "") -> Machine:
    """The machine of a host: its card, or one that states the few known facts; in a state of the mitigations."""
    entry = _file()["hosts"].get(host, {"machine": host})
    if "machine" in entry:
        card = load_machine(entry["machine"])
    else:
        blank = load_machine(BLANK)
        facts = dict(blank.facts)
        for name, value in entry["facts"].items():
            value = value if isinstance(value, str) else float(value)
            facts[name] = Quantity(value, None, None, facts[name].unit, ("stated",))
        card = replace(blank, slug=host, title=host, facts=MappingProxyType(facts))
    if not state or state.startswith("not stated"):
        return card
    facts = dict(card.facts) | {"mitigations": Quantity(state, None, None, "", ("stated",))}
    return replace(card, facts=MappingProxyType(facts))


@functools.lru_cache(maxsize=1)
def _file() -> dict:
    import yaml

    return yaml.safe_load((data_folder() / "corpus" / "moves.yaml").read_text(encoding="utf-8"))
