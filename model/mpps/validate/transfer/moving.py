"""A table of one host moved to another: the mechanisms of the `table` code path, their quantities by the roles of moves."""

import numpy as np

from mpps.discrepancy import cells, continued
from mpps.machine import Machine, Streams
from mpps.table import TableFit
from mpps.transfer import Move, factors_of, time_factor

#: Shares of a lone lap that are the section, or the serial part.
_SECTIONS = ("section", "contention")
#: What lines that move cost, in lone laps and in sections.
_LINES = ("sharing", "crossing", "coherence", "first", "others")
_WAITS = ("handoff", "per_waiter")


def moved_curves(fit: TableFit, source: Machine, target: Machine, n, seed: int) -> np.ndarray:
    """Log rate on `target` at counts n (P,) for the K mixture draws of a table measured on `source`, (K, P).

    The lone lap's private part and the serial part move as core-bound work and as a section; sharing and hand-offs as
    lines, a hump as a hand-off of unknown cause; a ceiling as what limits it, a section. The drift of the source's table
    from its mechanism goes with it; scatter is not added.
    """
    n, draws = np.asarray(n), len(fit.mechanism)
    move = Move(source, target, n, draws, Streams([seed, 1], draws), measured=int(fit.points.n.max()))
    factors, _ = factors_of(move, {"core", "line", "section", "handoff"})
    core = np.broadcast_to(factors["core"], (draws, len(n)))
    line = np.broadcast_to(factors["line"], (draws, len(n)))
    section = np.broadcast_to(time_factor(factors, "section")[0], (draws, len(n)))
    handoff = np.broadcast_to(factors["handoff"], (draws, 1))
    log_rate, drift = np.empty((draws, len(n))), _drift(fit, n)
    for place, part in enumerate(fit.draws):
        mine = np.flatnonzero(fit.mechanism == place)
        if not mine.size:
            continue
        values = part.mechanism.values(part.coordinates[fit.draw[mine]])
        for column, count in enumerate(n):
            here = [each[mine, column, None] for each in (core, line, section)]
            there, lap = _moved(part.mechanism, values, *here, handoff[mine])
            found = part.mechanism.curve(there, np.array([float(count)]))
            log_rate[mine, column] = np.broadcast_to(found, (len(mine), 1))[:, 0] - np.log(lap[:, 0])
    return log_rate + drift


def _moved(mechanism, values, core, line, section, handoff):
    """Quantities on the target, name -> (D, 1), and its lone lap relative to the source's."""
    serial = sum((values[name] for name in _SECTIONS if name in values), np.zeros_like(core))
    serial = np.minimum(serial * (1 + values.get("second", 0.0)), 1.0)
    lap = (1 - serial) * core + serial * section
    result = dict(values)
    hump = any(name == "hump" for _, name in mechanism.stations)
    for quantity in mechanism.quantities:
        name = quantity.name
        if name in _SECTIONS:
            factor = section / lap
        elif name in _LINES:
            factor = line / lap
        elif name in _WAITS:
            factor = (handoff if hump else line) / section
        elif name == "ceiling":
            factor = lap / section
        else:
            continue
        result[name] = np.clip(values[name] * factor, 1e-9, quantity.high)
    return result, lap


def _drift(fit: TableFit, n) -> np.ndarray:
    """Capacity and drift of the source's table at n (P,) for each mixture draw, (K, P)."""
    points, found = fit.points, np.empty((len(fit.mechanism), len(n)))
    rng = np.random.default_rng([fit.seed, 7])
    said = np.empty((len(fit.mechanism), len(points.n)))
    for place, part in enumerate(fit.draws):
        mine = fit.mechanism == place
        if mine.any():
            said[mine] = part.mechanism.log_rate(part.coordinates[fit.draw[mine]], points.n)
    residual = points.log_rate - said
    for cell in np.unique(fit.cell):
        mine = fit.cell == cell
        mean, spread, _ = continued(
            points.n, residual[mine], points.weight, cells()[cell], fit.prior.discrepancy.persistence, n
        )
        found[mine] = mean + spread * rng.standard_normal((mine.sum(), len(n)))
    return found
