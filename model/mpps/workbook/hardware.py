"""Which machine to buy: the rate, the candidates, and the rows and tables of cores needed, machine by machine."""

import dataclasses

from mpps import alter
from mpps.capacity import Needed, cheapest, needed
from mpps.errors import MppsError
from mpps.machine import Machine, load_machine
from mpps.paths import load_path
from mpps.tables import Column, Table
from mpps.text import interval, number, percent
from mpps.units import to_rate_pps
from mpps.workbook.curves import short_title


@dataclasses.dataclass(frozen=True, eq=False)
class Choice:
    """A rate to carry through a path, candidates with prices, and what each takes: `today` and `later` are variants.

    machines and prices: slug -> card, price; altered: variant -> the fit and variant with packets of `packet_bytes`;
    answers: machine by machine, today first.
    """

    path: object
    rate_pps: float
    packet_bytes: float
    unit: str
    rate: float
    machines: dict
    prices: dict
    sure: float
    today: str
    later: str
    altered: dict
    answers: tuple[Needed, ...]
    seed: int
    placement: dict

    def of(self, variant: str) -> list[Needed]:
        """The answers for one variant, in the order of the machines."""
        return [one for one in self.answers if one.variant == self.altered[variant].variant.name]

    def best(self, variant: str, any_device: bool = False) -> Needed | None:
        """The cheapest machine that suffices with a variant; any_device: whatever network device its card names."""
        return cheapest(self.of(variant), self.prices, any_device=any_device)


def priced(candidates) -> dict[str, float]:
    """Machine, or file of a card -> price of `["epyc_9654:9000", ...]`; raises `MppsError` for a text that is not
    machine:price (or machine=price), for an unknown machine, and for one that is there twice."""
    prices = {}
    for text in candidates:
        name, mark, price = text.rpartition("=" if "=" in text else ":")
        name = name.strip()
        try:
            value = float(price)
        except ValueError:
            value = float("nan")
        if not mark or not 0 < value < float("inf"):
            raise MppsError(f"candidate {text!r}: expected machine:price, for example epyc_9654:9000")
        if load_machine(name).slug in [load_machine(known).slug for known in prices]:
            raise MppsError(f"candidate {name!r} is there twice; keep one of them")
        prices[name] = value
    if not prices:
        raise MppsError("name at least one candidate, as machine:price")
    return prices


def choice(
    path: str,
    *,
    rate: float,
    unit: str,
    packet_bytes: float,
    candidates,
    today: str,
    later: str,
    sure: float,
    seed=1,
    **placement,
) -> Choice:
    """Cores that `rate` in `unit` of packets of `packet_bytes` needs on every candidate, with both variants.

    candidates: `machine:price` each. A path whose packets have no size is taken as it is. Raises `MppsError` for what is unknown, and for a rate or size that is not positive.
    """
    found, asked = load_path(path), priced(candidates)
    machines = {card.slug: card for card in map(load_machine, asked)}
    prices = dict(zip(machines, asked.values(), strict=True))
    if not packet_bytes > 0:
        raise MppsError(f"packet_bytes: found {packet_bytes!r}, expected a positive number of bytes")
    if not rate > 0:
        raise MppsError(f"rate: found {rate!r}, expected a positive number in {unit}")
    rate_pps = float(to_rate_pps(rate, unit, packet_bytes))
    changes = [] if found.packet_bytes in (None, packet_bytes) else [{"packet_bytes": packet_bytes}]
    changed = {
        name: alter.altered(alter.fit_for_changes(found, name, changes, seed=seed), name, changes)
        for name in dict.fromkeys((today, later))
    }
    answers = []
    for card in machines.values():
        for new in changed.values():
            answers += needed(
                new.fitted.path, rate_pps, [card], variants=[new.variant], sure=sure, settings=new.settings, seed=seed,
                fitted=new.fitted, **placement,
            )  # fmt: skip
    return Choice(
        found,
        rate_pps,
        packet_bytes,
        unit,
        rate,
        machines,
        prices,
        sure,
        today,
        later,
        changed,
        tuple(answers),
        seed,
        placement,
    )


def candidates_table(choice: Choice) -> Table:
    """What the cards say of the candidates, and their prices."""
    rows = []
    for slug, machine in choice.machines.items():
        rows.append(
            {
                "machine": short_title(machine),
                "cpus": machine.threads,
                "clock": _fact(machine, "clock.one_core"),
                "inside": _fact(machine, "line_transfer.same_cluster"),
                "across": _fact(machine, "line_transfer.other_cluster") or _fact(machine, "line_transfer.other_socket"),
                "link": _fact(machine, "device.link"),
                "device": _fact(machine, "device.packet_ceiling"),
                "price": choice.prices[slug],
                "open": sum(fact.not_stated or fact.assumed for fact in machine.facts.values()),
            }
        )
    columns = (
        Column("machine", "machine"),
        Column("cpus", "CPUs", "count"),
        Column("clock", "clock, one core, GHz", "figures"),
        Column("inside", "line transfer inside a cluster, ns", "figures"),
        Column("across", "across, ns", "figures"),
        Column("link", "link, Gbit/s", "figures"),
        Column("device", "network device moves at most, Mpps", "figures"),
        Column("price", "price", "count"),
        Column("open", "numbers assumed or missing", "count"),
    )
    return Table(columns, tuple(rows), name="candidates")


