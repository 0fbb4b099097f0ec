"""A page in plain text, 72 columns: what a mail or a terminal can hold."""

import textwrap

from mpps.pages.templates import STATUS_WORDS
from mpps.record import show

WIDTH = 72
#: Sentences and numbers of a page; the record has all.
MOST = 24


def plain_text(record: dict, title: str, charts=()) -> str:
    """Question, answer, key numbers with their intervals, what the charts say, and what the run was."""
    run = record["run"]
    lines = [*_wrapped(title), "=" * min(len(title), WIDTH), ""]
    if run["error"]:
        lines += [*_wrapped(f"This page is partial. The notebook failed: {run['error']}"), ""]
    for sentence in record["answer"][:MOST]:
        lines += _wrapped(sentence, "- ")
    lines += _more(record["answer"], "sentences")
    if record["answer"]:
        lines += ["", *_wrapped(STATUS_WORDS[record["status"]]), ""]
    if record["numbers"]:
        lines += [
            *_heading("Numbers, with 90 % intervals"),
            *_numbers(record["numbers"]),
            *_more(record["numbers"], "numbers"),
            "",
        ]
    if charts:
        lines += [*_heading("Charts"), *(line for chart in charts for line in _wrapped(chart.title, "- ")), ""]
    lines += _heading("This run")
    for name, values in (("parameters", record["parameters"]), ("versions", record["versions"])):
        if values:
            lines += _wrapped(f"{name}: " + ", ".join(f"{key} = {value}" for key, value in values.items()))
    for file, digest in record["data_sha256"].items():
        lines += _wrapped(f"data: {file}, SHA-256 {digest[:12]}")
    lines += _wrapped(f"executed in {run['seconds']:.1f} s")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _more(items, what: str) -> list[str]:
    return [f"{len(items) - MOST} more {what} stand in the record."] if len(items) > MOST else []


def _heading(words: str) -> list[str]:
    return [words, "-" * len(words)]


def _wrapped(words: str, first: str = "") -> list[str]:
    plain = " ".join(str(words).replace("\N{NO-BREAK SPACE}", " ").split())
    return textwrap.wrap(plain, WIDTH, initial_indent=first, subsequent_indent=" " * len(first)) or [""]


def _numbers(numbers: dict) -> list[str]:
    """Name and value on one line, the value at the right; on two where they do not fit."""
    lines = []
    for name, number in list(numbers.items())[:MOST]:
        said = show(number).replace("\N{NO-BREAK SPACE}", " ")
        room = WIDTH - len(said) - 2
        if len(name) <= room:
            lines.append(f"{name}{' ' * (WIDTH - len(name) - len(said))}{said}")
        else:
            lines += [*_wrapped(name), *_wrapped(said, "    ")]
    return lines
