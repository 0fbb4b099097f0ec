"""Random draws from a median and a 90 % range, and the record of what was assumed."""

import dataclasses

import numpy as np

from mpps.machine.cards import Machine, Quantity

#: 95 % point of the standard normal distribution: half of a 90 % range in standard deviations.
Z95 = 1.6448536269514722


@dataclasses.dataclass(frozen=True)
class Assumption:
    """A number that no source fixes: its median and 90 % range, and why it is taken."""

    name: str
    median: float
    lower: float
    upper: float
    unit: str
    why: str


def draw_range(median: float, lower: float, upper: float, draws: int, rng: np.random.Generator) -> np.ndarray:
    """`draws` positive values, shape (draws,), whose 5 %, 50 % and 95 % points are the three numbers.

    A lognormal with its own spread on either side of the median.
    """
    z = rng.standard_normal(draws)
    spread = np.where(z < 0, np.log(median / lower), np.log(upper / median)) / Z95
    return median * np.exp(z * spread)


def draw_assumption(assumption: Assumption, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draws of an assumption, shape (draws,)."""
    return draw_range(assumption.median, assumption.lower, assumption.upper, draws, rng)


def draw_quantity(
    machine: Machine, name: str, prior: Assumption, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, list[Assumption]]:
    """Draws of a fact, shape (draws,), or of `prior` when it is not stated, and the assumptions behind them.

    An exact fact does not vary and a measured range is no assumption.
    """
    fact = machine[name]
    if fact.not_stated:
        return draw_assumption(prior, draws, rng), [for_machine(machine, prior)]
    notes = [as_assumption(machine, name, fact)] if fact.assumed else []
    if fact.lower is None:
        return np.full(draws, fact.value), notes
    return draw_range(fact.value, fact.lower, fact.upper, draws, rng), notes


def draw_count(
    machine: Machine, name: str, prior: Assumption, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, list[Assumption]]:
    """Whole-number draws of a count, shape (draws,): every number of an assumed range is equally likely."""
    fact = machine[name]
    notes = []
    if fact.not_stated:
        lower, upper, notes = prior.lower, prior.upper, [for_machine(machine, prior)]
    elif fact.lower is None:
        lower = upper = fact.value
    else:
        lower, upper = fact.lower, fact.upper
        notes = [as_assumption(machine, name, fact)] if fact.assumed else []
    return rng.integers(int(lower), int(upper), size=draws, endpoint=True), notes


def as_assumption(machine: Machine, name: str, fact: Quantity) -> Assumption:
    """The record of an assumed fact."""
    lower = fact.value if fact.lower is None else fact.lower
    upper = fact.value if fact.upper is None else fact.upper
    return Assumption(f"{machine.slug}: {label(name)}", fact.value, lower, upper, fact.unit, fact.why)


def for_machine(machine: Machine, prior: Assumption) -> Assumption:
    """The prior, named after the machine whose card does not state the number."""
    return dataclasses.replace(prior, name=f"{machine.slug}: {prior.name} (not stated)")


def label(name: str) -> str:
    """A fact's name in words: `clock.one_core` is "clock, one core"."""
    return name.replace("topology.", "").replace(".", ", ").replace("_", " ")
