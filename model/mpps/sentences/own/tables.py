"""Tables of an answer for a user's own table, and what their words mean."""

from mpps.sentences.own.words import time_scale
from mpps.sentences.rows import SHOWN, thinned
from mpps.sentences.words import WIDTH, bullets, spread, wrapped
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


def _side_by_side(series, table) -> list[str]:
    """Tables of up to three series each, of fewer where three are wider than a page; table(some) makes one."""
    parts, first = [], 0
    while first < len(series):
        for side in range(_SIDE, 0, -1):
            made = table(series[first : first + side])
            if side == 1 or max(map(len, made.splitlines())) <= WIDTH:
                parts.append(made)
                first += side
                break
    return parts


def prediction_tables(caption: str, series) -> list[str]:
    """Measured and predicted rates by count, variants side by side."""
    return _side_by_side(series, lambda some: _prediction_table(caption, some))


def _prediction_table(caption: str, series) -> str:
    lines: dict[int, dict] = {}
    measured = set()
    for place, each in enumerate(series):
        for row in each["predictions"]:
            line = lines.setdefault(row["n"], {"n": row["n"], "mark": ""})
            line[f"{place} rate"], line[f"{place} seen"] = spread(row), row["observed"]
            line["mark"] = "*" if row["extrapolated"] else line["mark"]
            if row["observed"] is not None:
                measured.add(row["n"])
    counts = sorted(lines)
    kept = thinned(counts, measured)
    if len(kept) > _MOST_ROWS:
        kept = [kept[round(step * (len(kept) - 1) / (_MOST_ROWS - 1))] for step in range(_MOST_ROWS)]
    columns = [Column("n", "n", "count"), Column("mark", "")]
    for place, each in enumerate(series):
        columns += [
            Column(f"{place} seen", "measured", "exact"),
            Column(f"{place} rate", _cut(each["variant"]), "figures"),
        ]
    more = f"; {len(counts) - len(kept)} counts more with --json" if len(kept) < len(counts) else ""
    head = wrapped(f"{caption}, median (90 % interval){more}")
    return f"{head}\n{Table(tuple(columns), tuple(lines[n] for n in kept))}"


def _cut(text: str, most: int = 24) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def marks(series) -> str:
    """What the marks of a table of predictions mean; empty when it has none."""
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
    """Weights of the mechanisms, variants side by side."""
    return _side_by_side(series, _mechanism_table)


def _mechanism_table(series) -> str:
    shown, lines = _listed(series), []
    for name in shown:
        line = {"name": name}
        for place, each in enumerate(series):
            one = next(row for row in each["mechanisms"] if row["name"] == name)
            line[f"{place}"] = f"{percent(one['weight'])} ({100 * one['error']:.1f} %)"
        lines.append(line)
    rest = {"name": "all others together"}
    for place, each in enumerate(series):
        rest[f"{place}"] = percent(sum(one["weight"] for one in each["mechanisms"] if one["name"] not in shown))
    columns = (
        Column("name", "mechanism"),
        *(Column(f"{k}", _cut(each["name"]), "figures") for k, each in enumerate(series)),
    )
    return str(Table(columns, (*lines, rest), "Mechanisms: weight, and error of the best explanation (in brackets)"))


def parameter_table(series: dict) -> str:
    """Parameters of the best mechanism of a series, as times too where they are such."""
    best, factor = series["mechanisms"][0], SHOWN.get(series["file_unit"], ("", 1.0))[1]
    times = [row["ns"]["median"] for row in best["parameters"] if row["ns"]]
    unit, scale = time_scale(max(times, default=1.0))
    rows = [
        {
            "name": row["name"],
            "value": _ends(row, factor if row["name"] == LONE else 1.0),
            "unit": series["unit"] if row["name"] == LONE else row["unit"],
            "time": _ends(row["ns"], scale) if row["ns"] else "",
            "by": "leaves it wide" if row["name"] in series["known"]["loose"] else _BY[row["by"]],
        }
        for row in best["parameters"]
    ]
    columns = [Column("name", "parameter"), Column("value", "value (90 % interval)", "figures"), Column("unit", "unit")]
    if times:
        columns.append(Column("time", f"in {unit}", "figures"))
    columns.append(Column("by", "the table"))
    head = wrapped(f"{series['name']}, parameters of: {best['name']}")
    return f"{head}\n{Table(tuple(columns), tuple(rows))}"


def _ends(row: dict, factor: float) -> str:
    if row["lower"] is None and row["upper"] is None:
        return "not identified"
    return interval(*(None if row[key] is None else row[key] * factor for key in ("median", "lower", "upper")))


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
