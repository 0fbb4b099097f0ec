"""The example scripts run as they are, from anywhere, and say what their sweeps found."""

import runpy
import sys

import polars as pl
import pytest

from mpps import sweep
from mpps.sweep import plan_of, read_spec
from samples import ROOT

EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    def script(name):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name])
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out, pl.read_parquet(tmp_path / f"{name}.parquet")

    return script


def test_collapse(run):
    out, rows = run("collapse_sensitivity")

    assert len(rows) == 10 * 9 and out.count("\n") > 10
    # More packets in an skb: fewer visits to the lock, so the rate peaks later and higher.
    by_merging = rows.group_by("coalescing").agg(pl.col("peak_rate").median()).sort("coalescing")
    assert by_merging["peak_rate"].is_sorted()
    by_section = rows.filter(pl.col("coalescing") == 4.0).sort("section_ns")
    assert by_section["peak_rate"].is_sorted(descending=True) and by_section["knee"].is_sorted(descending=True)


@pytest.mark.slow
def test_hardware(run):
    out, rows = run("hardware_selection")

    assert len(rows) == 2 * 6 * 3 and len(out.splitlines()) == 12
    fewer = (
        rows.filter(pl.col("variant") == "no lock")["carried"]
        >= rows.filter(pl.col("variant") == "both locks")["carried"]
    )
    assert fewer.all()


def test_specs_and_scripts_are_short():
    for name in ("hardware_selection", "collapse_sensitivity"):
        plan = plan_of(read_spec(EXAMPLES / f"{name}.yaml"))
        assert plan.rows < 1000
        code = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").partition("import pathlib")[2]
        assert len([line for line in code.splitlines() if line.strip()]) <= 10
    assert callable(sweep)
