"""The validation page: how far predictions can be trusted, with its bad cases."""

import html
import json
import pathlib
import re
import shutil
from dataclasses import dataclass

from mpps.pages.board import Drawn, overall, part
from mpps.pages.drawings import Chart, write_thumbnail
from mpps.pages.pack import drawing
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
class Cases:
    """Small charts below a section, each with its reason: a heading, a paragraph, (chart, reason) pairs."""

    heading: str
    words: str
    charts: tuple[tuple[object, str], ...]


@dataclass(frozen=True)
class Section:
    """A further section of the page: a heading, a paragraph (may be empty), a table, a chart, lists (heading, lines),
    more tables, and cases."""

    heading: str
    words: str
    table: Table
    chart: object = None
    lists: tuple[tuple[str, tuple[str, ...]], ...] = ()
    more: tuple[Table, ...] = ()
    cases: tuple[Cases, ...] = ()

    @property
    def anchor(self) -> str:
        return slug(self.heading)


def write_validation_page(document: dict, folder, *, sections=(), digest: str = "", beside=None) -> pathlib.Path:
    """Write `validation.html`, its pictures and `validation.json` into `folder`; returns the page.

    document: a scoreboard (`mpps.validate.validate`); sections: further `Section`s, such as the leave-out figures of
    the seeds; digest: what `written` finds again; beside: further documents by name, written as `validation_<name>.json`.
    """
    folder = pathlib.Path(folder)
    shutil.rmtree(folder / NAME, ignore_errors=True)
    drawn = Drawn(folder, NAME)
    charts = {name: drawn.add(chart) for name, chart in overall(document).items()}
    parts = [part(document, drawn, kind) for kind in ("best", "worst") if document["cases"][kind]]
    write_thumbnail(drawn.charts, NAME, folder)
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
        drawing=lambda: drawing(drawn.charts),
        figure=_figure,
        beside=[f"{NAME}_{name}.json" for name in beside or {}],
    )
    for name, more in (beside or {}).items():
        write_text(folder / f"{NAME}_{name}.json", json.dumps(more, ensure_ascii=False, allow_nan=False) + "\n")
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


def _section(section: Section, drawn: Drawn) -> dict:
    return {
        "heading": section.heading,
        "anchor": section.anchor,
        "words": section.words,
        "chart": None if section.chart is None else drawn.add(section.chart),
        "table": _markup(section.table, section.heading),
        "more": [_markup(table, section.heading) for table in section.more],
        "cases": [_cases(each, drawn) for each in section.cases],
        "lists": section.lists,
    }


def _cases(cases: Cases, drawn: Drawn) -> dict:
    made = [{"chart": drawn.add(chart), "reason": reason} for chart, reason in cases.charts]
    return {"heading": cases.heading, "words": cases.words, "cases": made}


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


def _markup(table: Table, heading: str = "") -> str:
    """The table as HTML, in a box of its own that scrolls, named after its caption and the part that it stands in."""
    name = html.escape(" ".join(filter(None, [table.caption or table.name, heading and f"({heading})"])), quote=True)
    box = f'<div class="scroll" role="region" aria-label="{name}" tabindex="0">'
    return _TABLE.sub(lambda found: f"{box}{found[0]}</div>", table._repr_html_())


def _figure(chart: Chart):
    import markupsafe

    return markupsafe.Markup(render("chart.html.j2", chart=chart))
