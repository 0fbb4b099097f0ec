"""What a reader waits for: weight of the report pages, and time to their first chart in a headless chromium."""

import contextlib
import functools
import http.server
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

from series import left_out, single

_WEIGHT = "report pages: weight of the heaviest"
_FIRST = "report pages: time to the first chart, slowest page"
_MOVING = "report pages: time to the first chart that answers to the mouse, slowest page"
_TURNS = 2
#: Tells the server when the first picture of a chart has been painted, and when the first chart has been drawn.
_PROBE = """<script>(function () {
  function tell(what) { fetch("/told?" + what + "=" + performance.now()); }
  function after(test, what) {
    (function look() {
      if (test()) requestAnimationFrame(function () { setTimeout(function () { tell(what); }, 0); });
      else setTimeout(look, 5);
    })();
  }
  after(function () { return document.querySelector("figure.chart svg"); }, "picture");
  after(function () { return document.querySelector("figure.chart.drawn"); }, "drawn");
  after(function () { var one = document.querySelector("figure.chart"); if (one) one.scrollIntoView(); return one; }, "seen");
})();</script>"""
_ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1100,900",
)  # fmt: skip


def rows(report):
    """Weight and times over all pages; `report(row)` takes each as soon as it is there."""
    with tempfile.TemporaryDirectory() as folder:
        program = "import sys, mpps.report as r; sys.exit(r.report(out=sys.argv[1], progress=False).exit_status)"
        subprocess.run(
            [sys.executable, "-c", program, folder], check=False, capture_output=True
        )  # failed ones have pages too
        pages = sorted(pathlib.Path(folder).glob("[0-9]*.html"))
        heaviest = max(pages, key=lambda page: page.stat().st_size)
        weight = heaviest.stat().st_size / 1e6
        report(single(_WEIGHT, heaviest.stem, weight, "MB", goal=1.5, pages={p.stem: p.stat().st_size for p in pages}))
        browser = _browser()
        if browser is None:
            report(left_out(_FIRST, "", "no chromium here (MPPS_CHROMIUM names one)"))
            return
        times = {page.stem: _times(browser, page) for page in pages}
    for work, key, goal in ((_FIRST, "picture", 1.0), (_MOVING, "drawn", None)):
        found = {name: statistics.median(one[key]) for name, one in times.items() if one[key]}
        if len(found) < len(times):
            report(left_out(work, "", f"no answer from {', '.join(sorted(set(times) - set(found)))}"))
            continue
        slowest = max(found, key=found.get)
        report(
            single(
                work, slowest, found[slowest], "s", goal=goal, pages=found, note=f"fastest {min(found.values()):.2f} s"
            )
        )


def _browser() -> str | None:
    named = os.environ.get("MPPS_CHROMIUM")
    return shutil.which(named) if named else shutil.which("chromium") or shutil.which("chromium-browser")


def _times(browser, page) -> dict[str, list[float]]:
    """Seconds from the start of the navigation until the first picture and the first drawn chart, one a turn."""
    found: dict[str, list[float]] = {"picture": [], "drawn": []}
    for _ in range(_TURNS + 1):
        told = _visit(browser, page)
        for name, seconds in told.items():
            found.setdefault(name, []).append(seconds)
    return {name: seconds[1:] for name, seconds in found.items()}  # the first visit fills the caches of the disk


def _visit(browser, page, patience: float = 10.0) -> dict[str, float]:
    told: dict[str, float] = {}
    done = threading.Event()
    # The page may talk to nobody; the copy that is measured may talk to this server.
    text = page.read_text(encoding="utf-8").replace("default-src 'none'", "default-src 'none'; connect-src 'self'", 1)
    text = text.replace("<head>", "<head>" + _PROBE, 1).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path, _, query = self.path.partition("?")
            if path == "/told":
                name, _, value = query.partition("=")
                told[name] = float(value) / 1e3
                if {"picture", "drawn"} <= told.keys():
                    done.set()
            content = text if path == f"/{page.name}" else b""
            self.send_response(200 if content or path == "/told" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        threading.Thread(target=functools.partial(server.serve_forever, poll_interval=0.05), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{page.name}"
        command = [browser, *_ARGUMENTS, f"--user-data-dir={profile}", "--remote-debugging-port=0", address]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            done.wait(patience)
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        server.shutdown()
    return told


if __name__ == "__main__":
    rows(print)
