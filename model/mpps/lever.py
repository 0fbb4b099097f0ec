"""A parameter as a lever: the rate while one parameter of a path moves, where that breaks even, and when the lock lets go."""

from dataclasses import dataclass

import numpy as np

from mpps.compare import fit
from mpps.errors import MppsError
from mpps.explain import Range, bounds_pps, first_crossing, range_of
from mpps.machine import load_machine
from mpps.path import CodePath, rate_pps
from mpps.predict import curves_of, inputs_of, scope_for
from mpps.structure import structural_spread
from mpps.uncertainty import LEVELS


@dataclass(frozen=True, eq=False)
class Lever:
    """Rates at n senders while `parameter` takes `values` (V,), ascending: rate (5, V) in packets/s at `LEVELS`; gain (5, V)
    over the variant `against`, a ratio, and p (V,), the probability that it is above 1; against_rate (5,).

    break_even: value from which the rate is above that of `against`; free_from: value from which the station no longer
    limits. Both unbounded where no value of the range does it in half of the draws. held (V,): probability that it limits.
    """

    parameter: str
    unit: str
    variant: str
    against: str
    n: int
    values: np.ndarray
    rate: np.ndarray
    gain: np.ndarray
    p: np.ndarray
    against_rate: np.ndarray
    break_even: Range
    free_from: Range
    held: np.ndarray


def lever(
    path: CodePath, parameter: str, values, n: int, *, variant: str, against: str, machine=None, seed: int = 1
) -> Lever:
    """Move `parameter` of `variant` over `values` with n senders, beside the variant `against` as it was fitted.

    Both come from one joint fit, so that what they share cancels in the gain. Raises `MppsError` for fewer than two or
    other than positive values, unknown names, and variants that no joint fit has together.
    """
    values = np.unique(np.asarray(values, float))
    if len(values) < 2 or not (np.isfinite(values).all() and values[0] > 0):
        raise MppsError(f"values of {parameter}: found {values.tolist()}: expected two positive numbers at least")
    unit = path.parameter(parameter).unit
    moved, other = path.variant(variant), path.variant(against)
    scope = scope_for(path, moved)
    if other.name not in scope.variants:
        raise MppsError(
            f"{against!r} is not fitted together with {variant!r}: compare with {', '.join(scope.variants)}"
        )
    fitted, counts = fit(path, scope.name, seed=seed), np.array([n])
    source = load_machine(path.machine)
    target = source if machine is None else load_machine(machine)
    spread, _ = structural_spread(fitted, moved, counts)
    before, start = (curves_of(fitted, one, counts, source, target, {}, seed, spread)[0] for one in (other, moved))
    network = lambda given: _network(fitted, moved, counts, target, given, seed)
    # The correction by event simulation stays that of the fitted value; simulating each value anew takes seconds.
    rates = start - network({}) + np.concatenate([network({parameter: value}) for value in values], axis=1)
    gaps = np.stack([_gap(fitted, moved, counts, target, {parameter: value}, seed) for value in values], axis=1)
    before, gain = before[:, 0], rates - before
    return Lever(
        parameter,
        unit,
        variant,
        against,
        int(n),
        values,
        np.exp(np.quantile(rates, LEVELS, axis=0)),
        np.exp(np.quantile(gain, LEVELS, axis=0)),
        (gain > 0).mean(axis=0),
        np.exp(np.quantile(before, LEVELS)),
        range_of(first_crossing(-gain, values)),
        range_of(first_crossing(-gaps, values)),
        (gaps < 0).mean(axis=0),
    )


def _network(fitted, variant, counts, target, settings, seed) -> np.ndarray:
    """Log rate of the network alone, (K, 1)."""
    rows, source = [], load_machine(fitted.path.machine)
    for index in range(len(fitted.kept)):
        values, mechanism, _ = inputs_of(fitted, index, counts, source, target, settings, seed, variant=variant)
        rows.append(np.log(rate_pps(fitted.path, variant, mechanism, values, counts)))
    return np.concatenate(rows)


def _gap(fitted, variant, counts, target, settings, seed) -> np.ndarray:
    """Log of the station's bound over the lowest other one, (K,): negative where the station limits."""
    bounds = bounds_pps(fitted, variant, counts, machine=target, settings=settings, seed=seed)
    station = bounds.pop(fitted.path.station, None)
    if station is None:
        return np.full(len(next(iter(bounds.values()))), np.inf)
    return np.log(station[:, 0]) - np.log(np.min([bound[:, 0] for bound in bounds.values()], axis=0))
