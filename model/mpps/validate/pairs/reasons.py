"""Why a pair was predicted well or badly, from the numbers alone."""

import numpy as np

from mpps.text import percent

#: Below this share of a lap nothing worth mention is contended.
_LITTLE = 0.1


def reason(case, quantiles) -> str:
    """What was contended before, what the change kept of it, what was expected, and where the points came to lie.

    quantiles (5, P) at the scored counts.
    """
    curves, observed = case.curves, case.observed
    outside = (observed < quantiles[0]) | (observed > quantiles[4])
    lap = curves.n / curves.n[0] * curves.before[0] / curves.before
    words = _kept_words(case, quantiles, lap)
    if not outside.any():
        size = percent(float(np.mean(np.abs(quantiles[2] / observed - 1))))
        return f"{words} All points lie inside the interval, mean error {size}."
    # A rise in proportion to n is no step.
    steps = np.diff(np.log(curves.after))
    steps = np.where(steps > 0, np.maximum(steps - np.diff(np.log(curves.n)), 0.0), steps)
    place = int(np.abs(steps).argmax())
    side = "above" if np.log(observed / quantiles[2])[outside].sum() > 0 else "below"
    verb = "lies" if outside.sum() == 1 else "lie"
    where = f"{int(outside.sum())} of {len(observed)} points {verb} {side} the interval."
    if abs(steps[place]) > np.log(2) and abs(np.diff(np.log(curves.before))[place]) < abs(steps[place]) / 2:
        way = "rises" if steps[place] > 0 else "falls"
        turn = f"After the change the rate {way} by a factor of {np.exp(abs(np.log(curves.after[place + 1] / curves.after[place]))):.1f} between n = "
        return f"{words} {turn}{curves.n[place]:g} and {curves.n[place + 1]:g}, where the curve before has no such step: {where}"
    return f"{words} {where[0].upper()}{where[1:]}"


def _kept_words(case, quantiles, lap) -> str:
    curves = case.curves
    lone = curves.before[0] / curves.after[0]
    last = f"n = {curves.n[-1]:g}"
    if lap[-1] - 1 < _LITTLE:
        return f"Before the change almost nothing is contended at {last}."
    senders = curves.n[-1] / curves.n[0] * curves.before[0]
    kept, *ends = (
        max(float((senders / rate - lone) / (lap[-1] - 1)), 0.0)
        for rate in (curves.after[-1], quantiles[3, -1], quantiles[1, -1])
    )
    expected = " to ".join(f"{100 * end:.0f}" for end in ends)
    return (
        f"Before the change {percent(1 - 1 / lap[-1])} of a lap at {last} is contended; of that time the change kept "
        f"{100 * kept:.0f} %, and {expected} % was expected as likely as not."
    )
