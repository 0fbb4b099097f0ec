"""The scoreboard of pairs as text."""

from mpps.sentences.scoreboard import coverage_table, goals_table
from mpps.sentences.words import bullets, wrapped
from mpps.tables import Column, Table
from mpps.text import count, interval, number, percent

#: Models of the scoreboard of pairs and their titles.
TITLES = {
    "mpps": "mpps",
    "scaled": "curve before, scaled",
    "linear": "linear",
    "geometric": "geometric mean of the two",
}
_WAYS = {"without": "other sources alone", "one_more": "and the other hosts", "same": "as the same change"}


def pairs_text(document: dict) -> str:
    """The whole scoreboard of pairs."""
    parts = [wrapped(" ".join(protocol(document)))]
    parts += [str(table) for table in tables(document)]
    parts.append("Pairs, with the reason:\n" + bullets(pair_lines(document["pairs"])))
    if document["skipped"]:
        parts.append("Pairs not scored:\n" + bullets(skipped_lines(document)))
    return "\n\n".join(parts)


def tables(document: dict) -> list[Table]:
    """Every table of the scoreboard, in the order of its text."""
    found = [summary_table(document), pairs_table(document["pairs"], "Pairs"), coverage(document), gain_table(document)]
    if document["controls"]:
        found.append(controls_table(document))
    if document["hosts"]["rows"]:
        found.append(hosts_table(document))
    if document["seeds"]:
        found.append(
            pairs_table(document["seeds"], "Apart: pairs of the tables that code paths are fitted to", "seeds")
        )
    return [*found, goals(document)]


def protocol(document: dict) -> list[str]:
    """What is given, what is scored, in sentences."""
    rows = document["datasets"]
    sources = len({row["source"] for row in rows})
    return [
        (
            f"{document['folder']}: {count(len(document['pairs']), 'pair')} of {count(len(rows), 'data set')} from "
            f"{count(sources, 'source')}."
        ),
        (
            "Given are the curve before a change, its kind, and the rate after it at the smallest common count; the rates "
            f"after it at the other counts are scored, {count(document['pooled']['points'], 'point')}."
        ),
        "Figures are averages over a pair, then over its data set. Nothing was learnt from the source of a pair.",
        (
            "Each baseline goes through the known point and has the two width constants that suit it best on these very pairs: "
            "the curve before, scaled; a straight line; their geometric mean."
        ),
    ]


def answer(document: dict) -> str:
    """The scoreboard in one paragraph."""
    median, pooled, wins = document["median"], document["pooled"], document["paired"]
    best = min(median[name]["error"] for name in TITLES if name != "mpps")
    won = sorted({one["wins"] for one in wins.values()})
    said = f"{won[0]}" if len(won) == 1 else f"{won[0]} to {won[-1]}"
    return (
        f"From the curve before a change and one rate after it, the curve after is predicted to {percent(median['mpps']['error'])} "
        f"(median over {count(len(document['datasets']), 'data set')}; the best baseline {percent(best)}). "
        f"{percent(pooled['coverage'])} of {pooled['points']} points lie inside their 90 % interval. The interval score is lower "
        f"than the baselines' on {said} of {len(document['datasets'])} data sets."
    )


def summary_table(document: dict) -> Table:
    """One line for each model, and the forecast that knows nothing after the change."""
    rows = [
        _summary(title, document["median"][name], document["mean"][name], _held(document, name))
        | ({} if name == "mpps" else {"wins": "{wins} of {sets}".format(**document["paired"][name])})
        for name, title in TITLES.items()
    ]
    blind = document["without_known"]
    rows.append(_summary("mpps, no rate after known", blind["median"], blind["mean"], blind["pooled"]["coverage"]))
    columns = (
        Column("name", "model"),
        Column("error", "median error", "percent"),
        Column("mean", "mean error", "percent"),
        Column("held", "90 % held", "percent"),
        Column("width", "median width", "figures"),
        Column("score", "mean interval score", "figures"),
        Column("wins", "sets where mpps scores lower", "figures"),
    )
    return Table(columns, tuple(rows), "The curve after a change, over data sets", "pairs_summary")


def pairs_table(pairs: list[dict], caption: str, name: str = "pairs") -> Table:
    """Figures of each pair."""
    rows = [{**row, "wide": number(row["width"], 2), "score": number(row["interval_score"], 2)} for row in pairs]
    columns = (
        Column("dataset", "data set"),
        Column("before", "before"),
        Column("after", "after"),
        Column("kind", "kind"),
        Column("points", "points", "count"),
        Column("error", "error", "percent"),
        Column("coverage", "90 % held", "percent"),
        Column("coverage50", "50 % held", "percent"),
        Column("wide", "width", "figures"),
        Column("score", "interval score", "figures"),
    )
    return Table(columns, tuple(rows), f"{caption}: error of the median, intervals (log units)", name)


