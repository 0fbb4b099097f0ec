"""perf lock: `perf lock contention` in all views (caller, address, thread, owner, -x CSV) and `perf lock report`.

Source of the formats: tools/perf/builtin-lock.c and `man perf-lock`: contention has the columns contended, total wait,
max wait, avg wait (each wait with its unit), then type and caller, address and symbol, or pid and comm; report has Name,
acquired, contended, avg/total/max/min wait, in ns where the heading says so.
"""

import re
from dataclasses import replace

from mpps.readers.core.nouns import Claim, Ignored, LockUse, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.times import NS, in_ns
from mpps.readers.core.tool import finished, number_row

_CONTENTION = re.compile(r"\s{0,12}(?:contended|acquired)\s{1,12}(?:total|max|avg|min) wait\b")
_REPORT = re.compile(r"\s{0,60}Name\s{1,12}acquired\s{1,12}contended\b")
_HEADS = re.compile(r"contended|acquired|(?:total|max|avg|min) wait(?: \((?:ns|us|ms)\))?")
_FIELD = re.compile(r"\s{0,24}(\d[\d.,]{0,24})(?:\s(ns|us|µs|ms|s|m|min)\b)?")
_CSV = re.compile(r"#\s{0,3}output:\s{0,3}(.{1,200})")
_KINDS = (
    "spinlock",
    "rwlock:R",
    "rwlock:W",
    "rwsem:R",
    "rwsem:W",
    "mutex",
    "rt-mutex",
    "percpu-rwmem",
    "semaphore",
    "rwlock",
    "rwsem",
)
_TAIL = re.compile(
    r"(spinlock|rwlock(?::[RW])?|rwsem(?::[RW])?|rt-mutex|rtmutex|mutex|percpu-rwmem|semaphore|pcpu-sem(?::[RW])?"
    r"|unknown)\s{1,12}(\S.{0,200})|(?:0x)?([0-9a-f]{6,16})\s{1,12}(\S.{0,200})?|(-?\d{1,10})\s{1,12}(\S.{0,60})"
    r"|(\S.{0,200})"
)


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    for line, text in enumerate(source.lines[:20000], 1):
        text = text[:300]
        if _CONTENTION.match(text):
            return Claim(97, f"line {line} heads a profile of perf lock contention")
        if _REPORT.match(text):
            return Claim(97, f"line {line} heads a profile of perf lock report")
        if _CSV.match(text) and "contended" in text:
            return Claim(97, f"line {line} heads the CSV of perf lock contention")
    return None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    rows, locks, ignored = [], [], []
    mode, heads, units, separator, view = "", [], [], "", ""
    for line, text in enumerate(source.lines, 1):
        text = text[:600].replace("\t", "        ")
        bare = text.strip()
        if match := _CSV.match(bare):
            mode, heads = "csv", [name.strip() for name in match[1].split(",")]
            continue
        if _CONTENTION.match(text) or _REPORT.match(text):
            mode = "report" if "Name" in text else "contention"
            names = _HEADS.findall(text)
            heads = [name.partition(" (")[0] for name in names]
            units = [name.partition("(")[2].rstrip(")") for name in names]
            view = " and ".join(bare[bare.rindex(names[-1]) + len(names[-1]) :].split())
            continue
        if not bare or not mode or bare.startswith(("#", "===", "output", "bad:", "histogram")):
            continue
        if set(bare) <= {".", " "}:
            ignored.append(Ignored(source.file, line, bare, "rows left out by whoever posted it"))
            continue
        if mode == "csv":
            separator = separator or next((mark for mark in (",", ";", ":", "|", "\t") if mark in bare), ",")
            found = _csv_row(heads, bare, separator)
        else:
            found = _report_row(text, heads, units) if mode == "report" else _contention_row(text, heads, units, view)
        if found is None:
            if re.match(r"\s{0,12}\d", text) and len(bare.split()) > 3:
                ignored.append(Ignored(source.file, line, bare, "not a row of the profile"))
            continue
        name, labels, kind, values = found
        for head, (printed, unit) in values.items():
            unit_name = unit if "wait" in head else "count"
            rows.append(number_row(source, line, head, printed, unit_name, variant=name, labels=labels))
        locks.append(_use(name, line, kind, values))
    rows = _told_apart(rows)
    told = [f"{len(locks)} locks or callers; waits with the unit printed, counts of contentions"]
    told += [f"the last columns are {view}"] if view else []
    told.append("a profile holds no count of cores: predictions take rate, seconds and cores of the run beside it")
    return finished(source, rows, told, "a profile of perf lock", "11    669.31 us    107.17 us     60.85 us     spinlock   remove_wait_queue+0x14",
                    ignored=tuple(ignored), locks=tuple(locks))  # fmt: skip


