"""A user's own table under the sliders: the mixture of explanations as it was fitted, with quantities held at other values.

A quantity moves the draws whose explanation has it. What the table shows beyond its explanations, the level, the drift and
bottlenecks that nobody has seen, stays that of the fitted draws.
"""

import numpy as np

from mpps.answers.own.series import Rates
from mpps.errors import MppsError
from mpps.explore.model import Curves, between, counts_for, reach, with_count
from mpps.explore.position import Choice, Control, Position
from mpps.explore.series_draws import SeriesDraws

AS_FITTED, ALL = "as fitted", "all explanations"
#: Explanations with less weight are no choice of their own, quantities that fewer draws have no slider.
_CHOSEN, _COMMON = 0.02, 0.1
LAP, RATE = "lone_lap", "lone_rate"
_LABELS = {"section": "section", "handoff": "hand-off height", "per_waiter": "hand-off for each waiter"}


class TableModel:
    """The series of a reading, each fitted when it is first shown."""

    kind = "table"
    choice_names = ("variant", "explanation", "against")
    senders = "cores"

    def __init__(self, series: list[Rates], *, cores_max: int, seed: int, title: str):
        one = len({(each.dataset, each.metric) for each in series}) == 1
        self.series = {each.variant if one else each.name: each for each in series}
        self.cores_max, self.seed, self._title = cores_max, seed, title
        self._fitted: dict[str, SeriesDraws] = {}
        self._controls: dict = {}

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
            fit, here = self._draws(position).fit, self.series[name]
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
        key = (position.choices["variant"], position.choices["explanation"])
        if key not in self._controls:
            self._controls[key] = self._made_controls(position)
        return self._controls[key]

    def _made_controls(self, position: Position) -> tuple[Control, ...]:
        draws = self._draws(position)
        fit, mine = draws.fit, draws.explained_by(position.choices["explanation"])
        found = [_lone_control(draws.series, draws.lone[mine])]
        quantities: dict = {}
        for place in np.argsort(-fit.weights):
            for quantity in fit.draws[place].mechanism.quantities:
                # The words are those of the most probable explanation that has it.
                quantities.setdefault(quantity.name, quantity)
        for name, quantity in quantities.items():
            value = draws.values(name)[mine]
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

    # What the sliders answer

    def counts(self, position: Position) -> np.ndarray:
        """Counts of the curve."""
        n = self._draws(position).fit.points.n
        return counts_for(max(self.cores_max, int(n[0])), n[n <= self.cores_max])

    def curves(self, position: Position) -> Curves:
        """The draws at a position."""
        n, settings = with_count(self.counts(position), position.cores), position.settings
        draws, against = self._draws(position), position.choices["against"]
        mine = draws.explained_by(position.choices["explanation"])
        base = draws.as_fitted(n)
        moved, relative = base.curves[mine], base.relative[mine]
        if settings:
            said = draws.relative(n, settings, base.relative)[mine]
            moved = moved - relative + said + _level(draws.lone[mine], settings)[:, None]
            relative = said
        other = base if against == AS_FITTED else self._of(against).as_fitted(n)
        at = int(np.searchsorted(n, position.cores))
        work = draws.work(position.cores, moved[:, at], relative[:, at], settings, mine)
        noise, other_noise = ((each.noisy - each.curves)[mine] for each in (base, other))
        return Curves(n, moved, other.curves[mine], noise, other_noise, work)

    def limits(self, position: Position) -> list[tuple[str, float]]:
        """What limits at the asked count: resource and probability, the most probable first."""
        draws = self._draws(position)
        mine = draws.explained_by(position.choices["explanation"])
        return draws.limits(position.cores, position.settings, mine)

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

    def _draws(self, position: Position) -> SeriesDraws:
        return self._of(position.choices["variant"])

    def _of(self, name: str) -> SeriesDraws:
        """The draws of a series, fitted when they are first asked for."""
        if name not in self._fitted:
            self._fitted[name] = SeriesDraws(self.series[name], self.seed)
        return self._fitted[name]

    @property
    def thing(self) -> str:
        """What a rate counts."""
        return next(iter(self.series.values())).thing


def _lone_control(series: Rates, lone) -> Control:
    """The slider of a lone sender: its lap in ns, or its rate where the unit is no rate of operations."""
    median, lower, upper = between(lone)
    ends = (*reach(median, lower, upper), median, lower, upper)
    if series.per_second is None:
        words = "What a lone sender carries; all counts follow."
        return Control(RATE, "rate of a lone sender", series.unit, *ends, words, 1.0)
    return Control(
        LAP, "lone lap", "ns", *ends, f"Time of one {series.thing} with one sender alone; all counts follow.", 1.0
    )


def _level(lone, settings: dict) -> np.ndarray:
    """Log factor on all rates of a lone lap, or a lone rate, held at a value, (K,)."""
    if RATE in settings:
        return np.log(settings[RATE] / lone)
    return np.log(lone / settings[LAP]) if LAP in settings else np.zeros(len(lone))
