"""Where the measurements come from: the card of a table, its rows, and what they do not tell."""

import numpy as np

from mpps.machine import load_machine
from mpps.measurements import NOT_STATED, load
from mpps.tables import Column, Table
from mpps.text import count
from mpps.workbook.words import bullets, folded, markdown


def card(*datasets: str):
    """Who measured what on which machine, in a list: one for each table, as Markdown."""
    return markdown("\n\n".join(_card(load(dataset)) for dataset in datasets))


def silence(*datasets: str):
    """What the sources leave open and where their tables mislead, as Markdown."""
    cards = [load(dataset).card for dataset in datasets]
    unsaid = dict.fromkeys(item for each in cards for item in each.not_stated)
    traps = dict.fromkeys(item for each in cards for item in each.traps)
    return markdown(folded("What the source does not say", unsaid) + "\n\n" + folded("Where the table misleads", traps))


def fact(dataset: str, name: str) -> tuple[float, float]:
    """Ends of a number that the source gives outside its table."""
    return load(dataset).card.facts[name].ends


def printed(dataset: str, metric: str, variant: str, n: float | None = None) -> tuple[float, float, float]:
    """A printed value with the ends that its rounding (or cutting) leaves, in its unit; the only row when n is None."""
    series = load(dataset).one(metric, variant=variant)
    row = 0 if n is None else int(np.flatnonzero(series.n == n)[0])
    return float(series.value[row]), float(series.lower[row]), float(series.upper[row])


def printed_changes(dataset: str):
    """Whether the changes that the source prints follow from its rows, as Markdown."""
    changes = load(dataset).changes()
    agree = sum(change.agrees for change in changes)
    return markdown(
        f"The source prints {count(len(changes), 'change')} in percent; {agree} of them follow from its rows, given the rounding of both."
    )


def measured(dataset: str, **where: str) -> Table:
    """The table as it was printed: one line per core count, or per variant where there is only one count."""
    table = load(dataset)
    found = table.series(**where)
    counts = sorted({float(n) for series in found for n in series.n})
    name = f"{dataset}_printed"
    caption = _caption(table, found)
    if len(counts) == 1:
        lines = {}
        for series in found:
            lines.setdefault(series.label, {"variant": series.label})[series.metric] = grouped(series.printed[0])
        columns = [
            Column("variant", "variant"),
            *(
                Column(metric, f"{metric}, {_unit(found, metric)}", "figures")
                for metric in dict.fromkeys(s.metric for s in found)
            ),
        ]
        return Table(tuple(columns), tuple(lines.values()), caption, name)
    lines = {n: {"n": n} for n in counts}
    for series in found:
        for n, text in zip(series.n, series.printed, strict=True):
            lines[float(n)][_label(series, found)] = grouped(text)
    labels = dict.fromkeys(_label(series, found) for series in found)
    return Table(
        (Column("n", "n", "count"), *(Column(label, label, "figures") for label in labels)),
        tuple(lines.values()),
        caption,
        name,
    )


def grouped(printed: str) -> str:
    """A printed number with its thousands apart, its digits as they are."""
    whole, point, rest = printed.partition(".")
    return f"{int(whole):,}{point}{rest}" if whole.isdigit() and len(whole) > 4 else printed


def _label(series, found) -> str:
    metrics = {each.metric for each in found}
    return series.label if len(metrics) == 1 else f"{series.label}, {series.metric}"


def _unit(found, metric: str) -> str:
    return next(series.unit for series in found if series.metric == metric)


def _caption(table, found) -> str:
    metrics = "; ".join(
        f"{metric} in {_unit(found, metric)}" for metric in dict.fromkeys(series.metric for series in found)
    )
    return f"{metrics}, as printed. n: {table.card.counts}"


def _card(table) -> str:
    card = table.card
    # A title that nobody printed is not quoted.
    where = [] if NOT_STATED in card.mailing_list else [f"list {card.mailing_list}"]
    where += [
        f"{name} {value}"
        for name, value in (("dated", card.date), ("message", card.message_id), ("commit", card.commit))
        if value != NOT_STATED
    ]
    missing = [
        name
        for name, value in (("date", card.date), ("message id", card.message_id), ("commit", card.commit))
        if value == NOT_STATED
    ]
    unsaid = f"; not stated: {', '.join(missing)}" if missing else ""
    items = [
        f'**Source.** "{card.title}": {card.kind}{"; " if where else ""}{", ".join(where)}{unsaid}.',
        f"**Measured.** {card.measured.strip()}",
        f"**Machine.** {load_machine(card.hardware).title}; kernel: {card.kernel}.",
        f"**Packets.** {_packets(card)}.",
        f"**Values.** {_samples(card.samples)}.",
        f"**Rows.** {count(sum(len(s.n) for s in table.all_series), 'value')} in `data/measurements/{table.dataset}.csv`, checked against its SHA-256 on load.",
    ]
    return bullets(items)


def _packets(card) -> str:
    size = "size not stated" if card.packet_bytes is None else f"{card.packet_bytes:g} bytes"
    if card.packet_layer in (NOT_STATED, "not applicable"):
        return f"{size}; layer {card.packet_layer}"
    return f"{size}, counted at the layer {card.packet_layer}"


def _samples(samples) -> str:
    if samples.count is None:
        return f"number of runs {'and of boots ' if samples.boots is None else ''}not stated; statistic: {samples.statistic}; spread: {samples.spread}"
    return (
        f"{samples.statistic} of {samples.count} samples"
        + (f" over {samples.boots} boots" if samples.boots else "")
        + f"; spread: {samples.spread}"
    )
