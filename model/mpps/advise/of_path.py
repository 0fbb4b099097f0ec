"""What to measure next of a code path: beliefs are the members of its joint fit, for every variant that was measured."""

import numpy as np

from mpps.advise.weighing import Advice, Believed, candidates_for, weighed
from mpps.compare import Fit
from mpps.errors import MppsError
from mpps.machine import has_cores, load_machine
from mpps.path import Variant
from mpps.predict import measured_counts, predict, scatter_of


def advise_path(fitted: Fit, target: int | None = None, candidates=None, *, variant: str | None = None) -> Advice:
    """The next variant and count to measure of a joint fit, for the rate of `variant` at `target`.

    target: four times the largest measured count when None; variant: the one whose rate there is known least when None;
    candidates: whole counts, for every measured variant `candidates_for` as far as the machine has CPUs when None.
    Raises `MppsError` without any, and `UnknownNameError` for a variant that the path does not have.
    """
    path, variants = fitted.path, [each for each in fitted.points.variants if len(measured_counts(fitted, each))]
    largest = int(max(measured_counts(fitted, each).max() for each in variants))
    target = 4 * largest if target is None else int(target)
    asked = [path.variant(variant)] if variant is not None else variants
    forecasts = [_forecast(fitted, each, [target]) for each in asked]
    place = int(np.argmax([np.log(found.quantiles[4, 0] / found.quantiles[0, 0]) for found in forecasts]))
    there, scatter = forecasts[place].curves[:, 0], scatter_of(fitted, asked[place])
    label = np.repeat(np.arange(len(fitted.kept)), [len(one.members) for one in fitted.kept])
    normal = np.random.default_rng([fitted.seed, 13]).standard_normal(len(label))
    pairs, beliefs = [], []
    for each in variants:
        counts = _counts(fitted, each, target) if candidates is None else sorted({int(n) for n in candidates})
        if not counts:
            raise MppsError("no count to measure next: name one candidate at least")
        found, own = _forecast(fitted, each, counts), scatter_of(fitted, each)
        for column, count in enumerate(counts):
            everywhere = np.full(len(label), own), there, np.zeros(len(label)), np.full(len(label), scatter)
            pairs.append((each.name, count, _repeats(fitted, each, count)))
            outcomes = found.curves[:, column] + own * normal
            beliefs.append(Believed(label, outcomes, found.curves[:, column], *everywhere))
    names = [one.mechanism.name for one in fitted.kept]
    quantiles = forecasts[place].quantiles[:, 0]
    return weighed(asked[place].name, target, quantiles, names, pairs, beliefs, largest, fitted.seed)


def _forecast(fitted: Fit, variant: Variant, counts):
    return predict(fitted.path, counts, variant=variant, seed=fitted.seed, fitted=fitted)


def _counts(fitted: Fit, variant: Variant, target: int) -> list[int]:
    """Candidates of a variant, as far as the machine has CPUs or somebody measured."""
    measured = measured_counts(fitted, variant).astype(int)
    counts = np.array(candidates_for(measured, target))
    return counts[has_cores(load_machine(fitted.path.machine), counts) | (counts <= measured.max())].tolist()


def _repeats(fitted: Fit, variant: Variant, count: int) -> int:
    points = fitted.points
    own = [place for place, known in enumerate(points.variants) if known.name == variant.name]
    return int((np.isin(points.variant, own) & (points.n == count) & ~points.busy).sum())
