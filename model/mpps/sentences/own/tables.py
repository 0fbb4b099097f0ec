"""Tables of an answer for a user's own table, and what their words mean."""

from mpps.sentences.rows import SHOWN, thinned
from mpps.sentences.words import bullets, spread
from mpps.table.limits import PARTS
from mpps.table.parameters import LONE
from mpps.tables import Column, Table
from mpps.text import interval, percent

#: Mechanisms with less weight than this in every series are not listed.
_SHOWN_WEIGHT = 0.05
#: Variants side by side in one table.
_SIDE = 3
#: Most rows of a table of predictions; the JSON document has all.
_MOST_ROWS = 40
_BY = {"yes": "fixes it", "one-sided": "bounds one side", "prior": "leaves it to other tables", "no": "says nothing"}


def prediction_tables(caption: str, series) -> list[str]:
    """Measured and predicted rates by count, up to three variants side by side."""
    parts = []
    for first in range(0, len(series), _SIDE):
        some = series[first : first + _SIDE]
        lines: dict[int, dict] = {}
        for place, each in enumerate(some):
            for row in each["predictions"]:
                line = lines.setdefault(row["n"], {"n": row["n"], "mark": ""})
                line[f"{place} rate"], line[f"{place} seen"] = spread(row), row["observed"]
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


def marks(series) -> str:
    extrapolated = any(row["extrapolated"] for each in series for row in each["predictions"])
    return "* extrapolated: the table has no measurement there." if extrapolated else ""


def _listed(series) -> list[str]:
    """Names of the mechanisms that are shown, by their largest weight."""
    weight: dict[str, float] = {}
    for each in series:
        for one in each["mechanisms"]:
            weight[one["name"]] = max(weight.get(one["name"], 0.0), one["weight"])
    return sorted((name for name in weight if weight[name] >= _SHOWN_WEIGHT), key=lambda name: -weight[name])


def mechanism_tables(series) -> list[str]:
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


def parameter_table(series: dict) -> str:
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


def legend(series) -> str:
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
