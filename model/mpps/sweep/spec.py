"""The spec of a sweep: read from YAML or a dict, checked wholly before anything runs, every name resolved."""

import pathlib
from dataclasses import dataclass

from mpps.errors import MppsError, unknown_name
from mpps.sweep import outputs
from mpps.sweep.axes import Axes

#: Rates that a sweep computes at most (sets x draws x core counts) unless the spec's `limit` says otherwise.
LIMIT = 1e11
#: Draws that a scenario is made of when the spec does not say: all that a fit has, about so many.
DRAWS = {"path": 400, "table": 4000, "network": 0}
PLACEMENTS = ("packed", "spread")


@dataclass(frozen=True)
class Spec:
    """A checked spec. subject: "path", "table" or "network"; name: a code path's slug, a file, or a hand-off form.

    machines: slug, file or None (where it was measured); changes: sets of changes, each in the language of `mpps.alter`;
    loads in packets/s (of a table in its unit); draws: members of the mixture for each scenario, 0 for the best estimate;
    every: all that there are.
    """

    file: str
    folder: pathlib.Path
    subject: str
    name: str
    how: tuple[tuple[str, str], ...]
    variants: tuple[str, ...]
    machines: tuple[str | None, ...]
    placement: tuple[str | None, ...]
    cores: tuple[int, ...]
    loads: tuple[float, ...]
    changes: tuple[tuple[dict, ...], ...]
    axes: Axes
    draws: int
    every: bool
    outputs: tuple[str, ...]
    against: str | None
    queue: int
    seed: int
    limit: float
    given: dict

    @property
    def keys(self) -> list[tuple]:
        """The cells, in the order of the rows: (variant, machine, placement, place in `changes`)."""
        return [
            (variant, machine, placement, change)
            for variant in self.variants
            for machine in self.machines
            for placement in self.placement
            for change in range(len(self.changes))
        ]

    def file_of(self, name: str) -> str:
        """A machine or table as it can be loaded: a file of the user's stands relative to the spec."""
        return str(self.folder / name) if str(name).endswith((".yaml", ".yml")) or self.subject == "table" else name


def read_spec(source, seed: int | None = None) -> Spec:
    """The spec in a YAML file or a dict, with another seed when one is given. Raises `MppsError` that names the file, the key, what was found and expected."""
    from mpps.sweep.reading import content
    from mpps.sweep.resolving import resolved

    other = {} if seed is None else {"seed": seed}
    if isinstance(source, dict):
        return resolved("sweep", pathlib.Path.cwd(), source | other, lambda *key: "sweep" + _key(key))
    given, place = content(source)
    return resolved(str(source), pathlib.Path(source).resolve().parent, given | other, place)


def _key(key) -> str:
    return f", key {'.'.join(map(str, key))!r}" if key else ""


def wrong(place, key: tuple, found, expected: str, mend: str = "") -> MppsError:
    """The error for a value of a spec."""
    shown = found if isinstance(found, str) and found.startswith("found ") else f"found {found!r}"
    return MppsError(f"{place(*key)}: {shown}: expected {expected}" + (f"; {mend}" if mend else ""))


def chosen(place, key: tuple, name, kind: str, known):
    """`name` where it is among `known`; the error names the nearest."""
    if name not in known:
        raise MppsError(f"{place(*key)}: {unknown_name(kind, name, known)}")
    return name


def all_outputs() -> dict[str, str]:
    """Name -> what it says, of every output."""
    return outputs.EACH | outputs.LOADED | outputs.WHOLE | outputs.WHOLE_LOADED
