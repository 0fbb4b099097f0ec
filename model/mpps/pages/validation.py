"""The validation page: how far predictions can be trusted, with its bad cases."""

import json
import pathlib
import re
import shutil
from dataclasses import dataclass

from mpps.pages.drawings import Chart, chart_of
from mpps.pages.page import bundle
from mpps.pages.templates import render, slug, text, write_text
from mpps.sentences.scoreboard import (
    TITLES,
    apart_table,
    coverage_table,
    errors_table,
    goal_rows,
    intervals_table,
    skipped_lines,
    summary_table,
    used_lines,
)
from mpps.tables import Table
from mpps.text import percent

NAME = "validation"
_TITLE = "How far can the predictions be trusted?"
_DIGEST = re.compile(r'<meta name="mpps-digest" content="([^"]*)">')
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)


@dataclass(frozen=True)
class Section:
    """A further section of the page: a heading, a paragraph (may be empty), a table, a chart, lists (heading, lines)."""

    heading: str
    words: str
    table: Table
    chart: object = None
    lists: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def anchor(self) -> str:
        return slug(self.heading)


def write_validation_page(document: dict, folder, *, sections=(), digest: str = "") -> pathlib.Path:
    """Write `validation.html`, its pictures and `validation.json` into `folder`; returns the page.

    document: a scoreboard (`mpps.validate.validate`); sections: further `Section`s, such as the leave-out figures of
    the seeds; digest: what `written` finds again.
    """
    folder = pathlib.Path(folder)
    shutil.rmtree(folder / NAME, ignore_errors=True)
    drawn = _Charts(folder)
    charts = {name: drawn.add(chart) for name, chart in _overall(document).items()}
    parts = [_part(document, drawn, kind) for kind in ("best", "worst") if document["cases"][kind]]
    goals = goal_rows(document)
    tables = {
        "summary": summary_table(document),
        "errors": errors_table(document),
        "coverage": coverage_table(document),
        "intervals": intervals_table(document),
        **({"apart": apart_table(document)} if document["apart"] else {}),
    }
    page = render(
        "validation.html.j2",
        title=_TITLE,
        digest=digest,
        document=document,
        answer=answer(document),
        protocol=_protocol(document),
        goals=goals,
        missed=sum(not goal["reached"] for goal in goals),
        contents=_contents(document, parts, sections),
        charts=charts,
        parts=parts,
        tables={"apart": ""} | {name: _markup(table) for name, table in tables.items()},
        sections=[_section(one, drawn) for one in sections],
        used=used_lines(document),
        skipped=skipped_lines(document),
        style=text("style.css"),
        bundle=bundle(),
        fit=_fit(),
        script=text("charts.js"),
        figure=_figure,
    )
    write_text(folder / f"{NAME}.json", json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
    write_text(folder / f"{NAME}.html", page)
    return folder / f"{NAME}.html"


def written(folder) -> str | None:
    """The digest of the page in `folder`, None where there is none."""
    try:
        found = _DIGEST.search((pathlib.Path(folder) / f"{NAME}.html").read_text(encoding="utf-8"))
    except OSError:
        return None
    return found[1] if found else None


def answer(document: dict) -> list[str]:
    """The scoreboard in three sentences."""
    pooled, median, paired = document["pooled"], document["median"], document["paired"]
    wins = [one["wins"] for one in paired.values()]
    parts = [
        f"{percent(pooled[key])} {words}"
        for key, words in (("near", "up to twice the training range"), ("far", "beyond"))
        if pooled[key] is not None
    ]
    return [
        (
            f"Of {pooled['points']} points that no fit had seen, {percent(pooled['coverage'])} lie inside their 90 % interval: "
            f"{', '.join(parts)}."
        ),
        (
            f"The median error is {percent(median['mpps']['error'])}; the universal scalability law has "
            f"{percent(median['usl']['error'])} on the same points, the best of five baselines "
            f"{percent(min(median[name]['error'] for name in TITLES if name != 'mpps'))}."
        ),
        f"The interval score is lower than the baselines' on {min(wins)} to {max(wins)} of {len(document['datasets'])} data sets.",
    ]


class _Charts:
    """Charts of the page in their order, each with its picture in the folder."""

    def __init__(self, folder: pathlib.Path):
        self.folder, self.count = folder, 0

    def add(self, chart) -> Chart:
        from mpps.charts import spec

        self.count += 1
        made = chart_of(spec(chart), None, NAME, self.count)
        write_text(self.folder / made.file, made.svg)
        return made


def _overall(document: dict) -> dict:
    from mpps import charts

    sets, own = document["datasets"], document["median"]["mpps"]
    errors = [
        {"model": TITLES[name], "dataset": row["name"], "error": row[name]["error"]} for name in TITLES for row in sets
    ]
    beside = [
        {"test": row["name"], "method": TITLES[name], "error": row[name]["error"], "points": row["points"]}
        for row in sorted(sets, key=lambda row: row["mpps"]["error"])
        for name in ("mpps", "usl", "damped")
    ]
    pooled = document["pooled"]
    parts = (
        ("all points", "coverage", "coverage50", "points"),
        ("near", "near", "near50", "near_points"),
        ("far", "far", "far50", "far_points"),
    )
    held = [
        {
            "part": part,
            "level": level,
            "held": pooled[key],
            "lower": pooled[f"{key}_interval"][0],
            "upper": pooled[f"{key}_interval"][1],
            "points": pooled[points],
        }
        for part, wide, narrow, points in parts
        if pooled[points]
        for level, key in ((0.9, wide), (0.5, narrow))
    ]
    worst = max(sets, key=lambda row: row["mpps"]["error"])
    ends = {key: percent(pooled[key]) for key in ("near", "far") if pooled[key] is not None}
    said = " and ".join(f"{share} {where}" for where, share in ends.items())
    return {
        "distribution": charts.error_distribution(
            errors, title=f"Half of the data sets are predicted to {percent(own['error'])} or better"
        ),
        "errors": charts.holdout(
            beside,
            title=f"Error of each data set: the largest is {percent(worst['mpps']['error'])}, of {worst['name']}",
        ),
        "coverage": charts.coverage(held, title=f"90 % intervals hold {said}"),
        "sharpness": charts.sharpness(
            _points(document),
            title=f"Half of the near intervals span a factor of {_factor(pooled['near_width'])} or less"
            + (f", of the far ones {_factor(pooled['far_width'])}" if pooled["far_width"] is not None else ""),
        ),
    }


def _points(document: dict) -> list[dict]:
    import math

    return [
        {
            "series": f"{row['dataset']}, {row['variant']}",
            "n": point["n"],
            "beyond": point["n"] / row["train"][-1]["n"],
            "width": math.log(point["upper"] / point["lower"]),
            "inside": point["lower"] <= point["observed"] <= point["upper"],
        }
        for row in document["series"]
        for point in row["predictions"]
    ]


def _factor(width) -> str:
    import math

    return "-" if width is None else f"{math.exp(min(width, 50.0)):.1f}"


def _part(document: dict, drawn: _Charts, kind: str) -> dict:
    from mpps import charts

    rows = [document["series"][place] for place in document["cases"][kind]]
    cases = [
        {
            "chart": drawn.add(
                charts.forecast_case(
                    [*row["train"], *row["predictions"]],
                    title=f"{row['dataset']}: {row['variant']}",
                    unit=row["unit"].replace("_per_", "/").replace("_", " "),
                    x_title=row["counts"].partition(",")[0],
                )
            ),
            "reason": row["reason"].replace(" %", "\N{NO-BREAK SPACE}%"),
        }
        for row in rows
    ]
    heading, words = {
        "best": ("Well predicted", "The series with the lowest interval scores among those that stayed inside."),
        "worst": (
            "Badly predicted",
            "The series with the highest interval scores among those that left their interval.",
        ),
    }[kind]
    key = "Filled points train, hollow ones are held out, red ones lie outside the 90 % interval; dashed line and bands are the forecast, 50 % and 90 %."
    return {
        "heading": heading,
        "anchor": slug(heading),
        "words": f"{words} At most one of each data set. {key}",
        "cases": cases,
    }


def _section(section: Section, drawn: _Charts) -> dict:
    return {
        "heading": section.heading,
        "anchor": section.anchor,
        "words": section.words,
        "chart": None if section.chart is None else drawn.add(section.chart),
        "table": _markup(section.table),
        "lists": section.lists,
    }


def _protocol(document: dict) -> list[str]:
    sources = len({row["source"] for row in document["datasets"]})
    return [
        (
            f"{len(document['used'])} series of {len(document['datasets'])} published data sets from {sources} sources. "
            "A series is the throughput of one variant at five or more distinct n. The lowest 60 % of them, at least three, train; "
            "the others are held out. Errors are averaged within a data set first, so that one with many variants counts once."
        ),
        (
            "A source is a laboratory or a host. No forecast of a series uses anything learnt from its own source, and the widths "
            "of the baselines' intervals are fitted on the other sources too."
        ),
        (
            "Baselines: the universal scalability law and Amdahl's law, fitted in log rate; the last value; a straight line through "
            "the last two points in log-log; and a slope that fades out. Each has two constants for the width of its intervals."
        ),
    ]


def _contents(document: dict, parts, sections) -> list[tuple[str, str]]:
    found = [
        ("goals", "Goals"),
        ("protocol", "How it is scored"),
        ("errors", "Errors"),
        ("coverage", "Coverage, near and far"),
    ]
    found += [("sharpness", "Sharpness"), *((part["anchor"], part["heading"]) for part in parts)]
    found += [("apart", "Scored apart")] if document["apart"] else []
    return [*found, *((one.anchor, one.heading) for one in sections), ("series", "Series used and not used")]


def _markup(table: Table) -> str:
    """The table as HTML, in a box of its own that scrolls."""
    box = '<div class="scroll" role="region" aria-label="Table" tabindex="0">{}</div>'
    return _TABLE.sub(lambda found: box.format(found[0]), table._repr_html_())


def _figure(chart: Chart):
    import markupsafe

    return markupsafe.Markup(render("chart.html.j2", chart=chart))


def _fit() -> str:
    from mpps.charts.show import FIT

    return FIT
