"""README and guides: every command runs, every shown output is what a run prints, every example works."""

import importlib.util
import re
import shlex
import subprocess

import pytest
import yaml

from mpps import cli, compare, matrix, scorecard
from mpps.machine import load_machine
from mpps.path import CodePath
from mpps.predict import predict
from mpps.whatif import whatif
from samples import ROOT

PAGES = ("README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")))


def script(name):
    """A script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate, pictures = script("generate"), script("pictures")


def text(page):
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page, language):
    """Fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text(page), re.MULTILINE | re.DOTALL)


COMMANDS = [line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines() if line.strip()]
OUTPUTS = [(page, match) for page in generate.PAGES for match in generate._BLOCK.finditer(text(page))]


def argument(command):
    return command.removeprefix(".venv/bin/mpps ")


def test_the_two_commands_come_first():
    assert COMMANDS[:2] == ["make report", "make test"]


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("make ")])
def test_make_targets_exist(command):
    """The targets run in `.ci/run` and in the tests of the environment; here they are known to make."""
    subprocess.run(["make", "-C", ROOT, "--dry-run", *command.split()[1:]], check=True, capture_output=True)


@pytest.mark.parametrize(
    "command", [line for line in COMMANDS if line.startswith(".venv/bin/mpps ") and " report" not in line]
)
def test_commands_run(command, tmp_path, capsys):
    """Files that a command writes go to a folder of the test; a sweep tells its progress beside its answer."""
    words = shlex.split(argument(command))
    out = words.index("--out") + 1 if "--out" in words else None
    if out and words[out] != "-":
        words[out] = str(tmp_path / words[out])
    assert cli.main(words) == 0
    shown, told = capsys.readouterr()
    assert shown and (not told or words[0] == "sweep")
    assert not out or words[out] == "-" or (tmp_path / words[out]).is_file()


