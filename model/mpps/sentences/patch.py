"""A what-if for a user's own table in words: the verdict, what limits then, what it rests on; then the table."""

from mpps.sentences.rows import readable
from mpps.sentences.words import bullets, chance, gain, spread
from mpps.tables import Column, Table
from mpps.text import number, percent

__all__ = ["verdict_words", "whatif_table_text"]

_KINDS = {"removal": "a removal", "replacement": "a replacement", "cost": "a change of cost"}
_RESTS = {
    "lone_sender": "what the change does to a lone sender",
    "kept_plateau": "how much of the waiting it keeps",
    "kept_collapse": "how much of the collapse it keeps",
    "second_bottleneck_and_drift": "a second bottleneck, drift, and all together",
}


def whatif_table_text(document: dict) -> str:
    """What `mpps whatif FILE` prints."""
    parts = []
    for series in map(readable, document["series"]):
        name = f"{series['dataset']}, {series['from']!r} after {_KINDS[series['change']]}"
        unit = f" in {series['unit']}" if series["unit"] else ", unit not stated"
        parts += [
            f"{name}: {series['metric']}{unit}",
            bullets(verdict_words(series)),
            str(_table(series)),
            *_rests(series),
        ]
        extrapolated = any(row["extrapolated"] for row in series["predictions"])
        parts += ["* extrapolated: the table has no measurement there."] if extrapolated else []
    if document["warnings"]:
        parts.append("Warnings:\n" + bullets(document["warnings"]))
    parts.append("Taken as given:\n" + bullets(item["says"] for item in document["assumptions"]))
    return "\n\n".join(parts)


def verdict_words(series: dict) -> list[str]:
    """The verdict of a series of `mpps.whatif/1` for a table, in sentences."""
    found = series["verdict"]
    said = [_gain(found, percent(series["gain_above"], 1))]
    first = found["measure_first"]
    if first is not None and (found["wide"] or found["kind"] not in ("gain", "loss", "no gain")):
        said.append(
            f"Measure the after variant at n = {first['n']} first: of all counts below {found['n']} it narrows the answer most, "
            f"at n = {found['n']} from a factor of {number(first['factor'], 2)} to about {number(first['left'], 2)}."
        )
    return [*said, _second(series, found), *_profile(series)]


def _gain(found: dict, above: str) -> str:
    n, p = found["n"], chance(found["probability"])
    spans = f"the 90 % interval spans a factor of {number(found['factor'], 2)}"
    how_much = f" How much, it cannot tell: at n = {n} {spans}." if found["wide"] else ""
    where = f"from n = {found['gain_from']} on" if found["gain_from"] != n else f"at n = {n}"
    loses = f"at n = {n}, with probability {chance(found['probability_of_loss'])}.{how_much}"
    nothing = f"gains nothing at n = {n}: a gain above {above} has probability {p} there.{how_much}"
    said = {
        "gain": f"gains more than {above} {where}, with probability {p} at n = {n}.{how_much}",
        "probable gain": f"probably gains more than {above} {where}, with probability {p} at n = {n}.{how_much}",
        "loss": f"loses {loses}",
        "probable loss": f"probably loses {loses}",
        "no gain": nothing,
        "probably no gain": f"probably {nothing}",
    }
    if found["kind"] in said:
        return f"The change {said[found['kind']]}"
    return (
        f"Cannot tell from this table: at n = {n} a gain above {above} has probability {p}, a loss of as much "
        f"{chance(found['probability_of_loss'])}, and {spans}."
    )


def _second(series: dict, found: dict) -> str:
    """Whether something else takes over, and what still limits."""
    n, name = found["n"], series["next_bottleneck"]
    likely = f"{name} limits then, with probability {chance(series['next_bottleneck_probability'])}"
    if found["second"] is None:
        return f"At n = {n} {likely}."
    if name == "another shared resource":
        return f"A second bottleneck takes over: at n = {n} {likely}."
    if found["second"] >= 0.2:
        return f"At n = {n} {likely}; a second bottleneck may take over: another shared resource, {chance(found['second'])}."
    return f"At n = {n} {likely}; that another shared resource takes over has probability {chance(found['second'])}."


def _profile(series: dict) -> list[str]:
    found = series["profile"]
    if found is None:
        return []
    last = found["shrinks"][-1]
    return [
        (
            f"The profile: a packet waits {number(found['wait_ns'])} of its {number(found['lap_ns'])} ns for {found['lock']}, "
            f"{percent(found['share_of_waits'])} of all waits. With it the 90 % interval at n = {last['n']} spans a factor of "
            f"{number(last['with'], 2)}, without it {number(last['without'], 2)}."
        )
    ]


def _rests(series: dict) -> list[str]:
    rests = series["rests_on"]
    shares = sorted(((rests[key], words) for key, words in _RESTS.items()), reverse=True)
    said = "; ".join(f"{words} {percent(share)}" for share, words in shares if share >= 0.01)
    return [f"The spread of the gain at n = {rests['n']} comes from: {said}."] if said else []


def _table(series: dict) -> Table:
    gains = {row["n"]: row for row in series["gain"]}
    chances = {row["n"]: row["p"] for row in series["gain_probability"]}
    limits: dict[int, str] = {}
    for row in series["limits"]:
        limits.setdefault(row["n"], f"{row['resource']} ({percent(row['probability'])})")
    known = {row["n"] for row in series["known"]}
    lines = []
    for before, after in zip(series["before"], series["predictions"], strict=True):
        n = after["n"]
        lines.append(
            {
                "n": n,
                "mark": "*" if after["extrapolated"] else "known" if n in known else "",
                "before": number(before["median"]) if before["observed"] is None else f"{before['observed']:,.12g}",
                "after": spread(after),
                "measured": None if after["observed"] is None else f"{after['observed']:,.12g}",
                "gain": gain(gains[n]),
                "p": chance(chances[n]),
                "limit": limits[n],
            }
        )
    columns = [
        Column("n", "n", "count"),
        Column("mark", ""),
        Column("before", "before", "figures"),
        Column("after", "after (90 % interval)", "figures"),
        Column("measured", f"measured: {series['compared_with']}", "figures"),
        Column("gain", "gain (90 %)", "figures"),
        Column("p", f"P(gain above {percent(series['gain_above'], 1)})", "figures"),
        Column("limit", "limit afterwards"),
    ]
    shown = [column for column in columns if series["compared_with"] is not None or column.field != "measured"]
    return Table(tuple(shown), tuple(lines))
