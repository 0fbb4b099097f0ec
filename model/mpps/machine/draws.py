"""Random draws from a median and a 90 % range, and the record of what was assumed."""

import dataclasses
import functools

import numpy as np

from mpps.machine.cards import Machine, Quantity

#: 95 % point of the standard normal distribution: half of a 90 % range in standard deviations.
Z95 = 1.6448536269514722


@dataclasses.dataclass(frozen=True)
class Assumption:
    """A number that no source fixes: its median and 90 % range, and why it is taken.

    influence: share of the variance of the predicted log rate that follows from it, 0 to 1; None where nobody measured.
    """

    name: str
    median: float
    lower: float
    upper: float
    unit: str
    why: str
    influence: float | None = None


class Streams:
    """Draws by name for `total` members, of which `part` are in question; takes the place of a random generator.

    A name has the same draws whatever else is drawn before it, so that two answers share what they have in common. The
    draws of a name are stratified: of K members one lies in each of K equally likely ranges (a Latin hypercube of all
    names: McKay, Beckman and Conover 1979). `kept` holds what each assumption was drawn as, for its influence.
    """

    def __init__(self, seed, total: int, part: slice = slice(None)):
        self.seed, self.total, self.part = tuple(seed), total, part
        self.kept: dict[str, np.ndarray] = {}

    def uniform(self, name: str) -> np.ndarray:
        """Stratified uniform numbers of `part`."""
        return _stratified(self.seed, self.total, name)[self.part]

    def normal(self, name: str) -> np.ndarray:
        """Stratified standard normal numbers of `part`."""
        return _stratified(self.seed, self.total, name, normal=True)[self.part]


@functools.lru_cache(maxsize=1024)
def _stratified(seed: tuple, total: int, name: str, normal: bool = False) -> np.ndarray:
    """The draws of a name for all members, (total,), read-only: every mechanism and every count asks for them again."""
    if normal:
        from scipy.special import ndtri

        drawn = ndtri(_stratified(seed, total, name))
    else:
        rng = np.random.default_rng([*seed, *name.encode()])
        drawn = (rng.permutation(total) + rng.random(total)) / total
    drawn.setflags(write=False)
    return drawn


def uniform(rng, name: str, draws: int) -> np.ndarray:
    """Uniform numbers, shape (draws,), from a generator or from the stream of that name."""
    return rng.uniform(name) if isinstance(rng, Streams) else rng.random(draws)


def keep(rng, name: str, values) -> None:
    """Remember what an assumption was drawn as, where `rng` are streams."""
    if isinstance(rng, Streams):
        rng.kept[name] = np.asarray(values, float)


def draw_range(
    median: float, lower: float, upper: float, draws: int, rng: np.random.Generator | Streams, name: str = ""
) -> np.ndarray:
    """`draws` positive values, shape (draws,), whose 5 %, 50 % and 95 % points are the three numbers.

    A lognormal with its own spread on either side of the median.
    """
    z = rng.normal(name) if isinstance(rng, Streams) else rng.standard_normal(draws)
    spread = np.where(z < 0, np.log(median / lower), np.log(upper / median)) / Z95
    return median * np.exp(z * spread)


def draw_assumption(assumption: Assumption, draws: int, rng: np.random.Generator | Streams) -> np.ndarray:
    """Draws of an assumption, shape (draws,)."""
    values = draw_range(assumption.median, assumption.lower, assumption.upper, draws, rng, assumption.name)
    keep(rng, assumption.name, values)
    return values


def draw_chance(assumption: Assumption, draws: int, rng: np.random.Generator | Streams) -> np.ndarray:
    """Whether what an assumption gives the probability of (its median) is so, shape (draws,), boolean."""
    happens = uniform(rng, assumption.name, draws) < assumption.median
    keep(rng, assumption.name, happens)
    return happens


def draw_share(assumption: Assumption, draws: int, rng: np.random.Generator | Streams) -> np.ndarray:
    """Draws of a share, shape (draws,), inside (0, 1): the range is that of the share, the odds are lognormal."""
    ends = (assumption.median, assumption.lower, assumption.upper)
    odds = draw_range(*(end / (1 - end) for end in ends), draws, rng, assumption.name)
    keep(rng, assumption.name, odds / (1 + odds))
    return odds / (1 + odds)


def draw_quantity(
    machine: Machine, name: str, prior: Assumption, draws: int, rng: np.random.Generator | Streams
) -> tuple[np.ndarray, list[Assumption]]:
    """Draws of a fact, shape (draws,), or of `prior` when it is not stated, and the assumptions behind them.

    An exact fact does not vary and a measured range is no assumption.
    """
    fact = machine[name]
    if fact.not_stated:
        item = for_machine(machine, prior)
        return draw_assumption(item, draws, rng), [item]
    item = as_assumption(machine, name, fact)
    if fact.lower is None:
        return np.full(draws, fact.value), [item] if fact.assumed else []
    return draw_assumption(item, draws, rng), [item] if fact.assumed else []


def draw_count(
    machine: Machine, name: str, prior: Assumption, draws: int, rng: np.random.Generator | Streams
) -> tuple[np.ndarray, list[Assumption]]:
    """Whole-number draws of a count, shape (draws,): every number of an assumed range is equally likely."""
    fact = machine[name]
    if fact.not_stated:
        item = for_machine(machine, prior)
        lower, upper, notes = item.lower, item.upper, [item]
    else:
        item = as_assumption(machine, name, fact)
        lower, upper, notes = item.lower, item.upper, [item] if fact.assumed else []
    lower, upper = int(lower), int(upper)
    values = lower + (uniform(rng, item.name, draws) * (upper - lower + 1)).astype(int)
    keep(rng, item.name, values)
    return values, notes


def as_assumption(machine: Machine, name: str, fact: Quantity) -> Assumption:
    """The record of a fact as it is drawn."""
    lower = fact.value if fact.lower is None else fact.lower
    upper = fact.value if fact.upper is None else fact.upper
    return Assumption(f"{machine.slug}: {label(name)}", fact.value, lower, upper, fact.unit, fact.why)


def for_machine(machine: Machine, prior: Assumption) -> Assumption:
    """The prior, named after the machine whose card does not state the number."""
    return dataclasses.replace(prior, name=f"{machine.slug}: {prior.name} (not stated)")


def label(name: str) -> str:
    """A fact's name in words: `clock.one_core` is "clock, one core"."""
    return name.replace("topology.", "").replace(".", ", ").replace("_", " ")
