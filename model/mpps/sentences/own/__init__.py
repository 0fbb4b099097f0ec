"""Answers for a user's own table: what limits and from where on, what an operation costs, what comes next, what is not
known; then tables."""

from mpps.sentences.own.pairs import comparisons
from mpps.sentences.own.tables import legend, marks, mechanism_tables, parameter_table, prediction_tables
from mpps.sentences.own.words import answer, limit, rate, unknown
from mpps.sentences.rows import readable
from mpps.sentences.words import bullets, wrapped

__all__ = ["fit_table_text", "predict_table_text"]

#: Longest name of a data set that stands before each of its variants.
_LONGEST = 30


def fit_table_text(document: dict) -> str:
    """What `mpps fit FILE` prints."""
    series = _readable(document["series"])
    parts = [_read(document, series)]
    explained: set[str] = set()
    parts.append(bullets(answer(each, explained) for each in series))
    parts.append(comparisons(document))
    if document["advice"]:
        parts.append(wrapped(f"Next: {document['advice']['words']}"))
    parts.append("What is not known:\n" + bullets(unknown(series)))
    if document["warnings"]:
        parts.append("Warnings:\n" + bullets(document["warnings"]))
    for dataset, metric, unit in dict.fromkeys((each["dataset"], each["metric"], each["unit"]) for each in series):
        mine = [each for each in series if (each["dataset"], each["metric"], each["unit"]) == (dataset, metric, unit)]
        parts += prediction_tables(f"{dataset}: {metric}{_in(unit)}", mine)
    parts.append(marks(series))
    parts += mechanism_tables(series)
    parts += [parameter_table(each) for each in series]
    parts.append(legend(series))
    return "\n\n".join(part for part in parts if part)


def predict_table_text(document: dict) -> str:
    """What `mpps predict FILE` prints."""
    series = _readable(document["series"])
    parts = [_read(document, series)]
    explained: set[str] = set()
    parts.append(
        bullets(f"{each['name']}: {rate(each['predictions'][-1], each)}; {limit(each, explained)}" for each in series)
    )
    for dataset, metric, unit in dict.fromkeys((each["dataset"], each["metric"], each["unit"]) for each in series):
        mine = [each for each in series if (each["dataset"], each["metric"], each["unit"]) == (dataset, metric, unit)]
        parts += prediction_tables(f"{dataset}: {metric}{_in(unit)}", mine)
    parts.append(marks(series))
    if document["warnings"]:
        parts.append("Warnings:\n" + bullets(document["warnings"]))
    parts.append("Rests on:\n" + bullets(item["says"] for item in document["assumptions"]))
    return "\n\n".join(part for part in parts if part)


def _readable(found: list[dict]) -> list[dict]:
    """Series with rates in a unit for people; `file_unit` keeps that of the file, `name` tells each from the others."""
    series = []
    for each in found:
        beyond = readable({"unit": each["unit"], "predictions": each.get("beyond", [])})["predictions"]
        series.append(readable(each) | {"file_unit": each["unit"], "beyond": beyond, "name": _name(each, found)})
    return series


def _name(series: dict, found: list[dict]) -> str:
    """The variant; with the data set and the metric where these differ. A data set with a long name goes by its number."""
    datasets, metrics = (list(dict.fromkeys(each[key] for each in found)) for key in ("dataset", "metric"))
    dataset = series["dataset"] if _short(datasets) else f"table {datasets.index(series['dataset']) + 1}"
    parts = [dataset if len(datasets) > 1 else "", series["variant"], series["metric"] if len(metrics) > 1 else ""]
    return ", ".join(part for part in parts if part)


def _short(datasets) -> bool:
    return max(map(len, datasets)) <= _LONGEST


def _read(document: dict, series) -> str:
    """What was read, in a line or two for each file."""
    lines = [f"{each['file']}: read as {each['format']}: {each['why']}." for each in document["read"]["files"][:3]]
    more = len(document["read"]["files"]) - len(lines)
    if more > 0:
        lines.append(f"And {more} more files.")
    names = dict.fromkeys(f"{each['metric']}{_in(each['unit'])}" for each in series)
    lines.append(f"{len(series)} series ({', '.join(names)}) of {document['read']['values']} values.")
    datasets = list(dict.fromkeys(each["dataset"] for each in series))
    if len(datasets) > 1 and not _short(datasets):
        lines += [f"Table {number} is: {name}." for number, name in enumerate(datasets, start=1)]
    return "\n".join(wrapped(line) for line in lines)


def _in(unit: str) -> str:
    return f" in {unit}" if unit else ", unit not stated"
