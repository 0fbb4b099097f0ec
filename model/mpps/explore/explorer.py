"""The object that `mpps.explore` returns: a model, where its sliders stand, and how it shows itself."""

import os

from mpps.charts.show import CHARTS
from mpps.errors import MppsError
from mpps.explore.answering import respond, simulated
from mpps.explore.position import Position


class Explorer:
    """Sliders over a model. `answer` is what it says where they stand; `move` moves them, also those on the screen."""

    def __init__(self, model, position: Position):
        self.model, self.position = model, position
        self.answer = respond(self)
        self._widget = None

    def __repr__(self) -> str:
        return f"Explorer of {self.answer['frame']['title']}: {self.answer['says']['all']}"

    def respond(self, position: dict | None = None) -> dict:
        """The answer at another position, without going there; see `mpps.explore.respond`."""
        return respond(self, position)

    def simulate(self, position: dict | None = None) -> dict:
        """The curve with a correction simulated for a position; see `mpps.explore.simulated`."""
        return simulated(self, position)

    def move(self, *, reset: bool = False, cores: int | None = None, **changes) -> dict:
        """Go to cores, choices (`variant=`, `machine=`, `against=`, ...) and parameters (`section_ns=40`); the answer there.

        A parameter that is None goes back to its fit, all of them with `reset`. Raises `MppsError` and stays where it is
        for unknown names and impossible values.
        """
        choices = {name: changes.pop(name) for name in self.model.choice_names if name in changes}
        settings = {} if reset else dict(self.position.settings)
        settings |= changes
        asked = choices | {"settings": {name: value for name, value in settings.items() if value is not None}}
        return self._go(asked if cores is None else asked | {"cores": cores})

    def follow(self, position: dict) -> dict:
        """As the screen asks: go there, without the settings and the comparison that a new choice does not have."""
        names = self.model.choice_names
        at = self.position.moved(position, names)
        if at.choices != self.position.choices:
            choices = {choice.name: [value for value, _ in choice.options] for choice in self.model.choices(at)}
            changed = {name for name in names if at.choices[name] != self.position.choices[name]}
            first = {
                name: known[0]
                for name, known in choices.items()
                if name not in changed and at.choices[name] not in known
            }
            at = at.moved(first, names)
            # A value that was set on one machine, or in one series, says nothing of another.
            known = [control.name for control in self.model.controls(at)] if changed == {"against"} else ()
            at = at.moved({"settings": {name: value for name, value in at.settings.items() if name in known}}, names)
        return self._go(at.as_dict())

    def _go(self, position: dict) -> dict:
        at = self.position.moved(position, self.model.choice_names)
        answer = respond(self, at.as_dict())
        self.position, self.answer = at, answer
        if self._widget is not None:
            self._widget.show(answer)
        return answer

    @property
    def widget(self):
        """The live widget, made when it is first asked for."""
        if self._widget is None:
            from mpps.explore.live import live

            self._widget = live(self)
        return self._widget

    def _repr_mimebundle_(self, include=None, exclude=None):
        from mpps.explore import still

        # A batch draws its pictures in one process, and no page of it could run a widget.
        if os.environ.get(CHARTS) == "json":
            return still.bundle(self.answer, svg=False)
        bundle = still.bundle(self.answer, svg=True)
        return (self.widget.view() | bundle) if _in_a_notebook() else bundle


def _in_a_notebook() -> bool:
    """Whether a kernel runs this, which a front end can talk to."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None


def in_words(problem: Exception) -> str:
    """What went wrong, as a sentence for the screen."""
    if isinstance(problem, MppsError):
        return str(problem)
    kind = type(problem).__name__
    return f"The model could not answer ({kind}: {problem}). The curve is that of the last position that it could."
