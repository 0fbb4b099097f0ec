"""trafgen's summary: `NNN packets outgoing`, `NNN bytes outgoing`, `S sec, U usec on CPU0 (NNN packets)`.

Source of the format: the printf calls at the end of netsniff-ng/trafgen.c; each line begins with a carriage return.
"""

import re

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import finished, number_row

_TOTAL = re.compile(r"\s{0,16}(\d{1,20}) (packets|bytes) outgoing")
_CPU = re.compile(r"\s{0,16}(\d{1,12}) sec, (\d{1,8}) usec on CPU(\d{1,5})(?: \((\d{1,20}) packets\))?")
_MARK = re.compile(r"^\s{0,16}\S{1,20} packets outgoing", re.MULTILINE)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    match = _MARK.search(source.text)
    return Claim(90, f"{match[0].strip()!r} is the summary of trafgen") if match else None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, told, cpus = [], [], []
    packets = None
    for line, text in enumerate(source.lines, 1):
        if match := _TOTAL.match(text):
            if cpus and match[2] == "packets":
                rows += _rate(source, packets, cpus, told)
                cpus = []
            rows.append(number_row(source, line, match[2], match[1], match[2]))
            packets = (line, int(match[1])) if match[2] == "packets" else packets
        elif match := _CPU.match(text):
            seconds = f"{int(match[1])}.{int(match[2]):06d}"
            labels = (("cpu", match[3]),)
            rows.append(number_row(source, line, "time", seconds, "s", labels=labels))
            if match[4]:
                rows.append(number_row(source, line, "packets per cpu", match[4], "packets", labels=labels))
            cpus.append((line, float(seconds), match[4]))
    rows += _rate(source, packets, cpus, told)
    return finished(source, rows, told, "the summary of trafgen with numbers", "100000000 packets outgoing")


def _rate(source: Source, packets, cpus, told: list[str]):
    """The rate, which trafgen does not print: packets of a run over its longest time."""
    longest = max((seconds for _, seconds, _ in cpus), default=0.0)
    if packets is None or not longest:
        return []
    n = sum(count is None or int(count) > 0 for _, _, count in cpus)
    told.append(f"throughput computed: {packets[1]:,} packets in {longest:g} s on {n} CPUs; n counts CPUs that sent")
    return [number_row(source, packets[0], "throughput", f"{packets[1] / longest:.0f}", "packets/s", n=n)]


READER = Reader("trafgen", "summary of trafgen: packets outgoing, times of each CPU", claim, read)
