"""A user's own table under the sliders: the mixture of explanations as it was fitted, with quantities held at other values.

A quantity moves the draws whose explanation has it. What the table shows beyond its explanations, the level, the drift and
bottlenecks that nobody has seen, stays that of the fitted draws.
"""

import numpy as np

from mpps.answers.own.fitting import fitted
from mpps.answers.own.series import Rates
from mpps.errors import MppsError
from mpps.explore.model import Curves, between, counts_for, reach, with_count
from mpps.explore.position import Choice, Control, Position
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

AS_FITTED, ALL = "as fitted", "all explanations"
#: Explanations with less weight are no choice of their own, quantities that fewer draws have no slider.
_CHOSEN, _COMMON = 0.02, 0.1
LAP = "lone_lap"
_LABELS = {"section": "section", "handoff": "hand-off height", "per_waiter": "hand-off for each waiter"}
_FAR = (4, 16)
#: Draws that limits are made of where something was moved: a third of those of the fit, and a third of the time.
_FEWER = 500


class TableModel:
    """The series of a reading, each fitted when it is first shown."""

    kind = "table"
    choice_names = ("variant", "explanation", "against")
    senders = "cores"

    def __init__(self, series: list[Rates], *, cores_max: int, seed: int, title: str):
        one = len({(each.dataset, each.metric) for each in series}) == 1
        self.series = {each.variant if one else each.name: each for each in series}
        self.cores_max, self.seed, self._title = cores_max, seed, title
        self._fits: dict[str, TableFit] = {}
        self._kept: dict = {}

    # What can be chosen

    def start(self, changes: dict) -> Position:
        """The position that nobody moved, for the choices of `changes`."""
        first = changes.get("variant") or next(iter(self.series))
        base = Position({"variant": first, "explanation": ALL, "against": AS_FITTED}, 1)
        base = base.moved({k: v for k, v in changes.items() if v is not None}, self.choice_names)
        if changes.get("cores") is not None or base.choices["variant"] not in self.series:
            return base
        return base.moved({"cores": min(self.measured(base)[1], self.cores_max)}, self.choice_names)

    def choices(self, position: Position) -> tuple[Choice, ...]:
        """Series, explanation, and what the gain is against: another series in the same unit."""
        name = position.choices["variant"]
        told, beside = [], []
        if name in self.series:
            fit, here = self._fit(position), self.series[name]
            order = [int(place) for place in np.argsort(-fit.weights) if fit.weights[place] >= _CHOSEN]
            told = [
                (fit.draws[p].mechanism.name, f"{fit.draws[p].mechanism.name}, {fit.weights[p]:.0%}") for p in order
            ]
            same = lambda other: (other.unit, other.metric, other.each) == (here.unit, here.metric, here.each)
            beside = [(other, other) for other, each in self.series.items() if other != name and same(each)]
        return (
            Choice("variant", "Variant", name, tuple((known, known) for known in self.series)),
            Choice("explanation", "Explanation", position.choices["explanation"], ((ALL, "all, by weight"), *told)),
            Choice("against", "Compare with", position.choices["against"], ((AS_FITTED, "itself, as fitted"), *beside)),
        )

    def controls(self, position: Position) -> tuple[Control, ...]:
        """A lone sender's lap, and the quantities that at least a tenth of the draws have, the commonest first."""
        key = ("controls", position.choices["variant"], position.choices["explanation"])
        if key not in self._kept:
            self._kept[key] = self._made_controls(position)
        return self._kept[key]

    def _made_controls(self, position: Position) -> tuple[Control, ...]:
        fit, mine = self._fit(position), self._mine(position)
        lone = self._fitted_curves(position, self.counts(position))["lap"][mine]
        found = [self._lap_control(position, lone)]
        quantities: dict = {}
        for place in np.argsort(-fit.weights):
            for quantity in fit.draws[place].mechanism.quantities:
                # The words are those of the most probable explanation that has it.
                quantities.setdefault(quantity.name, quantity)
        for name, quantity in quantities.items():
            value = self._values(position, name)[mine]
            share = float(np.isfinite(value).mean())
            if share < _COMMON:
                continue
            median, lower, upper = between(value[np.isfinite(value)])
            low, high = reach(median, lower, upper)
            # Numbers of cores and flows, and shares, have ends of their own.
            low = max(low, quantity.low / (4 if quantity.unit in ("share", "ratio", "") else 1))
            high = min(high, quantity.high if quantity.unit == "share" else np.inf)
            words = f"{quantity.meaning[:1].upper()}{quantity.meaning[1:]}."
            words += "" if share > 0.995 else f" {share:.0%} of the draws have it; the others stay."
            label = _LABELS.get(name, name.replace("_", " "))
            unit = {"share": "of a lone lap" if name == "section" else "", "ratio": "", "flows": "flows"}.get(
                quantity.unit, quantity.unit
            )
            found.append(Control(name, label, unit, low, high, median, lower, upper, words, share))
        return (found[0], *sorted(found[1:], key=lambda control: -control.influence))

    def _lap_control(self, position: Position, lone) -> Control:
        each = self.series[position.choices["variant"]]
        median, lower, upper = between(lone)
        low, high = reach(median, lower, upper)
        if each.per_second is None:
            words = "What a lone sender carries; all counts follow."
            return Control("lone_rate", "rate of a lone sender", each.unit, low, high, median, lower, upper, words, 1.0)
        words = f"Time of one {each.thing} with one sender alone; all counts follow."
        return Control(LAP, "lone lap", "ns", low, high, median, lower, upper, words, 1.0)

    # What the sliders answer

    def counts(self, position: Position) -> np.ndarray:
        """Counts of the curve."""
        n = self._fit(position).points.n
        return counts_for(max(self.cores_max, int(n[0])), n[n <= self.cores_max])

    def curves(self, position: Position) -> Curves:
        """The draws at a position."""
        n = with_count(self.counts(position), position.cores)
        base, mine = self._fitted_curves(position, n), self._mine(position)
        fit, settings = self._fit(position), position.settings
        relative = base["relative"][mine]
        moved, said = base["curves"][mine], relative
        if settings:
            said = self._relative(fit, n, settings, base["relative"])[mine]
            moved = moved - relative + said + self._level(base["lap"][mine], settings)[:, None]
        against = position.choices["against"]
        other = (
            base
            if against == AS_FITTED
            else self._fitted_curves(position.moved({"variant": against}, self.choice_names), n)
        )
        work = self._work(position, moved, said, n, mine)
        noise = (base["noisy"] - base["curves"])[mine]
        other_noise = (other["noisy"] - other["curves"])[mine]
        return Curves(n, moved, other["curves"][mine], noise, other_noise, work)

    def limits(self, position: Position) -> list[tuple[str, float]]:
        """What limits at the asked count: resource and probability, the most probable first."""
        count = _FEWER if position.settings else DRAWS
        fit, some = self._fit(position), self._mine(position)[:count]
        last = reach_of(fit.points)
        near = grid(last)
        n = np.concatenate([near, [last * times for times in _FAR]])
        key = ("limits", position.choices["variant"])
        if key not in self._kept:
            self._kept[key] = self._relative(fit, n, {})[:DRAWS]
        relative = self._relative(fit, n, position.settings, self._kept[key][:count])[some]
        names = np.array([limit_name(draws.mechanism) for draws in fit.draws], dtype=object)[fit.mechanism[:count]][
            some
        ]
        knees = knee(relative[:, : len(near)], relative[:, len(near) :], last, names == PRIVATE)
        full = self._held(position, "cores")[:count][some]
        knees = np.where(names == UNEQUAL, np.where(full > last, np.inf, full), knees)
        return [(row["resource"], row["probability"]) for row in limiting(knees, names, [position.cores])]

    def exact(self, position: Position):
        """Raises `MppsError`: there is nothing to simulate."""
        raise MppsError("The curves of a table's explanations are exact: there is nothing to simulate.")

    # What is said of it

    def unit(self, position: Position) -> str:
        """Unit of the file."""
        return self.series[position.choices["variant"]].unit or "rate"

    def shown(self, rate, position: Position):
        """Rates of all together as the file counts them: where it counts those of one, divided by n in `respond`."""
        return rate

    def each(self, position: Position) -> bool:
        """Whether the file has the rate of one sender."""
        return bool(self.series[position.choices["variant"]].each)

    def observed(self, position: Position) -> list[dict]:
        """Measured rates, repeats apart: n, rate, source."""
        each = self.series[position.choices["variant"]]
        share = each.n if each.each else 1.0
        return [
            {"n": int(n), "rate": float(rate), "source": each.dataset}
            for n, rate in zip(each.n, each.rate / share, strict=True)
            if n <= self.cores_max
        ]

    def measured(self, position: Position) -> tuple[int, int]:
        """Smallest and largest measured count."""
        n = self.series[position.choices["variant"]].n
        return int(n.min()), int(n.max())

    def title(self, position: Position) -> str:
        return self._title

    def simulates(self, position: Position) -> bool:
        """The networks of tables are exact."""
        return False

    # Draws

    def _fit(self, position: Position) -> TableFit:
        name = position.choices["variant"]
        if name not in self._fits:
            self._fits[name] = fitted(self.series[name], self.seed)
        return self._fits[name]

    def _mine(self, position: Position) -> np.ndarray:
        """Draws of the chosen explanation, (K,) bool; all where there is no choice."""
        fit, chosen = self._fit(position), position.choices["explanation"]
        places = [place for place, draws in enumerate(fit.draws) if draws.mechanism.name == chosen]
        return np.isin(fit.mechanism, places) if places else np.ones(len(fit.mechanism), bool)

    def _fitted_curves(self, position: Position, n) -> dict:
        """Draws as fitted at n: log rates with and without scatter, relative ones, and a lone sender's lap."""
        name, key = position.choices["variant"], (position.choices["variant"], tuple(n))
        if key not in self._kept:
            fit, each = self._fit(position), self.series[name]
            found = forecast_points(fit, n)
            level = curves(fit, [1.0], len(fit.mechanism)).middle[:, 0]
            lap = np.exp(level) if each.per_second is None else 1e9 / (np.exp(level) * each.per_second)
            relative = self._relative(fit, np.asarray(n, float), {})
            self._kept[key] = {"curves": found.curves, "noisy": found.noisy, "relative": relative, "lap": lap}
        return self._kept[key]

    def _relative(self, fit: TableFit, n, settings: dict, fitted=None) -> np.ndarray:
        """Log rate relative to a lone sender at n (P,), quantities held at `settings`: (K, P), of as many draws as `fitted`
        has, which holds the same without settings."""
        mechanism, draw = (
            (fit.mechanism, fit.draw) if fitted is None else (each[: len(fitted)] for each in (fit.mechanism, fit.draw))
        )
        said = np.empty((len(mechanism), len(n))) if fitted is None else fitted.copy()
        for place, draws in enumerate(fit.draws):
            mine = mechanism == place
            names = {quantity.name for quantity in draws.mechanism.quantities}
            if not mine.any() or not (fitted is None or names & set(settings)):
                continue
            rows, again = np.unique(draw[mine], return_inverse=True)
            values = draws.mechanism.values(draws.coordinates[rows])
            held = {name: np.full((len(rows), 1), settings[name]) for name in names if name in settings}
            curve = draws.mechanism.curve(values | held, np.asarray(n, float))
            said[mine] = np.broadcast_to(curve, (len(rows), len(n)))[again]
        return said

    def _values(self, position: Position, name: str) -> np.ndarray:
        """Values of a quantity in the draws as fitted, nan where an explanation has none, (K,)."""
        key = ("values", position.choices["variant"], name)
        if key not in self._kept:
            self._kept[key] = quantity_of(self._fit(position), name, COUNT)
        return self._kept[key]

    @staticmethod
    def _level(lap, settings: dict) -> np.ndarray:
        """Log factor on all rates of a lone lap, or a lone rate, held at a value, (K,)."""
        if "lone_rate" in settings:
            return np.log(settings["lone_rate"] / lap)
        return np.log(lap / settings[LAP]) if LAP in settings else np.zeros(len(lap))

    def _work(self, position: Position, moved, relative, n, mine) -> dict:
        """Parts of a lap in ns of a sender's time at the asked count, without hand-off and waiting."""
        each = self.series[position.choices["variant"]]
        if each.per_second is None:
            return {}
        held = lambda name: self._held(position, name)[mine]
        serial = np.clip(held("section") * (1 + held("second")) + held("contention"), 0.0, 1.0)
        at = int(np.searchsorted(n, position.cores))
        parts = lap_parts(serial, held("sharing"), relative[:, [at]], [position.cores])[:, 0]
        whole = position.cores * 1e9 / (np.exp(moved[:, at]) * each.per_second)
        share = parts / parts.sum(1, keepdims=True)
        return {name: share[:, place] * whole for place, name in enumerate(PARTS[:-1])}

    def _held(self, position: Position, name: str) -> np.ndarray:
        """Values of a quantity where the sliders stand, 0 in draws that have none, (K,)."""
        value = self._values(position, name)
        return np.where(np.isfinite(value), position.settings.get(name, np.nan_to_num(value)), 0.0)

    @property
    def thing(self) -> str:
        """What a rate counts."""
        return next(iter(self.series.values())).thing
