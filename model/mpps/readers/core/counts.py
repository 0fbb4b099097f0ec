"""Words for what n counts, and counts in the name or the text of a file."""

import re

_WORDS = (
    "cpu", "core", "thread", "thr", "sender", "queue", "rxq", "txq", "task", "client", "process", "proc", "worker", "producer",
    "prod", "consumer", "job", "stream", "flow", "connection", "conn", "user", "vcpu", "socket", "nproc", "server", "instance",
    "reader", "writer", "ring", "pair", "container", "vm", "session", "lane", "channel", "parallel", "concurrency", "tc",
    "hart", "smt", "vhost", "group", "shard", "fiber", "actor", "pktgen", "nic", "port", "tenant", "node", "numjob", "numthread",
)  # fmt: skip

_ONE = "|".join(sorted(_WORDS, key=len, reverse=True))

#: One word of a heading that says what n counts: threads, CPUs, nr_prod, num-threads, #cores.
_WORD = re.compile(
    rf"(?:nr|num|no|n|number|nb|cnt|rx|tx|io|max|total|active|user|client|sender)?[_-]?(?:{_ONE})(?:e?s)?(?:_?"
    rf"(?:count|num|nr))?|nprocs?|n|nr|ncpus?",
    re.IGNORECASE,
)

#: Heading words that may stand beside such a word.
_FILLER = frozenset(("#", "nr", "num", "no", "no.", "number", "of", "count", "rx", "tx", "active", "total", "used", "online", "concurrent", "parallel", "the", "max", "(n)", "guest", "cpu", "test", "nr.", "logical", "physical", "busy", "server", "client", "sender", "receiver", "worker", "sending", "receiving", "io"))  # fmt: skip

_SINGULAR = {
    "thr": "threads",
    "proc": "processes",
    "process": "processes",
    "prod": "producers",
    "conn": "connections",
    "tc": "threads",
}


def counts_what(heading: str) -> str | None:
    """What a heading says that n counts ("threads"), None when it is no such heading."""
    words = re.sub(r"[#()\[\]:=]", " ", heading.replace("/", " ").replace("-", " ")).split()
    if not words or len(words) > 5:
        return None
    hits = [word for word in words if _WORD.fullmatch(word)]
    if hits and words[0].lower() in ("#", "nr", "num", "number") and words[-1] == hits[-1]:
        return hits[-1]
    if not hits or any(word not in hits and word.lower() not in _FILLER for word in words):
        return None
    return hits[-1]


_SHORT = {"c": "cores", "t": "threads", "p": "processes", "q": "queues"}


def counted(text: str) -> tuple[int, str] | None:
    """Count and noun of a cell such as `16 CPUs`, `16 threads`, `16:`, `16T`; the noun may be ''."""
    if text.strip()[-1:].lower() in _SHORT and text.strip()[:-1].isdigit() and len(text.strip()) < 6:
        return int(text.strip()[:-1]), _SHORT[text.strip()[-1].lower()]
    match = _COUNTED.fullmatch(text.strip())
    if match is None:
        match = _NAMED.fullmatch(text.strip())
        return (int(match[2]), match[1]) if match else None
    return int(match[1]), match[2] or ""


_COUNTED = re.compile(
    rf"(\d{{1,7}}) ?[-x]? ?((?:[a-z]{{1,8}}[- ])?(?:{_ONE})(?:e?s)?(?:\(s\))?)? ?[:=]{{0,2}}", re.IGNORECASE
)
_NAMED = re.compile(rf"((?:nr|num|n)?[_-]?(?:{_ONE})(?:e?s)?|n|nr) ?[=:]? ?(\d{{1,7}}) ?:?", re.IGNORECASE)

_IN_NAME = re.compile(r"\d{1,6}")
_NEAR_NAME = re.compile(
    rf"(?:(?<![A-Za-z])(?:{_ONE}|[tcnpqjP])(?:e?s)?[-_=]?(\d{{1,6}})(?![\d.])|(?<![\d.])(\d{{1,6}})[-_]?(?:{_ONE}|t"
    rf"|c|p|q|thr)(?:e?s)?(?![a-z]))",
    re.IGNORECASE,
)

#: What can be meant by a count in a sentence; other words of `_WORDS` count too many other things there.
_SENDING = (
    "cpu|core|vcpu|thread|sender|queue|client|process|worker|producer|stream|flow|connection|job|task|pktgen thread"
)

_SPELLED = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}
_SPELLED |= {"single": 1, "dual": 2, "quad": 4, "sixteen": 16}

_IN_TEXT = re.compile(
    rf"(?:(?<![\w.,/])(\d{{1,6}}|(?:{'|'.join(_SPELLED)})(?=[ -]))[ -](?:[A-Za-z]{{2,12}} )?(?:{_SENDING})(?:e?s)?"
    rf"(?:\(s\))?(?![\w-])"
    rf"|(?<![\w-])(?:nr_?|num_?|n)?(?:{_SENDING})(?:e?s)?\s{{0,3}}[=:]\s{{0,3}}(\d{{1,6}})(?![\d.,]))",
    re.IGNORECASE,
)


def numbers_in_name(stem: str) -> list[tuple[int, int, int]]:
    """Whole numbers of a file name: (number, start, end)."""
    return [(int(match[0]), match.start(), match.end()) for match in _IN_NAME.finditer(stem)]


def named_number(stem: str) -> tuple[int, int, int] | None:
    """The one number of a file name that stands at a count word: `8cpus`, `threads-8`, `t8`."""
    hits = list(_NEAR_NAME.finditer(stem))
    if len(hits) != 1:
        return None
    place = 1 if hits[0][1] else 2
    return int(hits[0][place]), hits[0].start(place), hits[0].end(place)


def numbers_in_text(lines) -> dict[int, tuple[int, str]]:
    """Counts that a text states ("8 threads", "nr_cpus = 8"), each with the line where it first stands."""
    found: dict[int, tuple[int, str]] = {}
    for place, line in enumerate(lines, 1):
        for match in _IN_TEXT.finditer(line[:2000]):
            text = match[1] or match[2]
            number = int(text) if text.isdigit() else _SPELLED[text.lower()]
            if number:
                found.setdefault(number, (place, match[0].strip()))
    return found
