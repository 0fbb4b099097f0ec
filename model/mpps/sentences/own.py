"""Answers for a user's own table in words: what limits and from where on, what an operation costs, what comes next, what
is not known; then tables."""

from mpps.sentences.rows import SHOWN, readable, thinned
from mpps.sentences.words import bullets, chance, ends, wrapped
from mpps.table.limits import PARTS, PRIVATE, UNEQUAL
from mpps.table.parameters import LONE
from mpps.tables import Column, Table
from mpps.text import interval, number, percent

__all__ = ["fit_table_text", "predict_table_text"]

#: What limits, as a reader knows it.
_RESOURCES = {
    PRIVATE: "the private work of each core",
    "serial station": "a serial station (a lock or a shared cache line that one core at a time holds)",
    "ceiling": "a ceiling (device, wire, memory, or what drives the load)",
    "serial share": "a serial share (work that only one core at a time can do)",
    "coherence": "coherence traffic between all pairs of cores",
    "fan-out": "work that each core does for every other one",
    UNEQUAL: "the cores beyond a number, which yield less (siblings, slow cores, more senders than cores),",
    "flow imbalance": "the busiest queue (flows spread unequally)",
}
_RESTS = {
    "mechanisms": "which mechanism it is",
    "parameters": "the parameters of the mechanisms",
    "drift_and_falls": "what no mechanism knows (drift, a further bottleneck)",
    "scatter": "scatter of a measurement",
}
#: Mechanisms with less weight than this in every series are not listed.
_SHOWN_WEIGHT = 0.05
#: Variants side by side in one table.
_SIDE = 3
#: Most rows of a table of predictions; the JSON document has all.
_MOST_ROWS = 40
_BY = {"yes": "fixes it", "one-sided": "bounds one side", "prior": "leaves it to other tables", "no": "says nothing"}
_SHORT = {"slowdown by shared lines": "shared lines"}


def fit_table_text(document: dict) -> str:
    """What `mpps fit FILE` prints."""
    series = [_readable(each) for each in document["series"]]
    parts = [_read(document, series)]
    explained: set[str] = set()
    parts.append(bullets(_answer(each, explained) for each in series))
    if document["advice"]:
        parts.append(wrapped(f"Next: {document['advice']['words']}"))
    parts.append("What is not known:\n" + bullets(_open(series)))
    if document["warnings"]:
        parts.append("Warnings:\n" + bullets(document["warnings"]))
    for dataset, metric, unit in dict.fromkeys((each["dataset"], each["metric"], each["unit"]) for each in series):
        mine = [each for each in series if (each["dataset"], each["metric"], each["unit"]) == (dataset, metric, unit)]
        parts += _prediction_tables(f"{dataset}: {metric}{_in(unit)}", mine)
    parts.append(_marks(series))
    parts += _mechanism_tables(series)
    parts += [_parameter_table(each) for each in series]
    parts.append(_legend(series))
    return "\n\n".join(part for part in parts if part)


def predict_table_text(document: dict) -> str:
    """What `mpps predict FILE` prints."""
    series = [_readable(each) for each in document["series"]]
    parts = [_read(document, series)]
    explained: set[str] = set()
    parts.append(
        bullets(
            f"{each['variant']}: {_rate(each['predictions'][-1], each)}; {_limit(each, explained)}" for each in series
        )
    )
    for dataset, metric, unit in dict.fromkeys((each["dataset"], each["metric"], each["unit"]) for each in series):
        mine = [each for each in series if (each["dataset"], each["metric"], each["unit"]) == (dataset, metric, unit)]
        parts += _prediction_tables(f"{dataset}: {metric}{_in(unit)}", mine)
    parts.append(_marks(series))
    if document["warnings"]:
        parts.append("Warnings:\n" + bullets(document["warnings"]))
    parts.append("Rests on:\n" + bullets(item["says"] for item in document["assumptions"]))
    return "\n\n".join(part for part in parts if part)


def _readable(series: dict) -> dict:
    """A series with its rates in a unit for people; `file_unit` keeps that of the file."""
    beyond = readable({"unit": series["unit"], "predictions": series.get("beyond", [])})["predictions"]
    return readable(series) | {"file_unit": series["unit"], "beyond": beyond}


def _read(document: dict, series) -> str:
    """What was read, in a line or two for each file."""
    lines = [f"{each['file']}: read as {each['format']}: {each['why']}." for each in document["read"]["files"][:3]]
    more = len(document["read"]["files"]) - len(lines)
    if more > 0:
        lines.append(f"And {more} more files.")
    names = dict.fromkeys(f"{each['metric']}{_in(each['unit'])}" for each in series)
    lines.append(f"{len(series)} series ({', '.join(names)}) of {document['read']['values']} values.")
    return "\n".join(wrapped(line) for line in lines)


def _in(unit: str) -> str:
    return f" in {unit}" if unit else ", unit not stated"


