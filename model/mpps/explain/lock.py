"""What happens at the serial station: section by depth, mean depth, and where the mean field has several answers."""

import numpy as np

from mpps.compare import Fit
from mpps.network import depths, fixed_points, solve
from mpps.path import Variant, lap, sections


def handoff_by_depth(fitted: Fit, variant: Variant, depth) -> list[dict]:
    """Section in ns at each depth, hand-off included: what the table fixes, unlike its parts.

    Rows: mechanism, weight, depth, section_ns, lower, upper (90 % over that mechanism's members).
    """
    rows = []
    depth = np.asarray(depth, float)
    for one in fitted.kept:
        numbers = lap(fitted.path, variant, one.mechanism, one.member_values, np.array([int(depth.max())]))
        if numbers.section_ns is None:
            continue
        found = sections(one.mechanism, numbers, one.member_values, depth)[:, 0, :]
        low, middle, high = np.quantile(found, (0.05, 0.5, 0.95), axis=0)
        rows += [
            {
                "mechanism": one.mechanism.name,
                "weight": one.weight,
                "depth": float(d),
                "section_ns": float(m),
                "lower": float(a),
                "upper": float(b),
            }
            for d, a, m, b in zip(depth, low, middle, high, strict=True)
        ]
    return rows


def mean_depth(fitted: Fit, variant: Variant, n) -> list[dict]:
    """Mean senders at the station and mean section in ns, rows of variant, n, depth, section_ns (best mechanism)."""
    n = np.asarray(n, int)
    one = fitted.best
    numbers = lap(fitted.path, variant, one.mechanism, one.values, n)
    if numbers.section_ns is None:
        return []
    service = sections(one.mechanism, numbers, one.values, depths(int(n.max()), one.mechanism.parts))
    solved = solve(n, numbers.think_ns, service, parts=one.mechanism.parts)
    section = (solved.utilisation[..., 0] / solved.throughput)[0]
    return [
        {"variant": variant.name, "n": int(c), "depth": float(q), "section_ns": float(s)}
        for c, q, s in zip(n, solved.queue[0, :, 0], section, strict=True)
    ]


def several_fixed_points(fitted: Fit, variant: Variant, n) -> list[dict]:
    """Core counts at which the mean-field solution of a kept mechanism is not unique: rows of mechanism, n, sections_ns.

    The predictions do not use the mean field; there the rate swings between two regimes, and a measurement may too.
    """
    rows = []
    for one in fitted.kept:
        for count in np.asarray(n, int):
            numbers = lap(fitted.path, variant, one.mechanism, one.values, np.array([count]))
            if numbers.section_ns is None or count == 1:
                continue

            def section(depth, numbers=numbers, one=one):
                return sections(one.mechanism, numbers, one.values, depth)[0, 0]

            found = fixed_points(int(count), float(numbers.think_ns[0, 0]), section)
            if len(found) > 1:
                rows.append(
                    {
                        "variant": variant.name,
                        "mechanism": one.mechanism.name,
                        "n": int(count),
                        "sections_ns": [float(s) for s in found],
                    }
                )
    return rows
