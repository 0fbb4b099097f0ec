"""iperf3 -J: the JSON of one run or several; rates in bit/s.

Source of the format: the JSON of esnet/iperf (iperf_api.c, iperf_reporter): `start.test_start`, `intervals[].sum`,
`end.sum_sent`, `end.sum_received` (TCP), `end.sum` (UDP), `end.cpu_utilization_percent`; `error` when it failed.
"""

from mpps.readers.core.jsontext import Fields, Scalar, documents, get, looks_like_json
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_SUMS = (("sum_sent", "sent"), ("sum_received", "received"), ("sum", "sum"),
         ("sum_sent_bidir_reverse", "sent, reverse"), ("sum_received_bidir_reverse", "received, reverse"))  # fmt: skip
_FURTHER = (("retransmits", "retransmits", "count"), ("jitter_ms", "jitter", "ms"), ("lost_packets", "lost packets", "packets"),
            ("packets", "packets", "packets"), ("lost_percent", "loss", "percent"))  # fmt: skip


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    if not looks_like_json(source):
        return None
    head = source.text[:20000]
    marks = [
        mark
        for mark in ('"iperf', '"test_start"', '"sum_sent"', '"intervals"', '"sndbuf_actual"', '"tcp_mss_default"')
        if mark in head
    ]
    return Claim(96, f"JSON with {marks[0]} is of iperf3") if len(marks) >= 2 else None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, told = [], []
    runs = documents(source)
    runs = [run for document in runs for run in (document if isinstance(document, list) else [document])]
    for number, run in enumerate(runs, 1):
        if not isinstance(run, Fields):
            continue
        repeat = number if len(runs) > 1 else None
        failed = get(run, "error")
        end = get(run, "end")
        if isinstance(failed, Scalar) and not get(end, "sum_sent") and not get(end, "sum"):
            raise source.wrong(failed.line, failed.text, "the results of a run; iperf3 failed", "run it again")
        streams = get(run, "start", "test_start", "num_streams")
        n = int(streams.text) if isinstance(streams, Scalar) and streams.kind == "number" else None
        if n is None and get(run, "start", "connected"):
            n = len(run["start"]["connected"])
        for name, variant in _SUMS:
            rows += _sum(source, get(end, name), variant, n, repeat)
        for place, interval in enumerate(get(run, "intervals") or (), 1):
            rate = get(interval, "sum", "bits_per_second")
            if isinstance(rate, Scalar) and rate.kind == "number":
                rows.append(
                    number_row(
                        source,
                        rate.line,
                        "throughput of an interval",
                        rate.text,
                        "bit/s",
                        variant="interval",
                        n=n,
                        repeat=place,
                    )
                )
        for name, value in (get(end, "cpu_utilization_percent") or {}).items():
            if isinstance(value, Scalar) and value.kind == "number" and name.endswith("_total"):
                rows.append(
                    number_row(
                        source,
                        value.line,
                        "cpu",
                        value.text,
                        "percent",
                        variant=name.removesuffix("_total"),
                        n=n,
                        repeat=repeat,
                    )
                )
    if any(row.n is not None for row in rows):
        told.append("n counts parallel streams; 'sent' and 'received' are the whole run, 'interval' its parts")
    return finished(source, rows, told, "JSON of iperf3 with an end", '"sum_sent": {"bits_per_second": ...}')


def _sum(source: Source, node, variant: str, n, repeat):
    rows = []
    rate = get(node, "bits_per_second")
    if not isinstance(rate, Scalar) or rate.kind != "number":
        return rows
    rows.append(number_row(source, rate.line, "throughput", rate.text, "bit/s", variant=variant, n=n, repeat=repeat))
    for key, metric, unit in _FURTHER:
        value = get(node, key)
        if isinstance(value, Scalar) and value.kind == "number":
            rows.append(number_row(source, value.line, metric, value.text, unit, variant=variant, n=n, repeat=repeat))
    return rows


READER = Reader("iperf3-json", "iperf3 -J: JSON of one run or several", claim, read)
