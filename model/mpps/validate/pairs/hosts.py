"""One host from the others: the same benchmark before and after a change, on several hosts of one source."""

import numpy as np

from mpps.change import forecast_change, learnt_population
from mpps.change.learn import Lesson, learnt, lesson, lessons_of, tried_elsewhere
from mpps.corpus import HostPair, host_pairs, pair_curves, pairs
from mpps.table import points
from mpps.validate.pairs.cases import Case
from mpps.validate.scores import FIGURES, point_scores

#: What is known of the change, and the words for it.
WAYS = {
    "without": "published changes of other sources",
    "one_more": "and the other hosts' pairs, as published changes like any other",
    "same": "and the other hosts' pairs, as the same change",
}


def hosts(corpus, seed: int) -> dict:
    """Every pair of `hosts.yaml` predicted without its source, and with what the pairs of the other hosts showed.

    rows: one a pair, with the figures of each of `WAYS`; mean: over benchmarks, of the means over their pairs.
    """
    listed = [each for each in host_pairs() if corpus.curve(each.dataset, each.before) is not None]
    sources = {each.source for each in listed}
    lessons = {source: lessons_of(pairs(), corpus, source) for source in sources}
    mine = {each: lesson(each.pair, corpus) for each in listed}
    rows = [_row(each, corpus, mine, lessons[each.source], seed) for each in listed]
    rows = [row for row in rows if row]
    if not rows:
        return {"rows": [], "mean": {}}
    benchmarks = dict.fromkeys((row["source"], row["benchmark"]) for row in rows)
    groups = [[row for row in rows if (row["source"], row["benchmark"]) == each] for each in benchmarks]
    mean = {
        way: {
            name: float(np.mean([np.mean([row[way][name] for row in group]) for group in groups])) for name in FIGURES
        }
        for way in WAYS
    }
    return {"rows": rows, "mean": mean}


def _row(mine: HostPair, corpus, found: dict, lessons: list[Lesson], seed: int) -> dict | None:
    others = [
        other
        for each, other in found.items()
        if other and each.source == mine.source and each.benchmark == mine.benchmark and each.host != mine.host
    ]
    if not others:
        return None
    case = Case(mine.pair, pair_curves(mine.pair, corpus), mine.source)
    populations = {
        "without": learnt_population(mine.source),
        "one_more": learnt([*lessons, *others]),
        "same": tried_elsewhere(learnt_population(mine.source), mine.kind, others),
    }
    scores = {}
    for way, population in populations.items():
        found_here = forecast_change(
            points(case.curves.n, case.curves.before),
            mine.kind,
            known=case.known,
            source=mine.source,
            population=population,
            seed=seed,
        )
        one = point_scores(found_here.quantiles[:, 1:], case.observed)
        scores[way] = {name: float(values.mean()) for name, values in one.items()}
    names = ("dataset", "benchmark", "host", "before", "after", "mechanism", "source")
    return {
        **{name: getattr(mine, name) for name in names},
        "points": len(case.observed),
        "others": len(others),
        **scores,
    }
