"""What a table says of the quantities of its mechanisms: intervals by profile likelihood, or from the draws.

Profiles ask the table alone: no prior, scatter from its own residuals. They need more counts than parameters; where they
cannot answer, the ends are quantiles of the draws, and the prior has a share in them.
"""

from dataclasses import dataclass

import numpy as np

from mpps.discrepancy import SCATTERS
from mpps.profiles.family import Family, Start, parameter
from mpps.table.fitting import TableFit
from mpps.table.nouns import Mechanism

#: The rate of one sender, a parameter of every mechanism beside its quantities.
LONE = "lone_rate"
LEVEL = 0.9
_NORMAL = 1.645
#: An end of the draws that lies closer than this to the middle of the prior, relative to the prior's own end, is the table's.
_MOVED = 0.85
#: Draws among which the best explanation is looked for.
_BEST = 256
#: A pair is known only together where it is so much better known than either part.
_BETTER = 0.5


@dataclass(frozen=True)
class Estimate:
    """A quantity: estimate and ends at 90 %, None for an end that nothing closes.

    by: "yes", "one-sided", "no" or "prior" (only the prior knows); basis: "profile" or "draws".
    """

    name: str
    median: float
    lower: float | None
    upper: float | None
    by: str
    basis: str


def family(mechanism: Mechanism) -> Family:
    """The mechanism as the profiles take it: coordinates are logarithms of the lone rate and of the quantities."""
    names = [quantity.name for quantity in mechanism.quantities]
    low = [float(np.log(quantity.low)) for quantity in mechanism.quantities]
    high = [float(np.log(quantity.high)) for quantity in mechanism.quantities]

    def log_rate(x, n):
        values = {name: np.exp(x[:, column : column + 1]) for column, name in enumerate(names, start=1)}
        return x[:, :1] + mechanism.curve(values, np.asarray(n, float))

    return Family(
        mechanism.name,
        (LONE, *names),
        ("", *(quantity.unit for quantity in mechanism.quantities)),
        (-np.inf, *low),
        (np.inf, *high),
        log_rate,
        (None, *(Start(*ends) for ends in zip(low, high, strict=True))),
        values=(np.exp,) * (1 + len(names)),
    )


def enough(fit: TableFit, mechanism: Mechanism) -> bool:
    """Whether a table has more counts than the mechanism has parameters, so that a profile tells something."""
    return len(fit.points.n) > 1 + len(mechanism.quantities)


def profiled(fits, mechanism: Mechanism, exact: bool = True) -> list[tuple[Estimate, ...]]:
    """Lone rate and quantities of one mechanism for tables (`TableFit`) of the same counts, by profile likelihood.

    exact: with thresholds that hold near the bounds of the quantities too (`mpps.profiles.intervals`).
    """
    from mpps.profiles.fitting import fit
    from mpps.profiles.intervals import intervals

    shape, points = family(mechanism), [each.points for each in fits]
    # Capacity is a plain addend: a table in units of its first rate needs no other numbers than one in packets a second.
    first = np.array([each.log_rate[0] for each in points])
    rate = np.exp(np.stack([each.log_rate for each in points]) - first[:, None])
    weight = np.stack([each.weight for each in points])
    found = []
    for scatter, freedom, rows in _by_scatter(points):
        rows = np.array(rows)
        fitted = fit(shape, points[0].n, rate[rows], repeats=weight[rows], scatter=scatter, freedom=freedom)
        # A curve that meets every point says nothing of the next one: no table scatters less than any published one.
        poor = fitted.scatter < SCATTERS[0]
        parts = [(rows[~poor], fitted.take(~poor))]
        if poor.any():
            given = {"repeats": weight[rows[poor]], "scatter": float(SCATTERS[0]), "freedom": np.inf}
            parts.append((rows[poor], fit(shape, points[0].n, rate[rows[poor]], **given)))
        for some, each in parts:
            if len(some):
                asked = [parameter(shape, name) for name in shape.names]
                found.append((some, intervals(each, asked, LEVEL, calibrated=exact)))
    result: list = [None] * len(points)
    for rows, parts in found:
        for place, row in enumerate(rows):
            scale = float(np.exp(first[row]))
            result[row] = tuple(_from_profile(part, place, scale if part.name == LONE else 1.0) for part in parts)
    return result


def _by_scatter(points):
    """Tables that know the same of their scatter beside the residuals: (scatter, freedom, rows)."""
    groups: dict = {}
    for row, each in enumerate(points):
        groups.setdefault((each.spread, each.freedom), []).append(row)
    return [(*key, rows) for key, rows in groups.items()]


