"""What to measure next, as a document: `mpps.advise/1`, for code paths and for a user's own table.

Rates stand in the unit of the table. Widths are those of a 90 % interval, as the factor between its ends; disagreement,
scatter and shrinking are fractions, `shrinks` of the logarithm of that factor; `apart` is a probability.
"""

import numpy as np

from mpps.advise import Advice, Look, advise, advise_path
from mpps.answers import fit_for, measured
from mpps.answers.rows import predictions as path_predictions
from mpps.path import CodePath
from mpps.predict import predict
from mpps.record import library_versions, plain

__all__ = ["advise_answer", "advise_table"]


def advise_answer(path: CodePath, *, at: int | None = None, variant: str | None = None, seed: int = 1) -> dict:
    """`mpps.advise/1`: what to measure next of each joint fit of a path, for the rate at `at`, four times the largest
    measured count when None, of `variant`, the one that is known least when None. Raises `MppsError` for unknown names."""
    variants = [path.variant(variant)] if variant is not None else measured(path)
    fits = {fitted.scope: fitted for fitted in (fit_for(path, each, seed) for each in variants)}
    series, hashes = [], {}
    for fitted in fits.values():
        told = advise_path(fitted, at, variant=variant)
        found = predict(path, [told.target], variant=told.variant, seed=seed, fitted=fitted)
        names = {
            "dataset": found.dataset,
            "metric": found.metric,
            "unit": found.unit,
            "fitted": list(path.scope(fitted.scope).variants),
        }
        series.append(_entry(told, names, path_predictions(found)[0]))
        hashes |= _hashes(fitted)
    return plain(_whole("advise", series, seed, hashes) | {"path": path.slug, "warnings": []})


def advise_table(files, *, at: int | None = None, variants=(), seed: int = 1, advance=None, **options) -> dict:
    """`mpps.advise/1` for a user's own table: what to measure next of each series that is a rate; `best` is the place in
    `series` where a measurement shrinks most. Arguments as those of `mpps.answers.own.fit_table`."""
    from mpps.answers.own import chosen_series
    from mpps.answers.own.explained import predictions
    from mpps.answers.own.fitting import fitted
    from mpps.answers.own.misfit import misfit_warnings

    reading, chosen, warnings = chosen_series(files, variants, options)
    series, fits = [], []
    for each in chosen:
        fit = fitted(each, seed)
        fits.append(fit)
        told = advise(fit, at, variant=each.variant)
        names = {"dataset": each.dataset, "metric": each.metric, "unit": each.unit}
        series.append(_entry(told, names, predictions(fit, each, [told.target])[0]))
        if advance is not None:
            advance(len(series), len(chosen))
    return plain(_whole("advise", series, seed, dict(reading.sha256)) | {"warnings": [*warnings, *misfit_warnings(chosen, fits)]})


def _whole(kind: str, series: list[dict], seed: int, hashes: dict) -> dict:
    gains = [np.log(each["now"]["factor"]) * each["next"]["shrinks"] for each in series]
    return {
        "schema": f"mpps.{kind}/1",
        "versions": library_versions(),
        "data_sha256": hashes,
        "seed": seed,
        "best": int(np.argmax(gains)),
        "series": series,
    }


def _entry(told: Advice, names: dict, now: dict) -> dict:
    factor = now["upper"] / now["lower"]
    return names | {
        "variant": told.variant,
        "n": told.target,
        "now": {key: now[key] for key in ("median", "lower", "upper")} | {"factor": factor, "apart": told.apart},
        "leading": [{"name": name, "weight": weight} for name, weight in told.leading],
        "largest": told.largest,
        "next": _row(told, told.best, factor),
        "within": _row(told, told.within, factor),
        "candidates": [_row(told, look, factor) for look in told.looks],
    }


def _row(told: Advice, look: Look, factor: float) -> dict:
    return {
        "variant": look.variant,
        "n": look.n,
        "repeats": look.repeats,
        "disagreement": float(np.expm1(look.disagreement)),
        "scatter": float(np.expm1(look.scatter)),
        "factor": factor ** (1 - told.shrinks(look)),
        "typical_factor": factor ** (look.typical / told.width) if told.width else factor,
        "shrinks": told.shrinks(look),
        "apart": look.apart,
    }


def _hashes(fitted) -> dict[str, str]:
    from mpps.measurements import load

    return {
        f"{table}.csv": load(table).card.sha256 for table in dict.fromkeys(source[0] for source in fitted.points.source)
    }
