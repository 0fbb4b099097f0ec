"""How many cores a rate needs on each of several machines, what binds there, and which sufficient machine is cheapest.

    answers = needed(path, 2e6, ["epyc_9654", "intel_n100"], variants=["before", "after"])
    cheapest(answers, {"epyc_9654": 9000, "intel_n100": 250})

Every draw of the fit and of the machine carries the rate from some count on, or not at all: the counts are what is told.
"""

from dataclasses import dataclass

import numpy as np

from mpps.compare import Fit, fit
from mpps.errors import MppsError
from mpps.explain import Range, limits, range_of, with_stage
from mpps.machine import Assumption, Machine, Streams, load_machine
from mpps.path import CodePath, Variant
from mpps.predict import Forecast, predict, scope_for
from mpps.transfer import device_ceiling

#: A count is enough where at least this share of the draws carries the rate.
SURE = 0.9
#: Every count up to this one is looked at; beyond, about eight a doubling.
_EVERY = 32
_A_DOUBLING = 8


@dataclass(frozen=True, eq=False)
class Needed:
    """What `rate_pps` takes on one machine with one variant.

    cores: the smallest count that carries it, over the draws, unbounded where no count of the machine does; p:
    probability that any does; enough: the smallest count that does with probability `sure`, None where there is none;
    best: the count with the highest median rate, and most: that rate in packets/s; at: the count that the rest is told
    for, `enough` or `best`; rate: packets/s there; headroom: that over `rate_pps`, less 1; limit and limit_p: what binds
    there, and how probably; every: all resources that may bind there, by probability; counts and carried (N,): the
    probability that each count carries the rate; forecast: the rates at the counts; device: packets/s that the network
    device on the card moves, and device_p: the probability that this is `rate_pps` or more, None where the card is silent.

    Cores and device are told apart, since a device is another order: `enough` is about the cores, and about the device
    only where the path itself has its ceiling.
    """

    machine: Machine
    variant: str
    rate_pps: float
    sure: float
    cores: Range
    p: float
    enough: int | None
    best: int
    most: Range
    at: int
    rate: Range
    headroom: Range
    limit: str
    limit_p: float
    every: tuple[tuple[str, float], ...]
    counts: np.ndarray
    carried: np.ndarray
    forecast: Forecast
    device: Range | None = None
    device_p: float | None = None

    @property
    def device_carries(self) -> bool:
        """Whether the device on the card moves the rate with probability `sure`; true where the card is silent."""
        return self.device_p is None or self.device_p >= self.sure

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the prediction rests on that no source fixes."""
        return self.forecast.assumptions

    @property
    def cpus(self) -> int:
        """CPUs that the machine has."""
        return self.machine.threads

    def row(self) -> dict:
        """As JSON answers, tables and charts take it."""
        return {
            "machine": self.machine.slug,
            "title": self.machine.title,
            "variant": self.variant,
            "cpus": self.cpus,
            "rate_pps": self.rate_pps,
            "cores": self.cores.as_dict(),
            "p": self.p,
            "enough": self.enough,
            "best": self.best,
            "most_pps": self.most.as_dict(),
            "at": self.at,
            "headroom": self.headroom.as_dict(),
            "limit": self.limit,
            "limit_p": self.limit_p,
            "limits": [{"resource": name, "probability": p} for name, p in self.every],
            "device_pps": self.device and self.device.as_dict(),
            "device_p": self.device_p,
        }


def needed(
    path: CodePath,
    rate_pps: float,
    machines,
    *,
    variants,
    sure: float = SURE,
    settings: dict | None = None,
    seed: int = 1,
    fitted: Fit | None = None,
    **where,
) -> list[Needed]:
    """For each machine and each variant, how many cores carry `rate_pps`: machine by machine, in the order given.

    machines: slugs, cards or files of cards; variants: names, or `Variant`s of a changed path with its `fitted`;
    where: further options of `predict`. Raises MppsError for a rate that is no positive number, a probability outside
    (0, 1), no machine or variant, and unknown names.
    """
    if not (np.isfinite(rate_pps) and rate_pps > 0):
        raise MppsError(f"rate to carry: found {rate_pps!r}, expected a positive number of packets a second")
    if not 0 < sure < 1:
        raise MppsError(f"how sure: found {sure!r}, expected a probability between 0 and 1, such as {SURE}")
    cards = [load_machine(one) for one in machines]
    asked = [path.variant(one) if isinstance(one, str) else one for one in variants]
    if not cards or not asked:
        raise MppsError("name at least one machine and one variant to compare")
    return [
        _needed(path, float(rate_pps), card, variant, sure, settings or {}, seed, fitted, where)
        for card in cards
        for variant in asked
    ]


def cheapest(answers, prices: dict[str, float], *, any_device: bool = False) -> Needed | None:
    """The sufficient answer with the lowest price, the fewest cores where two cost the same; None where none suffices.

    prices: machine slug -> price, in one currency. Machines without a price are left out, and those whose network device
    on the card does not carry the rate, unless `any_device`. Raises MppsError for prices of machines that nobody asked
    about, and for prices that are no positive numbers.
    """
    known = {one.machine.slug for one in answers}
    for slug, price in prices.items():
        if slug not in known:
            raise MppsError(f"price of {slug!r}: it is not among the machines compared, {', '.join(sorted(known))}")
        if not (isinstance(price, (int, float)) and np.isfinite(price) and price > 0):
            raise MppsError(f"price of {slug}: found {price!r}, expected a positive number")
    enough = [
        one
        for one in answers
        if one.enough is not None and one.machine.slug in prices and (any_device or one.device_carries)
    ]
    return min(enough, key=lambda one: (prices[one.machine.slug], one.enough), default=None)


def counts_of(cpus: int) -> np.ndarray:
    """Counts that are looked at on a machine with `cpus`: every one at first, then about eight a doubling, and the last."""
    few = np.arange(1, min(cpus, _EVERY) + 1)
    if cpus <= _EVERY:
        return few
    steps = max(2, int(np.ceil(np.log2(cpus / _EVERY) * _A_DOUBLING)) + 1)
    return np.unique(np.r_[few, np.round(np.geomspace(_EVERY, cpus, steps)).astype(int)])


def first_count(carries, counts) -> np.ndarray:
    """The smallest of `counts` (N,) at which each draw of `carries` (K, N) is true; inf where none is: (K,)."""
    return np.where(carries.any(axis=1), np.asarray(counts, float)[carries.argmax(axis=1)], np.inf)


def _needed(path: CodePath, rate, machine, variant: Variant, sure, settings, seed, fitted: Fit | None, where) -> Needed:
    fitted = fitted or fit(path, scope_for(path, variant).name, seed=seed)
    counts = counts_of(machine.threads)
    forecast = predict(
        path, counts, variant=variant, machine=machine, settings=settings, seed=seed, fitted=fitted, **where
    )
    curves = np.exp(forecast.curves)
    carries = curves >= rate
    carried = carries.mean(axis=0)
    sufficient = np.flatnonzero(carried >= sure)
    middle = np.median(curves, axis=0)
    best = int(middle.argmax())
    at = int(sufficient[0]) if sufficient.size else best
    rows = limits(fitted, variant, [counts[at]], machine=machine, settings=settings, seed=seed, **where)
    every = tuple((with_stage(fitted, variant, int(counts[at]), row["resource"]), row["probability"]) for row in rows)
    device, _ = device_ceiling(path, machine, len(curves), Streams([seed, 1], len(curves)))
    return Needed(
        machine,
        variant.name,
        rate,
        sure,
        range_of(first_count(carries, counts)),
        float(carries.any(axis=1).mean()),
        int(counts[sufficient[0]]) if sufficient.size else None,
        int(counts[best]),
        range_of(curves[:, best]),
        int(counts[at]),
        range_of(curves[:, at]),
        range_of(curves[:, at] / rate - 1.0),
        *every[0],
        every,
        counts,
        carried,
        forecast,
        None if device is None else range_of(device[:, 0]),
        None if device is None else float((device >= rate).mean()),
    )
