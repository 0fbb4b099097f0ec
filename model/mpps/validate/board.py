"""The scoreboard as a plain document (schema `mpps.validate/1`)."""

import numpy as np

from mpps.corpus import Corpus, Curve, load
from mpps.errors import DataError, MppsError
from mpps.record import library_versions, plain
from mpps.validate import baselines
from mpps.validate.cases import cases, series_rows
from mpps.validate.coverage import pooled
from mpps.validate.forecasts import forecasts
from mpps.validate.goals import goals
from mpps.validate.scores import averaged, over_sets, point_scores, without_worst

SCHEMA = "mpps.validate/1"
MODELS = ("mpps", *baselines.BASELINES)


def validate(folder=None, *, forecaster=None, seed: int = 1, workers: int = 2, advance=None) -> dict:
    """Score forecasts of every series in a folder (`data/corpus/` when None) against what was measured beyond it.

    forecaster(training, at) -> quantiles (5, P) at `LEVELS`, in the unit of the training points (`mpps.corpus.Training`,
    fields n, rate, source and more) at the held-out n (P,); the `table` code path when None,
    in `workers` processes and kept between runs. advance(done, total) is called as forecasts become ready.
    Raises `DataError` for a folder that cannot be read (see `mpps.corpus.load`) or holds no series to score.

    The document has `datasets`, `median`, `mean`, `pooled`, `used` and `skipped`; beside them, per model, `paired`
    (data sets with a lower interval score than the baseline), `percentile80` and `mean_without_two_worst` of the errors
    of data sets, and `pooled_baselines`; `goals`; `apart`, data sets converted to rates, which enter nothing else;
    `series` with training and held-out points; `cases`, the best and worst of them. All shares are fractions.
    """
    corpus = load(folder)
    curves = [*corpus.series, *corpus.apart]
    if not corpus.series:
        raise DataError(
            f"{corpus.folder}: found no series to score: expected a rate at five or more distinct n; "
            + "; ".join(f"{one.dataset}, {one.variant}: {one.why}" for one in corpus.skipped[:3])
        )
    done = iter(range(1, len(curves) + 1))
    found = forecasts(
        curves,
        forecaster,
        seed=seed,
        workers=workers,
        advance=(lambda: advance(next(done), len(curves))) if advance else None,
    )
    failed = [(curve, error) for curve, error in zip(curves, found, strict=True) if isinstance(error, MppsError)]
    ours = {curve.key: got for curve, got in zip(curves, found, strict=True) if not isinstance(got, MppsError)}
    scored = [curve for curve in corpus.series if curve.key in ours]
    if not scored:
        raise MppsError(f"{corpus.folder}: no series could be forecast; the first says: {failed[0][1]}")
    return _document(corpus, scored, ours, failed, load() if folder is not None else corpus, seed)


def _document(corpus: Corpus, scored, ours, failed, reference: Corpus, seed: int) -> dict:
    aside = [curve for curve in corpus.apart if curve.key in ours]
    # Curves that are scored apart never set the width of a baseline.
    quantiles = baselines.quantiles(scored, reference.series)
    apart = baselines.quantiles(aside, [*reference.series, *scored]) if aside else {}
    board = _scores(scored, ours, quantiles)
    rows = _datasets(scored, board)
    errors = {name: [row[name]["error"] for row in rows] for name in MODELS}
    skipped = [[one.dataset, one.variant, one.metric, one.why] for one in corpus.skipped]
    skipped += [[*curve.key, f"the forecast failed: {error}"] for curve, error in failed]
    skipped += [[*curve.key, f"{curve.unit}, converted from another metric: scored apart"] for curve in aside]
    document = {
        "schema": SCHEMA,
        "versions": library_versions(),
        "data_sha256": corpus.sha256,
        "seed": seed,
        "folder": corpus.folder,
        "datasets": rows,
        "median": {name: over_sets([row[name] for row in rows], np.median) for name in MODELS},
        "mean": {name: over_sets([row[name] for row in rows], np.mean) for name in MODELS},
        "pooled": pooled(scored, board["mpps"], seed),
        "pooled_baselines": {name: pooled(scored, board[name], seed) for name in baselines.BASELINES},
        "paired": {name: _paired(rows, name) for name in baselines.BASELINES},
        "percentile80": {name: float(np.quantile(errors[name], 0.8)) for name in MODELS},
        "mean_without_two_worst": {name: without_worst(errors[name]) for name in MODELS},
        "used": [list(curve.key) for curve in scored],
        "skipped": skipped,
        "apart": _datasets(aside, _scores(aside, ours, apart)) if aside else [],
        "series": series_rows(scored, ours, board["mpps"], corpus),
    }
    document["goals"] = goals(document)
    document["cases"] = cases(document["series"])
    return plain(document)


def _scores(curves, ours, quantiles) -> dict[str, list[dict]]:
    """Figures of the points of each curve, by model."""
    found = {"mpps": [ours[curve.key] for curve in curves], **quantiles}
    return {
        name: [point_scores(one, curve.held_rate) for curve, one in zip(curves, found[name], strict=True)]
        for name in MODELS
    }


def _datasets(curves: list[Curve], board) -> list[dict]:
    """One row for each data set: its figures by model, averaged over all its held-out points."""
    rows = []
    for dataset in dict.fromkeys(curve.dataset for curve in curves):
        places = [place for place, curve in enumerate(curves) if curve.dataset == dataset]
        rows.append(
            {
                "name": dataset,
                "source": curves[places[0]].source,
                "series": len(places),
                "points": sum(len(curves[place].held_n) for place in places),
                **{name: averaged([board[name][place] for place in places]) for name in MODELS},
            }
        )
    return rows


def _paired(rows: list[dict], baseline: str) -> dict:
    """Data sets on which the interval score is lower than the baseline's."""
    wins = sum(row["mpps"]["interval_score"] < row[baseline]["interval_score"] for row in rows)
    return {"wins": wins, "sets": len(rows), "share": wins / len(rows)}
