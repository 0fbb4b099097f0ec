"""A prediction from one profiled run in words: what a packet's time consists of, what limits, and how far it scales."""

from mpps.sentences.rows import readable, thinned
from mpps.sentences.words import bullets, chance, gain, spread
from mpps.tables import Column, Table
from mpps.text import interval, number, percent

#: Counts that the table of changed locks shows; the JSON document has more.
_SHOWN = 3


def predict_profile_text(document: dict) -> str:
    """What `mpps predict --lock-profile` prints."""
    series = readable(document["series"][0])
    run, last = series["run"], series["predictions"][-1]
    private = series["private_ns"]
    words = [
        f"With {run['cores_used']} cores a packet takes {number(run['lap_ns'])} ns of a core: "
        + "; ".join(
            f"{number(lock['wait_ns'])} waiting for {lock['lock']} and {number(lock['section_ns']['median'])} in it"
            for lock in series["locks"]
        )
        + f"; {interval(private['median'], private['lower'], private['upper'])} private work.",
        (
            f"With {last['n']} cores: {spread(last)} {series['unit']}; what limits there: {series['bottleneck']}, with probability "
            f"{chance(series['bottleneck_probability'])}."
        ),
    ]
    words += _best(series["levers"], last["n"])
    locks = [
        {
            "lock": lock["lock"],
            "wait": number(lock["wait_ns"]),
            "hold": "not printed" if lock["hold_ns"] is None else number(lock["hold_ns"]),
            "section": interval(*(lock["section_ns"][key] for key in ("median", "lower", "upper"))),
        }
        for lock in series["locks"]
    ]
    stations = Table(
        (
            Column("lock", "lock"),
            Column("wait", "wait, ns", "figures"),
            Column("hold", "hold, ns", "figures"),
            Column("section", "section, ns (90 %)", "figures"),
        ),
        tuple(locks),
        f"{series['dataset']}: times of one packet with {run['cores_used']} cores",
    )
    limits: dict[int, str] = {}
    for row in series["limits"]:
        limits.setdefault(row["n"], f"{row['resource']} ({percent(row['probability'])})")
    counts = thinned([row["n"] for row in series["predictions"]], {run["cores_used"]})
    lines = [
        {
            "n": row["n"],
            "mark": "*" if row["extrapolated"] else "",
            "rate": spread(row),
            "observed": row["observed"],
            "limit": limits[row["n"]],
        }
        for row in series["predictions"]
        if row["n"] in counts
    ]
    columns = (
        Column("n", "cores", "count"),
        Column("mark", ""),
        Column("rate", f"{series['unit']} (90 % interval)", "figures"),
        Column("observed", "measured", "exact"),
        Column("limit", "limit"),
    )
    return "\n\n".join(
        [
            bullets(words),
            str(stations),
            str(Table(columns, tuple(lines))),
            str(_levers(series["levers"], run["cores_used"])),
            "* extrapolated: the one run that was profiled had another count.",
            "Taken as given:\n" + bullets(item["says"] for item in document["assumptions"]),
        ]
    )


def _best(levers, n: int) -> list[str]:
    """The change that brings most at the last count, in a sentence; where nothing brings anything, that."""
    rows = [(each, each["gains"][-1]) for each in levers]
    lever, row = max(rows, key=lambda one: one[1]["median"])
    if row["probability_gain"] < 0.5:
        return [f"With {n} cores neither removing nor halving any of these locks most likely brings more than 1 %."]
    what = "Removing" if lever["change"] == "removed" else "Halving the sections of"
    return [
        f"{what} {lever['lock']} would bring most with {n} cores: {gain(row)}, more than 1 % with probability "
        f"{chance(row['probability_gain'])}; then {row['limit']} limits, with probability {chance(row['limit_probability'])}."
    ]


def _levers(levers, used: int) -> Table:
    """A line for each change of each lock: gains at the profiled count, the last one, and between."""
    counts = [row["n"] for row in levers[0]["gains"]]
    if len(counts) > _SHOWN:
        first = used if used in counts[:-1] else counts[0]
        middle = min(counts, key=lambda n: abs(n * n - first * counts[-1]))
        counts = sorted({first, middle, counts[-1]})
    lines = []
    for each in levers:
        by_count = {row["n"]: row for row in each["gains"]}
        lines.append(
            {"lock": each["lock"], "change": each["change"], "limit": by_count[counts[-1]]["limit"]}
            | {f"at {n}": gain(by_count[n]) for n in counts}
        )
    columns = (
        Column("lock", "lock"),
        Column("change", "change"),
        *(Column(f"at {n}", f"n = {n}", "figures") for n in counts),
        Column("limit", f"then limits at {counts[-1]}"),
    )
    return Table(columns, tuple(lines), "Gain of removing a lock, or of sections half as long (90 %)")
