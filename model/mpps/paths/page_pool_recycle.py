"""Recycling a page of a page_pool: directly, after asking for the NAPI context, or through the ring of pointers."""

import numpy as np

from mpps import laws
from mpps.errors import MppsError
from mpps.measurements import Measurements
from mpps.path import CEILING, STATION, CodePath, Mechanism, Parameter, Prior, Scope, Stage, Variant
from mpps.units import line_rate_pps

FRAME_BYTES = 64
_LINK_PPS = float(line_rate_pps(100e9, FRAME_BYTES))

PARAMETERS = (
    Parameter("fast_ns", "ns", 0.5, 200.0, "allocation and direct return of one page"),
    Parameter("check_ns", "ns", 0.05, 100.0, "asking whether the caller runs in the NAPI context of the pool"),
    Parameter("ring_ns", "ns", 0.05, 200.0, "what the way through the ring of pointers adds to the direct return"),
    Parameter(
        "slowdown",
        "ratio",
        1e-4,
        0.2,
        "each further core slows the work of all: turbo, memory",
        "none",
        Prior(
            0.015,
            0.004,
            0.05,
            "not measured here; 1.8 % per CPU in packet_transmit, about 1.7 % per sender in pppoe_receive_sync",
        ),
    ),
    Parameter(
        "link_pps",
        "packets/s",
        1e3,
        1e12,
        "64-byte frames that the link carries",
        "device",
        Prior(
            _LINK_PPS,
            _LINK_PPS * 0.9999,
            _LINK_PPS * 1.0001,
            "100 Gbit/s, the target that the source names; clocks may be 100 ppm off (IEEE 802.3)",
        ),
    ),
)

_SLOWED = "(1 + slowdown*(n - 1))"

STAGES = (
    Stage("allocation and return", f"fast_ns*{_SLOWED}", "a page from the cache of the pool and back"),
    Stage("NAPI check", f"check_ns*{_SLOWED}", "the pool finds out by itself whether direct recycling is safe"),
    Stage(
        "ring of pointers",
        f"ring_ns*{_SLOWED}",
        "the page takes the way through the ring instead of the cache",
        on=STATION,
    ),
    Stage("line rate", "link_pps", "what the link carries, one page a frame", on=CEILING),
)

_RETURNS = {
    "fast path": ("allocation and return",),
    "NAPI-aware": ("allocation and return", "NAPI check"),
    "ptr_ring": ("allocation and return", "ring of pointers"),
}
_OBSERVE = (("time", "rate"),)

VARIANTS = (
    *(
        Variant(name, stages, "page_pool_recycle", name, observe=_OBSERVE, words="in the benchmark, which has no link")
        for name, stages in _RETURNS.items()
    ),
    *(
        Variant(
            f"{name} on a link",
            (*stages, "line rate"),
            observe=_OBSERVE,
            words="recycling alone against the line rate; nobody measured it",
        )
        for name, stages in _RETURNS.items()
    ),
)

MECHANISMS = (
    Mechanism(
        "a pool for each core",
        "every core returns pages to a pool of its own, so nothing is shared",
        reading="spread",
        odds=4.0,
    ),
    Mechanism(
        "one ring for all cores",
        "all cores return pages to one pool: the ring of pointers has one producer at a time, at worst for all that it adds",
        reading="bound",
    ),
)

PATH = CodePath(
    slug="page_pool_recycle",
    title="page_pool recycling",
    question="What do a safe return and the ring of pointers cost against the budget of a packet, and which XDP users pay?",
    machine="xeon_8580",
    parameters=PARAMETERS,
    stages=STAGES,
    variants=VARIANTS,
    mechanisms=MECHANISMS,
    scopes=(Scope("all", tuple(v.name for v in VARIANTS), "three points of the source, and the same paths on a link"),),
    station="ring of pointers",
    sender="core",
    scatter=(("page_pool_recycle", 0.02),),
    packet_bytes=FRAME_BYTES,
    assumptions=(
        "One element is one allocation and one return, and one packet needs one; the source does not say what an element is.",
        "The source states no spread; 2 % from run to run are assumed, far more than the cut of the printed ns.",
        "Times are wall-clock ns; the printed cycles are ticks of the 2.0 GHz time-stamp counter, cut, and not cycles of the core.",
        "The benchmark runs on one core without a link. More cores are taken to have a pool each, at odds of 4 to 1 against one ring for all, and slow each other by a share that other paths show.",
        "A return from another core than the one that allocates moves cache lines, which the benchmark does not; such users pay more than the ring's figure.",
        "NAPI-aware against fast path is an upper bound of what the patch costs: two comparisons go, which the benchmark does not hold.",
        "On a link recycling alone is counted; driver, program and lookup come on top.",
    ),
    tradeoffs=(
        (
            "NAPI check",
            "Without it the caller vouches for the context, which led to races that were hard to find (the source).",
        ),
        ("ring of pointers", "The cache of the pool may be used in its own NAPI context only."),
    ),
)

