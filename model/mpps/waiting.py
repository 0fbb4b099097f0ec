"""One line on stderr while something takes long, where somebody watches."""

import contextlib
import sys
import threading

#: Answers that are quicker than this need no line.
_PATIENCE_SECONDS = 0.7


@contextlib.contextmanager
def working(words: str):
    """Show `words` on a terminal's stderr when the body takes longer than a moment; wipe them afterwards."""
    if not sys.stderr.isatty():
        yield
        return
    shown = threading.Event()

    def show():
        shown.set()
        print(f"{words} ...", end="", file=sys.stderr, flush=True)

    timer = threading.Timer(_PATIENCE_SECONDS, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown.is_set():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
