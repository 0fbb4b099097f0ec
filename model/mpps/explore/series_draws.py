"""The mixture draws of one series of a table, as they were fitted and with quantities held at other values."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mpps.answers.own.fitting import fitted
from mpps.answers.own.series import Rates
from mpps.table import TableFit, forecast_points
from mpps.table.fitting import COUNT
from mpps.table.limits import (
    DRAWS,
    PARTS,
    PRIVATE,
    UNEQUAL,
    curves,
    grid,
    knee,
    lap_parts,
    limit_name,
    limiting,
    quantity_of,
    reach_of,
)

#: What a level off is looked for at counts so many times the last one, as `mpps.table.limits` does.
_FAR = (4, 16)
#: Draws that limits are made of where something was moved: a third of those of the fit, and a third of the time.
_FEWER = 500
#: Sets of counts whose fitted curves are kept.
_KEPT = 12


@dataclass(frozen=True, eq=False)
class Fitted:
    """Draws as fitted at some counts: log rates with drift, with scatter too, and relative to a lone sender by the
    explanation alone, (K, P) each."""

    curves: np.ndarray
    noisy: np.ndarray
    relative: np.ndarray


class SeriesDraws:
    """K draws of the mixture of one series."""

    def __init__(self, series: Rates, seed: int):
        self.series = series
        self.fit: TableFit = fitted(series, seed)
        self._values: dict[str, np.ndarray] = {}
        self._fitted: OrderedDict = OrderedDict()

    def explained_by(self, name: str) -> np.ndarray:
        """Draws of the explanation of that name, (K,) bool; all where there is none."""
        places = [place for place, draws in enumerate(self.fit.draws) if draws.mechanism.name == name]
        return np.isin(self.fit.mechanism, places) if places else np.ones(len(self.fit.mechanism), bool)

    @cached_property
    def lone(self) -> np.ndarray:
        """A lone sender's lap in ns, or its rate where the unit is no rate of operations, (K,)."""
        rate = np.exp(curves(self.fit, [1.0], len(self.fit.mechanism)).middle[:, 0])
        return rate if self.series.per_second is None else 1e9 / (rate * self.series.per_second)

    def as_fitted(self, n) -> Fitted:
        """The draws at counts n (P,)."""
        key = tuple(n)
        if key not in self._fitted:
            found = forecast_points(self.fit, n)
            self._fitted[key] = Fitted(found.curves, found.noisy, self.relative(n, {}))
            if len(self._fitted) > _KEPT:
                self._fitted.popitem(last=False)
        return self._fitted[key]

    def relative(self, n, settings: dict, without=None) -> np.ndarray:
        """Log rate relative to a lone sender at n (P,), quantities held at `settings`, (K, P); of as many draws as
        `without` has, which holds the same without settings."""
        count = None if without is None else len(without)
        mechanism, draw = self.fit.mechanism[:count], self.fit.draw[:count]
        said = np.empty((len(mechanism), len(n))) if without is None else without.copy()
        for place, draws in enumerate(self.fit.draws):
            mine = mechanism == place
            names = {quantity.name for quantity in draws.mechanism.quantities}
            if not mine.any() or not (without is None or names & set(settings)):
                continue
            # Many draws of the mixture are the same explanation with another scatter.
            rows, again = np.unique(draw[mine], return_inverse=True)
            values = draws.mechanism.values(draws.coordinates[rows])
            held = {name: np.full((len(rows), 1), settings[name]) for name in names if name in settings}
            curve = draws.mechanism.curve(values | held, np.asarray(n, float))
            said[mine] = np.broadcast_to(curve, (len(rows), len(n)))[again]
        return said

    def values(self, name: str) -> np.ndarray:
        """Values of a quantity as fitted, nan where an explanation has none, (K,)."""
        if name not in self._values:
            self._values[name] = quantity_of(self.fit, name, COUNT)
        return self._values[name]

    def held(self, name: str, settings: dict) -> np.ndarray:
        """Values of a quantity where the sliders stand, 0 in draws that have none, (K,)."""
        value = self.values(name)
        return np.where(np.isfinite(value), settings.get(name, np.nan_to_num(value)), 0.0)

    def limits(self, cores: int, settings: dict, mine) -> list[tuple[str, float]]:
        """What limits at a count: resource and share of the draws `mine` (K,) bool, the largest first."""
        count = _FEWER if settings else DRAWS
        some, last = mine[:count], reach_of(self.fit.points)
        near, n = self._far_counts
        relative = self.relative(n, settings, self._far[:count])[some]
        names = np.array([limit_name(draws.mechanism) for draws in self.fit.draws], dtype=object)
        names = names[self.fit.mechanism[:count]][some]
        knees = knee(relative[:, :near], relative[:, near:], last, names == PRIVATE)
        full = self.held("cores", settings)[:count][some]
        knees = np.where(names == UNEQUAL, np.where(full > last, np.inf, full), knees)
        return [(row["resource"], row["probability"]) for row in limiting(knees, names, [cores])]

    @cached_property
    def _far_counts(self) -> tuple[int, np.ndarray]:
        """How many counts a knee is looked for at, and these with those beyond."""
        last = reach_of(self.fit.points)
        near = grid(last)
        return len(near), np.concatenate([near, [last * times for times in _FAR]])

    @cached_property
    def _far(self) -> np.ndarray:
        return self.relative(self._far_counts[1], {})[:DRAWS]

    def work(self, cores: int, log_rate, relative, settings: dict, mine) -> dict[str, np.ndarray]:
        """Parts of a lap in ns of a sender's time with `cores` senders, hand-off and waiting left out, (K,) each.

        log_rate (K,): of all together; relative (K,): to a lone sender. Empty where the unit is no rate of operations.
        """
        if self.series.per_second is None:
            return {}
        held = lambda name: self.held(name, settings)[mine]
        serial = np.clip(held("section") * (1 + held("second")) + held("contention"), 0.0, 1.0)
        parts = lap_parts(serial, held("sharing"), relative[:, None], [cores])[:, 0]
        whole = cores * 1e9 / (np.exp(log_rate) * self.series.per_second)
        share = parts / parts.sum(1, keepdims=True)
        return {name: share[:, place] * whole for place, name in enumerate(PARTS[:-1])}
