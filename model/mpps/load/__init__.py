"""Below saturation: how busy cores and station are at an offered load, how long packets take, and how many are lost.

    under_load(path, [4, 8], [2e6, 4e6], variant="both locks").rows()

`carried.py` finds how busy cores are, `delay.py` what that means for one queue, `wake.py` what waking up costs;
`loaded.py` puts them together on arrays, `forecast.py` on a code path, `own.py` on a user's table (docs/load.md).
"""

from mpps.load.loaded import loaded

__all__ = ["LoadForecast", "loaded", "under_load"]


def __getattr__(name: str):
    # The arrays alone are light; a code path brings its fit along.
    if name in ("LoadForecast", "under_load"):
        from mpps.load import forecast

        return getattr(forecast, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
