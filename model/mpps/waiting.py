"""One line on stderr while something takes long, where somebody watches."""

import contextlib
import sys
import threading

#: Answers that are quicker than this need no line.
_PATIENCE_SECONDS = 0.7


@contextlib.contextmanager
def working(words: str):
    """Show `words` on a terminal's stderr when the body takes longer than a moment; wipe them afterwards.

    Yields what to call with (done, total), which then stand behind the words.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    shown, lock = threading.Event(), threading.Lock()
    part = ""

    def line():
        print(f"\r{words}{part} ...\033[K", end="", file=sys.stderr, flush=True)

    def show():
        with lock:
            shown.set()
            line()

    def tell(done: int, total: int) -> None:
        nonlocal part
        with lock:
            part = f": {done} of {total}"
            if shown.is_set():
                line()

    timer = threading.Timer(_PATIENCE_SECONDS, show)
    timer.daemon = True
    timer.start()
    try:
        yield tell
    finally:
        timer.cancel()
        timer.join()
        if shown.is_set():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
