"""What the last cell records: key numbers with their ends, the hashes of the data, the run's parameters."""

from mpps.measurements import load
from mpps.workbook.studies import Study


def figure(value, unit: str = "") -> dict:
    """A number of the record: a value, or (median, lower, upper), or anything with those names."""
    if hasattr(value, "median"):
        value = (value.median, value.lower, value.upper)
    if not isinstance(value, tuple):
        return {"value": value, "unit": unit}
    return {"value": value[0], "lower": value[1], "upper": value[2], "unit": unit}


def percent(fraction) -> dict:
    """A fraction, or (median, lower, upper) of fractions, as a number of the record in percent."""
    if isinstance(fraction, tuple):
        return figure(tuple(None if part is None else 100 * part for part in fraction), "%")
    return figure(100 * fraction, "%")


def facts(study: Study) -> dict:
    """What the record of a notebook says of its run: question, hashes of the tables, seed."""
    datasets = dict.fromkeys(variant.dataset for variant in study.path.variants if variant.dataset)
    return {"question": study.path.question, "data_sha256": hashes(*datasets), "seed": study.seed}


def hashes(*datasets: str) -> dict[str, str]:
    """File -> SHA-256 of each table behind an answer."""
    return {f"{dataset}.csv": load(dataset).card.sha256 for dataset in datasets}
