"""Which variants of a table are before and after a change: by their names, or as the only two, in the order of the table."""

import re
from dataclasses import dataclass

from mpps.answers.own.series import Rates

_PATCH = r"(?:the |this )?(?:patch(?:es|set)?|change|series)"
_BEFORE = re.compile(
    r"\b(?:before|old|vanilla|base|baseline|stock|mainline|upstream|unpatched|original|orig"
    rf"|(?:without|w/o)(?: {_PATCH})?|no {_PATCH})(?!\w)",
    re.IGNORECASE,
)
_AFTER = re.compile(rf"\b(?:after|new|patched|with(?: {_PATCH})?)(?!\w)|(?:\bw/|\+) ?{_PATCH}(?!\w)", re.IGNORECASE)
_ALONE = re.compile(rf"{_PATCH}(?!\w)", re.IGNORECASE)
#: Words that say nothing of which of several pairs a variant belongs to.
_FILLERS = frozenset({"the", "this", "patch", "patches", "patchset", "change", "series", "applied", "kernel", "commit"})


@dataclass(frozen=True)
class Pair:
    """Places of two series, before and after a change; assumed: "" where their names say so, else why it is taken so."""

    before: int
    after: int
    assumed: str = ""


def pairs(series: list[Rates]) -> list[Pair]:
    """Pairs among series of one data set, metric and unit; where variants are the same, among data sets (two files)."""
    found: list[Pair] = []
    groups: dict[tuple, list[int]] = {}
    for place, each in enumerate(series):
        groups.setdefault((each.dataset, each.metric, each.unit, each.each), []).append(place)
    for places in groups.values():
        found += _named([(place, series[place].variant) for place in places])
        if len(places) == 2 and not {pair.before for pair in found} & set(places):
            found.append(_only_two(places, [series[place].variant for place in places]))
    files: dict[tuple, list[int]] = {}
    for place, each in enumerate(series):
        files.setdefault((each.variant, each.metric, each.unit, each.each), []).append(place)
    taken = {place for pair in found for place in (pair.before, pair.after)}
    for places in files.values():
        if len(places) > 1 and not taken & set(places):
            found += _named([(place, series[place].dataset) for place in places])
    return sorted(found, key=lambda pair: (pair.before, pair.after))


def _only_two(places, names) -> Pair:
    """The only two variants of a table, in its order unless one of them says otherwise."""
    roles = [role(name)[1] for name in names]
    if roles[0] == roles[1]:
        both = " and ".join(map(repr, names))
        return Pair(*places, f"{both} are the only two variants of the table: the first is taken as before, the second as after")
    told = 0 if roles[0] else 1
    first = told if roles[told] == "before" else 1 - told
    why = f"{names[told]!r} says that it is {roles[told]} a change; {names[1 - told]!r} is the only other variant of the table"
    return Pair(places[first], places[1 - first], why)


def _named(names: list[tuple[int, str]]) -> list[Pair]:
    """Pairs whose names differ in a word for before and one for after; a bare name and the same with "patched" are one too."""
    told = [(place, *role(name)) for place, name in names]
    before = [(place, rest) for place, rest, which in told if which == "before"]
    bare = [(place, rest) for place, rest, which in told if not which]
    found = []
    for place, rest, which in told:
        if which != "after":
            continue
        same = [start for start, own in before if own == rest] or [start for start, own in bare if own == rest]
        if not same and len(before) == 1:
            # "vanilla" goes with "patched v2" and "patched v3".
            same = [before[0][0]] if not before[0][1] or not rest else []
        if len(same) == 1:
            found.append(Pair(same[0], place))
    return found


def role(name: str) -> tuple[str, str]:
    """What a name says beside the word that places it, in lower case, and "before", "after" or "" for neither or both."""
    spaced = re.sub(r"(?<=\w)[_-](?=[A-Za-z])", " ", name)
    before = _BEFORE.search(spaced)
    # "before patch" is no patched one.
    after = _AFTER.search(spaced) or (None if before else _ALONE.search(spaced))
    if before and after and before.start() <= after.start() < before.end():
        after = None
    if after and after[0].startswith("+"):
        before = None  # "base+patch"
    if bool(before) == bool(after):
        return _bare(spaced), ""
    match = before or after
    return _bare(spaced[: match.start()] + " " + spaced[match.end() :]), "before" if before else "after"


def _bare(text: str) -> str:
    return " ".join(word for word in re.sub(r"[^\w.]+", " ", text).lower().split() if word not in _FILLERS)
