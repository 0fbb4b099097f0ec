"""Loads in words: how busy, how much is left, what is full first; and a table."""

from mpps.sentences.rows import SHOWN
from mpps.sentences.words import bullets, the
from mpps.tables import Column, Table
from mpps.text import interval, number, percent

#: Core counts in a table of loads; the JSON document has all.
_COUNTS = 12
#: Ends of one less a share.
_SWAPPED = {"lower": "upper", "median": "median", "upper": "lower"}
#: Sentences of a kind.
_SENTENCES = 3
_RATES = ("carried", "capacity", "all_busy", "calm")
#: A share is said where it is at least this probable.
_SAID = 0.05


def load_text(series: dict, machine: str | None) -> str:
    """Sentences and a table for the `load` rows of a series of `mpps.predict/1`."""
    series = _readable(series)
    rows = series["load"]
    last = max(row["n"] for row in rows)
    said = [_headroom(series, row) for row in rows if row["n"] == last][:_SENTENCES]
    said += [text for text in (_second(series, row) for row in rows) if text][:_SENTENCES]
    counts = list(dict.fromkeys(row["n"] for row in rows))
    kept = counts if len(counts) <= _COUNTS else _few(counts)
    return bullets(said) + "\n\n" + str(_table(series, rows, kept, machine, len(counts) - len(kept)))


def _readable(series: dict) -> dict:
    """The series with its loads in a unit for people."""
    unit, factor = SHOWN.get(series["load_unit"], (series["load_unit"], 1.0))

    def scaled(row):
        ends = {name: {end: value * factor for end, value in row[name].items()} for name in _RATES}
        return row | ends | {"load": row["load"] * factor}

    return series | {"load_unit": unit, "load": [scaled(row) for row in series["load"]]}


def _few(counts: list[int]) -> list[int]:
    """Powers of two and the ends."""
    return [n for n in counts if n in (counts[0], counts[-1]) or n & (n - 1) == 0]


def _headroom(series: dict, row: dict) -> str:
    """`no lock: 3 Mpps keep each of 8 cores 52 % busy (39 to 67). 10 % of what they carry is left; ...`"""
    unit, n = series["load_unit"], row["n"]
    cores = "the core" if n == 1 else f"each of {n} cores"
    capacity = f"{spread(row['capacity'])} {unit}"
    first = f"first full: {_what(row)}, at {capacity}"
    head = f"{series['variant']}, {row['load']:.4g} {unit} on {_cores(n)}: "
    if row["p_carried"] < 0.5 and row["p_metastable"] < row["p_carried"] + _SAID and row["headroom"]["median"] <= 0:
        lost = _share(row["dropped"])
        return f"{head}more than is carried ({capacity}); {lost} of the packets are lost. {_cap(first)}."
    middle, low, high = (row["headroom"][key] for key in ("median", "lower", "upper"))
    left = (
        f"{percent(middle)} of what is carried for sure is left ({_signed(low)} to {_signed(high)})"
        if middle > 0
        else f"that is {percent(-middle)} above what is carried for sure"
    )
    carried = f"; probability that it is carried: {_chance(row['p_carried'])}"
    return f"{head}{cores} is {_share(row['utilisation'])} busy; {left}; {first}{carried}."


def _second(series: dict, row: dict) -> str:
    """What a load means that has a second state."""
    unit, n = series["load_unit"], row["n"]
    if row["p_metastable"] >= _SAID:
        return (
            f"{series['variant']}, {row['load']:.4g} {unit} on {_cores(n)} is metastable with probability {_chance(row['p_metastable'])}: "
            f"carried until a burst makes all cores busy; then they carry only {spread(row['all_busy'])} {unit} and lose the rest, until the "
            f"load falls below {spread(row['calm'])} {unit}."
        )
    if row["p_second"] >= _SAID:
        return (
            f"{series['variant']}, {row['load']:.4g} {unit} on {_cores(n)}: with probability {_chance(row['p_second'])} a burst makes all "
            f"cores busy and keeps them so, until the load falls below {spread(row['calm'])} {unit}: nothing is lost, but packets wait."
        )
    return ""


def _table(series, rows, kept, machine, left) -> Table:
    uneven = series.get("flows")
    lines = []
    for row in (each for each in rows if each["n"] in kept):
        lines.append(
            {
                "n": row["n"],
                "load": f"{row['load']:.4g}",
                "busy": _share(row["utilisation"]),
                "busiest": _share(row["busiest"]) if uneven else None,
                "station": _share(row["station"]) if row["station"] else None,
                "of": _share({end: 1 - row["headroom"][other] for end, other in _SWAPPED.items()}),
                "mean": _time(row.get("delay_ns")),
                "late": _time(row.get("delay_99_ns")),
                "lost": _share(row["dropped"]),
                "carried": _chance(row["p_carried"])
                + (f", {_chance(row['p_metastable'])} until a burst" if row["p_metastable"] >= _SAID else ""),
            }
        )
    columns = [
        Column("n", "cores", "count"),
        Column("load", series["load_unit"], "figures"),
        Column("busy", "core busy", "figures"),
        *([Column("busiest", "busiest core", "figures")] if uneven else []),
        *([Column("station", "lock busy", "figures")] if any(line["station"] for line in lines) else []),
        Column("of", "of capacity", "figures"),
        *([Column("mean", "delay", "figures"), Column("late", "99 % below", "figures")] if lines[0]["mean"] else []),
        Column("lost", "lost", "figures"),
        Column("carried", "carried", "figures"),
    ]
    more = f"; {left} core counts more with --json" if left else ""
    flows = f", {uneven} flows" if uneven else ""
    title = f"{series['variant']} under load{f', on {machine}' if machine else ''}{flows}, median (90 % interval){more}"
    return Table(tuple(columns), tuple(lines), title)


def spread(row: dict) -> str:
    """Median and 90 % interval."""
    return interval(row["median"], row["lower"], row["upper"])


def _share(row: dict) -> str:
    low, middle, high = (100 * row[key] for key in ("lower", "median", "upper"))
    if high < 0.05:
        return "0 %"
    return f"{_whole(middle)} % ({_whole(low)} to {_whole(high)})"


def _whole(value: float) -> str:
    return f"{value:.1f}" if 0.05 <= value < 1 else f"{value:.0f}"


def _signed(fraction: float) -> str:
    return f"{100 * fraction:.0f}"


def _chance(p: float) -> str:
    return "above 99 %" if p > 0.99 else "below 1 %" if p < 0.01 else f"{100 * p:.0f} %"


def _time(row) -> str | None:
    if row is None:
        return None
    scale, unit = (1e-6, "ms") if row["median"] >= 1e6 else (1e-3, "us") if row["median"] >= 1e3 else (1.0, "ns")
    low, middle, high = (number(row[key] * scale, 2) for key in ("lower", "median", "upper"))
    return f"{middle} {unit} ({low} to {high})"


def _what(row: dict) -> str:
    name = row["saturates"]
    words = name if name.startswith(("the ", "all ")) else the(name)
    return words + (f" ({100 * row['saturates_p']:.0f} %)" if row["saturates_p"] < 0.95 else "")


def _cap(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cores(n: int) -> str:
    return "1 core" if n == 1 else f"{n} cores"
