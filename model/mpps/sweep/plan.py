"""The chunks of a sweep: every parameter set of every cell exactly once, in the order of the rows; and its identity."""

import functools
import hashlib
import json
import pathlib
import platform
from dataclasses import dataclass

from mpps.sweep.evaluate import by_core_count
from mpps.sweep.spec import Spec

#: Rates that one chunk computes, about; rows that it holds at most; chunks of a sweep, about, before they grow.
_RATES, _ROWS, _CHUNKS = 1 << 22, 1 << 20, 1 << 14


@dataclass(frozen=True)
class Chunk:
    """Sets first..last - 1 of the cell `cell`; `index` is its place in the sweep."""

    index: int
    cell: int
    first: int
    last: int


@dataclass(frozen=True)
class Plan:
    """What a spec amounts to. sets: parameter sets of each cell; step: sets of a chunk."""

    spec: Spec
    sets: int
    step: int

    @property
    def cells(self) -> int:
        """Combinations of variant, machine, placement and changes."""
        return len(self.spec.keys)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return self.cells * -(-self.sets // self.step)

    @property
    def scenarios(self) -> int:
        """Parameter sets of all cells."""
        return self.cells * self.sets

    @property
    def rates(self) -> int:
        """Rates that are computed: scenarios x draws x core counts."""
        return self.scenarios * max(self.spec.draws, 1) * len(self.spec.cores)

    @property
    def rows_of_a_set(self) -> int:
        """Rows of one scenario."""
        return (len(self.spec.cores) if by_core_count(self.spec.outputs) else 1) * max(len(self.spec.loads), 1)

    @property
    def rows(self) -> int:
        """Rows of the result."""
        return self.scenarios * self.rows_of_a_set

    def chunk(self, index: int) -> Chunk:
        """The chunk at a place from 0."""
        each = -(-self.sets // self.step)
        first = index % each * self.step
        return Chunk(index, index // each, first, min(first + self.step, self.sets))

    @functools.cached_property
    def key(self) -> str:
        """Hash of everything that the result depends on: the spec as resolved, the data, the code and its versions."""
        digest = hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode())
        return digest.hexdigest()[:16]

    @functools.cached_property
    def identity(self) -> dict:
        """What `key` is made of, by name."""
        return {
            "spec": hashlib.sha256(_resolved(self.spec).encode()).hexdigest(),
            "data": _data(self.spec),
            "code": code(),
            "versions": versions(),
            "chunk": self.step,
        }


def plan_of(spec: Spec) -> Plan:
    """The plan of a spec. The chunks depend on the spec alone, not on who computes them."""
    draws, cores = max(spec.draws, 1), len(spec.cores)
    rows = (cores if by_core_count(spec.outputs) else 1) * max(len(spec.loads), 1)
    total = len(spec.keys) * spec.axes.size * draws * cores
    step = max(_RATES, total // _CHUNKS) // (draws * cores)
    return Plan(spec, spec.axes.size, max(1, min(step, _ROWS // rows, spec.axes.size)))


def versions() -> dict[str, str]:
    """Versions of what the bytes of a result depend on beside the code."""
    import importlib.metadata

    from mpps.record import library_versions

    return library_versions() | {"polars": importlib.metadata.version("polars"), "machine": platform.machine()}


#: Code below the package that no result depends on: what shows, writes and scores.
_SHOWS = (
    "charts", "pages", "sentences", "workbook", "explorer", "explore", "engine", "symbolic", "scorecard", "validate", "heldout",
    "advise", "cli", "verbs", "report", "listing", "matrix", "capacity", "tables", "text", "progress", "waiting", "scoreboard",
)  # fmt: skip
#: Code that a worker evaluates chunks with.
_WORKS = (
    "sweep",
    "path",
    "locks",
    "network",
    "normalising",
    "solver",
    "explain",
    "load",
    "queues",
    "units",
    "fit",
    "leastsquares",
    "uncertainty",
)


@functools.cache
def code(worker: bool = False) -> str:
    """Hash of the package's code that results depend on, or of what a worker evaluates with."""
    package = pathlib.Path(__file__).parent.parent
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package)
        top = name.parts[0].removesuffix(".py")
        if top in _WORKS if worker else not top.startswith(_SHOWS):
            digest.update(str(name).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _resolved(spec: Spec) -> str:
    """A spec without what does not change its result: where it lies, and how much it may compute."""
    left_out = ("file", "folder", "given", "limit")
    return repr({name: value for name, value in vars(spec).items() if name not in left_out})


def _data(spec: Spec) -> dict[str, str]:
    """SHA-256 of every file of data that the result rests on."""
    from mpps.root import data_folder

    folder = data_folder()
    files = {} if spec.subject == "network" else {"calibration.json": folder / "calibration.json"}
    if spec.subject == "path":
        from mpps.machine import load_machine
        from mpps.paths import load_path

        path = load_path(spec.name)
        tables = sorted({f"{variant.dataset}.csv" for variant in path.variants if variant.dataset})
        files |= {name: folder / "measurements" / name for name in tables}
        for machine in (path.machine, *filter(None, spec.machines)):
            card = spec.file_of(machine)
            load_machine(card)
            # A card of the user's own may be called as one of the workbook's.
            if machine.endswith((".yaml", ".yml")):
                files[f"own {machine}"] = pathlib.Path(card)
            else:
                files[f"{machine}.yaml"] = folder / "machines" / f"{machine}.yaml"
    if spec.subject == "table":
        table = pathlib.Path(spec.file_of(spec.name))
        files |= {"sources.yaml": folder / "corpus" / "sources.yaml", table.name: table}
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items() if file.is_file()}
