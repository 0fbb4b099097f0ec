"""The explorer's notebook in a batch, which has no widgets: under both engines its page shows the charts as they stand."""

import json

import pytest

from mpps.report import report

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("engine", ["warm", "stock"])
def test_its_page_shows_the_charts(tmp_path, engine):
    report(["09_explore"], out=tmp_path, engine=engine, progress=False)
    page = (tmp_path / "09_explore.html").read_text(encoding="utf-8")
    record = json.loads((tmp_path / "09_explore.json").read_text(encoding="utf-8"))
    executed = json.loads((tmp_path / "09_explore.ipynb").read_text(encoding="utf-8"))

    assert record["run"]["error"] is None and len(record["answer"]) == 3
    assert page.count("the sliders of this chart move") >= 2
    assert len(list((tmp_path / "09_explore").glob("0*.svg"))) == 2
    assert "widgets" not in executed["metadata"]
    streams = [
        output for cell in executed["cells"] for output in cell.get("outputs", []) if output["output_type"] == "stream"
    ]
    assert streams == []
