"""Forwarding of SCION packets on three platforms: the index that predicts one platform's rate from a benchmark of its
core and of its memory, and the rules of this project on the same task.

Source: scionproto/scion, doc/dev/design, "Router benchmark observations and predictive model", 2024 (issue 4408): packets
of L = 172 bytes, three cores; coremark and memmove bandwidth C of each platform; performance index
rate (1/coremark + 8 M L / C) with one constant M for all.
"""

import itertools

import numpy as np

from mpps.machine import Streams, priors
from mpps.machine.draws import draw_assumption, draw_share
from mpps.uncertainty import LEVELS

#: Platform -> coremark of one core, memmove bandwidth C in Gbit/s, measured packets/s.
PLATFORMS = {
    "APU2": (3044.0, 1.9, 45377.0),
    "laptop": (29861.0, 31.0, 639764.0),
    "CI machine": (28659.0, 64.0, 736357.0),
}
PACKET_BYTES = 172
#: The constant that its authors tuned with all platforms in sight.
TUNED = 400.0
_DRAWS = 4000


def index(constant: float, platform: str) -> float:
    """Performance index of a platform: the same number for all, were the model right."""
    coremark, gbit, rate = PLATFORMS[platform]
    return rate * (1 / coremark + constant * _memory(gbit))


def constant_without(held: str) -> float:
    """The constant at which the indices of the two other platforms agree."""
    (core_a, gbit_a, rate_a), (core_b, gbit_b, rate_b) = (PLATFORMS[name] for name in PLATFORMS if name != held)
    return (rate_b / core_b - rate_a / core_a) / (rate_a * _memory(gbit_a) - rate_b * _memory(gbit_b))


def miss(held: str, constant: float) -> float:
    """Relative error of the held platform's rate predicted from the mean index of the others, with that constant."""
    others = np.mean([index(constant, name) for name in PLATFORMS if name != held])
    return float(others / index(constant, held) - 1)


def scion(seed: int = 1) -> dict:
    """Both ways to hold a platform out, and whether this project's prior on the move covers it.

    platforms: rows of platform, constant (re-estimated without it), miss (with that constant), miss_tuned (with the one
    tuned on all three); moved: rows of platform, from, observed, lower, median, upper, inside.
    """
    rows = [
        {
            "platform": name,
            "index_1": index(1.0, name),
            "index_tuned": index(TUNED, name),
            "constant": constant_without(name),
            "miss": miss(name, constant_without(name)),
            "miss_tuned": miss(name, TUNED),
        }
        for name in PLATFORMS
    ]
    moved = [_moved(*pair, seed) for pair in itertools.permutations(PLATFORMS, 2)]
    return {"tuned": TUNED, "platforms": rows, "moved": moved, "covered": all(row["inside"] for row in moved)}


def _moved(source: str, target: str, seed: int) -> dict:
    """The rate of a platform from another one's: core-bound part by coremark, memory part by bandwidth, a prior on each."""
    (core_a, gbit_a, rate_a), (core_b, gbit_b, rate_b) = PLATFORMS[source], PLATFORMS[target]
    rng = Streams([seed, 6], _DRAWS)
    share = draw_share(priors.MEMORY_SHARE, _DRAWS, rng)
    work = draw_assumption(priors.OTHER_DESIGN, _DRAWS, rng)
    memory = draw_assumption(priors.MEMORY_TIME, _DRAWS, rng)
    time = (1 - share) * core_a / core_b / work + share * memory * gbit_a / gbit_b
    lower, _, median, _, upper = map(float, np.quantile(rate_a / time, LEVELS))
    return {
        "platform": target,
        "from": source,
        "observed": rate_b,
        "lower": lower,
        "median": median,
        "upper": upper,
        "inside": bool(lower <= rate_b <= upper),
    }


def _memory(gbit: float) -> float:
    """Seconds to move the bits of one packet, one time."""
    return 8 * PACKET_BYTES / (gbit * 1e9)
