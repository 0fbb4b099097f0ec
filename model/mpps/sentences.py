"""Answers in words: what limits, from where on, what a packet costs, what is not known; then tables.

Each function turns a document of `mpps.answers` into the text that the command prints.
"""

import textwrap

from mpps.machine import load_machine
from mpps.path import CEILING, CodePath
from mpps.tables import Column, Table
from mpps.text import interval, number, percent

WIDTH = 100
#: Units that are easier to read in another one, and the factor to it.
_SHOWN = {"packets/s": ("Mpps", 1e-6)}
#: A table of rates shows about this many core counts; the JSON document has all.
_COUNTS = 24
#: Variants side by side in one table.
_SIDE = 3


def fit_text(path: CodePath, document: dict) -> str:
    """What `mpps fit` prints."""
    series = [_readable(each) for each in document["series"]]
    rates = [each for each in series if each["unit"] != "percent"]
    parts = [_title(path)]
    parts += [_bullets([_limit_words(path, each) + " " + _peak_words(path, each) + " " + _cost_words(path, each) for each in rates])]
    if document["warnings"]:
        parts.append("What the data leave open:\n" + _bullets(document["warnings"]))
    for scope in dict.fromkeys(each["scope"] for each in series):
        parts += _scope_tables(path, scope, [each for each in series if each["scope"] == scope])
    for kind in dict.fromkeys((each["dataset"], each["metric"], each["unit"]) for each in series):
        parts.append(_measured_table(path, *kind, [each for each in series if (each["dataset"], each["metric"], each["unit"]) == kind]))
    parts += [_marks(path, path.machine, [row for each in series for row in each["predictions"]])]
    parts.append("Taken as given:\n" + _bullets(path.assumptions))
    return "\n\n".join(part for part in parts if part)


def predict_text(path: CodePath, document: dict) -> str:
    """What `mpps predict` prints."""
    series = [_readable(each, times=False) for each in document["series"]]
    machine = series[0]["machine"]
    words = [_at_last(path, each) + " " + _limit_words(path, each, f"On {path.machine}") for each in series]
    parts = [_title(path), _bullets(words)]
    for unit in dict.fromkeys(each["unit"] for each in series):
        same = [each for each in series if each["unit"] == unit]
        for first in range(0, len(same), _SIDE):
            parts.append(_rate_table(path, unit, machine, same[first : first + _SIDE]))
    parts += [_marks(path, machine, [row for each in series for row in each["predictions"]]), _assumptions(document)]
    return "\n\n".join(part for part in parts if part)


