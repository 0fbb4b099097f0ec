"""`mpps fit FILE` and `mpps predict FILE`: what is a path and what a file, and every mistake in one paragraph."""

import io
import json
import pathlib
import shlex

import pytest

from mpps import cli
from mpps.arguments import core_counts
from mpps.errors import MppsError
from mpps.targets import target
from samples import ROOT

POSTED = "cores  before   after\n1  1.50Mpps  1.60Mpps\n2  2.80Mpps  3.15Mpps\n4  4.10Mpps  6.10Mpps\n8  4.40Mpps  11.6Mpps\n"


def run(capsys, line):
    """Exit status, stdout and stderr of `mpps LINE`."""
    status = cli.main(shlex.split(line))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def posted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mail.txt").write_text("The patch helps:\n\n" + POSTED + "\nRegards\n", encoding="utf-8")
    return "mail.txt"


def test_a_posted_table_is_answered_in_words(capsys, posted):
    status, out, err = run(capsys, f"fit {posted} --at 16")
    said = " ".join(out.split())

    assert status == 0 and err == ""
    assert said.startswith("mail.txt: read as posted")
    assert "before: a serial station" in said and "after: the private work of each core limits" in said
    assert "Mpps at n = 16" in said and "What is not known" in said


def test_without_counts_the_text_looks_twice_and_four_times_as_far(capsys, posted):
    _, out, _ = run(capsys, f"fit {posted}")
    said = " ".join(out.split())

    assert "at n = 16" in said and "at n = 32" in said


def test_json_is_one_document_with_the_counts_that_were_asked_for(capsys, posted):
    status, out, err = run(capsys, f"fit {posted} --at 16,32 --seed 3 --json")
    document = json.loads(out)

    assert status == 0 and document["schema"] == "mpps.fit/1" and document["seed"] == 3
    assert [[row["n"] for row in each["predictions"]] for each in document["series"]] == [[1, 2, 4, 8, 16, 32]] * 2
    assert all(line.startswith("mpps: warning: ") for line in err.splitlines())


def test_predictions_of_one_variant(capsys, posted):
    status, out, _ = run(capsys, f"predict {posted} --cores 1-64 --variant after --json")
    document = json.loads(out)

    assert status == 0 and document["schema"] == "mpps.predict/1"
    assert [each["variant"] for each in document["series"]] == ["after"]
    assert [row["n"] for row in document["series"][0]["predictions"]] == list(range(1, 65))


def test_standard_input_is_a_file(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(POSTED.encode()), encoding="utf-8"))
    status, out, _ = run(capsys, "fit - --json")

    assert status == 0 and len(json.loads(out)["series"]) == 2


def test_options_of_read_work_here(capsys, tmp_path):
    file = tmp_path / "odd.csv"
    file.write_text(
        "lanes,speed,kernel\n1,10,old\n2,19,old\n4,33,old\n1,10,new\n2,20,new\n4,40,new\n", encoding="utf-8"
    )
    status, out, err = run(
        capsys, f"fit {file} --n lanes --value speed --variant kernel --unit Mpps --format wide --json"
    )
    document = json.loads(out)

    assert status == 0, err
    assert {(each["variant"].split(", ")[-1], each["unit"]) for each in document["series"]} == {
        ("old", "Mpps"),
        ("new", "Mpps"),
    }


def test_several_files_make_one_table(capsys, tmp_path):
    for n, rate in ((1, 1000), (2, 1900), (4, 3100)):
        (tmp_path / f"run-{n}.csv").write_text(f"kernel,Mpps\nold,{rate / 1000}\n", encoding="utf-8")
    files = " ".join(str(tmp_path / f"run-{n}.csv") for n in (1, 2, 4))
    status, out, err = run(capsys, f"fit {files} --n-from name --json")

    assert status == 0, err
    assert {row["n"] for each in json.loads(out)["series"] for row in each["predictions"]} == {1, 2, 4}


def test_a_code_path_is_one_even_beside_a_file_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tun_receive").write_text(POSTED, encoding="utf-8")

    assert target(["tun_receive"]).slug == "tun_receive"
    assert target(["./tun_receive"]) == ("./tun_receive",)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fit nowhere.txt", "a file of that name, with a table, log or profile of your own, does not exist"),
        ("fit packet_transmitt", "did you mean 'packet_transmit'"),
        ("fit mail.txt tun_receive", "'tun_receive' is a code path and stands beside other names"),
        ("fit mail.txt --at 0", "--at '0'"),
        ("fit mail.txt --at 1-9000", "more than 4,096 counts"),
        ("fit mail.txt --at 2000000", "from 1 to 1,000,000"),
        ("fit mail.txt --format nothing", "nothing"),
        ("fit mail.txt --variant befor", "did you mean 'before'"),
        ("fit empty.txt", "empty"),
        ("fit .", "cannot be read"),
        ("fit tun_receive --unit Mpps", "--unit says how to read a file"),
        ("fit tun_receive --n-from name", "--n-from says how to read a file"),
        ("predict mail.txt", "--cores"),
        ("predict mail.txt --cores 4 --machine epyc_9654", "--machine needs a code path"),
        ("predict mail.txt --cores 4 --set x=1", "--set needs a code path"),
    ],
)
def test_a_mistake_is_one_paragraph(capsys, posted, tmp_path, line, said):
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    status, out, err = run(capsys, line)

    assert status == 2 and out == ""
    assert said in err
    assert err.startswith("mpps: ") and err.count("\n") == 1 and "Traceback" not in err


def test_every_example_of_a_file_runs(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    lines = (ROOT / "data" / "examples.txt").read_text(encoding="utf-8").splitlines()
    found = [line.partition(": ")[2] for line in lines if line.startswith(("fit: ", "predict: ")) and "data/" in line]

    assert len(found) == 2
    for line in found:
        status, out, err = run(capsys, line.removeprefix("mpps "))
        assert status == 0 and err == "" and len(out) > 500


def test_counts_of_a_table_may_be_large():
    assert core_counts("5000,100000", most=1_000_000) == (5000, 100000)
    with pytest.raises(MppsError, match="from 1 to 1,024"):
        core_counts("5000")


@pytest.mark.parametrize("verb", ["fit", "advise"])
@pytest.mark.parametrize("name", ["perf_lock_contention_bench.txt", "proc_lock_stat.txt"])
def test_a_lock_profile_is_sent_to_the_verb_that_takes_it(capsys, verb, name):
    file = pathlib.Path(__file__).parent / "readers" / "samples" / name
    status, out, err = run(capsys, f"{verb} {file}")

    assert status == 2 and out == "" and len(err.splitlines()) == 1
    assert "found a profile of" in err and "mpps predict --lock-profile" in err
