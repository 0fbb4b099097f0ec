"""The sections of the validation page on curves after a change."""

from mpps import charts
from mpps.pages.validation import Cases, Section
from mpps.sentences import pairs as words
from mpps.text import percent

_KEY = (
    "Grey line: before the change. Filled point: the rate after it that was given. Hollow points: measured after it, red ones "
    "outside the 90 % interval. Dashed line and bands: predicted, 50 % and 90 %."
)


def pair_sections(document: dict) -> list[Section]:
    """Goals and figures, the pairs well and badly predicted as small charts, gains and controls, and hosts.

    document: that of `mpps.validate.pairs`.
    """
    pairs, cases = document["pairs"], document["cases"]
    errors = [
        {"model": title, "dataset": row["name"], "error": row[name]["error"]}
        for name, title in words.TITLES.items()
        for row in document["datasets"]
    ]
    chart = charts.error_distribution(
        errors,
        title=f"Half of the data sets are predicted through a change to {percent(document['median']['mpps']['error'])} or better",
    )
    paragraph = " ".join([words.answer(document), *words.protocol(document)])
    first = Section(
        "From the curve before a change, the curve after",
        paragraph,
        words.goals(document),
        chart,
        more=(words.summary_table(document), words.pairs_table(pairs, "Pairs"), words.coverage(document)),
        cases=tuple(
            Cases(heading, f"{text} {_KEY}", tuple(_case(row) for row in rows))
            for heading, text, rows in (
                (
                    "Changes badly predicted",
                    "The highest interval scores among pairs that left it.",
                    _rows(pairs, cases["worst"]),
                ),
                (
                    "Changes well predicted",
                    "The lowest interval scores among pairs that stayed inside.",
                    _rows(pairs, cases["best"]),
                ),
                ("Apart: the tables that code paths are fitted to", "They enter no figure above.", document["seeds"]),
            )
            if rows
        ),
        lists=(("Pairs not scored", tuple(words.skipped_lines(document))),) if document["skipped"] else (),
    )
    gain = Section(
        "Is it a gain?",
        "A probability holds if gains come as often as it says. Controls are published changes that gained nothing; they count "
        "as replacements in the first table, and as whatever a user could name in the second.",
        words.gain_table(document),
        more=(words.controls_table(document),) if document["controls"] else (),
    )
    sections = [first, gain]
    if document["hosts"]["rows"]:
        sections.append(
            Section(
                "One host from the others",
                "Benchmarks that ran before and after a change on several hosts. Each host is predicted three times: from "
                "published changes of other sources alone; with the pairs of the other hosts among them; and with those pairs "
                "taken for the same change. Where it is the same change, they tell what it keeps; where the hosts had different "
                "patches of one series, they mislead.",
                words.hosts_table(document),
            )
        )
    return sections


def _rows(pairs, places):
    return [pairs[place] for place in places]


def _case(row: dict) -> tuple:
    chart = charts.change_case(
        row["rows"],
        title=f"{row['dataset']}: {row['before']} to {row['after']}",
        unit=row["unit"].replace("_per_", "/").replace("_", " "),
        x_title=row["counts"].partition(",")[0],
    )
    return chart, f"{row['mechanism'][0].upper()}{row['mechanism'][1:]} ({row['kind']}). {row['reason']}"
