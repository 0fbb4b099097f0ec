"""Which machine to buy: the rows, tables and sentences of cores needed, machine by machine."""

import dataclasses

from mpps import alter, tables
from mpps.capacity import Needed, cheapest, needed
from mpps.errors import MppsError
from mpps.machine import Machine, load_machine
from mpps.paths import load_path
from mpps.tables import Column, Table
from mpps.text import count, interval, number, percent
from mpps.units import line_rate_pps, to_rate_pps
from mpps.workbook.answer import figure, hashes
from mpps.workbook.answer import percent as percent_of
from mpps.workbook.curves import _readable, short_title
from mpps.workbook.words import markdown, sentence


@dataclasses.dataclass(frozen=True, eq=False)
class Choice:
    """A rate to carry through a path, candidates with prices, and what each takes: `today` and `later` are variants.

    altered: variant -> the fit and variant with packets of `packet_bytes`; answers: machine by machine, today first.
    """

    path: object
    rate_pps: float
    packet_bytes: float
    unit: str
    rate: float
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

    def best(self, variant: str) -> Needed | None:
        """The cheapest machine that suffices with a variant."""
        return cheapest(self.of(variant), self.prices)


def priced(candidates) -> dict[str, float]:
    """Machine -> price of `["epyc_9654=9000", ...]`; raises `MppsError` for a text that is not machine=price, and twice."""
    prices = {}
    for text in candidates:
        slug, equals, price = text.partition("=")
        slug = slug.strip()
        try:
            value = float(price)
        except ValueError:
            value = float("nan")
        if not equals or not 0 < value < float("inf"):
            raise MppsError(f"candidate {text!r}: expected machine=price, for example epyc_9654=9000")
        if slug in prices:
            raise MppsError(f"candidate {slug!r} is there twice; keep one of them")
        load_machine(slug)
        prices[slug] = value
    if not prices:
        raise MppsError("name at least one candidate, as machine=price")
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

    candidates: `machine=price` each. Raises `MppsError` for what is unknown, and for a rate or size that is not positive.
    """
    found, prices = load_path(path), priced(candidates)
    if not packet_bytes > 0:
        raise MppsError(f"packet_bytes: found {packet_bytes!r}, expected a positive number of bytes")
    if not rate > 0:
        raise MppsError(f"rate: found {rate!r}, expected a positive number in {unit}")
    rate_pps = float(to_rate_pps(rate, unit, packet_bytes))
    changes = [] if packet_bytes == found.packet_bytes else [{"packet_bytes": packet_bytes}]
    changed = {
        name: alter.altered(alter.fit_for_changes(found, name, changes, seed=seed), name, changes)
        for name in dict.fromkeys((today, later))
    }
    answers = []
    for slug in prices:
        for new in changed.values():
            answers += needed(
                new.fitted.path, rate_pps, [slug], variants=[new.variant], sure=sure, settings=new.settings, seed=seed,
                fitted=new.fitted, **placement,
            )  # fmt: skip
    return Choice(
        found, rate_pps, packet_bytes, unit, rate, prices, sure, today, later, changed, tuple(answers), seed, placement
    )


def candidates_table(choice: Choice) -> Table:
    """What the cards say of the candidates, and their prices."""
    rows = []
    for slug, price in choice.prices.items():
        machine = load_machine(slug)
        rows.append(
            {
                "machine": short_title(slug),
                "cpus": machine.threads,
                "clock": _fact(machine, "clock.one_core"),
                "inside": _fact(machine, "line_transfer.same_cluster"),
                "across": _fact(machine, "line_transfer.other_cluster") or _fact(machine, "line_transfer.other_socket"),
                "link": _fact(machine, "device.link"),
                "price": price,
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
        Column("price", "price", "count"),
        Column("open", "numbers assumed or missing", "count"),
    )
    return Table(columns, tuple(rows), name="candidates")


def budget_words(choice: Choice) -> str:
    """What the rate means: packets a second, and the time that one core has for each."""
    return sentence(
        "{r} {u} of {b}-byte packets are {p:3} million packets a second: one every {t:3} ns.",
        r=choice.rate,
        u=choice.unit,
        b=number(choice.packet_bytes, 4),
        p=choice.rate_pps / 1e6,
        t=1e9 / choice.rate_pps,
    )


def needed_rows(choice: Choice) -> list[dict]:
    """Rows of `charts.cores_needed`."""
    return [
        {
            "machine": short_title(one.machine.slug),
            "series": _series(choice, one),
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
                "machine": short_title(one.machine.slug),
                "variant": _series(choice, one),
                **one.cores.as_dict(),
                "needed": _cores_words(one),
                "p": one.p,
                "at": one.at if one.enough else None,
                "limit": f"{one.limit} ({percent(one.limit_p)})",
                "headroom": one.headroom.median,
                "headroom_lower": one.headroom.lower,
                "headroom_upper": one.headroom.upper,
                "room": _headroom_words(one),
                "price": choice.prices[one.machine.slug] if one.enough else None,
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
        Column("price", "price, where it suffices", "count"),
    )
    return Table(columns, tuple(rows), name="cores_needed")


def loaded_table(choice: Choice) -> Table:
    """How busy the cores and the station are and how long a packet takes, at the count to plan with; answers that suffice only."""
    from mpps.load import under_load

    rows = []
    for one in choice.answers:
        if one.enough is None:
            continue
        new = choice.altered[_series(choice, one)]
        (row,) = under_load(
            new.fitted.path, one.enough, choice.rate_pps, variant=new.variant, machine=one.machine, settings=new.settings,
            seed=choice.seed, fitted=new.fitted, **choice.placement,
        ).rows()  # fmt: skip
        rows.append(
            {
                "machine": short_title(one.machine.slug),
                "variant": _series(choice, one),
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


def loaded_words(choice: Choice) -> str:
    """What stands above `loaded_table`."""
    if not any(one.enough for one in choice.answers):
        return "No candidate carries the rate with the certainty asked for, so there is no size to look at."
    return (
        "At the count to plan with most draws have cores to spare, so packets wait little; where the upper end of an interval "
        "is long, some draws are close to full."
    )


def carried_rows(choice: Choice, variant: str) -> list[dict]:
    """Probability in percent that each count carries the rate, machine by machine: rows of `charts.lever`."""
    rows = []
    for one in choice.of(variant):
        name = short_title(one.machine.slug)
        rows += [
            {"series": name, "x": int(n), "median": 100 * float(p), "lower": None, "upper": None}
            for n, p in zip(one.counts, one.carried, strict=True)
        ]
    return rows


def nic_words(choice: Choice) -> str:
    """Candidates whose card names a link that is slower than the rate asked for."""
    frame = choice.packet_bytes + (
        (choice.path.frame_bytes or 0) - choice.path.packet_bytes if choice.path.frame_bytes else 18
    )
    slow = []
    for slug in choice.prices:
        link = load_machine(slug)["device.link"].value
        if link and line_rate_pps(link * 1e9, max(frame, 64)) < choice.rate_pps:
            slow.append(f"{short_title(slug)} ({number(link)} Gbit/s)")
    if not slow:
        return "The link that each card names carries the rate; another one is a matter of the order, not of the model."
    verb = "names a link that does" if len(slow) == 1 else "name links that do"
    return f"The card of {' and '.join(slow)} {verb} not carry the rate: plan for a faster one."


def verdict(choice: Choice) -> list[str]:
    """The cheapest sufficient machine with each variant, and whether the change is worth waiting for."""
    words = []
    for name in dict.fromkeys((choice.today, choice.later)):
        best = choice.best(name)
        words.append(
            sentence(
                "With {v} the cheapest sufficient machine is {m} (price {p:4}): {n} carry the rate with at least {s:%} certainty,"
                " with headroom of {h} in the median.",
                v=f"'{name}'",
                m=short_title(best.machine.slug),
                p=choice.prices[best.machine.slug],
                n=count(best.enough, "core"),
                s=choice.sure,
                h=percent(best.headroom.median),
            )
            if best
            else sentence("With {v} {w}", v=f"'{name}'", w=_nearest(choice, name))
        )
    if choice.today != choice.later:
        words.append(_worth(choice))
    return words


def verdict_words(choice: Choice):
    """`verdict` as a list."""
    return markdown("\n".join(f"- {line}" for line in verdict(choice)))


def hardware_assumptions(choice: Choice, most: int = 12) -> Table:
    """What the numbers rest on for the machine that the verdict names: largest influence first."""
    best = choice.best(choice.later) or choice.best(choice.today) or choice.answers[0]
    items = [_readable(item) for item in best.assumptions if item.lower < item.upper][:most]
    return tables.assumptions(
        items, caption=f"{short_title(best.machine.slug)}, {_series(choice, best)}", name="hardware_assumptions"
    )


def _worth(choice: Choice) -> str:
    before, after = choice.best(choice.today), choice.best(choice.later)
    change = f"the change from '{choice.today}' to '{choice.later}'"
    if after is None:
        return f"Neither suffices, so {change} does not settle the purchase."
    if before is None:
        return f"Wait for {change}: without it no candidate suffices."
    saved = choice.prices[before.machine.slug] - choice.prices[after.machine.slug]
    if saved > 0:
        return sentence("{c} saves {p:4}: a cheaper machine then suffices.", c=change[0].upper() + change[1:], p=saved)
    fewer = before.enough - after.enough
    if saved < 0 or fewer <= 0:
        return f"{change[0].upper()}{change[1:]} saves no money and no cores here."
    return sentence(
        "{c} saves no money, since the same machine suffices before it, but {n} of it.",
        c=change[0].upper() + change[1:],
        n=count(fewer, "core"),
    )


def _nearest(choice: Choice, name: str) -> str:
    best = max(choice.of(name), key=lambda one: one.p)
    return sentence(
        "no candidate suffices: {m} comes nearest and carries the rate with a probability of {p:%}.",
        m=short_title(best.machine.slug),
        p=best.p,
    )


def _series(choice: Choice, one: Needed) -> str:
    return next(name for name, new in choice.altered.items() if new.variant.name == one.variant)


def _needed_words(choice: Choice, one: Needed) -> str:
    return f"{_series(choice, one)}: {_cores_words(one)}"


def _cores_words(one: Needed) -> str:
    if one.p < 0.05:
        return "not carried"
    if one.cores.median is None or one.cores.upper is None:
        least = one.cores.median or one.cores.lower
        return f"{number(int(least))} or more" if least else f"carried in {percent(one.p)} of draws"
    return interval(one.cores.median, one.cores.lower, one.cores.upper)


def _headroom_words(one: Needed) -> str:
    return interval(*(None if end is None else round(100 * end) for end in dataclasses.astuple(one.headroom))) + " %"


def _fact(machine: Machine, name: str) -> str:
    fact = machine[name]
    return "" if fact.value is None else number(fact.value) + (" (assumed)" if fact.assumed else "")


def needed_title(choice: Choice) -> str:
    """The finding of the chart of cores needed."""
    best = choice.best(choice.later) or choice.best(choice.today)
    if best is None:
        return sentence("No candidate carries {r:3} Mpps with {s:%} certainty", r=choice.rate_pps / 1e6, s=choice.sure)
    return sentence(
        "{r:3} Mpps: {n} of {m} are the cheapest that suffice, with {v}",
        r=choice.rate_pps / 1e6,
        n=count(best.enough, "core"),
        m=short_title(best.machine.slug),
        v=f"'{_series(choice, best)}'",
    )


def hardware_numbers(choice: Choice) -> dict[str, dict]:
    """Numbers of the record: the rate, and the cores needed of every machine with the variant that carries it best."""
    found = {"rate to carry": figure(choice.rate_pps / 1e6, "Mpps")}
    for variant in dict.fromkeys((choice.later, choice.today)):
        for one in choice.of(variant):
            if variant == choice.later or one.enough:
                name = f"{short_title(one.machine.slug)}, {variant}"
                words = "cores for the certainty asked for" if one.enough else "probability that all its cores carry it"
                found[f"{name}: {words}"] = figure(one.enough, "cores") if one.enough else percent_of(one.p)
    return found


def choice_hashes(choice: Choice) -> dict[str, str]:
    """Hashes of the tables behind the fits."""
    tables_of = {source[0] for new in choice.altered.values() for source in new.fitted.points.source}
    return hashes(*sorted(tables_of))


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
