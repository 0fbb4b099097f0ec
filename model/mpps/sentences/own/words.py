"""Sentences of an answer for a user's own table."""

from mpps.sentences.words import chance, ends, spread
from mpps.table.limits import PRIVATE, UNEQUAL
from mpps.text import interval, number, percent

#: What limits, as a reader knows it.
_RESOURCES = {
    PRIVATE: "the private work of each core",
    "serial station": "a serial station (a lock or a shared cache line that one core at a time holds)",
    "ceiling": "a ceiling (device, wire, memory, or what drives the load)",
    "serial share": "a serial share (work that only one core at a time can do)",
    "coherence": "coherence traffic between all pairs of cores",
    "fan-out": "work that each core does for every other one",
    UNEQUAL: "the cores beyond a number, which yield less (siblings, slow cores, more senders than cores),",
    "flow imbalance": "the busiest queue (flows spread unequally)",
}
_RESTS = {
    "mechanisms": "which mechanism it is",
    "parameters": "the parameters of the mechanisms",
    "drift_and_falls": "what no mechanism knows (drift, a further bottleneck)",
    "scatter": "scatter of a measurement",
}
_SHORT = {"slowdown by shared lines": "shared lines"}


def answer(series: dict, explained: set[str]) -> str:
    """One series in a paragraph: what limits it, its peak, what an operation costs, and what is predicted."""
    name = series["name"]
    parts = (f"{name}: {limit(series, explained)}", _peak(series), _cost(series), _next(series))
    return " ".join(part for part in parts if part)


def limit(series: dict, explained: set[str]) -> str:
    """What limits, from where on, how surely; a resource is explained the first time it is named."""
    said = _limit(series, explained)
    if series["misfit"] is None:
        return said
    return (
        f"no mechanism explains this table well (error {percent(series['misfit']['error'])}), so what limits is doubtful; of the "
        f"mechanisms that there are: {said}"
    )


def _limit(series: dict, explained: set[str]) -> str:
    last, knee, name = series["largest"], series["knee_cores"], series["bottleneck"]
    at_last = [row for row in series["limits"] if row["n"] == last]
    others = [row for row in at_last[1:] if row["probability"] >= 0.05][:2]
    said = f"with probability {chance(series['bottleneck_probability'])}"
    if others:
        said += "; otherwise " + " or ".join(
            f"{_bare(row['resource'])} ({chance(row['probability'])})" for row in others
        )
    what = _bare(name) if name in explained else _RESOURCES[name]
    explained.add(name)
    if name == PRIVATE:
        beyond = (
            ""
            if knee["lower"] is None
            else f" Something else takes over at n = {number(knee['lower'], 2)} or later (90 %)."
        )
        return f"{what} limits up to n = {last}, the most that was measured, {said}.{beyond}"
    if knee["median"] is None:
        return f"{what} limits at n = {last}, {said}."
    if knee["median"] < 1.05:
        return f"{what} limits from n = 2 on, {said}."
    middle, reach = ends(knee)
    return f"{what} limits from n = {middle} on ({reach}), {said}."


def _bare(resource: str) -> str:
    return _RESOURCES[resource].partition(" (")[0].rstrip(",")


def _peak(series: dict) -> str:
    cores, rate, unit = series["peak_cores"], series["peak_rate"], f" {series['unit']}".rstrip()
    if series["rate_of"] != "all together":
        unit += " of all together"
    if series["bottleneck"] == PRIVATE:
        return (
            ""
            if rate["lower"] is None
            else f"If the rate levels off at all, then above {number(rate['lower'])}{unit} (90 %)."
        )
    if rate["median"] is None:
        return ""
    height = f"{interval(rate['median'], rate['lower'], rate['upper'])}{unit}"
    if rate["upper"] is None:
        height = f"{number(rate['median'])} (90 %: at least {number(rate['lower'])}){unit}"
    if cores["median"] is None:
        return f"The rate levels off at {height}."
    if cores["upper"] is not None and cores["upper"] < 1.05:
        return f"One core alone is fastest, with {height}."
    middle, reach = ends(cores)
    if cores["upper"] is None:
        return f"The rate most likely peaks at n = {middle} ({reach}), with {height}."
    return f"The rate is highest at n = {middle} ({reach}), with {height}, and falls beyond."


def time_scale(ns: float) -> tuple[str, float]:
    """The unit in which a time of so many ns is readable, and the factor to it."""
    return ("ns", 1.0) if ns < 1e5 else ("us", 1e-3) if ns < 1e8 else ("ms", 1e-6)


def _cost(series: dict) -> str:
    cost = series["lap_cost"]
    if cost is None:
        return ""
    unit, factor = time_scale(cost["ns"])
    large = [row for row in cost["stages"] if row["ns"] > 0.02 * cost["ns"]]
    stages = ", ".join(f"{number(row['ns'] * factor)} {_SHORT.get(row['stage'], row['stage'])}" for row in large)
    article = "an" if cost["of"][0] in "aeiou" else "a"
    whole = interval(*(cost[key] * factor for key in ("ns", "lower", "upper")))
    return f"At n = {cost['n']} {article} {cost['of']} takes {whole} {unit} of one core's time: {stages}."


def _next(series: dict) -> str:
    """Predictions beyond the table, as far as there are: at most four."""
    rows = [row for row in [*series["predictions"], *series.get("beyond", ())] if row["observed"] is None][-4:]
    said = "; ".join(rate(row, series) for row in rows)
    return f"Predicted: {said}." if said else ""


def rate(row: dict, series: dict) -> str:
    """A predicted rate with its interval, unit and count, beside what was measured there."""
    unit = f" {series['unit']}".rstrip()
    seen = "" if row["observed"] is None else f", measured {row['observed']:,.12g}"
    return f"{spread(row)}{unit} at n = {row['n']}{seen}"


def unknown(series) -> list[str]:
    """What each series leaves open, and on what its widest interval rests."""
    said = []
    for each in series:
        known = each["known"]
        rests = each["rests_on"]
        shares = sorted(((rests[key], words) for key, words in _RESTS.items()), reverse=True)
        listed = ", ".join(f"{words} {percent(share)}" for share, words in shares if share >= 0.01)
        said.append(
            f"{each['name']}, best mechanism {known['mechanism']}: {' '.join(known['words'])} "
            f"The interval at n = {rests['n']} comes from {listed}."
        )
    return said + list(dict.fromkeys(each["prior"] for each in series))
