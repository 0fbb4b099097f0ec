"""Tables drawn from known parameters: a path with one lock, with and without it, under a mechanism that is exact."""

from dataclasses import replace

import numpy as np

from mpps.fit import Points, Problem
from mpps.path import STATION, CodePath, Mechanism, Parameter, Prior, Stage, Variant, active_parameters

PARAMETERS = (
    Parameter("work_ns", "ns", 200.0, 2000.0, "private work"),
    Parameter("slowdown_ns", "ns", 0.5, 100.0, "each further sender slows all"),
    Parameter("section_ns", "ns", 10.0, 500.0, "section"),
)
STAGES = (
    Stage("work", "work_ns + slowdown_ns*(n - 1)", "private work"),
    Stage("body", "section_ns", "the section", inside=("lock",)),
    Stage("lock", "section_ns*0", "the lock itself", on=STATION),
)
LOCKED, FREE = Variant("locked", ("work", "body", "lock")), Variant("free", ("work", "body"))
HUMP = Mechanism("hump", "a hump, exponential work", "hump")
TRUTH = {"work_ns": 600.0, "slowdown_ns": 12.0, "section_ns": 90.0, "handoff_peak_ns": 140.0, "handoff_depth": 5.0}
COUNTS = np.array([1, 2, 4, 8, 16, 24])


def lock_path(parameters=PARAMETERS, mechanism=HUMP, stages=STAGES, variants=(LOCKED, FREE)) -> CodePath:
    return CodePath("lock", "A lock", "How far?", "none", parameters, stages, variants, (mechanism,), ())


def with_prior(name, median, lower, upper):
    """The path whose parameter `name` has a prior."""
    prior = Prior(median, lower, upper, "believed")
    return lock_path(tuple(replace(p, prior=prior) if p.name == name else p for p in PARAMETERS))


def problem(path=None, truth=None, *, scatter=0.01, noise=0.0, seed=0, counts=COUNTS) -> Problem:
    """A problem whose rows are the truth times a log-normal error of relative size `noise`."""
    path = path or lock_path()
    truth = TRUTH | (truth or {})
    rows = len(path.variants) * len(counts)
    index = np.repeat(np.arange(len(path.variants)), len(counts))
    points = Points(
        path.variants, index, np.tile(counts, len(path.variants)), np.zeros(rows), np.full(rows, scatter), np.zeros(rows),
        np.zeros(rows, bool), ("",) * rows, ("pps",) * rows, (("none", "none", "throughput", 0),) * rows,
    )  # fmt: skip
    # What is believed of hand-off in general is left out, so that the rows alone decide.
    known = {p.name for p in path.parameters}
    active = active_parameters(path, path.variants, path.mechanisms[0])
    active = tuple(p if p.name in known else replace(p, prior=None) for p in active)
    made = Problem(path, path.mechanisms[0], points, active)
    value = made.model(np.log([[truth[name] for name in made.names]]))[0, :rows]
    value = value + noise * np.random.default_rng(seed).standard_normal(rows)
    return replace(made, points=replace(points, value=value))


def truth_of(one: Problem) -> np.ndarray:
    """Logarithms of the true parameters in the order of the problem."""
    return np.log([TRUTH[name] for name in one.names])