def _answer(series: dict, explained: set[str]) -> str:
    name = series["variant"]
    parts = (f"{name}: {_limit(series, explained)}", _peak(series), _cost(series), _next(series))
    return " ".join(part for part in parts if part)


def _limit(series: dict, explained: set[str]) -> str:
    """What limits, from where on, how surely; a resource is explained the first time it is named."""
    last, knee, name = series["largest"], series["knee_cores"], series["bottleneck"]
    at_last = [row for row in series["limits"] if row["n"] == last]
    others = [row for row in at_last[1:] if row["probability"] >= 0.05][:2]
    said = f"with probability {chance(series['bottleneck_probability'])}"
    if others:
        said += "; otherwise " + " or ".join(
            f"{_bare(row['resource'])} ({chance(row['probability'])})" for row in others
        )
    what = _bare(name) if name in explained else _RESOURCES[name]
    explained.add(name)
    if name == PRIVATE:
        beyond = (
            ""
            if knee["lower"] is None
            else f" Something else takes over at n = {number(knee['lower'], 2)} or later (90 %)."
        )
        return f"{what} limits up to n = {last}, the most that was measured, {said}.{beyond}"
    if knee["median"] is None:
        return f"{what} limits at n = {last}, {said}."
    if knee["median"] < 1.05:
        return f"{what} limits from n = 2 on, {said}."
    middle, reach = ends(knee)
    return f"{what} limits from n = {middle} on ({reach}), {said}."


def _bare(resource: str) -> str:
    return _RESOURCES[resource].partition(" (")[0].rstrip(",")


def _peak(series: dict) -> str:
    cores, rate, unit = series["peak_cores"], series["peak_rate"], f" {series['unit']}".rstrip()
    if series["rate_of"] != "all together":
        unit += " of all together"
    if series["bottleneck"] == PRIVATE:
        return (
            ""
            if rate["lower"] is None
            else f"If the rate levels off at all, then above {number(rate['lower'])}{unit} (90 %)."
        )
    if rate["median"] is None:
        return ""
    height = f"{interval(rate['median'], rate['lower'], rate['upper'])}{unit}"
    if rate["upper"] is None:
        height = f"{number(rate['median'])} (90 %: at least {number(rate['lower'])}){unit}"
    if cores["median"] is None:
        return f"The rate levels off at {height}."
    if cores["upper"] is not None and cores["upper"] < 1.05:
        return f"One core alone is fastest, with {height}."
    middle, reach = ends(cores)
    if cores["upper"] is None:
        return f"The rate most likely peaks at n = {middle} ({reach}), with {height}."
    return f"The rate is highest at n = {middle} ({reach}), with {height}, and falls beyond."


def _cost(series: dict) -> str:
    cost = series["lap_cost"]
    if cost is None:
        return ""
    large = [row for row in cost["stages"] if row["ns"] > 0.02 * cost["ns"]]
    stages = ", ".join(f"{number(row['ns'])} {_SHORT.get(row['stage'], row['stage'])}" for row in large)
    article = "an" if cost["of"][0] in "aeiou" else "a"
    whole = interval(cost["ns"], cost["lower"], cost["upper"])
    return f"At n = {cost['n']} {article} {cost['of']} takes {whole} ns of one core's time: {stages}."


def _next(series: dict) -> str:
    """Predictions beyond the table, as far as there are: at most four."""
    rows = [row for row in [*series["predictions"], *series.get("beyond", ())] if row["observed"] is None][-4:]
    said = "; ".join(_rate(row, series) for row in rows)
    return f"Predicted: {said}." if said else ""


def _rate(row: dict, series: dict) -> str:
    unit = f" {series['unit']}".rstrip()
    seen = "" if row["observed"] is None else f", measured {row['observed']:,.12g}"
    return f"{_spread(row)}{unit} at n = {row['n']}{seen}"


def _spread(row: dict) -> str:
    return interval(row["median"], row["lower"], row["upper"])


def _open(series) -> list[str]:
    """What each series leaves open, and on what its widest interval rests."""
    said = []
    for each in series:
        known = each["known"]
        rests = each["rests_on"]
        shares = sorted(((rests[key], words) for key, words in _RESTS.items()), reverse=True)
        listed = ", ".join(f"{words} {percent(share)}" for share, words in shares if share >= 0.01)
        said.append(
            f"{each['variant']}, best mechanism {known['mechanism']}: {' '.join(known['words'])} "
            f"The interval at n = {rests['n']} comes from {listed}."
        )
    return said + list(dict.fromkeys(each["prior"] for each in series))


