"""Sentences and marks of an answer."""

import shutil
import textwrap

from mpps.influence import NO_INFLUENCE
from mpps.machine import Machine
from mpps.path import CEILING, CodePath
from mpps.text import interval, number, percent

#: Widest and narrowest paragraphs, in columns; between them they follow the terminal, or COLUMNS.
WIDTH, _NARROWEST = 100, 40


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines as wide as the terminal, of at most `WIDTH` columns."""
    columns = shutil.get_terminal_size((WIDTH, 24)).columns
    return textwrap.fill(
        " ".join(text.split()),
        max(_NARROWEST, min(columns, WIDTH)),
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_long_words=False,
    )


def title(path: CodePath) -> str:
    """Title and question of a path."""
    return wrapped(f"{path.title}. {path.question}")


def bullets(items) -> str:
    """A list, one sentence or paragraph an item."""
    return "\n".join(wrapped(item, "- ") for item in items)


def the(resource: str) -> str:
    """A resource with its article; private work with the stage that grows."""
    name, _, stage = resource.partition(": ")
    if name == "private work":
        return (
            f"the private work of each core (above all {stage})"
            if stage and stage != name
            else "the private work of each core"
        )
    return f"the {resource}"


def count(path: CodePath, n: int) -> str:
    """`1 stream`, `16 senders`."""
    return f"{n:,} {path.sender}{'' if n == 1 else 's'}"


def limit_words(path: CodePath, series: dict, start: str = "") -> str:
    """`both locks: the receive lock limits from 2.9 (2.7 to 3.1) senders on.`"""
    name, knee, last = series["bottleneck"], series["knee_cores"], series["packet_cost"]["n"]
    head = start if start else f"{series['variant']}:"
    if name.startswith("private work"):
        return f"{head} {the(name)} limits{' up to' if last > 1 else ' with'} {count(path, last)}, the most that was measured."
    if knee["median"] is None:
        return f"{head} {the(name)} limits with {count(path, last)}."
    return f"{head} {the(name)} limits from {from_on(path, knee)}."


def from_on(path: CodePath, found: dict) -> str:
    """`2.85 senders on (90 %: 2.60 to 3.08)`: a count with its interval, open where it has no end."""
    return f"{ends(found)[0]} {path.sender}s on ({ends(found)[1]})"


def ends(found: dict) -> tuple[str, str]:
    """A count, and its 90 % interval in words."""
    median, lower, upper = found["median"], found["lower"], found["upper"]
    if upper is None:
        return number(median, 3), f"90 %: {number(lower, 3)} or more"
    if upper - lower < 0.1:
        return number(median, 3), f"90 %: {number(lower, 3)} to {number(upper, 3)}"
    said, _, rest = interval(median, lower, upper).partition(" (")
    return said, f"90 %: {rest.rstrip(')')}"


def peak_words(path: CodePath, series: dict) -> str:
    """Where the rate is highest, or what a ceiling lets pass; nothing where it rises as far as looked."""
    cores, rate = series["peak_cores"], series["peak_rate"]
    if series["unit"] == "ns/element":
        return ""
    if cores["median"] is None:
        if cores["lower"] is None:
            return "The rate has no peak as far as is looked."
        return (
            f"The rate has no peak as far as is looked in most draws (90 %: {cores['lower']:g} {path.sender}s or more)."
        )
    if any(stage.on == CEILING and stage.name == series["bottleneck"] for stage in path.stages):
        return f"It lets {interval(rate['median'], rate['lower'], rate['upper'])} {series['unit']} pass."
    same = cores["lower"] == cores["upper"]
    reach = f"90 %: {cores['lower']:g}" + (f" to {cores['upper']:g}" if cores["upper"] else " or more")
    at = f"{count(path, int(cores['median']))}" + ("" if same else f" ({reach})")
    return f"The rate is highest with {at}: {interval(rate['median'], rate['lower'], rate['upper'])} {series['unit']}."


def break_even_words(path: CodePath, series: dict) -> str:
    """From which count on a change gains, and up to which: `It gains more than 1 % up to 10.4 CPUs (90 %: 9.8 to 10.9).`"""
    start, stop, above = series["gain_from"], series["gain_until"], percent(series["gain_above"], 1)
    if start["median"] is None:
        return f"It does not gain more than {above} with any count up to {count(path, series['searched_to'])}."
    parts = []
    if start["upper"] is not None and 1 < start["upper"] <= 2:
        parts.append(f"from 2 {path.sender}s on")
    elif start["upper"] != 1:
        said, reach = ends(start)
        parts.append(f"from {said} {path.sender}{'' if said == '1' else 's'} on ({reach})")
    if stop["median"] is not None:
        said, reach = ends(stop)
        parts.append(f"up to {said} {path.sender}s ({reach})")
    elif stop["lower"] is not None:
        parts.append(
            f"up to {series['searched_to']} {path.sender}s and beyond (90 %: {number(stop['lower'], 3)} or more)"
        )
    return (
        f"It gains more than {above} {' and '.join(parts)}."
        if parts
        else f"It gains more than {above} with any count up to {count(path, series['searched_to'])}."
    )


def cost_words(path: CodePath, series: dict) -> str:
    """`With 16 senders a packet costs 3,870 ns: 2,900 waiting for the receive lock, 640 private work, ...`"""
    cost = series["packet_cost"]
    large = [row for row in sorted(cost["stages"], key=lambda row: -row["ns"]) if row["ns"] > 0.02 * cost["ns"]][:3]
    stages = "; ".join(f"{number(row['ns'])} {row['stage']}" for row in large)
    what = "an element" if series["unit"] == "ns/element" else "a packet"
    return f"With {count(path, cost['n'])} {what} takes {number(cost['ns'])} ns of a {path.sender}'s time: {stages}."


def bullets_of_sensitivity(path: CodePath, found: list[dict]) -> str:
    """On what the predictions far beyond the table depend, the three largest inputs of each variant."""
    lines = []
    for each in found:
        largest = [row for row in each["inputs"] if row["total"] >= 0.01][:3]
        shares = "; ".join(f"{row['name']} {percent(max(row['total'], 0.0))}" for row in largest)
        lines.append(f"{each['variant']}: {shares}.")
    first = found[0]
    where = (
        f"hypothetical: {first['machine']} is not known to have them"
        if first["hypothetical"]
        else f"on {first['machine']}"
    )
    head = f"Shares of the variance of the prediction with {count(path, first['n'])} ({where}), interactions included:"
    return f"{wrapped(head)}\n{bullets(lines)}"


def at_last(path: CodePath, series: dict) -> str:
    """The rate at the largest core count that was asked for, and the measured one beside it."""
    row = series["predictions"][-1]
    seen = "" if row["observed"] is None else f", measured {row['observed']:,.12g}"
    return f"{series['variant']}: {spread(row)} {series['unit']} with {count(path, row['n'])}{seen}."


def marks(path: CodePath, machine: Machine, rows) -> str:
    """What the marks in the tables mean, as far as there are any; machine: what the rows are for."""
    lines = []
    if any(row["extrapolated"] for row in rows):
        other = "" if machine.slug == path.machine else f" on {machine.slug}"
        lines.append(f"* extrapolated: nobody measured so many {path.sender}s{other}.")
    hypothetical = [row["n"] for row in rows if row["hypothetical"]]
    if hypothetical:
        counts = [machine[f"topology.{name}"] for name in ("sockets", "cores_per_socket", "threads_per_core")]
        if counts[1].not_stated:
            known = f"{machine.slug} does not state its number of cores"
        else:
            known = f"{machine.slug} {'is taken to have' if any(each.assumed for each in counts) else 'has'} {machine.threads} CPUs"
        lines.append(
            f"# {known}: {min(hypothetical)}{' and more are' if len(set(hypothetical)) > 1 else ' is'} hypothetical."
        )
    return "\n".join(wrapped(line, "") for line in lines)


def assumptions(document: dict) -> str:
    """What an answer rests on, and what its path takes as given."""
    numbers = [item for item in document["assumptions"] if "name" in item]
    large = [item["says"] for item in numbers if (item.get("influence") or 0.0) >= NO_INFLUENCE]
    small = [item["says"] for item in numbers if (item.get("influence") or 0.0) < NO_INFLUENCE]
    lists = (
        ("Rests on, largest influence first:", large),
        (f"{'And' if large else 'Rests'} on, each with less than {percent(NO_INFLUENCE, 1)} of the variance:", small),
        ("Taken as given:", [item["says"] for item in document["assumptions"] if "name" not in item]),
    )
    return "\n\n".join(f"{heading}\n{bullets(items)}" for heading, items in lists if items)


def spread(row: dict) -> str:
    """Median and 90 % interval."""
    return interval(row["median"], row["lower"], row["upper"])


def gain(row: dict) -> str:
    """A gain with its interval, in percent."""
    median, lower, upper = (change(row[key]) for key in ("median", "lower", "upper"))
    return f"{median} % ({lower} to {upper})"


def change(ratio: float) -> str:
    """`+28` for a ratio of 1.28, in whole percent; never a negative zero."""
    return f"{round(100 * (ratio - 1)) + 0:+d}"


def chance(p: float) -> str:
    """A probability; draws cannot tell 99 from 100 %."""
    return "above 99 %" if p > 0.99 else "below 1 %" if p < 0.01 else f"{100 * p:.0f} %"


def mark(row: dict) -> str:
    """`*` beyond the measurements, `#` beyond the machine."""
    return ("*" if row["extrapolated"] else "") + ("#" if row["hypothetical"] else "")
