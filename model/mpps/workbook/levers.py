"""Rows about levers: a parameter that moves, flows that hash onto queues, and mixes of ways."""

import numpy as np

from mpps.hashing import LOADS, full_queues
from mpps.lever import Lever, lever
from mpps.machine import load_machine
from mpps.predict import curves_of
from mpps.structure import structural_spread
from mpps.uncertainty import LEVELS
from mpps.workbook.studies import Study
from mpps.workbook.words import sentence


def moved_parameter(study: Study, parameter: str, values, n: int, *, variant: str, against: str) -> Lever:
    """`mpps.lever.lever` of the study's path."""
    return lever(study.path, parameter, values, n, variant=variant, against=against, seed=study.seed)


def lever_rows(study: Study, found: Lever) -> list[dict]:
    """Rows of `charts.lever`: the variant while the parameter moves, and the other one, which stays."""
    rate, flat = study.shown(found.rate), study.shown(found.against_rate)
    rows = [
        {"series": found.variant, "x": float(x), "lower": rate[0, k], "median": rate[2, k], "upper": rate[4, k]}
        for k, x in enumerate(found.values)
    ]
    ends = (found.values[0], found.values[-1])
    return rows + [
        {"series": found.against, "x": float(x), "lower": flat[0], "median": flat[2], "upper": flat[4]} for x in ends
    ]


def lever_regions(found: Lever, even: str = "breaks even", free: str = "the lock lets go") -> list[dict]:
    """Regions of `charts.lever`: intervals of the break-even and of the value from which the station no longer limits."""
    last = float(found.values[-1])
    regions = []
    for each, label in ((found.break_even, even), (found.free_from, free)):
        # Where it does so at the smallest value already there is nothing to mark.
        if each.median is not None and found.values[0] < each.median < last:
            regions.append({"low": each.lower, "high": each.upper or last, "at": each.median, "label": label})
    return regions


def lever_words(found: Lever, even: bool = True, free: bool = True) -> str:
    """Break-even, and the value from which the station no longer limits, in words."""
    said = [_from(found.break_even, found, f"it gains over {found.against!r}")] if even else []
    return "; ".join([*said, *([_from(found.free_from, found, "the lock no longer limits")] if free else [])])


def _from(found, of: Lever, what: str) -> str:
    least, most = (sentence("{x:2}", x=float(end)) for end in (of.values[0], of.values[-1]))
    where = f"with {of.n} senders" if of.n > 1 else "with one sender"
    if found.median is None:
        return f"{what} nowhere up to {most} {of.unit} in most draws, {where}"
    if found.upper is not None and found.upper <= of.values[0]:
        return f"{what} from {least} {of.unit} on, the smallest that is looked at, {where}"
    return sentence("{w} from {x} {u} on, {s}", w=what, x=(found.median, found.lower, found.upper), u=of.unit, s=where)


def hashed_rows(study: Study, variant: str, queues, flows) -> list[dict]:
    """Rows of `charts.lever` over the number of flows, or of queues with a core each, whichever is a sequence: the rate when
    flows hash onto the queues, in the unit of the study; a series for flows of equal load, and one for greedy ones.

    A hash that leaves k queues full in effect gives the rate of k cores, between whole counts on the straight line in log
    rate; intervals hold the draws of the fit and those of the hash.
    """
    over_queues = not np.isscalar(queues)
    pairs = [(each, flows) for each in queues] if over_queues else [(queues, each) for each in flows]
    counts = np.arange(1, max(each for each, _ in pairs) + 1)
    fitted, one, machine = study.fitted, study.variant(variant), load_machine(study.path.machine)
    curves = curves_of(
        fitted, one, counts, machine, machine, {}, study.seed, structural_spread(fitted, one, counts)[0]
    )[0]
    rows = []
    for load in LOADS:
        rng = np.random.default_rng([study.seed, 31, LOADS.index(load)])
        for many, count in pairs:
            full = np.log(full_queues(count, many, load, len(curves), rng))
            rates = study.shown(
                np.exp([np.interp(k, np.log(counts), curve) for k, curve in zip(full, curves, strict=True)])
            )
            ends = np.quantile(rates, LEVELS)
            x = float(many if over_queues else count)
            rows.append({"series": f"{load} flows", "x": x, "lower": ends[0], "median": ends[2], "upper": ends[4]})
    return rows


def mixed_rows(name: str, shares, times) -> list[dict]:
    """Rows of `charts.lever` over a share (V,): times (K, V) of the mix at each, median and 90 % ends."""
    ends = np.quantile(np.asarray(times, float), LEVELS, axis=0)
    return [
        {"series": name, "x": float(share), "lower": ends[0, k], "median": ends[2, k], "upper": ends[4, k]}
        for k, share in enumerate(shares)
    ]
