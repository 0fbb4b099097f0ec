"""The scoreboard of pairs as a plain document (schema `mpps.pairs/1`)."""

import contextlib
import hashlib
import json
import pathlib

import numpy as np

from mpps.change import forecast_change
from mpps.corpus import Corpus, load, pairs
from mpps.errors import DataError
from mpps.record import library_versions, plain, write
from mpps.root import cache_folder, data_folder
from mpps.stored import alone
from mpps.table import points
from mpps.validate.coverage import pooled
from mpps.validate.pairs import baselines, gains
from mpps.validate.pairs.cases import Case, Cases, sorted_cases
from mpps.validate.pairs.goals import goals
from mpps.validate.pairs.hosts import hosts
from mpps.validate.pairs.reasons import reason
from mpps.validate.scores import FIGURES, over_sets, point_scores

SCHEMA = "mpps.pairs/1"
MODELS = ("mpps", *baselines.BASELINES)
#: What a change counts as whose effect nobody knows.
CONTROL_AS = "replacement"
#: Pairs of each sort that are shown.
SHOWN = 6


def kept_pairs(folder=None, *, seed: int = 1) -> dict:
    """`validate_pairs`, kept between runs until code, data or the folder change."""
    digest = hashlib.sha256(f"{seed} {folder}".encode())
    here = pathlib.Path(__file__).parent.parent.parent
    files = [*here.rglob("*.py"), *(file for file in data_folder().rglob("*") if file.is_file())]
    files += [] if folder is None else [*pathlib.Path(folder).glob("*.csv"), *pathlib.Path(folder).glob("*.yaml")]
    for file in sorted(files):
        with contextlib.suppress(OSError):
            digest.update(file.name.encode() + file.read_bytes())
    file = cache_folder() / f"pairs-{digest.hexdigest()[:20]}.json"
    with alone(file):
        with contextlib.suppress(OSError, ValueError):
            return json.loads(file.read_text(encoding="utf-8"))
        document = validate_pairs(folder, seed=seed)
        with contextlib.suppress(OSError):
            write(file, document)
    return document


def validate_pairs(folder=None, *, seed: int = 1) -> dict:
    """Predict the after curve of every pair of a folder (`data/corpus/` when None) and score it.

    Given are the curve before the change and the rate after it at the smallest common count; the other common counts
    are scored. Raises `DataError` for a folder that cannot be read (see `mpps.corpus.load`), without `pairs.yaml`, or
    without a pair to score.

    The document has `datasets` (figures by model, averaged over the points of a pair, then over pairs), `median` and
    `mean` over data sets, `paired` (data sets with a lower interval score than the baseline), `pooled` coverage, `gain`
    (reliability of the probability of a gain, controls
    counted as replacements), `controls`, `without_known` (the same figures when nothing is known
    after the change), `hosts`, `goals`, `pairs` and `seeds` with their points, `cases` (places of the best and worst of
    `pairs`), `skipped`. All shares are fractions.
    """
    corpus = load(folder)
    found = sorted_cases(pairs(folder), corpus)
    if not found.scored:
        raise DataError(
            f"{corpus.folder}: found no pair to score: expected pairs.yaml with two variants at three or more common "
            "counts; " + "; ".join(": ".join((f"{one[0]}, {one[1]} and {one[2]}", one[3])) for one in found.skipped[:3])
        )
    return plain(_document(corpus, found, seed))


def predict(case: Case, kind: str | None = None, *, known: bool = True, seed: int = 1):
    """The `ChangeForecast` of a case, as a change of another kind when one is named."""
    curves = case.curves
    return forecast_change(
        points(curves.n, curves.before, of=case.pair.dataset),
        kind or case.pair.kind,
        known=case.known if known else None,
        source=case.source,
        seed=seed,
    )


