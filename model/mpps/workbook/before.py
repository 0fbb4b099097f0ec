"""What a patch starts from: the table before the change, its laps, and what published changes kept."""

import os
from pathlib import Path

import numpy as np

from mpps.answers.own.reading import read_for
from mpps.answers.own.series import rates
from mpps.change import KINDS, learnt_population
from mpps.change.laps import laps
from mpps.change.population import draw_kept, draw_ratios
from mpps.measurements import datasets
from mpps.root import data_folder, root
from mpps.tables import Column, Table
from mpps.workbook.words import sentence


def table_file(name: str) -> str:
    """The file of that name, or that of a data set of this project (`mpps list datasets`).

    A kernel works in a folder of its own; a relative name is also looked for where the shell was, and in the project.
    """
    if not Path(name).exists() and name in datasets():
        return str(data_folder() / "measurements" / f"{name}.csv")
    places = [Path(name), Path(os.environ.get("PWD", ".")) / name, root() / name]
    return str(next((place for place in places if place.exists()), name))


def own_table(file: str, *, variants=(), **options) -> Table:
    """The rates of a file as they are read: one line a count, one column a variant; options of `mpps.read`, empty ones left
    out."""
    reading, chosen = read_for([table_file(file)], variants, **{name: value for name, value in options.items() if value})
    found = [each for each in rates(reading)[0] if not chosen or each.variant in chosen]
    first = [each for each in found if (each.metric, each.unit) == (found[0].metric, found[0].unit)]
    lines: dict[float, dict] = {}
    for each in first:
        for n, rate in zip(each.n, each.rate, strict=True):
            lines.setdefault(float(n), {"n": float(n)})[each.variant] = f"{rate / (n if each.each else 1):,.12g}"
    columns = [Column("n", "n", "count"), *(Column(each.variant, each.variant, "figures") for each in first)]
    return Table(
        tuple(columns), tuple(lines[n] for n in sorted(lines)), f"{first[0].metric}, {first[0].unit}", "measured"
    )


def lap_table(one) -> Table:
    """What a lap consists of before the change, in laps of a sender at the smallest count."""
    rows = [row for row in one.series["before"] if row["observed"] is not None]
    n = np.array([row["n"] for row in rows], float)
    parts = laps(n, np.log([row["observed"] for row in rows]))
    lines = [
        {"n": int(count), "lap": lap, "plateau": plateau, "collapse": collapse}
        for count, lap, plateau, collapse in zip(n, parts.lap[0], parts.plateau[0], parts.collapse[0], strict=True)
    ]
    columns = (
        Column("n", "n", "count"),
        Column("lap", "a lap", "number"),
        Column("plateau", "of that waiting on a plateau", "number"),
        Column("collapse", "of that collapse beyond the peak", "number"),
    )
    return Table(columns, tuple(lines), f"{one.series['from']}, in laps of a sender at n = {n[0]:g}", "laps")


def patch_source(file: str) -> str | None:
    """The source of a published table, so that nothing learnt from it is shown; None for another one."""
    from mpps.corpus import pairs

    return next((pair.source for pair in pairs() if pair.dataset == Path(table_file(file)).stem), None)


def kept_words(rows, change: str) -> str:
    """The share of the waiting that changes of a kind kept, with its interval, in words."""
    row = next(row for row in rows if row["name"].startswith(f"{change}: waiting"))
    return sentence("{x} %", x=(row["median"], row["lower"], row["upper"]))


def kept_rows(source: str | None = None, seed: int = 1) -> list[dict]:
    """What published changes kept, by kind: rows for `charts.parameter_intervals`, shares in percent."""
    population, rng = learnt_population(source), np.random.default_rng(seed)
    rows = []
    for kind in KINDS:
        ratio = draw_ratios(population, kind, 4000, rng)
        kept = draw_kept(population, kind, ratio, rng)
        for column, words in enumerate(("waiting on the plateau", "collapse")):
            lower, median, upper = 100 * np.quantile(kept[:, column], (0.05, 0.5, 0.95))
            name = f"{kind}: {words} that it keeps"
            rows.append(
                {"name": name, "median": median, "lower": lower, "upper": upper, "unit": "%", "identified": True}
            )
    return rows
