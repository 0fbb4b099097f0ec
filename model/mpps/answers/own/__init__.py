"""The answer for a user's own table: what limits each series, from where on, what it costs, and what comes next.

Documents `mpps.fit/1` and `mpps.predict/1`, as those of code paths in `mpps.answers`. Predictions stand in the unit of
the file; intervals are 90 %; unbounded is null; errors and shares are fractions.
"""

import numpy as np

from mpps.answers.own.advice import advice
from mpps.answers.own.comparing import comparisons
from mpps.answers.own.doubts import listed
from mpps.answers.own.explained import explained, limit_rows, predictions
from mpps.answers.own.fitting import fitted, prior_words
from mpps.answers.own.misfit import misfit, misfit_warnings
from mpps.answers.own.reading import read_for
from mpps.answers.own.series import Rates, rates
from mpps.errors import MppsError, unknown_name
from mpps.readers import Reading
from mpps.record import library_versions, plain
from mpps.table import TableFit
from mpps.table.limits import limits_of

__all__ = ["fit_table", "predict_table"]

#: Most series that one call answers for: each takes about a second.
MOST_SERIES = 200


def fit_table(files, at=(), *, variants=(), seed: int = 1, advance=None, **options) -> dict:
    """`mpps.fit/1` for a user's own table: every series that is a rate, with mechanisms, limits, costs and predictions at
    the measured counts and at `at`; `comparisons`: pairs of variants that are before and after a change.

    files: a path, several, or a `Reading`; options: of `mpps.read`; variants: names, all when empty. advance(done,
    total) is called after every series. Raises `MppsError` for a file without counts or rates, and as `mpps.read` does.
    """
    reading, chosen, warnings = chosen_series(files, variants, options)
    fits = []
    for each in chosen:
        fits.append(fitted(each, seed))
        if advance is not None:
            advance(len(fits), len(chosen))
    series = explained(chosen, fits, at)
    warnings += misfit_warnings(chosen, fits) + _says_little(chosen, fits)
    rest = {
        "series": series,
        "comparisons": comparisons(chosen, fits, at),
        "advice": advice(chosen, fits, series),
        "warnings": warnings,
    }
    return plain(_document("fit", reading, chosen, seed) | rest)


def predict_table(files, cores, *, variants=(), seed: int = 1, advance=None, **options) -> dict:
    """`mpps.predict/1` for a user's own table: rates of its series at `cores`; arguments as those of `fit_table`."""
    if not len(tuple(cores)):
        raise MppsError("no core counts to predict at: name at least one")
    reading, chosen, warnings = chosen_series(files, variants, options)
    series, fits = [], []
    for each in chosen:
        found = fitted(each, seed)
        fits.append(found)
        names = {
            "dataset": each.dataset,
            "variant": each.variant,
            "metric": each.metric,
            "machine": None,
            "unit": each.unit,
        }
        limited = limit_rows(found, limits_of(found), ())
        series.append(
            names
            | limited
            | {"misfit": misfit(found)}
            | {"predictions": predictions(found, each, cores), "prior": prior_words(found, each)}
        )
        if advance is not None:
            advance(len(series), len(chosen))
    warnings += misfit_warnings(chosen, fits)
    assumptions = [{"says": text} for text in dict.fromkeys(one["prior"] for one in series)]
    assumptions.append(
        {"says": "The machine stays the one that was measured, with the same load; only the count changes."}
    )
    return plain(
        _document("predict", reading, chosen, seed) | {"series": series, "assumptions": assumptions, "warnings": warnings}
    )


def chosen_series(files, variants, options) -> tuple[Reading, list[Rates], list[str]]:
    """The reading of files, its series that are rates, those of `variants` when there are any, and warnings."""
    reading, variants = (files, variants) if isinstance(files, Reading) else read_for(files, variants, **options)
    found, warnings = rates(reading)
    names = list(dict.fromkeys(each.variant for each in found))
    for name in variants:
        if name not in names:
            raise unknown_name("variant", name, names)
    chosen = [each for each in found if not variants or each.variant in variants]
    if len(chosen) > MOST_SERIES:
        raise MppsError(
            f"found {len(chosen)} series: at most {MOST_SERIES} are answered for in one call; name some with --variant"
        )
    if variants:
        # What is wrong with a series that nobody asked for is no warning of this answer.
        others = [f"{each.name}: " for each in found if each not in chosen]
        warnings = [text for text in warnings if not text.startswith(tuple(others))]
    return reading, chosen, [*_read_warnings(reading), *warnings]


def _read_warnings(reading: Reading) -> list[str]:
    said = list(reading.warnings)
    if reading.ignored:
        first = reading.ignored[0]
        more = f" and {len(reading.ignored) - 1} more" if len(reading.ignored) > 1 else ""
        said.append(f"{first.file}, line {first.line}{more}: looks like data and was left out: {first.why}")
    wrong = [check for check in reading.checks if not check.agrees]
    if wrong:
        first = wrong[0]
        said.append(
            f"{first.file}, line {first.line}: {len(wrong)} of {len(reading.checks)} printed changes do not agree with the "
            f"values, the first {first.printed} from {first.before} to {first.after}"
        )
    return said


def _says_little(series: list[Rates], fits: list[TableFit]) -> list[str]:
    """Where fits say less than their numbers seem to: one warning for each reason, with the series it holds for."""
    said: dict[str, list[str]] = {}
    for each, found in zip(series, fits, strict=True):
        count, distinct = len(found.points.n), len(np.unique(each.n))
        if count == 1:
            said.setdefault(
                "one count says nothing of scaling: everything beyond it comes from other tables", []
            ).append(each.name)
        elif count <= 4:
            said.setdefault(f"{count} counts: which mechanism it is comes mostly from other tables", []).append(
                each.name
            )
        if distinct > count:
            text = f"{distinct} counts were averaged with their neighbours to {count} for the fit"
            said.setdefault(text, []).append(each.name)
    return [f"{listed(names)}: {text}" for text, names in said.items()]


def _document(kind: str, reading: Reading, chosen: list[Rates], seed: int) -> dict:
    counts = {
        "files": [{"file": file, "format": name, "why": why} for file, name, why in reading.formats],
        "understood": list(reading.understood),
        # Those that the answer rests on: rows without a count, and series that are no rate, are not among them.
        "values": sum(len(each.n) for each in chosen),
        "ignored": [
            {"file": each.file, "line": each.line, "text": each.text, "why": each.why} for each in reading.ignored[:100]
        ],
    }
    return {
        "schema": f"mpps.{kind}/1",
        "versions": library_versions(),
        "data_sha256": dict(reading.sha256),
        "seed": seed,
        "read": counts,
    }
