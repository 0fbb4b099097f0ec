"""What changes did: how much of the contended time they kept, by the kind of change, learnt from published pairs."""

import functools
import json
from dataclasses import dataclass

import numpy as np

from mpps.errors import unknown_name
from mpps.root import data_folder

KINDS = ("removal", "replacement", "cost")
#: Shares of the plateau and of the collapse that a change may keep; above one it makes things worse.
KEPT_PLATEAU = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0, 1.2])
KEPT_COLLAPSE = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.25])
#: Width of a drawn share around its place on the grid, relative.
_BETWEEN = 0.15
#: A change of cost that shows at the smallest count saves that, and seldom more: chance that it leaves the contended
#: time alone, when it shows there and when it does not.
_COST_ALONE = {True: 0.75, False: 0.35}
_SHOWS = 1.05


def grid() -> np.ndarray:
    """Every pair (kept plateau, kept collapse), (G, 2)."""
    return np.stack(np.meshgrid(KEPT_PLATEAU, KEPT_COLLAPSE, indexing="ij"), -1).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Population:
    """By kind: weights (G,) of the grid; log of the lone rates' ratio, after over before, and its weights; the chance
    that nothing contended changes, beside what the grid says of that."""

    weights: dict[str, np.ndarray]
    ratios: dict[str, tuple[np.ndarray, np.ndarray]]
    nothing: dict[str, float]
    words: str


def check_kind(kind: str) -> str:
    """The kind itself; raises `UnknownNameError` for another one."""
    if kind not in KINDS:
        raise unknown_name("kind of change", kind, KINDS)
    return kind


def draw_kept(population: Population, kind: str, log_ratio, rng) -> np.ndarray:
    """Shares of plateau and collapse that draws of a change keep, (K, 2); log_ratio (K,): gain at the smallest count."""
    count = len(log_ratio)
    kept = grid()[rng.choice(len(grid()), count, p=population.weights[kind])]
    kept = kept * np.exp(_BETWEEN * rng.standard_normal((count, 2)))
    place, alone = rng.random(count), rng.random(count)
    if kind != "cost":
        return kept
    shows = log_ratio > np.log(_SHOWS)
    alone = alone < np.where(shows, _COST_ALONE[True], _COST_ALONE[False])
    # Work saved inside the section shortens the contended time as much as the lap; work saved outside leaves it.
    inside = np.exp(-np.maximum(log_ratio, 0.0))
    return np.where(alone[:, None], (inside + (1 - inside) * place)[:, None], kept)


def draw_ratios(population: Population, kind: str, count: int, rng) -> np.ndarray:
    """Log ratios of the lone rates where nobody measured one, (count,): those of published changes, smoothed."""
    values, weights = population.ratios[kind]
    return rng.choice(values, count, p=weights) + 0.1 * rng.standard_normal(count)


@functools.cache
def _stored() -> dict:
    return json.loads((data_folder() / "changes.json").read_text(encoding="utf-8"))


def learnt_population(source: str | None = None) -> Population:
    """What published pairs taught, without those of `source` if it is one of theirs."""
    document = _stored()
    found = document["without"].get(source, document["all"])
    weights = {kind: np.array(found["weights"][kind]) for kind in KINDS}
    ratios = {
        kind: (np.array(found["ratios"][kind]["log"]), np.array(found["ratios"][kind]["weight"])) for kind in KINDS
    }
    total = {kind: (values, weight / weight.sum()) for kind, (values, weight) in ratios.items()}
    shares = {kind: each / each.sum() for kind, each in weights.items()}
    return Population(shares, total, found["nothing"], found["words"])


def write_populations(file, everything: Population, without: dict[str, Population], date: str) -> None:
    """Write what `learnt_population` reads."""
    document = {
        "schema": "mpps.changes/1",
        "date": date,
        "all": _plain(everything),
        "without": {source: _plain(each) for source, each in without.items()},
    }
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _plain(population: Population) -> dict:
    short = lambda values: np.round(np.asarray(values, float), 5).tolist()
    return {
        "words": population.words,
        "nothing": {kind: round(population.nothing[kind], 5) for kind in KINDS},
        "weights": {kind: short(population.weights[kind]) for kind in KINDS},
        "ratios": {kind: {"log": short(pair[0]), "weight": short(pair[1])} for kind, pair in population.ratios.items()},
    }