@pytest.mark.slow
@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith(".venv/bin/mpps report")])
def test_reports_run(command, tmp_path, capsys):
    assert cli.main([*shlex.split(argument(command)), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "index.html").is_file()
    assert re.search(r"\b(\d+) of \1 notebooks", capsys.readouterr().out)


def test_every_command_is_run_by_one_of_these():
    kinds = ("make ", ".venv/bin/mpps ")

    assert len(COMMANDS) > 5 and all(line.startswith(kinds) for line in COMMANDS)


@pytest.mark.parametrize(("page", "match"), OUTPUTS, ids=[f"{page}: {match['command']}" for page, match in OUTPUTS])
def test_shown_outputs_are_those_of_a_run(page, match):
    """`make readme` writes them."""
    assert generate.differences(match["body"], generate.made(match["command"])) == []


def test_tables_and_outputs_are_there():
    shown = {(page, match["command"]) for page, match in OUTPUTS}

    assert ("README.md", "python -m mpps.results paths --markdown") in shown
    assert ("docs/scorecard.md", "python -m mpps.results scorecard --markdown") in shown
    assert len(OUTPUTS) >= 10 and all(match["body"].strip() for _, match in OUTPUTS)


def test_goals_stand_beside_the_figures():
    """A figure with a goal says whether it is met, and says it of its own number."""
    rows = re.findall(
        r"^\| [^|]*\| [^|]*\| (?P<value>[\d.]+) % \| (?P<goal>[^|]+) \|", text("docs/scorecard.md"), re.MULTILINE
    )
    goals = [(float(value), goal) for value, goal in rows if ": " in goal]

    assert len(goals) >= 10
    for value, goal in goals:
        bound, verdict = goal.split(": ")
        if bound == "all":
            assert verdict == ("met" if value == 100 else "MISSED")
        elif abs(value - float(bound.split()[2])) > 0.05:
            assert verdict == ("met" if value < float(bound.split()[2]) else "MISSED")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """Files exist, and so does the heading behind a #."""
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]+))?\)", text(page)):
        there = (ROOT / page).parent.joinpath(target) if target else ROOT / page
        assert there.is_file(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


def anchors(page):
    """Names of the headings of a page, as GitHub makes them."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_files_that_exist(page):
    """Files and folders of the project in backquotes."""
    for name in re.findall(r"`((?:model|docs|tests|data|notebooks)/[\w./]*)`", text(page)):
        assert (ROOT / name).exists() or name == "model/mpps/paths/simple_lock.py", name


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_plain(page):
    """No addresses, no path of a machine, one sentence a line in paragraphs."""
    assert not re.search(r"https?://|@[\w.]+\.\w{2,}|(?<![\w./])/(?:work|root|home|tmp)/", text(page))
    prose = generate._BLOCK.sub("", re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL))
    long = [
        line
        for line in prose.splitlines()
        if re.search(r"[a-z)]\. [A-Z]", line) and not re.match(r"[-|0-9*]|!\[", line)
    ]
    assert long == []


def test_pictures_are_small_and_described():
    """`make readme` draws the chart, `make screenshots` takes the pages; each is shown somewhere, in words too."""
    shown = {
        (ROOT / page).parent.joinpath(name).resolve(): words
        for page in PAGES
        for words, name in re.findall(r"!\[(.+?)\]\((\S+\.png)\)", text(page))
    }
    images = sorted((ROOT / "docs" / "images").iterdir())

    assert sorted(shown) == images and {f"{name}.png" for name in pictures.VIEWS} <= {image.name for image in images}
    assert all(image.read_bytes().startswith(b"\x89PNG") and image.stat().st_size < 200_000 for image in images)
    assert all(len(words) > 40 for words in shown.values())


def test_the_matrix_of_the_readme_is_one():
    reports = matrix.tasks(ROOT / "docs" / "examples" / "matrix.yaml")

    assert len({report.name for report in reports}) == len(reports) == 4


# The guides


def test_the_tour_in_python_runs():
    (block,) = blocks("docs/tour.md", "python")
    names = {}
    exec(block, names)  # the text of this repository

    assert [row["n"] for row in names["rows"]] == [8, 16]
    assert sum(row["ns"] for row in names["cost"]) > 1000
    assert [row["gain"] > 1 for row in names["gain"]] == [True, True]


def test_the_example_path_is_a_path():
    """It fits, predicts, answers a what-if and is judged by its own check, like a shipped one."""
    (block,) = blocks("docs/add_a_path.md", "python")
    names = {}
    exec(block, names)  # the text of this repository
    path = names["PATH"]
    fitted = compare.fit(path, "all")
    forecast = predict(path, [8, 64], variant="locked")
    answer = whatif(path, [8], start="locked", without="lock")

    assert isinstance(path, CodePath) and len(fitted.points.n) == 10
    assert {one.mechanism.name for one in fitted.mechanisms} == {"constant", "growing"}
    assert (forecast.lower < forecast.median).all() and list(forecast.extrapolated) == [False, True]
    assert answer.after.variant == "free" and answer.gain[2, 0] > 1 and answer.tradeoffs
    (figure,) = scorecard.scorecard(path)
    assert figure.check.goal == 0.05 and 0 < figure.value < 0.5


def test_the_example_card_is_a_machine(tmp_path):
    (block,) = blocks("docs/add_a_machine.md", "yaml")
    file = tmp_path / "my_router.yaml"
    file.write_text(block, encoding="utf-8")
    machine = load_machine(file)

    assert yaml.safe_load(block)["role"] == machine.role == "own"
    assert machine.threads == 4 and machine["clock.one_core"].value == 1.4
    assert predict(compare_path(), [1, 8], variant="netif_rx", machine=machine).hypothetical.tolist() == [False, True]


def compare_path():
    from mpps.paths import load_path

    return load_path("tun_receive")


def test_the_glossary_explains_each_term_once():
    terms = [
        line.split("|")[1].strip()
        for line in text("docs/glossary.md").splitlines()
        if line.startswith("| ") and "---" not in line
    ]
    terms = [term for term in terms if not term.endswith(" term")]

    assert len(terms) == len(set(terms)) > 60


# The comparison


@pytest.mark.parametrize(
    ("shown", "fresh", "same"),
    [
        ("rate 1,234 (5 to 7)", "rate 1,234 (5 to 7)", True),
        ("rate 1,234", "rate   1,250", True),
        ("rate 1,234", "rate 1,334", False),
        ("share 3.4 %", "share 3.5 %", True),
        ("share 3.4 %", "share 3.7 %", False),
        ("met", "MISSED", False),
        ("75 kB and 4.9 s with 2 workers", "75 kB and 2 minutes with 1 worker", True),
        ("75 kB and 4.9 s with 2 workers", "95 kB and 4.9 s with 2 workers", False),
        ("a 1", "a 1\nb 2", False),
        ("-----  ---\na 1", "-------  --\na 1", True),
    ],
)
def test_numbers_may_differ_in_their_last_digit_and_words_not(shown, fresh, same):
    assert (generate.differences(shown, fresh) == []) == same


def test_a_page_is_filled_between_its_marks(monkeypatch):
    monkeypatch.setattr(generate, "made", lambda command: f"made by {command}\n")
    page = "a\n<!-- made by: mpps x -->\nold\n<!-- end -->\nb\n<!-- made by: y | head 3 -->\n<!-- end -->\n"

    assert generate.commands(page) == ["mpps x", "y | head 3"]
    filled = generate.filled(page)
    assert filled == (
        "a\n<!-- made by: mpps x -->\nmade by mpps x\n<!-- end -->\nb\n<!-- made by: y | head 3 -->\nmade by y | head 3\n<!-- end -->\n"
    )
    assert generate.filled(filled) == filled
