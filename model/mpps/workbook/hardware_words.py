"""Which machine to buy: what the tables of `hardware` say, in sentences and numbers."""

from mpps import tables
from mpps.capacity import Needed
from mpps.predict import predict
from mpps.tables import Table
from mpps.text import count, interval, number, percent
from mpps.workbook.answer import figure, hashes
from mpps.workbook.answer import percent as percent_of
from mpps.workbook.curves import _readable, short_title
from mpps.workbook.hardware import Choice, series_of
from mpps.workbook.words import listed, markdown, sentence


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


def nic_words(choice: Choice) -> str:
    """Candidates whose card names a link or a device that does not move the rate asked for."""
    slow = {one.machine.slug: one for one in choice.answers if not one.device_carries}
    silent = {one.machine.slug: one for one in choice.answers if one.device_p is None}
    words = []
    if slow:
        names = [f"{short_title(one.machine)} ({_device_words(one)})" for one in slow.values()]
        verb = "names a network device that does" if len(slow) == 1 else "name network devices that do"
        words.append(
            f"The card{'s' * (len(slow) > 1)} of {listed(names)} {verb} not carry the rate: plan for a faster one, or leave "
            "the machine out."
        )
    if silent:
        names = [short_title(one.machine) for one in silent.values()]
        said = "The card of {} says" if len(silent) == 1 else "The cards of {} say"
        words.append(f"{said.format(listed(names))} nothing of a network device: see that it carries the rate.")
    return " ".join(words) or "The network device that each card names carries the rate."


def loaded_words(choice: Choice) -> str:
    """What stands above `loaded_table`."""
    if not any(one.enough for one in choice.answers):
        return "No candidate carries the rate with the certainty asked for, so there is no size to look at."
    return (
        "At the count to plan with most draws have cores to spare, so packets wait little; where the upper end of an interval "
        "is long, some draws are close to full."
    )


def needed_title(choice: Choice) -> str:
    """The finding of the chart of cores needed."""
    best = choice.best(choice.later) or choice.best(choice.today)
    if best is None:
        return sentence("No candidate carries {r:3} Mpps with {s:%} certainty", r=choice.rate_pps / 1e6, s=choice.sure)
    return sentence(
        "{r:3} Mpps: {n} of {m} are the cheapest that suffice, with {v}",
        r=choice.rate_pps / 1e6,
        n=count(best.enough, "core"),
        m=short_title(best.machine),
        v=f"'{series_of(choice, best)}'",
    )


def verdict(choice: Choice) -> list[str]:
    """The cheapest sufficient machine with each variant, and whether the change is worth waiting for."""
    words = []
    for name in dict.fromkeys((choice.today, choice.later)):
        best, cores_alone = choice.best(name), choice.best(name, any_device=True)
        said = (
            sentence(
                "With {v} the cheapest sufficient machine is {m} (price {p:4}): {n} carry the rate with at least {s:%} certainty,"
                " with headroom of {h} in the median.",
                v=f"'{name}'",
                m=short_title(best.machine),
                p=choice.prices[best.machine.slug],
                n=count(best.enough, "core"),
                s=choice.sure,
                h=percent(best.headroom.median),
            )
            if best
            else sentence("With {v} {w}", v=f"'{name}'", w=_nearest(choice, name))
        )
        words.append(f"{said} {_but_for_its_device(choice, cores_alone)}" if cores_alone is not best else said)
    if choice.today != choice.later:
        words.append(_worth(choice))
    return words


def verdict_words(choice: Choice):
    """`verdict` as a list."""
    return markdown("\n".join(f"- {line}" for line in verdict(choice)))


def hardware_numbers(choice: Choice) -> dict[str, dict]:
    """Numbers of the record: the rate, and the cores needed of every machine with the variant that carries it best."""
    found = {"rate to carry": figure(choice.rate_pps / 1e6, "Mpps")}
    for variant in dict.fromkeys((choice.later, choice.today)):
        for one in choice.of(variant):
            if variant == choice.later or one.enough:
                name = f"{short_title(one.machine)}, {variant}"
                words = "cores for the certainty asked for" if one.enough else "probability that all its cores carry it"
                found[f"{name}: {words}"] = figure(one.enough, "cores") if one.enough else percent_of(one.p)
    return found


def hardware_assumptions(choice: Choice, most: int = 12) -> Table:
    """What the rate of the machine that the verdict names rests on at the count to plan with: largest influence first."""
    best = choice.best(choice.later) or choice.best(choice.today) or choice.answers[0]
    new = choice.altered[series_of(choice, best)]
    forecast = predict(
        new.fitted.path, [best.at], variant=new.variant, machine=best.machine, settings=new.settings, seed=choice.seed,
        fitted=new.fitted, **choice.placement,
    )  # fmt: skip
    items = [_readable(item) for item in forecast.assumptions if item.lower < item.upper][:most]
    caption = f"{short_title(best.machine)}, {series_of(choice, best)}, {count(best.at, 'core')}"
    return tables.assumptions(items, caption=caption, name="hardware_assumptions")


def choice_hashes(choice: Choice) -> dict[str, str]:
    """Hashes of the tables behind the fits."""
    tables_of = {source[0] for new in choice.altered.values() for source in new.fitted.points.source}
    return hashes(*sorted(tables_of))


def _device_words(one: Needed) -> str:
    """What the network device on a card moves."""
    median, lower, upper = (end / 1e6 for end in (one.device.median, one.device.lower, one.device.upper))
    return f"{number(median) if lower == upper else interval(median, lower, upper)} Mpps"


def _but_for_its_device(choice: Choice, one: Needed) -> str:
    """A machine whose cores suffice for less money, and whose network device does not."""
    return sentence(
        "{n} of {m} (price {p:4}) would do, but the network device on its card moves {d}: with a faster one it is the cheapest.",
        n=count(one.enough, "core"),
        m=short_title(one.machine),
        p=choice.prices[one.machine.slug],
        d=_device_words(one),
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
    if choice.best(name, any_device=True):
        return "no candidate suffices as its card stands."
    best = max(choice.of(name), key=lambda one: one.p)
    if best.p < 0.005:
        return "no candidate suffices, nor comes near."
    return sentence(
        "no candidate suffices: {m} comes nearest and carries the rate with a probability of {p:%}.",
        m=short_title(best.machine),
        p=best.p,
    )