#: Ways to return a page, in the order in which the functions below take shares and times.
RETURNS = tuple(_RETURNS)
#: Link rates against which mixes are held.
LINKS_GBIT = (10, 25, 40, 100, 200, 400)


def recycle_times_ns(values: dict) -> np.ndarray:
    """Times of the three ways for parameter values name -> (...), as `MechanismFit` has them: (..., 3), see RETURNS.

    The estimate, (1, 1), gives (1, 1, 3), the K members, (K, 1), give (K, 1, 3).
    """
    fast, check, ring = (np.asarray(values[name], float) for name in ("fast_ns", "check_ns", "ring_ns"))
    return np.stack(np.broadcast_arrays(fast, fast + check, fast + ring), axis=-1)


def mix_ns(shares, times_ns) -> np.ndarray:
    """Mean time of a return: sum of share times time over the last axis (3); the other axes broadcast.

    Raises `MppsError` when a share is negative or the shares of a mix do not sum to 1.
    """
    shares = np.asarray(shares, float)
    if (
        shares.shape[-1:] != (len(RETURNS),)
        or (shares < 0).any()
        or not np.allclose(shares.sum(axis=-1), 1.0, atol=1e-9)
    ):
        raise MppsError(
            f"shares {shares.tolist()}: expected {len(RETURNS)} for {', '.join(RETURNS)}, none negative, with the sum 1"
        )
    return (shares * times_ns).sum(axis=-1)


def budget_rows(mixes: dict, times_ns, links_gbit=LINKS_GBIT) -> list[dict]:
    """Each mix (name -> three shares) against each link at 64 bytes: one dict per pair.

    mix, gbit, budget_ns, time_ns, budgets (time over budget) and cores (whole, scaling linearly), for recycling alone.
    times_ns (3,): of the estimate or of the table.
    """
    rows = []
    for name, shares in mixes.items():
        time = float(mix_ns(shares, times_ns))
        for gbit in links_gbit:
            budget = float(laws.budget_ns(gbit * 1e9, FRAME_BYTES))
            cores = int(laws.cores_needed(time, gbit * 1e9, FRAME_BYTES))
            rows.append(
                {
                    "mix": name,
                    "gbit": gbit,
                    "budget_ns": budget,
                    "time_ns": time,
                    "budgets": time / budget,
                    "cores": cores,
                }
            )
    return rows


def fallback(times_ns) -> tuple[np.ndarray, np.ndarray]:
    """What a user pays that falls back from the fast path to the ring of pointers: ns on top, and the ratio of times."""
    times = np.asarray(times_ns, float)
    return times[..., 2] - times[..., 0], times[..., 2] / times[..., 0]


def patch_cases(table: Measurements, times_ns) -> list[dict]:
    """The cases of the patch, counted by the card: case, says, comparisons and calls (after minus before), at_most_ns.

    at_most_ns (...) bounds the change of a return from above: each added call costs the NAPI check. Comparisons that
    go make it less, by an amount that the benchmark does not hold.
    """
    times = np.asarray(times_ns, float)
    check = times[..., 1] - times[..., 0]
    rows = []
    for name, statement in table.card.statements.items():
        if not name.startswith("case_"):
            continue
        comparisons, calls = (
            int(table.card.facts[f"{name}_{what}_after"].value - table.card.facts[f"{name}_{what}_before"].value)
            for what in ("comparisons", "calls")
        )
        rows.append(
            {
                "case": name[-1],
                "says": statement.says,
                "comparisons": comparisons,
                "calls": calls,
                "at_most_ns": calls * check,
            }
        )
    return rows


def xdp_users(table: Measurements) -> list[dict]:
    """Who pays, from the card: user (a letter, or "drop"), verdict and who it is, in the order of the source's list."""
    rows = []
    for name, statement in sorted(table.card.statements.items()):
        if name.startswith("user_") or name == "drop_unaffected":
            verdict, _, who = statement.says.partition(": ")
            rows.append(
                {"user": name.removeprefix("user_").removesuffix("_unaffected"), "verdict": verdict, "who": who}
            )
    return rows
