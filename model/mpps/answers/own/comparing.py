"""Before and after in one table: what a change gains, from which count on it pays, and which part of the cost went."""

import numpy as np

from mpps.answers.own.costs import lap_draws
from mpps.answers.own.pairs import Pair, pairs
from mpps.answers.own.series import Rates
from mpps.table import TableFit, forecast_points
from mpps.table.limits import DRAWS, PARTS, between, curves, grid, reach_of
from mpps.uncertainty import LEVELS

#: A change gains, or loses, when the rate moves by more than this factor; whether it does is told with this probability.
GAIN, SURE = 1.01, 0.95
_ENDS = ("lower", "lower50", "median", "upper50", "upper")


def comparisons(series: list[Rates], fits: list[TableFit], at=()) -> list[dict]:
    """One entry for each pair of before and after; empty where no variants plainly are such a pair."""
    return [_compared(pair, series, fits, at) for pair in pairs(series)]


def _compared(pair: Pair, series: list[Rates], fits: list[TableFit], at) -> dict:
    before, after = series[pair.before], series[pair.after]
    both = [fits[pair.before], fits[pair.after]]
    common = np.intersect1d(before.n, after.n)
    # Without a common count the gain stands between two curves, at the last count that both tables reach.
    last = int(common[-1] if len(common) else min(before.n.max(), after.n.max()))
    rows = _gains(before, after, both, sorted({*map(int, common), *map(int, at), last}))
    largest = next(row for row in rows if row["n"] == last)
    start, until, searched = _pays(both)
    names = {"dataset": before.dataset, "before": before.variant, "after": after.variant, "metric": before.metric}
    if before.dataset != after.dataset:
        names["datasets"] = [before.dataset, after.dataset]
    return names | {
        "unit": before.unit,
        "assumed": pair.assumed or None,
        "n": last,
        "verdict": _verdict(largest),
        "gain_above": round(GAIN - 1, 12),
        "gain": largest,
        "gains": rows,
        "pays_from": start,
        "pays_until": until,
        "searched_to": searched,
        "cost": _cost(before, after, both, last),
        "cost_alone": _cost(before, after, both, 1),
    }


def _shuffled(fit: TableFit, count: int) -> np.ndarray:
    """An order of the draws of `after`: two tables are measured independently, though their draws share a seed."""
    return np.random.default_rng([fit.seed, 31]).permutation(count)


def _gains(before: Rates, after: Rates, fits, n) -> list[dict]:
    """Ratios of the rates after and before, at each count: of the curves, without the scatter of a new measurement."""
    first, second = (forecast_points(fit, n) for fit in fits)
    ratio = second.curves[_shuffled(fits[1], len(second.curves))] - first.curves
    seen = [{count: np.exp(np.log(one.rate[one.n == count]).mean()) for count in np.unique(one.n)} for one in (before, after)]
    rows = []
    for place, count in enumerate(first.n):
        column = ratio[:, place]
        measured = seen[1][count] / seen[0][count] if count in seen[0] and count in seen[1] else None
        rows.append(
            {"n": int(count)}
            | {key: float(end) for key, end in zip(_ENDS, np.exp(np.quantile(column, LEVELS)), strict=True)}
            | {
                "probability_gain": float((column > np.log(GAIN)).mean()),
                "probability_loss": float((column < -np.log(GAIN)).mean()),
                "measured": measured,
                "extrapolated": bool(count > min(before.n.max(), after.n.max())),
            }
        )
    return rows


def _verdict(row: dict) -> str:
    """gains, loses, same (within `GAIN` either way), or unclear: at the largest count that was measured of both."""
    if row["probability_gain"] >= SURE:
        return "gains"
    if row["probability_loss"] >= SURE:
        return "loses"
    return "same" if 1 - row["probability_gain"] - row["probability_loss"] >= SURE else "unclear"


def _pays(fits) -> tuple[dict, dict, int]:
    """From which count on, and up to which, a change gains: medians with ends, None where fewer than half of the draws do."""
    reach = min(reach_of(fit.points) for fit in fits)
    n = grid(reach)
    sides = []
    for place, fit in enumerate(fits):
        found = curves(fit, n)
        normal = np.random.default_rng([fit.seed, 32 + place]).standard_normal((len(found.middle), 1))
        # As for peaks, the drift of a curve moves all counts the same way: no crossing is picked from noise.
        sides.append(found.middle + found.spread * normal)
    gap = np.log(GAIN) - (sides[1][_shuffled(fits[1], DRAWS)] - sides[0])
    return between(crossing(gap, n)), between(_last(gap, n)), int(reach)


def crossing(gap, n) -> np.ndarray:
    """Count where gap (K, P) over n (P,) first falls to 0, interpolated in log n, (K,); infinite where it never does."""
    below, log_n = gap <= 0, np.log(n)
    first, row = below.argmax(1), np.arange(len(gap))
    left = np.maximum(first - 1, 0)
    with np.errstate(all="ignore"):
        share = np.where(first > 0, gap[row, left] / (gap[row, left] - gap[row, first]), 0.0)
    found = np.exp(log_n[left] + share * (log_n[first] - log_n[left]))
    return np.where(below.any(1), found, np.inf)


def _last(gap, n) -> np.ndarray:
    """Count where the last gain ends, (K,): infinite where it lasts as far as is looked, and where there is none."""
    log_n = np.log(n)
    mirrored = np.exp(log_n[-1] + log_n[0] - log_n[::-1])
    last = n[-1] * n[0] / crossing(gap[:, ::-1], mirrored)
    return np.where((gap[:, -1] <= 0) | ~(gap <= 0).any(1), np.inf, last)


def _cost(before: Rates, after: Rates, fits, n: int) -> dict | None:
    """What one operation takes of a sender's time less or more after the change, in ns, and which part of it; None where
    the unit is no rate of operations. Parts are means over the draws and add up to the whole."""
    if before.per_second is None:
        return None
    sides = [lap_draws(fit, one, n, stream) for fit, one, stream in zip(fits, (before, after), (6, 33), strict=True)]
    order = _shuffled(fits[1], len(sides[1][0]))
    sides[1] = tuple(values[order] for values in sides[1])
    parts = [each * whole[:, None] for whole, each in sides]
    whole = sides[1][0] - sides[0][0]
    stages = []
    for place, name in enumerate(PARTS):
        moved = parts[1][:, place] - parts[0][:, place]
        stages.append({"stage": name} | _moved(moved, parts[0][:, place], parts[1][:, place]))
    return {"n": n, "of": before.thing, **_moved(whole, sides[0][0], sides[1][0]), "stages": stages}


def _moved(change, before, after) -> dict:
    """Mean and 90 % ends of a change in ns, and whether it is sure: less, more, or unclear."""
    lower, upper = np.quantile(change, (0.05, 0.95))
    less, more = float((change < 0).mean()), float((change > 0).mean())
    return {
        "before_ns": float(before.mean()),
        "after_ns": float(after.mean()),
        "ns": float(change.mean()),
        "lower": float(lower),
        "upper": float(upper),
        "probability_less": less,
        "is": "less" if less >= SURE else "more" if more >= SURE else "unclear",
    }
