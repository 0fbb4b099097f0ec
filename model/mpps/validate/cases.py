"""Series well and badly predicted, with the reason that their numbers show."""

import numpy as np

from mpps.corpus import Corpus, Curve
from mpps.text import percent

#: How many of the best and of the worst are shown.
SHOWN = 6


def series_rows(curves, ours, scores, corpus: Corpus) -> list[dict]:
    """Every scored series with its figures, its training points, and its forecasts beside what was measured."""
    return [
        {
            "dataset": curve.dataset,
            "variant": curve.variant,
            "metric": curve.metric,
            "unit": curve.unit,
            "source": curve.source,
            "counts": corpus.cards[curve.dataset].counts if curve.dataset in corpus.cards else "n",
            **{name: float(np.mean(values)) for name, values in found.items()},
            "reason": reason(curve, ours[curve.key]),
            "train": [{"n": n, "observed": rate} for n, rate in zip(curve.train_n.tolist(), curve.train_rate.tolist())],
            "predictions": _rows(curve, ours[curve.key]),
        }
        for curve, found in zip(curves, scores, strict=True)
    ]


def cases(series: list[dict], shown: int = SHOWN) -> dict[str, list[int]]:
    """Places in `series` of the best and the worst by interval score, at most one of each data set.

    A series is among the best only if all its points are inside the 90 % interval, among the worst only if some is not.
    """
    order = sorted(range(len(series)), key=lambda place: series[place]["interval_score"])
    good = [place for place in order if series[place]["coverage"] == 1.0]
    bad = [place for place in reversed(order) if series[place]["coverage"] < 1.0]
    return {"best": _one_of_each(series, good)[:shown], "worst": _one_of_each(series, bad)[:shown]}


def reason(curve: Curve, quantiles: np.ndarray) -> str:
    """Why a forecast held or failed, from the numbers alone: what training showed, and what came beyond."""
    median, rate = quantiles[2], curve.held_rate
    miss = np.log(rate / median)
    outside = (rate < quantiles[0]) | (rate > quantiles[4])
    trend = _trend(curve.train_n, curve.train_rate)
    size = percent(float(np.mean(np.abs(median / rate - 1))))
    words = f"Training {_said(trend)}; "
    if not outside.any():
        return words + f"beyond, {_beyond(curve)}: all points inside the interval, mean error {size}."
    side = "above" if miss[outside].sum() > 0 else "below"
    jump, place = _largest_step(curve)
    if abs(jump) > np.log(1.5):
        turn = f"between n = {curve.n[place]:g} and {curve.n[place + 1]:g} the rate {_factor(jump)}"
        return words + f"{turn}, which no training point shows: the measured rate lies {side} the interval."
    after = _trend(np.append(curve.train_n[-1], curve.held_n), np.append(curve.train_rate[-1], rate))
    if trend > 0.1 and after < -0.05:
        return words + f"the peak lies beyond it, and the rate then falls: it ends {side} the interval."
    if trend < -0.1 and after > -0.05:
        return words + f"beyond, the fall ends, {_beyond(curve)}: the rate lies {side} the interval."
    return words + f"beyond, {_beyond(curve)}: {int(outside.sum())} of {len(outside)} points {side} the interval."


def _rows(curve: Curve, quantiles: np.ndarray) -> list[dict]:
    names = ("lower", "lower50", "median", "upper50", "upper")
    return [
        {"n": float(n), "observed": float(rate), **dict(zip(names, map(float, ends), strict=True))}
        for n, rate, ends in zip(curve.held_n, curve.held_rate, quantiles.T, strict=True)
    ]


def _one_of_each(series, places) -> list[int]:
    first: dict[str, int] = {}
    for place in places:
        first.setdefault(series[place]["dataset"], place)
    return list(first.values())


def _trend(n, rate) -> float:
    """Slope of log rate against log n over the last three points."""
    return (
        float(np.polyfit(np.log(n[-3:]), np.log(rate[-3:]), 1)[0])
        if len(n) > 2
        else float(np.log(rate[-1] / rate[0]) / np.log(n[-1] / n[0]))
    )


def _said(trend: float) -> str:
    if trend > 0.85:
        return "rises in proportion to n"
    if trend > 0.1:
        return "still rises, less than in proportion"
    return "is flat at its end" if trend > -0.1 else "falls at its end"


def _beyond(curve: Curve) -> str:
    change = curve.held_rate[-1] / curve.train_rate[-1]
    if 0.95 < change < 1.05:
        return "the rate stays"
    return f"the rate {_factor(float(np.log(change)))} by n = {curve.n[-1]:g}"


def _factor(change: float) -> str:
    way = "rises" if change > 0 else "falls"
    if abs(change) < np.log(2):
        return f"{way} by {percent(abs(np.expm1(change)))}"
    return f"{way} by a factor of {np.exp(abs(change)):.1f}"


def _largest_step(curve: Curve) -> tuple[float, int]:
    """Largest change of log rate from one point to the next from the last training point on, and where it starts."""
    steps = np.diff(np.log(curve.rate[curve.cut - 1 :]))
    place = int(np.abs(steps).argmax())
    return float(steps[place]), curve.cut - 1 + place
