"""What the last cell records: key numbers with their ends, the hashes of the data, the run's parameters."""

from mpps.measurements import load


def figure(value, unit: str = "") -> dict:
    """A number of the record: a value, or (median, lower, upper), or anything with those names."""
    if hasattr(value, "median"):
        value = (value.median, value.lower, value.upper)
    if not isinstance(value, tuple):
        return {"value": value, "unit": unit}
    return {"value": value[0], "lower": value[1], "upper": value[2], "unit": unit}


def hashes(*datasets: str) -> dict[str, str]:
    """File -> SHA-256 of each table behind an answer."""
    return {f"{dataset}.csv": load(dataset).card.sha256 for dataset in datasets}
