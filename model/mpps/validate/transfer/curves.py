"""Leave one host out: its curve of a benchmark from the curves of the other hosts, by moving."""

import itertools
from dataclasses import dataclass

import numpy as np

from mpps.corpus import load
from mpps.discrepancy import cells
from mpps.table import fit_points, learnt_prior, points
from mpps.uncertainty import LEVELS
from mpps.validate.baselines import width_constants
from mpps.validate.coverage import cluster_interval
from mpps.validate.scores import FIGURES, interval_score, point_scores
from mpps.validate.transfer.hosts import HostCurve, curves, machine_of
from mpps.validate.transfer.moving import moved_curves

#: What is known of the held host beside its card, and the words for it.
WAYS = {"moved": "moved", "known": "moved, one count known"}
BASELINES = {"copied": "copied", "median": "median of the others", "scaled": "copied, scaled at one known count"}
#: Those that know the rate at the smallest count: scored on the other counts.
KNOWING = ("known", "scaled")
#: Standard deviations of the log rate that compete: of the level, and of the shape over a doubling of the count.
LEVEL, SHAPE = (0.0, 0.1, 0.2, 0.3, 0.45, 0.65, 0.9), (0.0, 0.05, 0.1, 0.2, 0.3, 0.45)


@dataclass(frozen=True, eq=False)
class Case:
    """One host of one benchmark: counts n (P,), observed log rates (P,); log rates moved from the other hosts (K, P), and
    theirs as they are (D, P)."""

    of: HostCurve
    others: tuple[str, ...]
    n: np.ndarray
    observed: np.ndarray
    moved: np.ndarray
    copies: np.ndarray

    @property
    def doublings(self) -> np.ndarray:
        """Doublings from the smallest count, (P,)."""
        return np.log2(self.n / self.n[0])


def held_hosts(seed: int = 1) -> dict:
    """Every host of every benchmark from the others.

    rows: one a host and benchmark, with figures of each way and baseline and the points of both ways; mean: over sources
    of the means over their rows; coverage of the points with its interval when whole sources are drawn again; spread: of
    level and shape that no rule of moving knows, learnt without each source, and from all.
    """
    cases = _cases(seed)
    sources = sorted({case.of.source for case in cases})
    others = {source: [case for case in cases if case.of.source != source] for source in sources}
    spread = {source: learnt(others[source], seed) for source in sources}
    found = []
    for case in cases:
        quantiles = forecasts(case, *spread[case.of.source], seed)
        quantiles |= {name: _with_width(name, case, others[case.of.source]) for name in BASELINES}
        found.append((case, quantiles))
    rows = [_row(case, quantiles) for case, quantiles in found]
    return {
        "rows": rows,
        "mean": {name: _mean(name, found, seed) for name in (*WAYS, *BASELINES)},
        "spread": {source: dict(zip(("level", "shape"), each, strict=True)) for source, each in spread.items()},
        "spread_of_all": dict(zip(("level", "shape"), learnt(cases, seed), strict=True)),
    }


def forecasts(case: Case, level: float, shape: float, seed: int) -> dict[str, np.ndarray]:
    """Quantiles (5, P) of the rate by way: of all counts, and of those after the smallest one where its rate is known."""
    rng = np.random.default_rng([seed, 8])
    common, bend = rng.standard_normal((2, len(case.moved), 1))
    moved = case.moved + shape * np.sqrt(case.doublings) * bend
    known = moved[:, 1:] - moved[:, :1] + case.observed[0]
    return {
        "moved": np.exp(np.quantile(moved + level * common, LEVELS, axis=0)),
        "known": np.exp(np.quantile(known, LEVELS, axis=0)),
    }


def learnt(cases, seed: int) -> tuple[float, float]:
    """Level and shape of `LEVEL` and `SHAPE` with the lowest mean interval score, at 90 and 50 %, over the sources of cases."""

    def score(name, level, shape):
        sums: dict[str, list[float]] = {}
        for case in cases:
            found = np.log(forecasts(case, level, shape, seed)[name])
            seen = case.observed[1:] if name in KNOWING else case.observed
            each = interval_score(found[0], found[4], seen, 0.1) + interval_score(found[1], found[3], seen, 0.5)
            sums.setdefault(case.of.source, []).append(float(each.mean()))
        return float(np.mean([np.mean(each) for each in sums.values()]))

    # The shape shows where the level is known, the level where the shape is.
    shape = min(SHAPE, key=lambda each: score("known", 0.0, each))
    return min(LEVEL, key=lambda each: score("moved", each, shape)), shape


