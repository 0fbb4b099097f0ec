"""What to measure next, in words: where, what it promises, and how the other counts compare."""

from mpps.sentences.words import bullets, chance, wrapped
from mpps.tables import Column, Table
from mpps.text import interval, number, percent

#: A measurement that promises less than this is not worth its time.
_LITTLE = 0.03
#: Candidates and tables of them that are shown; the JSON document has all.
_SHOWN, _TABLES = 8, 3


def advise_text(document: dict) -> str:
    """What `mpps advise` prints."""
    order = sorted(range(len(document["series"])), key=lambda place: (place != document["best"], place))
    series = [document["series"][place] for place in order]
    parts = [bullets(_answer(each) for each in series)]
    if document["warnings"]:
        parts.append("Warnings:\n" + bullets(document["warnings"]))
    parts += [_table(each) for each in series[:_TABLES]]
    parts.append(
        wrapped(
            "Factor: between the ends of the 90 % interval, as it is expected after one measurement there. Right: "
            "probability that the better of the two leading explanations is then the true one. The machine stays the same."
        )
    )
    return "\n\n".join(parts)


def _answer(series: dict) -> str:
    now, best, within = series["now"], series["next"], series["within"]
    unit = f" {series['unit']}" if series["unit"] else ""
    known = (
        f"the 90 % interval of {_named(series['variant'])} at {series['n']:,} is "
        f"{interval(None, now['lower'], now['upper'])}{unit}, a factor of {_factor(now['factor'])}"
    )
    if best["shrinks"] < _LITTLE:
        return f"No single measurement narrows what is known by more than {percent(_LITTLE, 1)}: {known}."
    words = [
        f"Measure {_where(best)}: {known}; it shrinks to a factor of about {_factor(best['factor'])}.",
        f"Explanations differ there by {percent(best['disagreement'])}, and a measurement scatters by {percent(best['scatter'])}.",
        _apart(series, best),
    ]
    if best["n"] > series["largest"]:
        if within["shrinks"] < _LITTLE:
            words.append(f"No count up to {series['largest']:,}, the largest so far, narrows it.")
        else:
            words.append(
                f"Up to {series['largest']:,}, the largest so far: {_where(within)}, to about {_factor(within['factor'])}."
            )
    return " ".join(word for word in words if word)


def _apart(series: dict, best: dict) -> str:
    """What is in question, and how surely the measurement settles it."""
    if len(series["leading"]) < 2:
        return ""
    first, second = (f"{each['name']} ({chance(each['weight'])})" for each in series["leading"])
    return f"Of {first} and {second} it names the right one with probability {chance(best['apart'])}, now {chance(series['now']['apart'])}."


def _table(series: dict) -> str:
    several = len({row["variant"] for row in series["candidates"]}) > 1
    rows = [
        row
        | {
            "n": f"{row['n']:,}",
            "factor": _factor(row["factor"]),
            "apart": chance(row["apart"]),
            "shrinks": max(row["shrinks"], 0.0),
        }
        for row in series["candidates"][:_SHOWN]
    ]
    columns = (
        *([Column("variant", "variant")] if several else []),
        Column("n", "n", "figures"),
        Column("repeats", "values there", "count"),
        Column("disagreement", "explanations differ", "percent", 2),
        Column("scatter", "scatter", "percent", 2),
        Column("factor", "factor", "figures"),
        Column("shrinks", "shrinks", "percent", 2),
        Column("apart", "right", "figures"),
    )
    left = len(series["candidates"]) - len(rows)
    more = f"; {left} candidates more with --json" if left > 0 else ""
    return str(
        Table(
            columns,
            tuple(rows),
            f"{series['variant'] or series['dataset']} at {series['n']:,}: most promising first{more}",
        )
    )


def _where(row: dict) -> str:
    again = " once more" if row["repeats"] else ""
    return f"{_named(row['variant'])} at {row['n']:,}{again}"


def _named(variant: str) -> str:
    return f"{variant!r}" if variant else "it"


def _factor(value: float) -> str:
    """A factor with as many digits as its distance from one needs."""
    return number(value, 3 if value < 2 else 2)
