"""The line on stderr while something takes long: on a terminal alone, with how far it is, and wiped afterwards."""

import io
import sys
import threading

import pytest

from mpps import verbs, waiting
from mpps.waiting import working


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def now(monkeypatch):
    """Timers that run out at once, so that nothing has to be waited for."""

    class Timer:
        def __init__(self, seconds, call):
            self.start = call

        def cancel(self):
            pass

        join = cancel

    monkeypatch.setattr(waiting, "threading", type("threads", (), {**vars(threading), "Timer": Timer}))


def test_the_line_says_how_far_it_is_and_goes(monkeypatch, now):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with working("fitting") as advance:
        advance(3, 120)
    shown = sys.stderr.getvalue().split("\r")

    assert [part.removesuffix("\033[K") for part in shown] == ["", "fitting ...", "fitting: 3 of 120 ...", ""]


def test_nothing_is_shown_elsewhere(monkeypatch, now):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with working("fitting") as advance:
        advance(3, 120)

    assert sys.stderr.getvalue() == ""


@pytest.mark.parametrize("verb", ["fit", "predict"])
def test_series_of_a_file_are_counted(monkeypatch, now, capsys, tmp_path, verb):
    file = tmp_path / "mine.csv"
    file.write_text("cores,old Mpps,new Mpps\n1,1,2\n2,1.9,3.9\n4,3.3,7.5\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stderr", Terminal())
    how = {"variants": (), "how": {}, "seed": 1, "as_json": False}
    if verb == "fit":
        verbs.fit([str(file)], at=None, **how)
    else:
        verbs.predict([str(file)], cores="8", machine=None, settings=(), **how)

    assert f"fitting {file}: 2 of 2 ..." in sys.stderr.getvalue()


def test_advice_on_a_path_has_the_line_too(monkeypatch, now, capsys):
    from mpps import verbs_advise
    from mpps.answers import advice
    from mpps.sentences import advice as sentences

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(advice, "advise_answer", lambda *_, **__: {})
    monkeypatch.setattr(sentences, "advise_text", lambda document: "")
    verbs_advise.advise(["pppoe_receive"], at=None, variants=(), how={}, seed=1, as_json=False)

    assert "fitting pppoe_receive: up to two minutes" in sys.stderr.getvalue()
