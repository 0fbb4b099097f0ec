"""/proc/lock_stat: waits and holds of every lock class, in microseconds.

Source of the format: Documentation/locking/lockstat.rst and kernel/locking/lockdep_proc.c, version 0.4: twelve columns
(con-bounces, contentions, waittime-min/max/total/avg, acq-bounces, acquisitions, holdtime-min/max/total/avg); older
versions lack the averages. Below each class stand its contention points, which repeat the counts by caller.
"""

import re
from dataclasses import replace

from mpps.readers.core.nouns import Claim, LockUse, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tool import digits, finished, number_row

_HEAD = re.compile(r"\s{0,12}class name\s{1,24}con-bounces\s{1,12}contentions")
_CLASS = re.compile(r"\s{0,60}(\S.{0,120}?):\s{1,12}((?:\d[\d.]{0,24}\s{1,24}){5,11}\d[\d.]{0,24})\s{0,8}")
_POINT = re.compile(r"\s{1,60}(\S.{0,100}?)\s{1,24}(\d{1,18})\s{1,24}\[<[0-9a-fx?]{1,20}>\]\s{1,4}(\S{1,120})")
_TIMES = (
    "waittime-min",
    "waittime-max",
    "waittime-total",
    "waittime-avg",
    "holdtime-min",
    "holdtime-max",
    "holdtime-total",
    "holdtime-avg",
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:2000], 1):
        if text.startswith("lock_stat version") or _HEAD.match(text[:200]):
            return Claim(98, f"line {line} is of /proc/lock_stat: {text.strip()[:50]!r}")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, locks = [], []
    names: list[str] = []
    current, part = "", 0
    for line, text in enumerate(source.lines, 1):
        text = text[:500]
        if _HEAD.match(text):
            names = text.split()[2:]
            continue
        if match := _CLASS.fullmatch(text):
            numbers = match[2].split()
            heads = names if len(names) == len(numbers) else _columns(len(numbers))
            if heads is None:
                raise source.wrong(
                    line,
                    text.strip(),
                    f"{len(names)} numbers, as the heading has",
                    "copy the whole line of /proc/lock_stat",
                )
            current, part = match[1].strip(), 0
            values = dict(zip(heads, numbers, strict=True))
            for head, number in values.items():
                rows.append(
                    number_row(source, line, head, number, "us" if head in _TIMES else "count", variant=current)
                )
            locks.append(_use(current, line, values))
        elif current and set(text.strip()) == {"-"} and len(text.strip()) < 120:
            part += 1
        elif current and (match := _POINT.match(text)):
            kind = "contention point" if part <= 1 else "contended with"
            rows.append(
                number_row(source, line, kind, match[2], "count", variant=current, labels=(("caller", match[3]),))
            )
    told = [f"{len(locks)} lock classes; times in us, as /proc/lock_stat prints them",
            "a profile holds no count of cores: predictions take rate, seconds and cores of the run beside it"]  # fmt: skip
    return finished(
        source,
        _again(rows),
        told,
        "classes of /proc/lock_stat",
        "vmap_area_lock:  2554079  2554276  0.06 ...",
        locks=tuple(locks),
    )


def _columns(size: int):
    if size == 12:
        return ["con-bounces", "contentions", *_TIMES[:4], "acq-bounces", "acquisitions", *_TIMES[4:]]
    if size == 10:
        return ["con-bounces", "contentions", *_TIMES[:3], "acq-bounces", "acquisitions", *_TIMES[4:7]]
    return None


def _use(name: str, line: int, values) -> LockUse:
    def number(head: str, factor: float = 1.0):
        text = digits(values[head]) if head in values else None
        return float(text) * factor if text is not None else None

    return LockUse(
        name, line, number("contentions") or 0.0, number("waittime-total", 1e3) or 0.0, number("acquisitions"),
        number("waittime-max", 1e3), number("holdtime-total", 1e3),
    )  # fmt: skip


def _again(rows):
    seen: dict[tuple, int] = {}
    out = []
    for row in rows:
        key = (row.variant, row.metric, row.labels)
        seen[key] = seen.get(key, 0) + 1
        out.append(replace(row, repeat=seen[key]) if seen[key] > 1 else row)
    return out


READER = Reader("lock-stat", "/proc/lock_stat: waits and holds of lock classes", claim, read)
