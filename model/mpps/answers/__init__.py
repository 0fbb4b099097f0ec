"""Answers as JSON documents: what the command prints with --json, and what scripts and charts can rely on.

Schemas `mpps.fit/1`, `mpps.predict/1`, `mpps.whatif/1`. Rates stand in the unit of the table that was measured;
intervals are 90 %; unbounded is null; ends of intervals are positive; errors are fractions.
"""

from dataclasses import replace

from mpps import compare
from mpps.alter import altered, fit_for_changes
from mpps.answers.found import explained, known, limits, mechanisms, sensitivity
from mpps.answers.found import warnings as warnings_of
from mpps.answers.rows import assumptions, idle_predictions, predictions
from mpps.answers.settings import acts, acts_nowhere, checked
from mpps.compare import Fit
from mpps.errors import MppsError
from mpps.machine import Machine, load_machine
from mpps.measurements import load
from mpps.path import CodePath, Variant
from mpps.predict import predict, scope_for
from mpps.record import library_versions, plain
from mpps.structure import measured_counts
from mpps.whatif import GAIN, all_changes, whatif

#: Core counts times the largest of them that one prediction holds in memory: 128 counts up to 128, 16 up to 1024.
_TOGETHER = 128 * 128

__all__ = ["fit_answer", "fit_for", "measured", "predict_answer", "whatif_answer"]


def fit_answer(path: CodePath, *, at=(), seed: int = 1) -> dict:
    """`mpps.fit/1`: every measured series with its mechanisms, limits, and predictions at the measured counts and `at`.

    Beside the series: `known`, what each joint fit fixes of its parameters, alone or together, and `sensitivity`, on what
    the predictions of the first joint fit at 64 cores depend (`mpps.sensitivity`).
    """
    series, warnings, found = [], [], {}
    for variant in measured(path):
        fitted = fit_for(path, variant, seed)
        if fitted.scope not in found:
            found[fitted.scope] = mechanisms(fitted)
            warnings += warnings_of(fitted, found[fitted.scope][0]["parameters"])
        n = sorted({*map(int, measured_counts(fitted, variant)), *map(int, at)})
        forecast = predict(path, n, variant=variant, seed=seed, fitted=fitted)
        common = explained(fitted, variant, forecast.unit, seed) | {"mechanisms": found[fitted.scope]}
        for metric, kind in variant.observe:
            rate = kind == "rate"
            rows = predictions(forecast) if rate else idle_predictions(fitted, variant, n, metric)
            unit = forecast.unit if rate else "percent"
            peak = common["peak_rate"] if rate else dict.fromkeys(("median", "lower", "upper"))
            series.append(
                {"dataset": variant.dataset, "variant": variant.name, "metric": metric, "unit": unit}
                | common
                | {"peak_rate": peak, "predictions": rows}
            )
    fits = [compare.fit(path, scope, seed=seed) for scope in found]
    rest = {
        "path": path.slug,
        "series": series,
        "known": [known(fitted) for fitted in fits],
        "sensitivity": sensitivity(fits[0], [each for each in measured(path) if each in fits[0].points.variants]),
        "warnings": warnings,
    }
    return plain(_document("fit", path, seed, measured(path)) | rest)


def predict_answer(
    path: CodePath, cores, *, variants=(), machine=None, settings=None, placement: str = "packed", seed: int = 1
) -> dict:
    """`mpps.predict/1`: rates of variants (names; all when empty) at `cores`, and what the answer rests on.

    `machine` is a name, a path of a card, or a `Machine`; bottleneck, knee_cores and packet_cost are always those of
    `measured_on`, the machine that was measured. placement: of the senders, `packed` or `spread`. A setting replaces a parameter in the variants in which it acts. Raises `MppsError` for one that acts in none of
    them, and for unknown names.
    """
    chosen = [path.variant(name) for name in dict.fromkeys(variants)] or list(path.variants)
    target = _machine(path, machine)
    settings = checked(path, settings)
    fits = {variant.name: fit_for(path, variant, seed) for variant in chosen}
    acting = {
        variant.name: {name: value for name, value in settings.items() if acts(fits[variant.name], variant, name)}
        for variant in chosen
    }
    for name in settings:
        if not any(name in each for each in acting.values()):
            raise acts_nowhere(path, name, chosen, lambda each: fit_for(path, each, seed))
    forecasts, series = [], []
    for variant in chosen:
        fitted, own = fits[variant.name], acting[variant.name]
        found = [
            predict(
                path, part, variant=variant, machine=target, settings=own, placement=placement, seed=seed, fitted=fitted
            )
            for part in _parts(cores)
        ]
        forecasts += found
        series.append(
            {
                "dataset": found[0].dataset,
                "variant": variant.name,
                "machine": target.slug,
                "unit": found[0].unit,
                "settings": own,
                "placement": placement,
                "measured_on": path.machine,
            }
            | limits(fitted, variant)
            | {"predictions": [row for each in found for row in predictions(each)]}
        )
    rest = {"path": path.slug, "series": series, "assumptions": assumptions(path, forecasts)}
    return plain(_document("predict", path, seed, chosen) | rest)


