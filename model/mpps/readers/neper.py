"""neper (tcp_rr, tcp_crr, tcp_stream, udp_rr, ...): key=value lines.

Source of the format: print.c and the README of google/neper: `throughput=` in transactions/s, or in the unit that
`throughput_units=` names for streams; latencies in seconds; `num_flows` and `num_threads` where they are printed.
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import digits, finished, number_row
from mpps.readers.core.units import unit_of

_PAIR = re.compile(r"\s{0,8}([a-z][a-z0-9_]{1,40})=(\S{1,40})\s{0,4}")
_MARKS = (
    "num_transactions",
    "utime_start",
    "throughput",
    "stime_start",
    "num_samples",
    "remote_throughput",
    "throughput_units",
    "local_throughput",
)
_UNITS = (
    ("latency_", "s"),
    ("utime_", "s"),
    ("stime_", "s"),
    ("time_", "s"),
    ("num_transactions", "transactions"),
    ("num_samples", "count"),
)


#: Options that neper prints before a run; they are no results.
_OPTIONS = re.compile(
    r"(?:test_length|request_size|response_size|buffer_size|interval|client|host|port|control_port|data_port"
    r"|pin_\w+|dry_run|help|total_run_time"
    r"|max_pacing_rate|reuseport|ipv[46]|num_(?:flows|threads|clients|ports)|max_\w+|min_rto|listen_backlog"
    r"|edge_trigger|enable_\w+|debug|nonblocking"
    r"|logtostderr|local_hosts?|reuseaddr|script|split_bidir|mark|congestion|freebind|zerocopy|delay"
    r"|num_samples_max|percentiles|read_\w+|write_\w+"
    r"|async_connect|wait_\w+|suicide_length|stime_use_proc|recv_flags|skip_rx_copy|no_delay|source_port"
    r"|notsent_lowat|iostat_ms|random_seed|magic)"
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    found = [match[1] for text in source.lines[:2000] if len(text) < 200 and (match := _PAIR.fullmatch(text))]
    marks = [name for name in _MARKS if name in found]
    return (
        Claim(88, f"{len(found)} lines key=value with {marks[0]} and {marks[1]} are of neper")
        if len(marks) >= 2
        else None
    )


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, values = [], {}
    runs: list[dict[str, tuple[int, str]]] = [{}]
    for line, text in enumerate(source.lines, 1):
        match = _PAIR.fullmatch(text) if len(text) < 200 else None
        if match is None:
            continue
        if match[1] in runs[-1]:
            runs.append({})
        runs[-1][match[1]] = (line, match[2])
    for number, values in enumerate(runs, 1):
        repeat = number if len(runs) > 1 else None
        n = next(
            (
                int(values[name][1])
                for name in ("num_flows", "num_threads")
                if name in values and values[name][1].isdigit()
            ),
            None,
        )
        stated = values.get("throughput_units", (0, ""))[1]
        unit = (unit_of(stated).name if unit_of(stated) else stated) or (
            "transactions/s" if "num_transactions" in values else ""
        )
        for name, (line, text) in values.items():
            if digits(text) is None or _OPTIONS.fullmatch(name):
                continue
            known = (
                "bit/s"
                if name in ("local_throughput", "remote_throughput")
                else unit
                if "throughput" in name
                else next((each for mark, each in _UNITS if name.startswith(mark)), "")
            )
            rows.append(number_row(source, line, name, text, known, variant="neper", n=n, repeat=repeat))
    told = ["latencies and times in seconds, as neper prints them"]
    return finished(source, rows, told, "key=value lines of neper", "throughput=47426.00")


READER = Reader("neper", "neper: key=value lines", claim, read)
