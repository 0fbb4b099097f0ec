"""A user's own table in a notebook: its fit as rows for charts, tables and sentences; see `mpps.answers.own`."""

from dataclasses import dataclass
from pathlib import Path

from mpps.answers.own import fit_table
from mpps.sentences.own.pairs import compared
from mpps.sentences.own.words import answer, limit, rate, unknown
from mpps.sentences.rows import readable
from mpps.tables import Column, Table
from mpps.text import percent
from mpps.workbook.before import table_file
from mpps.workbook.words import bullets, literal, markdown


#: Series that a chart draws; of more, the lowest, the highest and those evenly between at their last count.
MOST_DRAWN = 12
#: Series of which every sentence stands in the page; the tables have all.
MOST_TOLD = 12


@dataclass(frozen=True, eq=False)
class OwnFit:
    """The fit of a table: its document, and its series with rates in units for people."""

    document: dict
    series: list[dict]

    @property
    def unit(self) -> str:
        """The unit of the first series, "rate" where the file states none."""
        return self.series[0]["unit"] or "rate"

    @property
    def first(self) -> dict:
        """The first series."""
        return self.series[0]

    def of_one_unit(self) -> list[dict]:
        """The series that a chart can show beside the first: of its metric and unit."""
        return [
            each for each in self.series if (each["metric"], each["unit"]) == (self.first["metric"], self.first["unit"])
        ]

    def drawn(self) -> list[dict]:
        """Those of `of_one_unit` that charts draw, in their order."""
        every = self.of_one_unit()
        if len(every) <= MOST_DRAWN:
            return every
        ranked = sorted(range(len(every)), key=lambda k: every[k]["predictions"][-1]["median"])
        kept = {ranked[round(k * (len(every) - 1) / (MOST_DRAWN - 1))] for k in range(MOST_DRAWN)}
        return [every[k] for k in sorted(kept)]


def own_fit(file: str, at=(), *, variants=(), seed: int = 1, **options) -> OwnFit:
    """Fit every series of a file that is a rate, and predict at `at`; options of `mpps.read`, empty ones left out."""
    given = {name: value for name, value in options.items() if value}
    document = fit_table([table_file(file)], at, variants=tuple(variants), seed=seed, **given)
    found = document["series"]
    one = len({each["dataset"] for each in found}) == 1
    series = [
        readable(each)
        | {"file_unit": each["unit"], "name": each["variant"] if one else f"{each['dataset']}, {each['variant']}"}
        | {"beyond": readable({"unit": each["unit"], "predictions": each.get("beyond", [])})["predictions"]}
        for each in found
    ]
    return OwnFit(document, series)


def own_rows(fit: OwnFit, every: bool = False) -> list[dict]:
    """Rows of `charts.scaling`: measured and predicted rates of the series that share the first one's unit.

    Those that a chart draws, or every one of them.
    """
    shown = fit.of_one_unit() if every else fit.drawn()
    return [row | {"variant": each["name"]} for each in shown for row in each["predictions"]]


def own_drawn(fit: OwnFit) -> str:
    """What to add to a chart's title where it draws some of the series; empty where it draws all."""
    drawn, every = len(fit.drawn()), len(fit.of_one_unit())
    return f" ({drawn} of {every} variants drawn: lowest, highest and those between)" if drawn < every else ""


def own_weights(series: dict, least: float = 0.02) -> list[dict]:
    """Rows of `charts.mechanism_weights`: the mechanisms of one series with at least so much weight."""
    rows = [{"mechanism": one["name"], "weight": one["weight"], "error": one["error"]} for one in series["mechanisms"]]
    return [row for row in rows if row["weight"] >= least]


def own_limits(fit: OwnFit) -> Table:
    """What limits each series at its largest measured count, from where on, and where the rate is highest."""
    lines = []
    for each in fit.series:
        lines.append(
            {"name": each["name"], "limit": f"{each['bottleneck']} ({percent(each['bottleneck_probability'])})"}
            | {f"knee {key}": each["knee_cores"][key] for key in ("median", "lower", "upper")}
            | {f"peak {key}": each["peak_cores"][key] for key in ("median", "lower", "upper")}
        )
    columns = (
        Column("name", "variant"),
        Column("limit", "limit at the largest count"),
        Column("knee median", "limits from n", "interval", lower="knee lower", upper="knee upper"),
        Column("peak median", "highest rate at n", "interval", lower="peak lower", upper="peak upper"),
    )
    return Table(columns, tuple(lines), "", "limits")


