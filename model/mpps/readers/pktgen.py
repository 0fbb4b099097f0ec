"""pktgen results: the kernel prints `Result: OK: ... usec, N (60byte,0frags)` and `NNNpps NNNMb/sec (NNNbps) errors: N`.

Source of the format: show_results() in net/core/pktgen.c; the sample scripts print a line `Device: eth0@3` before each,
where the number behind @ is the thread.
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader, Row
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_RATE = re.compile(
    r"(\d{1,15})pps\s{1,4}(\d{1,12})Mb/sec(?:\s{1,4}\((\d{1,18})bps\))?(?:\s{1,4}errors:\s{0,4}(\d{1,15}))?"
)
_DEVICE = re.compile(r"\b(?:Device|Dev):?\s{0,3}(\S{1,32}@\d{1,4}|\S{1,32})|/proc/net/pktgen/(\S{1,32})")
_LABEL = re.compile(r"[\s*>\-+#]{0,8}([^:*#\s][^:]{0,60}):\s")
_THREADS = re.compile(r"\s-t\s?(\d{1,4})\b")
_TITLE = re.compile(r"\s{0,8}(?:#|\*|--+|==+|[A-Z][\w ,+\-/()]{2,60}:\s{0,3}$)")
_COMMAND = re.compile(r"\s{0,8}[$#%]\s{1,3}(?:sudo\s+)?(?:\./)?(\S{0,60}pktgen\S{0,60})")


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    match = _RATE.search(source.text)
    if match is None:
        return None
    line = source.text.count("\n", 0, match.start()) + 1
    return Claim(92, f"line {line} is a result of pktgen: {match[0][:60]!r}")


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows: list[Row] = []
    groups: list[list[tuple[str, Row]]] = []  # runs: results of different devices in a row
    title, device, threads = "", "", None
    for line, text in enumerate(source.lines, 1):
        if match := _COMMAND.match(text):
            title, device = match[1].rsplit("/", 1)[-1].removesuffix(".sh"), ""
            threads = int(found[1]) if (found := _THREADS.search(text)) else None
            continue
        if match := _DEVICE.search(text):
            device = (match[1] or match[2]).rstrip(":")
        found = list(_RATE.finditer(text))
        if not found and _TITLE.match(text) and "Result:" not in text:
            title, threads = text.strip(" #*=-:\t"), None
        for match in found:
            label = _LABEL.match(text[: match.start()])
            named = " ".join(label[1].split()) if label and label[1].strip() not in ("Result", "Device") else ""
            variant = named or title or "pktgen"
            labels = (("device", device),) if device and not named else ()
            own = [number_row(source, line, "throughput", match[1], "packets/s", variant=variant, labels=labels)]
            if match[3]:
                own.append(number_row(source, line, "bit rate", match[3], "bit/s", variant=variant, labels=labels))
            else:
                own.append(number_row(source, line, "bit rate", match[2], "Mbit/s", variant=variant, labels=labels))
            if match[4]:
                own.append(number_row(source, line, "errors", match[4], "count", variant=variant, labels=labels))
            rows += _counted(own, groups, variant, "" if named else device, threads)
    rows, told = _summed(rows, groups)
    return finished(source, rows, told, "results of pktgen", "2396594pps 1150Mb/sec (1150365120bps) errors: 0")


def _counted(own, groups, variant: str, device: str, threads):
    from dataclasses import replace

    last = groups[-1] if groups else None
    fresh = last is None or not device or any(name == device for name, _ in last) or last[-1][1].variant != variant
    if fresh:
        groups.append([(device, own[0])])
    else:
        last.append((device, own[0]))
    n = float(threads) if threads else 1.0 if "@" in device else None
    return [replace(row, n=n) for row in own]


def _summed(rows: list[Row], groups) -> tuple[list[Row], list[str]]:
    """A run of several threads gets the sum of its threads as throughput; each thread keeps its own under another name."""
    from dataclasses import replace

    told, out = [], list(rows)
    for group in groups:
        if len(group) < 2:
            continue
        members = {(row.line, row.variant) for _, row in group}
        n = float(len(group))
        out = [
            replace(row, n=n, metric=f"{row.metric} per thread")
            if (row.line, row.variant) in members and not row.metric.endswith("per thread")
            else row
            for row in out
        ]
        total = sum(int(row.printed) for _, row in group)
        last = group[-1][1]
        out.append(replace(last, n=n, value=float(total), printed=str(total)))
        told.append(f"lines {group[0][1].line} to {last.line}: {len(group)} threads of one run, summed")
    # The device of a run of one thread says nothing more.
    out = [row if row.metric.endswith("per thread") else replace(row, labels=()) for row in out]
    singles = [row for row in out if row.n == 1 and row.metric == "throughput"]
    if singles and not told:
        told.append("n counts the threads of pktgen: one device a run")
    return out, told


READER = Reader("pktgen", "results of pktgen: NNNpps NNNMb/sec (NNNbps) errors: N", claim, read)
