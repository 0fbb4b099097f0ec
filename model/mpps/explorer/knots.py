"""Curves over whole numbers as few knots: straight between them, so that a page holds 20 numbers and not 500."""

import numpy as np

#: Largest distance of a curve from its knots, as a share of its largest value.
TOLERANCE = 2e-6


def knots(x, y, tolerance: float = TOLERANCE) -> list[float]:
    """Ends of straight pieces through y (P,) at ascending x (P,), flat: x0, y0, x1, y1, ...

    Between two knots no value is off by more than `tolerance` times the largest one, rounding apart.
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    allowed = tolerance * max(float(np.abs(y).max()), 1e-300)
    kept, here = [0], 0
    while here < len(x) - 1:
        here = _reach(x, y, here, allowed)
        kept.append(here)
    return [part for k in kept for part in (_short(x[k]), _short(y[k]))]


def unfolded(flat, x) -> np.ndarray:
    """The curve of `knots` at x; beyond its ends as at its ends."""
    pairs = np.asarray(flat, float).reshape(-1, 2)
    return np.interp(np.asarray(x, float), pairs[:, 0], pairs[:, 1])


def _reach(x, y, here, allowed) -> int:
    """The last point up to which a straight line from `here` stays near all points between: by doubling, then halving."""
    last, step, good = len(x) - 1, 1, here + 1
    while good < last and _straight(x, y, here, min(good + step, last), allowed):
        good = min(good + step, last)
        step *= 2
    bad = min(good + step, last + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if _straight(x, y, here, middle, allowed) else (good, middle)
    return good


def _straight(x, y, here, there, allowed) -> bool:
    inner = slice(here, there + 1)
    line = y[here] + (y[there] - y[here]) * (x[inner] - x[here]) / (x[there] - x[here])
    return bool(np.abs(line - y[inner]).max() <= allowed)


def _short(value) -> float:
    """Seven digits: more would be longer than they say."""
    short = float(f"{value:.7g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short