def _contention_row(text: str, heads, units, view: str):
    values, at = {}, 0
    for head, unit in zip(heads, units, strict=True):
        match = _FIELD.match(text, at)
        if match is None:
            return None
        values[head] = (match[1], match[2] or unit or ("ns" if "wait" in head else ""))
        at = match.end()
        if "wait" in head and match[2] is None and not unit:
            return None
    rest = text[at:].strip()
    if view.startswith("pid") and (match := re.fullmatch(r"(-?\d{1,10})\s{1,12}(\S.{0,60})", rest)):
        return match[2].strip(), (("pid", match[1]),), "", values
    tail = _TAIL.fullmatch(rest)
    if tail is None:
        return None
    if tail[1]:
        return tail[2].strip(), (("type", tail[1]),), tail[1], values
    if tail[3]:
        name = (tail[4] or "").strip() or tail[3]
        name = f"{tail[3]} {name}" if name.startswith("(") else name
        kind = re.search(r"\(([\w:\-]{1,20})\)$", name)
        return name, (("address", tail[3]),), kind[1] if kind else "", values
    if tail[5]:
        return tail[6].strip(), (("pid", tail[5]),), "", values
    return tail[7].strip(), (), "", values


def _report_row(text: str, heads, units):
    words = text.split()
    # From the right: as many numbers as there are columns, each perhaps with a unit behind it.
    values: list[tuple[str, str]] = []
    place = len(words)
    for _ in heads:
        unit = ""
        if place and words[place - 1] in NS:
            unit = words[place - 1]
            place -= 1
        if not place or re.fullmatch(r"\d[\d.,]{0,24}", words[place - 1]) is None:
            return None
        values.insert(0, (words[place - 1], unit))
        place -= 1
    if place < 1:
        return None
    named = {
        head: (printed, unit or stated or ("ns" if "wait" in head else ""))
        for head, stated, (printed, unit) in zip(heads, units, values, strict=True)
    }
    return " ".join(words[:place]), (), "", named


def _csv_row(heads, text: str, separator: str):
    cells = [cell.strip() for cell in text.split(separator)]
    if len(cells) < len(heads) or not cells[0].isdigit():
        return None
    values, rest = {}, {}
    for head, cell in zip(heads, cells, strict=False):
        if head in ("contended", "acquired") or "wait" in head:
            values[head] = (cell, "ns" if "wait" in head else "")
        else:
            rest[head] = cell
    last = heads[-1]
    rest[last] = separator.join(cells[len(heads) - 1 :])
    name = rest.get("caller") or rest.get("symbol") or rest.get("comm") or rest[last]
    kind = rest.get("type", "")
    labels = tuple((key, value) for key, value in rest.items() if value != name and value)
    return name, labels, kind, values


def _use(name: str, line: int, kind: str, values) -> LockUse:
    def ns(head: str):
        return in_ns(*values[head]) if head in values else None

    contended = float(values["contended"][0].replace(",", "")) if "contended" in values else 0.0
    total, average = ns("total wait"), ns("avg wait")
    if total is None:
        total = (average or 0.0) * contended
    acquired = float(values["acquired"][0].replace(",", "")) if "acquired" in values else None
    return LockUse(name, line, contended, total, acquired, ns("max wait"), None, kind)


def _told_apart(rows):
    """Rows of one name, metric and labels that stand several times are counted."""
    seen: dict[tuple, int] = {}
    out = []
    for row in rows:
        key = (row.variant, row.metric, row.labels)
        seen[key] = seen.get(key, 0) + 1
        out.append(replace(row, repeat=seen[key]) if seen[key] > 1 else row)
    return out


READER = Reader("perf-lock", "perf lock contention (all views) and perf lock report", claim, read)
