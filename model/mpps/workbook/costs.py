"""Rows about time: the cost of a packet by stage, how busy each resource is, what limits and from where on."""

import numpy as np

from mpps import explain
from mpps.tables import Column, Table
from mpps.text import count, interval, number, percent
from mpps.workbook.studies import Study

#: Stages cheaper than this share of a packet are left out of charts.
_LEAST = 0.002


def cost(study: Study, n: int, *variants: str) -> list[dict]:
    """Where the time of a packet goes with n senders: variant, n, stage, resource, ns, lower, upper, cycles."""
    rows = _cost(study, n, variants)
    return [row for row in rows if abs(row["ns"]) > _LEAST * total_ns(rows, row["variant"])]


def cost_table(study: Study, n: int, *variants: str) -> Table:
    """Stages against variants: ns of one packet with the 90 % interval over all mechanisms; the last line adds them up."""
    rows = _cost(study, n, variants)
    names = list(dict.fromkeys(row["variant"] for row in rows))
    lines = {}
    for row in rows:
        if abs(row["ns"]) > _LEAST * total_ns(rows, row["variant"]):
            line = lines.setdefault(row["stage"], {"stage": row["stage"], "on": row["resource"]})
            line[row["variant"]] = interval(row["ns"], row["lower"], row["upper"])
    total = {"stage": "a packet", "on": ""} | {name: number(total_ns(rows, name)) for name in names}
    columns = (
        Column("stage", "stage"),
        Column("on", "where"),
        *(Column(name, f"{name}, ns", "figures") for name in names),
    )
    caption = f"ns of one packet at {count(n, study.path.sender)} (90 % interval). {clock_words(study, n)}"
    return Table(columns, (*lines.values(), total), caption, f"{study.path.slug}_cost")


def clock_words(study: Study, n: int) -> str:
    """Which clock turns ns into cycles."""
    clock, assumed = explain.source_clock(study.fitted, n)
    if clock is None:
        return "No cycles: the source names neither a processor nor a clock."
    return f"Cycles are those of the core at {number(clock)} GHz" + (
        ", which is assumed: the source states no clock." if assumed else "."
    )


def total_ns(rows, variant: str) -> float:
    """Time of a packet, all stages."""
    return sum(row["ns"] for row in rows if row["variant"] == variant)


def share(rows, variant: str, *resources: str) -> float:
    """Part of a packet's time that these kinds of resources take: private, serial, wait, ceiling."""
    return sum(row["ns"] for row in rows if row["variant"] == variant and row["resource"] in resources) / total_ns(
        rows, variant
    )


def busy(study: Study, cores, *variants: str) -> list[dict]:
    """How busy each resource is: variant, resource, n, utilisation."""
    return [
        row
        for name in variants or study.variants
        for row in explain.utilisation(study.fitted, study.variant(name), cores)
    ]


def limit(study: Study, variant: str, n: int) -> str:
    """The most probable limit with n senders; private work that grows is named by the stage that grows most."""
    name = explain.bottleneck(study.fitted, study.variant(variant), n)
    resource, _, stage = name.partition(": ")
    return resource if stage in ("", resource) else f"{resource}, above all {stage}"


def limit_regions(study: Study, variant: str, cores) -> list[dict]:
    """Stretches of core counts with the same most probable limit: low, high, label, and the least probability in it."""
    cores, found = list(cores), []
    for n in cores:
        here = explain.limits(study.fitted, study.variant(variant), [n])[0]
        if found and found[-1]["label"] == here["resource"]:
            found[-1] |= {"high": n, "probability": min(found[-1]["probability"], here["probability"])}
        else:
            found.append({"low": n, "high": n, "label": here["resource"], "probability": here["probability"]})
    return found


def limit_table(study: Study, cores, *variants: str) -> Table:
    """What limits each variant over these core counts, where private work stops to be the limit, and the best rate."""
    lines = []
    for name in variants or study.variants:
        variant = study.variant(name)
        regions = limit_regions(study, name, cores)
        lines.append(
            {
                "variant": name,
                "limits": "; ".join(
                    f"{_stretch(region)}: {region['label']} ({percent(region['probability'])})" for region in regions
                ),
                "knee": _knee(explain.knee_cores(study.fitted, variant), study.senders),
                "best": _best(study, name, cores),
            }
        )
    columns = (
        Column("variant", "variant"),
        Column("limits", f"what limits, by {study.senders} (least probability)"),
        Column("knee", "private work is the limit up to"),
        Column("best", f"highest rate, {study.unit}"),
    )
    return Table(columns, tuple(lines), "", f"{study.path.slug}_limits")


def knee(study: Study, variant: str):
    """Core count from which something else than private work limits (`explain.Range`)."""
    return explain.knee_cores(study.fitted, study.variant(variant))


def _cost(study: Study, n: int, variants) -> list[dict]:
    return [
        row for name in variants or study.variants for row in explain.packet_cost(study.fitted, study.variant(name), n)
    ]


def _best(study: Study, name: str, cores) -> str:
    forecast = study.forecast(name, cores)
    # The first count within 1 % of the highest: beyond it a flat top only draws lots.
    k = int(np.argmax(forecast.quantiles[2] >= 0.99 * forecast.quantiles[2].max()))
    rates = study.rate(name, int(forecast.n[k]))
    return f"{interval(*rates)} at {forecast.n[k]}"


def _stretch(region: dict) -> str:
    return f"{region['low']} to {region['high']}" if region["high"] > region["low"] else f"{region['low']}"


def _knee(found, counts: str) -> str:
    if found.median is None:
        return "any count in reach" if found.lower is None else f"at least {number(found.lower, 2)} {counts}"
    if found.upper is None:
        return f"{number(found.median, 2)} {counts} (at least {number(found.lower, 2)})"
    return f"{interval(found.median, found.lower, found.upper)} {counts}"
