"""Before and after in words: what a change gains, from which count on it pays, and which part of the cost went."""

from mpps.sentences.own.words import time_scale
from mpps.sentences.words import bullets, chance, ends, gain
from mpps.text import number

#: Parts of a lap that moved by less than this share of it are not told.
_TOLD = 0.02
_PARTS = {
    "private work": "private work",
    "slowdown by shared lines": "slowdown by shared lines",
    "serial section": "the serial section",
    "hand-off and waiting": "hand-off and waiting",
}


def comparisons(document: dict) -> str:
    """The pairs of a document as a list under its heading; nothing without any."""
    found = [compared(each) for each in document.get("comparisons", ())]
    return f"Before and after:\n{bullets(found)}" if found else ""


def compared(pair: dict) -> str:
    """One pair in a paragraph."""
    before, after = pair["datasets"] if "datasets" in pair else (pair["before"], pair["after"])
    parts = [f"{before!r} to {after!r}: {_gain(pair)}", _pays(pair), _cost(pair), _alone(pair)]
    if pair["assumed"]:
        parts.append(f"Assumed: {pair['assumed']}.")
    return " ".join(part for part in parts if part)


def _gain(pair: dict) -> str:
    row, above = pair["gain"], f"{100 * pair['gain_above']:g} %"
    where = f"at n = {row['n']}, the largest count of both"
    size = f"{gain(row)}"
    if row["measured"] is not None:
        size += f", measured {100 * (row['measured'] - 1):+.3g} %"
    if pair["verdict"] == "gains":
        return f"{size}, {where}; it gains more than {above} there with probability {chance(row['probability_gain'])}."
    if pair["verdict"] == "loses":
        return f"{size}, {where}; it loses more than {above} there with probability {chance(row['probability_loss'])}."
    if pair["verdict"] == "same":
        return f"{size}, {where}: no difference of more than {above}."
    odds = f"a gain of more than {above} has probability {chance(row['probability_gain'])}, a loss {chance(row['probability_loss'])}"
    return f"{size}, {where}: the table cannot tell whether it helps; {odds}."


def _pays(pair: dict) -> str:
    start, until, above = pair["pays_from"], pair["pays_until"], f"{100 * pair['gain_above']:g} %"
    reach = pair["searched_to"]
    if pair["verdict"] in ("unclear", "same"):
        # Where curves lie this close, crossings are those of scatter.
        return "So from which count on it pays is not told."
    if start["median"] is None:
        if start["lower"] is None:
            return f"It does not pay at any count up to {reach}."
        return f"It most likely pays at no count up to {reach}; if it does, then not before n = {number(start['lower'], 2)} (90 %)."
    if start["upper"] is None:
        said = f"It pays (more than {above}) from n = {number(start['median'])} on, if at all: 90 %: {number(start['lower'])} or more"
    elif start["upper"] <= 1.05:
        said = f"It pays (more than {above}) from one core on"
    else:
        middle, reaches = ends(start)
        said = f"It pays (more than {above}) from n = {middle} on ({reaches})"
    if until["median"] is not None:
        middle, reaches = ends(until)
        said += f", up to n = {middle} ({reaches})"
    return f"{said}."


def _cost(pair: dict) -> str:
    """`At n = 8 a packet takes 1,130 (1,050 to 1,207) ns less of one core's time: hand-off and waiting -1,098 (...).`"""
    cost = pair["cost"]
    if cost is None:
        return "The unit is no rate of operations: which cost went is not told."
    unit, factor = time_scale(max(cost["before_ns"], cost["after_ns"]))
    article = "an" if cost["of"][0] in "aeiou" else "a"
    head = f"At n = {cost['n']} {article} {cost['of']} takes {_size(cost, factor, unit)} of one core's time"
    large = [row for row in cost["stages"] if abs(row["ns"]) > _TOLD * max(cost["before_ns"], cost["after_ns"])]
    large.sort(key=lambda row: -abs(row["ns"]))
    sure = [f"{_PARTS[row['stage']]} {_signed(row, factor)}" for row in large if row["is"] != "unclear"]
    # A change of one part may stand for that of another: the curves fix their sum better than each.
    open_parts = [f"{_PARTS[row['stage']]} {_signed(row, factor)}" for row in large if row["is"] == "unclear"]
    words = f": {', '.join(sure)}" if sure else ""
    if open_parts:
        words += f"; of {', '.join(open_parts)} the table cannot tell" if sure else f"; it cannot tell which part: {', '.join(open_parts)}"
    return f"{head}{words}."


def _alone(pair: dict) -> str:
    cost = pair["cost_alone"]
    if cost is None or pair["n"] == 1:
        return ""
    unit, factor = time_scale(max(cost["before_ns"], cost["after_ns"]))
    if cost["is"] == "unclear":
        return f"For a lone core the table cannot tell a difference: {_signed(cost, factor)} {unit}."
    return f"For a lone core it takes {_size(cost, factor, unit)}."


def _size(cost: dict, factor: float, unit: str) -> str:
    if cost["is"] == "unclear":
        return f"about as much as before ({_signed(cost, factor)} {unit})"
    # The ends of a saving swap places when its sign goes.
    ends = sorted(abs(cost[key]) * factor for key in ("lower", "upper"))
    return f"{number(abs(cost['ns']) * factor)} ({number(ends[0])} to {number(ends[1])}) {unit} {cost['is']}"


def _signed(row: dict, factor: float) -> str:
    each = [f"{'+' if row[key] > 0 else '-'}{number(abs(row[key]) * factor)}" for key in ("ns", "lower", "upper")]
    return f"{each[0]} ({each[1]} to {each[2]})"
