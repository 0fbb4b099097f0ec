"""`mpps fit FILE --report`: the page of a user's own table, through notebook 07 with the options as its parameters."""

import json
import shlex

import pytest

from known_curves import mean_value_analysis
from mpps import cli

COUNTS = (1, 2, 4, 8, 16)


def run(capsys, line):
    status = cli.main(shlex.split(line))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A table in long form that needs every option; variants after a section of 100 and of 20 ns."""
    monkeypatch.chdir(tmp_path)
    rates = {name: 1e3 * mean_value_analysis(600.0, section, 16) for name, section in (("old", 100.0), ("new", 20.0))}
    rows = [f"{name},{k},{values[k - 1]:.6g}" for name, values in rates.items() for k in COUNTS]
    (tmp_path / "odd.csv").write_text("what,k,speed\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return "odd.csv"


def test_a_page_of_a_table_with_its_options(capsys, odd, tmp_path):
    status, out, _ = run(capsys, f"fit {odd} --n k --variant what --unit Mpps --at 24,48 --report --out pages")
    page = tmp_path / "pages" / "07_your_own_table.html"

    assert status == 0 and out.strip() == str(page.relative_to(tmp_path)) and page.is_file()
    record = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    used = record["parameters"]
    assert (used["n"], used["variants"], used["unit"], used["cores_max"], used["seed"]) == ("k", ["what"], "Mpps", 48, 1)
    said = " ".join(record["answer"])
    assert "old: a serial station" in said and "'old' to 'new': +" in said
    text = page.read_text(encoding="utf-8")
    assert "<figure" in text and "odd.csv" in text and "old" in text
    for name, section in (("old", 100.0), ("new", 20.0)):
        figure = record["numbers"][f"{name}, n = 48"]
        assert figure["lower"] < 1e3 * mean_value_analysis(600.0, section, 48)[-1] < figure["upper"]


def test_several_files_become_one_table_for_the_page(odd, tmp_path, monkeypatch):
    """The count of each stands in its name; the notebook, which is replaced here, gets one tidy table."""
    from mpps import report
    from mpps.answers.own.page import page
    from mpps.readers import read

    for n, rate in ((1, 1500000), (2, 2800000), (4, 4100000)):
        text = f"Params: count 100\n  {rate}pps {rate * 480 // 10**6}Mb/sec ({rate * 480}bps) errors: 0\n"
        (tmp_path / f"run-{n}.txt").write_text(text, encoding="utf-8")
    asked = {}
    monkeypatch.setattr(report, "report", lambda names, **options: asked.update(options, names=names))
    page([f"run-{n}.txt" for n in (1, 2, 4)], tmp_path / "pages", how={"n_from": "name", "format": None}, seed=3)

    values = asked["parameters"]
    assert values["cores_max"] == 64 and values["seed"] == 3 and "n_from" not in values
    rates = [(row.n, row.value) for row in read(values["file"]).rows if row.value > 1e6 and row.unit in ("pps", "packets/s")]
    assert sorted(rates) == [(1, 1500000), (2, 2800000), (4, 4100000)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("fit {0} --out pages", "ask for one with --report"),
        ("fit {0} --report --json", "expected one of them"),
        ("fit pppoe_receive --report", "see `mpps report`"),
        ("fit {0} --report --n nothing", "unknown column"),
        ("fit {0} --report", "odd.csv"),
    ],
)
def test_mistakes_are_told_before_a_notebook_runs(capsys, odd, tmp_path, line, words):
    status, out, err = run(capsys, line.format(odd))

    assert status == 2 and out == "" and words in err
    assert not (tmp_path / "pages").exists() and not (tmp_path / "mpps-report").exists()
