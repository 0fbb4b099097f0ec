"""The goals of the scoreboard of pairs."""

from mpps.validate.goals import at_least, at_most, between, holds
from mpps.validate.pairs.baselines import BASELINES

#: A claim of a gain: its probability is above.
CLAIM = 0.9


def goals(document: dict) -> list[dict]:
    """Goals as in `mpps.validate.goals`; those that need points, or controls, which the folder does not hold are left out."""
    found = [
        at_most("median error", "median over data sets", document["median"]["mpps"]["error"], 0.22),
        at_most("mean error", "mean over data sets", document["mean"]["mpps"]["error"], 0.28),
    ]
    for name in BASELINES:
        share = document["paired"][name]["share"]
        found.append(at_least(f"interval score lower than {name}", "share of data sets", share, 0.7))
    pooled = document["pooled"]
    found.append(between("pooled coverage of the 90 % intervals", pooled["coverage"], 0.85, 0.95))
    parts = (("near", "up to twice the known count"), ("far", "beyond"))
    for part, words in parts:
        if pooled[part] is not None:
            found.append(holds(f"{part} coverage of the 90 % intervals", words, pooled, part, 0.9, 0.8))
    for part, words in (("coverage50", "all points"), *((f"{part}50", words) for part, words in parts)):
        if pooled[part] is not None:
            name = part.removesuffix("50").replace("coverage", "pooled")
            found.append(holds(f"{name} coverage of the 50 % intervals", words, pooled, part, 0.5, 0.0))
    if document["controls"]:
        most = max(each["probability"] for row in document["controls"] for each in row["largest"].values())
        words = "largest probability on a control, whatever kind of change is named"
        found.append(at_most("claimed gain where there is none", words, most, CLAIM))
    return found
