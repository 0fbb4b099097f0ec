"""Fill in what README.md and the pages of docs/ show of the program: outputs of commands, and the picture.

    python docs/generate.py            write them (make readme)
    python docs/generate.py --check    say what differs from a run, and end with status 1

A page marks an output by comments; everything between them is made:

    <!-- made by: mpps list paths -->
    <!-- end -->

`| head N` behind a command keeps its first N lines; a mistake of the user shows its message. Words must be the same on every machine, numbers to 5 % or to one
and a half of their last digit: fits end with other last digits on other processors. How long a run takes, and with how many workers, is the machine's own.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: README.md and every page of docs/ that has marks.
PAGES = (
    "README.md",
    *sorted(
        f"docs/{page.name}"
        for page in (ROOT / "docs").glob("*.md")
        if "<!-- made by: " in page.read_text(encoding="utf-8")
    ),
)
PICTURE = ROOT / "docs" / "images" / "pppoe_receive.png"

_BLOCK = re.compile(r"<!-- made by: (?P<command>.+?) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_TIME = re.compile(r"\b[\d.e+-]+ (?:s|minutes|hours|days) with \d+ workers?\b")


def commands(text: str) -> list[str]:
    """The commands whose outputs a page shows."""
    return [match["command"] for match in _BLOCK.finditer(text)]


def made(command: str) -> str:
    """What stands between the marks for a command: Markdown as it comes, anything else as a console."""
    line, _, head = command.partition(" | head ")
    words = shlex.split(line)
    program = [sys.executable, "-m", "mpps.cli"] if words[0] == "mpps" else [sys.executable]
    # Paragraphs follow the terminal; what is shown does not.
    environment = os.environ | {"PYTHONPATH": str(ROOT / "model"), "COLUMNS": "100"}
    run = subprocess.run([*program, *words[1:]], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 2) or (run.returncode and words[0] != "mpps"):
        raise SystemExit(f"{line}: exit status {run.returncode}\n{run.stderr}")
    output = (run.stdout or run.stderr).rstrip("\n")
    if head:
        kept = output.splitlines()[: int(head)]
        output = "\n".join(kept).rstrip() + "\n..." if len(kept) < len(output.splitlines()) else output
    return f"{output}\n" if "--markdown" in words else f"```console\n$ {line}\n{output}\n```\n"


def filled(text: str) -> str:
    """A page with every output made anew."""
    return _BLOCK.sub(lambda match: f"<!-- made by: {match['command']} -->\n{made(match['command'])}<!-- end -->", text)


def differences(shown: str, fresh: str) -> list[str]:
    """Where two outputs say different things: other words, or numbers further apart than machines may be."""
    found = []
    before, after = ([line.split() for line in text.splitlines() if line.strip(" -|")] for text in (shown, fresh))
    if len(before) != len(after):
        found.append(f"{len(before)} lines are shown, {len(after)} are made")
    for old, new in zip(before, after, strict=False):
        if not _alike(" ".join(old), " ".join(new)):
            found.append(f"shown: {' '.join(old)}\n  made: {' '.join(new)}")
    return found


def _alike(old: str, new: str) -> bool:
    old, new = _TIME.sub("some time", old), _TIME.sub("some time", new)
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        return False
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return all(abs(_value(a) - _value(b)) <= max(0.05 * _value(a), 1.5 * _last_digit(a)) for a, b in pairs)


def _value(printed: str) -> float:
    return float(printed.replace(",", ""))


def _last_digit(printed: str) -> float:
    return 10.0 ** -len(printed.partition(".")[2])


def picture() -> bytes:
    """The README's chart as PNG: four sets of locks, what was measured, what the fit says, and what follows beyond."""
    import mpps
    from mpps import charts
    from mpps.answers import predict_answer

    path = mpps.load_path("pppoe_receive")
    names = ("no lock", "ppp lock only", "socket lock only", "both locks")
    answer = predict_answer(path, range(1, 33), variants=names)
    rows = [row | {"variant": series["variant"]} for series in answer["series"] for row in series["predictions"]]
    seen = {row["n"]: row["observed"] for row in rows if row["variant"] == "both locks"}
    title = f"PPPoE receive: with both locks eight senders move {seen[8]:.0f} Gbit/s and four move {seen[4]:.0f}"
    return charts.to_png(charts.scaling(rows, title=title, unit="Gbit/s"), scale=1.25)


def main(arguments: list[str]) -> int:
    """Write the pages, or check them; the exit status."""
    status = 0
    for name in PAGES:
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        if "--check" not in arguments:
            page.write_text(filled(text), encoding="utf-8")
            continue
        for match in _BLOCK.finditer(text):
            for difference in differences(match["body"], made(match["command"])):
                print(f"{name}: {match['command']}: {difference}")
                status = 1
    if "--check" not in arguments:
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_bytes(picture())
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