def needed_rows(choice: Choice) -> list[dict]:
    """Rows of `charts.cores_needed`."""
    return [
        {
            "machine": short_title(one.machine),
            "series": series_of(choice, one),
            "median": one.cores.median,
            "lower": one.cores.lower,
            "upper": one.cores.upper,
            "cpus": one.cpus,
            "said": _needed_words(choice, one),
        }
        for one in choice.answers
    ]


def needed_table(choice: Choice) -> Table:
    """Every machine and variant: the count to plan with, what binds there, headroom, price."""
    rows = []
    for one in choice.answers:
        rows.append(
            {
                "machine": short_title(one.machine),
                "variant": series_of(choice, one),
                **one.cores.as_dict(),
                "needed": _cores_words(one),
                "p": one.p,
                "at": one.at if one.enough else None,
                "limit": f"{one.limit} ({percent(one.limit_p)})",
                "headroom": one.headroom.median,
                "headroom_lower": one.headroom.lower,
                "headroom_upper": one.headroom.upper,
                "room": _headroom_words(one),
                "price": choice.prices[one.machine.slug] if one.enough and one.device_carries else None,
            }
        )
    columns = (
        Column("machine", "machine"),
        Column("variant", "variant"),
        Column("needed", "cores needed (90 % interval)", "figures"),
        Column("p", "carried by any count", "percent"),
        Column("at", f"cores for {percent(choice.sure)} certainty", "count"),
        Column("limit", "what binds there, or at the best count"),
        Column("room", "headroom there (90 % interval)", "figures"),
        Column("price", "price, where cores and device suffice", "count"),
    )
    return Table(columns, tuple(rows), name="cores_needed")


def loaded_table(choice: Choice) -> Table:
    """How busy the cores and the station are and how long a packet takes, at the count to plan with; answers that suffice only."""
    from mpps.load import under_load

    rows = []
    for one in choice.answers:
        if one.enough is None:
            continue
        new = choice.altered[series_of(choice, one)]
        (row,) = under_load(
            new.fitted.path, one.enough, choice.rate_pps, variant=new.variant, machine=one.machine, settings=new.settings,
            seed=choice.seed, fitted=new.fitted, **choice.placement,
        ).rows()  # fmt: skip
        rows.append(
            {
                "machine": short_title(one.machine),
                "variant": series_of(choice, one),
                "cores": one.enough,
                "p_carried": row["p_carried"],
                **_ends("busy", row["busy"], 100),
                **_ends("station", row["station"], 100),
                **_ends("delay", row["delay_ns"], 1e-3),
                **_ends("late", row["delay_99_ns"], 1e-3),
                "saturates": row["saturates"],
            }
        )
    columns = (
        Column("machine", "machine"),
        Column("variant", "variant"),
        Column("cores", "cores", "count"),
        _ended("busy", "a core is busy, %"),
        _ended("station", f"{choice.path.station} is busy, %"),
        _ended("delay", "delay, us"),
        _ended("late", "99 % are faster than, us"),
        Column("saturates", "full first"),
        Column("p_carried", "carried under random arrivals", "percent"),
    )
    used = tuple(c for c in columns if any(c.cell(row) for row in rows))
    return Table(used, tuple(rows), caption="Each core has a queue of its own; 90 % intervals", name="loaded")


def carried_rows(choice: Choice, variant: str) -> list[dict]:
    """Probability in percent that each count carries the rate, machine by machine: rows of `charts.lever`."""
    rows = []
    for one in choice.of(variant):
        name = short_title(one.machine)
        rows += [
            {"series": name, "x": int(n), "median": 100 * float(p), "lower": None, "upper": None}
            for n, p in zip(one.counts, one.carried, strict=True)
        ]
    return rows


def series_of(choice: Choice, one: Needed) -> str:
    """The variant of an answer as it was asked for: `altered` has its own names."""
    return next(name for name, new in choice.altered.items() if new.variant.name == one.variant)


def _needed_words(choice: Choice, one: Needed) -> str:
    return f"{series_of(choice, one)}: {_cores_words(one)}"


def _cores_words(one: Needed) -> str:
    """Median and interval, or in how many draws no count of the machine carries the rate."""
    if one.p < 0.05:
        return "not carried"
    if one.cores.median is None:
        return f"no count in {percent(1 - one.p)}"
    if one.cores.upper is None:
        return f"{number(int(one.cores.median))} (no count in {percent(1 - one.p)})"
    return interval(one.cores.median, one.cores.lower, one.cores.upper)


def _headroom_words(one: Needed) -> str:
    return interval(*(None if end is None else round(100 * end) for end in dataclasses.astuple(one.headroom))) + " %"


def _fact(machine: Machine, name: str) -> str:
    fact = machine[name]
    return "" if fact.value is None else number(fact.value) + (" (assumed)" if fact.assumed else "")


def _ends(name: str, row: dict | None, factor: float) -> dict:
    """The median and the ends of a measure as fields of a table's row; of a station that is not there nothing."""
    if row is None:
        return {}
    return {
        name: row["median"] * factor,
        f"{name}_lower": row["lower"] * factor,
        f"{name}_upper": row["upper"] * factor,
    }


def _ended(name: str, title: str) -> Column:
    return Column(name, title, "interval", lower=f"{name}_lower", upper=f"{name}_upper")
