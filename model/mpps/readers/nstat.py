"""nstat: `IpInReceives  3326983  0.0` under `#kernel`, and its JSON.

Source of the format: misc/nstat.c of iproute2: name, change of the counter since the last call, smoothed rate a second.
"""

import re

from mpps.readers.core.jsontext import Fields, Scalar, documents, get, looks_like_json
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_LINE = re.compile(
    r"\s{0,8}((?:Ip|Icmp|Tcp|Udp|IpExt|TcpExt|UdpLite|Ip6|Udp6|Icmp6|MPTcp|Sctp|UdpLite6"
    r"|XfrmI?)[A-Z0-9][A-Za-z0-9]{1,60})\s{1,48}(\d{1,20})\s{1,24}(\d{1,16}\.\d{1,6})\s{0,4}"
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    hits = [
        (line, text) for line, text in enumerate(source.lines[:20000], 1) if len(text) < 200 and _LINE.fullmatch(text)
    ]
    if hits:
        marked = any(text.strip() == "#kernel" for text in source.lines[:200])
        return Claim(
            93 if marked or len(hits) > 2 else 70, f"line {hits[0][0]} is a counter of nstat: {hits[0][1].split()[0]!r}"
        )
    if looks_like_json(source) and '"kernel"' in source.text[:200]:
        return Claim(93, 'JSON with "kernel" counters is of nstat')
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, seen = [], {}
    if looks_like_json(source):
        for document in documents(source):
            counters = get(document, "kernel")
            for name, value in counters.items() if isinstance(counters, Fields) else ():
                if isinstance(value, Scalar) and value.kind == "number":
                    rows.append(number_row(source, value.line, name, value.text, "count", variant="kernel"))
        return finished(source, rows, ["counters as nstat prints them"], "counters of nstat", '"IpInReceives": 3326983')
    for line, text in enumerate(source.lines, 1):
        match = _LINE.fullmatch(text) if len(text) < 200 else None
        if match is None:
            continue
        seen[match[1]] = seen.get(match[1], 0) + 1
        repeat = seen[match[1]] if seen[match[1]] > 1 else None
        rows.append(number_row(source, line, match[1], match[2], "count", variant="kernel", repeat=repeat))
        if float(match[3]) != 0:
            rows.append(number_row(source, line, f"{match[1]} rate", match[3], "1/s", variant="kernel", repeat=repeat))
    told = ["changes of counters since nstat was called before; the time between is not printed"]
    return finished(source, rows, told, "counters of nstat", "IpInReceives   3326983   0.0")


READER = Reader("nstat", "nstat: changes of kernel counters", claim, read)
