"""ethtool statistics: changes a second as ethtool_stats.pl prints them, and counters of `ethtool -S`.

Source of the format: bin/ethtool_stats.pl of netoptimizer/network-testing, `Ethtool(eth0) stat: N (N,NNN) <= name /sec`;
ethtool -S prints `NIC statistics:` and `name: value`.
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_DELTA = re.compile(
    r"\s{0,8}Ethtool\(\s{0,4}([^)\s]{1,24})\s{0,12}\)\s{1,4}stat:\s{1,30}(-?\d[\d,]{0,26})"
    r"(?:\s{1,4}\(\s{0,30}(-?[\d,]{1,28})\))?\s{1,4}<=\s{1,4}(\S{1,64})(?:\s{0,4}(/sec))?"
)
_HEAD = re.compile(r"\s{0,8}NIC statistics:")
_COUNTER = re.compile(r"\s{1,12}([A-Za-z][\w.\[\]\-: ]{0,63}?):\s{1,8}(\d{1,20})\s{0,4}")
_NODE = re.compile(r"\s{0,8}(?:Show adapter\(s\) \(([^)]{1,60})\)|\$? ?ethtool -S (\S{1,24}))")


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:20000], 1):
        text = text[:300]
        if match := _DELTA.match(text):
            return Claim(94, f"line {line} is of ethtool_stats.pl: {match[0].strip()[:60]!r}")
        if _HEAD.match(text):
            return Claim(90, f"line {line} heads the counters of ethtool -S: {text.strip()!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, seen = [], {}
    device, inside = "ethtool", False
    for line, text in enumerate(source.lines, 1):
        text = text[:300]
        if match := _DELTA.match(text):
            unit = _rate_unit(match[4]) if match[5] else "count"
            rows.append(_row(source, line, match[4], match[2], unit, match[1], seen))
            continue
        if match := _NODE.match(text):
            device = match[1] or match[2]
        if _HEAD.match(text):
            inside = True
        elif inside and (match := _COUNTER.fullmatch(text)):
            unit = "bytes" if re.search(r"bytes|octets", match[1]) else "count"
            rows.append(_row(source, line, match[1].strip(), match[2], unit, device, seen))
        elif text.strip() and not text.startswith((" ", "\t")):
            inside = False
    told = (
        ["counters that changed, each a second"]
        if any("/s" in row.unit for row in rows)
        else ["counters since the driver started"]
    )
    told.append("no count of queues is taken from the names; say --n-from name for a file a run")
    return finished(
        source, rows, told, "statistics of ethtool", "Ethtool(eth0) stat: 34585 ( 34,585) <= rx_packets /sec"
    )


def _row(source: Source, line: int, name: str, text: str, unit: str, device: str, seen: dict):
    seen[device, name] = seen.get((device, name), 0) + 1
    repeat = seen[device, name]
    return number_row(source, line, name, text, unit, variant=device, repeat=repeat if repeat > 1 else None)


def _rate_unit(name: str) -> str:
    if re.search(r"bytes(?!_phy$)|octets", name) and not re.search(r"_\d+_?(?:to_\d+_)?bytes", name):
        return "B/s"
    if re.search(r"bytes_phy$", name) and not re.search(r"_\d+_(?:to_\d+_)?bytes_phy$", name):
        return "B/s"
    if re.search(r"packets|xdp_|discard|drop|_bytes_phy|out_of_buffer|ucast|mcast|bcast|pkts", name):
        return "packets/s"
    return "1/s"


READER = Reader("ethtool", "ethtool -S counters and their changes a second", claim, read)
