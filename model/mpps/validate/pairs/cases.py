"""The pairs of a folder: what is scored, what stands apart, what is left out."""

from dataclasses import dataclass

import numpy as np

from mpps.corpus import Corpus, Pair, PairCurves, load, pair_curves

#: Fewest common counts of a pair that is scored.
NEEDED = 3


@dataclass(frozen=True, eq=False)
class Case:
    """A pair with its curves; source: what nothing may have been learnt from."""

    pair: Pair
    curves: PairCurves
    source: str

    @property
    def known(self) -> dict[float, float]:
        """The rate after the change at the smallest count."""
        return {float(self.curves.n[0]): float(self.curves.after[0])}

    @property
    def observed(self) -> np.ndarray:
        """The rates that are scored, (P,)."""
        return self.curves.after[1:]

    @property
    def distance(self) -> np.ndarray:
        """Log of count over the smallest one, of the rates that are scored."""
        return np.log(self.curves.n[1:] / self.curves.n[0])


@dataclass(frozen=True)
class Cases:
    """scored: pairs of the folder; seeds: pairs of `data/measurements/`; controls: where nothing changed; skipped:
    (data set, before, after, reason)."""

    scored: tuple[Case, ...]
    seeds: tuple[Case, ...]
    controls: tuple[Case, ...]
    skipped: tuple[tuple[str, str, str, str], ...]


def sorted_cases(pairs, corpus: Corpus) -> Cases:
    """Pairs by how they are scored, in their order.

    A data set that this project has learnt from keeps the source that it has here, whatever the folder calls it.
    """
    ours = {curve.dataset: curve.source for curve in load().curves}
    here = {curve.dataset for curve in corpus.curves}
    scored, seeds, controls, skipped = [], [], [], []
    for pair in pairs:
        curves = pair_curves(pair, corpus)
        if curves is None:
            skipped.append((pair.dataset, pair.before, pair.after, "no rates of both variants"))
        elif len(curves.n) < NEEDED:
            why = f"{len(curves.n)} common counts, fewer than {NEEDED}"
            skipped.append((pair.dataset, pair.before, pair.after, why))
        else:
            case = Case(pair, curves, ours.get(pair.dataset, pair.source))
            (controls if pair.kind == "control" else scored if pair.dataset in here else seeds).append(case)
    return Cases(tuple(scored), tuple(seeds), tuple(controls), tuple(skipped))
