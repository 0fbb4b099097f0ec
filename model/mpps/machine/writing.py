"""The text of a machine card, with a comment for each group."""

import json
from dataclasses import dataclass, field

from mpps.machine.facts import NEEDED, OPTIONAL

_HEAD = """\
# A machine card of your own: mpps predict PATH --cores 1-64 --machine THIS_FILE.yaml
# Every fact has a source, or is assumed with a range and a reason, or is not_stated: then a named prior stands in.
# To fill one in, replace {not_stated: ...} by {value: 3.4, source: datasheet} and add datasheet to the sources,
# or by {value: 3.4, lower: 3.0, upper: 3.6, assumed: true, reason: "why"}.
"""
_ABOUT = {
    "topology": "counts of one kind of core; cluster_cores share the cache named in cluster_cache",
    "clock": "GHz; all_cores may be joined by by_active_cores: {value: [[1, 3.7], [32, 3.1]], source: ...}",
    "line_transfer": "ns, one way, between two CPUs; lower and upper are the 5th and 95th percentile over pairs",
    "device": "link in Gbit/s, packet_ceiling in Mpps",
}


@dataclass
class Draft:
    """Facts as they are found; `text` writes them in the order of a card."""

    title: str = ""
    sources: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _facts: dict[str, str] = field(default_factory=dict)

    def fact(self, name, value, source, ends=None, why="", *, note="", missing="") -> None:
        """A fact with its source, an assumed one when there is a `why`, a missing one when `value` is None."""
        if value is None:
            self._facts[name] = f"{{not_stated: true{', note: ' + _quoted(missing) if missing else ''}}}"
            return
        parts = [f"value: {_quoted(value) if isinstance(value, str) else f'{value:g}'}"]
        if ends is not None:
            parts.append("lower: {:g}, upper: {:g}".format(*ends))
        if why:
            parts.append(f"assumed: true, reason: {_quoted(why)}")
        parts.append(f"source: {source}")
        if note:
            parts.append(f"note: {_quoted(note)}")
        self._facts[name] = "{" + ", ".join(parts) + "}"

    def count(self, name, sizes, source, *, missing="") -> None:
        """A count of which the machine may have several, the most common first."""
        if not sizes:
            self.fact(name, None, source, missing=missing)
        elif len(sizes) == 1:
            self.fact(name, sizes[0], source)
        else:
            ends = min(sizes), max(sizes)
            self.fact(name, sizes[0], source, ends, f"the kernel shows {ends[0]} to {ends[1]}, most often {sizes[0]}")

    def text(self) -> str:
        """The card."""
        lines = [f"{_HEAD}title: {_quoted(self.title)}", "role: own", "sources:"]
        lines += [f"  {key}: {_quoted(words)}" for key, words in self.sources.items()]
        group = ""
        for name in sorted(self._facts, key=list(_order()).index):
            first, _, member = name.partition(".")
            if member and first != group:
                lines.append(f"{first}:  # {_ABOUT[first]}")
            group = first
            lines.append(f"{'  ' if member else ''}{member or first}: {self._facts[name]}")
        lines += ["notes:", *(f"  - {_quoted(note)}" for note in self.notes)] if self.notes else ["notes: []"]
        return "\n".join(lines) + "\n"


def _order():
    """Names of facts, each optional one behind the last of its group."""
    names = list(NEEDED)
    for name in OPTIONAL:
        group = [each for each in names if each.split(".")[0] == name.split(".")[0]]
        names.insert(names.index(group[-1]) + 1 if group else len(names), name)
    return names


def _quoted(words: str) -> str:
    """Words in double quotes, which YAML reads as JSON does; what cannot be printed is a question mark."""
    line = "".join(each if each.isprintable() else "?" for each in " ".join(words.split()))
    return json.dumps(line, ensure_ascii=False)
