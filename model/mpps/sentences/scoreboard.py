"""The scoreboard as text."""

from mpps.sentences.words import bullets, wrapped
from mpps.tables import Column, Table
from mpps.text import count, interval, number

#: Models of the scoreboard and their titles.
TITLES = {
    "mpps": "mpps",
    "usl": "USL",
    "amdahl": "Amdahl",
    "last": "last value",
    "loglog": "log-log line",
    "damped": "damped slope",
}
#: Fewer sources than this do not tell whether a goal is reached.
_ENOUGH_SOURCES = 5
_SUMMARIES = (("median", "median"), ("mean", "mean"))


def validate_text(document: dict) -> str:
    """The whole scoreboard: per data set, over all, coverage, goals, and what was used and skipped."""
    rows, pooled = document["datasets"], document["pooled"]
    head = (
        f"{document['folder']}: {len(document['used'])} series of "
        f"{count(len(rows), 'data set')} from {count(len({row['source'] for row in rows}), 'source')}, "
        f"{count(pooled['points'], 'held-out point')}. Of each series the lowest 60 % of n train; figures are averages "
        "within a data set."
    )
    parts = [
        wrapped(head),
        str(summary_table(document)),
        str(errors_table(document)),
        str(intervals_table(document)),
        str(coverage_table(document)),
        str(goals_table(document)),
    ]
    if document["apart"]:
        parts.append(str(apart_table(document)))
    parts.append("Series used:\n" + bullets(used_lines(document)))
    if document["skipped"]:
        parts.append("Series not scored:\n" + bullets(skipped_lines(document)))
    return "\n\n".join(parts)


def summary_table(document: dict) -> Table:
    """One line for each model: errors over data sets, how often its intervals held, their scores and who is ahead."""
    rows = []
    for name, title in TITLES.items():
        pooled = document["pooled"] if name == "mpps" else document["pooled_baselines"][name]
        rows.append(
            {
                "name": title,
                "error": document["median"][name]["error"],
                "tail": document["percentile80"][name],
                "rest": document["mean_without_two_worst"][name],
                **{key: pooled[key] for key in ("near", "far")},
                "width": number(document["median"][name]["width"], 2),
                "score": number(document["mean"][name]["interval_score"], 2),
                "wins": "" if name == "mpps" else "{wins} of {sets}".format(**document["paired"][name]),
            }
        )
    columns = (
        Column("name", "model"),
        Column("error", "median error", "percent"),
        Column("tail", "80th percentile", "percent"),
        Column("rest", "mean without the two worst", "percent"),
        Column("near", "90 % held, near", "percent"),
        Column("far", "90 % held, far", "percent"),
        Column("width", "median width", "figures"),
        Column("score", "mean interval score", "figures"),
        Column("wins", "sets where mpps scores lower", "figures"),
    )
    return Table(columns, tuple(rows), "", "summary")


def errors_table(document: dict) -> Table:
    """Absolute relative error of the median, per data set and model, with the summaries below."""
    rows = [_error_row(row["name"], row, row) for row in document["datasets"]]
    rows += [_error_row(words, document[key]) for key, words in _SUMMARIES]
    for key, words in (("percentile80", "80th percentile"), ("mean_without_two_worst", "mean without the two worst")):
        rows.append({"name": words, **document[key]})
    columns = (
        Column("name", "data set"),
        Column("series", "series", "count"),
        Column("points", "points", "count"),
        *(Column(name, title, "percent") for name, title in TITLES.items()),
    )
    return Table(columns, tuple(rows), "Error of the median prediction", "errors")


def intervals_table(document: dict) -> Table:
    """Interval scores per data set and model, and how often and how wide the own intervals were."""
    rows = [_interval_row(row["name"], row) for row in document["datasets"]]
    rows += [_interval_row(words, document[key]) for key, words in _SUMMARIES]
    wins = {name: f"{one['wins']} of {one['sets']}" for name, one in document["paired"].items()}
    rows.append({"name": "data sets with a lower score", **wins})
    columns = (
        Column("name", "data set"),
        Column("coverage", "90 % held", "percent"),
        Column("coverage50", "50 % held", "percent"),
        Column("width", "width", "figures"),
        *(Column(name, title, "figures") for name, title in TITLES.items()),
    )
    words = "90 % intervals: how many points they held, their width (log), and interval scores (log; lower is better)"
    return Table(columns, tuple(rows), words, "intervals")


