"""The goals of the scoreboard, each with what was measured and what is missing."""

from mpps.validate.baselines import BASELINES


def goals(document: dict) -> list[dict]:
    """Goals of a scoreboard document: name, words, value, reached, and distance (0 when reached) in the unit of the value.

    Those that need data which the folder does not hold, such as far points, are left out.
    """
    found = []
    for name in BASELINES:
        share = document["paired"][name]["share"]
        found.append(at_least(f"interval score lower than {name}", "share of data sets", share, 0.7))
    mean = document["mean"]
    best = min(mean[name]["interval_score"] for name in BASELINES)
    found.append(below("mean interval score", f"{best:.2f}", mean["mpps"]["interval_score"], best))
    found.append(at_most("median error", "median over data sets", document["median"]["mpps"]["error"], 0.12))
    tail = document["percentile80"]
    best = min(tail[name] for name in BASELINES)
    found.append(below("80th percentile of errors", f"{100 * best:.1f} %", tail["mpps"], best))
    rest = document["mean_without_two_worst"]
    if rest["mpps"] is not None:
        words = "two thirds of USL's, each without its two worst data sets"
        found.append(at_most("mean error without the two worst", words, rest["mpps"], rest["usl"] * 2 / 3))
    pooled = document["pooled"]
    found.append(between("pooled coverage of the 90 % intervals", pooled["coverage"], 0.85, 0.95))
    for part, words in (("near", "up to twice the training range"), ("far", "beyond")):
        if pooled[part] is not None:
            found.append(holds(f"{part} coverage of the 90 % intervals", words, pooled, part, 0.9, 0.8))
    for part, words in (
        ("coverage50", "all points"),
        ("near50", "up to twice the training range"),
        ("far50", "beyond"),
    ):
        if pooled[part] is not None:
            name = {"coverage50": "pooled", "near50": "near", "far50": "far"}[part]
            found.append(holds(f"{name} coverage of the 50 % intervals", words, pooled, part, 0.5, 0.0))
    return found


def at_least(name, words, value, goal) -> dict:
    """A share that is to be at least `goal`."""
    return _goal(name, f"at least {100 * goal:.0f} % ({words})", value, max(goal - value, 0.0))


def at_most(name, words, value, goal) -> dict:
    """A fraction that is to be at most `goal`."""
    return _goal(name, f"at most {100 * goal:.1f} % ({words})", value, max(value - goal, 0.0))


def below(name, said, value, best) -> dict:
    """A value below the best of the baselines."""
    row = _goal(name, f"below {said}, the best baseline's", value, max(value - best, 0.0))
    return row | {"reached": value < best}


def between(name, value, low, high) -> dict:
    """A fraction from `low` to `high`."""
    return _goal(name, f"{100 * low:.0f} to {100 * high:.0f} %", value, max(low - value, value - high, 0.0))


def holds(name, words, pooled, part, level, least) -> dict:
    """The cluster-bootstrap interval holds the level, and the coverage is at least `least`."""
    low, high = pooled[f"{part}_interval"]
    missing = max(low - level, level - high, least - pooled[part], 0.0)
    also = f", coverage at least {100 * least:.0f} %" if least else ""
    row = _goal(name, f"90 % bootstrap interval holds {100 * level:.0f} %{also} ({words})", pooled[part], missing)
    return row | {"lower": low, "upper": high}


def _goal(name, goal, value, distance) -> dict:
    return {"name": name, "goal": goal, "value": value, "reached": distance == 0.0, "distance": distance}
