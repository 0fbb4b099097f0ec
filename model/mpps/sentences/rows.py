"""Tables of an answer, in units that people read."""

from mpps.path import CodePath
from mpps.sentences.words import bullets, mark, spread
from mpps.tables import Column, Table
from mpps.text import percent

#: Units that are easier to read in another one, and the factor to it.
SHOWN = {"packets/s": ("Mpps", 1e-6)}
#: Mechanisms with less weight than this are shown together.
_SHOWN_WEIGHT = 0.05
#: A table of rates shows about this many core counts; the JSON document has all.
_COUNTS = 24
_BY = {"one-sided": "bound one side", "prior": "leave it to its prior", "no": "say nothing"}


def readable(series: dict, times: bool = True) -> dict:
    """A series with its rates in a unit for people; without `times`, those of a table of times are rates too."""
    unit, factor = SHOWN.get(series["unit"], (series["unit"], 1.0))
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
    return row | {
        key: None if row[other] is None else 1e3 / row[other] for key, other in swapped.items() if other in row
    }


def scope_tables(path: CodePath, scope: str, series: list[dict]) -> list[str]:
    """Mechanisms of a joint fit by weight, and the parameters of the first."""
    mechanisms = series[0]["mechanisms"]
    weights, said = [], set()
    for each in (one for one in mechanisms if one["weight"] >= _SHOWN_WEIGHT):
        words = "" if each["words"] in said else f": {each['words']}"
        said.add(each["words"])
        weights.append(f"{percent(each['weight'])}, error {100 * each['error']:.1f} %: {each['name']}{words}")
    others = [each["weight"] for each in mechanisms if each["weight"] < _SHOWN_WEIGHT]
    if others:
        weights.append(f"{percent(sum(others))}: {len(others)} others together")
    best = mechanisms[0]
    values = [
        {**row, "value": spread(row), "by": "" if row["by"] == "yes" else _BY[row["by"]]} for row in best["parameters"]
    ]
    columns = (
        Column("name", "parameter"),
        Column("value", "value (90 % interval)", "figures"),
        Column("unit", "unit"),
        Column("by", "the data"),
        Column("meaning", "meaning"),
    )
    return [
        f"Fit '{scope}': {path.scope(scope).words}. Mechanisms, weights by {series[0]['basis']}:\n{bullets(weights)}",
        str(Table(columns, tuple(values), f"Fit '{scope}', parameters of: {best['name']}")),
    ]


def measured_table(path, dataset, metric, unit, series) -> str:
    """Predicted beside measured values of one metric of a table."""
    lines = []
    for each in series:
        for row in each["predictions"]:
            off = None if row["observed"] is None else row["observed"] / row["median"] - 1
            lines.append(
                {
                    "variant": each["variant"],
                    "n": row["n"],
                    "mark": mark(row),
                    "model": spread(row),
                    "observed": row["observed"],
                    "off": off,
                }
            )
    columns = (
        Column("variant", "variant"),
        Column("n", f"{path.sender}s", "count"),
        Column("mark", ""),
        Column("model", "model (90 % interval)", "figures"),
        Column("observed", "measured", "exact"),
        Column("off", "measured / model - 1", "change"),
    )
    return str(Table(columns, tuple(lines), f"{dataset}: {metric} in {unit}"))


def rate_table(path, unit, machine, series) -> str:
    """Rates of up to three variants by core count."""
    lines: dict[int, dict] = {}
    measured = {row["n"] for each in series for row in each["predictions"] if row["observed"] is not None}
    counts = thinned([row["n"] for row in series[0]["predictions"]], measured)
    for each in series:
        for row in each["predictions"]:
            if row["n"] in counts:
                line = lines.setdefault(row["n"], {"n": row["n"], "mark": ""})
                line[each["variant"]] = spread(row)
                line["mark"] = max(line["mark"], mark(row), key=len)
    columns = (
        Column("n", f"{path.sender}s", "count"),
        Column("mark", ""),
        *(Column(each["variant"], each["variant"], "figures") for each in series),
    )
    settings = {name: value for each in series for name, value in each["settings"].items()}
    also = "".join(f", {name} = {value:g}" for name, value in settings.items())
    left = len(series[0]["predictions"]) - len(counts)
    more = f"; {left} core counts more with --json" if left else ""
    return str(Table(columns, tuple(lines.values()), f"{unit}, median (90 % interval), on {machine}{also}{more}"))


def thinned(counts: list[int], measured: set[int]) -> list[int]:
    """The counts of a table: all, or the measured ones, powers of two, steps between them, and the ends."""
    if len(counts) <= _COUNTS:
        return counts
    wanted = {counts[0], counts[-1], *measured}
    step = 1
    while step <= counts[-1]:
        wanted |= {step, step * 3 // 2}
        step *= 2
    return [n for n in counts if n in wanted]