def _cases(seed: int) -> list[Case]:
    corpus, listed = load(), curves()
    found = {each: corpus.curve(each.dataset, each.variant) for each in listed}
    fits = {
        each: fit_points(points(curve.n, curve.rate), learnt_prior(each.source), seed=seed)
        for each, curve in found.items()
    }
    cases = []
    for held in listed:
        others = [each for each in listed if each.benchmark == held.benchmark and each.host != held.host]
        most = min(found[each].n[-1] for each in (held, *others))
        least = max(found[each].n[0] for each in (held, *others))
        mine = (found[held].n <= most) & (found[held].n >= least)
        n = found[held].n[mine].astype(int)
        moved = []
        for place, each in enumerate(others):
            scatter = cells()[fits[each].cell, 0][:, None]
            noise = np.random.default_rng([seed, 9, place]).standard_normal((len(scatter), len(n)))
            machines = machine_of(each.host), machine_of(held.host)
            moved.append(moved_curves(fits[each], *machines, n, seed) + scatter * noise)
        copies = [np.interp(np.log(n), np.log(found[each].n), np.log(found[each].rate)) for each in others]
        names = tuple(each.host for each in others)
        cases.append(Case(held, names, n, np.log(found[held].rate[mine]), np.concatenate(moved), np.stack(copies)))
    return cases


def _central(name: str, case: Case) -> np.ndarray:
    """Log rates (P,) of a baseline; the copies of several hosts are averaged."""
    if name == "median":
        return np.median(case.copies, axis=0)
    mean = case.copies.mean(axis=0)
    return mean if name == "copied" else (case.copies - case.copies[:, :1]).mean(axis=0)[1:] + case.observed[0]


def _seen(name: str, case: Case) -> np.ndarray:
    return case.observed[1:] if name in KNOWING else case.observed


def _with_width(name: str, case: Case, others) -> np.ndarray:
    """Quantiles (5, P) of a baseline, whose width the other sources set as for the scoreboard of tables."""
    misses = [np.abs(_central(name, one) - _seen(name, one)) for one in others]
    far = [one.doublings[1:] if name in KNOWING else one.doublings for one in others]
    weight = [np.full(len(miss), 1 / len(miss)) for miss in misses]
    miss, distance, weight = (np.concatenate(each) for each in (misses, far, weight))
    mine = case.doublings[1:] if name in KNOWING else case.doublings
    wide, narrow = (a + b * mine for a, b in (width_constants(miss, distance, weight, alpha) for alpha in (0.1, 0.5)))
    narrow, central = np.minimum(narrow, wide), _central(name, case)
    return np.exp(central + np.stack([-wide, -narrow, np.zeros_like(wide), narrow, wide]))


def _row(case: Case, quantiles) -> dict:
    scores = {name: point_scores(each, np.exp(_seen(name, case))) for name, each in quantiles.items()}
    names = ("lower", "lower50", "median", "upper50", "upper")
    shown = {
        way: [
            {"n": int(n), "observed": float(np.exp(seen)), **dict(zip(names, map(float, ends), strict=True))}
            for n, seen, ends in zip(case.n[-len(_seen(way, case)) :], _seen(way, case), quantiles[way].T, strict=True)
        ]
        for way in WAYS
    }
    return {
        **{name: getattr(case.of, name) for name in ("benchmark", "host", "dataset", "variant", "source")},
        "others": list(case.others),
        "points": len(case.n),
        **{name: {figure: float(each[figure].mean()) for figure in FIGURES} for name, each in scores.items()},
        "predictions": shown,
    }


def _mean(name: str, found, seed: int) -> dict:
    scores = [(case, point_scores(quantiles[name], np.exp(_seen(name, case)))) for case, quantiles in found]
    of = lambda source, figure: [each[figure].mean() for case, each in scores if case.of.source == source]
    sources = sorted({case.of.source for case, _ in scores})
    figures = {figure: float(np.mean([np.mean(of(source, figure)) for source in sources])) for figure in FIGURES}
    hits = np.concatenate([each["coverage"] for _, each in scores])
    places = list(itertools.chain.from_iterable([case.of.source] * len(each["coverage"]) for case, each in scores))
    return figures | {
        "points": len(hits),
        "points_inside": int(hits.sum()),
        "coverage_interval": cluster_interval(hits, places, seed),
        "median_error": float(np.median(np.concatenate([each["error"] for _, each in scores]))),
    }
