"""Predict the patch: from the curve before a change, the curve after it.

    forecast_change(points(n, rate), "removal", known={1: 19.45})

`laps.py` cuts a lap into what is private, what waits on a plateau and what a collapse adds; `population.py` holds how
much of each published changes kept (`learn.py`); `forecast.py` puts them together.
"""

from mpps.change.forecast import GAIN, LIMITS, ChangeForecast, Profile, forecast_change
from mpps.change.population import KINDS, Population, learnt_population

__all__ = ["GAIN", "KINDS", "LIMITS", "ChangeForecast", "Population", "Profile", "forecast_change", "learnt_population"]