def _from_profile(part, place: int, scale: float) -> Estimate:
    lower, upper = float(part.lower[place]) * scale, float(part.upper[place]) * scale
    return Estimate(
        part.name,
        float(part.estimate[place]) * scale,
        lower if part.lower_closed[place] else None,
        upper if part.upper_closed[place] else None,
        str(part.identified[place]),
        "profile",
    )


def drawn(fit: TableFit, place: int, lone) -> tuple[Estimate, ...]:
    """Lone rate and quantities of the mechanism at `place`, from the draws; lone (K,): rate of a lone sender of each."""
    draws = fit.draws[place]
    center, width, _ = fit.prior.of(draws.mechanism)
    share = draw_weights(fit, place)
    found = [_quantile_estimate(LONE, lone)]
    for column, quantity in enumerate(draws.mechanism.quantities):
        lower, middle, upper = weighted_quantiles(draws.coordinates[:, column], share, (0.05, 0.5, 0.95))
        reach = _MOVED * _NORMAL * width[column]
        # An end that is where the prior has its own is not closed by the table.
        below, above = lower < center[column] - reach, upper > center[column] + reach
        by = "prior" if below and above else "one-sided" if below or above else "yes"
        ends = [
            None if open_ and by == "one-sided" else float(quantity.value(end))
            for open_, end in ((below, lower), (above, upper))
        ]
        found.append(Estimate(quantity.name, float(quantity.value(middle)), *ends, by, "draws"))
    return tuple(found)


def _quantile_estimate(name: str, values) -> Estimate:
    lower, middle, upper = (float(each) for each in np.quantile(values, (0.05, 0.5, 0.95)))
    return Estimate(name, middle, lower, upper, "yes", "draws")


def draw_weights(fit: TableFit, place: int) -> np.ndarray:
    """Weights (D,) of the draws of one mechanism, their sum 1."""
    draws = fit.draws[place]
    share = np.exp(draws.log_weight - draws.log_evidence).sum(1)
    return share / share.sum()


def weighted_quantiles(values, weight, at) -> np.ndarray:
    """Quantiles of values (D,) that count `weight` (D,), whose sum is 1."""
    order = np.argsort(values, kind="stable")
    return np.interp(at, np.cumsum(weight[order]) - weight[order] / 2, values[order])


def error(fit: TableFit, place: int) -> float:
    """Relative root mean square error of the best explanation that a mechanism has for the table."""
    draws, points = fit.draws[place], fit.points
    # The best fitting of many draws is among those that explain the table best.
    best = np.argsort(-draws.log_weight.max(1), kind="stable")[:_BEST]
    residual = points.log_rate - draws.mechanism.log_rate(draws.coordinates[best], points.n)
    share = points.weight / points.weight.sum()
    off = residual - (residual @ share)[:, None]
    return float(np.sqrt((off**2 @ share).min()))


def together(fit: TableFit, place: int) -> list[dict]:
    """Pairs of quantities of which the draws fix the product, the ratio or the sum much better than either:
    rows of names, kind, value, spread (90 % half-width of its logarithm), alone (those of the two)."""
    draws, share = fit.draws[place], draw_weights(fit, place)
    quantities = draws.mechanism.quantities
    log_values = [np.log(each.value(draws.coordinates[:, column])) for column, each in enumerate(quantities)]
    alone = [_deviation(each, share) for each in log_values]
    pairs = []
    for j in range(len(quantities)):
        for i in range(j):
            a, b = log_values[i], log_values[j]
            found = {"product": a + b, "ratio": a - b}
            if quantities[i].unit == quantities[j].unit:
                found["sum"] = np.logaddexp(a, b)
            spreads = {kind: _deviation(each, share) for kind, each in found.items()}
            kind = min(spreads, key=spreads.get)
            pairs.append((spreads[kind], i, j, kind, float(np.exp(share @ found[kind]))))
    rows, taken = [], set()
    for spread, i, j, kind, value in sorted(pairs):
        if spread > _BETTER * min(alone[i], alone[j]) or taken & {i, j}:
            continue
        taken |= {i, j}
        row = {"names": [quantities[i].name, quantities[j].name], "kind": kind, "value": value}
        rows.append(row | {"spread": _NORMAL * spread, "alone": [_NORMAL * alone[i], _NORMAL * alone[j]]})
    return rows


def _deviation(values, share) -> float:
    return float(np.sqrt(share @ (values - share @ values) ** 2))
