"""A prediction from one profiled run in words: what a packet's time consists of, what limits, and how far it scales."""

from mpps.sentences.rows import readable, thinned
from mpps.sentences.words import bullets, chance, spread
from mpps.tables import Column, Table
from mpps.text import interval, number, percent


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
            "* extrapolated: the one run that was profiled had another count.",
            "Taken as given:\n" + bullets(item["says"] for item in document["assumptions"]),
        ]
    )
