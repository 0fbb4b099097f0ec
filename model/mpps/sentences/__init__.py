"""Answers in words: what limits, from where on, what a packet costs, what is not known; then tables.

Each function turns a document of `mpps.answers` into the text that the command prints.
"""

from mpps.machine import Machine, load_machine
from mpps.path import CodePath
from mpps.sentences.rows import measured_table, rate_table, readable, scope_tables
from mpps.sentences.words import (
    assumptions,
    at_last,
    break_even_words,
    bullets,
    bullets_of_sensitivity,
    chance,
    change,
    cost_words,
    count,
    gain,
    limit_words,
    mark,
    marks,
    peak_words,
    spread,
    the,
    title,
)
from mpps.tables import Column, Table
from mpps.text import percent

__all__ = ["fit_text", "predict_text", "whatif_text", "whatif_words"]

#: Variants side by side in one table.
_SIDE = 3


def fit_text(path: CodePath, document: dict) -> str:
    """What `mpps fit` prints."""
    series = [readable(each) for each in document["series"]]
    rates = [each for each in series if each["unit"] != "percent"]
    parts = [title(path)]
    parts += [
        bullets(
            [limit_words(path, each) + " " + peak_words(path, each) + " " + cost_words(path, each) for each in rates]
        )
    ]
    if document["warnings"]:
        parts.append("What the data leave open:\n" + bullets(document["warnings"]))
    for scope in dict.fromkeys(each["scope"] for each in series):
        parts += scope_tables(path, scope, [each for each in series if each["scope"] == scope])
        parts += [f"Fit '{scope}':\n" + bullets(each["words"]) for each in document["known"] if each["scope"] == scope]
    parts.append(bullets_of_sensitivity(path, document["sensitivity"]))
    for kind in dict.fromkeys((each["dataset"], each["metric"], each["unit"]) for each in series):
        parts.append(
            measured_table(
                path, *kind, [each for each in series if (each["dataset"], each["metric"], each["unit"]) == kind]
            )
        )
    parts += [marks(path, load_machine(path.machine), [row for each in series for row in each["predictions"]])]
    parts.append("Taken as given:\n" + bullets(path.assumptions))
    return "\n\n".join(part for part in parts if part)


def predict_text(path: CodePath, document: dict, machine: Machine | None = None) -> str:
    """What `mpps predict` prints; machine: the card of the answer, needed where it is a user's own."""
    series = [readable(each, times=False) for each in document["series"]]
    machine = machine or load_machine(series[0]["machine"])
    words = [at_last(path, each) + " " + limit_words(path, each, f"On {path.machine}") for each in series]
    parts = [title(path), bullets(words)]
    scattered = any(each.get("placement", "packed") != "packed" for each in series)
    where = f"{machine.slug}, {path.sender}s spread over its clusters and sockets" if scattered else machine.slug
    for unit in dict.fromkeys(each["unit"] for each in series):
        same = [each for each in series if each["unit"] == unit]
        for first in range(0, len(same), _SIDE):
            parts.append(rate_table(path, unit, where, same[first : first + _SIDE]))
    parts += [marks(path, machine, [row for each in series for row in each["predictions"]]), assumptions(document)]
    return "\n\n".join(part for part in parts if part)


def whatif_words(path: CodePath, series: dict) -> list[str]:
    """What a series of `mpps.whatif/1` for a path says, in sentences: the gain, where it breaks even, what limits then."""
    above = f"gain above {percent(series['gain_above'], 1)}"
    gains = {row["n"]: row for row in series["gain"]}
    chances = {row["n"]: row["p"] for row in series["gain_probability"]}
    best = max(gains.values(), key=lambda row: row["median"])
    last = gains[max(gains)]
    listed = "" if series["variant"].startswith(series["from"]) else f" That is {series['variant']!r}."
    return [
        f"{series['from']!r} {series['change']}: {gain(last)} with {count(path, last['n'])}"
        + (
            ""
            if change(best["median"]) == change(last["median"])
            else f", at most {gain(best)} with {count(path, best['n'])}"
        )
        + f". Probability of a {above}: {chance(chances[last['n']])}.{listed}",
        break_even_words(path, series),
        f"What limits then, with {count(path, last['n'])}: {the(series['next_bottleneck'])}.",
    ]


def whatif_text(path: CodePath, document: dict, machine: Machine | None = None) -> str:
    """What `mpps whatif` prints; machine as for `predict_text`."""
    series = readable(document["series"][0], times=False)
    machine = machine or load_machine(series["machine"])
    words = whatif_words(path, series)
    above = f"gain above {percent(series['gain_above'], 1)}"
    gains = {row["n"]: row for row in series["gain"]}
    chances = {row["n"]: row["p"] for row in series["gain_probability"]}
    lines = []
    limit = {}
    for row in series["limits"]:
        limit.setdefault(row["n"], f"{row['resource']} ({percent(row['probability'])})")
    for before, after in zip(series["before"], series["predictions"], strict=True):
        n = before["n"]
        lines.append(
            {
                "n": n,
                "mark": mark(after),
                "before": spread(before),
                "after": spread(after),
                "gain": gain(gains[n]),
                "p": chance(chances[n]),
                "limit": limit[n],
            }
        )
    columns = (
        Column("n", f"{path.sender}s", "count"),
        Column("mark", ""),
        Column("before", "before", "figures"),
        Column("after", "after", "figures"),
        Column("gain", "gain (90 %)", "figures"),
        Column("p", f"probability of a {above}", "figures"),
        Column("limit", "limit afterwards"),
    )
    parts = [title(path), bullets(words)]
    if series["gives_up"]:
        parts.append("What the change gives up:\n" + bullets(series["gives_up"]))
    if series["takes"]:
        parts.append("What the change takes for granted:\n" + bullets(series["takes"]))
    parts.append(str(Table(columns, tuple(lines), f"{series['unit']}, median (90 % interval), on {series['machine']}")))
    parts += [marks(path, machine, series["predictions"]), assumptions(document)]
    return "\n\n".join(part for part in parts if part)
