"""Rows of the map of what limits: over two parameters of the fit, or over cores and their clock."""

import dataclasses

import numpy as np

from mpps.explain import bounds_pps
from mpps.machine import load_machine
from mpps.workbook.studies import Study

#: Facts of a machine that say how fast its cores run.
_CLOCKS = ("clock.one_core", "clock.all_cores", "clock.base")


def map_of_parameters(study: Study, variant: str, n: int, x: str, xs, y: str, ys) -> list[dict]:
    """Rows of `charts.limit_map` with n senders, parameters `x` and `y` held at each pair of values."""
    rows = []
    for x_value in xs:
        for y_value in ys:
            settings = {x: float(x_value), y: float(y_value)}
            rows.append(
                _row(bounds_pps(study.fitted, study.variant(variant), [n], settings=settings), 0, x_value, y_value)
            )
    return rows


def map_of_clocks(study: Study, variant: str, cores, clocks) -> list[dict]:
    """Rows of `charts.limit_map` over core counts and the clock of the cores in GHz, all else as on the source's machine."""
    cores, rows = np.asarray(list(cores), int), []
    for clock in clocks:
        bounds = bounds_pps(study.fitted, study.variant(variant), cores, machine=_clocked(study, float(clock)))
        rows += [_row(bounds, k, int(n), clock) for k, n in enumerate(cores)]
    return rows


def fitted_value(study: Study, parameter: str) -> float:
    """Median of a parameter over the members of the most probable mechanism."""
    return float(np.median(study.fitted.best.member_values[parameter]))


def _row(bounds: dict, k: int, x, y) -> dict:
    names = list(bounds)
    lowest = np.argmin(np.stack([bounds[name][:, k] for name in names]), axis=0)
    shares = np.bincount(lowest, minlength=len(names)) / len(lowest)
    first = int(np.argmax(shares))
    return {"x": x, "y": float(y), "limit": names[first], "share": float(shares[first])}


def _clocked(study: Study, clock: float):
    """The machine of the source with all its cores at one clock."""
    machine = load_machine(study.path.machine)
    known = next(machine.facts[name] for name in _CLOCKS if name in machine.facts)
    fixed = dataclasses.replace(known, value=clock, lower=None, upper=None, assumed=False, not_stated=False)
    return dataclasses.replace(machine, facts=machine.facts | dict.fromkeys(_CLOCKS[:2], fixed))
