"""Intervals by profile likelihood for one table and one known family of curves, many tables at once.

    fitted = fit(family, n, rate)
    share, peak = intervals(fitted, [parameter(family, "share"), peak_position(family, 128)], level=0.9)

The engine knows no mechanism: a `Family` is a function from coordinates to log rates, a `Function` is whatever
follows from the coordinates. Nothing is believed beforehand unless a family carries priors.
"""

from mpps.profiles.family import Family, Function, Start, knee, parameter, peak_position, peak_rate, rate_at
from mpps.profiles.fitting import Fitted, fit
from mpps.profiles.intervals import Interval, Intervals, intervals, profile, quantiles

__all__ = [
    "Family",
    "Fitted",
    "Function",
    "Interval",
    "Intervals",
    "Start",
    "fit",
    "intervals",
    "knee",
    "parameter",
    "peak_position",
    "peak_rate",
    "profile",
    "quantiles",
    "rate_at",
]
