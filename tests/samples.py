"""Small notebooks for tests, made on the spot."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent

CHART_CELL = """\
from IPython.display import display
values = [{"cores": n, "rate": n / (1 + 0.05 * (n - 1))} for n in range(1, cores_max + 1)]
axes = {"x": {"field": "cores", "type": "quantitative"}, "y": {"field": "rate", "type": "quantitative"}}
chart = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "mark": "line", "encoding": axes}
chart |= {"title": "Rate <against> cores", "width": 640, "height": 300, "data": {"values": values}}
display({"application/vnd.vegalite.v6+json": chart, "text/plain": "A curve that saturates."}, raw=True)"""

RECORD_CELL = """\
import mpps.report
mpps.report.record("{name}", question="How far does {name} scale?", answer=["To 20 cores.", "Then no further."],
    numbers={{"section": {{"value": 275.0, "lower": 265.0, "upper": 285.0, "unit": "ns"}}, "cores": cores_max}},
    parameters={{"cores_max": cores_max}}, data_sha256={{"table.csv": "0" * 64}})"""

PARAMETERS_CELL = "cores_max: int = 16  # largest core count [1..4096]"

PROSE = """\
## The model

Each sender waits: $$X(n) = \\frac{n}{Z + S}$$

| variant | senders | measured rate in packets per second | predicted rate in packets per second | and one more column |
|:--|--:|--:|--:|:--|
| both locks | 16 | 1,234,567 | 1,240,000 | a rather long remark that cannot be broken into lines without need |
"""


def make_notebook(path: pathlib.Path, *cells) -> pathlib.Path:
    """Write a notebook of cells: text that starts with # is Markdown, a pair is (tag, code), other text is code."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    made = []
    for cell in cells:
        if isinstance(cell, tuple):
            made.append(new_code_cell(cell[1], metadata={"tags": [cell[0]]}))
        else:
            made.append(new_markdown_cell(cell) if cell.startswith("#") else new_code_cell(cell))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    nbformat.write(new_notebook(cells=made, metadata=metadata), path)
    return path


def good_cells(name: str) -> tuple:
    """Cells of a notebook that does everything a report does."""
    return (
        f"# How far does {name} scale?\n\nWhat you will learn: that it does.",
        ("parameters", PARAMETERS_CELL),
        PROSE,
        CHART_CELL,
        "from IPython.display import Latex\nLatex(r'$\\displaystyle \\frac{a}{b}$')",
        ("show-code", "print(f'{cores_max} cores ' * 40)"),
        "## The record",
        RECORD_CELL.format(name=name),
    )
