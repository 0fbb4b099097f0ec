"""What a spec may say, and what is told of one that cannot be taken: file, line, key, what was found and expected."""

import json

import pytest

from mpps import cli
from mpps.errors import MppsError
from mpps.machine import load_machine
from mpps.sweep import plan_of, read_spec
from mpps.sweep.estimating import duration, size
from samples import ROOT

GOOD = """\
path: pppoe_receive
variants: [both locks]
machines: [null]
cores: 1,2
parameters:
  section_ns: [40, 60]
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes a spec with lines replaced or added; messages name it as the user did."""
    monkeypatch.chdir(tmp_path)

    def write(*changes, text=GOOD):
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "sweep.yaml").write_text(text)
        return "sweep.yaml"

    return write


CASES = {
    "unknown key": ([("cores:", "core:")], "sweep.yaml, line 4, key 'core': unknown key 'core': did you mean 'cores'"),
    "missing key": ([("cores: 1,2\n", "")], "missing key 'cores': expected core counts, as 1-64"),
    "no subject": ([("path: pppoe_receive\n", "")], "found no subject: expected one of path"),
    "two subjects": ([("cores", "network: hump\ncores")], "found path and network: expected one of path"),
    "unknown path": ([("pppoe_receive", "pppoe_recieve")], "line 1, key 'path': unknown code path 'pppoe_recieve': did you mean 'pppoe_receive'"),
    "unknown variant": ([("both locks", "both lock")], "line 2, key 'variants': unknown variant 'both lock': did you mean 'both locks'"),
    "variant twice": ([("[both locks]", "[both locks, both locks]")], "expected every variant once"),
    "unknown machine": ([("[null]", "[epyc_9645]")], "line 3, key 'machines': unknown machine 'epyc_9645': did you mean 'epyc_9654'"),
    "machine file": ([("[null]", "[mine.yaml]")], "line 3, key 'machines': mine.yaml: cannot read the machine card"),
    "cores backwards": ([("1,2", "9-2")], "line 4, key 'cores': cores '9-2': found '9-2' (backwards)"),
    "cores shape": ([("1,2", "{from: 1}")], "line 4, key 'cores': found {'from': 1}: expected core counts, as 1-64"),
    "unknown parameter": ([("section_ns", "section_us")], "key 'parameters.section_us': unknown parameter 'section_us': did you mean 'section_ns'"),
    "parameter elsewhere": ([("section_ns", "coalescing")], "coalescing enters none of the variants both locks; they have"),
    "empty grid": ([("[40, 60]", "[]")], "line 6, key 'parameters.section_ns': found []: expected positive numbers"),
    "negative": ([("[40, 60]", "[40, -60]")], "expected positive numbers"),
    "value twice": ([("[40, 60]", "[40, 40.0]")], "expected every value once"),
    "range backwards": ([("[40, 60]", "{from: 60, to: 40, steps: 3}")], "expected positive numbers with from below to"),
    "one step": ([("[40, 60]", "{from: 40, to: 60, steps: 1}")], "key 'parameters.section_ns.steps': found 1: expected a whole number of values from 2"),
    "range key": ([("[40, 60]", "{from: 40, to: 60, step: 3}")], "unknown key 'step': did you mean 'steps'"),
    "spacing": ([("[40, 60]", "{from: 40, to: 60, steps: 3, spacing: logarithmic}")], "unknown spacing 'logarithmic'"),
    "distribution": ([("[40, 60]", "{distribution: normal, lower: 1, upper: 2, draws: 9}")], "unknown distribution 'normal'"),
    "no draws": ([("[40, 60]", "{distribution: uniform, lower: 1, upper: 2}")], "found draws: none: expected one number of draws"),
    "median outside": ([("[40, 60]", "{distribution: lognormal, median: 3, lower: 1, upper: 2, draws: 9}")], "expected a number between lower and upper"),
    "words": ([("[40, 60]", "many")], "key 'parameters.section_ns': found 'many': expected a number, a list"),
    "nothing drawn": ([("cores", "sampling: latin hypercube\ncores")], "nothing is drawn: expected {from, to, draws}"),
    "sampling": ([("cores", "sampling: sobol\ncores")], "unknown sampling 'sobol'"),
    "output": ([("cores", "outputs: [rates]\ncores")], "unknown output 'rates': did you mean 'rate'"),
    "outputs of two kinds": ([("cores", "outputs: [rate, knee]\ncores")], "expected outputs of one kind (rate: a row for each core count; knee: one for all core counts); make two sweeps"),
    "gain alone": ([("cores", "outputs: [gain]\ncores")], "gain and the key `against` come together"),
    "load missing": ([("cores", "outputs: [cores_for_load]\ncores")], "cores_for_load need the key `loads`"),
    "load unused": ([("cores", "loads: [1e6]\ncores")], "no output uses the loads"),
    "load in words": ([("cores", "loads: [much]\noutputs: [cores_for_load]\ncores")], "key 'loads': loads 'much': expected packets"),
    "placement": ([("cores", "placement: wide\ncores")], "unknown placement 'wide'"),
    "draws": ([("cores", "draws: -1\ncores")], "found -1: expected a whole number: members of the fit"),
    "change": ([("cores", "changes: [[{remov: socket lock}]]\ncores")], "line 4, key 'changes.0': "),
    "set twice": ([("cores", "changes: [[{set: {section_ns: 50}}]]\ncores")], "'changes.0': it sets section_ns, and so does the key parameters"),
    "change of another variant": ([("cores", "changes: [[], [{remove: qdisc}]]\ncores")], "line 4, key 'changes.1': "),
    "too many": ([("[40, 60]", "{from: 40, to: 60, steps: 100000}\n  lock_line_ns: [40, 50, 60]"), ("1,2", "1-1024")], "1.23e+11 rates to compute (300,000 parameter sets x 400 draws x 1,024 core counts), which takes about 0.1 days of one core: expected at most 1e+11"),
    "table and machine": ([("path: pppoe_receive", "table: sweep.yaml"), ("[null]", "[epyc_9654]"), ("parameters:\n  section_ns: [40, 60]\n", "")], "key 'machines': a table of rates takes no machines"),
    "no YAML": ([("cores: 1,2", "cores: [1,2")], "no valid YAML"),
    "key twice": ([("cores: 1,2", "cores: 1\ncores: 2")], "key 'cores': found it twice"),
    "a list": ([(GOOD, "- 1\n")], "found a list: expected keys with values"),
    "network without numbers": ([(GOOD, "network: hump\ncores: 4\n")], "missing private_ns, section_ns, handoff_peak_ns, handoff_depth"),
    "network of no form": ([(GOOD, "network: humps\ncores: 4\n")], "unknown form of the hand-off 'humps': did you mean 'hump'"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_named(written, case):
    changes, message = CASES[case]

    with pytest.raises(MppsError) as error:
        read_spec(written(*changes))

    assert message in " ".join(str(error.value).split())
    assert str(error.value).startswith("sweep.yaml")


def test_a_dict_is_read_as_a_file_is(written):
    spec = read_spec(written(("cores", "loads: [2.5Mpps, 1e6]\noutputs: [cores_for_load]\ncores")))
    same = read_spec(
        {
            "path": "pppoe_receive",
            "variants": ["both locks"],
            "cores": [1, 2],
            "parameters": {"section_ns": [40, 60]},
            "loads": [2.5e6, 1e6],
            "outputs": ["cores_for_load"],
        }
    )

    assert spec.loads == (2.5e6, 1e6) and plan_of(spec).key == plan_of(same).key
    with pytest.raises(MppsError, match="^sweep, key 'core': unknown key"):
        read_spec({"path": "pppoe_receive", "core": 1})


def test_words_stay_words(written):
    """A variant may be called off, which YAML would take for a truth value."""
    with pytest.raises(MppsError, match="unknown variant 'off': known"):
        read_spec(written(("[both locks]", "[off]")))


def test_the_limit_can_be_raised(written):
    many = (("[40, 60]", "{from: 40, to: 60, steps: 100000}\n  lock_line_ns: [40, 50, 60]"), ("1,2", "1-1024"))

    assert plan_of(read_spec(written(*many, ("cores", "limit: 1e12\ncores")))).rates == 122_880_000_000


def test_a_machine_of_the_users_own_lies_beside_the_spec(written, tmp_path, monkeypatch):
    (tmp_path / "mine.yaml").write_text((ROOT / "data" / "machines" / "epyc_9654.yaml").read_text())
    spec = written(("[null]", "[mine.yaml, epyc_9654]"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    found = read_spec(f"../{spec}")

    assert load_machine(found.file_of("mine.yaml")).slug == "mine" and found.file_of("epyc_9654") == "epyc_9654"
    key = plan_of(found).key
    (tmp_path / "mine.yaml").write_text((tmp_path / "mine.yaml").read_text().replace("title:", "title: my"))
    assert plan_of(found).key != key


@pytest.mark.parametrize("name", ["{folder}/mine.yaml", "a/epyc_9654.yaml", "b/mine.yaml", "epyc_9654.yaml"])
def test_a_card_that_changes_is_another_sweep_whatever_its_name(tmp_path, name):
    cards = [tmp_path / "mine.yaml", *(tmp_path / place for place in ("a/epyc_9654.yaml", "b/mine.yaml", "epyc_9654.yaml"))]
    for card in cards:
        card.parent.mkdir(exist_ok=True)
        card.write_text((ROOT / "data" / "machines" / "intel_n100.yaml").read_text())
    names = [f"{tmp_path}/mine.yaml", "a/epyc_9654.yaml", "b/mine.yaml", "epyc_9654.yaml", "epyc_9654"]
    text = f"path: tun_receive\ncores: 1\nmachines: {json.dumps(names)}\n"
    (tmp_path / "sweep.yaml").write_text(text)
    before = plan_of(read_spec(tmp_path / "sweep.yaml")).key

    card = tmp_path / name.format(folder=tmp_path)
    card.write_text(card.read_text().replace("title:", "title: my"))

    assert plan_of(read_spec(tmp_path / "sweep.yaml")).key != before


# The command


def run(capsys, *arguments):
    status = cli.main(["sweep", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_dry_run_says_what_it_would_cost_and_writes_nothing(written, tmp_path, capsys):
    spec = written()
    status, out, err = run(capsys, spec, "--dry-run", "--workers", "1")

    assert status == 0 and err == ""
    assert out.startswith("2 scenarios, 1,600 rates, 4 rows in 1 chunks: about ") and "Nothing was written." in out
    assert [file.name for file in tmp_path.iterdir()] == ["sweep.yaml"]
    status, out, _ = run(capsys, spec, "--dry-run", "--json")
    document = json.loads(out)
    assert document["rows"] == 4 and document["seconds"] > 0 and document["bytes"] > 0


def test_the_command_writes_a_file_and_says_so(written, tmp_path, capsys):
    spec = written((GOOD, "network: constant\ncores: 1,2\nparameters: {private_ns: [400, 500], section_ns: 50}\n"))
    status, out, err = run(capsys, spec, "--out", "sweep.parquet", "--json", "--workers", "1", "--seed", "3")
    document = json.loads(out)

    assert status == 0 and document["schema"] == "mpps.sweep/1" and document["seed"] == 3
    assert document["rows"] == 4 and document["out"] == "sweep.parquet" and document["resumed"] == 0
    assert "2 scenarios" in err and "chunks" in err
    assert (tmp_path / "sweep.parquet").stat().st_size == document["bytes"]
    status, out, err = run(capsys, spec, "--out", "sweep.parquet", "--seed", "3")
    assert status == 0 and "1 of 1 chunks were there already" in out and err == ""


def test_what_is_assumed_of_moved_parameters_is_said(written, capsys):
    status, out, _ = run(capsys, written(), "--out", "sweep.parquet", "--workers", "1")

    assert (
        status == 0
        and "Assumed: the correction by event simulation" in out
        and "as they are while parameters move" in out
    )


def test_mistakes_are_one_paragraph_and_status_2(written, tmp_path, capsys):
    (tmp_path / "core.yaml").write_text(GOOD.replace("cores:", "core:"))
    for arguments, message in (
        ([written()], "--out is missing: name the Parquet file"),
        (["nowhere.yaml", "--out", "x.parquet"], "nowhere.yaml: cannot be read"),
        (
            ["sweep.yaml", "--out", "x.parquet", "--scheduler", "tcp://h:1", "--workers", "2"],
            "--workers and --scheduler at once",
        ),
        (["core.yaml", "--out", "x.parquet"], "unknown key 'core'"),
    ):
        status, out, err = run(capsys, *arguments)
        assert status == 2 and out == "" and message in err and err.count("\n") == 1 and "Traceback" not in err


def test_ctrl_c_says_how_to_go_on(written, capsys, monkeypatch):
    from mpps.sweep import parts

    def stop(self, index, content):
        raise KeyboardInterrupt

    monkeypatch.setattr(parts.Parts, "add", stop)
    status, out, err = run(capsys, written(), "--out", "sweep.parquet", "--workers", "1")

    assert status == 130 and out == ""
    assert "interrupted: what is done is kept in sweep.parquet.parts; the same command goes on from there" in err


def test_sizes_and_times_in_words():
    assert [size(count) for count in (12, 1500, 2.5e6, 3.25e9)] == ["12 bytes", "1.5 kB", "2.5 MB", "3.25 GB"]
    assert [duration(seconds) for seconds in (0.5, 45, 600, 7200, 1e6)] == [
        "0.5 s",
        "45 s",
        "10 minutes",
        "2 hours",
        "12 days",
    ]


def test_the_reference_names_every_key_and_output():
    from mpps.sweep.resolving import _EXPECTED
    from mpps.sweep.spec import all_outputs

    page = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}

    assert rows == {*_EXPECTED, *all_outputs()}


def test_the_spec_of_the_reference_is_taken(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")
    (tmp_path / "sweep.yaml").write_text(page.partition("```yaml\n")[2].partition("```")[0])
    (tmp_path / "my.yaml").write_text((ROOT / "data" / "machines" / "epyc_9654.yaml").read_text())

    plan = plan_of(read_spec(tmp_path / "sweep.yaml"))

    assert (plan.cells, plan.sets) == (2 * 3 * 3, 10 * 3)
