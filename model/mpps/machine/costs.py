"""Published costs of single operations on a machine, one set for each state of its mitigations."""

import re
from dataclasses import dataclass
from types import MappingProxyType

from mpps.errors import DataError
from mpps.machine.facts import Quantity, cited_keys, expect_keys, number

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True)
class CostSet:
    """Times of operations, uncontended, measured under one state of the mitigations.

    `operations`: name -> Quantity in ns. They are for checking a model against; none enters a prediction.
    """

    mitigations: str
    operations: MappingProxyType


def parse_costs(file: str, raw, sources: dict) -> tuple[CostSet, ...]:
    """The cost sets of a card: `[{mitigations: words, source: key, operations: {name: ns or {value:, ...}}}, ...]`.

    A source at the set stands for every operation that names none. Raises `DataError`.
    """
    if not isinstance(raw, list):
        raise DataError(f"{file}: costs: found {raw!r}, expected a list of sets with mitigations, source, operations")
    sets = []
    for index, each in enumerate(raw, 1):
        where = f"costs, set {index}"
        expect_keys(file, where, each, ("mitigations", "source", "operations"), ("mitigations", "operations"))
        words = each["mitigations"]
        if not isinstance(words, str) or not words.strip():
            raise DataError(f"{file}: {where}.mitigations: found {words!r}, expected words, or 'not stated'")
        if words in (one.mitigations for one in sets):
            raise DataError(f"{file}: {where}.mitigations: {words!r} stands twice; put its operations into one set")
        if not isinstance(each["operations"], dict) or not each["operations"]:
            raise DataError(f"{file}: {where}.operations: expected operation: ns, found {each['operations']!r}")
        general = cited_keys(f"{file}: {where}", each["source"], sources) if "source" in each else ()
        operations = {
            name: _operation(f"{file}: {where}.{name}", name, value, general, sources)
            for name, value in each["operations"].items()
        }
        sets.append(CostSet(words, MappingProxyType(operations)))
    return tuple(sets)


def _operation(where: str, name, raw, general: tuple, sources: dict) -> Quantity:
    if not isinstance(name, str) or not _NAME.match(name):
        raise DataError(f"{where}: expected an operation's name in lower case such as spin_lock_pair")
    fact = raw if isinstance(raw, dict) else {"value": raw}
    file, _, rest = where.partition(": ")
    expect_keys(file, rest, fact, ("value", "lower", "upper", "source", "note"), ("value",))
    cited = cited_keys(where, fact["source"], sources) if "source" in fact else general
    if not cited:
        raise DataError(f"{where}: expected a source, here or for the whole set ({', '.join(sources)})")
    if ("lower" in fact) != ("upper" in fact):
        raise DataError(f"{where}: lower and upper come together, found only one")
    value, lower, upper = (
        number(f"{where}.{key}", fact[key], "number", "ns per operation") if key in fact else None
        for key in ("value", "lower", "upper")
    )
    if lower is not None and not lower <= value <= upper:
        raise DataError(f"{where}: expected lower <= value <= upper, found {lower:g}, {value:g}, {upper:g}")
    return Quantity(value, lower, upper, "ns", cited, why=str(fact.get("note", "")))
