"""The observations of a joint fit: printed values as log rates and log busy shares, with their scatter."""

from dataclasses import dataclass

import numpy as np

from mpps.errors import DataError
from mpps.measurements import load
from mpps.path import CodePath, Variant
from mpps.units import to_rate_pps

#: Relative scatter assumed where a path states none: two published repeats of one kernel benchmark differ by
#: about this much (docs/modelling.md).
DEFAULT_SCATTER = 0.02


@dataclass(frozen=True)
class Points:
    """The observations of a joint fit, R rows sorted by variant and n.

    variant (R,) index into variants; n (R,); value (R,) log rate (packets/s) or log busy share;
    scatter (R,) relative standard deviation assumed; busy (R,) bool; printed value and unit per row;
    source: (dataset, variant, metric, CSV line).
    """

    variants: tuple[Variant, ...]
    variant: np.ndarray
    n: np.ndarray
    value: np.ndarray
    scatter: np.ndarray
    rounding: np.ndarray
    busy: np.ndarray
    printed: tuple[str, ...]
    unit: tuple[str, ...]
    source: tuple[tuple[str, str, str, int], ...]

    def keep(self, rows) -> "Points":
        """The rows where the mask (R,) is True."""
        index = np.flatnonzero(rows)
        arrays = (getattr(self, name)[index] for name in ("variant", "n", "value", "scatter", "rounding", "busy"))
        labels = (tuple(getattr(self, name)[k] for k in index) for name in ("printed", "unit", "source"))
        return Points(self.variants, *arrays, *labels)

    def rows_of(self, variant: int) -> slice:
        """The rows of one variant."""
        found = np.flatnonzero(self.variant == variant)
        return slice(found[0], found[-1] + 1) if found.size else slice(0, 0)


def points_of(path: CodePath, scope: str) -> Points:
    """Read the measurements of a scope's variants as rows of log rate and log busy share."""
    variants = tuple(path.variant(name) for name in path.scope(scope).variants)
    rows = []
    for index, variant in enumerate(variants):
        if not variant.dataset:
            continue
        table = load(variant.dataset)
        for metric, kind in variant.observe:
            for series in table.series(metric, variant=variant.series, **dict(variant.where)):
                rows += _rows(path, index, series, kind)
    rows.sort(key=lambda row: (row[0], row[5], row[1]))
    columns = list(zip(*rows, strict=True))
    numeric = [np.array(column) for column in columns[:6]]
    return Points(
        variants,
        numeric[0].astype(int),
        numeric[1],
        numeric[2],
        numeric[3],
        numeric[4],
        numeric[5].astype(bool),
        *columns[6:],
    )


def _rows(path, index, series, kind):
    scatter = dict(path.scatter).get(series.dataset, DEFAULT_SCATTER)
    low, high, value = (np.asarray(part, float) for part in (series.lower, series.upper, series.value))
    if kind == "idle":
        low, value, high = (1 - part / 100 for part in (high, value, low))
    else:
        try:
            low, value, high = (to_rate_pps(part, series.unit, path.packet_bytes) for part in (low, value, high))
        except ValueError as problem:
            raise DataError(
                f"{series.dataset}.csv, line {series.rows[0]}, column unit: {series.unit!r} of variant {series.variant!r}: "
                f"{problem}; state packet_bytes in {series.dataset}.yaml or give the rate in packets"
            ) from problem
    half_width = np.abs(np.log(high / low)) / 2
    # A rounded value is uniform within its interval: standard deviation is half the width over sqrt(3).
    spread = np.hypot(scatter, half_width / np.sqrt(3.0))
    return [
        (
            index,
            n,
            np.log(value[k]),
            spread[k],
            half_width[k],
            kind == "idle",
            series.printed[k],
            series.unit,
            (series.dataset, series.variant, series.metric, int(series.rows[k])),
        )
        for k, n in enumerate(series.n)
    ]
