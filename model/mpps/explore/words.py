"""What the explorer says: sentences with the answer's numbers, in the page's words."""

import re

from mpps.text import interval, number, percent


def said(answer: dict) -> dict[str, str]:
    """Sentences of an answer: rate, gain, limit, cost, note under the chart; `short` for a report, `all` for who cannot
    see the chart."""
    frame, here = answer["frame"], answer["here"]
    who = senders(here["n"], frame["senders"])
    found = {
        "rate": f"With {who}: {interval(here['median'], here['lower'], here['upper'])} {frame['unit']}.",
        "gain": _gain(answer),
        "limit": _limit(answer, who),
        "cost": _cost(answer["cost"], frame["thing"], frame["senders"].removesuffix("s")),
        "note": _note(answer),
        "measured": _measured(answer),
    }
    joined = lambda *names: " ".join(filter(None, (found[name] for name in names)))
    short = joined("rate", "gain", "limit") if answer["gain"]["moved"] else joined("rate", "limit")
    return found | {"short": short, "all": joined("rate", "measured", "gain", "limit", "cost")}


def senders(n: int, plural: str) -> str:
    """`1 sender`, `8 senders`."""
    return f"{n:,} {plural.removesuffix('s') if n == 1 else plural}"


def simulated(cores: int, here: tuple, unit: str) -> str:
    """What an exact correction gave at the asked count."""
    return f"Simulated for this position: {interval(*here)} {unit} at {cores:,}."


def _gain(answer: dict) -> str:
    gain, against = answer["gain"], answer["position"]["against"]
    if not gain["moved"]:
        return "Nothing is moved: this is the fit."
    beside = "the fit" if against == "as fitted" else f"'{against}' as fitted"
    ratio = interval(gain["median"], gain["lower"], gain["upper"])
    chance = gain["probability"]
    if chance > 0.995:
        return (
            f"{ratio} times the rate of {beside}; faster in all draws but {percent(1 - chance)}."
            if chance < 1
            else (f"{ratio} times the rate of {beside}; faster in every draw.")
        )
    if chance == 0:
        return f"{ratio} times the rate of {beside}; faster in no draw."
    return f"{ratio} times the rate of {beside}; faster with a probability of {percent(chance)}."


def _limit(answer: dict, who: str) -> str:
    first = answer["limits"][0]
    name, chance = first["resource"], first["probability"]
    second = answer["limits"][1] if len(answer["limits"]) > 1 else None
    sure = "in every draw" if chance > 0.9995 else f"in {percent(chance)} of the draws"
    words = f"What limits: {_the(name)}, {sure}"
    if second and second["probability"] > 0.05:
        words += f"; else {_the(second['resource'])}"
    return f"{words}."


def _the(name: str) -> str:
    """A resource with its article, where it takes one."""
    return name if re.match(r"(fan-out|coherence|flow imbalance|unequal cores)", name) else f"the {name}"


def _cost(cost: dict | None, thing: str, sender: str) -> str:
    if cost is None:
        return ""
    parts = ", ".join(f"{each['stage']} {number(each['ns'])}" for each in cost["stages"])
    sharp = cost["upper"] < 1.005 * cost["lower"]
    whole = number(cost["ns"]) if sharp else interval(cost["ns"], cost["lower"], cost["upper"])
    only = len(cost["stages"]) == 1
    return f"One {thing} takes {whole} ns of a {sender}'s time" + (
        f", all of it {cost['stages'][0]['stage']}." if only else f": {parts}."
    )


def _measured(answer: dict) -> str:
    here = [row["rate"] for row in answer["frame"]["observed"] if row["n"] == answer["here"]["n"]]
    if not here:
        return ""
    values = " and ".join(number(rate) for rate in here[:3])
    return f"Measured here: {values} {answer['frame']['unit']}."


def _note(answer: dict) -> str:
    """What the curve rests on: read under the chart."""
    moved = bool(answer["position"]["settings"])
    if not moved:
        return "The curve is the prediction of the fit."
    if answer["frame"]["simulates"]:
        return (
            "The network is solved anew for every position; its correction by event simulation, and the drift that no "
            "mechanism knows, stay those of the fitted values. Simulate computes the correction for this position."
        )
    return (
        "The network is solved anew for every position and needs no correction by simulation; the drift that no mechanism "
        "knows stays that of the fit."
    )
