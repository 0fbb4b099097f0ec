"""The command: what it prints, and that every mistake is one paragraph with exit status 2."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from mpps import answers, cli, listing, paths, waiting
from mpps.arguments import core_counts, settings
from mpps.errors import MppsError
from mpps.measurements import datasets
from mpps.record import show
from mpps.sentences import whatif_text
from mpps.sentences.words import change, wrapped
from mpps.whatif import GAIN
from samples import ROOT

EXAMPLES = dict(
    line.split(": ", 1)
    for line in (ROOT / "data" / "examples.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)
VERBS = ("list", "read", "fit", "predict", "whatif", "advise", "sweep", "validate", "report", "machine")


def run(capsys, line):
    """Exit status, stdout and stderr of `mpps LINE`."""
    status = cli.main(shlex.split(line))
    out, err = capsys.readouterr()
    return status, out, err


# Help


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example_of_its_verb(capsys, verb):
    status, out, err = run(capsys, f"{verb} --help")

    assert status == 0 and err == ""
    assert " ".join(out.split()).endswith(f"Example: {EXAMPLES[verb]}")
    assert EXAMPLES[verb].startswith(f"mpps {verb} ")


def test_the_command_alone_shows_its_verbs_in_the_order_of_work(capsys):
    status, out, _ = run(capsys, "")

    assert status == 0
    assert tuple(re.findall(r"^  (\w+)  ", out.partition("Commands:")[2], re.MULTILINE)) == VERBS == tuple(EXAMPLES)


@pytest.mark.parametrize("verb", ["list", "read", "fit", "predict", "whatif", "advise"])
def test_the_example_of_the_help_runs(capsys, verb):
    status, out, err = run(capsys, EXAMPLES[verb].removeprefix("mpps "))

    assert status == 0 and err == "" and len(out) > 200


# Lists


def test_lists_name_what_there_is(capsys):
    for kind, names in (("paths", paths.names()), ("datasets", datasets())):
        _, out, _ = run(capsys, f"list {kind}")
        assert [line.split()[0] for line in out.splitlines()] == list(names)
    _, everything, _ = run(capsys, "list")
    assert re.findall(r"^(\w+):$", everything, re.MULTILINE) == ["paths", "machines", "datasets", "notebooks"]


def test_a_list_of_nothing_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(listing, "notebooks_folder", lambda: tmp_path)

    assert listing.listed("notebooks") == "none"


# Answers


def test_json_is_one_document_and_nothing_else(capsys):
    for line, schema in (
        ("fit tun_receive --json", "mpps.fit/1"),
        ("predict tun_receive --cores 1-4 --json", "mpps.predict/1"),
        ("whatif tun_receive --from netif_rx --without 'backlog queue' --json", "mpps.whatif/1"),
    ):
        status, out, err = run(capsys, line)
        assert status == 0 and err == ""
        assert json.loads(out)["schema"] == schema


def test_the_document_is_the_answer_of_the_library(capsys):
    _, out, _ = run(
        capsys,
        "predict packet_transmit --cores 8,256 --machine epyc_9654 --variant bypass --set driver_ns=500 --seed 3 --json",
    )
    expected = answers.predict_answer(
        paths.load_path("packet_transmit"),
        (8, 256),
        variants=["bypass"],
        machine="epyc_9654",
        settings={"driver_ns": 500.0},
        seed=3,
    )

    assert json.loads(out) == json.loads(json.dumps(expected))


def test_a_fit_in_words(capsys):
    """What limits and from where on, what a packet takes, what the data leave open; then tables."""
    _, out, _ = run(capsys, "fit packet_transmit --at 32")
    said = " ".join(out.split())

    assert said.startswith("Packet transmit. What does the qdisc layer cost")
    assert re.search(r"- bypass: the device ceiling limits from [78]\.\d+ CPUs on \(90 %: [\d.]+ to [\d.]+\)\.", said)
    assert re.search(r"With 20 CPUs a packet takes 1,7\d\d ns of a CPU's time", said)
    assert "bounded on one side only: clone_ns" in said
    assert re.search(r"^bypass +1 +1\.\d+ \(.*\) +1\.509628 +[+-]\d\.\d %$", out, re.MULTILINE)
    assert re.search(r"^bypass +32 +\* +11\.\d+ \(", out, re.MULTILINE)
    assert "* extrapolated: nobody measured so many CPUs." in said
    assert "CPUs 12 to 19 are elided in the source." in said


def test_a_prediction_in_words(capsys):
    """Marks are explained, and assumptions come with their numbers, largest influence first."""
    _, out, _ = run(capsys, "predict packet_transmit --cores 8,256 --machine epyc_9654 --variant qdisc")
    said = " ".join(out.split())

    assert re.search(
        r"- qdisc: \d+ \(\d+ to \d+\) Mpps with 256 CPUs\. On packet_2013_host the device ceiling limits", said
    )
    assert re.search(r"^ +8 +\*  ", out, re.MULTILINE) and re.search(r"^ +256 +\*#  ", out, re.MULTILINE)
    assert "# epyc_9654 has 192 CPUs: 256 is hypothetical." in said
    assert re.search(r"Rests on, largest influence first: - \d+ % of the variance: mean fall of the rate", said)
    assert "share of private work that does not follow the core clock: 0.30 (0.05 to 0.55)" in said


def test_a_long_prediction_is_thinned_and_says_so(capsys):
    _, out, _ = run(capsys, "predict tun_receive --cores 1-128 --variant netif_rx")
    rows = re.findall(r"^ +(\d+) +[*#]* +[\d,]+ \(", out, re.MULTILINE)

    assert rows[0] == "1" and rows[-1] == "128" and len(rows) < 24
    assert f"{128 - len(rows)} core counts more with --json" in " ".join(out.split())


def test_a_what_if_in_words(capsys):
    _, out, _ = run(capsys, "whatif tun_receive --from netif_rx --without 'backlog queue' --cores 1,8")
    said = " ".join(out.split())

    assert re.search(r"- 'netif_rx' without backlog queue: \+2\d % \(\+?-?\d+ to \+\d+\) with 8 streams", said)
    assert "That is 'netif_receive_skb'." in said
    assert "What the change gives up: - Processing in the context of the caller needs a deep stack" in said
    assert re.search(r"^ +1 +\d+ \(.*\) +\d+ \(.*\) +\+2\d % ", out, re.MULTILINE)


def test_text_fits_a_terminal(capsys):
    """Sentences break at 100 columns; tables of three variants stay below 140."""
    _, out, _ = run(capsys, "predict packet_transmit --cores 1-64 --machine epyc_9654")

    assert max(len(line) for line in out.splitlines()) < 140
    assert all(len(line) <= 100 for line in out.splitlines() if line.startswith("- "))


# Reports


def test_a_batch_with_a_failed_notebook_ends_with_status_1(capsys, monkeypatch, sample_batch):
    """The others completed; the message names what failed."""
    from mpps import report

    asked = {}
    monkeypatch.setattr(report, "report", lambda names, **options: asked.update(options, names=names) or sample_batch)
    status, out, err = run(capsys, "report fine failing -p cores_max=32 --out pages --workers 3")

    assert status == 1 and err == ""
    assert "2 of 4 notebooks" in out and "failed: failing: " in out and "failed: killed: " in out
    assert asked["names"] == ["fine", "failing"] and asked["parameters"] == {"cores_max": "32"}
    # None: the engine of the machine, warm on Linux.
    assert (str(asked["out"]), asked["workers"], asked["engine"]) == ("pages", 3, None)


# Mistakes


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("predikt", "predict"),
        ("predict tun_recieve --cores 1", "did you mean 'tun_receive'"),
        ("predict tun_receive --cores 1 --machine epyc_9645", "did you mean 'epyc_9654'"),
        ("predict tun_receive --cores 1 --variant netif_rc", "did you mean 'netif_rx'"),
        ("predict tun_receive --cores 1 --set backlog_n=3", "did you mean 'backlog_ns'"),
        ("whatif tun_receive --from netif_xr --without 'backlog queue'", "did you mean 'netif_rx'"),
        ("whatif tun_receive --from netif_rx --without 'backlog quue'", "did you mean 'backlog queue'"),
        ("whatif tun_receive --from netif_receive_skb --without 'backlog queue'", "has no stage 'backlog queue'"),
        ("whatif tun_receive --from netif_rx", "nothing changes"),
        ("fit packet_transmitt", "did you mean 'packet_transmit'"),
        ("list path", "did you mean 'paths'"),
        ("list paths machines", "machines"),
        ("report 99_nothing", "unknown notebook '99_nothing'"),
        ("report --engine cold", "engine"),
        ("report -p cores_max", "expected name=value"),
        ("predict tun_receive", "--cores"),
        ("predict tun_receive --cores", "--cores"),
        ("predict tun_receive --cores 0", "found '0'"),
        ("predict tun_receive --cores 4-2", "found '4-2' (backwards)"),
        ("predict tun_receive --cores 1,,2", "found ''"),
        ("predict tun_receive --cores one", "found 'one'"),
        ("predict tun_receive --cores 1-99999", "from 1 to 1,024"),
        ("predict tun_receive --cores -3", "-3"),
        ("fit tun_receive --at 1:3", "--at '1:3'"),
        ("predict tun_receive --cores 1 --set backlog_ns", "expected name=value"),
        ("predict tun_receive --cores 1 --set backlog_ns=much", "positive number"),
        ("predict tun_receive --cores 1 --set backlog_ns=-2", "positive number"),
        ("predict tun_receive --cores 1 --set backlog_ns=inf", "positive number"),
        ("predict tun_receive --cores 1 --set backlog_ns=1 --set backlog_ns=2", "set twice"),
        ("predict tun_receive --cores 1 --variant netif_receive_skb --set backlog_ns=2", "acts in 'netif_rx'"),
        ("fit tun_receive --seed one", "--seed"),
        ("fit tun_receive --seed -1", "--seed"),
        ("predict tun_receive --cores 1 --colour red", "--colour"),
        ("report --workers 0", "--workers"),
    ],
)
def test_a_mistake_is_one_paragraph(capsys, line, said):
    status, out, err = run(capsys, line)

    assert status == 2 and out == ""
    assert said in err
    assert err.startswith("mpps: ") and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("title: x\nrole: [", "not valid YAML"),
        ("title: x\n", "missing"),
        ("- a list", "expected a mapping"),
        ("title: x\ntitle: y\n", "written twice"),
        (None, "cannot read the machine card"),
    ],
)
def test_a_broken_card_of_a_machine_is_one_paragraph(capsys, tmp_path, card, said):
    file = tmp_path / "mine.yaml"
    if card is not None:
        file.write_text(card, encoding="utf-8")
    status, out, err = run(capsys, f"predict tun_receive --cores 1 --machine {file}")

    assert status == 2 and out == "" and err.count("\n") == 1
    assert "mine.yaml" in err and said in err


def test_a_fact_of_a_machine_that_is_wrong_is_named(capsys, tmp_path):
    card = (ROOT / "data" / "machines" / "intel_n100.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mine.yaml"
    file.write_text(re.sub(r"cores_per_socket: \{value: \d+", "cores_per_socket: {value: many", card), encoding="utf-8")
    status, _, err = run(capsys, f"predict tun_receive --cores 1 --machine {file}")

    assert status == 2
    assert "mine.yaml: topology.cores_per_socket.value: found 'many', expected a whole number" in err


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The library with data of its own, to be damaged."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("model", "data"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("tun_receive.csv", "variant", "variante", ("tun_receive.csv, line 1", "variante")),
        ("tun_receive.csv", "867", "many", ("tun_receive.csv, line 3", "value", "many")),
        ("tun_receive.csv", "867", "-867", ("tun_receive.csv, line 3", "value", "-867")),
        ("tun_receive.csv", "netif_receive_skb,1", "netif_rx,1", ("tun_receive.csv, line 3",)),
        ("tun_receive.csv", "867", "868", ("checksum", "tun_receive.yaml")),
        ("tun_receive.yaml", "hardware:", "hard_ware:", ("tun_receive.yaml, line", "hard_ware")),
    ],
    ids=["column", "text", "negative", "duplicate", "hash", "key"],
)
def test_damaged_measurements_are_named(copy, file, old, new, said):
    damaged = copy / "data" / "measurements" / file
    whole = damaged.read_text(encoding="utf-8")
    assert old in whole
    damaged.write_text(whole.replace(old, new), encoding="utf-8")
    try:
        environment = os.environ | {"PYTHONPATH": str(copy / "model")}
        command = [sys.executable, "-m", "mpps.cli", "fit", "tun_receive", "--json"]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    finally:
        damaged.write_text(whole, encoding="utf-8")

    assert found.returncode == 2 and found.stdout == "" and "Traceback" not in found.stderr
    assert all(words in found.stderr for words in said), found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize(("gone", "left"), [("csv", "yaml"), ("yaml", "csv")])
def test_half_a_data_set_is_named(copy, gone, left):
    lost = copy / "data" / "measurements" / f"tun_receive.{gone}"
    whole = lost.read_bytes()
    lost.unlink()
    try:
        environment = os.environ | {"PYTHONPATH": str(copy / "model")}
        fit, listed = (
            subprocess.run(
                [sys.executable, "-m", "mpps.cli", *words], env=environment, capture_output=True, text=True, check=False
            )
            for words in (("fit", "tun_receive"), ("list", "datasets"))
        )
    finally:
        lost.write_bytes(whole)

    assert fit.returncode == 2 and fit.stdout == ""
    assert (
        fit.stderr.startswith(f"mpps: tun_receive.{left}: found no tun_receive.{gone}") and fit.stderr.count("\n") == 1
    )
    assert listed.returncode == 0 and "packet_transmit" in listed.stdout
    assert listed.stderr.startswith(f"mpps: warning: tun_receive.{left} has no tun_receive.{gone}")


@pytest.mark.parametrize("name", ["my_router", "epyc_9654"])
def test_a_card_of_ones_own_has_its_own_cores(capsys, tmp_path, name):
    """Also where it is called like a machine that ships with the workbook."""
    card = tmp_path / f"{name}.yaml"
    shutil.copy(ROOT / "data" / "machines" / "intel_n100.yaml", card)
    for verb in ("predict tun_receive", "whatif tun_receive --from netif_rx --without 'backlog queue'"):
        status, out, err = run(capsys, f"{verb} --cores 1-8 --machine {card}")

        assert status == 0 and err == ""
        assert f"# {name} has 4 CPUs: 5 and more are hypothetical." in out


def test_numbers_of_the_measured_machine_say_so(capsys):
    _, out, _ = run(capsys, "predict tun_receive --cores 4 --machine epyc_9654 --json")
    assert {each["measured_on"] for each in json.loads(out)["series"]} == {"tun_2016_host"}
    _, out, _ = run(capsys, "predict tun_receive --cores 4 --machine epyc_9654")
    assert "On tun_2016_host the private work" in " ".join(out.split())


def test_the_measured_value_stands_beside_that_of_the_model(capsys):
    _, out, _ = run(capsys, "predict tun_receive --cores 1 --variant netif_receive_skb")
    assert re.search(r"netif_receive_skb: \d+ \(\d+ to \d+\) kpps with 1 stream, measured 867\.", " ".join(out.split()))


def test_a_stage_is_taken_away_once(capsys):
    twice = "--without 'backlog queue' --without 'backlog queue'"
    status, _, err = run(capsys, f"whatif tun_receive --from netif_rx {twice}")
    assert status == 2 and "'backlog queue'" in err and "named twice" in err


def test_a_setting_of_the_stage_that_went_is_told_what_it_lacks(capsys):
    change = "--without 'backlog queue' --set backlog_ns=3"
    status, _, err = run(capsys, f"whatif tun_receive --from netif_rx {change}")
    assert status == 2 and "does not act in 'netif_rx without backlog queue': it acts in 'netif_rx'" in err


def test_a_gain_says_above_what():
    """The word of the text and the number of the document come from one constant."""
    document = answers.whatif_answer(paths.load_path("tun_receive"), [1], start="netif_rx", without="backlog queue")
    words = " ".join(whatif_text(paths.load_path("tun_receive"), document).split())

    assert document["series"][0]["gain_above"] == pytest.approx(GAIN - 1)
    assert "Probability of a gain above 1 %: above 99 %." in words and "probability of a gain above 1 %" in words


@pytest.mark.parametrize(("best", "said"), [(1.012, False), (1.09, True)])
def test_the_largest_gain_is_named_where_it_differs_as_printed(best, said):
    path = paths.load_path("tun_receive")
    document = answers.whatif_answer(path, [1, 20], start="netif_rx", without="backlog queue")
    for row, median in zip(document["series"][0]["gain"], (best, 1.009), strict=True):
        row |= {"median": median, "lower": 1.0, "upper": 1.1}

    assert (", at most " in whatif_text(path, document)) is said


def test_a_record_shows_the_digits_of_its_interval():
    assert show({"value": 26.93, "lower": 22.04, "upper": 31.94, "unit": "ns"}) == "26.9 (22.0 to 31.9) ns"
    assert show({"value": 26.93, "lower": 12.04, "upper": 41.94, "unit": "ns"}) == "27 (12 to 42) ns"


def test_a_change_is_never_a_negative_zero():
    assert [change(ratio) for ratio in (0.997, 1.003, 1.28, 0.9)] == ["+0", "+0", "+28", "-10"]


@pytest.mark.parametrize(("columns", "widest"), [("60", 60), ("20", 40), ("300", 100)])
def test_paragraphs_follow_the_terminal(monkeypatch, columns, widest):
    monkeypatch.setenv("COLUMNS", columns)
    lines = wrapped("word " * 100).splitlines()
    assert widest - 5 < max(map(len, lines)) <= widest


# Interruptions


def test_an_interrupt_is_quiet(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(answers, "fit_answer", interrupted)
    status, out, err = run(capsys, "fit tun_receive")

    assert status == 130 and out == "" and err.strip() == ""


def test_a_reader_that_has_enough_is_no_error():
    """`mpps fit ... | head -1`: nothing on stderr."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "model")}
    command = [sys.executable, "-m", "mpps.cli", "fit", "packet_transmit", "--json"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        errors = process.stderr.read()

    assert errors == ""


class Terminal:
    """A stderr that somebody watches."""

    def __init__(self, watched=True):
        self.written, self.watched = [], watched

    def isatty(self):
        return self.watched

    def write(self, text):
        self.written.append(text)

    def flush(self):
        pass


class Impatient:
    """A timer that is up as soon as it starts."""

    def __init__(self, _, action):
        self.action = action

    def start(self):
        self.action()

    def cancel(self):
        pass

    join = cancel


@pytest.mark.parametrize("output", ["> /dev/full", ">&-"])
@pytest.mark.parametrize("words", ["list", "--help"])
def test_an_answer_without_a_place_is_one_line(output, words):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "model")}
    command = f"{shlex.quote(sys.executable)} -m mpps.cli {words} {output}"
    run = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and run.stderr.startswith("mpps: ") and run.stderr.count("\n") == 1


def test_long_work_says_so_on_a_terminal_only(monkeypatch):
    for watched, expected in ((True, ["\rfitting ...\033[K", "\r\033[K"]), (False, [])):
        terminal = Terminal(watched)
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(waiting.threading, "Timer", Impatient)
        with waiting.working("fitting"):
            pass
        monkeypatch.undo()
        assert [text for text in terminal.written if text] == expected


# Arguments


def test_core_counts():
    assert core_counts("1-4") == (1, 2, 3, 4)
    assert core_counts("8,1, 64") == (1, 8, 64)
    assert core_counts("4,1-3,2") == (1, 2, 3, 4)
    for wrong in ("", "-", "1-", "-2", "0-3", "3-1", "1.5", "1e3", "٣"):
        with pytest.raises(MppsError, match="expected core counts from 1 to 1,024"):
            core_counts(wrong)


def test_settings():
    assert settings(["a_ns=80", "b = 2.5"]) == {"a_ns": 80.0, "b": 2.5}
    for wrong in ("a", "=3", "a=", "a=0", "a=nan", "a=1,5"):
        with pytest.raises(MppsError, match="expected name=value with a positive number"):
            settings([wrong])
