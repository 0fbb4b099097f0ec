"""The checks of moves as one plain document (schema `mpps.transfer/1`)."""

from mpps.record import library_versions, plain
from mpps.validate.goals import at_least, below, between
from mpps.validate.transfer.curves import BASELINES, KNOWING, WAYS, held_hosts
from mpps.validate.transfer.operations import moved_operations
from mpps.validate.transfer.scion import scion

SCHEMA = "mpps.transfer/1"
#: Operations that a code path of this project predicts, so that they have to be inside.
OWN = "page_pool"


def validate_transfer(*, seed: int = 1) -> dict:
    """Score moves to other hosts; about 20 seconds.

    `operations` (see `moved_operations`), `hosts` (see `held_hosts`), `scion` (see `scion`), `goals`. All shares are
    fractions.
    """
    document = {
        "schema": SCHEMA,
        "versions": library_versions(),
        "seed": seed,
        "operations": moved_operations(seed),
        "hosts": held_hosts(seed),
        "scion": scion(seed),
    }
    return plain(document | {"goals": goals(document)})


def goals(document: dict) -> list[dict]:
    """What moves are to reach, with what was measured and what is missing."""
    mean, operations, found = document["hosts"]["mean"], document["operations"], []
    for way in WAYS:
        rivals = [name for name in BASELINES if (name in KNOWING) == (way in KNOWING)]
        best = min(mean[name]["interval_score"] for name in rivals)
        name = f"hosts held out, {WAYS[way]}: interval score"
        found.append(below(name, f"{best:.2f}", mean[way]["interval_score"], best))
    for way in WAYS:
        share = mean[way]["points_inside"] / mean[way]["points"]
        found.append(between(f"hosts held out, {WAYS[way]}: points inside the 90 % interval", share, 0.85, 0.95))
    share = operations["points_inside"] / operations["points"]
    found.append(between("operations moved: inside the 90 % interval", share, 0.85, 0.95))
    own = [
        row["inside"] for row in operations["rows"] if row["operation"].startswith(OWN) and row["from"] == "xeon_8580"
    ]
    found.append(at_least("page_pool operations from the measured host inside", "all", sum(own) / len(own), 1.0))
    moved = [row["inside"] for row in document["scion"]["moved"]]
    found.append(at_least("SCION platforms inside, each from each", "all", sum(moved) / len(moved), 1.0))
    return found
