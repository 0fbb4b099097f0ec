"""Source cards: what a table of measurements is, where it comes from, what it leaves open.

`data/README.md` explains the keys. A card never holds a person's name or an address.
"""

import datetime
import re
from dataclasses import dataclass, field

from mpps.errors import DataError
from mpps.measurements.nodes import Node, read_yaml
from mpps.rounding import printed_change_interval
from mpps.units import known_units

NOT_STATED = "not stated"
NOT_APPLICABLE = "not applicable"

#: Layers at which a bit rate, or the size of a packet, may count.
PACKET_LAYERS = (
    "IP",
    "Ethernet with FCS",
    "Ethernet without FCS",
    "TCP payload",
    "UDP payload",
    NOT_STATED,
    NOT_APPLICABLE,
)

REQUIRED_KEYS = (
    "title",
    "kind",
    "mailing_list",
    "date",
    "message_id",
    "commit",
    "measured",
    "counts",
    "hardware",
    "kernel",
    "packet_bytes",
    "packet_layer",
    "samples",
    "variants",
    "metrics",
    "not_stated",
    "traps",
    "sha256",
)
OPTIONAL_KEYS = ("columns", "truncated", "checks", "facts", "statements", "references")


@dataclass(frozen=True)
class Samples:
    """How a printed value came about; None for a count that the source does not state."""

    count: int | None
    boots: int | None
    statistic: str
    spread: str


@dataclass(frozen=True)
class Check:
    """A change that the source prints: it must follow from the rows, up to rounding, and is no row itself."""

    before: str  # variant
    after: str  # variant
    metric: str
    n: float
    printed: str  # "+2.89%" or "about 23%"
    where: dict[str, str] = field(default_factory=dict)  # label columns, such as gro


@dataclass(frozen=True)
class Fact:
    """A number that the source gives outside its table; a range has two ends."""

    value: float | tuple[float, float]
    unit: str
    printed: str  # the words of the source that hold it
    place: str

    @property
    def ends(self) -> tuple[float, float]:
        """Lower and upper end; equal for a single number."""
        return self.value if isinstance(self.value, tuple) else (self.value, self.value)


@dataclass(frozen=True)
class Statement:
    """A condition or a consequence that the source gives in words."""

    says: str
    printed: str  # the words of the source that carry it
    place: str


@dataclass(frozen=True)
class Reference:
    """Another message or commit that the source names; `found` tells whether the source text holds the id."""

    id: str
    what: str
    found: str


@dataclass(frozen=True)
class Card:
    """The source card of one table. Texts are "not stated" where the source is silent, numbers None."""

    title: str
    kind: str
    mailing_list: str
    date: str  # YYYY-MM-DD
    message_id: str  # without the part behind the @
    commit: str
    measured: str
    counts: str  # what n counts
    hardware: str  # slug of a machine
    kernel: str
    packet_bytes: float | None
    packet_layer: str  # one of PACKET_LAYERS
    samples: Samples
    variants: dict[str, str]  # name -> what it is
    metrics: dict[str, str]
    not_stated: tuple[str, ...]
    traps: tuple[str, ...]
    sha256: str  # of the CSV
    columns: dict[str, str]
    truncated: dict[str, str]  # metric whose values were cut, not rounded -> why
    checks: tuple[Check, ...]
    facts: dict[str, Fact]
    statements: dict[str, Statement]
    references: tuple[Reference, ...]


def read_card(path) -> Card:
    """The card in a YAML file. Raises `DataError` that names the file, line and key of a mistake."""
    keys = read_yaml(path).fields(REQUIRED_KEYS, OPTIONAL_KEYS)
    return Card(**{name: _READ[name](keys[name]) if name in keys else _READ_NOTHING[name] for name in _READ})


def _words(node: Node) -> dict[str, str]:
    return {name: value.text() for name, value in node.entries().items()}


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(item.text() for item in node.items())


def _date(node: Node) -> str:
    text = node.text()
    if text != NOT_STATED:
        try:
            datetime.datetime.strptime(text, "%Y-%m-%d")
        except ValueError:
            raise node.wrong("a date", f"write YYYY-MM-DD or '{NOT_STATED}'") from None
    return text


def _packet_bytes(node: Node) -> float | None:
    if node.raw.value in (NOT_STATED, NOT_APPLICABLE):
        return None
    number = node.number()
    if number <= 0:
        raise node.wrong("a size above zero", f"write bytes or '{NOT_STATED}'")
    return number


def _samples(node: Node) -> Samples:
    keys = node.fields(("count", "boots", "statistic", "spread"))
    count, boots = (None if keys[name].raw.value == NOT_STATED else keys[name].whole() for name in ("count", "boots"))
    return Samples(count, boots, keys["statistic"].text(), keys["spread"].text())


def _checks(node: Node) -> tuple[Check, ...]:
    checks = []
    for item in node.items():
        keys = item.fields(("before", "after", "metric", "n", "printed"), ("where",))
        before, after, metric, printed = (keys[name].text() for name in ("before", "after", "metric", "printed"))
        try:
            printed_change_interval(printed)
        except DataError:
            raise keys["printed"].wrong("a printed change", "write it as +2.89% or about 23%") from None
        where = _words(keys["where"]) if "where" in keys else {}
        checks.append(Check(before, after, metric, keys["n"].number(), printed, where))
    return tuple(checks)


def _fact(node: Node) -> Fact:
    keys = node.fields(("value", "unit", "printed", "place"))
    value = keys["value"]
    if value.raw.id == "sequence":
        ends = tuple(item.number() for item in value.items())
        if len(ends) != 2 or ends[0] > ends[1]:
            raise value.wrong("two ends, the lower one first", "write [lower, upper]", found=repr(list(ends)))
        number: float | tuple[float, float] = ends
    else:
        number = value.number()
    return Fact(number, keys["unit"].choice("unit", known_units()), keys["printed"].text(), keys["place"].text())


def _statement(node: Node) -> Statement:
    keys = node.fields(("says", "printed", "place"))
    return Statement(*(keys[name].text() for name in ("says", "printed", "place")))


def _reference(node: Node) -> Reference:
    keys = node.fields(("id", "what", "found"))
    found = keys["found"].choice("place", ("source", "elsewhere"))
    return Reference(keys["id"].text(), keys["what"].text(), found)


def _sha256(node: Node) -> str:
    text = node.text()
    if re.fullmatch("[0-9a-f]{64}", text) is None:
        raise node.wrong("64 hexadecimal digits in lower case", "write what sha256sum prints for the CSV")
    return text


_READ = {
    **dict.fromkeys(REQUIRED_KEYS, Node.text),
    "date": _date,
    "packet_bytes": _packet_bytes,
    "packet_layer": lambda node: node.choice("layer", PACKET_LAYERS),
    "samples": _samples,
    "variants": _words,
    "metrics": _words,
    "not_stated": _texts,
    "traps": _texts,
    "sha256": _sha256,
    "columns": _words,
    "truncated": _words,
    "checks": _checks,
    "facts": lambda node: {name: _fact(value) for name, value in node.entries().items()},
    "statements": lambda node: {name: _statement(value) for name, value in node.entries().items()},
    "references": lambda node: tuple(_reference(item) for item in node.items()),
}
_READ_NOTHING = {"columns": {}, "truncated": {}, "checks": (), "facts": {}, "statements": {}, "references": ()}
