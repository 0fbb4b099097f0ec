"""What is believed of a table before it is seen: odds of the mechanisms, where their quantities lie, the discrepancy."""

import functools
import json
from dataclasses import dataclass

import numpy as np

from mpps.discrepancy import Discrepancy, broad
from mpps.root import data_folder
from mpps.table.nouns import Mechanism


@dataclass(frozen=True, eq=False)
class Prior:
    """log_odds, center and width by the name of a mechanism; `words` say where they come from."""

    discrepancy: Discrepancy
    log_odds: dict[str, float]
    center: dict[str, np.ndarray]
    width: dict[str, np.ndarray]
    words: str

    def of(self, mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, float]:
        """Center and width (p,) of the normal prior of its coordinates, and its log odds."""
        size = len(mechanism.quantities)
        return (
            self.center.get(mechanism.name, np.zeros(size)),
            self.width.get(mechanism.name, np.ones(size)),
            self.log_odds.get(mechanism.name, float(np.log(mechanism.odds))),
        )


def broad_prior() -> Prior:
    """Physics alone: every quantity log-uniform over its range, no published table seen."""
    return Prior(broad(), {}, {}, {}, "broad ranges of physics; no published table")


@functools.cache
def _stored() -> dict:
    return json.loads((data_folder() / "calibration.json").read_text(encoding="utf-8"))


@functools.cache
def learnt_prior(source: str | None = None) -> Prior:
    """The prior that the corpus taught, without `source` if that is one of its sources."""
    document = _stored()
    return _from_plain(document["without"].get(source, document["all"]))


def calibrated_sources() -> tuple[str, ...]:
    """The sources of which each has a prior that leaves it out."""
    return tuple(_stored()["without"])


def write_priors(file, everything: Prior, without: dict[str, Prior], date: str) -> None:
    """Write what `learnt_prior` reads."""
    document = {
        "schema": "mpps.calibration/1",
        "date": date,
        "all": _plain(everything),
        "without": {source: _plain(prior) for source, prior in without.items()},
    }
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _plain(prior: Prior) -> dict:
    short = lambda values: np.round(np.asarray(values, float), 4).tolist()
    return {
        "words": prior.words,
        "persistence": round(prior.discrepancy.persistence, 4),
        "hazard": round(prior.discrepancy.hazard, 4),
        "fall": round(prior.discrepancy.fall, 4),
        "log_weights": short(prior.discrepancy.log_weights),
        "mechanisms": {
            name: {
                "log_odds": round(float(odds), 4),
                "center": short(prior.center.get(name, ())),
                "width": short(prior.width.get(name, ())),
            }
            for name, odds in prior.log_odds.items()
        },
    }


def _from_plain(document: dict) -> Prior:
    mechanisms = document["mechanisms"]
    return Prior(
        Discrepancy(np.array(document["log_weights"]), document["persistence"], document["hazard"], document["fall"]),
        {name: each["log_odds"] for name, each in mechanisms.items()},
        {name: np.array(each["center"], float) for name, each in mechanisms.items()},
        {name: np.array(each["width"], float) for name, each in mechanisms.items()},
        document["words"],
    )