def coverage_table(document: dict) -> Table:
    """Coverage over all points, near and far, with its interval over sources."""
    pooled, rows = document["pooled"], []
    for name, key, points, width in (
        ("all points", "coverage", "points", None),
        ("near, up to twice the training range", "near", "near_points", "near_width"),
        ("far, beyond", "far", "far_points", "far_width"),
    ):
        if pooled[points]:
            held, half = _held(pooled, key), _held(pooled, "coverage50" if key == "coverage" else f"{key}50")
            shown = "" if width is None else number(pooled[width], 2)
            rows.append({"name": name, "points": pooled[points], "held": held, "half": half, "width": shown})
    columns = (
        Column("name", "points"),
        Column("points", "number", "count"),
        Column("held", "inside 90 % (bootstrap over sources)", "figures"),
        Column("half", "inside 50 % (bootstrap over sources)", "figures"),
        Column("width", "median width", "figures"),
    )
    return Table(columns, tuple(rows), "Coverage over all points together", "coverage")


def goals_table(document: dict) -> Table:
    """Each goal with what was measured, reached or not."""
    columns = (Column("name", "figure"), Column("goal", "goal"), Column("value", "measured"), Column("state", "result"))
    return Table(columns, tuple(goal_rows(document)), "Goals", "goals")


def goal_rows(document: dict) -> list[dict]:
    """Goals in words: name, goal, value, state; and whether they are reached, which few sources cannot tell."""
    rows = []
    few = len({row["source"] for row in document["datasets"]}) < _ENOUGH_SOURCES
    for goal in document["goals"]:
        score = goal["name"].endswith("interval score")
        value = number(goal["value"], 3) if score else f"{100 * goal['value']:.1f} %"
        if "lower" in goal:
            value += f" ({100 * goal['lower']:.0f} to {100 * goal['upper']:.0f} %)"
        off = number(goal["distance"], 2) if score else f"{100 * goal['distance']:.1f} points"
        state = "reached" if goal["reached"] else f"MISSED by {off}"
        state = "too few sources to tell" if few else state
        words = goal["name"].removeprefix("interval score lower than ")
        name = f"interval score lower than {TITLES[words]}" if words in TITLES else goal["name"]
        rows.append({"name": name, "goal": goal["goal"], "value": value, "state": state, "reached": goal["reached"]})
    return rows


def apart_table(document: dict) -> Table:
    """Errors of the data sets that were converted to rates."""
    rows = [_error_row(row["name"], row, row) for row in document["apart"]]
    columns = (
        Column("name", "data set"),
        Column("series", "series", "count"),
        Column("points", "points", "count"),
        *(Column(name, title, "percent") for name, title in TITLES.items()),
    )
    return Table(columns, tuple(rows), "Scored apart: converted to rates, error of the median prediction", "apart")


def used_lines(document: dict) -> list[str]:
    """`data set, metric: variant, variant`, for the series that were scored."""
    groups: dict[tuple, list[str]] = {}
    for dataset, variant, metric in document["used"]:
        groups.setdefault((dataset, metric), []).append(variant)
    return [f"{dataset}, {metric}: {', '.join(variants)}" for (dataset, metric), variants in groups.items()]


def skipped_lines(document: dict) -> list[str]:
    """`data set, metric (variants): reason`, for those that were not."""
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for dataset, variant, metric, why in document["skipped"]:
        groups.setdefault((dataset, why), {}).setdefault(metric, []).append(variant)
    return [
        f"{dataset}, {'; '.join(f'{metric} ({_few(variants)})' for metric, variants in metrics.items())}: {why}"
        for (dataset, why), metrics in groups.items()
    ]


def _few(variants: list[str]) -> str:
    return ", ".join(variants) if len(variants) <= 3 else count(len(variants), "variant")


def _error_row(name: str, figures: dict, counts: dict | None = None) -> dict:
    row = {"name": name, **{model: figures[model]["error"] for model in TITLES}}
    return row | {key: counts[key] for key in ("series", "points")} if counts else row


def _interval_row(name: str, figures: dict) -> dict:
    own = figures["mpps"]
    scores = {model: number(figures[model]["interval_score"], 2) for model in TITLES}
    return {
        "name": name,
        "coverage": own["coverage"],
        "coverage50": own["coverage50"],
        "width": number(own["width"], 2),
        **scores,
    }


def _held(pooled: dict, key: str) -> str:
    ends = pooled[f"{key}_interval"]
    return f"{interval(100 * pooled[key], 100 * ends[0], 100 * ends[1])} %"