def coverage(document: dict) -> Table:
    """Coverage over all points, near the known count and far from it."""
    table = coverage_table(document)
    words = {"near, up to twice the training range": "near, up to twice the known count"}
    rows = tuple({**row, "name": words.get(row["name"], row["name"])} for row in table.rows)
    return Table(table.columns, rows, table.caption, "pairs_coverage")


def gain_table(document: dict) -> Table:
    """How often a gain came that was given a probability, in bins."""
    rows = [
        {
            "bin": f"{100 * row['lower']:.0f} to {100 * row['upper']:.0f} %",
            **{key: row[key] for key in ("points", "sources", "said", "size_said", "size_came")},
            "came": f"{interval(100 * row['came'], *(100 * end for end in row['came_interval']))} %",
        }
        for row in document["gain"]["bins"]
    ]
    columns = (
        Column("bin", "probability of a gain"),
        Column("points", "points", "count"),
        Column("sources", "sources", "count"),
        Column("said", "predicted, mean", "percent"),
        Column("came", "came (bootstrap over sources)", "figures"),
        Column("size_said", "size predicted, median", "change"),
        Column("size_came", "size measured, median", "change"),
    )
    gain = document["gain"]
    words = (
        f"Gain of more than 1 %, pairs and controls: Brier score {number(gain['brier'], 2)}, "
        f"{number(gain['brier_of_share'], 2)} for the share of gains alone"
    )
    return Table(columns, tuple(rows), words, "pairs_gain")


def controls_table(document: dict) -> Table:
    """The largest probability of a gain on each control, by the kind that a user names."""
    rows = [
        {
            **{key: row[key] for key in ("dataset", "after", "mechanism")},
            **{kind: f"{percent(one['probability'])} at n = {one['n']:g}" for kind, one in row["largest"].items()},
        }
        for row in document["controls"]
    ]
    kinds = document["controls"][0]["largest"]
    columns = (
        Column("dataset", "data set"),
        Column("after", "after"),
        Column("mechanism", "what changed"),
        *(Column(kind, f"as a {kind}" if kind != "cost" else "as a change of cost", "figures") for kind in kinds),
    )
    return Table(
        columns, tuple(rows), "Controls, where nothing is gained: largest probability of a gain", "pairs_controls"
    )


def hosts_table(document: dict) -> Table:
    """Each host from the others: error and interval score by what is known of the change."""
    rows = [
        {
            **{key: row[key] for key in ("benchmark", "host", "mechanism")},
            **{f"{way} error": row[way]["error"] for way in _WAYS},
            **{f"{way} held": row[way]["coverage"] for way in _WAYS},
            **{f"{way} score": number(row[way]["interval_score"], 2) for way in _WAYS},
        }
        for row in document["hosts"]["rows"]
    ]
    mean = document["hosts"]["mean"]
    rows.append(
        {
            "benchmark": "mean over benchmarks",
            **{f"{way} error": mean[way]["error"] for way in _WAYS},
            **{f"{way} held": mean[way]["coverage"] for way in _WAYS},
            **{f"{way} score": number(mean[way]["interval_score"], 2) for way in _WAYS},
        }
    )
    columns = [Column("benchmark", "benchmark"), Column("host", "host left out"), Column("mechanism", "change")]
    for key, title, kind in (
        ("error", "error", "percent"),
        ("held", "90 % held", "percent"),
        ("score", "score", "figures"),
    ):
        columns += [Column(f"{way} {key}", f"{title}, {words}", kind) for way, words in _WAYS.items()]
    return Table(tuple(columns), tuple(rows), "One host from the others of its benchmark", "pairs_hosts")


def goals(document: dict) -> Table:
    """Goals of the pairs, reached or not."""
    table = goals_table(document)
    titles = {
        f"interval score lower than {name}": f"interval score lower than {title}" for name, title in TITLES.items()
    }
    rows = tuple({**row, "name": titles.get(row["name"], row["name"])} for row in table.rows)
    return Table(table.columns, rows, "Goals of the pairs", "pairs_goals")


def pair_lines(pairs: list[dict]) -> list[str]:
    """`data set, before to after: reason`."""
    return [f"{row['dataset']}, {row['before']} to {row['after']}: {row['reason']}" for row in pairs]


def skipped_lines(document: dict) -> list[str]:
    """`data set, before to after: reason` of pairs that were not scored."""
    return [f"{name}, {before} to {after}: {why}" for name, before, after, why in document["skipped"]]


def _held(document: dict, name: str) -> float:
    return (document["pooled"] if name == "mpps" else document["pooled_baselines"][name])["coverage"]


def _summary(name: str, median: dict, mean: dict, held: float) -> dict:
    return {
        "name": name,
        "error": median["error"],
        "mean": mean["error"],
        "held": held,
        "width": number(median["width"], 2),
        "score": number(mean["interval_score"], 2),
    }