def whatif_answer(
    path: CodePath, cores=(), *, start: str, without=(), machine=None, settings=None, changes=(), seed: int = 1
) -> dict:
    """`mpps.whatif/1`: variant `start` without stages, with parameters set, or after `changes` as `mpps.alter` takes them;
    `cores` are the measured ones when empty."""
    settings = checked(path, settings)
    without = (without,) if isinstance(without, str) else tuple(without)
    asked = all_changes(without, settings, changes)
    if not asked:
        raise MppsError("nothing changes: name a stage to go without, a parameter to set, or another change")
    before = path.variant(start)
    target = _machine(path, machine)
    fitted = fit_for_changes(path, before, asked, seed=seed)
    new = altered(fitted, before, asked)
    for name in settings:
        if not acts(new.fitted, new.variant, name):
            asked_of = replace(new.variant, name=" ".join([start, *(word for word in new.words if "=" not in word)]))
            raise acts_nowhere(path, name, [asked_of], lambda each: fit_for(path, each, seed))
    cores = tuple(cores) or tuple(map(int, measured_counts(fitted, before)))
    found = whatif(path, cores, start=start, changes=asked, machine=target, seed=seed)
    next_limits = [{key: row[key] for key in ("n", "resource", "probability")} for row in found.next_bottleneck]
    last = max(row["n"] for row in next_limits)
    series = {
        "dataset": found.before.dataset,
        "from": start,
        "change": found.change,
        "variant": found.after.variant,
        "machine": found.after.machine,
        "unit": found.after.unit,
        "measured_on": path.machine,
        # A probability of a gain is that of one above this fraction.
        "gain_above": round(GAIN - 1, 9),
        "gain_probability": [{"n": row["n"], "p": row["p"]} for row in found.rows()],
        "gain": [
            {"n": row["n"], "median": row["gain"], "lower": row["lower"], "upper": row["upper"]} for row in found.rows()
        ],
        # Break-even counts: of such a gain, up to the largest count that is looked at.
        "gain_from": found.gain_from.as_dict(),
        "gain_until": found.gain_until.as_dict(),
        "searched_to": found.searched,
        "next_bottleneck": next(row["resource"] for row in next_limits if row["n"] == last),
        "limits": next_limits,
        "before": predictions(found.before),
        "predictions": predictions(found.after),
        "gives_up": list(found.tradeoffs),
        "takes": list(found.notes),
    }
    rest = {"path": path.slug, "series": [series], "assumptions": assumptions(path, [found.before, found.after])}
    return plain(_document("whatif", path, seed, [before]) | rest)


def measured(path: CodePath) -> list[Variant]:
    """The variants that somebody measured, in the order of the path."""
    return [variant for variant in path.variants if variant.dataset]


def fit_for(path: CodePath, variant: Variant, seed: int = 1) -> Fit:
    """The joint fit that answers for a variant."""
    return compare.fit(path, scope_for(path, variant).name, seed=seed)


def _machine(path: CodePath, machine) -> Machine:
    """The machine of an answer: the measured one when None."""
    return load_machine(machine or path.machine)


def _parts(cores) -> list[list[int]]:
    """The core counts, ascending, in parts that fit into memory together."""
    parts: list[list[int]] = [[]]
    for n in sorted(set(cores)):
        if (len(parts[-1]) + 1) * n > _TOGETHER and parts[-1]:
            parts.append([])
        parts[-1].append(n)
    return parts


def _document(kind: str, path: CodePath, seed: int, variants) -> dict:
    tables = dict.fromkeys(source[0] for variant in variants for source in fit_for(path, variant, seed).points.source)
    hashes = {f"{table}.csv": load(table).card.sha256 for table in tables}
    return {"schema": f"mpps.{kind}/1", "versions": library_versions(), "data_sha256": hashes, "seed": seed}