def whatif_text(path: CodePath, document: dict) -> str:
    """What `mpps whatif` prints."""
    series = _readable(document["series"][0], times=False)
    gains = {row["n"]: row for row in series["gain"]}
    chance = {row["n"]: row["p"] for row in series["gain_probability"]}
    best = max(gains.values(), key=lambda row: row["median"])
    last = gains[max(gains)]
    listed = "" if series["variant"].startswith(series["from"]) else f" That is {series['variant']!r}."
    words = [
        f"{series['from']!r} {series['change']}: {_gain(last)} with {_count(path, last['n'])}"
        + ("" if best is last else f", at most {_gain(best)} with {_count(path, best['n'])}")
        + f". Probability of a gain: {_chance(chance[last['n']])}.{listed}",
        f"What limits then, with {_count(path, last['n'])}: {_the(series['next_bottleneck'])}.",
    ]
    lines = []
    limit = {}
    for row in series["limits"]:
        limit.setdefault(row["n"], f"{row['resource']} ({percent(row['probability'])})")
    for before, after in zip(series["before"], series["predictions"], strict=True):
        n = before["n"]
        lines.append({
            "n": n, "mark": _mark(after), "before": _spread(before), "after": _spread(after), "gain": _gain(gains[n]),
            "p": _chance(chance[n]), "limit": limit[n],
        })
    columns = (
        Column("n", f"{path.sender}s", "count"), Column("mark", ""), Column("before", "before", "figures"), Column("after", "after", "figures"),
        Column("gain", "gain (90 %)", "figures"), Column("p", "probability of a gain", "figures"),
        Column("limit", "limit afterwards" + ("" if series["machine"] == path.machine else f" (on {path.machine})")),
    )
    parts = [_title(path), _bullets(words)]
    if series["gives_up"]:
        parts.append("What the change gives up:\n" + _bullets(series["gives_up"]))
    parts.append(str(Table(columns, tuple(lines), f"{series['unit']}, median (90 % interval), on {series['machine']}")))
    parts += [_marks(path, series["machine"], series["predictions"]), _assumptions(document)]
    return "\n\n".join(part for part in parts if part)


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines of at most `WIDTH` columns."""
    return textwrap.fill(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=" " * len(indent), break_long_words=False)


def _readable(series: dict, times: bool = True) -> dict:
    """A series with its rates in a unit for people; without `times`, those of a table of times are rates too."""
    unit, factor = _SHOWN.get(series["unit"], (series["unit"], 1.0))
    ends = ("median", "lower", "upper", "observed")

    def scaled(row):
        return row | {key: row[key] * factor for key in ends if row.get(key) is not None}

    if series["unit"] == "ns/element" and not times:
        unit, scaled = "million elements/s", _as_rate

    rows = {key: [scaled(row) for row in series[key]] for key in ("predictions", "before") if key in series}
    peak = {"peak_rate": scaled(series["peak_rate"])} if "peak_rate" in series else {}
    return series | rows | peak | {"unit": unit}


def _as_rate(row: dict) -> dict:
    """A row of ns per element in millions of elements a second."""
    swapped = {"median": "median", "lower": "upper", "upper": "lower", "observed": "observed"}
    return row | {key: None if row[other] is None else 1e3 / row[other] for key, other in swapped.items() if other in row}


def _title(path: CodePath) -> str:
    return wrapped(f"{path.title}. {path.question}")


def _bullets(items) -> str:
    return "\n".join(wrapped(item, "- ") for item in items)


def _the(resource: str) -> str:
    name, _, stage = resource.partition(": ")
    if name == "private work":
        return f"the private work of each core (above all {stage})" if stage and stage != name else "the private work of each core"
    return f"the {resource}"


def _count(path: CodePath, n: int) -> str:
    return f"{n:,} {path.sender}{'' if n == 1 else 's'}"


def _limit_words(path: CodePath, series: dict, start: str = "") -> str:
    """`both locks: the receive lock limits from 2.9 (2.7 to 3.1) senders on.`"""
    name, knee, last = series["bottleneck"], series["knee_cores"], series["packet_cost"]["n"]
    head = start if start else f"{series['variant']}:"
    if name.startswith("private work"):
        return f"{head} {_the(name)} limits{' up to' if last > 1 else ' with'} {_count(path, last)}, the most that was measured."
    if knee["median"] is None:
        return f"{head} {_the(name)} limits with {_count(path, last)}."
    where = interval(knee["median"], knee["lower"], knee["upper"]) if knee["upper"] else f"{number(knee['median'], 2)} (at least {number(knee['lower'], 2)})"
    return f"{head} {_the(name)} limits from {where} {path.sender}s on."


def _peak_words(path: CodePath, series: dict) -> str:
    cores, rate = series["peak_cores"], series["peak_rate"]
    if series["unit"] == "ns/element" or cores["median"] is None:
        return ""
    if any(stage.on == CEILING and stage.name == series["bottleneck"] for stage in path.stages):
        return f"It lets {interval(rate['median'], rate['lower'], rate['upper'])} {series['unit']} pass."
    at = f"{cores['median']:g} {path.sender}s" + ("" if cores["upper"] else " or more")
    return f"The rate is highest with {at}: {interval(rate['median'], rate['lower'], rate['upper'])} {series['unit']}."


def _cost_words(path: CodePath, series: dict) -> str:
    """`With 16 senders a packet costs 3,870 ns: 2,900 waiting for the receive lock, 640 private work, ...`"""
    cost = series["packet_cost"]
    large = [row for row in sorted(cost["stages"], key=lambda row: -row["ns"]) if row["ns"] > 0.02 * cost["ns"]][:3]
    stages = ", ".join(f"{number(row['ns'])} {row['stage']}" for row in large)
    what = "an element" if series["unit"] == "ns/element" else "a packet"
    return f"With {_count(path, cost['n'])} {what} takes {number(cost['ns'])} ns of a {path.sender}'s time: {stages}."


def _at_last(path: CodePath, series: dict) -> str:
    row = series["predictions"][-1]
    return f"{series['variant']}: {_spread(row)} {series['unit']} with {_count(path, row['n'])}{'' if row['observed'] is None else ', as measured'}."


def _scope_tables(path: CodePath, scope: str, series: list[dict]) -> list[str]:
    mechanisms = series[0]["mechanisms"]
    weights = [
        f"{percent(each['weight'])}, error {100 * each['error']:.1f} %: {each['name']}: {each['words']}"
        for each in mechanisms if each["weight"] >= 0.01
    ]
    best = mechanisms[0]
    values = [{**row, "value": _spread(row), "by": "" if row["by"] == "yes" else _BY[row["by"]]} for row in best["parameters"]]
    columns = (
        Column("name", "parameter"), Column("value", "value (90 % interval)", "figures"), Column("unit", "unit"),
        Column("by", "known from"), Column("meaning", "meaning"),
    )
    return [
        f"Fit '{scope}': {path.scope(scope).words}. Explanations, weights by {series[0]['basis']}:\n{_bullets(weights)}",
        str(Table(columns, tuple(values), f"Fit '{scope}', parameters of: {best['name']}")),
    ]


_BY = {"one-sided": "one side only", "prior": "prior", "no": "nothing"}


def _measured_table(path, dataset, metric, unit, series) -> str:
    lines = []
    for each in series:
        for row in each["predictions"]:
            off = None if row["observed"] is None else row["observed"] / row["median"] - 1
            lines.append({"variant": each["variant"], "n": row["n"], "mark": _mark(row), "model": _spread(row), "observed": row["observed"], "off": off})
    columns = (
        Column("variant", "variant"), Column("n", f"{path.sender}s", "count"), Column("mark", ""), Column("model", "model (90 % interval)", "figures"),
        Column("observed", "measured", "exact"), Column("off", "measured / model - 1", "change"),
    )
    return str(Table(columns, tuple(lines), f"{dataset}: {metric} in {unit}"))


def _rate_table(path, unit, machine, series) -> str:
    lines: dict[int, dict] = {}
    measured = {row["n"] for each in series for row in each["predictions"] if row["observed"] is not None}
    counts = _thinned([row["n"] for row in series[0]["predictions"]], measured)
    for each in series:
        for row in each["predictions"]:
            if row["n"] in counts:
                line = lines.setdefault(row["n"], {"n": row["n"], "mark": ""})
                line[each["variant"]] = _spread(row)
                line["mark"] = max(line["mark"], _mark(row), key=len)
    columns = (Column("n", f"{path.sender}s", "count"), Column("mark", ""), *(Column(each["variant"], each["variant"], "figures") for each in series))
    settings = {name: value for each in series for name, value in each["settings"].items()}
    also = "".join(f", {name} = {value:g}" for name, value in settings.items())
    left = len(series[0]["predictions"]) - len(counts)
    more = f"; {left} core counts more with --json" if left else ""
    return str(Table(columns, tuple(lines.values()), f"{unit}, median (90 % interval), on {machine}{also}{more}"))


def _thinned(counts: list[int], measured: set[int]) -> list[int]:
    """The counts of a table: all, or the measured ones, powers of two, steps between them, and the ends."""
    if len(counts) <= _COUNTS:
        return counts
    wanted = {counts[0], counts[-1], *measured}
    step = 1
    while step <= counts[-1]:
        wanted |= {step, step * 3 // 2}
        step *= 2
    return [n for n in counts if n in wanted]


def _spread(row: dict) -> str:
    return interval(row["median"], row["lower"], row["upper"])


def _gain(row: dict) -> str:
    return f"{100 * (row['median'] - 1):+.0f} % ({100 * (row['lower'] - 1):+.0f} to {100 * (row['upper'] - 1):+.0f})"


def _chance(p: float) -> str:
    return "above 99 %" if p > 0.99 else "below 1 %" if p < 0.01 else f"{100 * p:.0f} %"


def _mark(row: dict) -> str:
    return ("*" if row["extrapolated"] else "") + ("#" if row["hypothetical"] else "")


def _marks(path: CodePath, machine: str, rows) -> str:
    """What the marks in the tables mean, as far as there are any."""
    lines = []
    if any(row["extrapolated"] for row in rows):
        other = "" if machine == path.machine else f" on {machine}"
        lines.append(f"* extrapolated: nobody measured so many {path.sender}s{other}.")
    hypothetical = [row["n"] for row in rows if row["hypothetical"]]
    if hypothetical:
        card = load_machine(machine)
        counts = [card[f"topology.{name}"] for name in ("sockets", "cores_per_socket", "threads_per_core")]
        if counts[1].not_stated:
            known = f"{card.slug} does not state its number of cores"
        else:
            known = f"{card.slug} {'is taken to have' if any(each.assumed for each in counts) else 'has'} {card.threads} CPUs"
        lines.append(f"# {known}: {min(hypothetical)}{' and more are' if len(set(hypothetical)) > 1 else ' is'} hypothetical.")
    return "\n".join(wrapped(line, "") for line in lines)


def _assumptions(document: dict) -> str:
    numbers = [item["says"] for item in document["assumptions"] if "name" in item]
    given = [item["says"] for item in document["assumptions"] if "name" not in item]
    parts = ["Rests on, widest range first:\n" + _bullets(numbers)] if numbers else []
    return "\n\n".join([*parts, "Taken as given:\n" + _bullets(given)] if given else parts)
