"""What a further measurement promises, whatever the beliefs come from.

A measurement that nobody has made yet is drawn from what is believed of it, every explanation is weighed anew by it, and
the interval at the target is taken again: the mean over such draws is what one measurement promises (pre-posterior
analysis; Raiffa and Schlaifer 1961). Where explanations differ by more than a measurement scatters, it promises much.
"""

from dataclasses import dataclass

import numpy as np

from mpps.uncertainty import LEVELS

#: Measurements drawn for each candidate, and draws of the mixture that they weigh.
OUTCOMES, DRAWS = 200, 2000
#: Most candidates, and how far beyond the largest measured count they reach.
MOST, BEYOND = 24, 2.0


@dataclass(frozen=True)
class Look:
    """What one further measurement promises: at count n of a variant, of which `repeats` values are there already.

    disagreement: standard deviation between explanations of the log rate there; scatter: of what one measurement there
    adds to it; width: expected width of the 90 % interval at the target afterwards, log rate; typical: its median;
    apart: probability that the better of the two leading explanations is then the true one, if one of them is.
    """

    variant: str
    n: int
    repeats: int
    disagreement: float
    scatter: float
    width: float
    typical: float
    apart: float


@dataclass(frozen=True, eq=False)
class Advice:
    """What to measure next for the rate of `variant` at count `target`.

    quantiles (5,) at `mpps.uncertainty.LEVELS`: the rate there as it is known now; width: of its 90 % interval, log rate;
    leading: the two leading explanations with their weights; apart: as of `Look`, before any further measurement;
    looks: every candidate, the most promising first; largest: the largest count measured so far.
    """

    variant: str
    target: int
    quantiles: np.ndarray
    width: float
    leading: tuple[tuple[str, float], ...]
    apart: float
    looks: tuple[Look, ...]
    largest: int

    @property
    def best(self) -> Look:
        """The most promising measurement."""
        return self.looks[0]

    @property
    def within(self) -> Look:
        """The most promising measurement with no more senders than were measured."""
        return next(look for look in self.looks if look.n <= self.largest)

    def shrinks(self, look: Look) -> float:
        """By what fraction the width at the target is expected to shrink; below zero only by chance of the draws."""
        return 1 - look.width / self.width if self.width else 0.0


@dataclass(frozen=True, eq=False)
class Believed:
    """What each draw (K,) says together of a new measurement and of the target: normal, in log rate.

    label: number of its explanation; outcomes (any,): draws of the measurement, falls that nobody saw yet included; here,
    here_spread: mean and standard deviation of the measurement; there: mean of a measurement at the target, gain: how far
    it follows the other one, there_spread: what is then left.
    """

    label: np.ndarray
    outcomes: np.ndarray
    here: np.ndarray
    here_spread: np.ndarray
    there: np.ndarray
    gain: np.ndarray
    there_spread: np.ndarray


def candidates_for(measured, target: int, most: int = MOST) -> list[int]:
    """Whole counts between and around the measured ones (k,), evenly in log n, with repeats of measured ones: at most
    `most`. They end at `BEYOND` times the largest, and half way in log n to a target beyond it: who can measure at the
    target needs no advice."""
    measured = sorted({int(n) for n in measured})
    last = measured[-1]
    top = min(int(BEYOND * last), int(np.sqrt(last * target))) if target > last else last
    again = (
        measured
        if len(measured) <= most // 2
        else [measured[round(k)] for k in np.linspace(0, len(measured) - 1, most // 2)]
    )
    for count in range(most, 1, -1):
        found = {*again, *np.round(np.geomspace(1, max(top, last), count)).astype(int).tolist()}
        if len(found) <= most:
            return sorted(found)
    return sorted({*again})


def weighed(variant, target, quantiles, names, pairs, beliefs, largest: int, seed: int) -> Advice:
    """The advice that beliefs give: names (E,) of explanations, pairs (variant, count, repeats), a `Believed` for each."""
    label = beliefs[0].label
    share = np.bincount(label, minlength=len(names)) / len(label)
    first, second = (np.argsort(-share, kind="stable").tolist() + [-1])[:2]
    leading = tuple((names[each], float(share[each])) for each in (first, second) if each >= 0 and share[each] > 0)
    normal = np.random.default_rng([seed, 11]).standard_normal(len(label))
    width = float(np.log(quantiles[-1] / quantiles[0]))
    looks = []
    for (name, count, repeats), believed in zip(pairs, beliefs, strict=True):
        widths, apart = _after(believed, first, second, normal, np.random.default_rng([seed, 12]))
        spread = float(np.sqrt(np.mean(believed.here_spread**2)))
        looks.append(
            Look(
                name,
                count,
                repeats,
                float(believed.here.std()),
                spread,
                float(widths.mean()),
                float(np.median(widths)),
                apart,
            )
        )
    looks.sort(key=lambda look: (look.width, look.repeats > 0, look.n))
    apart = max(share[first], share[second]) / (share[first] + share[second]) if len(leading) > 1 else 1.0
    return Advice(variant, target, quantiles, width, leading, float(apart), tuple(looks), largest)


def _after(believed: Believed, first: int, second: int, normal, rng) -> tuple[np.ndarray, float]:
    """Widths (OUTCOMES,) of the 90 % interval at the target after drawn measurements, and `Look.apart`."""
    value = rng.permutation(believed.outcomes)[:OUTCOMES]
    away = value[:, None] - believed.here
    log_weight = -0.5 * (away / believed.here_spread) ** 2 - np.log(believed.here_spread)
    weight = np.exp(log_weight - log_weight.max(1, keepdims=True))
    weight /= weight.sum(1, keepdims=True)
    there = believed.there + believed.gain * away + believed.there_spread * normal
    order = np.argsort(there, axis=1)
    below = np.cumsum(np.take_along_axis(weight, order, 1), axis=1)
    ends = [
        np.take_along_axis(
            there, np.take_along_axis(order, (below < level).sum(1)[:, None].clip(max=order.shape[1] - 1), 1), 1
        )
        for level in (LEVELS[0], LEVELS[-1])
    ]
    one, other = (weight[:, believed.label == each].sum(1) for each in (first, second))
    both = (one + other).sum()
    return (ends[1] - ends[0])[:, 0], float(np.maximum(one, other).sum() / both) if both > 0 else 1.0