def _document(corpus: Corpus, found: Cases, seed: int) -> dict:
    cases, weights = found.scored, _weights(found.scored)
    forecasts = [predict(case, seed=seed) for case in cases]
    unknown_effect = [predict(case, CONTROL_AS, seed=seed) for case in found.controls]
    blind = [predict(case, known=False, seed=seed) for case in cases]
    board = {"mpps": _scores(cases, [one.quantiles[:, 1:] for one in forecasts])}
    board |= {name: _scores(cases, each) for name, each in baselines.quantiles(cases, weights).items()}
    rows = _datasets(cases, board)
    unknown = _scores(cases, [one.quantiles[:, 1:] for one in blind])
    unknown_rows = _datasets(cases, {"mpps": unknown})
    document = {
        "schema": SCHEMA,
        "versions": library_versions(),
        "data_sha256": {name: corpus.sha256[name] for name in sorted({f"{case.pair.dataset}.csv" for case in cases})},
        "seed": seed,
        "folder": corpus.folder,
        "datasets": rows,
        "median": {name: over_sets([row[name] for row in rows], np.median) for name in MODELS},
        "mean": {name: over_sets([row[name] for row in rows], np.mean) for name in MODELS},
        "paired": {name: _paired(rows, name) for name in baselines.BASELINES},
        "pooled": _pooled(cases, board["mpps"], seed),
        "pooled_baselines": {name: _pooled(cases, board[name], seed) for name in baselines.BASELINES},
        "gain": gains.reliability([*cases, *found.controls], [*forecasts, *unknown_effect], seed),
        "controls": gains.controls(found.controls, lambda case, kind: predict(case, kind, seed=seed)),
        "without_known": {
            "median": over_sets([row["mpps"] for row in unknown_rows], np.median),
            "mean": over_sets([row["mpps"] for row in unknown_rows], np.mean),
            "pooled": _pooled(cases, unknown, seed),
        },
        "hosts": hosts(corpus, seed),
        "pairs": [_pair(*each) for each in zip(cases, forecasts, board["mpps"], strict=True)],
        "seeds": _apart(found.seeds, seed),
        "skipped": [list(each) for each in found.skipped],
    }
    document["goals"] = goals(document)
    document["cases"] = _best_and_worst(document["pairs"])
    return document


def _weights(cases) -> list[float]:
    """Of a point in a mean over points, pairs and data sets."""
    sets = [case.pair.dataset for case in cases]
    return [1 / (sets.count(case.pair.dataset) * len(case.observed)) for case in cases]


def _scores(cases, quantiles) -> list[dict]:
    return [point_scores(one, case.observed) for case, one in zip(cases, quantiles, strict=True)]


def _datasets(cases, board) -> list[dict]:
    rows = []
    for dataset in dict.fromkeys(case.pair.dataset for case in cases):
        places = [place for place, case in enumerate(cases) if case.pair.dataset == dataset]
        figures = {
            model: {name: float(np.mean([scores[place][name].mean() for place in places])) for name in FIGURES}
            for model, scores in board.items()
        }
        rows.append(
            {
                "name": dataset,
                "source": cases[places[0]].pair.source,
                "pairs": len(places),
                "points": sum(len(cases[place].observed) for place in places),
                **figures,
            }
        )
    return rows


def _paired(rows: list[dict], baseline: str) -> dict:
    wins = sum(row["mpps"]["interval_score"] < row[baseline]["interval_score"] for row in rows)
    return {"wins": wins, "sets": len(rows), "share": wins / len(rows)}


def _pooled(cases, scores, seed: int) -> dict:
    """Coverage as in the scoreboard of tables, where the known count stands for the training range."""
    return pooled([_Held(case) for case in cases], scores, seed)


class _Held:
    """A case as `mpps.validate.coverage` takes a curve."""

    def __init__(self, case: Case):
        self.held_n, self.train_n, self.source = case.curves.n[1:], case.curves.n[:1], case.pair.source


def _pair(case: Case, forecast, scores) -> dict:
    """A pair with its figures, its reason, and every common count."""
    pair, curves = case.pair, case.curves
    names = ("lower", "lower50", "median", "upper50", "upper")
    said = gains.probability(forecast.gain)
    rows = []
    for place, n in enumerate(curves.n):
        row = {"n": float(n), "before": float(curves.before[place]), "observed": float(curves.after[place])}
        if place:
            ends = map(float, forecast.quantiles[:, place])
            row |= dict(zip(names, ends, strict=True)) | {"gain_probability": float(said[place])}
        rows.append(row)
    return {
        **{name: getattr(pair, name) for name in ("dataset", "before", "after", "kind", "mechanism", "source")},
        "unit": curves.unit,
        "counts": curves.counts,
        "points": len(case.observed),
        **{name: float(values.mean()) for name, values in scores.items()},
        "reason": reason(case, forecast.quantiles[:, 1:]),
        "rows": rows,
    }


def _apart(cases, seed: int) -> list[dict]:
    found = [predict(case, seed=seed) for case in cases]
    scores = _scores(cases, [one.quantiles[:, 1:] for one in found])
    return [_pair(*each) for each in zip(cases, found, scores, strict=True)]


def _best_and_worst(rows: list[dict]) -> dict[str, list[int]]:
    """Places of pairs by interval score: the best that held all points, the worst that lost some or erred most."""
    order = sorted(range(len(rows)), key=lambda place: rows[place]["interval_score"])
    good = [place for place in order if rows[place]["coverage"] == 1.0][:SHOWN]
    bad = [place for place in order[::-1] if rows[place]["coverage"] < 1.0][:SHOWN]
    return {"best": good, "worst": bad}
