"""How much contended time changes keep, learnt from published pairs of curves, once per source left out.

    python -m mpps.change.learn      # writes data/changes.json from data/corpus/pairs.yaml

For every pair the likelihood of its after curve is computed on the grid of kept shares; what the pairs of a kind have
in common is their distribution (expectation maximisation, smoothed, with the pairs of all kinds as its prior). A data
set counts once. Controls, where nothing changed, count among replacements and cost changes: those may do nothing.
"""

import datetime
import sys
from dataclasses import dataclass

import numpy as np

from mpps.change.growth import draw_growth
from mpps.change.laps import after, laps, room_for_second
from mpps.change.population import KINDS, Population, grid, write_populations
from mpps.corpus import Pair, load, pair_curves, pairs
from mpps.root import data_folder
from mpps.table.prior import learnt_prior

#: Scatter and drift per doubling of an after curve around what a pair of shares says, relative.
_SCATTER, _DRIFT = 0.06, 0.15
#: Independent observations that one pair is worth at most.
_WORTH = 4.0
_GROWTHS = 400
#: Data sets that the prior of all kinds, and that of a kind, are worth; weight of a control.
_POOLED, _OF_KIND, _CONTROL = 2.0, 2.0, 0.7
_STEPS = 40
#: Data sets that all other changes of its kind are worth beside a change that was tried on another host.
_ELSEWHERE = 0.5
#: Width of the smoothing, in log share; shares below the floor count as the floor there.
_SMOOTH, _FLOOR = 0.35, 0.008


@dataclass(frozen=True, eq=False)
class Lesson:
    """A pair with its common counts, log rates, and the log likelihood of every grid point (G,)."""

    pair: Pair
    n: np.ndarray
    before: np.ndarray
    after: np.ndarray
    likelihood: np.ndarray


def lessons_of(listed, corpus, left_out: str | None = None, among=()) -> list[Lesson]:
    """What pairs say, without those of a source and without what the growth of other shared work learnt from it.

    among: lessons that are there already; those of changes without other shared work are taken from them.
    """
    there = {each.pair: each for each in among}
    found = []
    for pair in listed:
        if pair.source != left_out:
            found.append(there[pair] if pair in there and pair.kind != "removal" else lesson(pair, corpus, left_out))
    return [each for each in found if each]


def lesson(pair: Pair, corpus, left_out: str | None = None) -> Lesson | None:
    """What a pair says; None with fewer than three common counts. left_out: source that the prior of the growth has not
    learnt from, that of the pair when None."""
    found = pair_curves(pair, corpus)
    if found is None or len(found.n) < 3:
        return None
    n, before, then = found.n, np.log(found.before), np.log(found.after)
    rng = np.random.default_rng(0)
    parts = laps(n, before)
    growth = draw_growth(learnt_prior(left_out or pair.source), n, _GROWTHS, rng) if pair.kind == "removal" else None
    room = room_for_second(parts.longest) if pair.kind == "removal" else 1.0
    observed = np.log(n / n[0]) - (then - before[0])
    lone = np.exp(observed[:1])[None, :]
    doublings = np.log2(n[1:] / n[0])
    covariance = _DRIFT**2 * np.minimum(doublings[:, None], doublings) + _SCATTER**2 * (1 + np.eye(len(doublings)))
    inverse = np.linalg.inv(covariance) * min(1.0, _WORTH / len(doublings))
    likelihood = []
    for plateau, collapse in grid():
        away = observed[1:] - np.log(after(parts, lone, plateau * room, collapse, growth))[:, 1:]
        square = -0.5 * np.einsum("di,ij,dj->d", away, inverse, away)
        likelihood.append(np.logaddexp.reduce(square) - np.log(len(square)))
    return Lesson(pair, n, before, then, np.array(likelihood))


def learnt(lessons) -> Population:
    """The population that lessons give."""
    used = list(lessons)
    pooled = _distribution(used, _broad(), _POOLED)
    weights, ratios, nothing = {}, {}, {}
    for kind in KINDS:
        mine = [each for each in used if each.pair.kind == kind or (kind != "removal" and each.pair.kind == "control")]
        weights[kind] = _distribution(mine, pooled, _OF_KIND)
        # A kind of which nothing was published does to a lone sender what any change does.
        ratio = np.array([each.after[0] - each.before[0] for each in mine or used])
        share = _shares(mine or used)
        ratios[kind] = (ratio, share / share.sum())
        sets = {each.pair.dataset for each in mine}
        # No published removal did nothing; that the next one does is Laplace's rule of succession. The other kinds
        # have their controls.
        nothing[kind] = 1 / (len(sets) + 2) if kind == "removal" else 0.0
    sources = {each.pair.source for each in used}
    return Population(weights, ratios, nothing, f"{len(used)} published pairs of {len(sources)} sources")


def tried_elsewhere(population: Population, kind: str, lessons) -> Population:
    """The population for a change that others tried already, on other hosts: what their pairs kept weighs more than
    what other changes of its kind did."""
    weights = {**population.weights, kind: _distribution(lessons, population.weights[kind], _ELSEWHERE)}
    ratio = np.array([each.after[0] - each.before[0] for each in lessons])
    ratios = {**population.ratios, kind: (ratio, np.full(len(ratio), 1 / len(ratio)))}
    words = f"{population.words}; the same change on {len(lessons)} other hosts"
    return Population(weights, ratios, population.nothing, words)


def _broad() -> np.ndarray:
    """Before any pair is seen: shares log-normal around 0.7 and 0.4, within a factor of four or so."""
    kept = np.maximum(grid(), 0.02)
    weight = np.exp(-0.5 * ((np.log(kept / [0.7, 0.4]) / 1.5) ** 2).sum(1))
    return weight / weight.sum()


def _shares(lessons) -> np.ndarray:
    """Weight of each lesson: those of a data set share one."""
    names = [each.pair.dataset for each in lessons]
    return np.array(
        [(_CONTROL if each.pair.kind == "control" else 1.0) / names.count(each.pair.dataset) for each in lessons]
    )


def _distribution(lessons, prior, worth) -> np.ndarray:
    if not lessons:
        return prior
    logs = np.log(np.maximum(grid(), _FLOOR))
    smooth = np.exp(-0.5 * (((logs[:, None] - logs[None]) / _SMOOTH) ** 2).sum(2))
    smooth /= smooth.sum(0)
    share, weight = _shares(lessons), prior
    likelihood = np.exp([each.likelihood - each.likelihood.max() for each in lessons])
    for _ in range(_STEPS):
        each = likelihood * weight
        weight = worth * prior + smooth @ (share @ (each / each.sum(1, keepdims=True)))
        weight = weight / weight.sum()
    return weight


def main() -> int:
    """Learn from data/corpus/pairs.yaml and write data/changes.json."""
    corpus = load()
    write_populations(data_folder() / "changes.json", *populations(pairs(), corpus), str(datetime.date.today()))
    return 0


def populations(listed, corpus) -> tuple[Population, dict[str, Population]]:
    """The population of all pairs, and by source that of the pairs of the others."""
    lessons = lessons_of(listed, corpus)
    sources = sorted({each.pair.source for each in lessons})
    return learnt(lessons), {source: learnt(lessons_of(listed, corpus, source, lessons)) for source in sources}


if __name__ == "__main__":
    sys.exit(main())
