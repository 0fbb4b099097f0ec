"""Rows of rates against cores: measured, fitted, predicted, moved to another machine, and the USL beside them."""

import dataclasses

import numpy as np

from mpps import tables
from mpps.baseline import fit_usl
from mpps.errors import MppsError
from mpps.machine import Machine, load_machine
from mpps.tables import Table
from mpps.text import count
from mpps.workbook.studies import Study, rate_rows
from mpps.workbook.words import markdown, readable


def counts_to(last: int, *also: int) -> list[int]:
    """Core counts from 1 to `last`, all up to 20, then about ten an octave, with those of `also`."""
    spaced = np.round(np.geomspace(1, last, 1 + int(10 * np.log2(max(last, 2))))).astype(int)
    return sorted({*range(1, min(last, 20) + 1), *spaced.tolist(), *(n for n in also if n <= last)})


def doubled(last: int) -> list[int]:
    """1, 2, 4, ... and `last`."""
    return sorted({2**k for k in range(last.bit_length()) if 2**k <= last} | {last})


def observed(study: Study, *variants: str) -> list[dict]:
    """What was measured: variant, n, observed, source."""
    rows = []
    for name in variants or study.variants:
        forecast = study.forecast(name, study.counts(name))
        rows += [
            {"variant": name, "n": row["n"], "observed": row["observed"], "source": row["source"]}
            for row in rate_rows(study, forecast)
        ]
    return rows


def beside(study: Study, rows) -> list[dict]:
    """Rows of another fit with what was measured at their places, seen by that fit or not."""
    return [
        row
        | {"observed": study.observed(row["variant"], row["n"]) if row["n"] in study.counts(row["variant"]) else None}
        for row in rows
    ]


def curves(study: Study, cores, *variants, machine: str | None = None, settings: dict | None = None) -> list[dict]:
    """Predicted rates of the variants at `cores`, with their intervals and what was measured there."""
    rows = []
    for name in variants or study.variants:
        rows += rate_rows(study, study.forecast(name, cores, machine=machine, settings=settings))
    return rows


def usl(study: Study, cores, *variants: str) -> list[dict]:
    """The universal scalability law fitted to each variant on its own: variant, n, median. No rows from too few points."""
    rows = []
    for name in variants or study.variants:
        n = study.counts(name)
        try:
            found = fit_usl(n, [study.observed(name, count) for count in n], scale="log")
        except MppsError:
            continue
        rows += [
            {"variant": name, "n": int(count), "median": float(rate)}
            for count, rate in zip(cores, found.predict(cores), strict=True)
        ]
    return rows


def usl_error(study: Study, *variants: str) -> float:
    """Relative root mean square of predicted/observed - 1 of the USL fits of all variants together."""
    names = variants or study.variants
    fitted = {
        (row["variant"], row["n"]): row["median"] for name in names for row in usl(study, study.counts(name), name)
    }
    off = [rate / study.observed(*place) - 1 for place, rate in fitted.items()]
    return float(np.sqrt(np.mean(np.square(off)))) if off else float("nan")


def widest(study: Study, cores, *variants: str) -> dict:
    """The core count at which the explanations disagree most: the row with the widest interval, measured counts left out."""
    rows = [
        row
        for name in variants or study.variants
        for row in curves(study, [n for n in cores if n not in study.counts(name)], name)
    ]
    return max(rows, key=lambda row: row["upper"] / row["lower"])


def on_machines(study: Study, cores, machines, *variants: str) -> list[dict]:
    """The same variants on the source's machine and on others, by title: rows for a comparison of machines."""
    rows = []
    for slug in dict.fromkeys((study.path.machine, *machines)):
        moved = None if slug == study.path.machine else slug
        title = short_title(slug)
        rows += [{**row, "machine": title, "slug": slug} for row in curves(study, cores, *variants, machine=moved)]
    return rows


def short_title(machine: str | Machine) -> str:
    """A machine's title up to its first bracket or comma."""
    card = load_machine(machine)
    return card.title.partition(" (")[0].partition(",")[0]


def hypothetical(rows):
    """Which machines have fewer cores than these rows ask for, as Markdown."""
    words = []
    for slug in dict.fromkeys(row.get("slug", row["machine"]) for row in rows if row["hypothetical"]):
        most = load_machine(slug).threads
        words.append(f"{short_title(slug)} is taken to have {count(most, 'CPU')}: counts above are hypothetical.")
    return markdown(" ".join(words) or "Every machine has as many CPUs as are asked for.")


def _readable(item):
    unit, (median, lower, upper) = readable(item.unit, item.median, item.lower, item.upper)
    return dataclasses.replace(item, unit=unit, median=median, lower=lower, upper=upper)


def at(rows, **where) -> dict:
    """The one row with these values, such as variant and n."""
    found = [row for row in rows if all(row[key] == value for key, value in where.items())]
    if len(found) != 1:
        raise KeyError(f"{len(found)} rows have {where}: expected one")
    return found[0]


def spread(row: dict) -> tuple[float, float, float]:
    """Median and 90 % ends of a row."""
    return row["median"], row["lower"], row["upper"]


def rate_table(study: Study, rows, *, caption: str = "") -> Table:
    """Cores against variants, or against machines where the rows name several: predicted rates with their intervals."""
    series = "machine" if len({row["machine"] for row in rows}) > 1 else "variant"
    return tables.by_cores(
        rows, unit=study.unit, series=series, counts=study.senders, caption=caption, name=f"{study.path.slug}_{series}s"
    )


def assumptions(study: Study, variant: str, cores, *, machine: str | None = None) -> Table:
    """What a prediction rests on that no source fixes, largest influence first."""
    forecast = study.forecast(variant, cores, machine=machine)
    # What has no range does not widen the interval.
    return tables.assumptions(
        [_readable(item) for item in forecast.assumptions if item.lower < item.upper],
        name=f"{study.path.slug}_assumptions",
    )
