"""The checks of moves to other machines as text."""

from mpps.sentences.words import bullets, wrapped
from mpps.tables import Column, Table
from mpps.text import interval, number, percent
from mpps.validate.transfer.curves import BASELINES, WAYS

_TITLES = WAYS | BASELINES


def transfer_text(document: dict) -> str:
    """Hosts held out, operations on several hosts, the SCION platforms, and the goals."""
    operations, hosts, scion = document["operations"], document["hosts"], document["scion"]
    parts = [
        wrapped(
            "Each host of a benchmark predicted from the curves of the other hosts by the rules of moves; what its card "
            "does not state is a prior. The width of a baseline and the spread below are learnt without the source."
        ),
        *map(str, (summary_table(hosts), hosts_table(hosts))),
        spread_words(hosts),
        wrapped(operations_words(operations)),
        str(by_host_table(operations)),
        "Operations outside the 90 % interval:\n" + bullets(outside(operations)),
        *map(str, (index_table(scion), platforms_table(scion))),
        str(goals_table(document)),
    ]
    return "\n\n".join(parts)


def summary_table(hosts: dict) -> Table:
    """Figures of both ways and of the baselines, means over sources."""
    rows = [
        figures
        | {
            "name": _TITLES[name],
            "inside": figures["points_inside"] / figures["points"],
            "ends": _ends(figures["coverage_interval"]),
        }
        for name, figures in hosts["mean"].items()
    ]
    columns = (
        Column("name", "forecast"),
        Column("points", "points", "count"),
        Column("error", "error", "percent", 2),
        Column("inside", "90 % held", "percent", 2),
        Column("ends", "of sources drawn again", "figures"),
        Column("coverage50", "50 % held", "percent", 2),
        Column("interval_score", "interval score", "number", 3),
    )
    return Table(columns, tuple(rows), "Hosts held out, means over sources", "hosts")


def hosts_table(hosts: dict) -> Table:
    """One row a host and benchmark."""
    rows = [
        {
            "benchmark": row["benchmark"],
            "host": row["host"],
            "points": row["points"],
            "error": row["moved"]["error"],
            "coverage": row["moved"]["coverage"],
            "known": row["known"]["error"],
            "known_coverage": row["known"]["coverage"],
            "copied": row["copied"]["error"],
        }
        for row in hosts["rows"]
    ]
    columns = (
        Column("benchmark", "benchmark"),
        Column("host", "host held out"),
        Column("points", "points", "count"),
        Column("error", "error", "percent", 2),
        Column("coverage", "90 % held", "percent", 2),
        Column("known", "error, one count known", "percent", 2),
        Column("known_coverage", "90 % held", "percent", 2),
        Column("copied", "copied: error", "percent", 2),
    )
    return Table(columns, tuple(rows), "Hosts held out", "held_hosts")


def spread_words(hosts: dict) -> str:
    """What the held hosts ask for beyond the priors of a move."""
    of = hosts["spread_of_all"]
    each = "; ".join(
        f"without {name} {number(found['level'], 2)} and {number(found['shape'], 2)}"
        for name, found in hosts["spread"].items()
    )
    return wrapped(
        "Standard deviation of the log rate that the hosts ask for beyond the priors, of the level and of the shape a "
        f"doubling: {number(of['level'], 2)} and {number(of['shape'], 2)} from all; {each}."
    )


def operations_words(operations: dict) -> str:
    """How the operations did, in a sentence."""
    share, ends = operations["points_inside"] / operations["points"], operations["coverage_interval"]
    return (
        f"Operations timed on one core of several hosts, each from each: {operations['points_inside']} of "
        f"{operations['points']} inside the 90 % interval ({percent(share)}; {_ends(ends)} when whole pairs of hosts are "
        f"drawn again), median error {percent(operations['median_error'])}, "
        f"{percent(operations['copied_median_error'])} for the time as it is."
    )


def by_host_table(operations: dict) -> Table:
    """Operations by host, and the range of work per cycle that the other hosts show at equal clock."""
    rows = [
        row
        | {
            "share": row["inside"] / row["points"],
            "range": ""
            if row["others_range"] is None
            else f"1/{number(row['others_range'], 2)} to {number(row['others_range'], 2)}",
        }
        for row in operations["by_host"]
    ]
    columns = (
        Column("host", "host"),
        Column("points", "moves", "count"),
        Column("share", "90 % held", "percent", 2),
        Column("others_pairs", "pairs of other hosts", "count"),
        Column("range", "their 90 % range at equal clock", "figures"),
    )
    return Table(columns, tuple(rows), "Operations by host, moved from it or to it", "operations")


def outside(operations: dict) -> list[str]:
    """The moves that missed, in words."""
    return [
        f"{row['operation']}, {row['from']} to {row['host']}{_state(row)}: measured {number(row['observed'])} ns, predicted "
        f"{interval(row['median'], row['lower'], row['upper'])}"
        for row in operations["rows"]
        if not row["inside"]
    ]


def index_table(scion: dict) -> Table:
    """Both ways to hold a SCION platform out."""
    columns = (
        Column("platform", "platform"),
        Column("index_1", "index, M = 1", "number", 5),
        Column("index_tuned", f"index, M = {scion['tuned']:g}", "number", 4),
        Column("constant", "M without it", "number", 3),
        Column("miss_words", "miss with that M", "figures"),
        Column("tuned_words", f"miss with M = {scion['tuned']:g}", "figures"),
    )
    rows = [
        row | {"miss_words": _signed(row["miss"]), "tuned_words": _signed(row["miss_tuned"])}
        for row in scion["platforms"]
    ]
    caption = "SCION: rate of a platform from the index of the other two, M re-estimated without it, or tuned on all"
    return Table(columns, tuple(rows), caption, "scion_index")


def platforms_table(scion: dict) -> Table:
    """SCION platforms moved by this project's priors."""
    rows = [
        row
        | {
            "said": interval(row["median"] / 1e3, row["lower"] / 1e3, row["upper"] / 1e3),
            "seen": row["observed"] / 1e3,
            "held": "yes" if row["inside"] else "no",
        }
        for row in scion["moved"]
    ]
    columns = (
        Column("platform", "platform"),
        Column("from", "moved from"),
        Column("seen", "measured, kpps", "number", 3),
        Column("said", "predicted (90 % interval)", "figures"),
        Column("held", "inside"),
    )
    return Table(
        columns, tuple(rows), "SCION: core part by coremark, memory part by bandwidth, priors on both", "scion"
    )


def goals_table(document: dict) -> Table:
    """Each goal with what was measured, reached or not."""
    rows = []
    for goal in document["goals"]:
        score = goal["name"].endswith("interval score")
        said = (lambda value: number(value, 3)) if score else (lambda value: percent(value, 3))
        state = "reached" if goal["reached"] else f"MISSED by {said(goal['distance'])}"
        rows.append({"name": goal["name"], "goal": goal["goal"], "value": said(goal["value"]), "state": state})
    columns = (Column("name", "figure"), Column("goal", "goal"), Column("value", "measured"), Column("state", "result"))
    return Table(columns, tuple(rows), "Goals", "goals")


def _state(row: dict) -> str:
    states = [state for state in (row["from_state"], row["state"]) if state and not state.startswith("not stated")]
    return f" ({'; '.join(states)})" if states else ""


def _ends(ends) -> str:
    return "" if ends is None else f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f} %"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f} %"