def own_parameters(series: dict) -> list[dict]:
    """Rows of `charts.parameter_intervals`: the parameters of the most probable mechanism that the table says anything of."""
    rows = series["mechanisms"][0]["parameters"]
    return [row for row in rows if row["lower"] is not None or row["upper"] is not None]


def own_cost(fit: OwnFit) -> list[dict]:
    """Rows of `charts.packet_cost` at the largest measured count, where the unit is a rate of operations."""
    resources = {"private work": "private", "hand-off and waiting": "wait"}
    return [
        {"variant": each["name"], "n": each["lap_cost"]["n"], "stage": part["stage"], "ns": part["ns"]}
        | {"resource": resources.get(part["stage"], "serial")}
        for each in _some(fit)
        if each["lap_cost"] is not None
        for part in each["lap_cost"]["stages"]
    ]


def own_prediction(fit: OwnFit, variant: str | None = None) -> Table:
    """Predicted beside measured rates, one line a count."""
    chosen = [each for each in fit.of_one_unit() if variant in (None, each["name"])]
    lines: dict[int, dict] = {}
    columns = [Column("n", "n", "count")]
    for each in chosen:
        name = each["name"]
        # As a download these are the columns that `mpps read` takes: ends and measured values of each variant.
        keys = {"median": name, "lower": f"{name} lower", "upper": f"{name} upper", "observed": f"{name}, measured"}
        for row in each["predictions"]:
            line = lines.setdefault(row["n"], {"n": row["n"], "extrapolated": True})
            line |= {short: row[key] for key, short in keys.items()}
            line["extrapolated"] = line["extrapolated"] and row["extrapolated"]
            lines[row["n"]] = line
        columns.append(Column(keys["median"], f"{name}, model", "interval", lower=keys["lower"], upper=keys["upper"]))
        columns.append(Column(keys["observed"], "measured", "exact"))
    return Table(
        tuple(columns), tuple(lines[n] for n in sorted(lines)), f"{fit.unit}; in italics: extrapolated", "rates"
    )


def own_answers(fit: OwnFit) -> list[str]:
    """What limits each series, what an operation costs and what comes next, then what a change gained: a paragraph each."""
    explained: set[str] = set()
    return [*(answer(each, explained) for each in fit.series), *map(compared, fit.document["comparisons"])]


def own_summaries(fit: OwnFit) -> list[str]:
    """What limits each series and what it comes to at the largest count, then what a change gained: a line each."""
    explained: set[str] = set()
    lines = [
        f"{each['name']}: {limit(each, explained)} Predicted: {rate(each['predictions'][-1] | {'observed': None}, each)}."
        for each in fit.series
    ]
    return [*lines, *map(compared, fit.document["comparisons"])]


def own_words(fit: OwnFit):
    """The answers, as Markdown."""
    return markdown(bullets(map(literal, _told(own_answers(fit)))))


def own_unknown(fit: OwnFit):
    """What the table leaves open, and what was read with a doubt, as Markdown."""
    return markdown(bullets(map(literal, _told([*unknown(fit.series), *fit.document["warnings"]]))))


def own_advice(fit: OwnFit):
    """What to measure next, as Markdown."""
    found = fit.document.get("advice")
    return markdown(literal(found["words"]) if found else "No measurement stands out.")


def own_read(fit: OwnFit):
    """What was read of which file, as Markdown."""
    read = fit.document["read"]
    lines = [f"`{Path(each['file']).name}`: read as {each['format']}: {each['why']}" for each in read["files"]]
    return markdown(bullets([*lines, *read["understood"]]))


def own_hashes(fit: OwnFit) -> dict[str, str]:
    """File -> SHA-256, the names without their folders."""
    return {Path(file).name: sha for file, sha in fit.document["data_sha256"].items()}


def _some(fit: OwnFit) -> list[dict]:
    """All series, or those that charts draw where there are many."""
    return fit.series if len(fit.series) <= MOST_DRAWN else fit.drawn()


def _told(lines: list[str]) -> list[str]:
    """The lines, or the first of many and how many there are beside."""
    if len(lines) <= MOST_TOLD:
        return lines
    return [
        *lines[:MOST_TOLD],
        f"{len(lines) - MOST_TOLD} more lines are left out here; the record beside this page and the tables have them.",
    ]
