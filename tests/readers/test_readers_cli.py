"""`mpps read`: what it prints where, what it writes, and the page that explains it."""

import json
import re
import shlex

import pytest

from mpps import cli
from mpps.readers import formats, read
from mpps.readers.core import registry
from mpps.readers.core.source import make_source
from samples import ROOT

TABLE = "Rates in kpps:\n\nthreads  before  after  change\n1  100  110  +10%\n2  190  260  +3%\n4  300  n/a\n"


@pytest.fixture
def mpps(capsys, tmp_path, monkeypatch):
    """Exit status, stdout and stderr of a command in a folder with `table.txt`."""
    (tmp_path / "table.txt").write_text(TABLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def run(line):
        status = cli.main(shlex.split(line))
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_the_answer_says_what_was_understood_and_what_was_left_out(mpps):
    status, out, err = mpps("read table.txt")

    assert status == 0
    assert out.startswith("table.txt: read as posted: a table of 4 columns from line 3 on\n")
    assert "n counts threads (column 'threads' in line 3)" in out and "unit kpps from line 1" in out
    assert re.search(r"n  before  after\n +1 +100 +110\n +2 +190 +260\n +4 +300 +-\n", out)
    assert "1 of 2 agree" in out and "line 6: 'n/a': no number in column 'after'" in out
    assert err.startswith(
        "mpps: warning: table.txt, line 5: found the printed change +3% from 190 to 260: expected +36.84%"
    )


def test_json_is_one_document_with_lines(mpps):
    status, out, err = mpps("read table.txt --json")

    document = json.loads(out)
    assert status == 0 and document["schema"] == "mpps.read/1" and "warning" in err
    assert document["rows"][0] == {
        "dataset": "table", "variant": "before", "n": 1, "metric": "throughput", "value": 100, "unit": "kpps", "file": "table.txt", "line": 4,
    }  # fmt: skip
    assert document["warnings"] and document["ignored"][0]["line"] == 6
    assert set(document["data_sha256"]) == {"table.txt"} and document["files"][0]["format"] == "posted"


def test_out_writes_tidy_csv_that_reads_back(mpps, tmp_path):
    status, out, _ = mpps("read table.txt --out tidy.csv")

    assert status == 0 and out.endswith("5 values written to tidy.csv\n")
    written = (tmp_path / "tidy.csv").read_text(encoding="utf-8")
    assert written.splitlines()[:2] == ["dataset,variant,n,metric,value,unit", "table,before,1,throughput,100,kpps"]
    assert mpps("read table.txt --out -")[1] == written
    assert [row.value for row in read(tmp_path / "tidy.csv").rows] == [
        row.value for row in read(tmp_path / "table.txt").rows
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("read", "mpps: found no file: expected at least one"),
        ("read gone.txt", "mpps: gone.txt: cannot be read (No such file or directory)"),
        ("read table.txt --format pktgn", "mpps: unknown format 'pktgn': did you mean 'pktgen'"),
        ("read table.txt --n-from nmae", "mpps: unknown source of n 'nmae': did you mean 'name'"),
        ("read table.txt --n nowhere", "mpps: table.txt, line 3: --n 'nowhere': unknown column 'nowhere'"),
        ("read table.txt --out gone/tidy.csv", "mpps: gone/tidy.csv: cannot be written (No such file or directory)"),
        (
            "read table.txt --format wrk",
            "mpps: table.txt, line 1: found 'Rates in kpps:': expected a summary of wrk, such as",
        ),
    ],
)
def test_a_mistake_is_one_paragraph_and_status_2(mpps, line, message):
    status, out, err = mpps(line)

    assert status == 2 and out == "" and err.startswith(message) and err.count("\n") == 1


def test_the_formats_are_listed_without_a_file(mpps):
    status, out, _ = mpps("read --format list")

    assert status == 0 and [line.split()[0] for line in out.splitlines()] == list(formats())


def test_standard_input(mpps, monkeypatch):
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))

    assert mpps("read - --json")[0] == 0


def test_the_page_names_every_format():
    page = (ROOT / "docs" / "read_your_own.md").read_text(encoding="utf-8")
    table = page.partition("## What is read")[2].partition("## ")[0]

    assert set(
        re.findall(
            r"`([a-z0-9\-]+)`", "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
        )
    ) == set(formats())


def test_the_examples_of_the_page_run(capsys, monkeypatch):
    page = (ROOT / "docs" / "read_your_own.md").read_text(encoding="utf-8")
    monkeypatch.chdir(ROOT)
    script, reader = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(script, "page", "exec"), {})
    assert "QDISC_BYPASS packets/s [" in capsys.readouterr().out

    names: dict = {}
    exec(compile(reader, "page", "exec"), names)
    source = make_source("a.txt", "a", ".txt", b"sockperf: Summary: Latency is 12.345 usec\n")
    monkeypatch.setattr(registry, "readers", lambda: {"sockperf": names["READER"]})
    chosen, why = registry.choose(source)
    part = chosen.read(source, None)
    assert why.strength == 95 and [(row.metric, row.printed, row.unit) for row in part.rows] == [
        ("latency", "12.345", "us")
    ]


def test_readers_import_only_what_they_may():
    """Readers depend on units, errors and measurements alone."""
    allowed = re.compile(r"mpps\.(?:readers|errors|units|rounding|root|measurements)\b|mpps\.readers$")
    for path in (ROOT / "model" / "mpps" / "readers").rglob("*.py"):
        if path.name == "command.py":
            continue  # the command's own, which says the versions
        for module in re.findall(r"^\s*(?:from|import) (mpps[\w.]*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert allowed.match(module), (path.name, module)
