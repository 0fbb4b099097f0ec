"""Which column of a table is which: synonyms for the columns of a tidy table, and the user's own choice."""

from mpps.errors import DataError, unknown_name
from mpps.readers.core.counts import counts_what
from mpps.readers.core.nouns import NUMBERS, Options
from mpps.readers.core.source import Source
from mpps.readers.core.units import unit_of

SYNONYMS = {
    "dataset": ("dataset", "data set", "data_set", "table", "benchmark", "bench", "experiment", "testcase", "test case", "workload", "source"),
    "variant": ("variant", "kernel", "version", "config", "configuration", "case", "patch", "series", "label", "name", "branch",
                "mode", "setup", "variable", "implementation", "impl", "lock type", "algorithm", "build", "commit", "state", "test"),
    "metric": ("metric", "measure", "quantity", "measurement", "counter", "event", "stat", "indicator"),
    "value": ("value", "rate", "throughput", "result", "mean", "avg", "average", "median", "score", "performance", "perf", "speed",
              "bandwidth", "goodput", "tput", "total", "y"),
    "unit": ("unit", "units", "uom"),
    "lower": ("lower", "lo", "min", "minimum", "ci_low", "ci_lower", "lower bound", "p5", "q05", "low"),
    "upper": ("upper", "hi", "max", "maximum", "ci_high", "ci_upper", "upper bound", "p95", "q95", "high"),
    "stdev": ("stdev", "stddev", "std", "sd", "sigma", "std dev", "std. dev.", "std_dev", "standard deviation", "stderr", "+-", "±", "error"),
    "repeat": ("repeat", "run", "rep", "repetition", "iteration", "iter", "sample", "trial", "boot", "round", "run_id", "seed"),
}  # fmt: skip

#: Columns that say where a row came from: nothing to measure.
PROVENANCE = (
    "file",
    "line",
    "lines",
    "path",
    "host",
    "hostname",
    "date",
    "time",
    "timestamp",
    "ts",
    "index",
    "id",
    "row",
)


def wanted(source: Source, line: int, names: list[str], option: str, choice: str) -> int:
    """Place of the column that the user named with `option`, by its name or its number from 1."""
    folded = [folded_name(name) for name in names]
    if folded_name(choice) in folded:
        return folded.index(folded_name(choice))
    if choice.isascii() and choice.isdigit() and 1 <= int(choice) <= len(names):
        return int(choice) - 1
    raise DataError(f"{source.file}, line {line}: {option} {choice!r}: {unknown_name('column', choice, names)}")


def folded_name(name: str) -> str:
    """A column name for comparison: lower case, one space, no quotes."""
    return " ".join(name.strip().strip("\"'`*").lower().replace("_", " ").split())


def split_unit(heading: str) -> tuple[str, str]:
    """Name and unit of a heading such as `throughput (Mpps)`, `rate [Gbit/s]`, `Mpps`; '' where there is none."""
    heading = heading.strip()
    if len(heading) == 1 and heading != "%":
        return heading, ""
    for opening, closing in (("(", ")"), ("[", "]")):
        if heading.endswith(closing) and opening in heading:
            name, _, text = heading[:-1].rpartition(opening)
            if unit := unit_of(text):
                return name.strip(), unit.name
    if "," in heading:
        name, _, text = heading.rpartition(",")
        if (unit := unit_of(text)) and name.strip():
            return name.strip(), unit.name
    if unit := unit_of(heading):
        return "", unit.name
    if heading.endswith("%") or heading.startswith("%"):
        return heading.strip("% "), "percent"
    words = heading.replace("_", " ").split()
    for size in (3, 2, 1):
        if (
            len(words) > size
            and (unit := unit_of(" ".join(words[-size:])))
            and (unit.is_rate or unit.family in ("time", "share") and len(words[-1]) > 1)
        ):
            return " ".join(words[:-size]), unit.name
    return heading, ""


def roles(source: Source, line: int, names: list[str], options: Options) -> dict[str, int]:
    """Places of the tidy columns that the names, or the options, tell; the first column that matches."""
    found: dict[str, int] = {}
    for role, choice in (("n", options.n), ("value", options.value), ("variant", options.variant)):
        if choice is not None:
            found[role] = wanted(source, line, names, f"--{role}", choice)
    taken = set(found.values())
    for role in ("dataset", "metric", "unit", "value", "variant", *NUMBERS):
        if role in found:
            continue
        place = _place(names, SYNONYMS[role], taken)
        if place is not None:
            found[role] = place
            taken.add(place)
    if "n" not in found:
        counting = [
            place
            for place, name in enumerate(names)
            if place not in taken and counts_what(name.replace("_", " ")) or folded_name(name) == "n"
        ]
        exact = [place for place in counting if folded_name(names[place]) == "n"]
        if exact or len(counting) == 1:
            found["n"] = (exact or counting)[0]
        elif counting:
            found["n several"] = counting[0]
    return found


def _place(names: list[str], synonyms, taken: set[int]) -> int | None:
    folded = [folded_name(name) for name in names]
    for synonym in synonyms:
        for place, name in enumerate(folded):
            if place not in taken and name == folded_name(synonym):
                return place
    return None
