"""Predict the patch: from the curve before a change, the curve after it.

    forecast_change(points(n, rate), "removal", known={1: 19.45})

`laps.py` cuts a lap into what is private, what waits on a plateau and what a collapse adds; `population.py` holds how
much of each published changes kept (`learn.py`); `profile.py` says what a lock profile adds; `drift.py` what no lap
explains; `forecast.py` puts them together.
"""

from mpps.change.forecast import GAIN, LIMITS, ChangeForecast, checked_known, forecast_change
from mpps.change.population import KINDS, Population, learnt_population
from mpps.change.profile import Profile, check_profile

__all__ = [
    "GAIN",
    "KINDS",
    "LIMITS",
    "ChangeForecast",
    "Population",
    "Profile",
    "check_profile",
    "checked_known",
    "forecast_change",
    "learnt_population",
]
