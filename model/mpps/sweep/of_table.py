"""Cells of a table of the user's own: the draws of its mixture, which no parameter moves."""

import functools

import numpy as np

from mpps.errors import MppsError
from mpps.sweep import outputs
from mpps.sweep.cell import Cell
from mpps.sweep.cells import chosen_draws

#: What a table does not say.
_NOT = ("gain", *outputs.LOADED)


def check_outputs(spec, place) -> None:
    """Raises `MppsError` for outputs that need a code path."""
    for name in spec.outputs:
        if name in _NOT:
            known = [each for each in (*outputs.EACH, *outputs.WHOLE, *outputs.WHOLE_LOADED) if each not in _NOT]
            raise MppsError(
                f"{place('outputs')}: {name} needs a code path; a table answers {', '.join(known)}"
                + (" (gains of a change: `mpps whatif FILE`)" if name == "gain" else "")
            )


def series_of(spec) -> list:
    """The series of the spec's table that are rates. Raises `MppsError` as `mpps.read` does."""
    return _series(spec.file_of(spec.name), spec.how)


@functools.lru_cache(maxsize=2)
def _series(file: str, how: tuple) -> list:
    from mpps.answers.own import chosen_series

    return chosen_series((file,), (), dict(how))[1]


def table_cell(spec, variant: str) -> Cell:
    """The cell of one variant of a table; of several series of that name, the first."""
    from mpps.answers.own.fitting import fitted, prior_words
    from mpps.table import forecast_points
    from mpps.table.limits import limits_of

    series = next(each for each in series_of(spec) if each.variant == variant)
    fit = fitted(series, spec.seed)
    n = np.array(spec.cores)
    said = forecast_points(fit, n)
    limits = limits_of(fit, len(said.curves))
    chosen = chosen_draws(len(said.curves), None if spec.every else spec.draws, spec.seed)
    curves, noise = said.curves[chosen].T, (said.noisy - said.curves)[chosen].T
    knees, names = limits.knees[chosen], limits.names[chosen]
    if not spec.draws:
        # One set: the medians of the mixture.
        curves, noise = np.median(curves, axis=1)[:, None], None
        knees = np.array([np.quantile(knees, 0.5, method="lower")])
        told, count = np.unique(names.astype(str), return_counts=True)
        names = np.array([told[count.argmax()]])
    words = (prior_words(fit, series), "the machine stays the one that was measured; only the count changes")
    return Cell(
        {"variant": variant},
        n,
        series.unit,
        1.0,
        len(chosen) if spec.draws else 0,
        noise=noise,
        fixed=np.exp(curves),
        knee=knees,
        limits=tuple(map(str, names)),
        words=tuple({"says": text} for text in words),
        notes={"dataset": series.dataset, "metric": series.metric, "rate of": "all together"},
    )


def table_limits(cell: Cell, count: int, wanted, row) -> dict:
    """Columns of knee, limits_first and limits for `count` equal sets."""
    from mpps.sweep.evaluate import named_column
    from mpps.table.limits import PRIVATE

    names = [PRIVATE, *sorted(set(cell.limits) - {PRIVATE})]
    place = np.array([names.index(name) for name in cell.limits])
    knee = np.broadcast_to(cell.knee, (count, len(cell.knee)))
    columns = {}
    if "limits" in wanted:
        here = np.where(cell.n[:, None, None] >= knee, place, 0)
        columns |= named_column("limits", here, names, row, cell.draws)
    if "knee" in wanted:
        columns |= {name: row(value) for name, value in outputs.spread("knee", knee).items()}
    if "limits_first" in wanted:
        columns |= named_column("limits_first", np.where(np.isfinite(knee), place, 0), names, row, cell.draws)
    return columns
