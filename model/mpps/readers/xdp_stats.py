"""XDP samples: xdp_rxq_info, xdp_redirect_cpu, xdp_monitor (columns under `pps`), and xdp-bench (`NNN rx/s`).

Source of the formats: samples/bpf/*_user.c of the kernel up to 6.x (printf of stats_print), and the statistics of
xdp-tools (lib/util/xdp_sample.c): `Summary  11,930,823 rx/s  0 err/s`, `receive total`, `cpu:0`, and a closing
`Average packets/s : NNN`.
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader, Row
from mpps.readers.core.source import Source
from mpps.readers.core.tool import digits, finished, number_row

_HEAD = re.compile(
    r"\s{0,4}([\w\-]{2,24}(?: stats)?)\s{1,16}(\S{1,12})\s{1,12}((?:[\w\-]{0,16}pps|period/pkts|extra-info)"
    r"(?:\s{1,16}[\w\-/]{2,20}){0,5})\s{0,12}"
)
_ROW = re.compile(
    r"\s{0,4}([\w\-]{2,40}(?: CPU)?)\s{1,24}(\S{0,6}:?(?:\d{1,5}|sum|total|to)?(?:->\d+"
    r"|:\d+)?)\s{1,16}(\d[\d,.]{0,24})((?:\s{1,20}\d[\d,.]{0,24}){0,4})(.{0,60})"
)
_BENCH = re.compile(r"(\d[\d,.]{0,24})\s{0,3}((?:[a-z_]{2,12},){0,2}[a-z_]{2,12}/s|bulk-avg|sched)(?=\s|$)")
_BENCH_NAME = re.compile(r"[\s|]{0,16}([A-Za-z][\w\-:>?.@ ]{0,48}?):?\s{2,60}(?=\d)")
_SOCKET = re.compile(r"\s{0,4}(rx|tx|rxdrop|txonly|l2fwd)\s{2,40}(\d[\d,]{0,24})(?:\s{2,40}(\d[\d,]{0,24}))?\s{0,8}")
_PROTO = re.compile(r"proto (\d{1,3}):\s{1,24}(\d[\d,]{0,24}) pkt/s")
_COMMAND = re.compile(
    r"[\s$#]{0,6}(?:sudo )?(?:\./)?(xdp-bench \S{1,24}|xdp_\w{1,24}|xdpsock\S{0,4})(?:\s.{0,80})?$"
    r"|\s{0,4}([A-Z\w][^:]{2,60}):\s{0,2}$|\s{0,4}(XDP_[A-Z]{2,12})\b"
)
_CLOSING = re.compile(
    r"\s{0,8}(Average [\w/ ]{2,30}|Packets received|Rx dropped"
    r"|[A-Z][\w /]{3,40}?)\s{1,20}:\s{1,4}(\d[\d,]{0,24})\s{0,4}"
)
_TITLE = re.compile(
    r"Running XDP on dev:(\S{1,24}) .{0,40}action:(\S{1,24})|((?:Dropping|Redirecting|Receiving|Reflecting"
    r"|Transmitting|Passing|Hairpinning) .{2,100})"
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:5000], 1):
        text = text[:300]
        if (
            text.startswith("Running XDP on dev:")
            or re.match(r"(?:XDP|RXQ) stats\s", text)
            or re.match(r"XDP-(?:RX|cpumap|event)\b", text)
        ):
            return Claim(94, f"line {line} is of an XDP sample: {text.strip()[:60]!r}")
        name = _BENCH_NAME.match(text)
        values = [match[2] for match in _BENCH.finditer(text, name.end())] if name else []
        if _PROTO.match(text) or re.match(r"\s{4,40}pps\s{4,40}pkts\b", text):
            return Claim(92, f"line {line} is of an XDP sample: {' '.join(text.split())[:60]!r}")
        if len(values) >= 2 and values[0] in ("rx/s", "redir/s", "pkt/s", "total/s", "xmit/s"):
            return Claim(94, f"line {line} is of xdp-bench: {' '.join(text.split())[:60]!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows: list[Row] = []
    variant, heads, _dataset = "xdp", [], None
    socket = False
    block: list[tuple[int, str, str, list[str]]] = []
    again: dict[tuple[str, str], int] = {}
    for line, text in enumerate(source.lines, 1):
        text = text[:300].expandtabs(8)
        if match := _TITLE.match(text):
            variant = match[2] or match[3].split(" on interface")[0].strip()
            continue
        if re.match(r"\s{4,40}pps\s{4,40}pkts\b", text):
            socket = True
            continue
        if socket and (match := _SOCKET.fullmatch(text)):
            key = ("socket", match[1])
            again[key] = again.get(key, 0) + 1
            repeat = again[key] if again[key] > 1 else None
            rows.append(number_row(source, line, "throughput", match[2], "packets/s", variant=match[1], repeat=repeat))
            if match[3]:
                rows.append(number_row(source, line, "packets", match[3], "packets", variant=match[1], repeat=repeat))
            continue
        if match := _PROTO.match(text):
            key = ("proto", match[1])
            again[key] = again.get(key, 0) + 1
            rows.append(
                number_row(
                    source,
                    line,
                    "throughput",
                    match[2],
                    "packets/s",
                    variant=variant,
                    labels=(("proto", match[1]),),
                    repeat=again[key] if again[key] > 1 else None,
                )
            )
            continue
        if match := _COMMAND.match(text):
            variant = next(name for name in match.groups() if name).strip()
            continue
        if (match := _HEAD.fullmatch(text)) and ("pps" in text):
            rows += _block(source, block, heads, variant, again)
            block, heads = [], match[3].split()
            continue
        if heads and (match := _ROW.fullmatch(text)):
            numbers = [match[3], *match[4].split()]
            block.append((line, match[1], match[2], numbers))
            continue
        rows += _bench(source, line, text, variant, again)
    rows += _block(source, block, heads, variant, again)
    told = (
        ["n of a total counts the CPUs or queues that carried packets"]
        if any(row.n is not None for row in rows)
        else []
    )
    return finished(source, rows, told, "statistics of an XDP sample", "XDP-RX CPU      total   25,583,300")


def _block(source: Source, block, heads, variant: str, again) -> list[Row]:
    """Rows under one heading: single CPUs, then totals that count them."""
    rows, busy = [], {}
    for line, name, place, numbers in block:
        single = not (place.endswith(("total", "sum")) or place.rstrip(":") == "total")
        if single and digits(numbers[0]) not in (None, "0"):
            busy[name] = busy.get(name, 0) + 1
        for head, number in zip(heads, numbers, strict=False):
            if head == "extra-info":
                continue
            bare = "throughput" if head == "pps" else head
            metric = bare if not single else f"{bare} per cpu"
            key = (f"{name} {place}", metric)
            again[key] = again.get(key, 0) + 1
            n = busy.get(name) if not single else None
            labels = (("of", name.removesuffix(" CPU").strip()),) + ((("cpu", place),) if single else ())
            rows.append(
                number_row(
                    source,
                    line,
                    metric,
                    number,
                    "packets/s" if head.endswith("pps") else "count",
                    variant=variant,
                    n=n,
                    labels=labels,
                    repeat=again[key] if again[key] > 1 else None,
                )
            )
    return rows


def _bench(source: Source, line: int, text: str, variant: str, again) -> list[Row]:
    if match := _CLOSING.fullmatch(text):
        unit = "packets/s" if match[1].endswith("/s") else "packets"
        return [number_row(source, line, match[1].lower(), match[2], unit, variant=variant)]
    name = _BENCH_NAME.match(text)
    values = list(_BENCH.finditer(text, name.end())) if name else []
    if not values:
        return []
    rows = []
    for match in values:
        what = match[2].removesuffix("/s")
        whole = name[1] in ("Summary", "total") or "->" in name[1] and not name[1].startswith(("xmit", "cpu"))
        metric = "throughput" if whole and what in ("rx", "total", "pkt", "redir") and match is values[0] else what
        unit = (
            "packets/s"
            if match[2].endswith("/s") and what != "hit"
            else "1/s"
            if what in ("sched", "hit")
            else "packets"
        )
        key = (f"{variant} {name[1]}", metric)
        again[key] = again.get(key, 0) + 1
        rows.append(
            number_row(
                source,
                line,
                metric,
                match[1],
                unit,
                variant=variant,
                labels=(("of", name[1]),),
                repeat=again[key] if again[key] > 1 else None,
            )
        )
    return rows


READER = Reader("xdp-stats", "XDP samples and xdp-bench: pps of CPUs and queues", claim, read)
