"""netperf: interim lines of -D, the tables of stream and request/response tests, and key=value of omni tests (-k, -o).

Source of the format: the netperf manual, sections 2 to 8 ("10^6bits/sec", "Trans. Rate per sec"), and nettest_omni.c.
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_INTERIM = re.compile(r"Interim result:\s{1,4}([\d.]{1,20})\s{0,3}(\S{1,20})\s{1,3}over\s{1,3}([\d.]{1,12}) sec")
_TEST = re.compile(
    r"(?:MIGRATED )?((?:TCP|UDP|SCTP|DCCP|OMNI)[ _][A-Z_a-z/ ]{0,30}?)\s(?:TEST|Test)\b|-t\s{1,2}((?:TCP|UDP"
    r"|SCTP)_\w{1,12})"
)
_KEY = re.compile(
    r"\s{0,4}(THROUGHPUT|THROUGHPUT_UNITS|[A-Z_]{2,30}LATENCY|LOCAL_CPU_UTIL|REMOTE_CPU_UTIL|TRANSACTION_RATE"
    r"|ELAPSED_TIME)=(.{1,40})"
)
_UNITS = {"10^6bits/sec": "Mbit/s", "10^6bits/s": "Mbit/s", "10^3bits/sec": "kbit/s", "10^9bits/s": "Gbit/s", "10^9bits/sec": "Gbit/s",
          "Trans/s": "transactions/s", "MBytes/s": "MB/s", "KBytes/s": "kB/s", "GBytes/s": "GB/s", "MBytes/sec": "MB/s", "KBytes/sec": "kB/s"}  # fmt: skip
_HEAD_UNIT = re.compile(r"(10\^[369]bits/s(?:ec)?|[KMG]Bytes/s(?:ec)?)")
_NUMBERS = re.compile(r"\s{0,12}(?:\d[\d.]{0,18}\s{1,24}){3,14}(?:-?\d[\d.]{0,18})\s{0,8}")


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:20000], 1):
        text = text[:400]
        if (
            _INTERIM.search(text)
            or ("10^6bits" in text)
            or (re.search(r"\bTEST from .* port \d", text))
            or text.startswith("THROUGHPUT=")
        ):
            return Claim(91, f"line {line} is of netperf: {text.strip()[:60]!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, interim = [], 0
    variant, unit, kind, column = "netperf", "", "", None
    keys: dict[str, tuple[int, str]] = {}
    for line, text in enumerate(source.lines, 1):
        text = text[:400]
        if match := _TEST.search(text):
            variant = re.sub(r"[ /]", "_", (match[1] or match[2]).strip())
            kind, interim, column = "", 0, None
        if match := _INTERIM.search(text):
            interim += 1
            rows.append(
                number_row(
                    source,
                    line,
                    "throughput",
                    match[1],
                    _UNITS.get(match[2], match[2]),
                    variant=variant,
                    repeat=interim,
                )
            )
            continue
        if match := _KEY.match(text):
            keys[match[1]] = (line, match[2].strip())
            continue
        if match := _HEAD_UNIT.search(text):
            unit, kind, column = _UNITS.get(match[1], match[1]), "stream", _place(text, match.start())
        elif re.search(r"\bper sec\b", text):
            unit, kind, column = "transactions/s", "rr", _place(text, text.index("per sec"))
        elif kind and _NUMBERS.fullmatch(text):
            numbers = text.split()
            at = min(column, len(numbers) - 1)
            rows.append(number_row(source, line, "throughput", numbers[at], unit, variant=variant))
            # The first row of numbers below the heading; the next has the other side's buffers.
            if variant.startswith("UDP") and kind == "stream":
                rows[-1] = _side(rows[-1], "sent")
            else:
                kind = ""
        elif kind == "stream" and variant.startswith("UDP") and len(text.split()) == 4 and text[:1].isdigit():
            rows.append(
                _side(number_row(source, line, "throughput", text.split()[-1], unit, variant=variant), "received")
            )
            kind = ""
    rows += _omni(source, keys, variant)
    return finished(
        source,
        rows,
        ["netperf prints no count of instances"],
        "a result of netperf",
        "Interim result: 34107.16 Trans/s over 3.000 seconds",
    )


def _place(text: str, start: int) -> int:
    """The column of a heading among those of its line: the number of words before it; "per sec" is one."""
    return len(text[:start].split())


def _side(row, side: str):
    from dataclasses import replace

    return replace(row, labels=(("side", side),))


def _omni(source: Source, keys, variant: str):
    rows = []
    if "THROUGHPUT" in keys:
        line, text = keys["THROUGHPUT"]
        unit = keys.get("THROUGHPUT_UNITS", (0, ""))[1]
        rows.append(number_row(source, line, "throughput", text, _UNITS.get(unit, unit), variant=variant))
    for name, (line, text) in keys.items():
        if name.endswith("LATENCY") and re.fullmatch(r"-?[\d.]{1,20}", text):
            rows.append(number_row(source, line, name.lower(), text, "us", variant=variant))
        elif name.endswith("CPU_UTIL") and re.fullmatch(r"[\d.]{1,20}", text):
            rows.append(number_row(source, line, name.lower(), text, "percent", variant=variant))
    return rows


READER = Reader("netperf", "netperf: interim lines, result tables, THROUGHPUT=...", claim, read)