def _prediction_tables(caption: str, series) -> list[str]:
    """Measured and predicted rates by count, up to three variants side by side."""
    parts = []
    for first in range(0, len(series), _SIDE):
        some = series[first : first + _SIDE]
        lines: dict[int, dict] = {}
        for place, each in enumerate(some):
            for row in each["predictions"]:
                line = lines.setdefault(row["n"], {"n": row["n"], "mark": ""})
                line[f"{place} rate"], line[f"{place} seen"] = _spread(row), row["observed"]
                line["mark"] = "*" if row["extrapolated"] else line["mark"]
        counts = sorted(lines)
        kept = thinned(
            counts,
            {
                n
                for n in counts
                if any(lines[n][f"{k} seen"] is not None for k in range(len(some)) if f"{k} seen" in lines[n])
            },
        )
        if len(kept) > _MOST_ROWS:
            kept = [kept[round(step * (len(kept) - 1) / (_MOST_ROWS - 1))] for step in range(_MOST_ROWS)]
        columns = [Column("n", "n", "count"), Column("mark", "")]
        for place, each in enumerate(some):
            columns += [
                Column(f"{place} seen", "measured", "exact"),
                Column(f"{place} rate", _cut(each["variant"]), "figures"),
            ]
        more = f"; {len(counts) - len(kept)} counts more with --json" if len(kept) < len(counts) else ""
        parts.append(
            str(Table(tuple(columns), tuple(lines[n] for n in kept), f"{caption}, median (90 % interval){more}"))
        )
    return parts


def _cut(text: str, most: int = 24) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _marks(series) -> str:
    extrapolated = any(row["extrapolated"] for each in series for row in each["predictions"])
    return "* extrapolated: the table has no measurement there." if extrapolated else ""


def _listed(series) -> list[str]:
    """Names of the mechanisms that are shown, by their largest weight."""
    weight: dict[str, float] = {}
    for each in series:
        for one in each["mechanisms"]:
            weight[one["name"]] = max(weight.get(one["name"], 0.0), one["weight"])
    return sorted((name for name in weight if weight[name] >= _SHOWN_WEIGHT), key=lambda name: -weight[name])


def _mechanism_tables(series) -> list[str]:
    """Weights of the mechanisms, up to three variants side by side."""
    parts = []
    for first in range(0, len(series), _SIDE):
        some = series[first : first + _SIDE]
        lines = []
        for name in _listed(some):
            line = {"name": name}
            for place, each in enumerate(some):
                one = next(row for row in each["mechanisms"] if row["name"] == name)
                line[f"{place}"] = f"{percent(one['weight'])} ({100 * one['error']:.1f} %)"
            lines.append(line)
        rest = {"name": "all others together"}
        for place, each in enumerate(some):
            rest[f"{place}"] = percent(
                sum(one["weight"] for one in each["mechanisms"] if one["name"] not in _listed(some))
            )
        columns = (
            Column("name", "mechanism"),
            *(Column(f"{k}", _cut(each["variant"]), "figures") for k, each in enumerate(some)),
        )
        parts.append(
            str(Table(columns, (*lines, rest), "Mechanisms: weight, and error of the best explanation (in brackets)"))
        )
    return parts


def _parameter_table(series: dict) -> str:
    best = series["mechanisms"][0]
    factor = SHOWN.get(series["file_unit"], ("", 1.0))[1]
    scaled = lambda row: (
        row
        if row["name"] != LONE
        else row | {key: None if row[key] is None else row[key] * factor for key in ("median", "lower", "upper")}
    )
    rows = [
        {
            "name": row["name"],
            "value": _ends(row),
            "unit": series["unit"] if row["name"] == LONE else row["unit"],
            "ns": "" if row["ns"] is None else _ends(row["ns"]),
            "by": "leaves it wide" if row["name"] in series["known"]["loose"] else _BY[row["by"]],
        }
        for row in map(scaled, best["parameters"])
    ]
    columns = [Column("name", "parameter"), Column("value", "value (90 % interval)", "figures"), Column("unit", "unit")]
    if any(row["ns"] for row in rows):
        columns.append(Column("ns", "in ns", "figures"))
    columns.append(Column("by", "the table"))
    return str(Table(tuple(columns), tuple(rows), f"{series['variant']}, parameters of: {best['name']}"))


def _ends(row: dict) -> str:
    if row["lower"] is None and row["upper"] is None:
        return "not identified"
    return interval(row["median"], row["lower"], row["upper"])


def _legend(series) -> str:
    """What the names in the tables mean."""
    shown, words = _listed(series), {}
    for each in series:
        for one in each["mechanisms"]:
            if one["name"] in shown:
                words.setdefault(one["name"], one["words"])
        for row in each["mechanisms"][0]["parameters"]:
            words.setdefault(row["name"], row["meaning"])
    laps = "lap: what a core does for one operation; a lone lap has no other core beside it"
    if any(each["lap_cost"] for each in series):
        laps += f"; its parts are {', '.join(PARTS)}"
    return "Words:\n" + bullets([laps, *(f"{name}: {text}" for name, text in words.items())])
