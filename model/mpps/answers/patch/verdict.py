"""The verdict: does the change gain, from where on, does a second bottleneck take over, or can this table not tell."""

import numpy as np

from mpps.change import GAIN, LIMITS, ChangeForecast
from mpps.table import Points

#: A gain, a loss, or that there is no gain, is claimed from this probability on, and called probable from the other one
#: on. Below them nothing is said.
SURE, PROBABLE = 0.9, 0.75
#: Width of a 90 % interval, upper over lower, above which how much is not told.
WIDE = 4.0
#: Draws of one group, and the scatter of the measurement that is thought of, relative.
_GROUP, _SCATTER = 100, 0.03


def verdict(forecast: ChangeForecast, shown, change: str, table: Points, known) -> dict:
    """kind: gain, loss, no gain (`SURE`), probable gain, probable loss, probably no gain (`PROBABLE`), or cannot tell;
    gain_from: smallest count from which on a gain is as sure as the kind says, None without; wide: whether the interval at
    the largest count spans more than `WIDE`; second: probability that another shared resource limits there;
    measure_first: the count whose after-rate narrows the answer most, and by how much; see `mpps.sentences`."""
    last = shown[-1]
    gains = (forecast.gain > np.log(GAIN)).mean(axis=0)
    loses = (forecast.gain < -np.log(GAIN)).mean(axis=0)
    factor = float(forecast.quantiles[4, last] / forecast.quantiles[0, last])
    p, loss = float(gains[last]), float(loses[last])
    # A probable loss says more than that there is no gain.
    kinds = (
        ("gain", p, SURE),
        ("loss", loss, SURE),
        ("probable gain", p, PROBABLE),
        ("probable loss", loss, PROBABLE),
        ("no gain", 1 - p, SURE),
        ("probably no gain", 1 - p, PROBABLE),
    )
    kind = next((name for name, chance, level in kinds if chance >= level), "cannot tell")
    level = SURE if kind == "gain" else PROBABLE
    sure = [k for k in shown if all(gains[other] >= level for other in shown if other >= k)]
    limits = forecast.limits[:, last] / forecast.limits[:, last].sum()
    return {
        "kind": kind,
        "n": int(forecast.n[last]),
        "probability": p,
        "probability_of_loss": loss,
        "gain_from": int(forecast.n[sure[0]]) if sure else None,
        "factor": factor,
        "wide": factor > WIDE,
        "second": float(limits[LIMITS.index("another shared resource")]) if change == "removal" else None,
        "still": float(limits[LIMITS.index("what was contended before")] + limits[LIMITS.index("its hand-off")]),
        "measure_first": measure_first(forecast, shown, table, known),
    }


def measure_first(forecast: ChangeForecast, shown, table: Points, known=()) -> dict | None:
    """The count of the table, below the largest that is asked for where there is one, whose after-rate narrows the whole answer most.

    Draws are grouped by what the measurement would give; the mean width of the intervals within groups is what it would
    leave. n, count; factor and left: upper over lower at the largest count, now and then. None when every count is known.
    """
    last = shown[-1]
    open_ = [n for n in table.n if n not in known and n <= forecast.n[last]]
    places = [int(np.flatnonzero(forecast.n == n)[0]) for n in open_ if n < forecast.n[last] or open_ == [n]]
    if not places:
        return None
    width = lambda draws, axis: np.diff(np.quantile(draws, (0.05, 0.95), axis=axis), axis=0)[0]
    rng = np.random.default_rng(7)
    found = []
    for place in places:
        seen = forecast.gain[:, place] + _SCATTER * rng.standard_normal(len(forecast.gain))
        order = np.argsort(seen, kind="stable")
        groups = forecast.gain[order][:, shown].reshape(-1, _GROUP, len(shown))
        left = width(groups, 1).mean(axis=0)
        found.append((float(left.mean()), place, float(np.exp(left[-1]))))
    _, place, left = min(found)
    return {
        "n": int(forecast.n[place]),
        "factor": float(np.exp(width(forecast.gain[:, last], 0))),
        "left": left,
    }
