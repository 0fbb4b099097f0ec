"""What reading gives: rows with the line that each stands on, what was understood, and what was not."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

#: Columns that every tidy table has, in this order.
COLUMNS = ("dataset", "variant", "n", "metric", "value", "unit")

#: Optional columns with a number; every other optional column is a label.
NUMBERS = ("lower", "upper", "stdev", "repeat")


@dataclass(frozen=True)
class Row:
    """One value as printed, and where: `value` in `unit` ('' when nobody says), n None when the source gives no count."""

    dataset: str
    variant: str
    n: float | None
    metric: str
    value: float
    unit: str
    printed: str  # the digits of the value, without separators and unit
    file: str
    line: int  # counted from 1
    lower: float | None = None  # a smallest value or lower end that the source prints beside it
    upper: float | None = None
    stdev: float | None = None
    repeat: int | None = None
    labels: tuple[tuple[str, str], ...] = ()  # further names, such as ("cpu", "3")

    @property
    def label(self) -> str:
        """Variant and labels as a chart names them: "no lock, gro on"."""
        return ", ".join([self.variant, *(f"{name} {text}" for name, text in self.labels)])


@dataclass(frozen=True)
class Ignored:
    """A line that looks like data and gave no row, with the reason."""

    file: str
    line: int
    text: str
    why: str


@dataclass(frozen=True)
class Check:
    """A printed change beside the two values that it belongs to; it is a check, never a row."""

    file: str
    line: int
    printed: str
    before: str
    after: str
    names: tuple[str, str]  # variants before and after
    agrees: bool


@dataclass(frozen=True, eq=False)
class ReadSeries:
    """The values of one data set, variant and metric in ascending n; arrays are (k,), read-only.

    `variant` holds the labels too. The same n may stand several times, for repeats.
    """

    dataset: str
    variant: str
    metric: str
    unit: str
    n: np.ndarray
    value: np.ndarray
    lines: tuple[int, ...]
    files: tuple[str, ...]
    printed: tuple[str, ...]
    lower: np.ndarray  # NaN where nothing is printed
    upper: np.ndarray
    stdev: np.ndarray


@dataclass(frozen=True)
class Part:
    """What one reader makes of one file."""

    rows: tuple[Row, ...]
    understood: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    checks: tuple[Check, ...] = ()
    locks: tuple["LockUse", ...] = ()


@dataclass(frozen=True)
class LockUse:
    """One lock or caller of a profile; times in ns, None where the profile does not print it."""

    name: str
    line: int
    contended: float
    wait_total_ns: float
    acquired: float | None = None
    wait_max_ns: float | None = None
    hold_total_ns: float | None = None
    kind: str = ""  # spinlock, mutex, rwsem:R, ...


@dataclass(frozen=True)
class Reading:
    """All rows of all files, with provenance; `formats` names the reader of each file and why it was chosen."""

    rows: tuple[Row, ...]
    formats: tuple[tuple[str, str, str], ...]  # file, name of the reader, why
    understood: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    checks: tuple[Check, ...] = ()
    locks: tuple[LockUse, ...] = ()
    sha256: dict[str, str] = field(default_factory=dict)  # of each file, hexadecimal

    def series(self) -> tuple[ReadSeries, ...]:
        """Rows that have a count, cut by data set, variant with labels, metric and unit, in order of appearance."""
        groups: dict[tuple, list[Row]] = {}
        following = _following(self.rows)
        for row in self.rows:
            if row.n is not None:
                key = (row.dataset, row.variant, row.metric, row.unit)
                label = replace(row, labels=tuple(pair for pair in row.labels if pair[0] not in following[key])).label
                groups.setdefault((row.dataset, label, row.metric, row.unit), []).append(row)
        return tuple(_series(key, rows) for key, rows in groups.items())

    def uncounted(self) -> tuple[Row, ...]:
        """Rows for which the source gives no count."""
        return tuple(row for row in self.rows if row.n is None)

    def label_names(self) -> tuple[str, ...]:
        """Names of all labels, in order of appearance."""
        return tuple(dict.fromkeys(name for row in self.rows for name, _ in row.labels))


@dataclass(frozen=True)
class Options:
    """What the user settles: names of columns, and a unit for values that have none."""

    n: str | None = None
    value: str | None = None
    variant: str | None = None
    unit: str | None = None


@dataclass(frozen=True)
class Claim:
    """How sure a reader is that a file is its own: 100 is a mark that nothing else prints; `why` shows the mark."""

    strength: int
    why: str


@dataclass(frozen=True)
class Reader:
    """One format: its name for `--format`, what it reads, whether a file is its own, and its rows.

    `claim(source)` is None or a `Claim`; `read(source, options)` is a `Part` and raises `DataError`.
    """

    name: str
    title: str
    claim: Callable
    read: Callable


def _following(rows) -> dict[tuple, set[str]]:
    """Labels with numbers that go with n, such as the connections of a run with more threads: they part no series."""
    values: dict[tuple, dict[str, dict[float, set[str]]]] = {}
    for row in rows:
        if row.n is not None:
            names = values.setdefault((row.dataset, row.variant, row.metric, row.unit), {})
            for name, text in row.labels:
                names.setdefault(name, {}).setdefault(row.n, set()).add(text)
    out: dict[tuple, set[str]] = {}
    for key, names in values.items():
        out[key] = {
            name
            for name, by_n in names.items()
            if len(by_n) > 1
            and all(len(texts) == 1 for texts in by_n.values())
            and all(text.isdigit() for texts in by_n.values() for text in texts)
        }
    return out


def _series(key: tuple, rows: list[Row]) -> ReadSeries:
    rows = sorted(rows, key=lambda row: row.n)  # stable: repeats keep their order

    def column(name: str) -> np.ndarray:
        cells = [getattr(row, name) for row in rows]
        values = np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
        values.flags.writeable = False
        return values

    arrays = {name: column(name) for name in ("n", "value", "lower", "upper", "stdev")}
    texts = {name: tuple(getattr(row, name[:-1]) for row in rows) for name in ("lines", "files")}
    return ReadSeries(*key, **arrays, **texts, printed=tuple(row.printed for row in rows))
