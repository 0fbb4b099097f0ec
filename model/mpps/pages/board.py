"""Charts of the validation page: over all data sets, and of single series with the reason."""

import math
import pathlib

from mpps import charts
from mpps.pages.drawings import Chart, chart_of, write_files
from mpps.pages.templates import slug
from mpps.sentences.scoreboard import TITLES
from mpps.text import percent


class Drawn:
    """Charts of the page in their order, each with its picture in the folder."""

    def __init__(self, folder: pathlib.Path, name: str):
        self.folder, self.name, self.charts = folder, name, []

    def add(self, chart) -> Chart:
        made = chart_of(charts.spec(chart), None, self.name, len(self.charts) + 1)
        write_files([made], self.folder)
        self.charts.append(made)
        return made


def overall(document: dict) -> dict:
    """The four charts over all data sets, by name: distribution, errors, coverage, sharpness."""
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
    return "-" if width is None else f"{math.exp(min(width, 50.0)):.1f}"


def part(document: dict, drawn: Drawn, kind: str) -> dict:
    """The `best` or the `worst` cases: heading, anchor, words, and each case's chart with its reason."""
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
