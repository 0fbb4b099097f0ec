"""The explorer as a widget: an ES module and its style beside this file, and the messages between them and the model."""

import functools
from pathlib import Path

from mpps.explore.answering import simulated
from mpps.explore.explorer import in_words

_HERE = Path(__file__).resolve().parent


def live(explorer):
    """The widget of an explorer; its `explorer` goes on answering."""
    made = _class()()
    made.attach(explorer)
    return made


@functools.cache
def _class():
    import anywidget
    import traitlets

    class Live(anywidget.AnyWidget):
        """`asked` comes from the screen: {"number": k, "position": {...}} or {"number": k, "simulate": true}. `answer`
        goes to it with the same number, or `trouble`, a sentence. The screen asks again only when it has its answer,
        with the latest position: nothing queues up."""

        _esm = _HERE / "front.js"
        _css = _HERE / "front.css"
        asked = traitlets.Dict().tag(sync=True)
        frame = traitlets.Dict().tag(sync=True)
        answer = traitlets.Dict().tag(sync=True)

        def attach(self, explorer):
            self._explorer = explorer
            self.show(explorer.answer)
            self.observe(self._heard, "asked")

        def show(self, answer: dict, number: int = 0, **more):
            """Send an answer; what stands around it only when it has changed."""
            rest = {name: value for name, value in answer.items() if name != "frame"}
            with self.hold_sync():
                self.frame = answer["frame"]
                self.answer = rest | {"number": number, "trouble": ""} | more

        def view(self) -> dict:
            """The MIME bundle that a front end makes the widget of."""
            found = self._repr_mimebundle_()
            return dict(found[0] if isinstance(found, tuple) else found)

        def _heard(self, change):
            asked, explorer = change["new"], self._explorer
            number = asked.get("number", 0)
            try:
                self._answer(asked, number)
            except Exception as problem:  # whatever it is, the screen gets a sentence and stays alive
                self.show(explorer.answer, number, trouble=in_words(problem))

        def _answer(self, asked: dict, number: int):
            explorer = self._explorer
            if asked.get("simulate"):
                self.show(explorer.answer, number, simulated=simulated(explorer))
                return
            widget, explorer._widget = explorer._widget, None
            try:
                answer = explorer.follow(asked.get("position", {}))
            finally:
                explorer._widget = widget
            self.show(answer, number)

    return Live
