"""Rows about the station: how many senders stand there, and what a section costs them with its hand-off."""

import numpy as np

from mpps import explain
from mpps.path import lap, sections
from mpps.tables import Column, Table
from mpps.text import interval
from mpps.workbook.studies import Study


def queue(study: Study, cores, *variants: str) -> list[dict]:
    """Senders at the station and the section they meet there: variant, n, depth, section_ns; without a station no rows."""
    return [
        row
        for name in variants or study.variants
        for row in explain.mean_depth(study.fitted, study.variant(name), cores)
    ]


def deepest(study: Study) -> float:
    """Mean senders at the station in the most crowded measurement."""
    return max(row["depth"] for name in study.variants for row in queue(study, study.counts(name), name))


def periods(study: Study, depths, *variants: str) -> list[dict]:
    """Section with its hand-off by depth, over the members of all mechanisms: variant, depth, section_ns, lower, upper.

    `observed` holds what a measurement implies where the station never rests: one section in each lap of it.
    """
    depths = np.asarray(depths, float)
    rows = []
    for name in variants or study.variants:
        found = [curve for one in study.fitted.kept if (curve := _sections(study, name, one, depths)) is not None]
        if found:
            low, middle, high = np.quantile(np.concatenate(found), (0.05, 0.5, 0.95), axis=0)
            rows += [
                {"variant": name, "depth": float(d), "section_ns": float(m), "lower": float(a), "upper": float(b)}
                for d, a, m, b in zip(depths, low, middle, high, strict=True)
            ]
            rows += implied(study, name)
    return rows


def implied(study: Study, variant: str, busy: float = 0.95, deep: float = 3.0) -> list[dict]:
    """Sections that saturated measurements imply: depth (mean, from the model) and observed ns.

    Where the queue is shallower than `deep` its mean says little, since the section changes fast with the depth.
    """
    rows = []
    for row in queue(study, study.counts(variant), variant):
        share = explain.utilisation(study.fitted, study.variant(variant), [row["n"]])
        here = next(item["utilisation"] for item in share if item["resource"] == study.path.station)
        if here > busy and row["depth"] > deep:
            rate = study.observed(variant, row["n"]) / study.shown(1.0)
            rows.append(
                {
                    "variant": variant,
                    "depth": row["depth"],
                    "observed": here * 1e9 / rate,
                    "source": f"measured with {row['n']}",
                }
            )
    return rows


def period_table(study: Study, rows, depths) -> Table:
    """Sections by depth against variants."""
    lines = []
    for name in dict.fromkeys(row["variant"] for row in rows):
        part = {row["depth"]: row for row in rows if row["variant"] == name and "section_ns" in row}
        lines.append(
            {"variant": name}
            | {f"{d:g}": interval(part[d]["section_ns"], part[d]["lower"], part[d]["upper"]) for d in depths}
        )
    columns = (Column("variant", "variant"), *(Column(f"{d:g}", f"{d:g}", "figures") for d in depths))
    return Table(
        columns,
        tuple(lines),
        f"Section in ns, hand-off included, by the senders at the {study.path.station} (90 % interval over all mechanisms)",
        f"{study.path.slug}_periods",
    )


def _sections(study: Study, name: str, one, depths) -> np.ndarray | None:
    numbers = lap(study.path, study.variant(name), one.mechanism, one.member_values, np.array([int(depths.max())]))
    if numbers.section_ns is None:
        return None
    found = sections(one.mechanism, numbers, one.member_values, depths)[:, 0, :]
    return np.broadcast_to(found, (len(one.members), len(depths)))
