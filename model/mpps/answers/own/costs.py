"""What one operation costs a sender, and what the width of a prediction rests on."""

import numpy as np

from mpps.answers.own.series import Rates
from mpps.table import TableFit, forecast_points
from mpps.table.limits import PARTS, between, curves, lap_parts, quantity_of, serial_shares


def rests_on(fit: TableFit, n: int) -> dict:
    """Shares of the variance of a new measurement's log rate at n: between mechanisms, within them (parameters), drift of
    the curve from any mechanism with falls beyond the data, and scatter. The sum is 1."""
    forecast = forecast_points(fit, [n])
    base = curves(fit, [n], len(fit.mechanism))
    middle, curve, noisy = base.middle[:, 0], forecast.curves[:, 0], forecast.noisy[:, 0]
    places = np.unique(base.mechanism)
    share = np.array([(base.mechanism == place).mean() for place in places])
    means = np.array([middle[base.mechanism == place].mean() for place in places])
    between_them = float(share @ (means - share @ means) ** 2)
    parts = {
        "mechanisms": between_them,
        "parameters": max(float(middle.var()) - between_them, 0.0),
        "drift_and_falls": float((curve - middle).var()),
        "scatter": float((noisy - curve).var()),
    }
    total = sum(parts.values())
    return {"n": int(n)} | {name: value / total for name, value in parts.items()}


def lap_cost(fit: TableFit, series: Rates, n: int) -> dict | None:
    """What one operation takes of a sender's time with n senders, in ns, and of what it consists; None where the unit is
    no rate of operations a second. Parts are means over the draws and add up to the median of the whole."""
    if series.per_second is None:
        return None
    whole, each = lap_draws(fit, series, n)
    draws = each * whole[:, None]
    total = between(whole)
    stages = []
    for place, name in enumerate(PARTS):
        ends = between(draws[:, place])
        stages.append(
            {
                "stage": name,
                "ns": float(each[:, place].mean()) * total["median"],
                "lower": ends["lower"],
                "upper": ends["upper"],
            }
        )
    return {
        "n": n,
        "of": series.thing,
        "ns": total["median"],
        "lower": total["lower"],
        "upper": total["upper"],
        "stages": stages,
    }


def lap_draws(fit: TableFit, series: Rates, n: int, stream: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Draws of one operation's time in ns of one sender, (K,), with n of them, and the shares of its parts, (K, 4), in the
    order of `PARTS`; of a unit that is a rate of operations. stream: of the seed, for the drift beyond the table."""
    found = curves(fit, [n])
    sharing = np.nan_to_num(quantity_of(fit, "sharing"))
    parts = lap_parts(serial_shares(fit), sharing, found.relative, [n])[:, 0]
    normal = np.random.default_rng([fit.seed, stream]).standard_normal(len(parts))
    whole = n * 1e9 / (np.exp(found.middle[:, 0] + found.spread[:, 0] * normal) * series.per_second)
    return whole, parts / parts.sum(1, keepdims=True)
