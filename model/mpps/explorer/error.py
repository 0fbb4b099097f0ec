"""By how much the document of an explorer is off: what rounding and knots cost, against the model itself."""

from dataclasses import replace

import numpy as np

from mpps.compare import Fit, MechanismFit
from mpps.explorer.replay import rates_pps
from mpps.explorer.sliders import COALESCING, FACTORS, HANDOFF_FACTORS, Moves, coalescing_of, moved
from mpps.path import Variant, rate_pps
from mpps.predict import correction

#: Random positions of the sliders at which each model is held against the document.
POSITIONS = 2


def random_moves(rng: np.random.Generator, coalesces: bool) -> Moves:
    """A position of every slider, each setting as likely as the others."""
    section, private, ceiling = (float(factor) for factor in rng.choice(FACTORS, 3))
    skb = float(rng.choice(COALESCING)) if coalesces else None
    return Moves(section, float(rng.choice(HANDOFF_FACTORS)), private, ceiling, skb)


def rounding(fitted: Fit, one: MechanismFit, variant: Variant, document: dict, model: dict, seed: int = 1) -> float:
    """Largest relative error of a model of the document at random positions of the sliders, at all counts."""
    rng = np.random.default_rng(seed)
    n = np.arange(1, document["last"] + 1)
    offset = correction(fitted, one, variant, one.mechanism, one.values, n)[0]
    worst = 0.0
    for _ in range(POSITIONS):
        moves = random_moves(rng, coalescing_of(fitted.path, variant) is not None)
        path, changed, values = moved(fitted.path, variant, one.mechanism, one.values, moves)
        exact = rate_pps(path, changed, one.mechanism, values, n, offset)[0]
        if model["stays"]:
            stays = replace(one.mechanism, clamp_depth=model["stays"][1])
            exact = np.where(n > model["stays"][0], rate_pps(path, changed, stays, values, n, offset)[0], exact)
        worst = max(worst, float(np.abs(rates_pps(document, model, n, moves) / exact - 1).max()))
    return worst
