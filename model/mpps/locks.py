"""What passing a lock to the next waiter costs: hand-off as a function of depth and topology.

Depth counts the senders at the lock, holder included, so a lock taken without contention has depth 1.
Every form is zero at depth 1 and adds nanoseconds to the section; `relative` forms scale the section
instead. The forms compete: a table fixes the saturated periods, seldom the form.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Handoff:
    """One form: its parameters (name, unit, lower, upper, meaning), formula in words, and source.

    What a table that never queues deeply leaves open is bounded by `PRIORS`.
    """

    name: str
    parameters: tuple[tuple[str, str, float, float, str], ...]
    formula: str
    source: str


_PEAK = ("handoff_peak_ns", "ns", 0.5, 5000.0, "largest extra cost of handing the lock to a waiter")

#: Median and 90 % range of what a hand-off may cost and where: one to twenty line transfers of 50 ns, within the
#: depths that tables of 16 senders reach. Wide, so that a table which queues decides by itself.
PRIORS = {
    "handoff_peak_ns": (
        100.0,
        10.0,
        1000.0,
        "one to twenty line transfers of about 50 ns (nviennot/core-to-core-latency, commit 96a943a)",
    ),
    "handoff_per_waiter_ns": (
        8.0,
        0.8,
        80.0,
        "each waiter refetches the line at most once (Boyd-Wickizer and others 2012)",
    ),
    "handoff_depth": (4.0, 1.2, 13.0, "waiters at the depths that tables of up to 16 senders reach"),
}

FORMS = {
    form.name: form
    for form in (
        Handoff("constant", (), "0", "machine repairman; Gunther arXiv:0808.1431"),
        Handoff(
            "ticket",
            (("handoff_per_waiter_ns", "ns", 0.05, 1000.0, "extra hand-off cost of each further waiter"),),
            "handoff_per_waiter_ns*(depth - 1)",
            "Boyd-Wickizer, Kaashoek, Morris, Zeldovich, OLS 2012: each release makes every waiter refetch the line",
        ),
        Handoff(
            "saturating",
            (_PEAK, ("handoff_depth", "waiters", 0.2, 14.0, "waiters over which the extra cost builds up")),
            "handoff_peak_ns*(1 - exp(-(depth - 1)/handoff_depth))",
            "queued spin lock: remote hand-off once waiters queue, no further growth",
        ),
        Handoff(
            "hump",
            (_PEAK, ("handoff_depth", "waiters", 0.5, 14.0, "waiters at which the extra cost peaks")),
            "handoff_peak_ns*((depth - 1)/handoff_depth)*exp(1 - (depth - 1)/handoff_depth)",
            "queued spin lock, kernel/locking/qspinlock.c: a deep queue hides the promotion of the next waiter, a shallow one pays it",
        ),
        Handoff(
            "early hump",
            (_PEAK, ("handoff_depth", "waiters", 0.5, 14.0, "waiters at which the extra cost peaks")),
            "handoff_peak_ns*sqrt(((depth - 1)/handoff_depth)*exp(1 - (depth - 1)/handoff_depth))",
            "as the hump, but the first waiter already pays much of it (the pending byte of qspinlock.c) and relief comes late",
        ),
        Handoff(
            "step",
            (_PEAK, ("handoff_depth", "waiters", 1.0, 14.0, "waiters at which the extra cost sets in")),
            "handoff_peak_ns*(1/(1 + exp(-2*(depth - 1 - handoff_depth))) - 1/(1 + exp(2*handoff_depth)))",
            "a change of regime at one depth (slow path, pause-loop exit), one waiter wide",
        ),
        Handoff(
            "topology",
            (_PEAK,),
            "handoff_peak_ns*cross",
            "random order of service over cache domains: P_cross = 1 - (m - 1)/(n - 1) (docs/modelling.md)",
        ),
    )
}


def handoff_ns(name: str, depth, values: dict, cross=0.0) -> np.ndarray:
    """Extra nanoseconds of form `name` at `depth`.

    depth (..., K) from 1; values: the form's parameters, broadcasting against depth;
    cross: probability that the next holder is in another cache domain. Raises KeyError for an unknown form.
    """
    waiters = np.maximum(np.asarray(depth, float) - 1.0, 0.0)
    if name == "constant":
        return np.zeros_like(waiters)
    if name == "ticket":
        return values["handoff_per_waiter_ns"] * waiters
    if name == "topology":
        return values["handoff_peak_ns"] * cross * np.ones_like(waiters)
    peak, scale = values["handoff_peak_ns"], values["handoff_depth"]
    if name == "saturating":
        return -peak * np.expm1(-waiters / scale)
    if name == "hump":
        return peak * waiters / scale * np.exp(1.0 - waiters / scale)
    if name == "early hump":
        return peak * np.sqrt(waiters / scale * np.exp(1.0 - waiters / scale))
    if name == "step":
        return peak * (1 / (1 + np.exp(-2 * (waiters - scale))) - 1 / (1 + np.exp(2 * scale)))
    raise KeyError(f"unknown hand-off form {name!r}: known are {', '.join(FORMS)}")


def cross_share(n, domain: float, domains: float = np.inf) -> np.ndarray:
    """Probability that two distinct senders of n, packed into domains of `domain` cores, sit in different ones.

    n broadcasts; 0 for one sender. For full domains it is 1 - (domain - 1)/(n - 1) (docs/modelling.md). Senders beyond
    `domains` full ones are taken as siblings on the same cores, which add no domain (docs/modelling.md).
    """
    n = np.minimum(np.asarray(n, float), domain * domains)
    rest = n % domain
    together = (n - rest) * (domain - 1) + np.maximum(rest * (rest - 1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n > 1, np.maximum(1.0 - together / (n * (n - 1)), 0.0), 0.0)
