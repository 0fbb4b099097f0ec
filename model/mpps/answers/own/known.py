"""What a table fixes of its best mechanism's parameters: each alone, only together, or not at all; in names and in words."""

import numpy as np

from mpps.table import TableFit
from mpps.table.parameters import together
from mpps.text import percent

#: A parameter that is better known than this (90 % half-width of the logarithm) is fixed.
_FIXED = 0.3
_SAID = (
    ("fixed", "The table fixes {}."),
    ("loose", "It leaves a wide interval to {}."),
    ("one_sided", "It bounds {} on one side only."),
    ("prior", "Of {} other published tables speak, not this one."),
    ("unknown", "It says nothing of {}."),
)


def known(fit: TableFit, best: dict) -> dict:
    """Names of the parameters of `best`, a row of `mechanisms`: fixed alone, loose (two ends, but wide), one_sided, prior
    (only the prior knows), unknown; together: pairs of which only the product, the ratio or the sum is known; words."""
    groups: dict = {key: [] for key, _ in _SAID}
    for row in best["parameters"]:
        how = {"one-sided": "one_sided", "prior": "prior", "no": "unknown"}.get(row["by"])
        if how is None:
            how = "fixed" if np.log(row["upper"] / row["lower"]) / 2 < _FIXED else "loose"
        groups[how].append(row["name"])
    place = next(k for k, draws in enumerate(fit.draws) if draws.mechanism.name == best["name"])
    found = {"mechanism": best["name"]} | groups | {"together": together(fit, place)}
    return found | {"words": _words(found)}


def _words(found: dict) -> list[str]:
    said = [words.format(_listed(found[key])) for key, words in _SAID if found[key]]
    for pair in found["together"]:
        first, second = pair["names"]
        spreads = [percent(np.expm1(each)) for each in (pair["spread"], *pair["alone"])]
        said.append(
            f"The {pair['kind']} of {first} and {second} is known to ±{spreads[0]}, either alone only to ±{spreads[1]} "
            f"and ±{spreads[2]}."
        )
    return said


def _listed(names) -> str:
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
