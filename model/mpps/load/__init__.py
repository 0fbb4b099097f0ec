"""Below saturation: how busy cores and station are at an offered load, how long packets take, and how many are lost."""

from mpps.load.loaded import loaded

__all__ = ["loaded"]
